"""Scenes as a whole: reading, parts by name, problems told all at once, in the user's own words."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from barchan import registry
from barchan.errors import SceneError
from barchan.parts.fills.points import PointsFill
from barchan.parts.laws import Law
from barchan.scene import GrainGroup, Material, Scene, Wall
from barchan.scene.toml import build
from barchan.schema.quantities import Coefficient

POLE = {"name": "a", "shape": "test-pole", "radius": 1, "material": "sand"}


def told(fields: dict[str, Any]) -> list[str]:
    """The messages of a scene that must not be accepted."""
    with pytest.raises(SceneError) as caught:
        build(fields)
    return str(caught.value).splitlines()


def test_a_sound_scene(fields):
    scene = build(fields)
    assert scene.duration == 2.0 and scene.frame_rate == 24.0 and scene.gravity == (0.0, 0.0, -9.81)
    assert scene.contact.softness == 0.5
    assert scene.wall_contact == scene.contact
    assert scene.walls[1].shape.radius == 0.2
    assert scene.grains[0].size.bounds() == (0.005, 0.005)


def test_the_same_in_python(fields):
    parts = {name: registry.parts(name) for name in registry.FAMILIES}
    pole = parts["shapes"]["test-pole"]
    scene = Scene(
        name="test",
        duration=2,
        integrator=parts["integrators"]["test-leap"](),
        contact=parts["laws"]["test-rubber"](softness=0.5),
        materials={"sand": Material(density=2500), "steel": Material(density=7800, young="200 GPa")},
        grains=[GrainGroup(**fields["grains"][0])],
        walls=[
            Wall(name="mast", shape=pole(radius=0.1), material="steel"),
            Wall(name="stake", shape=pole(radius="20 cm"), material="steel"),
        ],
    )
    assert scene == build(fields)
    with pytest.raises(ValueError, match="frozen"):
        scene.duration = 3.0


def test_a_part_registered_by_a_script_is_accepted_by_name(fields):
    @registry.register
    class Magnet(Law):
        """Pulls."""

        key: ClassVar[str] = "test-magnet"
        pull: Coefficient

    fields["wall_contact"] = {"law": "test-magnet", "pull": 3}
    assert build(fields).wall_contact == Magnet(pull=3)
    fields["wall_contact"] = Magnet(pull=4)
    assert build(fields).wall_contact.pull == 4.0


def test_a_part_that_nobody_registered_is_refused(fields):
    class Stranger(Law):
        """Unknown."""

        key: ClassVar[str] = "test-stranger"

    fields["contact"] = Stranger()
    assert told(fields)[0].startswith("contact: Stranger is not among the laws; known: ")


def test_a_name_alone_will_do_where_the_defaults_will(fields):
    fields |= {"contact": "test-glue", "integrator": "test-leap", "observables": ["test-count"]}
    scene = build(fields)
    assert scene.contact.tack == 2.0
    assert [observable.key for observable in scene.observables] == ["test-count"]


def test_one_motion_or_several(fields):
    fields["walls"][0]["motion"] = {"kind": "test-nod", "spin": "30 rpm"}
    fields["walls"][1]["motion"] = [{"kind": "test-nod", "spin": 1}, {"kind": "test-nod", "spin": 2}]
    walls = build(fields).walls
    assert [len(wall.motion) for wall in walls] == [1, 2]
    assert [motion.spin for motion in walls[1].motion] == [1.0, 2.0]


def test_unknown_fields_name_the_nearest(fields):
    fields["duraton"] = 3
    fields["grains"][0]["velocty"] = [0, 0, 0]
    fields["walls"][1]["raduis"] = 0.3
    fields["contact"]["sofness"] = 1
    lines = told(fields)
    assert len(lines) == 4
    assert "duraton: unknown field; known: name, description, solver, duration" in lines[0]
    assert lines[0].endswith("Did you mean 'duration'?")
    assert lines[1] == "contact.sofness: unknown field; known: softness. Did you mean 'softness'?"
    assert lines[2].startswith("grains[0].velocty: unknown field; known: name, material, shape, size")
    assert lines[2].endswith("Did you mean 'velocity'?")
    assert lines[3] == (
        "walls[1].raduis: unknown field; known: name, shape, material, motion, appears, vanishes, present, absorbing, "
        "sticky, color, radius, foot. Did you mean 'radius'?"
    )


def test_everything_wrong_is_told_at_once(fields):
    fields["duration"] = -1
    fields["materials"]["sand"]["density"] = "2500 kg"
    fields["walls"][0]["radius"] = -0.1
    fields["walls"][1] |= {"name": "mast", "material": "stel"}
    fields["grains"][0] |= {"material": "sandd", "fill": {"kind": "randm"}}
    fields["pairs"] = [{"between": ["sand", "iron"]}]
    fields["periodic"] = [True, False, False]
    assert told(fields) == [
        "duration: -1 s; must be > 0.",
        "materials.sand.density: '2500 kg'; has the dimension [mass]; must be a quantity in kg/m^3.",
        "grains[0].fill.kind: 'randm' is not among the fills; "
        "known: file, hexagonal, lattice, points, pyramid, random. Did you mean 'random'?",
        "walls[0].radius: -0.1 m; must be > 0.",
        "grains[0].material: 'sandd' is not among the materials; known: sand, steel. Did you mean 'sand'?",
        "walls[1].material: 'stel' is not among the materials; known: sand, steel. Did you mean 'steel'?",
        "pairs[0].between[1]: 'iron' is not among the materials; known: sand, steel.",
        "walls[1].name: 'mast' is also the name of walls[0]; names must differ.",
        "periodic: periodic along x without a box; give box.low and box.high.",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"solver": "sotf"},
            "solver: 'sotf' is not among the solvers; known: soft, hard, beams, relax. Did you mean 'soft'?",
        ),
        ({"dimensions": 4}, "dimensions: 4; must be 2 or 3."),
        ({"seed": -1}, "seed: -1; must be ≥ 0."),
        ({"rotation": "maybe"}, "rotation: 'maybe'; must be a valid boolean, unable to interpret input."),
        ({"gravity": [0, 0]}, "gravity[2]: missing; this field must be given."),
        ({"gravity": [0, 0, "1 m"]}, "gravity[2]: '1 m'; has the dimension [length]; must be a quantity in m/s^2."),
        ({"materials": {}}, "materials: a table; must have at least 1 item, not 0."),
        ({"grains": []}, "grains: []; must have at least 1 item where there are no sources."),
        (
            {"box": {"low": [0, 0, 0], "high": [1, 1, 0]}},
            "box: the box is empty along z (low 0 m, high 0 m); low must be < high.",
        ),
        (
            {"box": {"low": [0, 0, 0], "high": [1, 0, 1]}},
            "box.high[1]: the box is empty along y; low must be < high, but in two dimensions.",
        ),
        (
            {"dimensions": 2, "gravity": [0, -9, 0]},
            "gravity[1]: gravity along y in two dimensions; must be 0: grains move in the x–z plane.",
        ),
        ({"dimensions": 2, "gravity": [0, "1e-1 m/s^2", 0]}, "gravity[1]: gravity along y in two dimensions"),
        ({"time_step": 3}, "time_step: 3 s is longer than the duration of 2 s; must be far shorter."),
        ({"contact": {"softness": 1}}, "contact.law: missing; must be one of "),
        ({"contact": {"law": "test-ruber"}}, "contact.law: 'test-ruber' is not among the laws; known: "),
        ({"contact": 3}, "contact: 3; must be a table with law = one of "),
        (
            {"walls": [{"name": "a", "radius": 1, "material": "sand"}]},
            "walls[0].shape: missing; this field must be given.",
        ),
        (
            {"walls": [POLE | {"appears": 2, "vanishes": 1}]},
            "walls[0]: vanishes at 1 s, appears at 2 s; it must vanish after it appears.",
        ),
        (
            {"walls": [POLE | {"color": "steelblu"}]},
            "walls[0].color: 'steelblu' is no colour; give a name, or #rrggbb. Did you mean 'steelblue'?",
        ),
        ({"walls": [POLE | {"color": "#12345"}]}, "walls[0].color: '#12345' is no colour; give a name, or #rrggbb."),
        ({"walls": [POLE | {"color": "none"}]}, "walls[0].color: 'none' is no colour; give a name, or #rrggbb."),
        (
            {"pairs": [{"between": ["sand", "steel"]}, {"between": ["steel", "sand"]}]},
            "pairs[1].between: sand and steel are already in pairs[0]; must be there once.",
        ),
        ({"stiction": {"duration": 0}}, "stiction.duration: 0 s; must be > 0."),
    ],
)
def test_one_thing_wrong_gives_one_message(fields, change, message):
    lines = told(fields | change)
    assert len(lines) == 1
    assert lines[0].startswith(message)


@pytest.mark.parametrize("color", ["red", "SteelBlue", "#12aB34"])
def test_a_wall_may_have_a_color(fields, color):
    """It stays as it was written."""
    assert build(fields | {"walls": [POLE | {"color": color}]}).walls[0].color == color


def test_a_thousand_problems_are_cut_short(fields):
    fields["grains"][0]["fill"] = {"kind": "points", "positions": [["here", 0, 0]] * 1000}
    lines = told(fields)
    assert len(lines) == 31
    assert lines[-1] == "and 970 more problems."


def test_two_dimensions_need_no_depth(fields):
    fields |= {"dimensions": 2, "box": {"low": [0, 0, 0], "high": [1, 0, 1]}, "periodic": [True, False, False]}
    assert build(fields).box.high == (1.0, 0.0, 1.0)


def test_what_leaves_the_plane_is_refused_in_two_dimensions(fields):
    """However it is written; and a zero with a unit is a zero."""
    grains = fields["grains"][0] | {"velocity": [1, "2 cm/s", 0], "spin": ["1 rad/s", 3, 0]}
    assert told(fields | {"dimensions": 2, "grains": [grains]}) == [
        "grains[0].velocity[1]: velocity along y in two dimensions; must be 0: grains move in the x–z plane.",
        "grains[0].spin[0]: spin about x or z in two dimensions; must be 0: grains move in the x–z plane.",
    ]
    still = fields["grains"][0] | {"velocity": [1, "0 cm/s", 0], "spin": ["0.0 rad/s", 3, "-0 rad/s"]}
    scene = build(fields | {"dimensions": 2, "grains": [still], "gravity": [0, "0 m/s^2", "-9.81 m/s^2"]})
    assert scene.gravity == (0.0, 0.0, -9.81)
    assert build(fields | {"grains": [grains]}).grains[0].velocity[1] == 0.02


def test_a_copy_may_differ(fields):
    scene = build(fields)
    other = scene.model_copy(update={"seed": 7})
    assert other.seed == 7 and other != scene
    assert other.grains[0] is scene.grains[0]


def test_model_dump_keeps_the_parts(fields):
    dumped = build(fields).model_dump()
    assert dumped["contact"] == {"law": "test-rubber", "softness": 0.5}
    assert Scene.model_validate(dumped) == build(fields)


def test_default_parts():
    scene = Scene(
        name="plain",
        duration=1,
        materials={"sand": Material(density=2500)},
        grains=[GrainGroup(name="one", material="sand", size=0.01, fill=PointsFill(positions=[[0, 0, 0]]))],
    )
    assert scene.contact.key == scene.wall_contact.key == "hertz"
    assert scene.integrator.key == "verlet"
