"""The time step that is chosen: collisions and damping are resolved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.kernels import threads
from barchan.model import encounters, timestep
from barchan.model.build import build
from barchan.scene.scene import Scene
from barchan.solvers import soft_ledger
from barchan.solvers.common import turned_over
from barchan.solvers.soft import SoftSolver
from solvers import lab

SIZE = 0.1  # m


def _heap(law: str, restitution: float) -> Scene:
    """Sixteen balls that fall into a narrow box, four beside each other."""
    rng = np.random.default_rng(5)
    x, y, z = np.meshgrid(np.arange(2), np.arange(2), np.arange(4), indexing="ij")
    places = (0.07 + 0.12 * np.stack([x, y, z], axis=-1).reshape(-1, 3)) + rng.uniform(-0.005, 0.005, (16, 3))
    box = {"name": "box", "shape": "box", "low": (0, 0, 0), "high": (0.26, 0.26, 9), "open": ["+z"], "material": "a"}
    a = lab.material(restitution=restitution)
    return lab.scene(law, [lab.grains(places)], [box], a=a, gravity=(0, 0, -lab.GRAVITY))


@pytest.mark.parametrize(("law", "restitution"), [("linear", 0.01), ("hertz", 0.01), ("stick-slip", 0.1)])
def test_strong_damping_does_not_feed_a_packing(law: str, restitution: float) -> None:
    """Balls fall into a box and come to rest, with the step that is chosen. All that their weight has done is kinetic,
    potential or stored energy or was dissipated, so the ledger balances; to 1%, as steps that resolve each motion to a
    few percent leave it. Damping of a restitution of 0.01 is 4.8 times critical: steps of 1/30 of an undamped collision
    throw back what they should slow down, and the books of such a heap were out by half of all energy.
    """
    threads.use(1)
    model, grains = build(_heap(law, restitution))
    solver = SoftSolver(model, grains, timestep.choose(model, grains).value)
    solver.advance_to(0.6)
    book = soft_ledger.energies(solver, soft_ledger.stored(solver))
    assert abs(book["energy_error"]) < 0.01 * turned_over(solver, book)
    assert book["dissipated_normal"] > 0 and np.median(np.abs(solver.snapshot().velocity)) < 0.05


def _balls(law: dict[str, Any], count: int = 1, **options: Any) -> Scene:
    """So many balls on a floor, beside each other."""
    balls = [lab.grain((0.2 * k, 0, 0.051)) for k in range(count)]
    return lab.scene(law, balls, [{**lab.FLOOR, "material": "a"}], gravity=(0, 0, -lab.GRAVITY), **options)


@pytest.mark.parametrize(("count", "contacts"), [(1, 1), (2, 4)])
@pytest.mark.parametrize(("rotation", "lighter"), [(True, 3.5), (False, 1.0)])
def test_slip_of_a_ball_is_stopped_faster_than_its_mass_says(
    rotation: bool, lighter: float, count: int, contacts: int
) -> None:
    """Drag kt at the contact slows a ball down and spins it up: the slip u = v + ω r changes by −kt u (1/m + r²/I), and
    with I = 2/5 m r² that is 7/2 kt/m; kt/m where it cannot turn. Between two balls m is half as much, and two such
    contacts are reckoned with; one ball alone meets the floor only. A drag so strong governs the damping, and the step
    is 0.8 of that time.
    """
    drag, mass = 1e5, lab.ball_mass(SIZE / 2)
    law, smooth = {"law": "viscous", "drag": drag}, lab.material(restitution=1.0)
    model, grains = build(_balls(law, count, rotation=rotation, a=smooth))
    expected = mass / (contacts * lighter * drag)
    assert encounters.damping_time(model, grains, 1.0) == pytest.approx(expected, rel=1e-6)
    chosen = timestep.choose(model, grains)
    assert chosen.value == pytest.approx(0.8 * expected, rel=0.01)
    assert "damping stops a motion" in chosen.text


@pytest.mark.parametrize("stick_speed", [1e-3, 1e-7])
def test_friction_that_does_not_grow_with_slip_is_no_damping(stick_speed: float) -> None:
    """While a ball sticks, a dashpot γ = 2 √(m k) slows it at the rate 2 √(k/m) (it cannot turn). While it slips,
    friction is μ Fn at any speed, and turns round nothing that steps would have to resolve: from whichever speed on it
    slips, the rate is the dashpot's.
    """
    mass, stiffness = lab.ball_mass(SIZE / 2), 1e5
    dashpot = 2 * (mass * stiffness) ** 0.5
    law = {
        "law": "stick-slip", "stiffness": stiffness, "damping": 0.0, "tangential_damping": dashpot,
        "stick_speed": stick_speed,
    }  # fmt: skip
    model, grains = build(_balls(law, rotation=False))
    expected = 0.5 * (mass / stiffness) ** 0.5
    assert encounters.damping_time(model, grains, 1.0) == pytest.approx(expected, rel=1e-6)


def test_a_stated_step_that_damping_cannot_bear_is_refused() -> None:
    """Explicit steps h turn a motion that is damped at a rate λ round where λ h > 1. The message tells the longest."""
    law = {"law": "viscous", "drag": 1e5}
    model, grains = build(_balls(law))
    damped = encounters.damping_time(model, grains, timestep.impact_speed(model, grains))
    assert timestep.choose(*build(_balls(law, time_step=0.9 * damped))).value <= 0.9 * damped
    with pytest.raises(SceneError, match=r"time_step.*damping stops a motion within.* Leave time_step out, or take at"):
        timestep.choose(*build(_balls(law, time_step=1.1 * damped)))


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
