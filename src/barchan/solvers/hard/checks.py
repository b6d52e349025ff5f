"""Before a run of hard spheres: can the scene go well, what do they not honour, and with which time step?"""

from __future__ import annotations

import math

import numpy as np

from barchan import registry
from barchan.errors import Finding, SceneError
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.timestep import STATED, TimeStep
from barchan.parts.motions.servo import Servo
from barchan.solvers.hard.arrays import EMPTY
from barchan.solvers.soft import checks

SOFT = 'use solver = "soft"'
LEAPFROG_SHARE = 0.003  # of √(d/g)
SOFT_FIELDS = ("friction", "young", "poisson")  # of materials, for soft spheres alone


def check(model: Model, grains: Grains) -> list[Finding]:
    """Warnings about a scene at its start; SceneError with all errors where there are any."""
    checks.flat_shapes(model)
    refuse(model, grains)
    # Three cells, so that a grain is near only one of its images.
    largest = max(grains.radius.max(initial=1e-300), model.poured.radius.max(initial=0.0))
    return [
        *checks.spheres(checks.Start.of(model, grains, joins=False), 6.0 * float(largest) * EMPTY),
        *unused(model),
    ]


def choose(model: Model, grains: Grains) -> TimeStep:
    """No time step but with the leapfrog: then a share of the time in which gravity moves a grain by its size, or what
    the scene states.
    """
    frame, radius = 1 / model.scene.frame_rate, grains.join(model.poured).radius
    if model.scene.stepless:
        return TimeStep(frame, "none: hard spheres go from collision to collision", fixed=False)
    if model.scene.time_step is not None:
        return TimeStep.fitting(model.scene.time_step, frame, STATED)
    weight, size = float(np.linalg.norm(model.gravity)), 2 * float(radius.min(initial=math.inf))
    if weight == 0 or not math.isfinite(size):
        return TimeStep(frame, "as long as a frame: there is no gravity, or nothing that it pulls")
    why = f"{LEAPFROG_SHARE:g} of the time √(d/g) in which gravity moves a grain by its size"
    return TimeStep.fitting(LEAPFROG_SHARE * math.sqrt(size / weight), frame, why)


def refuse(model: Model, grains: Grains) -> None:
    """SceneError with all that a scene asks for and hard spheres cannot do."""
    findings = [*_clumps(model, grains), *_forces(model), *_walls(model), *_restitution(model), *_hops(model, grains)]
    if findings:
        raise SceneError(findings)


def unused(model: Model) -> list[Finding]:
    """Warnings of what a scene states and hard spheres make no use of: with soft ones it would go otherwise."""
    scene, expected = model.scene, "hard spheres do not use it"
    remedy = "slip at contacts is ruled by tangential_restitution (1 slips, 0 grips); " + SOFT + " for friction"
    used, findings = _used(model), []
    for name, material in scene.materials.items():
        stated = [field for field in SOFT_FIELDS if field in material.model_fields_set]
        if "friction" in stated and name in used:
            others = f" (nor {', '.join(stated[1:])})" if stated[1:] else ""
            what = f"{material.friction:g}"
            findings.append(Finding(f"materials.{name}.friction", what, expected + others, remedy))
    findings += [
        Finding(f"pairs[{k}].friction", f"{pair.friction:g}", expected, remedy)
        for k, pair in enumerate(scene.pairs)
        if pair.friction is not None
    ]
    findings += [
        Finding(field, f"the law {getattr(scene, field).key!r}", expected, f"leave it out, or {SOFT}")
        for field in ("contact", "wall_contact")
        if field in scene.model_fields_set
    ]
    return findings


def _used(model: Model) -> set[str]:
    """Names of the materials that grains and walls are made of."""
    scene = model.scene
    used = {group.material for group in scene.grains} | {source.material for source in scene.sources}
    return used | {wall.material for wall in scene.walls}


def _clumps(model: Model, grains: Grains) -> list[Finding]:
    scene, everything = model.scene, grains.join(model.poured)
    clumps = np.diff(everything.start) > 1
    clumps |= (
        np.bitwise_or.reduceat(np.any(everything.sphere_offset != 0, axis=1), everything.start[:-1])
        if len(everything)
        else False
    )
    names = scene.group_places()
    return [
        Finding(f"{names[group]}.shape", "is a clump of spheres", "hard spheres are single spheres", SOFT)
        for group in np.unique(everything.group[clumps])
    ]


