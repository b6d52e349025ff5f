"""The time step that is chosen: collisions and damping are resolved."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.kernels import threads
from barchan.model import encounters, timestep
from barchan.model.build import build
from barchan.scene import library, load
from barchan.scene.scene import Scene
from barchan.solvers.soft import ledger
from solvers import lab

SIZE = 0.1  # m


HALF = 0.02  # m, between the spheres of a cube, halved
CUBE = [
    {"position": (a * HALF, b * HALF, c * HALF), "radius": 0.025} for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)
]
BOX = {"name": "box", "shape": "box", "low": (0, 0, 0), "high": (0.26, 0.26, 9), "open": ["+z"], "material": "a"}
VEE = [{"name": f"side {k}", "shape": "plane", "normal": (k, 0, 0.3), "material": "a"} for k in (-1, 1)]


def _fallen(kind: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Grains and walls: a ball that falls aslant, one between two slopes, a heap of sixteen, four beside each other."""
    never = {"appears": lab.NEVER}  # one set of shapes for all: kernels are compiled once for a law
    if kind == "ball":
        return [lab.grain((0, 0, 0.35), velocity=(1.0, 0, 0))], [{**lab.FLOOR, "material": "a"}, {**BOX, **never}]
    if kind == "groove":
        return [lab.grain((0.01, 0, 0.35))], [*VEE, {**BOX, **never}]
    rng = np.random.default_rng(5)
    x, y, z = np.meshgrid(np.arange(2), np.arange(2), np.arange(4), indexing="ij")
    places = (0.07 + 0.12 * np.stack([x, y, z], axis=-1).reshape(-1, 3)) + rng.uniform(-0.005, 0.005, (16, 3))
    return [lab.grains(places, **({"shape": CUBE} if kind == "cubes" else {}))], [BOX]


@pytest.mark.parametrize("kind", ["ball", "groove", "balls", "cubes"])
@pytest.mark.parametrize(
    ("law", "restitution"),
    [
        ("linear", 0.01),
        ("linear", 0.1),
        ("hertz", 0.01),
        pytest.param("stick-slip", 0.1, marks=pytest.mark.validate),
    ],
)
def test_strong_damping_does_not_feed_what_has_fallen(law: str, restitution: float, kind: str) -> None:
    """Grains fall and come to rest, with the step that is chosen. All that their weight has done is kinetic, potential
    or stored energy or was dissipated, so the ledger balances; to 6%, as steps leave it that resolve a motion to some
    percent. Damping of a restitution of 0.01 is 4.8 times critical: steps of 1/30 of an undamped collision throw back
    what they should slow down, and books were out by a tenth to all of the energy.
    """
    threads.use(1)
    groups, walls = _fallen(kind)
    a = lab.material(restitution=restitution)
    scene = lab.scene(law, groups, walls, a=a, gravity=(0, 0, -lab.GRAVITY))
    solver = lab.solver(scene, timestep.choose(*build(scene)).value)
    solver.advance_to(0.5)
    book = ledger.energies(solver, ledger.stored(solver))
    assert abs(book["energy_error"]) < 0.06 * solver.turned_over(book)
    assert book["dissipated_normal"] > 0


def _balls(law: dict[str, Any], count: int = 1, **options: Any) -> Scene:
    """So many balls on a floor, beside each other."""
    balls = [lab.grain((0.2 * k, 0, 0.051)) for k in range(count)]
    return lab.scene(law, balls, [{**lab.FLOOR, "material": "a"}], gravity=(0, 0, -lab.GRAVITY), **options)


@pytest.mark.parametrize(("count", "lighter_yet"), [(1, 1), (2, 2)])
@pytest.mark.parametrize(("rotation", "lighter"), [(True, 3.5), (False, 1.0)])
def test_slip_of_a_ball_is_stopped_faster_than_its_mass_says(
    rotation: bool, lighter: float, count: int, lighter_yet: int
) -> None:
    """Drag kt at the contact slows a ball down and spins it up: the slip u = v + ω r changes by −kt u (1/m + r²/I), and
    with I = 2/5 m r² that is 7/2 kt/m; kt/m where it cannot turn. Between two balls m is half as much; one ball alone
    meets the floor only. It counts 0.4 beside an approach. A drag so strong governs, and the step is 0.2 of the time.
    """
    drag, mass = 1e5, lab.ball_mass(SIZE / 2)
    law, smooth = {"law": "viscous", "drag": drag}, lab.material(restitution=1.0)
    model, grains = build(_balls(law, count, rotation=rotation, a=smooth))
    expected = mass / (0.4 * lighter_yet * lighter * drag)
    assert encounters.damping_time(model, grains, 1.0) == pytest.approx(expected, rel=1e-6)
    chosen = timestep.choose(model, grains)
    assert chosen.value == pytest.approx(0.2 * expected, rel=0.01)
    assert "damping stops a motion" in chosen.text


