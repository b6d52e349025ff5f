"""Contacts, series and exports of a small run of each method, computed once more from its recording.

Nothing that computes here imports Barchan; see `test_the_audit_stands_alone`.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from audit import balances, figures, springs, touching
from audit.scenes import SCENES
from audit.taken import Taken

pytestmark = pytest.mark.validate
ALONE = ("taken", "touching", "figures", "balances", "springs", "exports")
Take = Callable[[str], Taken]
STEPPED = ("spheres", "elastic", "flat", "far", "clumps", "periodic", "deforming", "pouring")  # a frame a step
STEPS = {"elastic": 2e-5, "deforming": 2e-4}  # s
HISTORIES = (  # with springs that remember, or without springs
    "spheres", "flat", "far", "clumps", "periodic", "pouring", "triangles", "hard", "conveyor",
)  # fmt: skip


def test_the_audit_stands_alone() -> None:
    """What computes imports nothing but NumPy, h5py, the standard library and itself: an audit that calls what it
    audits finds nothing.
    """
    allowed = {*sys.stdlib_module_names, "numpy", "h5py", "audit"}
    for name in ALONE:
        tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert {one.name.split(".")[0] for one in node.names} <= allowed
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in allowed
                assert node.module != "audit" and node.module != "audit.scenes"


@pytest.mark.parametrize("name", [name for name in SCENES if name not in ("triangles", "hard")])
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
    assert seen >= len(run.frames)


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
        own = touching.told(frame) if name == "triangles" else touching.table(run, frame)
        figure = {
            **figures.count(run, index), **figures.places(frame), **figures.cell(frame), **figures.energies(run, frame),
            **figures.contacts(frame, own), **figures.packing(run, frame, own), **figures.stresses(run, frame),
            **(figures.modes(frame) if name == "conveyor" else {}), "step": frame.step,
            **({"steps_accepted": frame.step} if run.scene["solver"] == "soft" else {}),
        }  # fmt: skip
        for key, value in figure.items():
            found.setdefault(key, []).append(value)
    far = max(1.0, max(float(np.abs(frame.position).max(initial=0.0)) for frame in run.frames))
    for key, values in found.items():
        if key in run.series and key not in UNKNOWN.get(name, ()):
            scale = np.nanmax(np.abs(values))
            tolerance = 1e-9 * scale * far + 1e-30  # what one grain moves against its own mean
            assert run.series[key] == pytest.approx(values, abs=tolerance, nan_ok=True), key


PRESSED = [f"stress_{one}" for one in ("xx", "yy", "zz", "xy", "xz", "yz", "isotropic", "deviatoric")]
UNKNOWN = {  # grains that bend turn and move inside; overlaps of triangles have areas; blows happen between frames
    "triangles": ("kinetic_energy", "worst_overlap"),
    "hard": (*PRESSED, "pressure", "total_pressure"),
}


@pytest.mark.parametrize("name", STEPPED)
def test_recorded_forces_move_recorded_grains(taken: Take, name: str) -> None:
    """Newton's law from each frame to the next, a step later: m Δv = h (F₁ + F₂)/2 + h m g by velocity Verlet, and of
    turning I ω likewise, for every grain. A force that is missing, or is somewhere else, is found.
    """
    run = taken(name)
    gravity, drag = np.array(run.scene["gravity"]), float(run.scene["drag"])
    worst, turns, most, heaviest = 0.0, 0.0, 0.0, 0.0
    for one, two in itertools.pairwise(run.frames):
        a, b = balances.stayed(one, two)
        step = two.time - one.time
        before, after = balances.pushed(one), balances.pushed(two)
        force = 0.5 * (before.force[a] + after.force[b]) + one.mass[a, None] * gravity
        rate = balances.rates(one, two)
        force -= drag * 0.5 * (balances.against(rate, one)[a] + balances.against(rate, two)[b])
        torque = 0.5 * (before.torque[a] + after.torque[b])
        gained = one.mass[a, None] * (two.velocity[b] - one.velocity[a]) / step
        twisted = (balances.angular(two)[b] - balances.angular(one)[a]) / step
        left = balances.without_images((gained - force) / one.mass[a, None], rate, one)
        worst = max(worst, np.abs(left * one.mass[a, None]).max(initial=0.0))
        turns = max(turns, np.abs(twisted - torque).max(initial=0.0))
        most, heaviest = max(most, np.abs(force).max(initial=0.0)), max(heaviest, np.abs(torque).max(initial=0.0))
    assert worst < (1e-3 if drag else 1e-8) * most  # drag goes with velocities that are a part of a step ahead
    size = float(run.frames[0].radius.max())
    assert turns < 1e-8 * max(heaviest, most * size) or "stiction" in run.scene, "stiction turns grains, too"


@pytest.mark.parametrize("name", [name for name in SCENES if name not in HISTORIES])
def test_springs_follow_from_overlaps(taken: Take, name: str) -> None:
    """Where nothing rubs, the stored energy is that of overlaps, of Hertz (8/15) E* √R* ξ^(5/2), of linear springs
    ½ k ξ²; and beside it what springs along the planes get in half a step, before they are cut to nothing. Without
    losses each force is that of its overlap, to 1e-9.
    """
    run = taken(name)
    for frame, stored in zip(run.frames, run.series["stored_energy"], strict=True):
        own = touching.table(run, frame)
        push, energy = springs.normal(run.scene, own)
        beside = balances.stretched_in(run, frame, own, 0.5 * STEPS.get(name, 0.0))
        assert stored == pytest.approx(energy.sum() + beside, rel=1e-9, abs=1e-15 + 0.5 * beside)
        if springs.lossless(run.scene):
            rows = touching.matched(frame, own, float(frame.sphere_radius.min()))
            _, normal = touching.sided(frame, own, rows)
            assert frame.force == pytest.approx(push[rows, None] * normal, rel=1e-8, abs=1e-9 * push.max(initial=0.0))


@pytest.mark.parametrize("name", SCENES)
def test_the_ledger_adds_up(taken: Take, name: str) -> None:
    """`energy_error` is what the lines of the ledger leave: a line with another sign, or in no sum, is found."""
    run = taken(name)
    left = balances.left_over(run)
    scale = max(float(np.abs(run.series[line]).max()) for line in balances.LEDGER)
    assert run.series["energy_error"] == pytest.approx(left - left[0], abs=1e-9 * scale)


@pytest.mark.parametrize("name", STEPPED)
def test_lines_of_the_ledger_grow_by_work(taken: Take, name: str) -> None:
    """What contacts take along their normals, and along their planes, and what walls give: each grows as the recorded
    forces work on the recorded motion, by trapezia from frame to frame; at most a hundredth is due to the step.
    """
    run = taken(name)
    work, scale = balances.works(run)
    own = balances.taken_by_contacts(run)
    for key, values in work.items():
        assert own[key] - own[key][0] == pytest.approx(values, abs=1e-2 * scale), key


def test_what_comes_and_goes_is_who_is_there(taken: Take) -> None:
    """Numbers, masses, rates and energies at each gate, from the ids of one frame and the next: grains come and go
    between frames in free flight, which changes neither mass nor energy.
    """
    run = taken("pouring")
    found = balances.flows(run, lambda place: np.where(place[:, 0] > 2.9, "gone", "drain"))
    assert [found[f"{gate}_count"][-1] for gate in ("gone", "drain")] == [2, 2] and found["spout_count"][-1] > 2
    for key, values in found.items():
        assert run.series[key] == pytest.approx(values, abs=1e-9 * np.abs(values).max()), key


def test_blows_make_the_stress_of_hard_spheres(taken: Take) -> None:
    """Between two frames without a collision the stress is none; with one, it is its impulse, by which momenta jump,
    times the branch at the moment of touch, which follows from places and velocities before.
    """
    run = taken("hard")
    seen = 0
    for k, (one, two) in enumerate(itertools.pairwise(run.frames), start=1):
        blow = balances.blow(run, one, two)
        if blow is None:
            continue
        tensor = -blow / figures.volume(run, two) / (two.time - one.time)
        for name in ("xx", "yy", "zz", "xy", "xz", "yz"):
            i, j = ("xyz".index(letter) for letter in name)
            found = run.series[f"stress_{name}"][k]
            assert found == pytest.approx(tensor[i, j], rel=1e-7, abs=1e-7 * np.abs(tensor).max()), (k, name)
        assert run.series["pressure"][k] == pytest.approx(-np.trace(tensor) / 3, rel=1e-7)
        seen += bool(blow.any())
    assert seen > 10
