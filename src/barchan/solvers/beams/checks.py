"""Before a run with triangles: can the scene as a whole go well, and with which time step?"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from barchan import registry
from barchan.errors import Finding, SceneError
from barchan.model.build import Model
from barchan.model.build_triangles import Triangles, build_triangles
from barchan.model.encounters import servo_masses
from barchan.model.grains import Grains
from barchan.model.pour import Pourer
from barchan.model.timestep import STATED, TimeStep, impact_speed
from barchan.model.triangles import template
from barchan.scene.materials import flat_young, surface
from barchan.scene.polygons import FLAT_SHAPES, IrregularGrain
from barchan.scene.scene import Scene
from barchan.solvers import common, servo_limits
from barchan.solvers.beams import arrays, changes, start, walls
from barchan.solvers.beams.layout import FULL
from barchan.solvers.beams.watch import MOST_STRETCH
from barchan.solvers.soft.checks import idle_sources, small_box

STEPS_PER_PERIOD = 60  # steps in which the quickest vibration or collision is resolved
# The same in `exact` contact, for 1e-6 of the energy: where a crossing passes a corner, the force has a kink.
STEPS_IN_EXACT = 400
FEWEST_PER_PERIOD = 12
DAMPED = 0.1  # of the time in which beams damp the lightest triangle, that a step takes at the most
STABLE = {"gear": 0.35, "verlet": 0.9}  # the same, beyond which the integrators feed what they should damp
MOST_OVERLAP = 0.1  # of the smaller triangle's area, at the start
MOST_GIVE, MOST_BLOW = 0.3, 1.0  # of a beam's length, under its grain's weight and in an impact: told as a warning
SOFT = 0.3  # of a triangle's area in an impact: told as a warning
LISTED = 4
OUTLINES = 200  # times each end of a source's sizes, if it pours irregular grains
FLAT = 'the solver "beams" has flat grains of triangles'


def check(model: Model, grains: Grains) -> list[Finding]:
    """Warnings about a scene at its start; SceneError with all errors where there are any."""
    errors = [*_unknown_to_it(model), *_unknown_surfaces(model.scene), *walls.refuse(model)]
    if not errors:
        bound = arrays.bounds(build_triangles(model.scene, grains.join(model.poured)).body)
        reach = float(bound.max(initial=0.0))
        errors = walls.too_long(model, 2 * reach)
        errors += walls.too_short(model, model.scene.beams.wall_thickness or reach or 1e-3)
    if errors:
        raise SceneError(errors)
    servo_limits.refuse(model, grains)
    a = start.arrays(model, grains, triangles := build_triangles(model.scene, grains))
    least = start.least_period(model, grains, triangles, a)
    errors = [
        *_overlaps(model, grains, a), *_outside(model, grains), *small_box(model, grains, least),
        *idle_sources(model, functools.partial(changes.clear_of_walls, model, a)),
    ]  # fmt: skip
    if errors:
        raise SceneError(errors)
    everything = grains.join(model.poured)
    return [*_soft(model, everything), *_thin(model, everything), *_weak(model, everything), *_idle(model, triangles)]


def _unknown_to_it(model: Model) -> Iterator[Finding]:
    scene = model.scene
    for where, kind in zip(scene.group_places(), scene.group_shapes(), strict=True):
        if not isinstance(kind, FLAT_SHAPES):
            known = ", ".join(shape.key for shape in FLAT_SHAPES)
            yield Finding(f"{where}.shape", kind.key, FLAT, f"known: {known}")
    if scene.dimensions != 2:
        yield Finding("dimensions", str(scene.dimensions), FLAT, "set dimensions = 2")
    if scene.tethers:
        yield Finding("tethers", f"{len(scene.tethers)} of them", 'the solver "beams" has none', "leave them out")
    for name, there in (("drag", scene.drag > 0), ("deformation", scene.deformation is not None)):
        if there:
            yield Finding(name, "is set", 'the solver "beams" does not know it', 'use solver = "soft"')
    if scene.stiction is not None or not scene.rotation:
        yield Finding("stiction" if scene.stiction else "rotation", "is set", 'the solver "beams" does not know it')
    if scene.start is not None:
        yield Finding("start", str(scene.start), "only spheres can be handed over", "begin with a fill")
    for name, law in (("contact", scene.contact), ("wall_contact", scene.wall_contact)):
        if law != registry.part("laws", "hertz")():
            yield Finding(name, f"the law {law.key!r}", "triangles have beams.contact instead", "leave it out")
    if scene.integrator != registry.part("integrators", "verlet")():
        yield Finding("integrator", scene.integrator.key, "triangles have beams.integrator instead", "leave it out")


def _unknown_surfaces(scene: Scene) -> Iterator[Finding]:
    """What materials and pairs say of contacts that triangles do not have."""
    told: list[tuple[str, Any]] = [(f"materials.{name}", material) for name, material in scene.materials.items()]
    told += [(f"pairs[{k}]", pair) for k, pair in enumerate(scene.pairs)]
    for where, one in told:
        if one.restitution is not None:
            yield Finding(f"{where}.restitution", f"{one.restitution:g}", "contacts of triangles have none",
                          "leave it out: beams.damping takes energy from impacts")  # fmt: skip
        if one.tangential_restitution not in (None, 1.0):
            yield Finding(f"{where}.tangential_restitution", f"{one.tangential_restitution:g}", "hard spheres have it",
                          "use friction")  # fmt: skip
        if one.rolling_friction or one.rolling_viscosity:
            yield Finding(where, "has rolling resistance", "grains of triangles have corners instead", "leave it out")


def _samples(model: Model) -> Grains:
    """Grains that sources may pour, the smallest and the largest: of irregular ones so many that a slim one is among
    them.
    """
    irregular = any(isinstance(source.shape, IrregularGrain) for source in model.scene.sources)
    return model.poured.take(np.tile(np.arange(len(model.poured)), OUTLINES if irregular else 1))


def _to_come(model: Model) -> float:
    """How many triangles sources pour in the whole run, about."""
    scene, total = model.scene, 0.0
    for k, source in enumerate(scene.sources):
        assert isinstance(source.shape, FLAT_SHAPES), "checked before"
        lasts = min(scene.duration, source.end or math.inf) - source.start
        rate = source.rate if source.rate is not None else math.inf
        if source.mass_rate is not None:
            pourer = Pourer(scene, k)
            rate = source.mass_rate / pourer.mass_of(pourer.size_at(0.0))
        number = min(source.count or math.inf, rate * lasts if lasts > 0 else 0.0)
        total += number * len(template(source.shape).corners)
    return total


def _overlaps(model: Model, grains: Grains, a: start.Arrays) -> list[Finding]:
    behind = start.behind_walls(model, a)
    first, second, depth = start.overlaps(model, a, behind)
    ids, found, places = grains.id, [], model.scene.group_places()
    allowed = f"at the start overlaps must stay below {100 * MOST_OVERLAP:.0f}%"
    deep = np.flatnonzero(depth > MOST_OVERLAP)
    deep = deep[np.lexsort((second[deep], first[deep], -depth[deep].round(9)))]
    _, deepest = np.unique(np.stack([first[deep], second[deep]]), axis=1, return_index=True)
    for k in deep[np.sort(deepest)][:LISTED]:  # each two grains once
        one, two = int(first[k]), int(second[k])
        other = f"wall {model.walls.names[-1 - two]!r}" if two < 0 else f"grain {ids[two]}"
        what = f"grain {ids[one]} has {100 * depth[k]:.0f}% of a triangle in {other}"
        found.append(Finding(places[grains.group[one]], what, allowed, "give the fill more room, or move the wall"))
    share, owner = behind.max(axis=1, initial=0.0), a["grain"][: len(behind)]
    deep = np.flatnonzero(share > MOST_OVERLAP)
    deep = deep[np.argsort(-share[deep], kind="stable")]
    _, deepest = np.unique(owner[deep], return_index=True)
    for row in deep[np.sort(deepest)][:LISTED]:
        grain = int(owner[row])
        what = f"grain {ids[grain]} has {100 * share[row]:.0f}% of a triangle behind a wall"
        remedy = "move the fill or the wall, or turn the wall's normal round"
        found.append(Finding(places[grains.group[grain]], what, allowed, remedy))
    return found


def _outside(model: Model, grains: Grains) -> list[Finding]:
    box = model.scene.box
    if box is None:
        return []
    place = grains.position - common.turns(model, grains.position)
    outside = ((place < np.array(box.low)) | (place > np.array(box.high))) & ~model.periodic
    outside = outside[:, [0, 2]].any(axis=1)
    if not outside.any():
        return []
    what = f"{int(outside.sum())} grains start outside the box"
    return [Finding("grains", what, "a grain outside the box stops the run", "enlarge the box or move the fill")]


def _soft(model: Model, grains: Grains) -> list[Finding]:
    triangles = build_triangles(model.scene, grains)
    speed = impact_speed(model, grains)
    depth, _ = _pressed(model, grains, speed)
    share = depth**2 / float(triangles.area.min())
    if share <= SOFT:
        return []
    return [Finding(
        "materials", f"an impact at {speed:.3g} m/s would press corners {1e3 * depth:.2g} mm into each other",
        f"up to {100 * SOFT:.0f}% of a triangle's area is sound", "raise young, or let grains fall less far",
    )]  # fmt: skip


def _thin(model: Model, grains: Grains) -> list[Finding]:
    """Strips that a corner may pierce: beyond them nothing holds it, and no triangle need lie deep in another."""
    thickness, speed = model.scene.beams.wall_thickness, impact_speed(model, grains)
    strips = [wall.name for wall in model.scene.walls if not walls.is_smooth(wall)]
    depth, _ = _pressed(model, grains, speed)
    if thickness is None or not strips or thickness >= depth:
        return []
    return [Finding(
        "beams.wall_thickness", f"{1e3 * thickness:.2g} mm",
        f"an impact at {speed:.3g} m/s goes {1e3 * depth:.2g} mm deep, and grains may pass through {strips[0]!r}",
        f"take {_upwards(2e3 * depth)} mm or more, or raise young",
    )]  # fmt: skip


def _idle(model: Model, triangles: Triangles) -> list[Finding]:
    """Limits of beams that nothing can reach."""
    breakage, yielding = model.scene.beams.breakage, model.scene.beams.yielding
    findings = []
    if (breakage or yielding) and not len(triangles.ends) and not model.scene.sources:
        name = "breakage" if breakage else "yielding"
        findings.append(
            Finding(f"beams.{name}", "is there", "no grain has beams", "leave it out, or take other shapes")
        )
    if breakage and breakage.stretch is not None and breakage.stretch >= MOST_STRETCH:
        findings.append(Finding(
            "beams.breakage.stretch", f"{breakage.stretch:g}",
            f"a run stops where a beam is drawn out by {100 * MOST_STRETCH:.0f}%", f"take less than {MOST_STRETCH:g}",
        ))  # fmt: skip
    for field, unit in (("force", "N"), ("moment", "N m")):
        breaks, yields = getattr(breakage, field, None), getattr(yielding, field, None)
        if breaks is not None and yields is not None and breaks >= yields:
            findings.append(Finding(
                f"beams.breakage.{field}", f"{breaks:g} {unit}", f"beams yield at {yields:g} {unit}, and bear no more",
                f"take less than beams.yielding.{field}, or let them break by stretch",
            ))  # fmt: skip
    return findings


def _weak(model: Model, grains: Grains) -> list[Finding]:
    """Whether beams, whose defaults are for grains of mm, bear the weight of their grain and the blows it may get.

    A beam that takes the weight m g of its grain gives way by m g/k, and one that stops a triangle of mass M at the
    speed v by v √(M/k), where k is E along the beam, and 12 E I/L³ across it.
    """
    beams, triangles = model.scene.beams, build_triangles(model.scene, grains)
    ends, size = triangles.ends, triangles.length
    if not len(size):
        return []
    holds = beams.stiffness * np.minimum(1.0, 12 * beams.inertia / size**3)
    speed, weight = impact_speed(model, grains), grains.mass * float(np.linalg.norm(model.gravity))
    borne = weight[triangles.grain[ends[:, 0]]] / (MOST_GIVE * size)
    struck = triangles.mass[ends].max(axis=1) * (speed / (MOST_BLOW * size)) ** 2
    needed = np.maximum(borne, struck)
    b = int(np.argmax(needed / holds))
    if needed[b] <= holds[b]:
        return []
    give, why, most = weight[triangles.grain[ends[b, 0]]] / holds[b], "under the weight of its grain", MOST_GIVE
    if struck[b] > borne[b]:
        give, most = speed * math.sqrt(triangles.mass[ends[b]].max() / holds[b]), MOST_BLOW
        why = f"in an impact at {speed:.3g} m/s"
    stiffness = max(beams.stiffness, float(needed.max()))
    inertia = max(beams.inertia, float(np.max(needed * size**3)) / (12 * stiffness))
    return [Finding(
        "beams", f"a beam of {size[b]:.2g} m would give way by {give:.2g} m {why}",
        f"up to {100 * most:.0f}% of its length is sound",
        f"take stiffness = {_upwards(stiffness)} and inertia = {_upwards(inertia)}, or more",
    )]  # fmt: skip


def _upwards(value: float) -> str:
    """A number of one digit that is not less."""
    power = 10.0 ** math.floor(math.log10(value))
    return f"{math.ceil(value / power - 1e-9) * power:.1g}"


def _pressed(model: Model, grains: Grains, speed: float) -> tuple[float, float]:
    """How deep, m, a right-angled corner goes at this speed in the softest contact, and the stiffness, N/m, of the

    stiffest one, among materials that grains may meet.
    A quarter of m v² is what two equal grains have to give. The paper's force is Y δ², its energy Y δ³/3. In `exact`
    contact the energy is FULL · Y area³/total^(3/2): a corner has the area δ²; a side that is met flat, the stiffer
    case, has the area ℓ δ with ℓ² = 4 total, hence the energy 8 FULL · Y δ³.
    """
    scene = model.scene
    young = np.array([flat_young(scene, a, b) for a, b in _meetings(scene)])
    given = 0.25 * float(np.median(grains.mass)) * speed**2 / young
    if scene.beams.contact == "paper":
        depth = (3 * given) ** (1 / 3)
        return float(depth.max()), float(np.max(2 * young * depth))
    total = float(np.median(build_triangles(scene, grains).area))
    flat = (given / (8 * FULL)) ** (1 / 3)
    return float(np.max(given / FULL * total**1.5)) ** (1 / 6), float(np.max(48 * FULL * young * flat))


def _meetings(scene: Scene) -> list[tuple[str, str]]:
    """The materials of grains, each with those of grains and walls."""
    own = {group.material for group in scene.grains} | {source.material for source in scene.sources}
    return list(itertools.product(sorted(own), sorted(own | {wall.material for wall in scene.walls})))


def choose(model: Model, grains: Grains) -> TimeStep:
    """The scene's time step where it states one, else the shortest period over STEPS_PER_PERIOD."""
    scene, grains = model.scene, grains.join(_samples(model))
    triangles = build_triangles(scene, grains)
    beams, frame = scene.beams, 1 / scene.frame_rate
    bending = beams.stiffness * beams.inertia
    count = len(triangles)
    lateral = beams.stiffness + 12 * bending / triangles.length**3
    arm = np.hypot(triangles.foot[:, 0], triangles.foot[:, 1]), np.hypot(triangles.foot[:, 2], triangles.foot[:, 3])
    push, turn = np.zeros(count), np.zeros(count)
    for end in (0, 1):
        push += np.bincount(triangles.ends[:, end], lateral, count)
        own = 4 * bending / triangles.length + lateral * arm[end] ** 2
        turn += np.bincount(triangles.ends[:, end], own, count)
    grip = _grips(scene, triangles)
    push, turn = push + grip, turn + grip * np.max(np.sum(triangles.body.reshape(-1, 3, 2) ** 2, axis=2), axis=1)
    _, hold = _pressed(model, grains, impact_speed(model, grains))
    square = max(
        float(2 * np.max((push + hold) / triangles.mass)), float(2 * np.max(turn / triangles.inertia)), 1e-300
    )  # fmt: skip
    for _, mass in servo_masses(model, grains):  # pressed by as many triangles as stand in a row
        stiff = hold + float(grip.max(initial=0.0))
        square = max(square, 2 * stiff * math.sqrt(count + _to_come(model)) / mass)
    period, rate = 2 * math.pi / math.sqrt(square), _damping_rate(scene, triangles)
    if scene.time_step is not None:
        if scene.time_step > period / FEWEST_PER_PERIOD:
            raise SceneError(Finding(
                "time_step", f"{scene.time_step:.3g} s",
                f"the quickest vibration takes {period:.3g} s and needs at least {FEWEST_PER_PERIOD} steps",
                f"leave time_step out, or take at most {period / STEPS_PER_PERIOD:.2g} s",
            ))  # fmt: skip
        if scene.time_step * rate > STABLE[beams.integrator]:
            raise SceneError(Finding(
                "time_step", f"{scene.time_step:.3g} s",
                f"beams damp the motion of the lightest triangles within {1 / rate:.3g} s, which such steps would heat",
                f"leave time_step out, or take at most {DAMPED / rate:.2g} s",
            ))  # fmt: skip
        return TimeStep.fitting(scene.time_step, frame, STATED)
    steps = STEPS_PER_PERIOD if beams.contact == "paper" else STEPS_IN_EXACT
    why = f"1/{steps} of the quickest vibration of beams and contacts, {period:.3g} s"
    step = period / steps
    if step * rate > DAMPED:
        step, why = (
            DAMPED / rate,
            f"{DAMPED:g} of the time in which beams damp the lightest triangles, {1 / rate:.3g} s",
        )
    return TimeStep.fitting(step, frame, why)