def test_all_that_slows_a_grain_counts_together() -> None:
    """Two dashpots c and a drag b on a grain slow it at (2 c + b)/m, and two springs k let it swing with √(2 k/m). With
    a step by the strongest of them alone, such a grain was blown up to 1e14 m/s.
    """
    mass, dashpot, drag, stiffness = lab.ball_mass(SIZE / 2), 3000.0, 1000.0, 50.0
    tether = {"group": "ball", "stiffness": stiffness, "damping": dashpot}
    scene = Scene(
        name="held", duration=1.0, drag=drag, materials={"a": lab.material()},
        grains=[{**lab.grain((0, 0, 1)), "name": "ball"}],
        tethers=[{**tether, "name": f"tether {k}"} for k in range(2)],
    )  # fmt: skip
    model, grains = build(scene)
    assert encounters.damping_time(model, grains, 1.0) == pytest.approx(mass / (2 * dashpot + drag))
    assert encounters.contact_time(model, grains, 1.0) == pytest.approx(np.pi * (mass / (2 * stiffness)) ** 0.5)


def test_a_grain_that_meets_nothing_may_have_any_step() -> None:
    """No wall, no other grain: there is no collision that a step could be too long for."""
    ball = {**lab.grain((0, 0, 1)), "name": "ball"}
    scene = Scene(name="free", duration=1.0, frame_rate=1000, materials={"a": lab.material()}, grains=[ball])
    chosen = timestep.choose(*build(scene))
    assert chosen.value == pytest.approx(1e-3 / 30) and "nothing meets" in chosen.text
    stated = scene.model_copy(update={"time_step": 5e-4})
    assert timestep.choose(*build(stated)).value == pytest.approx(5e-4)


@pytest.mark.parametrize("drift", [(0.0, 0.0, 0.0), (30.0, -20.0, 5.0)])
def test_the_step_goes_by_relative_speeds(drift: tuple[float, ...]) -> None:
    """In a periodic box without walls nothing tells how fast all grains move together: the step is the same in every
    frame, that of the fastest impact among them. Two balls that fly at each other at 0.4 m/s and one that passes at
    right angles meet at 0.8 m/s at most. A wall at rest is a frame: with it the speed itself counts.
    """
    flying = [(0.4, 0.0, 0.0), (-0.4, 0.0, 0.0), (0.0, 0.3, 0.0)]
    balls = [
        {"name": f"ball {k}", **lab.grain((0.2 + 0.3 * k, 0.5, 0.5), velocity=tuple(np.add(v, drift)))}
        for k, v in enumerate(flying)
    ]
    box = {"periodic": (True, True, True), "box": {"low": (0, 0, 0), "high": (1.2, 1.2, 1.2)}}
    scene = {"name": "gas", "duration": 1.0, "contact": "hertz", "gravity": (0, 0, 0), "frame_rate": 1.0}
    scene = {**scene, "materials": {"a": lab.material()}, "grains": balls, **box}
    model, grains = build(Scene.model_validate(scene))
    assert timestep.impact_speed(model, grains) == pytest.approx(0.8)
    mass, stiffness = lab.ball_mass(SIZE / 2) / 2, 16 / 15 * lab.young_effective() * 0.025**0.5
    collision = 2.9432 * (mass**2 / (stiffness**2 * 0.8)) ** 0.2
    assert timestep.choose(model, grains).value == pytest.approx(collision / 30, rel=1e-3)
    model, grains = build(Scene.model_validate({**scene, "walls": [lab.FLOOR]}))
    fastest = np.linalg.norm(np.add(flying, drift), axis=1).max()
    assert timestep.impact_speed(model, grains) == pytest.approx(max(0.8, fastest))


def test_a_lid_is_pressed_by_all_grains_below_it_at_once() -> None:
    """N balls of mass m under a lid of mass M, each with a spring k: they all move against it with ω² = k (1/m + N/M),
    quicker than any ball alone, and half a swing is as long as a collision. Its own dashpot c slows it at c/M.
    """
    mass, lid, stiffness, dashpot = lab.ball_mass(SIZE / 2), 2.0, 1e5, 5e4
    x, y = np.meshgrid(0.1 * np.arange(10), 0.1 * np.arange(10))
    places = np.stack([x.ravel(), y.ravel(), np.full(100, 0.05)], axis=1)
    motion = {"kind": "servo", "axis": (0, 0, -1), "force": 500.0, "mass": lid, "damping": dashpot}
    wall = {
        "name": "lid",
        "shape": "plane",
        "point": (0, 0, 0.2),
        "normal": (0, 0, -1),
        "material": "a",
        "motion": motion,
    }
    law = {"law": "stick-slip", "stiffness": stiffness, "damping": 0.0, "tangential_damping": 0.0}
    scene = Scene(
        name="lid", duration=1.0, contact=law, materials={"a": lab.material()}, walls=[wall],
        grains=[{**lab.grains(places), "name": "balls"}],
    )  # fmt: skip
    model, grains = build(scene)
    expected = np.pi / (stiffness * (1 / mass + 100 / lid)) ** 0.5
    assert encounters.contact_time(model, grains, 1.0) == pytest.approx(expected)
    assert encounters.damping_time(model, grains, 1.0) == pytest.approx(lid / dashpot)


