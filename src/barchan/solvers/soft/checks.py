"""Before a run: can the scene as a whole go well? Each finding says where, what, what was expected, what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import conjugate, rotate
from barchan.model import course
from barchan.model.build import Model
from barchan.model.encounters import encounters
from barchan.model.grains import Grains
from barchan.model.place import space_in
from barchan.model.pour import Pourer
from barchan.model.room import spheres_of
from barchan.model.timestep import choose as choose
from barchan.model.timestep import impact_speed
from barchan.model.touching import frames_at, inside, joined, touching
from barchan.parts.fills._scatter import near_pairs
from barchan.parts.regions import Space
from barchan.parts.wall_shapes.mesh import Mesh
from barchan.scene.polygons import FLAT_SHAPES
from barchan.solvers import common, servo_limits
from barchan.solvers.soft import box, watch
from barchan.solvers.soft.arrays import FIRST_SKIN

MOST_OVERLAP = 0.1  # of the smaller radius, at the start
SOFT = 0.2  # of the radius: a deeper impact is told as a warning
TRIES = 500  # places in a source's region at which a grain is tried
LISTED = 4  # findings of one kind that are told one by one


def check(model: Model, grains: Grains) -> list[Finding]:
    """Warnings about a scene of soft spheres at its start; SceneError with all errors where there are any."""
    flat_shapes(model)
    if sticky := [k for k, wall in enumerate(model.scene.walls) if wall.sticky]:
        raise SceneError([
            Finding(f"walls[{k}].sticky", "true", "soft spheres are not held by walls", 'use solver = "hard"')
            for k in sticky
        ])  # fmt: skip
    box.refuse(model, grains)
    warnings = spheres(Start.of(model, grains), _least_period(model, grains))
    return [*warnings, *giving(model), *_soft(model, grains.join(model.poured)), *_wall_steps(model)]


def spheres(start: Start, least: float) -> list[Finding]:
    """The same of any spheres; no periodic axis may be shorter than `least`, m."""
    model, grains = start.model, start.grains
    servo_limits.refuse(model, grains)
    errors = [
        *_overlaps(start), *_outside(start), *_wrong_side(start), *small_box(model, grains, least),
        *idle_sources(model, start.clear),
    ]  # fmt: skip
    if errors:
        raise SceneError(errors)
    return [*_notes(model), *_cut_off(model), *_odd_sizes(model, grains)]


def flat_shapes(model: Model) -> None:
    """SceneError where grains of triangles are given to a solver of spheres."""
    kinds = zip(model.scene.group_places(), model.scene.group_shapes(), strict=True)
    flat = [(where, shape.key) for where, shape in kinds if isinstance(shape, FLAT_SHAPES)]
    if flat:
        raise SceneError([
            Finding(f"{where}.shape", key, f"the solver {model.scene.solver!r} has grains of spheres",
                    'use solver = "beams"') for where, key in flat
        ])  # fmt: skip


class Start(NamedTuple):
    """The spheres and walls of a scene at its start, in a periodic box."""

    model: Model
    grains: Grains
    position: np.ndarray  # (N, 3) m
    ball: np.ndarray  # (M, 4) m
    owner: np.ndarray  # (M,) rows of the grains
    frames: np.ndarray  # (F, 7) as in `touching`
    present: np.ndarray  # (P,) bool, pieces of walls that are there
    joins: bool  # facets join, and a box repeats walls; if not, what a sticky wall holds touches no other

    @classmethod
    def of(cls, model: Model, grains: Grains, *, joins: bool = True) -> Start:
        """The start of a scene."""
        shift = common.turns(model, grains.position)
        ball, owner = spheres_of(grains)
        ball[:, :3] -= shift[owner]
        poses, present = common.walls_at_start(model)
        return cls(model, grains, grains.position - shift, ball, owner, frames_at(model.walls, poses), present, joins)

    def clear(self, grains: Grains, names: Sequence[str]) -> np.ndarray:
        """Which of these grains, (N,) bool, would touch none of the walls of these names that are there."""
        walls = self.model.walls
        asked = np.array([walls.names[wall] in names for wall in walls.wall], bool)
        ball, owner = spheres_of(grains)
        free = np.ones(len(grains), bool)
        pieces = np.flatnonzero(self.present & asked)
        free[owner[touching(walls, self.frames, ball, pieces, repeats=self.joins).sphere]] = False
        return free

    def contacts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of two grains, or of one and −1 − wall, and the overlap over the smaller radius: (C,) each."""
        row, wall, into = self._at_walls()
        ball, model = self.ball, self.model
        if len(ball) < 2:
            return row, -1 - wall, into
        space = Space(model.low, model.low + model.box, model.periodic)
        place = space.wrap(ball[:, :3])
        i, j = np.sort(near_pairs(space, place, ball[:, 3], 0.0), axis=0)
        apart = np.linalg.norm(space.nearest_image(place[i] - place[j]), axis=1)
        depth = (ball[i, 3] + ball[j, 3] - apart) / np.minimum(ball[i, 3], ball[j, 3])
        own = self.owner[i] == self.owner[j]
        pairs = self.owner[i[~own]], self.owner[j[~own]], depth[~own]
        first, second, depth = (np.concatenate(both) for both in zip(pairs, (row, -1 - wall, into), strict=True))
        return first, second, depth

    def _at_walls(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of grains, walls that they touch, and overlaps over their spheres' radii: (C,) each."""
        walls, scene = self.model.walls, self.model.scene
        found = touching(walls, self.frames, self.ball, np.flatnonzero(self.present), repeats=self.joins)
        row = self.owner[found.sphere]
        if not self.joins:
            sticky = np.array([wall.sticky for wall in scene.walls], bool)[walls.wall[found.piece]]
            free = ~np.isin(row, row[sticky])
            found, row = found.take(free), row[free]
        else:
            found = joined(walls, self.frames, found)
            row = self.owner[found.sphere]
        return row, walls.wall[found.piece], 1.0 - found.distance / self.ball[found.sphere, 3]


def _overlaps(start: Start) -> list[Finding]:
    """Grains inside each other or inside walls."""
    first, second, depth = start.contacts()
    deep = np.flatnonzero(depth > MOST_OVERLAP)
    deep = deep[np.lexsort((second[deep], first[deep], -depth[deep].round(9)))]
    findings, ids = [], start.grains.id
    for k in deep[:LISTED]:
        one, other = int(first[k]), int(second[k])
        where, share = _group(start, one), f"{100 * depth[k]:.0f}% of its radius"
        allowed = f"at the start overlaps must stay below {100 * MOST_OVERLAP:.0f}%"
        if other < 0:
            what = f"grain {ids[one]} is inside wall {start.model.walls.names[-1 - other]!r} by {share}"
            findings.append(Finding(where, what, allowed, "move the fill or the wall, or turn the wall's normal round"))
        else:
            what = f"grains {ids[one]} and {ids[other]} overlap by {share}"
            findings.append(Finding(where, what, allowed, _apart(start, one, other)))
    if len(deep) > LISTED:
        findings.append(Finding("grains", f"and {len(deep) - LISTED} more such overlaps"))
    return findings


def _apart(start: Start, first: int, second: int) -> str:
    """What keeps two grains from overlapping at the start."""
    names = start.model.scene.group_names()
    one, other = (names[int(start.grains.group[row])] for row in (first, second))
    if one == other:
        return "give the fill more room or a larger spacing"
    return (
        f"the fills of {one!r} and {other!r} lie in each other: part their regions, take fill.kind = 'random', which "
        "keeps clear of other groups, or make them one group (mix)"
    )


def _outside(start: Start) -> list[Finding]:
    scene, position = start.model.scene, start.position
    if scene.box is None:
        return []
    outside = (((position < scene.box.low) | (position > scene.box.high)) & ~start.model.periodic).any(axis=1)
    if not outside.any():
        return []
    g = int(np.flatnonzero(outside)[0])
    where = np.array2string(position[g], precision=4, separator=", ")
    return [Finding(
        _group(start, g), f"{int(outside.sum())} grains start outside the box, the first at {where} m",
        "a grain outside the box stops the run", "enlarge the box or move the fill",
    )]  # fmt: skip


def _wrong_side(start: Start) -> list[Finding]:
    """Grains inside a solid mesh, or outside one that should hold them."""
    findings, spheres = [], start.ball[:, :3]
    for index, wall in enumerate(start.model.scene.walls):
        shape = wall.shape
        if not isinstance(shape, Mesh) or shape.side == "both" or wall.appears > 0 or not wall.present:
            continue
        corners = shape.corners()
        points = rotate(conjugate(shape.orientation()), spheres - np.asarray(shape.position))
        near = np.flatnonzero(((points >= corners.min(axis=(0, 1))) & (points <= corners.max(axis=(0, 1)))).all(axis=1))
        wrong = np.full(len(points), shape.side == "inside")
        wrong[near] ^= inside(points[near], corners)
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


def _least_period(model: Model, grains: Grains) -> float:
    """The shortest, m, that a periodic axis may be: no grain may touch the same neighbour on both sides."""
    radius = np.concatenate([grains.sphere_radius, model.poured.sphere_radius])
    return 4.0 * float(radius.max(initial=0.0) + FIRST_SKIN * radius.min(initial=math.inf)) if len(radius) else 0.0


def small_box(model: Model, grains: Grains, least: float) -> list[Finding]:
    """Periodic axes that are too short for the grains: shorter than `least`, m."""
    lengths = model.box
    findings = [
        Finding(f"box ({'xyz'[axis]})", f"{lengths[axis]:.4g} m", f"a periodic axis must be at least {least:.4g} m",
                "make it longer, so that no grain touches the same neighbour on both sides")
        for axis in range(3)
        if model.periodic[axis] and lengths[axis] < least
    ]  # fmt: skip
    return findings + course.thinning(model.scene, lengths, grains.sphere_radius, least)


def idle_sources(model: Model, clear: Callable[[Grains, Sequence[str]], np.ndarray]) -> list[Finding]:
    """Sources that could never pour a grain, or only lose them; clear: which grains touch no walls of some names."""
    scene, findings = model.scene, []
    moved = {name for event in scene.events for action in event.do for name in action.walls()}
    lasting = [w.name for w in scene.walls if w.vanishes is None and not w.motion and w.name not in moved]
    for index in range(len(scene.sources)):
        where, tried = f"sources[{index}].region", Pourer(scene, index).sample(TRIES)
        if not clear(tried, lasting).any():
            findings.append(Finding(where, "lies inside walls", "there must be room for a grain", "move the region"))
        for sink in scene.sinks:
            if (space_in(scene, sink.region).holds(tried.position) != sink.outside).all():
                what = f"lies in the sink {sink.name!r}, which would take every grain at once"
                findings.append(Finding(where, what, "they must be apart", "move one of them"))
        if scene.box is not None:
            outside = ((tried.position < scene.box.low) | (tried.position > scene.box.high)) & ~model.periodic
            if outside.any():
                findings.append(Finding(where, "reaches beyond `box`", "a grain outside the box stops the run"))
    return findings


def _soft(model: Model, grains: Grains) -> list[Finding]:
    speed = impact_speed(model, grains)
    depths = (encounter.depth(speed) for encounter in encounters(model, grains))
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
    limit, sure = model.scene.wall_step_limit, 2 * (1 - watch.MOST_OVERLAP)
    if limit < sure or not len(model.walls):
        return []
    return [Finding(
        "wall_step_limit", f"{limit:g}", f"only below {sure:g} a grain that passes a thin wall is sure to be seen",
        "leave it out, unless that is what you study",
    )]  # fmt: skip


def _odd_sizes(model: Model, grains: Grains) -> list[Finding]:
    """Units that look wrong."""
    radius = grains.sphere_radius
    if not len(radius):
        return []
    findings = []
    if radius.max() > 100 or radius.min() < 1e-7:
        size = f"{2 * radius.min():.3g} … {2 * radius.max():.3g} m"
        findings.append(Finding("grains", f"spheres of {size} across", "is that the unit you meant?", "sizes are in m"))
    for name, material in model.scene.materials.items():
        if not 10 < material.density < 25000:
            findings.append(Finding(
                f"materials.{name}.density", f"{material.density:g} kg/m³", "is that the unit you meant?",
                "densities are in kg/m³",
            ))  # fmt: skip
    return findings


def _group(start: Start, grain: int) -> str:
    return str(start.model.scene.group_places()[int(start.grains.group[grain])])
