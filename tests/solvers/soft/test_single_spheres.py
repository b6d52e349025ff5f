"""Single spheres have kernels of their own: they must do what clumps of one sphere do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.kernels import threads
from barchan.model.build import build
from barchan.solvers.soft.solver import SoftSolver
from solvers import lab
from solvers.inside import by_id, peek

STEP, STEPS = 2e-5, 1500


@pytest.mark.parametrize("rolling", [0.0, pytest.param(2e-3, marks=pytest.mark.validate)])
def test_single_spheres_do_as_clumps_of_one_sphere(rolling: float) -> None:
    """Three spheres of different sizes meet off centre, with spin and friction. Levers differ from sphere to sphere and
    with the overlap, so torques that were exchanged, or forgotten, would show. Kernels for clumps are written for
    levers of any direction; those for single spheres agree with them but for the order of a few products, and both keep
    momentum and angular momentum to round-off: ten units in the last place of what is exchanged, times the steps.
    """
    threads.use(1)
    groups = [
        lab.grain((0.0, 0.0, 0.0), size=0.1, velocity=(0.8, 0.05, 0.0), spin=(0.0, 3.0, 9.0)),
        lab.grain((0.125, 0.02, 0.01), size=0.14, velocity=(-0.5, 0.0, 0.1), spin=(5.0, 0.0, -4.0)),
        lab.grain((0.03, 0.11, 0.0), size=0.06, velocity=(0.1, -0.9, 0.0), spin=(0.0, 7.0, 0.0)),
    ]
    described: dict[str, Any] = {
        "name": "three", "duration": 1.0, "contact": "hertz", "gravity": (0.0, 0.0, 0.0),
        "materials": {"a": lab.material(rolling_friction=rolling, restitution=0.6)},
        "grains": [{"name": f"group {k}", **group} for k, group in enumerate(groups)],
    }  # fmt: skip
    model, made = build(lab.Scene.model_validate(described))
    one, clumps = SoftSolver(model, made, STEP), lab.solver(lab.dressed(**described), STEP)
    assert clumps.clumped and not one.clumped and bool(one.kernels.LEVERS) == (rolling == 0.0)
    before = lab.momentum(one), lab.angular_momentum(one)
    exchanged = 0.0
    for _ in range(STEPS):
        one.advance(1)
        clumps.advance(1)
        exchanged += float(np.abs(peek(one, "torque")).sum()) * STEP
    assert exchanged > 1e-4  # they did turn each other
    for now, then, size in zip((lab.momentum(one), lab.angular_momentum(one)), before, (1.0, 0.1), strict=True):
        assert np.abs(now - then).max() < 10 * STEPS * 2.2e-16 * size
    for name in ("position", "velocity", "angular"):
        a, b = (by_id(machine, name)[:3] for machine in (one, clumps))
        assert np.allclose(a, b, rtol=1e-9, atol=1e-12 * np.abs(b).max())


@pytest.mark.parametrize("clumped", [pytest.param(False, marks=pytest.mark.validate), True])
def test_each_material_has_its_own_friction_at_each_wall(clumped: bool) -> None:
    """Two spheres of two materials fly along a floor and a ceiling of two more and slide while they touch:
    the impulse along the wall is μ times that across it, so Δv along is μ Δv across, with the μ of that pair. The
    spring of friction is at its limit after a thousandth of the contact, so 1% is allowed.
    """
    threads.use(1)
    named = {"a": 0.05, "b": 0.1, "c": 0.15, "d": 0.2}  # the friction of each pair is told, and none of these
    frictions = {("a", "c"): 0.12, ("a", "d"): 0.24, ("b", "c"): 0.36, ("b", "d"): 0.48}
    grains = [
        lab.grain((0.0, 2.0 * k, z), material=one, velocity=(60.0, 0.0, v))
        for k, (one, z, v) in enumerate((("a", 0.051, -1.0), ("a", 0.949, 1.0), ("b", 0.051, -1.0), ("b", 0.949, 1.0)))
    ]
    walls = [
        {"name": "floor", "shape": "plane", "material": "c"},
        {"name": "lid", "shape": "plane", "material": "d", "point": (0.0, 0.0, 1.0), "normal": (0.0, 0.0, -1.0)},
    ]
    scene = lab.dressed(
        name="four", duration=1.0, gravity=(0.0, 0.0, 0.0), walls=walls,
        materials={name: lab.material(friction=friction) for name, friction in named.items()},
        pairs=[{"between": pair, "friction": friction} for pair, friction in frictions.items()],
        grains=[{"name": f"group {k}", **grain} for k, grain in enumerate(grains)],
    )  # fmt: skip
    machine = lab.solver(scene, STEP) if clumped else SoftSolver(*build(scene), STEP)
    assert machine.clumped == clumped
    machine.advance(1000)
    seen = machine.frame()
    across = np.abs(seen.velocity[:, 2]) + 1.0
    assert np.all(across > 1.3)
    assert (60.0 - seen.velocity[:, 0]) / across == pytest.approx(list(frictions.values()), rel=0.01)
