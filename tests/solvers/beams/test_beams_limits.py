"""Scenes that flat grains cannot do, or not well: told before the run, or when it is seen, and never in silence."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from barchan.errors import RunError, SceneError
from barchan.model.build import build
from barchan.model.triangles import areas
from barchan.scene.beams_frame import Corners
from barchan.solvers.beams import checks, ledger, strip_geometry, walls
from solvers import beams_lab as lab
from solvers.inside import every, peek

EARTH = (0.0, 0.0, -9.81)
FLOOR = {"name": "floor", "shape": "plane", "material": "a", "point": (0.0, 0.0, -0.01)}


def told(scene: Any) -> list[str]:
    return [str(one) for one in checks.check(*build(scene))]


def boulder(**beams: float) -> Any:
    """A square of 1 m, 1 m deep, that falls by half a metre."""
    floor = {**FLOOR, "point": (0.0, 0.0, -1.0)}
    return lab.scene([lab.grain(0.0, 0.0, size=1.0)], beams={"thickness": 1.0, **beams}, walls=[floor], gravity=EARTH,
                     materials={"a": {"density": 1000.0, "young": 1e8}})  # fmt: skip


def test_beams_that_cannot_bear_their_grain_are_told_before_and_what_would_do_is_enough() -> None:
    """The paper's beams of 100 N/m, at a stone of 1 t. With what the warning says there is none, and the weight of the
    stone, 9.81 kN, on one beam of √2/3 m presses it by less than a third of that.
    """
    (warning,) = [one for one in told(boulder()) if one.startswith("beams:")]
    found = re.search(r"stiffness = ([\d.e+-]+) and inertia = ([\d.e+-]+),", warning)
    assert found is not None
    stiffness, inertia = float(found[1]), float(found[2])
    assert not [one for one in told(boulder(stiffness=stiffness, inertia=inertia)) if one.startswith("beams:")]
    size = np.sqrt(2) / 3
    assert 9810.0 / stiffness < 0.3 * size
    assert 9810.0 / (12 * stiffness * inertia / size**3) < 0.3 * size


@pytest.mark.parametrize("fields", [{"size": 2e-3}, {"size": 1e-3, "shape": "hexagon"}])
def test_the_papers_beams_bear_the_papers_grains(fields: dict[str, Any]) -> None:
    scene = lab.scene([lab.grain(0.0, 0.0, **fields)], walls=[FLOOR], gravity=EARTH)
    assert not [one for one in told(scene) if one.startswith("beams:")]


def test_a_grain_that_is_turned_inside_out_stops_the_run() -> None:
    """The stone of 1 t on beams of 100 N/m falls on a floor: its triangles pass through each other."""
    machine = lab.solver(boulder())

    def fall() -> None:
        for _ in range(100):
            machine.advance(round(0.01 / machine.dt))
            machine.watch()

    with pytest.raises(RunError, match=r"beams are too weak"):
        fall()


@pytest.mark.parametrize(("way", "said"), [("turned", "turned by 100° against"), ("drawn", "2 times as long")])
def test_what_triangles_of_a_grain_may_not_do_to_each_other(way: str, said: str) -> None:
    """Two triangles and a beam of which one is turned by 100°, or drawn away by the beam's length; by half of it they
    may be, and a broken beam holds nothing.
    """
    half = [(0.0, 0.0), (2e-3, 0.0), (2e-3, 2e-3), (0.0, 2e-3)]
    for share in (0.4, 1.0):
        machine = lab.solver(lab.scene([lab.polygon(0.0, 0.0, *half)]))
        a = every(machine)
        if way == "turned":
            a["state"][1, 2, 0] += share * np.radians(100)
        else:
            apart = a["state"][1, :2, 0] - a["state"][0, :2, 0]
            a["state"][1, :2, 0] += share * a["made"][0] * apart / np.linalg.norm(apart)
        if share == 1.0:
            with pytest.raises(RunError, match=said):
                machine.watch()
            a["broken"][0] = 1
        book = ledger.energies(machine, ledger.present(machine))
        machine.energy_at_start = book["energy_total"]  # it was changed by hand
        machine.watch()


def test_a_beam_that_is_pressed_together_for_good_stops_the_run() -> None:
    """Two triangles of mass m, that yield at F = 1 mN, come together with v each: all of m v² is spent after
    m v²/F, which is half of the beam's length for the slow ones, who rest there, and twice of it for the fast ones.
    """
    half = [(0.0, 0.0), (2e-3, 0.0), (2e-3, 2e-3), (0.0, 2e-3)]
    for factor in (1.0, 2.0):
        beams = {"yielding": {"force": 1e-3}, "damping": 0.0}
        machine = lab.solver(lab.scene([lab.polygon(0.0, 0.0, *half)], beams=beams))
        a = every(machine)
        apart = a["state"][1, :2, 0] - a["state"][0, :2, 0]
        speed = factor * np.sqrt(1e-3 * 0.5 * a["made"][0] / a["mass"][0])
        for row, sign in ((0, 1.0), (1, -1.0)):
            a["state"][row, :2, 1] = sign * speed * apart / np.linalg.norm(apart)
        lab.restart(machine)
        book = ledger.energies(machine, ledger.present(machine))
        machine.energy_at_start = book["energy_total"]  # it was changed by hand

        def press(machine: Any = machine, speed: float = float(speed)) -> None:
            for _ in range(60):
                machine.advance(round(peek(machine, "made")[0] / speed / machine.dt / 20))
                machine.watch()

        if factor == 1.0:
            press()
            assert a["length"][0] / a["made"][0] == pytest.approx(0.5, abs=0.02)
            continue
        with pytest.raises(RunError, match=r"pressed to less than 25% of its length.* limits of beams.yielding"):
            press()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"materials": {"a": {"density": 1000.0, "restitution": 0.5}}}, r"materials\.a\.restitution: 0\.5"),
        ({"materials": {"a": {"density": 1000.0, "rolling_friction": 1e-3}}}, r"materials\.a: has rolling resistance"),
        ({"materials": {"a": {"density": 1000.0, "tangential_restitution": 0.0}}}, r"tangential_restitution: 0"),
        ({"pairs": [{"between": ["a", "a"], "restitution": 0.5}]}, r"pairs\[0\]\.restitution: 0\.5"),
        ({"walls": [{"name": "pipe", "shape": "cylinder", "radius": 0.1, "material": "a"}]}, r"walls\[0\]: a cylinder"),
        ({"walls": [{"name": "hoop", "shape": "ring", "radius": 0.1, "material": "a"}]}, "the shape 'ring'"),
    ],
)  # fmt: skip
def test_what_would_do_nothing_or_never_end_is_refused(change: dict[str, Any], where: str) -> None:
    """What flat grains do not know they must not take in silence; and an upright pipe without end is no strip."""
    with pytest.raises(SceneError, match=where):
        told(lab.scene([lab.grain(0.0, 0.0)], **change))


def test_the_same_two_grains_are_told_once() -> None:
    """Squares of 2 mm, 0.4 mm apart: all their triangles overlap, which is one thing to mend."""
    with pytest.raises(SceneError) as caught:
        told(lab.scene([lab.grain(0.0, 0.0), lab.grain(4e-4, 0.0)]))
    assert len(caught.value.findings) == 1


def test_a_pair_of_materials_may_have_a_stiffness_of_its_own() -> None:
    """A right-angled corner d deep in a side is pushed with Y d², where Y is the `young_effective` of the pair; and the
    step is that of the stiffest pair.
    """
    depth, young = 1e-4, 5e6
    corner = lab.polygon(0.0, 1e-3 / 3 - depth + 5e-4, (-1e-3, 1e-3), (0.0, 0.0), (1e-3, 1e-3))
    block = lab.polygon(0.0, 0.0, (-5e-3, 0.0), (0.0, -1e-3), (5e-3, 0.0))
    pairs = [{"between": ["a", "a"], "young_effective": young}]
    machine = lab.solver(lab.scene([corner, block], pairs=pairs))
    top, low = (machine.frame().table(Corners).triangle_corners.reshape(2, 3, 2)[k, :, 1] for k in (0, 1))
    deep = low.max() - top.min()
    np.testing.assert_allclose(lab.forces(machine)[0, :2], (0.0, young * deep**2), rtol=1e-9, atol=1e-12)
    stiff = [{"between": ["a", "a"], "young_effective": 1e10}]
    steps = [lab.solver(lab.scene([lab.grain(0.0, 0.0)], pairs=one)).dt for one in ([], stiff)]
    assert steps[1] < 0.5 * steps[0]


def test_an_arc_is_a_strip_along_the_circle() -> None:
    """140° of a circle of 20 mm, 1 mm wide: R φ t, and t² for the square ends; no corner leaves the ring but those."""
    wall = {"name": "bowl", "shape": "arc", "radius": 0.02, "start": "200 deg", "end": "340 deg", "material": "a"}
    scene = lab.scene([lab.grain(0.0, -1e-2)], walls=[wall])
    corners, _ = strip_geometry.strip(walls._lines(scene.walls[0]), 1e-3, 2e-3)
    assert areas(corners).sum() == pytest.approx(1e-3 * (0.02 * np.radians(140) + 1e-3), rel=1e-3)
    radius = np.linalg.norm(corners.reshape(-1, 2), axis=1)
    assert 0.0195 - 1e-5 < radius.min() and radius.max() < 0.0205 + 3e-5


def _falls(speed: float, **options: Any) -> Any:
    """A square of 2 mm that falls on to a line."""
    line = {"name": "sill", "shape": "line", "start": (-1e-2, 0, -5e-3), "end": (1e-2, 0, -5e-3), "material": "a"}
    grain = {**lab.grain(0.0, 0.0, size=2e-3), "velocity": (0.0, 0.0, -speed)}
    return lab.scene([grain], walls=[{**line, **options.pop("line", {})}], **options)


def test_a_strip_that_grains_may_pass_through_is_told() -> None:
    """A corner of a square of mass m goes as deep as Y δ³/3 = m v²/4 in a strip, which must be thicker than that. What
    the message proposes is. Nothing is told of a wall as thick as it is by default.
    """
    (thin,) = [one for one in told(_falls(1.5, beams={"wall_thickness": 2e-5})) if "wall_thickness" in one]
    depth, advised = (float(found) for found in re.findall(r"([\d.e+-]+) mm", thin)[1:])
    mass = 1000.0 * 4e-6 * 0.01
    assert depth == pytest.approx(1e3 * (0.75 * mass * 1.5**2 / 2e6) ** (1 / 3), rel=0.05) and advised >= 2 * depth
    assert "'sill'" in thin
    for beams in ({"wall_thickness": 1e-3 * advised}, {}):
        assert not [one for one in told(_falls(1.5, beams=beams)) if "wall_thickness" in one]


@pytest.mark.parametrize(
    ("beams", "where"),
    [
        ({"breakage": {"stretch": 5.0}}, "beams.breakage.stretch: 5"),
        ({"breakage": {"force": 0.02}, "yielding": {"force": 0.01}}, "beams.breakage.force: 0.02 N"),
        ({"breakage": {"moment": 1e-3}, "yielding": {"moment": 1e-3}}, "beams.breakage.moment: 0.001 N m"),
    ],
)
def test_limits_that_nothing_can_reach_are_told(beams: dict[str, Any], where: str) -> None:
    (one,) = told(_falls(0.1, beams=beams))
    assert one.startswith(where)
    sound = {"breakage": {"stretch": 0.5, "force": 0.01}, "yielding": {"force": 0.02}}
    assert told(_falls(0.1, beams=sound)) == []


def test_grains_without_beams_have_nothing_that_breaks() -> None:
    single = lab.polygon(0.0, 0.0, (0.0, 0.0), (2e-3, 0.0), (0.0, 2e-3))
    assert told(lab.scene([single], beams={"breakage": {"force": 1.0}}))[0].startswith("beams.breakage: is there")


@pytest.mark.parametrize("frequency", [40.0, 41.0, 44.0])
def test_a_wall_that_swings_out_of_the_plane_is_refused_at_any_rate(frequency: float) -> None:
    """Whichever moments are looked at: none may be in step with the swing."""
    motion = {"kind": "oscillate", "direction": (0, 1, 0), "amplitude": 1e-3, "frequency": frequency}
    with pytest.raises(SceneError, match="leaves the x–z plane"):
        told(_falls(0.1, line={"motion": motion}, duration=1.0))


def test_a_line_beside_the_plane_is_refused() -> None:
    with pytest.raises(SceneError, match="'line' does not cut the plane y = 0"):
        told(_falls(0.1, line={"start": (-1e-2, 0.2, 0), "end": (1e-2, 0.3, 0)}))


@pytest.mark.parametrize("contact", ["paper", "exact"])
def test_materials_that_no_grain_meets_do_not_shorten_the_step(contact: str) -> None:
    """A scene may name more materials than it uses. And of several that are used, the stiffest contact of any two sets
    the step, as deep as an impact goes in that one: 2e9 Pa beside 2e6 Pa needs no shorter one than 2e9 Pa alone.
    """
    hard, soft = {"density": 1000.0, "young": 2e9}, {"density": 1000.0, "young": 2e6}

    def step(wall: str, **materials: Any) -> float:
        scene = _falls(1.0, beams={"contact": contact}, line={"material": wall}, materials=materials)
        return checks.choose(*build(scene)).value

    assert step("a", a=soft, spare=hard) == step("a", a=soft)
    assert step("a", a=hard, spare={"density": 1.0, "young": 1.0}) == step("a", a=hard)
    assert step("b", a=hard, b=soft) == pytest.approx(step("a", a=hard), rel=0.01)
