"""Runs in which grains come and go and events happen: counts, rates, moments, and the same bits after a resume."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import barchan as bc
from barchan import solvers
from barchan.simulation.schedule import Reason, look_rate
from barchan.simulation.story import Story
from simulation.shared import Stopper, checkpoint_hash, recording_hash

SAND = {"density": 2500, "young": 1e7, "friction": 0.5, "restitution": 0.6}
BOX = {"kind": "box", "low": [0, 0, 0.03], "high": [0.02, 0.02, 0.06]}
SPOUT = {"name": "spout", "material": "sand", "size": {"kind": "uniform", "low": 0.004, "high": 0.006}, "region": BOX}
FLOOR = {"name": "floor", "shape": "plane", "material": "sand"}
GROUND = {"name": "ground", "shape": "plane", "point": [0, 0, -0.05], "material": "sand", "absorbing": True}
BALL = {"name": "ball", "material": "sand", "size": 0.01, "fill": {"kind": "points", "positions": [[0, 0, 0.105]]}}


def scene(**fields: Any) -> bc.Scene:
    """A scene of the small kernels: one material, planes, spheres."""
    common = {"name": "story", "duration": 0.2, "frame_rate": 50, "materials": {"sand": SAND}, "walls": [FLOOR]}
    return bc.Scene.model_validate({**common, **fields})


def pouring(**fields: Any) -> bc.Scene:
    """Grains are poured on to a floor that is taken away at 0.1 s; what falls through is absorbed farther down, and
    what jumps far aside is taken by a sink.
    """
    drop = {"name": "drop", "when": {"kind": "time", "at": 0.1}, "do": {"kind": "remove_wall", "wall": "floor"}}
    tilt = {"name": "tilt", "when": {"kind": "after", "event": "drop", "delay": 0.02},
            "do": {"kind": "gravity", "to": [2, 0, -9], "over": 0.03}}  # fmt: skip
    side = {
        "name": "side",
        "outside": True,
        "region": {"kind": "box", "low": [-0.01, -0.01, -1], "high": [0.03, 0.03, 1]},
    }
    spout = {**SPOUT, "rate": 500, "velocity": [0, 0, -0.5], "velocity_scatter": 0.05}
    return scene(sources=[spout], sinks=[side], walls=[FLOOR, GROUND], events=[drop, tilt], **fields)


@pytest.fixture(scope="module")
def poured(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A finished run of it."""
    return bc.run(pouring(), tmp_path_factory.mktemp("runs") / "pour", progress=bc.Silent(), threads=1)


def test_what_came_in_is_inside_or_has_gone_out(poured) -> None:
    """Exactly, in number at every sample, and in mass to round-off."""
    with poured.recording as recording:
        series, frames = recording.series, list(recording)
    inside, out = series["grain_count"], series["ground_count"] + series["side_count"]
    assert (series["spout_count"] == inside + out).all()
    assert series["ground_count"][-1] > 10 and series["side_count"][-1] > 0 and inside[-1] > 0
    held = np.array([frame.mass.sum() for frame in frames])
    np.testing.assert_allclose(series["mass_in"], held + series["mass_out"], rtol=1e-12)
    flow = poured.summary["flow"]
    assert flow["spout"]["number"] == poured.summary["grains_in"]
    assert flow["ground"]["number"] + flow["side"]["number"] == poured.summary["grains_out"]


def test_the_rate_is_honoured_and_the_shortfall_told(poured) -> None:
    """At 500 grains a second ⌊500 t⌋ are owed; those not poured are told as waiting."""
    with poured.recording as recording:
        series = recording.series
        owed = np.floor(500 * np.arange(len(series["time"])) / 50 + 1e-9)
        rates = series["mass_out_rate"][1:]
        np.testing.assert_allclose(np.cumsum(rates) / 50, series["mass_out"][1:], rtol=1e-2, atol=1e-9)
    assert (series["spout_count"] + series["spout_waiting"] == owed).all()
    assert series["spout_count"][-1] > 90


