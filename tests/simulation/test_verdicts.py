"""What deserves a second look after a run is coloured and explained, in the terminal as in the report."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from barchan.cli import app
from barchan.draw.report import write_report
from barchan.model.build import build
from barchan.model.encounters import encounters
from barchan.model.timestep import impact_speed
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.scene import library, load
from barchan.simulation.verdicts import OVERLAP, verdicts
from record.test_formats import SCENE
from record.toy import META, SERIES, make_frame

RED, GREEN = "\x1b[31m", "\x1b[32m"


def run_with(folder: Path, **figures: float) -> Path:
    """A finished run that found this."""
    with Recorder(folder, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        recorder.frame(make_frame(0, 5))
        recorder.close({"time": 1.0, "frames": 1, "samples": 0, **figures})
    (folder / "summary.json").write_text(json.dumps(figures))
    return folder


@pytest.mark.parametrize(
    ("figures", "good"),
    [
        ({"worst_overlap": 0.1}, [True]),
        ({"worst_overlap": 0.33}, [False]),
        ({"overlap_share": 0.11}, [False]),
        ({"energy_error": -0.02, "worst_overlap": 0.01}, [True, False]),
        ({"energy_error": math.nan}, [False]),
        ({}, []),
    ],
)
def test_limits(figures: dict[str, Any], good: list[bool]) -> None:
    """A tenth of a radius and a hundredth of the energy; catches a sign that hides an error, and NaN that passes."""
    assert [one.good for one in verdicts(figures)] == good


def test_a_deep_overlap_is_red_and_explained(tmp_path: Path) -> None:
    """33% stood in the table like any other figure, and in red in the report alone."""
    folder = run_with(tmp_path, worst_overlap=0.33, energy_error=1e-4)
    shown = CliRunner().invoke(app, ["info", str(folder)], color=True).stdout
    assert re.search(rf"worst overlap +{re.escape(RED)}33% of", shown)
    assert re.search(rf"energy balance +{re.escape(GREEN)}", shown)
    (why,) = [line for line in shown.splitlines() if "look again" in line]
    assert "33% (up to 10%)" in why and "stiffer materials (young" in why
    plain = CliRunner().invoke(app, ["info", str(folder)]).stdout
    assert "\x1b" not in plain and "look again: worst overlap" in plain
    with Recording(folder) as recording:
        report = write_report(recording, tmp_path / "report.html").read_text("utf-8")
    assert "stiffer materials (young" in report and report.count("look again") == 1


def test_a_sound_run_is_green_and_says_no_more(tmp_path: Path) -> None:
    folder = run_with(tmp_path, worst_overlap=0.05, energy_error=1e-4)
    shown = CliRunner().invoke(app, ["info", str(folder)], color=True).stdout
    assert RED not in shown and "look again" not in shown and shown.count(GREEN) == 2


SPARED = 0.75  # of the limit: in a bed grains are hit by several at once, and go a third deeper than one alone


@pytest.mark.parametrize("name", [name for name in library() if load(name).solver == "soft"])
def test_no_impact_in_the_library_is_deep(name: str) -> None:
    """Balls of `hopper` were pressed into the floor by 33% of their radius, as an impact at the speed of a fall

    through its whole scene says: nobody need run it to know. A scene that may be deep says why in its description.
    """
    scene = load(name)
    model, grains = build(scene)
    grains = grains.join(model.poured)
    speed = impact_speed(model, grains)
    deepest = max(encounter.depth(speed) for encounter in encounters(model, grains))
    if deepest > SPARED * OVERLAP * grains.sphere_radius.min():
        assert "Overlaps are deep: " in scene.description
