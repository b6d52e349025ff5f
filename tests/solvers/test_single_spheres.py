"""Single spheres have kernels of their own: they must do what clumps of one sphere do."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.kernels import threads
from barchan.model.build import build
from barchan.solvers.soft import SoftSolver
from solvers import lab

STEP, STEPS = 2e-5, 1500


@pytest.mark.parametrize("rolling", [0.0, 2e-3])
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
    scene = lab.Scene.model_validate({
        "name": "three", "duration": 1.0, "contact": "hertz", "gravity": (0.0, 0.0, 0.0),
        "materials": {"a": lab.material(rolling_friction=rolling, restitution=0.6)},
        "grains": [{"name": f"group {k}", **group} for k, group in enumerate(groups)],
    })  # fmt: skip
    model, made = build(scene)
    one, clumps = SoftSolver(model, made, STEP), lab.solver(scene, STEP)
    assert clumps.clumped and not one.clumped and bool(one.kernels.LEVERS) == (rolling == 0.0)
    before = lab.momentum(one), lab.angular_momentum(one)
    exchanged = 0.0
    for _ in range(STEPS):
        one.advance(1)
        clumps.advance(1)
        exchanged += float(np.abs(one.arrays["torque"]).sum()) * STEP
    assert exchanged > 1e-4  # they did turn each other
    for now, then, size in zip((lab.momentum(one), lab.angular_momentum(one)), before, (1.0, 0.1), strict=True):
        assert np.abs(now - then).max() < 10 * STEPS * 2.2e-16 * size
    for name in ("position", "velocity", "angular"):
        a, b = (machine.arrays[name][np.argsort(machine.arrays["id"])][:3] for machine in (one, clumps))
        assert np.allclose(a, b, rtol=1e-9, atol=1e-12 * np.abs(b).max())
