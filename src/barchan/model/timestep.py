"""The time step: chosen from stiffness, mass and impact speed, and checked where a scene states its own."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.model import course
from barchan.model.build import Model
from barchan.model.encounters import contact_time, damping_time
from barchan.model.grains import Grains

STEPS_PER_CONTACT = 30  # steps that the shortest collision is resolved with
DAMPED_SHARE = 0.2  # of the time in which damping stops a motion: ledgers are then out by some percent at most
STATED = "as the scene states it"
FEWEST_PER_CONTACT = 8  # fewer is an error: energy is no longer conserved in a collision
SPARED = 0.9  # of `wall_step_limit`: what steps are chosen by, so that grains may become a little faster than reckoned


class TimeStep(NamedTuple):
    """A time step and the reason for it."""

    value: float  # s
    text: str
    fixed: bool = True  # whether all steps are this long

    @classmethod
    def fitting(cls, step: float, frame: float, why: str) -> TimeStep:
        """The longest step, s, not above `step`, of which a whole number fills a frame, s; `why` it is that long."""
        count = math.ceil(frame / step * (1 - 1e-12))
        if count == 1 and step > frame * (1 + 1e-9):
            why = f"as long as a frame; else it would be {step:.3g} s, {why}"
        return cls(frame / count, why)


def choose(model: Model, grains: Grains) -> TimeStep:
    """The scene's time step where it states one, else the longest with which collisions and damping are resolved.

    Either is shortened a little, so that a whole number of steps fills a frame.
    """
    scene, grains = model.scene, grains.join(model.poured)
    frame = 1 / scene.frame_rate
    speed = impact_speed(model, grains)
    shortest, damped = contact_time(model, grains, speed), damping_time(model, grains, speed)
    against, fastest = wall_step(model, grains)
    (field, stated), limits = scene.integrator.shortest_step(scene.time_step), scene.integrator.limits(frame)
    if stated is not None:
        if not limits:
            _check_stated(stated, shortest, damped, speed)
        _check_against_walls(field, stated, against, fastest, scene.wall_step_limit)
    if scene.time_step is not None:
        chosen = TimeStep.fitting(scene.time_step, frame, STATED)
    elif DAMPED_SHARE * damped < (frame if math.isinf(shortest) else shortest) / STEPS_PER_CONTACT:
        why = f"{DAMPED_SHARE:g} of the {damped:.3g} s in which damping stops a motion"
        chosen = TimeStep.fitting(DAMPED_SHARE * damped, frame, why)
    elif math.isinf(shortest):
        chosen = TimeStep.fitting(frame / STEPS_PER_CONTACT, frame, f"1/{STEPS_PER_CONTACT} of a frame: nothing meets")
    else:
        why = f"1/{STEPS_PER_CONTACT} of the shortest collision, {shortest:.3g} s at {speed:.3g} m/s"
        chosen = TimeStep.fitting(shortest / STEPS_PER_CONTACT, frame, why)
    if scene.time_step is None and SPARED * against < chosen.value:
        share = SPARED * scene.wall_step_limit
        why = (
            f"so that a grain at {fastest:.3g} m/s moves by {share:.2g} of its smallest sphere's radius against a wall"
        )
        chosen = TimeStep.fitting(SPARED * against, frame, why)
    return chosen._replace(text=limits, fixed=False) if limits else chosen


def _check_stated(step: float, shortest: float, damped: float, speed: float) -> None:
    """SceneError where a stated step, s, is too long for collisions of `shortest` s at `speed` m/s, or for damping

    that stops a motion within `damped` s: grains would be thrown back by what should only slow them.
    """
    advice = f"leave time_step out, or take at most {min(shortest / STEPS_PER_CONTACT, DAMPED_SHARE * damped):.2g} s"
    if step > shortest / FEWEST_PER_CONTACT:
        raise SceneError(Finding(
            "time_step", f"{step:.3g} s",
            f"the shortest collision lasts {shortest:.3g} s (impact at {speed:.3g} m/s) and needs at least "
            f"{FEWEST_PER_CONTACT} steps",
            advice,
        ))  # fmt: skip
    if step > damped:
        raise SceneError(Finding(
            "time_step", f"{step:.3g} s", f"damping stops a motion within {damped:.3g} s, and no step may be longer",
            f"{advice}, or take weaker damping (restitution, drag and the like)",
        ))  # fmt: skip


def _check_against_walls(field: str, step: float, longest: float, speed: float, limit: float) -> None:
    """SceneError where a stated step, s, is longer than `wall_step` has it: a grain might pass through a wall."""
    if step > longest * (1 + 1e-9):
        raise SceneError(Finding(
            field, f"{step:.3g} s",
            f"a step may move a grain against a wall by {limit:g} of its smallest sphere's radius at most "
            f"(wall_step_limit), which takes {longest:.3g} s at {speed:.3g} m/s",
            f"leave {field} out, or take at most {SPARED * longest:.2g} s, or a greater wall_step_limit",
        ))  # fmt: skip


def impact_speed(model: Model, grains: Grains) -> float:
    """The fastest impact, m/s, to reckon with: initial speeds relative to each other and to walls, the fall through the

    whole scene, moving walls, a deforming box.
    """
    if not len(grains):
        return 1.0
    own = _relative(grains.velocity)
    if model.scene.walls:
        own = max(own, float(np.linalg.norm(grains.velocity, axis=1).max()))
    box = course.fastest(model.scene, model.box, grains.sphere_radius)
    return max(math.hypot(own, _falls(model, grains)) + wall_speed(model, grains) + box, 1e-3)


def wall_step(model: Model, grains: Grains) -> tuple[float, float]:
    """The longest step, s, that moves no grain against a wall by more than `wall_step_limit`, and how fast, m/s, the
    grain is that says so, reckoned as for `impact_speed`. Without walls, or without that limit, any step will do: inf.
    """
    limit = model.scene.wall_step_limit
    if not len(grains) or not len(model.walls) or math.isinf(limit):
        return math.inf, 0.0
    small = np.minimum.reduceat(grains.sphere_radius, grains.start[:-1])
    spin = np.linalg.norm(grains.spin, axis=1) * (grains.radius - small)  # a single sphere's does not move it
    own = np.linalg.norm(grains.velocity, axis=1) + spin
    others = wall_speed(model, grains) + course.fastest(model.scene, model.box, grains.sphere_radius)
    speed = np.maximum(np.hypot(own, _falls(model, grains)) + others, 1e-3)
    first = int(np.argmin(small / speed))
    return float(limit * small[first] / speed[first]), float(speed[first])


def _relative(velocity: np.ndarray) -> float:
    """The fastest, m/s, relative to the grain that is fastest relative to the mean: the same in any frame."""
    apart = velocity - velocity.mean(axis=0)
    apart -= apart[np.argmax(np.linalg.norm(apart, axis=1))]
    return float(np.linalg.norm(apart, axis=1).max())


def wall_speed(model: Model, grains: Grains) -> float:
    """The fastest, m/s, that walls move where grains are."""
    if not len(grains):
        return 0.0
    reach = float(np.linalg.norm(np.ptp(grains.position, axis=0))) + float(np.abs(grains.position).max())
    return max((sum(m.speed(reach) for m in wall.motion) for wall in model.scene.walls), default=0.0)


def _falls(model: Model, grains: Grains) -> float:
    """The speed, m/s, of a fall through the whole scene, under every gravity that it has."""
    later = [to for event in model.scene.events for action in event.do for to in action.gravities()]
    return max(_fall(model, grains, np.array(gravity)) for gravity in (model.gravity, *later))


def _fall(model: Model, grains: Grains, gravity: np.ndarray) -> float:
    """The speed, m/s, of a fall through the whole scene."""
    size = float(np.linalg.norm(gravity))
    if size == 0:
        return 0.0
    up = -gravity / size
    heights = grains.position @ up
    floors = model.walls.heights(up)  # nothing hits a wall that absorbs
    low = min([float(heights.min()), *(float(f) for f in floors if math.isfinite(f))])
    return math.sqrt(2 * size * max(float(heights.max()) - low, float(grains.radius.max())))
