"""Before a run: can the scene as a whole go well? Each finding says where, what, what was expected, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import conjugate, rotate
from barchan.kernels import grids
from barchan.model import course
from barchan.model.build import Model
from barchan.model.encounters import encounters
from barchan.model.grains import Grains
from barchan.model.place import space_in
from barchan.model.pour import Pourer
from barchan.model.timestep import impact_speed
from barchan.observables import Moment
from barchan.scene.polygons import FLAT_SHAPES
from barchan.shapes.mesh import Mesh
from barchan.solvers import create, hard_check, servo_limits, soft_box, soft_watch

MOST_OVERLAP = 0.1  # of the smaller radius, at the start
SOFT = 0.2  # of the radius: a deeper impact is told as a warning
TRIES = 500  # places in a source's region at which a grain is tried
LISTED = 4  # findings of one kind that are told one by one


def check(model: Model, grains: Grains) -> list[Finding]:
    """Warnings about a scene at its start; SceneError with all errors where there are any."""
    hard = model.scene.solver == "hard"
    _flat_shapes(model)
    if hard:
        hard_check.refuse(model, grains)
    elif sticky := [k for k, wall in enumerate(model.scene.walls) if wall.sticky]:
        raise SceneError([
            Finding(f"walls[{k}].sticky", "true", "soft spheres are not held by walls", 'use solver = "hard"')
            for k in sticky
        ])  # fmt: skip
    if not hard:
        soft_box.refuse(model, grains)
    servo_limits.refuse(model, grains)
    solver = create(model, grains, 1e-6)  # nothing moves yet: the step does not matter
    moment: Moment = solver.moment()
    errors = [
        *_overlaps(solver, moment), *_outside(solver, moment), *_wrong_side(solver), *small_box(solver, grains),
        *idle_sources(solver),
    ]  # fmt: skip
    if errors:
        raise SceneError(errors)
    own = hard_check.unused(model) if hard else [*_soft(solver, grains.join(model.poured)), *_wall_steps(model)]
    return [*_notes(model), *giving(model), *_cut_off(model), *own, *_odd_sizes(solver)]


def _flat_shapes(model: Model) -> None:
    """SceneError where grains of triangles are given to a solver of spheres."""
    kinds = zip(model.scene.group_places(), model.scene.group_shapes(), strict=True)
    flat = [(where, shape.key) for where, shape in kinds if isinstance(shape, FLAT_SHAPES)]
    if flat:
        raise SceneError([
            Finding(f"{where}.shape", key, f"the solver {model.scene.solver!r} has grains of spheres",
                    'use solver = "beams"') for where, key in flat
        ])  # fmt: skip


def _overlaps(solver: Any, moment: Moment) -> list[Finding]:
    """Grains inside each other or inside walls."""
    deep = np.flatnonzero(moment.contact_depth > MOST_OVERLAP)
    deep = deep[np.argsort(-moment.contact_depth[deep], kind="stable")]
    findings = []
    for k in deep[:LISTED]:
        first, second = int(moment.contact_first[k]), int(moment.contact_second[k])
        where = _group(solver, first)
        share = f"{100 * moment.contact_depth[k]:.0f}% of its radius"
        allowed = f"at the start overlaps must stay below {100 * MOST_OVERLAP:.0f}%"
        if second < 0:
            wall = solver.model.walls.names[-1 - second]
            what = f"grain {solver.arrays['id'][first]} is inside wall {wall!r} by {share}"
            findings.append(Finding(where, what, allowed, "move the fill or the wall, or turn the wall's normal round"))
        else:
            what = f"grains {solver.arrays['id'][first]} and {solver.arrays['id'][second]} overlap by {share}"
            findings.append(Finding(where, what, allowed, _apart(solver, first, second)))
    if len(deep) > LISTED:
        findings.append(Finding("grains", f"and {len(deep) - LISTED} more such overlaps"))
    return findings


def _apart(solver: Any, first: int, second: int) -> str:
    """What keeps two grains from overlapping at the start."""
    names = solver.model.scene.group_names()
    one, other = (names[int(solver.arrays["group"][row])] for row in (first, second))
    if one == other:
        return "give the fill more room or a larger spacing"
    return (
        f"the fills of {one!r} and {other!r} lie in each other: part their regions, take fill.kind = 'random', which "
        "keeps clear of other groups, or make them one group (mix)"
    )


def _outside(solver: Any, moment: Moment) -> list[Finding]:
    scene, model = solver.model.scene, solver.model
    if scene.box is None:
        return []
    position = moment.position
    outside = (((position < scene.box.low) | (position > scene.box.high)) & ~model.periodic).any(axis=1)
    if not outside.any():
        return []
    g = int(np.flatnonzero(outside)[0])
    where = np.array2string(position[g], precision=4, separator=", ")
    return [Finding(
        _group(solver, g), f"{int(outside.sum())} grains start outside the box, the first at {where} m",
        "a grain outside the box stops the run", "enlarge the box or move the fill",
    )]  # fmt: skip


def _wrong_side(solver: Any) -> list[Finding]:
    """Grains inside a solid mesh, or outside one that should hold them."""
    findings = []
    spheres = solver.snapshot().sphere_position
    for index, wall in enumerate(solver.model.scene.walls):
        shape = wall.shape
        if not isinstance(shape, Mesh) or shape.side == "both" or wall.appears > 0 or not wall.present:
            continue
        corners = shape.corners()
        points = rotate(conjugate(shape.orientation()), spheres - np.asarray(shape.position))
        near = np.flatnonzero(((points >= corners.min(axis=(0, 1))) & (points <= corners.max(axis=(0, 1)))).all(axis=1))
        turns = np.zeros(len(near))
        grids.winding(points[near], corners, turns)
        wrong = np.full(len(points), shape.side == "inside")
        wrong[near] ^= turns > 0.5
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            where = np.array2string(spheres[at], precision=4, separator=", ")
            findings.append(Finding(
                f"walls[{index}]", f"{int(wrong.sum())} spheres start on the wrong side of {wall.name!r}, the first at "
                f"{where} m", f"grains belong on its {shape.side}", "move the fill or the wall, or change side",
            ))  # fmt: skip
    return findings


def _notes(model: Model) -> list[Finding]:
    return [Finding(f"walls[{k}]", note) for k, wall in enumerate(model.scene.walls) for note in wall.shape.notes()]


def giving(model: Model) -> list[Finding]:
    """Laws that can make energy."""
    if model.scene.solver == "hard":
        return []
    found = {"contact": model.law} | ({"wall_contact": model.wall_law} if model.wall_law != model.law else {})
    return [
        Finding(
            f"{where}.law", f"{law.key!r}", "on some paths a contact gives more energy than it got",
            "the report says what was made; `linear`, and `hertz` with tangential = \"thornton\", never make any",
        )
        for where, law in found.items()
        if not law.passive
    ]  # fmt: skip


def _cut_off(model: Model) -> list[Finding]:
    """Walls that end beyond one face of a periodic box, or lie in it: grains at the other end pass through them there.

    Not those that have a twin a period away.
    """
    if not model.walls.repeated:
        return []
    ends = [k for k in range(len(model.scene.walls)) if model.walls.shape_table[model.walls.wall == k, -3:].any()]
    high = model.low + model.box
    places = {k: np.concatenate(model.scene.walls[k].shape.outline(model.low, high)) for k in ends}
    findings = []
    for k, axis in ((k, int(axis)) for k in ends for axis in np.flatnonzero(model.periodic)):
        period, slack = np.where(np.arange(3) == axis, model.box, 0.0), 1e-9 * float(model.box[axis])
        first, last = places[k][:, axis].min(), places[k][:, axis].max()
        for face, inwards in ((model.low[axis], 1), (high[axis], -1)):
            other, way = face + inwards * model.box[axis], "xyz"[axis]
            outer, inner = (first, last) if inwards > 0 else (last, first)
            lies = abs(first - face) <= slack and abs(last - face) <= slack
            beyond = (face - outer) * inwards > slack and (inner - face) * inwards > slack
            if not lies and not (beyond and (other - inner) * inwards > -slack):
                continue
            twin = places[k] + inwards * period
            if any(len(one) == len(twin) and np.allclose(one, twin, rtol=0, atol=slack) for one in places.values()):
                continue
            what = f"{model.scene.walls[k].name!r} {'lies in' if lies else 'ends beyond'} the periodic face"
            findings.append(Finding(
                f"walls[{k}]", f"{what} {way} = {face:.4g} m",
                f"grains at the other end, {way} = {other:.4g} m, do not meet it there",
                f"add the same wall a period ({model.box[axis]:.4g} m) further, or move it into the box",
            ))  # fmt: skip
    return findings


def small_box(solver: Any, grains: Grains) -> list[Finding]:
    """Periodic axes that are too short for the grains."""
    model, least, lengths = solver.model, solver.least_period, solver.model.box
    findings = [
        Finding(f"box ({'xyz'[axis]})", f"{lengths[axis]:.4g} m", f"a periodic axis must be at least {least:.4g} m",
                "make it longer, so that no grain touches the same neighbour on both sides")
        for axis in range(3)
        if model.periodic[axis] and lengths[axis] < least
    ]  # fmt: skip
    return findings + course.thinning(model.scene, lengths, grains.sphere_radius, least)


def idle_sources(solver: Any) -> list[Finding]:
    """Sources that could never pour a grain, or only lose them."""
    scene, findings = solver.model.scene, []
    moved = {getattr(action, "wall", None) for event in scene.events for action in event.do}
    lasting = [w.name for w in scene.walls if w.vanishes is None and not w.motion and w.name not in moved]
    for index in range(len(scene.sources)):
        where, tried = f"sources[{index}].region", Pourer(scene, index).sample(TRIES)
        if not solver.room(tried, walls=lasting).any():
            findings.append(Finding(where, "lies inside walls", "there must be room for a grain", "move the region"))
        for sink in scene.sinks:
            if (space_in(scene, sink.region).holds(tried.position) != sink.outside).all():
                what = f"lies in the sink {sink.name!r}, which would take every grain at once"
                findings.append(Finding(where, what, "they must be apart", "move one of them"))
        if scene.box is not None:
            outside = ((tried.position < scene.box.low) | (tried.position > scene.box.high)) & ~solver.model.periodic
            if outside.any():
                findings.append(Finding(where, "reaches beyond `box`", "a grain outside the box stops the run"))
    return findings


def _soft(solver: Any, grains: Grains) -> list[Finding]:
    speed = impact_speed(solver.model, grains)
    depths = (encounter.depth(speed) for encounter in encounters(solver.model, grains))
    depth = max(depths, default=0.0) / float(grains.sphere_radius.min())
    if depth <= SOFT:
        return []
    return [Finding(
        "materials", f"an impact at {speed:.3g} m/s would press grains {100 * depth:.0f}% of a radius into each other",
        f"up to {100 * SOFT:.0f}% is sound", "raise young, or let grains fall less far",
    )]  # fmt: skip


def _wall_steps(model: Model) -> list[Finding]:
    """Steps so long that a grain may pass through a wall without being seen deep in it.

    Steps that move it by x of its radius leave it no farther than x/2 of it from the surface that it crosses.
    """
    limit, sure = model.scene.wall_step_limit, 2 * (1 - soft_watch.MOST_OVERLAP)
    if limit < sure or not len(model.walls):
        return []
    return [Finding(
        "wall_step_limit", f"{limit:g}", f"only below {sure:g} a grain that passes a thin wall is sure to be seen",
        "leave it out, unless that is what you study",
    )]  # fmt: skip


def _odd_sizes(solver: Any) -> list[Finding]:
    """Units that look wrong."""
    radius = solver.snapshot().sphere_radius
    if not len(radius):
        return []
    findings = []
    if radius.max() > 100 or radius.min() < 1e-7:
        size = f"{2 * radius.min():.3g} … {2 * radius.max():.3g} m"
        findings.append(Finding("grains", f"spheres of {size} across", "is that the unit you meant?", "sizes are in m"))
    for name, material in solver.model.scene.materials.items():
        if not 10 < material.density < 25000:
            findings.append(Finding(
                f"materials.{name}.density", f"{material.density:g} kg/m³", "is that the unit you meant?",
                "densities are in kg/m³",
            ))  # fmt: skip
    return findings


def _group(solver: Any, grain: int) -> str:
    return str(solver.model.scene.group_places()[int(solver.arrays["group"][grain])])
