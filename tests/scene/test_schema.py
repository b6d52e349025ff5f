"""The JSON Schema accepts what the models accept; checked with a small validator of our own."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from typing import Any

import pytest

from barchan.registry import FAMILIES, parts
from barchan.scene import library, load, schema
from barchan.scene.toml import build

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def fits(value: Any, rule: dict[str, Any], root: dict[str, Any]) -> bool:
    """Whether a value satisfies a schema: names, types, required and forbidden fields, alternatives, lower bounds."""
    if "$ref" in rule:
        return fits(value, root["$defs"][rule["$ref"].rsplit("/", 1)[1]], root)
    checks = [
        "const" not in rule or value == rule["const"],
        "enum" not in rule or value in rule["enum"],
        "oneOf" not in rule or sum(fits(value, option, root) for option in rule["oneOf"]) == 1,
        "anyOf" not in rule or any(fits(value, option, root) for option in rule["anyOf"]),
        "type" not in rule or isinstance(value, _TYPES[rule["type"]]),
    ]
    if not all(checks):
        return False
    if isinstance(value, dict):
        return _fields_fit(value, rule, root)
    if isinstance(value, list):
        items = rule.get("prefixItems") or [rule.get("items", {})] * len(value)
        return len(items) == len(value) and all(fits(v, r, root) for v, r in zip(value, items, strict=True))
    return not isinstance(value, (int, float)) or value > rule.get("exclusiveMinimum", float("-inf"))


def _fields_fit(value: dict[str, Any], rule: dict[str, Any], root: dict[str, Any]) -> bool:
    own, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    if not set(rule.get("required", [])) <= set(value) or (others is False and not set(value) <= set(own)):
        return False
    rest = others if isinstance(others, dict) else {}
    return all(fits(item, own.get(name, rest), root) for name, item in value.items())


@pytest.fixture
def rules() -> dict[str, Any]:
    return json.loads(_rules(tuple(part for family in FAMILIES for part in parts(family).values())))


@functools.cache
def _rules(known: tuple[type, ...]) -> str:
    """The schema while these parts are known: it takes a third of a second."""
    return json.dumps(schema())


def test_accepts_a_sound_scene_short_and_full(fields, rules):
    fields["walls"][0]["motion"] = {"kind": "test-nod", "spin": "30 rpm"}
    assert fits(fields, rules, rules)
    for full in (True, False):
        assert fits(build(fields).to_dict(full=full), rules, rules)


@pytest.mark.parametrize(
    "change",
    [
        {"duraton": 1},
        {"duration": -1},
        {"contact": {"law": "nobody"}},
        {"contact": {"law": "test-rubber", "tack": 1}},
        {"walls": [{"name": "a", "shape": "test-pole", "material": "sand"}]},
        {"walls": [{"name": "a", "shape": "test-pole", "radius": 1, "raduis": 1, "material": "sand"}]},
        {"grains": [{"name": "a", "material": "sand", "fill": {"kind": "lattice"}}]},
    ],
)
def test_refuses_what_the_models_refuse(fields, rules, change):
    assert not fits(fields | change, rules, rules)


def test_knows_every_part_by_name_and_its_units(rules):
    walls = {option["properties"]["shape"]["const"]: option for option in rules["$defs"]["Wall"]["oneOf"]}
    assert walls["test-pole"]["properties"]["radius"]["unit"] == "m"
    assert {"name", "material", "radius"} <= set(walls["test-pole"]["required"])


@pytest.mark.parametrize("name", library())
def test_accepts_the_library(rules, name):
    scene = load(name)
    assert fits(scene.to_dict(), rules, rules)
    assert fits(scene.to_dict(full=False), rules, rules)


def test_importing_scenes_is_light():
    heavy = "('pint', 'numba', 'h5py', 'matplotlib', 'scipy')"
    code = f"import sys, barchan.scene as s; s.load, s.schema(); print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
