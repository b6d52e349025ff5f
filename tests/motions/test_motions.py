"""Each motion, on numbers that can be checked by hand."""

from __future__ import annotations

import math

import pytest

from barchan import registry
from barchan.errors import SceneError
from barchan.geometry import rotate
from barchan.motions.oscillate import Oscillate
from barchan.motions.rotate import Rotate
from barchan.motions.translate import Translate


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


@pytest.mark.parametrize(
    ("key", "fields", "complaint"),
    [
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
