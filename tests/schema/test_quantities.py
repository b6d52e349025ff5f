"""Numbers with units: what is accepted, what it becomes, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.parts.sizes.fixed import FixedSize
from barchan.scene import Material
from barchan.schema import quantities
from barchan.schema.quantities import si_value


@pytest.mark.parametrize(
    ("given", "unit", "value"),
    [
        ("5 mm", "m", 0.005),
        ("7 µm", "m", 7e-6),
        ("-2.5e-3 m/s**2", "m/s^2", -0.0025),
        ("2500 kg/m^3", "kg/m^3", 2500.0),
        ("2.5 g/cm³", "kg/m^3", 2500.0),
        ("30 rpm", "rad/s", math.pi),
        ("180 deg", "rad", math.pi),
        ("30 Hz", "1/s", 30.0),
        ("24/s", "1/s", 24.0),
        ("120 1/min", "1/s", 2.0),
        ("100 MPa", "Pa", 1e8),
        ("1 kN*s/(m)", "N*s/m", 1000.0),
        ("0.3", "", 0.3),
        ("30 %", "", 0.3),
        (3, "m", 3),
        (np.float32(0.5), "m", 0.5),
        (np.int64(2), "m", 2),
        (-0.0, "m", 0.0),
        (-1e20, "m", -1e20),
        (1e-30, "", 1e-30),
    ],
)
def test_becomes_si(given, unit, value):
    assert si_value(given, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("given", "unit", "told"),
    [
        ("5 kg", "m", r"has the dimension \[mass\]; must be a quantity in m"),
        ("5", "m", "has the dimension none; must be a quantity in m"),
        ("5 mm", "", r"has the dimension \[length\]; must be a plain number"),
        ("wide", "m", "must be a quantity in m, written for example '1 m'"),
        ("5 quux", "m", "must be a quantity in m"),
        ("", "m", "must be a quantity in m"),
        ("nan", "m", "must be a quantity in m"),
        ("9**9**9**9 m", "m", "must be a quantity in m"),
        ("1 m**9**9**9**9", "m", "must be a quantity in m"),
        ("1 9^(9^(9^9))", "m", "must be a quantity in m"),
        ("30 Hz", "rad/s", "counts cycles"),
        ("30 rpm", "1/s", "is an angle a time"),
        (True, "m", "must be a quantity in m"),
        (None, "m", "must be a quantity in m"),
        ([1], "m", "must be a quantity in m"),
        (math.inf, "m", "must be a finite number"),
        ("1e999 m", "m", "must be a finite number"),
        pytest.param(10**400, "m", r"must be 0 or have a magnitude from 1e-30 to 1e\+20 in SI units", id="digits"),
        (-1.1e20, "m", "must be 0 or have a magnitude"),
        (9e-31, "m", "must be 0 or have a magnitude"),
        ("1e-22 nm", "m", "must be 0 or have a magnitude"),
        (5e-324, "", "must be 0 or have a magnitude"),
    ],
)
def test_is_refused(given, unit, told):
    with pytest.raises(ValueError, match=told):
        si_value(given, unit)


def test_a_bound_is_told_with_the_unit():
    with pytest.raises(SceneError) as caught:
        FixedSize(value=-0.1)
    assert str(caught.value) == "FixedSize.value: -0.1 m; must be > 0."


def test_a_text_is_told_as_it_was_written():
    with pytest.raises(SceneError) as caught:
        Material(density="-3 g/cm^3", poisson=0.5, friction="1 m")
    assert str(caught.value).splitlines() == [
        "Material.density: '-3 g/cm^3'; must be > 0.",
        "Material.poisson: 0.5; must be < 0.5.",
        "Material.friction: '1 m'; has the dimension [length]; must be a plain number.",
    ]


def test_a_damaged_cache_of_units_is_made_anew(tmp_path, monkeypatch):
    """A process that was killed while it wrote has left half a file: units are read from their text again."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    for damaged in (False, True):
        quantities._registry.cache_clear()
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert bool(files) == damaged
        if damaged:
            for path in files:
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        assert quantities.si_value("2.5 mm", "m") == pytest.approx(2.5e-3, rel=1e-12)
    quantities._registry.cache_clear()
