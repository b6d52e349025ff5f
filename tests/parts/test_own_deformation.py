"""A deformation of one's own, registered: checked with the scene, followed by packings, bound for spheres."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pytest

from barchan import registry
from barchan.errors import SceneError
from barchan.kernels.functions import keep
from barchan.parts.deformations import Course, Deformation
from barchan.scene import Scene
from barchan.schema.quantities import Number
from barchan.simulation.plan import Plan
from barchan.solvers.soft import bindings, box
from solvers import lab
from solvers import relax_lab as relax


def sinking(
    t: float, duration: float, strain: float, a: float, b: float, c: float, d: float
) -> tuple[float, float, float, float, float, float]:
    """The lid sinks at a constant rate."""
    return 1.0, 1.0, math.exp(-strain * t / duration), 0.0, 0.0, -strain / duration


class Oedometer(Deformation):
    """The box becomes lower and keeps its width; `strain` is ln(z₀/z) at the end."""

    key: ClassVar[str] = "test-oedometer"
    stretch: ClassVar[Course | None] = staticmethod(sinking)
    strain: Number

    def numbers(self, duration: float, fraction: float, directions: int) -> tuple[float, ...]:
        return duration, self.strain, 0.0, 0.0, 0.0, 0.0


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The part, known until the test is over."""
    registry.register(Oedometer)
    yield
    registry._found["deformations"].pop(Oedometer.key)


def soft(strain: float) -> Scene:
    """Six discs 0.2 m across in a box of 1 by 2 m, with soft spheres."""
    places = [(0.4 * i + 0.3, 0, 0.5 * k + 0.5) for i in range(2) for k in range(3)]
    return Scene(
        name="laboratory", duration=1.0, dimensions=2, gravity=(0, 0, 0), periodic=(True, False, True),
        box={"low": (0, 0, 0), "high": (1, 0, 2)}, deformation={"kind": "test-oedometer", "strain": strain},
        contact={"law": "linear", "stiffness": 1000.0}, materials={"a": lab.material(friction=0.0)},
        grains=[{"name": "discs", **lab.grains(places, size=0.2)}],
    )  # fmt: skip


def test_a_packing_follows_it() -> None:
    """Half way the box is as high as e^(−ε/2) of the start says and as wide as ever, to round-off."""
    machine = relax.solver(relax.flat_scene(24, deformation={"kind": "test-oedometer", "strain": 0.02}, frame_rate=2.0))
    wide, _, high = machine.landscape.cell.lengths
    machine.advance_to(0.0)
    machine.advance_to(0.5)
    assert machine.landscape.cell.lengths == pytest.approx((wide, 0, high * math.exp(-0.01)), rel=1e-14)


def test_soft_spheres_are_given_its_function_and_numbers() -> None:
    """The function itself is bound into the kernels, not the one of the package, and its rates begin the box's."""
    plan = Plan.of(soft(0.1))
    model = plan.model
    bound = bindings._bindings(model.law, model.wall_law, model.walls.gaps, model.walls.paths, {}, box.course_of(model))
    assert keep(sinking) in bound["box_course"]
    arrays = box.box_arrays(model, plan.grains)
    assert arrays["course"].tolist() == [1, 0.1, 0, 0, 0, 0, 1, 0, 2]
    np.testing.assert_allclose(arrays["box"][3:6], [0, 0, -0.2], rtol=1e-14)


def test_a_box_that_it_makes_too_low_is_refused() -> None:
    """From 2 m to 2 e^(−2.5) = 0.16 m no disc 0.2 m across has room: found from its lengths alone."""
    with pytest.raises(SceneError, match=r"deformation: test-oedometer; with it the box is shorter than .* along z,"):
        Plan.of(soft(2.5))
