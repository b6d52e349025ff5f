"""Contacts, series and exports of a small run of each method, computed once more from its recording.

Nothing that computes here imports Barchan; see `test_the_audit_stands_alone`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from audit import figures, touching
from audit.scenes import SCENES
from audit.taken import Taken

pytestmark = pytest.mark.validate
ALONE = ("taken", "touching", "figures")
Take = Callable[[str], Taken]


def test_the_audit_stands_alone() -> None:
    """What computes imports nothing but NumPy, h5py, the standard library and itself: an audit that calls what it
    audits finds nothing.
    """
    allowed = {"__future__", "numpy", "h5py", "math", "tomllib", "dataclasses", "pathlib", "types", "typing", "audit",
               "collections"}  # fmt: skip
    for name in ALONE:
        tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert {one.name.split(".")[0] for one in node.names} <= allowed
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in allowed
                assert node.module != "audit" and node.module != "audit.scenes"


@pytest.mark.parametrize("name", SCENES)
def test_contacts_follow_from_places(taken: Take, name: str) -> None:
    """Of every frame: who touches whom and at which face, how deep, and where, beside the recorded place of the first
    body. A contact that is missing, counted twice, or at another image of its grain is found.
    """
    run = taken(name)
    seen = 0
    for frame in run.frames:
        own = touching.table(run, frame)
        size = float(frame.sphere_radius.min())
        rows = touching.matched(frame, own, size)
        point, normal = touching.sided(frame, own, rows)
        assert frame.overlap == pytest.approx(own.overlap[rows], abs=precision(frame, size))
        assert frame.point == pytest.approx(point, abs=precision(frame, size))
        assert np.sum(frame.force * normal, axis=1).min(initial=0.0) >= -1e-9 * np.abs(frame.force).max(initial=1.0)
        seen += len(rows)
    assert seen > 10 * len(run.frames) or name in ("pouring",)


def precision(frame: SimpleNamespace, size: float) -> float:
    """m: 1e-9 of a sphere, or what places this far from the origin are stored to."""
    return 1e-9 * size + 4 * np.finfo(float).eps * float(np.abs(frame.position).max(initial=0.0))


@pytest.mark.parametrize("name", SCENES)
def test_series_follow_from_frames(taken: Take, name: str) -> None:
    """Every sample of a series that the frame of the same moment determines, to 1e-9 of its largest value."""
    run = taken(name)
    assert run.times == pytest.approx([frame.time for frame in run.frames], abs=1e-15)
    found: dict[str, list[float]] = {}
    for index, frame in enumerate(run.frames):
        own = touching.table(run, frame)
        figure = {
            **figures.count(run, index), **figures.places(frame), **figures.cell(frame), **figures.energies(run, frame),
            **figures.contacts(frame, own), **figures.stresses(run, frame), **figures.packing(run, frame, own),
            "step": frame.step, "steps_accepted": frame.step,
        }  # fmt: skip
        for key, value in figure.items():
            found.setdefault(key, []).append(value)
    far = max(1.0, max(float(np.abs(frame.position).max(initial=0.0)) for frame in run.frames))
    for key, values in found.items():
        if key in run.series:
            scale = max(np.abs(values).max(), SCALES.get(key, 0.0))
            tolerance = 1e-9 * scale * far
            assert run.series[key] == pytest.approx(values, abs=tolerance, nan_ok=True), key


SCALES: dict[str, float] = {}