def test_ids_and_birthdays(poured) -> None:
    with poured.recording as recording:
        seen = {int(one): born for frame in recording for one, born in zip(frame.id, frame.born, strict=True)}
        assert len(recording[0]) == 0 and recording[0].position.shape == (0, 3)
        assert (recording[3].group == 0).all()
    births = [seen[one] for one in sorted(seen)]
    assert births == sorted(births)


def test_the_ledger_closes_while_grains_come_and_go(poured) -> None:
    with poured.recording as recording:
        series = recording.series
    turned_over = series["inflow_energy"] + series["dissipated_normal"]
    assert (np.abs(series["energy_error"])[1:] < 0.01 * turned_over[1:]).all()
    assert series["outflow_energy"][-1] != 0 and series["event_work"][-1] != 0


def test_events_come_when_they_should_and_are_told(poured) -> None:
    """The second one comes at the first look, ten a frame, not before 0.12 s."""
    assert poured.summary["events"] == {"drop": pytest.approx(0.1), "tilt": pytest.approx(0.12, abs=0.0021)}
    with poured.recording as recording:
        assert recording.summary["events"] == poured.summary["events"]
        present = [bool(frame.wall_present[0]) for frame in recording]
    assert present == [True] * 5 + [False] * 6


@pytest.mark.parametrize("when", [0.03, 0.09, 0.13])
def test_stopped_and_resumed_it_ends_with_the_same_bits(poured, tmp_path: Path, when: float) -> None:
    """While grains are poured with events ahead, just before one, and in the midst of a change of gravity."""
    with pytest.raises(bc.Interrupted):
        bc.run(pouring(), tmp_path / "run", progress=Stopper(when), threads=1)
    result = bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1)
    assert recording_hash(result.folder) == recording_hash(poured.folder)
    assert checkpoint_hash(result.folder) == checkpoint_hash(poured.folder)
    assert result.summary["events"] == poured.summary["events"]


def test_the_same_bits_on_two_threads(poured, tmp_path: Path) -> None:
    from barchan.kernels import threads

    if threads.most() < 2:
        pytest.skip("one processor")
    result = bc.run(pouring(), tmp_path / "run", progress=bc.Silent(), threads=2)
    assert recording_hash(result.folder) == recording_hash(poured.folder)


def test_no_grain_is_ever_put_on_another_or_into_a_wall() -> None:
    """At every look the new grains keep their distance from all others and from the floor, while the region is so
    crowded that most of what is owed finds no room; and when the floor goes, all of it is made up for.
    """
    low = {"kind": "box", "low": [0, 0, 0], "high": [0.02, 0.02, 0.02]}
    drop = {"name": "drop", "when": {"kind": "time", "at": 0.1}, "do": {"kind": "remove_wall", "wall": "floor"}}
    crowded = scene(sources=[{**SPOUT, "region": low, "rate": 800, "end": 0.1}], events=[drop], duration=0.4)
    plan = bc.Plan.of(crowded)
    solver, story = solvers.create(plan.model, plan.grains, plan.time_step.value), Story(crowded)
    waited = 0
    for visit in plan.schedule.visits():
        solver.advance_to(visit.time)
        if Reason.LOOK not in visit:
            continue
        before, there = solver.inserted, not story.fired
        story.look(solver, visit.time)
        seen = solver.frame()
        new = seen.id >= before
        apart = np.linalg.norm(seen.position[new][:, None] - seen.position[None], axis=2)
        gap = apart - seen.radius[new][:, None] - seen.radius[None]
        assert gap[seen.id[new][:, None] != seen.id[None]].min(initial=1.0) >= 0
        assert not there or (seen.position[new, 2] - seen.radius[new]).min(initial=1.0) >= 0
        waited = max(waited, solver.gates()["spout"].waiting)
    assert waited > 20
    assert solver.gates()["spout"].number == 80 and solver.gates()["spout"].waiting == 0


