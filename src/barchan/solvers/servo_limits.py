"""How far, how fast and how hard walls that forces move may go, by the scene's own scale: told before a run and in it.

The extent of a scene is the diagonal of the box about its grains, its walls where they are made, and its periodic box.
Nothing in it moves as fast as its own sound, √(E/ρ), or ten times as fast as what falls through it, whichever is more;
and what presses with Young's modulus over the square of the extent has pressed everything flat.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from barchan.errors import Finding, RunError, SceneError
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.layout import FORCE, PRESSED, TURNS, VELOCITY, WAY
from barchan.parts.motions.servo import Servo
from barchan.solvers.base import TimedSolver

FAR = 100.0  # extents that a wall may go
TURNS_ROUND = 1e6  # rad that it may turn
FALLS = 10.0  # times as fast as what falls through the scene
LIGHTEST = 1e-9  # of the lightest grain's mass, that a wall has at the least
REMEDY = "give it a weaker force, more mass or damping, or limits (travel, swing)"


class ServoSolver(TimedSolver):
    """Base of the solvers in which forces can move walls."""

    extent: float  # m, of the scene at its start

    @functools.cached_property
    def servo_limits(self) -> np.ndarray:
        """How far, how fast and how hard walls that forces move may go, by the extent of the scene at its start."""
        return limits(self.model, self.extent)


def extent(model: Model, grains: Grains) -> float:
    """The diagonal, m, of the box about these grains and all else; 0 where there is nothing."""
    walls, scene = model.walls, model.scene
    position, reach = grains.position, float(grains.radius.max(initial=0.0))
    points = [position - reach, position + reach, walls.rest[:, :3]]
    if scene.box is not None:
        points.append(np.array([scene.box.low, scene.box.high]))
    everything = np.concatenate([*points, model.poured.position])
    facets = walls.facet_table[walls.mesh >= 0, :6].reshape(-1, 3)
    across = float(np.linalg.norm(np.ptp(facets, axis=0))) if len(facets) else 0.0
    return max(float(np.linalg.norm(np.ptp(everything, axis=0))), across) if len(everything) else across


def limits(model: Model, size: float) -> np.ndarray:
    """For every wall that forces move (S, 3): m or rad that it may go, m/s or rad/s, and N or N m.

    size: of the scene, as of `extent`; a scene of no extent sets no limits.
    """
    servos = len(model.walls.servo_row)
    if size == 0.0 or not servos:  # without motions there is no table of them
        return np.full((servos, 3), math.inf)
    materials = model.scene.materials.values()
    stiffest = max(one.young for one in materials)
    fall = math.sqrt(2 * float(np.linalg.norm(model.gravity)) * size)
    speed = max(*(math.sqrt(one.young / one.density) for one in materials), FALLS * fall)
    force = stiffest * size**2
    slides, turns = (FAR * size, speed, force), (TURNS_ROUND, speed / max(size, 1e-300), force * size)
    turning = model.walls.motion_table[model.walls.servo_row, TURNS] > 0
    return np.array([turns if one else slides for one in turning]).reshape(-1, 3)


def refuse(model: Model, grains: Grains) -> None:
    """SceneError where a drive would press everything flat, or a wall is so light that no step is short enough."""
    everything = grains.join(model.poured)
    most = limits(model, extent(model, everything))
    lightest = float(everything.mass.min(initial=math.inf))
    findings = []
    servos = [(k, wall.motion[-1]) for k, wall in enumerate(model.scene.walls) if wall.motion]
    driven = [(k, servo) for k, servo in servos if isinstance(servo, Servo)]
    for (k, servo), (_, _, force) in zip(driven, most, strict=True):
        where, slides = f"walls[{k}].motion", servo.torque is None
        drive, name, unit = servo.drive()[1], "force" if slides else "torque", "N" if slides else "N m"
        if abs(drive) > force:
            findings.append(Finding(
                f"{where}.{name}", f"{drive:g} {unit}",
                f"from {force:.3g} {unit} on (Young's modulus over the square of the scene's extent) everything is "
                "pressed flat", f"take a weaker {name}",
            ))  # fmt: skip
        arm = np.linalg.norm(everything.position - np.array(servo.center), axis=1).max(initial=0.0)
        mass = servo.drive()[0] if slides else servo.drive()[0] / max(float(arm) ** 2, 1e-300)
        if mass < LIGHTEST * lightest < math.inf:
            field = "mass" if slides else "inertia"
            findings.append(Finding(
                f"{where}.{field}", f"{servo.drive()[0]:g} {'kg' if slides else 'kg m²'}",
                f"must make the wall as heavy as {LIGHTEST:g} of the lightest grain ({lightest:.3g} kg) at the least",
                f"take a larger {field}",
            ))  # fmt: skip
    if findings:
        raise SceneError(findings)


def watch(solver: ServoSolver) -> None:
    """RunError at the first wall that forces have moved out of its limits; it names wall, value and bound."""
    model, arrays = solver.model, solver.arrays
    if not len(model.walls.servo_row):
        return
    rows = model.walls.servo_row
    found = np.column_stack([
        arrays["motion_table"][rows, WAY], arrays["servo"][:, VELOCITY], arrays["servo"][:, [FORCE, PRESSED]]
    ])  # fmt: skip
    most = solver.servo_limits[:, [0, 1, 2, 2]]
    beyond = ~(np.abs(found) <= most)  # true for what is not a number
    if not beyond.any():
        return
    s, what = (int(k) for k in np.argwhere(beyond)[0])
    turns = int(arrays["motion_table"][rows[s], TURNS] > 0)
    unit = (("m", "m/s", "N", "N"), ("rad", "rad/s", "N m", "N m"))[turns][what]
    did = ("has gone", "moves at", "is accelerated by", "is pressed by grains with")[what]
    name = model.walls.names[model.walls.wall[model.walls.servo_piece[s]]]
    raise RunError(Finding(
        f"t = {solver.time:.6g} s", f"wall {name!r} {did} {found[s, what]:.4g} {unit}",
        f"in a scene of this extent and stiffness it may be up to {most[s, what]:.3g} {unit}", REMEDY,
    ))  # fmt: skip