def _grips(scene: Scene, triangles: Triangles) -> np.ndarray:
    """The stiffness (T,) N/m against slip of the stiffest contact that each triangle may have, if friction holds it."""
    rough = [flat_young(scene, a, b) for a, b in _meetings(scene) if surface(scene, a, b, False).friction > 0]
    return np.asarray(scene.beams.grip * max(rough, default=0.0) * np.sqrt(triangles.area))


def _damping_rate(scene: Scene, triangles: Triangles) -> float:
    """The rate, 1/s, at which beams damp the motion of the triangle on which they do so most, at the most.

    A beam resists stretch with λ, and each of its ends turning against the chord with λI/L: across the chord that is
    2 λI/L³. Triangles that move against their neighbours have twice the rate that neighbours at rest would give them.
    """
    count, beams = len(triangles), scene.beams
    turning = beams.damping * beams.inertia
    lateral = beams.damping + 2 * turning / triangles.length**3
    push, turn = np.zeros(count), np.zeros(count)
    for end in (0, 1):
        arm = np.sum(triangles.foot[:, 2 * end : 2 * end + 2] ** 2, axis=1)
        push += np.bincount(triangles.ends[:, end], lateral, count)
        turn += np.bincount(triangles.ends[:, end], turning / triangles.length + lateral * arm, count)
    return max(2 * float(np.max(push / triangles.mass)), 2 * float(np.max(turn / triangles.inertia)), 1e-300)
