"""Measures by name: every function that gives a number has one, and a recording is asked for it."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import typing
from pathlib import Path

import numpy as np
import pytest

import barchan as bc
from barchan import measures as analysis
from barchan import registry
from barchan.errors import BarchanError
from barchan.measures.evaluate import measure
from barchan.measures.named import measures
from barchan.record.recorder import Recorder
from draw.frames import frame_of

NUMBERS = {float, int, analysis.Angle, analysis.Fraction, analysis.StepStatistics, analysis.Flow}
ASKING = {"asked", "evaluate", "named"}  # what finds measures, and has none
STEPS = [("steps_accepted", ""), ("steps_rejected", ""), ("shortest_step", "s"), ("longest_step", "s")]
SCENE = """
name = "stacks"
duration = "5 s"
gravity = [0, 0, -10]
observables = ["steps"]

[materials.stone]
density = 1000

[[grains]]
name = "free"
material = "stone"
size = 1
count = 1
fill = { kind = "random", region = { kind = "box", low = [0, 0, 0], high = [1, 1, 1] } }

[[grains]]
name = "glued"
material = "stone"
size = 1
count = 1
fill = { kind = "random", region = { kind = "box", low = [0, 0, 0], high = [1, 1, 1] } }
"""


def recorded(folder: Path, frames: list[typing.Any], scene: str = SCENE) -> bc.Recording:
    """A recording of these frames; the run took ten steps in each second."""
    with Recorder(folder, scene_toml=scene, meta={}, series=STEPS) as recorder:
        for frame in frames:
            steps = {"steps_accepted": 10 * frame.time, "steps_rejected": 1, "shortest_step": 0.1, "longest_step": 0.2}
            recorder.sample(frame.time, 0, steps)
            recorder.frame(frame)
        recorder.close({})
    return bc.Recording(folder)


@pytest.fixture(scope="module")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> bc.Recording:
    """At k seconds k + 1 spheres of 1 m stand on top of each other on a floor at z = 0."""
    frames = [frame_of([(0, 0, 0.5 + n) for n in range(k + 1)], 0.5, time=float(k)) for k in range(6)]
    return recorded(tmp_path_factory.mktemp("stacks"), frames)


def public(module: typing.Any) -> dict[str, typing.Any]:
    """The functions of a module that others may call, with what they return."""
    own = inspect.getmembers(module, lambda one: inspect.isfunction(one) and one.__module__ == module.__name__)
    return {name: typing.get_type_hints(one).get("return") for name, one in own if not name.startswith("_")}


def test_every_function_that_gives_a_number_has_a_name() -> None:
    """A new function cannot be forgotten; and no name stands for both an observable and a measure."""
    wanted = set()
    for info in pkgutil.iter_modules(analysis.__path__):
        module = importlib.import_module(f"barchan.measures.{info.name}")
        if info.name in ASKING:
            continue
        for name, kind in public(module).items():
            parts = typing.get_args(kind) if typing.get_origin(kind) is tuple else (kind,)
            if parts and set(parts) <= NUMBERS:
                wanted.add(name)
    assert wanted == set(measures()) and len(wanted) > 10
    assert not wanted & set(registry.parts("observables"))
    for made in measures().values():
        assert made.summary() and made.series and all(one.default for one in made.described_fields())


@pytest.mark.parametrize(
    ("moment", "height"),
    [("last", 6.0), ("first", 1.0), ("2s", 3.0), ("2400 ms", 3.0), ("mean(2s, 4s)", 4.0), ("mean", 3.5)],
)
def test_one_value_at_a_moment(stacks: bc.Recording, moment: str, height: float) -> None:
    """k + 1 spheres of 1 m stand k + 1 metres high: 3 m at 2 s, and from 2 s to 4 s on average (3 + 4 + 5)/3 m."""
    found = measure(stacks, f"pile_height(floor=0)@{moment}")
    assert found.value == pytest.approx(height, rel=1e-12) and found.units == {"pile_height": "m"} and found.one


def test_values_at_all_frames(stacks: bc.Recording) -> None:
    """Without a moment there is a value for each frame; a floor 1 m lower makes heaps that float, which count nothing.
    A value of all of them does not exist, which is said.
    """
    found = measure(stacks.path.parent, "pile_height(floor=0)")
    assert found.time.tolist() == [0, 1, 2, 3, 4, 5] and not found.one
    assert found.values["pile_height"] == pytest.approx(np.arange(1.0, 7.0), rel=1e-12)
    assert measure(stacks, "pile_height(floor=-100 cm)@last").value == 0.0
    assert measure(stacks, "pile_height(below=2.6 m)@last").value == pytest.approx(3.0)
    with pytest.raises(BarchanError, match=r"has 6 values; one is asked for. Add a moment, such as .*@last"):
        _ = found.value


def test_a_value_of_the_whole_run(stacks: bc.Recording) -> None:
    """In 5 s it took 50 steps of 0.1 s on average; what is of the whole run has no moment."""
    found = measure(stacks, "step_statistics")
    assert {name: float(one[0]) for name, one in found.values.items()} == pytest.approx(
        {"steps_accepted": 50, "steps_rejected": 1, "shortest_step": 0.1, "longest_step": 0.2, "mean_step": 0.1}
    )
    with pytest.raises(BarchanError, match=r"is of the whole run\. Leave out what follows the @"):
        measure(stacks, "step_statistics@last")


def test_flow_through_a_level(tmp_path: Path) -> None:
    """Ten grains wait above z = 0; one passes every second, but none from 4 s to 7 s. Each weighs radius³ = 1/8 kg.

    At t seconds before the jam t have passed. Over the first four seconds the rate is a grain a second, 1/8 kg/s, as
    Flow.mean_rate takes it from a tenth to nine tenths of what passed. Values of frames are of what passed since the
    start of the recording, whichever frame is asked for; the rate is of the frames that are asked for.
    """
    passed = [0, 1, 2, 3, 4, 4, 4, 4, 5, 6]
    place = [[(n, 0, -1.0 if n < k else 1.0) for n in range(10)] for k in passed]
    run = recorded(tmp_path, [frame_of(one, 0.5, time=float(t)) for t, one in enumerate(place)])
    found = measure(run, "flow_through(level=0)")
    assert found.values["passed_count"].tolist() == passed and found.units["passed_mass"] == "kg"
    assert measure(run, "flow_through(level=0)@last").values["waiting"].tolist() == [4.0]
    assert measure(run, "mean_rate(level=0)@mean(0, 4)").value == pytest.approx(1 / 8)
    jam = measure(run, "jamming(level=0, least=2 s)").values
    assert (jam["jam_count"].tolist(), jam["jam_time"].tolist()) == ([1.0], [3.0])


def test_groups_say_which_grains_count(tmp_path: Path) -> None:
    """Of a drum of radius 1 m one glued and two free grains, all of one mass, lie in the top quarter near the rim: four
    free layers in a quarter over a quarter of one, 4 · 2 m/m = 8. With the groups exchanged it is 4 · 1/2 = 2.
    """
    frame = frame_of([(0, 0, 0.9), (0.1, 0, 0.9), (-0.1, 0, 0.9)], 0.01, group=np.array([1, 0, 0], np.int32))
    run = recorded(tmp_path, [frame, frame_of(frame.position, 0.01, group=frame.group, time=1.0)])
    assert measure(run, "carried_over(free=free, radius=1)").value == pytest.approx(8.0)
    assert measure(run, "carried_over(free=[glued], radius=1)@last").value == pytest.approx(2.0)
    with pytest.raises(BarchanError, match=r"carried_over.free: 'fre' is not among the groups .* Did you mean 'free'"):
        measure(run, "carried_over(free=fre, radius=1)")


def test_grains_that_come_and_go_have_no_groups_in_common(stacks: bc.Recording) -> None:
    """A mask of the first frame's grains would be laid over other grains, or would not fit at all."""
    with pytest.raises(BarchanError, match="takes frames that hold the same grains"):
        measure(stacks, "carried_over(free=free, radius=1)")
    assert math.isnan(measure(stacks, "slope(free=free, radius=1, length=1)@last").values["slope"][0])


def test_a_box_the_wrong_way_round_is_an_error_in_words(stacks: bc.Recording) -> None:
    """The function raises a ValueError, for Python; by name it is what the command line can show."""
    with pytest.raises(BarchanError, match=r"packing_fraction: the box .* low must be below high"):
        measure(stacks, "packing_fraction(low=[1, 1, 1], high=[0, 0, 0])@last")


def test_hard_spheres_have_no_contacts_to_record(tmp_path: Path) -> None:
    """A scene of hard spheres that records contacts is refused, so that is no remedy; the series is the one way."""
    scene = SCENE.replace('duration = "5 s"', 'duration = "5 s"\nsolver = "hard"')
    run = recorded(tmp_path, [frame_of([(0, 0, 0.5)], 0.5)], scene)
    with pytest.raises(BarchanError, match=r'hold no contacts.* Set observables = \["stress"\] in the scene') as error:
        measure(run, "stress@last")
    assert "record." not in str(error.value)
