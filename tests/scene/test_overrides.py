"""Changes from the command line."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from barchan.errors import SceneError
from barchan.scene import override
from barchan.scene.toml import build


@pytest.mark.parametrize(
    ("text", "keys", "value"),
    [
        ("grains.0.count=100", ("grains", 0, "count"), 100),
        ("grains[0].count = 100", ("grains", 0, "count"), 100),
        ("grains.bed.count=100", ("grains", 0, "count"), 100),
        ("walls.stake.radius=3 cm", ("walls", 1, "radius"), "3 cm"),
        ('walls[1].radius="3 cm"', ("walls", 1, "radius"), "3 cm"),
        ("materials.sand.friction=0.25", ("materials", "sand", "friction"), 0.25),
        ("grains.0.fill.region.high=[1, 2, 3]", ("grains", 0, "fill", "region", "high"), [1, 2, 3]),
        ("grains.0.fill.region.high[2]=9", ("grains", 0, "fill", "region", "high", 2), 9),
        ("rotation=false", ("rotation",), False),
        ("description=a = b\nc = 1", ("description",), "a = b\nc = 1"),
        ("duration=1\nseed = 2", ("duration",), "1\nseed = 2"),
        ("stiction.strength=1", ("stiction", "strength"), 1),
        ("integrator.order=3", ("integrator", "order"), 3),
        ("record.contacts=true", ("record", "contacts"), True),
        ("contact.law=test-glue", ("contact",), {"law": "test-glue"}),
        ("contact.law=test-rubber", ("contact",), {"law": "test-rubber", "softness": 0.5}),
        ("wall_contact.softness=1", ("wall_contact",), {"law": "test-rubber", "softness": 1}),
    ],
)
def test_changes_one_value(fields, text, keys, value):
    changed = override(fields, text)
    for key in keys:
        changed = changed[key]
    assert changed == value


def test_the_original_stays(fields):
    override(fields, "grains.0.count=100")
    assert fields["grains"][0]["count"] == 10


def test_a_field_left_out_starts_from_its_default(fields):
    del fields["contact"]
    assert override(fields, "contact.friction=1")["contact"]["law"] == "hertz"
    assert override(fields, "wall_contact.friction=1")["wall_contact"]["law"] == "hertz"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grians.0.count=1", "grians.0.count: there is no 'grians'; known: name, description,"),
        ("duraton=1", "duraton: there is no 'duraton'; known: "),
        ("materials.snad.friction=1", "there is no 'snad' in materials; known: sand, steel. Did you mean 'sand'?"),
        ("walls.steak.radius=1", "there is no 'steak' in walls; known: mast, stake. Did you mean 'stake'?"),
        ("walls[2].radius=1", "walls[2].radius: walls has no item 2; it has 2, counted from 0."),
        ("pairs[0].friction=1", "pairs has no item 0; it has 0, counted from 0."),
        ("grains.0.size.low=1", "grains.0.size is 0.005; only tables and lists have values inside."),
        ("grains.0.fill.reigon.low=1", "there is no 'reigon' in grains.0.fill; known: kind, region. Did you mean"),
        ("seed", "seed: is not a change; write key=value"),
        ("=3", "is not a change; write key=value"),
    ],
)
def test_an_unknown_path_names_the_nearest(fields, text, message):
    with pytest.raises(SceneError) as caught:
        override(fields, text)
    assert message in str(caught.value)


def test_an_unknown_field_at_the_end_is_told_by_the_scene(fields):
    with pytest.raises(SceneError, match=r"grains\[0\].cuont: unknown field; .* Did you mean 'count'\?"):
        build(override(fields, "grains.0.cuont=3"))


def test_a_table_left_out_inside_a_table_starts_from_its_default(fields):
    fields["grains"][0].pop("shape", None)
    assert override(fields, "grains.0.shape.kind=dimer")["grains"][0]["shape"] == {"kind": "dimer"}
    packing = tomllib.loads((resources.files("barchan.scenes") / "jam_2d.toml").read_text(encoding="utf-8"))
    assert "minimiser" not in packing["relax"]
    assert override(packing, "relax.minimiser.kind=fire")["relax"]["minimiser"] == {"kind": "fire"}
    kept = override(packing, "relax.minimiser.products=7")["relax"]["minimiser"]
    assert kept["kind"] == "newton" and kept["products"] == 7