def test_rest_is_seen_when_a_ball_has_stopped_bouncing(tmp_path: Path) -> None:
    """Dropped by h the ball lands after √(2h/g) with v₀ = √(2 g h), and leaves the nth bounce with v₀ eⁿ, for
    2 v₀ eⁿ/g. With e = 0.6 it is below a tenth of v₀ for good from the fifth bounce on, 0.6⁵ = 0.078, at
    √(2h/g) + Σₖ₌₁⁴ 2 v₀ eᵏ/g. Near the top of earlier flights it is slow for 2 · 0.1 v₀/g = 29 ms only, less than the
    50 ms asked for; so the event comes 50 ms after that bounce, at the next look; collisions last for 0.1 ms.
    """
    height, g, e = 0.1, 9.81, 0.6
    speed = math.sqrt(2 * g * height)
    rest = {
        "name": "rest",
        "when": {"kind": "rest", "speed": 0.1 * speed, "lasting": 0.05, "not_before": 0.05},
        "do": "stop",
    }
    described = scene(grains=[BALL], events=[rest], duration=2, frame_rate=40)
    result = bc.run(described, tmp_path / "run", progress=bc.Silent(), threads=1)
    bounces = speed / g + sum(2 * speed * e**k / g for k in range(1, 5))
    look = float(1 / look_rate(described))
    assert bounces + 0.05 <= result.summary["events"]["rest"] <= bounces + 0.05 + 2 * look + 0.005
    assert result.summary["time"] == pytest.approx(result.summary["events"]["rest"], abs=1e-4)
    with result.recording as recording:
        assert recording.finished and recording.times[-1] == pytest.approx(result.summary["time"])


def test_a_count_ends_a_run_and_a_source(tmp_path: Path) -> None:
    """The source is stopped once more than 20 have been poured, and the run when they have all gone."""
    full = {
        "name": "full",
        "when": {"kind": "count", "of": "spout", "above": 20},
        "do": {"kind": "stop_source", "source": "spout"},
    }
    empty = {"name": "empty", "when": {"kind": "count", "below": 1, "not_before": 0.05}, "do": {"kind": "stop"}}
    described = scene(sources=[{**SPOUT, "rate": 1000}], walls=[GROUND], events=[full, empty], duration=5)
    result = bc.run(described, tmp_path / "run", progress=bc.Silent(), threads=1)
    number = result.summary["flow"]["spout"]["number"]
    assert 20 < number <= 20 + 1000 / look_rate(described) + 1
    assert result.summary["flow"]["ground"]["number"] == number
    assert result.summary["time"] < 0.3 and list(result.summary["events"]) == ["full", "empty"]


def test_looks_are_as_frequent_as_a_new_layer_needs() -> None:
    """A grain of 6 mm thrown at 5 m/s goes its own size in 1.2 ms, so about 834 looks a second are needed: 17 a frame
    of 1/50 s. Without sources, sinks and events there is nothing to look at.
    """
    assert look_rate(scene(sources=[{**SPOUT, "count": 1}])) == 500
    assert look_rate(scene(sources=[{**SPOUT, "count": 1, "velocity": [5, 0, 0]}])) == 850
    assert look_rate(scene(grains=[BALL])) is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"sources": [{**SPOUT, "count": 9, "region": {**BOX, "low": [0, 0, -0.5], "high": [0.02, 0.02, -0.1]}}]},
         r"sources\[0\].region: lies inside walls; there must be room for a grain. Move the region."),
        ({"sources": [{**SPOUT, "count": 9}], "sinks": [{"name": "drain", "region": BOX}]},
         r"sources\[0\].region: lies in the sink 'drain'"),
        ({"sources": [{**SPOUT, "count": 9}], "box": {"low": [0, 0, 0], "high": [0.01, 1, 1]}},
         r"sources\[0\].region: reaches beyond `box`"),
    ],
)  # fmt: skip
def test_sources_that_cannot_pour_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(bc.SceneError, match=message):
        bc.Plan.of(scene(**fields))
