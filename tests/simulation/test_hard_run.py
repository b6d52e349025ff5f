"""Runs of hard spheres: recorded, resumed to the bit, told."""

from __future__ import annotations

import io
import signal

import numpy as np
import pytest

import barchan as bc
from barchan.simulation.plan import Plan
from barchan.simulation.progress import Lines
from simulation.shared import checkpoint_hash, recording_hash, stopped
from solvers.hard_lab import scene

BOX = {"shape": "box", "low": (0, 0, 0), "high": (0.05, 0.05, 0.12)}
PLATE = {
    "name": "plate",
    "shape": "disk",
    "center": (0.025, 0.025, 0.03),
    "radius": 0.01,
    "vanishes": 0.15,
    "motion": {"kind": "oscillate", "amplitude": 0.002, "frequency": 20.0},
}
REGION = {"kind": "box", "low": (0, 0, 0.034), "high": (0.05, 0.05, 0.088)}
RAIN = {
    "name": "rain",
    "material": "a",
    "size": 0.01,
    "region": {"kind": "box", "low": (0, 0, 0.09), "high": (0.05, 0.05, 0.11)},
    "rate": 60,
    "velocity": (0, 0, -1),
}
TILT = {"name": "tilt", "when": {"kind": "time", "at": 0.2}, "do": {"kind": "gravity", "to": (5, 0, -5)}}
MARBLES = {
    "material": "a",
    "size": {"kind": "uniform", "low": 0.008, "high": 0.012},
    "count": 40,
    "fill": {"kind": "random", "region": REGION},
    "velocity_scatter": 0.5,
}
SCENE = scene(
    [MARBLES], [BOX, PLATE], restitution=0.8, tangential=0.4, gravity=(0, 0, -9.81), sources=[RAIN], events=[TILT],
    duration=0.3, frame_rate=20, sample_rate=100,
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return bc.run(SCENE, tmp_path_factory.mktemp("hard") / "run", progress=bc.Silent())


def test_a_run_is_recorded_and_its_books_close(whole):
    with whole.recording as recording:
        assert len(recording) == 7
        series = recording.series
        assert series["collisions"][-1] > 1000
        assert np.all(np.diff(series["collisions"]) >= 0)
        turned_over = np.abs(series["kinetic_energy"]).max() + series["dissipated_normal"][-1]
        assert np.abs(series["energy_error"]).max() < 1e-11 * turned_over
        last = recording[-1]
        assert np.all(last.position[:, :2] - last.radius[:, None] >= -1e-9)
        assert len(last) > 45
    told = whole.summary
    assert told["overlaps"] == 0
    assert told["flow"]["rain"]["number"] == len(last) - 40
    assert told["collisions_per_second"] > 0
    assert told["energy_error"] < 1e-11


def test_stopped_and_resumed_it_ends_with_the_same_bits(whole, tmp_path):
    stopped(SCENE, tmp_path / "run", 0.12, signal.SIGINT)
    result = bc.resume(tmp_path / "run", progress=bc.Silent())
    assert recording_hash(result.folder) == recording_hash(whole.folder)
    assert checkpoint_hash(result.folder) == checkpoint_hash(whole.folder)
    assert (result.folder / "recording.vtkhdf").read_bytes()[-4096:] == (
        whole.folder / "recording.vtkhdf"
    ).read_bytes()[-4096:]


def test_friction_that_hard_spheres_do_not_use_is_told(tmp_path):
    """Friction that a scene states, of a material or of a pair, and a stated law; not defaults, nor spare materials."""
    plain = scene([MARBLES], [BOX], restitution=0.8)
    assert Plan.of(plain).warnings == ()
    materials = {
        "a": {"density": 2500.0, "restitution": 0.8, "friction": 0.5, "young": 1e7},
        "spare": {"density": 2500.0, "friction": 0.5},
    }
    pairs = [{"between": ["a", "a"], "friction": 0.3}]
    rough = scene([MARBLES], [BOX], materials=materials, pairs=pairs, contact={"law": "hertz"}, duration=0.01)
    told = [str(warning) for warning in Plan.of(rough).warnings]
    assert [text.split(":")[0] for text in told] == ["materials.a.friction", "pairs[0].friction", "contact"]
    assert "tangential_restitution" in told[0] and "soft" in told[0] and "young" in told[0]
    out = io.StringIO()
    bc.run(rough, tmp_path / "run", progress=Lines(out))
    assert "materials.a.friction: 0.5; hard spheres do not use it" in out.getvalue()


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"relax": {"splits": 3}}, "relax: is there; the solver 'hard' does not read it"),
        ({"observables": ["packing"]}, "observables[0]: packing;"),
    ],
)
def test_what_is_stated_for_others_is_told(options, place):
    told = [str(one) for one in Plan.of(scene([MARBLES], [BOX], restitution=0.8, **options)).warnings]
    assert len([one for one in told if one.startswith(place)]) == 1


def test_rolling_resistance_of_a_pair_is_refused():
    pairs = [{"between": ["a", "a"], "rolling_friction": 1e-4}]
    with pytest.raises(bc.SceneError, match=r"pairs\[0\]: has rolling resistance"):
        Plan.of(scene([MARBLES], [BOX], restitution=0.8, pairs=pairs))
