"""What two materials are to each other."""

from __future__ import annotations

import pytest

from barchan.scene import surface
from barchan.scene.toml import build


def scene_with(fields, a=None, b=None, pairs=()):
    fields["materials"]["sand"] |= a or {}
    fields["materials"]["steel"] |= b or {}
    return build(fields | {"pairs": list(pairs)})


def test_equal_materials_have_the_textbook_moduli(fields):
    """E* = E/(2(1−ν²)); G* = G/(2(2−ν)) with G = E/(2(1+ν))."""
    found = surface(scene_with(fields), "sand", "sand", wall=False)
    assert found.young == pytest.approx(1e8 / (2 * (1 - 0.09)))
    assert found.shear == pytest.approx(1e8 / (2 * 1.3) / (2 * 1.7))
    assert found.poisson == 0.3 and found.restitution is None and found.wall is False


def test_the_weaker_governs(fields):
    a = {"friction": 0.2, "rolling_friction": "1 mm", "rolling_viscosity": 2.0, "restitution": 0.9}
    b = {"friction": 0.4, "rolling_friction": "2 mm", "rolling_viscosity": 1.0}
    found = surface(scene_with(fields, a, b), "steel", "sand", wall=True)
    assert (found.friction, found.rolling_friction, found.rolling_viscosity) == (0.2, 0.001, 1.0)
    assert found.restitution == 0.9 and found.wall is True
    both = surface(scene_with(fields, a, b | {"restitution": 0.5}), "steel", "sand", wall=True)
    assert both.restitution == 0.5


def test_rules_are_symmetric(fields):
    scene = scene_with(fields, {"poisson": 0.2}, {"poisson": 0.4})
    assert surface(scene, "sand", "steel", wall=False) == surface(scene, "steel", "sand", wall=False)


def test_an_override_wins(fields):
    plain = surface(scene_with(fields), "sand", "steel", wall=False)
    pair = {"between": ["steel", "sand"], "friction": 0.9, "restitution": 0.3, "young_effective": "1 GPa"}
    found = surface(scene_with(fields, pairs=[pair]), "sand", "steel", wall=False)
    assert (found.friction, found.restitution, found.young) == (0.9, 0.3, 1e9)
    assert found.shear / plain.shear == pytest.approx(1e9 / plain.young)
    assert found.rolling_friction == plain.rolling_friction


def test_an_override_of_one_material_with_itself(fields):
    scene = scene_with(fields, pairs=[{"between": ["sand", "sand"], "friction": 0.0}])
    assert surface(scene, "sand", "sand", wall=False).friction == 0.0
    assert surface(scene, "sand", "steel", wall=False).friction == 0.5
