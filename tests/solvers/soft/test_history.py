"""What a contact remembers ends with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers import lab

RADIUS, GAP, STEP = 0.05, 2e-5, 4e-6  # m, m, s
ROUGH = {
    "friction": 100.0,
    "restitution": 1.0,
    "young": 1e9,
}  # never slides: the spring of friction is still drawn at parting
HEAVY = {"heavy": lab.material(density=1e12, **ROUGH)}
BESIDE = {
    "grains": [lab.grain((x, 0.0, 0.0), material="heavy") for x in (-2 * RADIUS - GAP, 2 * RADIUS + GAP)],
    "walls": [
        {"name": name, "shape": "plane", "point": (x, 0.0, 0.0), "normal": (-x, 0.0, 0.0), "material": "a"}
        for name, x in (("left", -RADIUS - GAP), ("right", RADIUS + GAP))
    ],
}


def between(others: str, **state: Any) -> lab.SoftSolver:
    """A ball with this state and twice GAP of room between two heavy balls, or two walls."""
    sides: list[dict[str, Any]] = BESIDE[others]
    balls, walls = (sides, []) if others == "grains" else ([], sides)
    described = lab.scene("hertz", [lab.grain(**state), *balls], walls, a=lab.material(**ROUGH), materials=HEAVY)
    return lab.solver(described, STEP)


def collide(machine: lab.SoftSolver) -> int:
    """Go on until something touches, and then until nothing does; answers with the number of steps."""
    begin = machine.step
    for touching in (True, False):
        while bool(len(machine.frame().contacts.first)) is not touching:
            machine.advance(1)
    return machine.step - begin


@pytest.mark.parametrize("others", ["grains", "walls"])
def test_a_contact_that_has_parted_is_forgotten(others: str) -> None:
    """A rough ball bounces to and fro between two neighbours a few overlaps away, which stay in its list all the time.
    A second scene begins with the ball as it is in flight after two bounces, one at either side: it knows no earlier
    contact. Both go on alike; a spring that outlived its contact would push the ball in the first scene when it meets
    the same neighbour again, by 5% of its speed. Heavy neighbours take a billionth of that, 1e-10 m/s: 1e-6 m/s and
    1e-5 rad/s are allowed.
    """
    machine = between(others, position=(0.0, 0.0, 0.0), velocity=(-0.1, 0.05, 0.02), spin=(0.0, 0.3, -0.5))
    for _ in range(2):
        collide(machine)
    seen = machine.frame()
    again = between(others, position=seen.position[0], velocity=seen.velocity[0], spin=seen.spin[0])
    steps = sum(collide(machine) for _ in range(2))
    again.advance(steps)
    one, other = machine.frame(), again.frame()
    assert np.abs(one.spin[0] - seen.spin[0]).max() > 0.01  # rad/s: friction has been at work
    np.testing.assert_allclose(one.velocity[0], other.velocity[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(one.spin[0], other.spin[0], rtol=0, atol=1e-5)