@pytest.mark.parametrize("stick_speed", [1e-3, 1e-7])
def test_friction_that_does_not_grow_with_slip_is_no_damping(stick_speed: float) -> None:
    """While a ball sticks, a dashpot γ = 2 √(m k) slows it at the rate 2 √(k/m) (it cannot turn), which counts 0.4.
    While it slips, friction is μ Fn at any speed, and turns round nothing that steps would have to resolve: from
    whichever speed on it slips, the rate is the dashpot's.
    """
    mass, stiffness = lab.ball_mass(SIZE / 2), 1e5
    dashpot = 2 * (mass * stiffness) ** 0.5
    law = {
        "law": "stick-slip", "stiffness": stiffness, "damping": 0.0, "tangential_damping": dashpot,
        "stick_speed": stick_speed,
    }  # fmt: skip
    model, grains = build(_balls(law, rotation=False))
    expected = (mass / stiffness) ** 0.5 / 0.8
    assert encounters.damping_time(model, grains, 1.0) == pytest.approx(expected, rel=1e-6)


def test_a_stated_step_that_damping_cannot_bear_is_refused() -> None:
    """Explicit steps h turn a motion that is damped at a rate λ round where λ h > 1. The message tells the longest."""
    law = {"law": "viscous", "drag": 1e5}
    model, grains = build(_balls(law))
    damped = encounters.damping_time(model, grains, timestep.impact_speed(model, grains))
    assert timestep.choose(*build(_balls(law, time_step=0.9 * damped))).value <= 0.9 * damped
    with pytest.raises(SceneError, match=r"time_step.*damping stops a motion within.* Leave time_step out, or take at"):
        timestep.choose(*build(_balls(law, time_step=1.1 * damped)))


def test_the_depth_of_an_impact_goes_by_the_damping_that_counts() -> None:
    """A law with a damping of its own passes the restitution over: undamped, it goes as deep with any."""
    depths = []
    for restitution in (1.0, 0.05):
        law = {"law": "displacement", "damping": 0.0}
        model, grains = build(_balls(law, a=lab.material(restitution=restitution)))
        depths.append(max(one.depth(2.0) for one in encounters.encounters(model, grains)))
    assert depths[0] == pytest.approx(depths[1])


@pytest.mark.parametrize("restitution", [1.0, 0.3])
def test_the_depth_of_a_damped_impact(restitution: float) -> None:
    """A ball hits a floor with Hertz's law. Undamped, m v²/2 = 2/5 k ξ^(5/2) gives its depth. With damping ξ^(5/4) is a
    damped oscillator: where it turns round it has gone exp(−ζ acos ζ/√(1 − ζ²)) as far, which is √e, so that ξ is
    e^(2/5) times as deep. What warnings go by is within 5% of that.
    """
    scene = Scene.model_validate({
        "name": "impact", "duration": 1.0, "contact": "hertz",
        "materials": {"a": lab.material(restitution=restitution)},
        "grains": [{"name": "ball", **lab.grain((0, 0, 0.1))}], "walls": [lab.FLOOR],
    })  # fmt: skip
    model, grains = build(scene)
    speed, mass, stiffness = 2.0, lab.ball_mass(SIZE / 2), lab.hertz_stiffness(SIZE / 2)
    deepest = max(one.depth(speed) for one in encounters.encounters(model, grains))
    assert deepest == pytest.approx((1.25 * mass * speed**2 / stiffness) ** 0.4 * restitution**0.4, rel=0.05)


@pytest.mark.parametrize("name", library())
def test_no_library_scene_is_slowed_by_its_walls(name: str) -> None:
    """Impacts go a small part of a radius deep, in ten steps or more: far from the limit, so steps stay as they are. A
    factor of five is granted, so that a speed which counts too much by that, or a sphere too small, is found.
    """
    described = load(name)
    if described.solver != "soft":
        return
    model, made = build(described)
    chosen = timestep.choose(model, made)
    assert chosen.value < timestep.SPARED * timestep.wall_step(model, made.join(model.poured))[0] / 5
    free = dataclasses.replace(model, scene=described.model_copy(update={"wall_step_limit": math.inf}))
    assert timestep.choose(free, made) == chosen
