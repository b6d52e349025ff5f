"""Before a packing is relaxed: can the scene as a whole go well?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from barchan import registry
from barchan.errors import Finding, SceneError
from barchan.model import course
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.timestep import TimeStep
from barchan.solvers.relax.cell import factor, least_period
from barchan.solvers.unused import losses


def check(model: Model, grains: Grains) -> list[Finding]:
    """Warnings about a scene; SceneError with all errors where there are any."""
    errors = [*_space(model), *_unknown_to_it(model, grains)]
    if not errors:
        errors = [*_small_box(model, grains), *_places(model, grains)]
    if errors:
        raise SceneError(errors)
    return losses(model.scene)


def choose(model: Model, grains: Grains) -> TimeStep:
    """From one relaxed point to the next."""
    return TimeStep(1 / model.scene.frame_rate, "from one relaxed point to the next, a coordinate and no time")


def _unknown_to_it(model: Model, grains: Grains) -> Iterator[Finding]:
    scene = model.scene
    needs = "the solver 'relax' knows spheres that do not move"
    if not len(grains):
        yield Finding("grains", "none", "there must be some to relax")
    if grains.clumped:
        yield Finding("grains", "clumps", needs, "take shape = 'sphere'")
    for name in ("events", "tethers"):  # what else it cannot do is found by name: see `unused.lacking`
        if getattr(scene, name):
            yield Finding(name, f"{len(getattr(scene, name))} of them", needs, "leave them out")
    for place, group in zip(scene.group_places(), scene.grains, strict=True):
        for name in ("velocity", "velocity_scatter", "spin"):
            if np.any(getattr(group, name)):
                yield Finding(f"{place}.{name}", str(getattr(group, name)), needs, "leave it out")
    if scene.stiction is not None:
        yield Finding("stiction", "is there", needs, "leave it out")
    if scene.integrator != registry.part("integrators", "verlet")():
        yield Finding("integrator", repr(scene.integrator.key), needs, "leave it out, and choose relax.minimiser")
    for index, wall in enumerate(scene.walls):
        if wall.sticky:
            yield Finding(f"walls[{index}].sticky", "true", needs, 'leave it out, or use solver = "hard"')
        if wall.motion or wall.absorbing or wall.appears or wall.vanishes is not None or not wall.present:
            yield Finding(f"walls[{index}]", "moves, absorbs, comes or goes", "must stand still and stay")
    for index in np.unique(model.walls.mesh[model.walls.mesh >= 0]):
        key = scene.walls[index].shape.key
        yield Finding(f"walls[{index}]", f"a {key!r}, made of facets", "the solver 'relax' knows smooth shapes",
                      "build it of planes")  # fmt: skip
    if scene.drag:
        yield Finding("drag", f"{scene.drag:g} N s/m", needs, "leave it out")
    if scene.time_step is not None:
        yield Finding("time_step", f"{scene.time_step:g} s", "there are no time steps", "leave it out")


def _space(model: Model) -> Iterator[Finding]:
    scene = model.scene
    relax = scene.relax
    if relax.packing_fraction is not None and scene.box is None:
        yield Finding("relax.packing_fraction", f"{relax.packing_fraction:g}", "needs a box to be filled", "give `box`")
    if scene.deformation is not None and not (scene.periodic[0] and scene.periodic[2]):
        yield Finding(
            "deformation", scene.deformation.key, "needs a box that repeats along x and z",
            "set periodic = [true, …, true], and `box`",
        )  # fmt: skip
    yield from course.unfilled(scene)
    if scene.deformation is not None and scene.walls:
        yield Finding("deformation", scene.deformation.key, "walls do not follow the box", "leave the walls out")
    for axis in range(3):
        if scene.periodic[axis] and scene.gravity[axis]:
            yield Finding(
                "gravity", f"{scene.gravity[axis]:g} m/s² along {'xyz'[axis]}, which repeats",
                "grains would fall for ever", "set gravity = [0, 0, 0]",
            )  # fmt: skip
    if not any(scene.periodic) and not scene.walls and not any(scene.gravity):
        yield Finding("periodic", "neither a periodic box nor walls", "grains would only push each other apart")


def _small_box(model: Model, grains: Grains) -> Iterator[Finding]:
    radius = grains.radius.copy()
    fraction = model.scene.relax.packing_fraction
    if fraction is not None:
        radius *= factor(model, radius, fraction)
    least = least_period(radius)
    for axis in range(3):
        if model.periodic[axis] and model.box[axis] < least:
            yield Finding(
                "box", f"{model.box[axis]:.4g} m along {'xyz'[axis]}",
                f"must be at least {least:.4g} m, or grains would touch their own images", "take more grains",
            )  # fmt: skip
    yield from course.thinning(model.scene, model.box, radius, least)


def _places(model: Model, grains: Grains) -> Iterator[Finding]:
    if len(np.unique(grains.position, axis=0)) < len(grains):
        yield Finding("grains", "two of them lie in the same place", "no direction leads them apart", "move one")
    if model.scene.box is not None:
        low, high = model.scene.box.low, model.scene.box.high
        outside = (((grains.position < low) | (grains.position > high)) & ~model.periodic).any(axis=1)
        if outside.any():
            first = np.array2string(grains.position[outside][0], precision=4, separator=", ")
            yield Finding(
                "grains", f"{int(outside.sum())} of them start outside the box, the first at {first} m",
                "along axes that do not repeat they must stay inside", "enlarge the box or move the fill",
            )  # fmt: skip
