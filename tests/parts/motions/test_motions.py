"""Each motion, on numbers that can be checked by hand."""

from __future__ import annotations

import math

import pytest

from barchan import registry
from barchan.errors import SceneError
from barchan.geometry import rotate
from barchan.parts.motions.keyframes import Keyframes
from barchan.parts.motions.oscillate import Oscillate
from barchan.parts.motions.rotate import Rotate
from barchan.parts.motions.translate import Translate


def test_all_motions_are_known_by_name():
    assert {"oscillate", "rotate", "translate"} <= set(registry.parts("motions"))


def test_translate_goes_from_start_to_end():
    motion = Translate(velocity=("2 m/s", 0, "-1 mm/s"), start=1.0, end="3 s")
    assert motion.at(0.5)[:3] == (0.0, 0.0, 0.0)
    assert motion.at(2.0)[:3] == pytest.approx((2.0, 0.0, -0.001))
    assert motion.at(2.0)[7:10] == pytest.approx((2.0, 0.0, -0.001))
    assert motion.at(9.0)[:3] == pytest.approx((4.0, 0.0, -0.002))
    assert motion.speed(100.0) == pytest.approx(math.hypot(2.0, 0.001))


def test_oscillate_is_a_sine_from_rest():
    motion = Oscillate(amplitude="1 mm", frequency="25 Hz", direction=(0, 3, 0))
    assert motion.at(0.01)[:3] == pytest.approx((0.0, 0.001, 0.0))
    assert motion.at(0.02)[:3] == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)
    assert motion.at(0.0)[7:10] == pytest.approx((0.0, 0.001 * 50.0 * math.pi, 0.0))


def test_oscillate_with_a_phase_begins_in_place_and_slowly():
    motion = Oscillate(amplitude=0.5, angular_frequency=2.0, phase=-math.pi / 2.0)
    assert motion.at(0.0)[:3] == (0.0, 0.0, 0.0)
    assert motion.at(0.0)[9] == pytest.approx(0.0, abs=1e-15)
    assert motion.at(math.pi / 2.0)[2] == pytest.approx(1.0)


def test_rotate_turns_about_its_centre():
    motion = Rotate(rate="30 rpm", axis=(0, 0, 5), center=(1, 0, 0), start=1.0)
    pose = motion.at(1.5)
    assert motion.pivot() == (1.0, 0.0, 0.0)
    assert rotate(pose[3:7], (1.0, 0.0, 0.0)) == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)
    assert pose[10:13] == pytest.approx((0.0, 0.0, math.pi))
    assert pose[:3] == pose[7:10] == (0.0, 0.0, 0.0)
    assert motion.speed(2.0) == pytest.approx(2.0 * math.pi)


def test_keyframes_pass_through_every_key():
    keys = [
        {"time": 1.0, "position": (1, 0, 0)},
        {"time": "3 s", "position": (1, 2, 0), "rotation": (0, 0, "90 deg")},
        {"time": 4.0, "rotation": ("90 deg", 0, 0)},
    ]
    for ease in ("linear", "smooth"):
        motion = Keyframes(keys=keys, ease=ease, start=10.0)
        assert motion.at(11.0)[:7] == pytest.approx((1, 0, 0, 1, 0, 0, 0))
        root = math.sqrt(0.5)
        assert motion.at(13.0)[:7] == pytest.approx((1, 2, 0, root, 0, 0, root))
        assert motion.at(99.0)[:7] == pytest.approx((0, 0, 0, root, root, 0, 0))
        assert motion.at(12.0)[:4] == pytest.approx((1, 1, 0, math.cos(math.pi / 8)))  # half-way
        assert motion.at(99.0)[7:] == (0.0,) * 6
    assert Keyframes(keys=keys, ease="linear").at(2.5)[7:] == pytest.approx((0, 1, 0, 0, 0, math.pi / 4))


def test_smooth_keyframes_start_and_stop_gently():
    motion = Keyframes(keys=[{"time": 2.0, "position": (0, 0, 1)}, {"time": 3.0, "position": (0, 0, 4)}])
    step = 1e-4
    for key in (0.0, 2.0, 3.0):
        speeds = [motion.at(key + shift)[9] for shift in (-step, 0.0, step)]
        assert speeds == pytest.approx([0.0, 0.0, 0.0], abs=1e-5)  # of second order in the step
    assert motion.at(2.5)[9] == pytest.approx(1.875 * 3.0) == pytest.approx(motion.speed(0.0))


def test_keyframes_turn_several_times_about_one_axis():
    motion = Keyframes(keys=[{"time": 4.0, "rotation": (0, "720 deg", 0)}], ease="linear")
    assert motion.at(1.0)[11] == pytest.approx(math.pi)
    assert rotate(motion.at(1.0)[3:7], (1.0, 0.0, 0.0)) == pytest.approx([-1.0, 0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize(
    ("key", "fields", "complaint"),
    [
        ("servo", {"force": 1}, "force and mass"),
        ("servo", {"force": 1, "mass": 1, "inertia": 1}, "force and mass"),
        ("servo", {"torque": 1, "inertia": 1, "swing": (1, 2)}, "lower and an upper limit"),
        ("keyframes", {"keys": []}, "keys"),
        ("keyframes", {"keys": [{"time": 0}]}, r"keys\[0\]\.time.*> 0"),
        ("keyframes", {"keys": [{"time": 2}, {"time": "1 s"}]}, "times must increase"),
        ("keyframes", {"keys": [{"time": 2, "pose": 1}]}, "unknown field"),
        ("translate", {"velocity": (1, 0, 0), "start": 2, "end": 1}, "end.*later than start"),
        ("translate", {"velocity": "fast"}, "velocity"),
        ("oscillate", {"amplitude": 1}, "either frequency or angular_frequency"),
        ("oscillate", {"amplitude": 1, "frequency": 1, "angular_frequency": 1}, "either frequency"),
        ("oscillate", {"amplitude": 1, "frequency": -1}, "frequency.*> 0"),
        ("oscillate", {"amplitude": 1, "frequency": 1, "direction": (0, 0, 0)}, "direction.*zero vector"),
        ("rotate", {"rate": "3 m/s"}, "rate.*dimension"),
    ],
)
def test_nonsense_is_refused_where_it_stands(key, fields, complaint):
    with pytest.raises(SceneError, match=complaint):
        registry.part("motions", key)(**fields)