def _forces(model: Model) -> list[Finding]:
    """Laws, stiction, rolling resistance, integrators, contacts: hard spheres know impulses only."""
    scene, findings = model.scene, []
    usual = registry.part("laws", "hertz")()
    for name, law in (("contact", scene.contact), ("wall_contact", scene.wall_contact)):
        if law != usual:
            what = f"the law {law.key!r}" if law.key != usual.key else f"parameters of the law {law.key!r}"
            findings.append(Finding(name, what, "hard spheres have restitution instead of a contact law", SOFT))
    if scene.tethers:
        findings.append(Finding("tethers", "are there", "hard spheres know no forces but gravity", SOFT))
    if scene.drag:
        findings.append(Finding("drag", f"{scene.drag:g} N s/m", "hard spheres know no forces but gravity", SOFT))
    if scene.deformation is not None:
        findings.append(Finding("deformation", scene.deformation.key, "the box of hard spheres stays as it is", SOFT))
    if scene.stiction is not None:
        findings.append(Finding("stiction", "is there", "hard spheres do not stick by friction", SOFT))
    for name, material in scene.materials.items():
        if material.rolling_friction or material.rolling_viscosity:
            findings.append(Finding(f"materials.{name}", "has rolling resistance", "hard spheres have none", SOFT))
    for k, pair in enumerate(scene.pairs):
        if pair.rolling_friction or pair.rolling_viscosity:
            findings.append(Finding(f"pairs[{k}]", "has rolling resistance", "hard spheres have none", SOFT))
    if scene.integrator != registry.part("integrators", "verlet")():
        what = f"the integrator {scene.integrator.key!r}"
        findings.append(Finding("integrator", what, "hard spheres go from collision to collision", SOFT))
    if scene.time_step is not None and scene.stepless:
        expected, remedy = "hard spheres go from collision to collision", 'leave it out, or take hard.mode = "leapfrog"'
        findings.append(Finding("time_step", f"{scene.time_step:g} s", expected, remedy))
    if scene.record.contacts:
        expected = "hard spheres meet for an instant, and have no contacts to record"
        findings.append(Finding("record.contacts", "true", expected, SOFT))
    for k, one in enumerate(scene.observables):
        if one.key in ("stress", "packing") and getattr(one, "region", None) is not None:
            expected = "impulses of hard spheres are summed up over the whole scene"
            findings.append(Finding(f"observables[{k}].region", "is given", expected, "leave it out, or " + SOFT))
    return findings


def _walls(model: Model) -> list[Finding]:
    return [
        Finding(f"walls[{k}].motion", "a servo", "hard spheres do not move walls", SOFT)
        for k, wall in enumerate(model.scene.walls)
        if any(isinstance(motion, Servo) for motion in wall.motion)
    ]


def _restitution(model: Model) -> list[Finding]:
    used = _used(model)
    return [
        Finding(
            f"materials.{name}.restitution",
            "missing",
            "hard spheres need it",
            "give more than 0, up to 1, such as restitution = 0.9",
        )
        for name, material in model.scene.materials.items()
        if material.restitution is None and name in used
    ]


def _hops(model: Model, grains: Grains) -> list[Finding]:
    """A contact time so long that grains at rest, which leave at g/4 times it, hop higher than they are large."""
    time, g = model.scene.hard.contact_time, float(np.linalg.norm(model.gravity))
    radius = np.concatenate([grains.radius, model.poured.radius])
    if not time or not g or not len(radius):
        return []
    most = float(np.sqrt(64 * radius.min() / g))  # (g t/4)²/(2 g) = 2 r
    if time <= most:
        return []
    return [Finding(
        "hard.contact_time", f"{time:g} s", f"must be at most {most:.2g} s: a grain at rest leaves its floor at g/4 "
        "times it, and would hop higher than it is large", "leave it out, or give some tenths of √(d/g)",
    )]  # fmt: skip
