"""Bounds of walls that forces move, by the scene's own scale: what is refused before a run, and what stops one."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from barchan.errors import RunError, SceneError
from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers import servo_limits

YOUNG, DENSITY, RADIUS = 1e7, 2500.0, 0.05  # Pa, kg/m³, m
PISTON = {"kind": "servo", "force": -100.0, "mass": 20.0}
PADDLE = {"kind": "servo", "torque": 3.0, "inertia": 1.5}
# Two balls 0.3, 0.4 and 1.2 m apart: the box about their centres, and the plane's origin at that of one, reaches 0.1 m
# farther along each axis.
EXTENT = math.hypot(0.4, 0.5, 1.3)


def scene(motion: dict[str, Any], **options: Any) -> Scene:
    """Two balls, and a plane that is moved."""
    material = {"density": DENSITY, "young": YOUNG}
    ball = {"material": "a", "size": 2 * RADIUS}
    return Scene.model_validate({
        "name": "s", "duration": 1, "gravity": (0, 0, 0), "materials": {"a": material},
        "grains": [{**ball, "name": "g", "fill": {"kind": "points", "positions": [(0, 0, 0), (0.3, 0.4, 1.2)]}}],
        "walls": [{"name": "floor", "shape": "plane", "material": "a"},
                  {"name": "piston", "shape": "plane", "material": "a", "motion": motion}],
        **options,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        ({**PISTON, "force": -1e19}, r"walls\[1\].motion.force: -1e\+19 N; from 2.1e\+07 N on"),
        ({**PISTON, "force": 1.01 * YOUNG * EXTENT**2}, "pressed flat"),
        ({**PISTON, "mass": 1e-12}, r"walls\[1\].motion.mass: 1e-12 kg; must make the wall as heavy as 1e-09 of"),
        ({**PADDLE, "torque": 1e19}, r"walls\[1\].motion.torque: 1e\+19 N m"),
        ({**PADDLE, "inertia": 1e-20}, r"walls\[1\].motion.inertia: 1e-20 kg m²"),
    ],
)
def test_drives_beyond_the_scale_of_the_scene_are_refused(motion: dict[str, Any], told: str) -> None:
    """A force of 1e60 N left at 1e30 m, and the run was "OK". Young's modulus over the square of the scene's extent,

    0.4² + 0.5² + 1.3² m² = 2.1 m², bounds it; catches a bound that forgets the grains' radius.
    """
    with pytest.raises(SceneError, match=told):
        servo_limits.refuse(*build(scene(motion)))


@pytest.mark.parametrize("motion", [PISTON, PADDLE, {**PISTON, "force": 0.99 * YOUNG * EXTENT**2}])
def test_sound_drives_pass(motion: dict[str, Any]) -> None:
    servo_limits.refuse(*build(scene(motion)))


def moving(motion: dict[str, Any], way: float, velocity: float, pressed: float = 0.0, **options: Any) -> Any:
    """What a watch sees of a solver whose second wall has gone so far and is so fast."""
    model, grains = build(scene(motion, **options))
    table, servo = model.walls.motion_table.copy(), np.zeros((1, 6))
    table[model.walls.servo_row[0], 7], servo[0, [0, 2]] = way, (velocity, pressed)
    bounds = servo_limits.limits(model, servo_limits.extent(model, grains))
    return SimpleNamespace(model=model, arrays={"motion_table": table, "servo": servo}, time=0.25, servo_limits=bounds)


SOUND = math.sqrt(YOUNG / DENSITY)  # m/s, 63: nothing falls in this scene


@pytest.mark.parametrize(
    ("motion", "state", "told"),
    [
        (PISTON, (101 * EXTENT, 0.0), r"t = 0.25 s: wall 'piston' has gone 146.4 m; .*up to 145 m"),
        (PISTON, (-1e30, 0.0), "has gone -1e.30 m"),
        (PISTON, (math.nan, 0.0), "has gone nan m"),
        (PISTON, (0.0, -1.01 * SOUND), r"moves at -63.88 m/s; .*up to 63.2 m/s.* limits \(travel, swing\)"),
        (PISTON, (0.0, 0.0, 3e7), r"is pressed by grains with 3e\+07 N; .*up to 2.1e\+07 N"),
        (PADDLE, (0.0, 50.0), r"moves at 50 rad/s; .*up to 43.6 rad/s"),
    ],
)
def test_a_wall_out_of_bounds_stops_the_run(motion: dict[str, Any], state: tuple[float, ...], told: str) -> None:
    """A hundred extents, the speed of sound (√(1e7/2500) m/s = 63.2 m/s, over the extent of 1.449 m: 43.6 rad/s), and

    a force that flattens everything. Catches a column that is read wrongly, and a comparison that lets NaN pass.
    """
    with pytest.raises(RunError, match=told):
        servo_limits.watch(moving(motion, *state))


def test_what_falls_far_may_be_faster() -> None:
    """Through 1.449 m at 1000 m/s² grains reach √(2 g L) = 53.8 m/s; ten times that is above the speed of sound."""
    fall = {"gravity": (0.0, 0.0, -1000.0)}
    servo_limits.watch(moving(PISTON, 1.0, 500.0, **fall))
    with pytest.raises(RunError, match="up to 538 m/s"):
        servo_limits.watch(moving(PISTON, 1.0, 540.0, **fall))


def test_a_scene_of_no_extent_sets_no_limits() -> None:
    """A point alone says nothing of a scale: any force is as good as another; catches a bound of 0 N."""
    assert np.isinf(servo_limits.limits(build(scene(PADDLE))[0], 0.0)).all()
