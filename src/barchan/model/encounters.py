"""Which bodies of a scene may touch each other, how short such contacts are, and how strongly they are damped."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.parts.laws import Contact, Law, Surface, length
from barchan.parts.motions.servo import Servo
from barchan.scene.materials import surface
from barchan.scene.tethers import Tether
from barchan.scene.walls import Wall

TOUCH = 1e-6  # of the impact speed: an approach so slow changes a force by its damping, and by nothing else
CREEP = 1e-12  # of the impact speed: a slip so slow is below what laws take for slipping
LOADED = 0.1  # of an impact's depth: grains that lie in a packing are pressed into each other no more than that
# How much the rate at which friction slows a slip counts beside that of an approach: less, since Coulomb's limit keeps
# what it throws back small; but clumps in a packing slip at many points at once.
SLIPS, SLIPS_OF_CLUMPS = 0.4, 1.0


class Encounter(NamedTuple):
    """A kind of contact that a scene may have, of the lightest grains of a group."""

    law: Law
    surface: Surface
    radius: float  # m, effective
    mass: float  # kg, effective, of both bodies as they give way to a push off their centres
    whole: float  # kg, effective, as a law sees it: walls have no end of mass
    turning: float  # how many times lighter they are against friction, since they turn
    slips: float  # how much the rate counts at which friction slows a slip

    def contact_time(self, speed: float) -> float:
        """Duration, s, of a collision at `speed` (m/s)."""
        return self.law.contact_time(self.surface, self.radius, self.mass, speed)

    def depth(self, speed: float) -> float:
        """How deep, m, a collision at `speed` (m/s) goes: the speed falls to zero in half the duration.

        Damping that leaves a restitution e makes it √e times as deep where the contact is linear, and e^0.4 times where
        it is Hertz's: the deepest point of a damped oscillator, with the same exponent in both (see `damping_ratio`).
        A law that states its own damping does not go by the restitution: then nothing is taken off.
        """
        own = getattr(self.law, "damping", None) is not None
        left = 1.0 if own or self.surface.restitution is None else self.surface.restitution**0.4
        return self.contact_time(speed) * speed / 3 * left

    def damping_rate(self, speed: float) -> float:
        """How fast, 1/s, its damping slows an approach at `speed` (m/s), or a slip where grains lie on each other.

        The law itself is asked, so this holds for any law: by how much does a slow motion change its force? Friction
        that is as strong at any slip, Coulomb's, is no damping.
        """
        duration, slow, slower = self.contact_time(speed), TOUCH * speed, CREEP * speed
        constants, memory = self.law.constants(self.surface), (0.0,) * max(3, self.law.memory)
        hit = Contact(duration * speed / 3, 0.0, (0.0, 0.0, 0.0), self.radius, self.whole, duration)
        lying = hit._replace(overlap=LOADED * hit.overlap)
        force = type(self.law).force
        at_rest, closing = (force(hit._replace(closing=v), memory, constants)[0] for v in (0.0, slow))
        creeping, twice = (
            length(force(lying._replace(slip=(v, 0.0, 0.0)), memory, constants)[1]) for v in (slower, 2 * slower)
        )
        approach, slip = (closing - at_rest) / slow, (twice - creeping) / slower
        return max(approach / self.mass, self.slips * self.turning * slip / self.whole)


def encounters(model: Model, grains: Grains) -> Iterator[Encounter]:
    """Those of the lightest grains of every group with each other, with every wall, and with walls that forces move."""
    for group in np.unique(grains.group):
        yield from _of_group(model, grains, group)


def _of_group(model: Model, grains: Grains, group: int) -> Iterator[Encounter]:
    scene = model.scene
    materials = list(scene.materials)
    others = {materials[m] for m in np.unique(grains.material)}
    walls = {materials[m] for m in np.unique(model.walls.material)}
    mine = np.flatnonzero(grains.group == group)
    at = mine[np.argmin(grains.mass[mine])]
    radii = grains.sphere_radius[grains.start[at] : grains.start[at + 1]]
    small, whole, inertia = float(radii.min()), float(grains.mass[at]), float(grains.inertia[at].min())
    # A clump that is hit off its centre gives way by turning: its effective mass is smaller.
    mass = whole / (1 + whole * float(grains.radius[at] - small) ** 2 / inertia)
    turning = 1 + whole * float(grains.radius[at]) ** 2 / inertia if scene.rotation else 1.0
    slips = SLIPS if len(radii) == 1 else SLIPS_OF_CLUMPS
    name = materials[grains.material[at]]
    for other in others if len(grains) > 1 or scene.sources else ():
        yield Encounter(model.law, surface(scene, name, other, False), small / 2, mass / 2, whole / 2, turning, slips)
    for wall in walls:
        yield Encounter(model.wall_law, surface(scene, name, wall, True), small, mass, whole, turning, SLIPS)
    for wall, moved in servo_masses(model, grains):  # several grains press it at once: each has its share of it
        share = moved / _side_by_side(grains, 2 * float(grains.radius[at]))
        light = mass * share / (mass + share)
        yield Encounter(model.wall_law, surface(scene, name, wall, True), small, light, whole, turning, SLIPS)


def _side_by_side(grains: Grains, size: float) -> float:
    """How many grains of a size (m) may press a wall at once, on the largest face of the box about all grains."""
    faces = np.sort(np.ptp(grains.position, axis=0) / size + 1)
    return min(float(len(grains)), float(faces[1] * faces[2]))


def servo_masses(model: Model, grains: Grains) -> list[tuple[str, float]]:
    """Material of every wall that forces move, and how heavy, kg, it feels to a grain that hits it."""
    found = []
    for wall, servo in _servos(model):
        arm = float(np.linalg.norm(grains.position - np.array(servo.center), axis=1).max(initial=0.0))
        found.append((wall.material, servo.mass or (servo.inertia or 1.0) / max(arm**2, 1e-300)))
    return found


def _servos(model: Model) -> list[tuple[Wall, Servo]]:
    """Every wall that forces move, and how."""
    return [(wall, last) for wall in model.scene.walls for last in wall.motion[-1:] if isinstance(last, Servo)]


def contact_time(model: Model, grains: Grains, speed: float) -> float:
    """The shortest collision at `speed` (m/s), or half swing of a tethered grain, s; inf where there is none."""
    times = [encounter.contact_time(speed) for encounter in encounters(model, grains)]
    for group in np.unique(grains.group):
        stiffness = sum(tether.stiffness for tether in _tethers(model, group))
        if stiffness:
            times.append(math.pi * math.sqrt(_lightest(grains, group) / stiffness))
    return min(times, default=math.inf)


def damping_time(model: Model, grains: Grains, speed: float) -> float:
    """The shortest time, s, in which damping of contacts, tethers, drag or servos stops a motion; none: inf.

    A grain is slowed by its tethers, by drag and by contacts all at once.
    """
    rates = [(drive[2] / drive[0]) for _, servo in _servos(model) if (drive := servo.drive())[0]]
    for group in np.unique(grains.group):
        held = model.scene.drag + sum(tether.damping for tether in _tethers(model, group))
        touched = max((one.damping_rate(speed) for one in _of_group(model, grains, group)), default=0.0)
        rates.append(held / _lightest(grains, group) + touched)
    most = max(rates, default=0.0)
    return 1 / most if most > 0 else math.inf


def _tethers(model: Model, group: int) -> list[Tether]:
    """Those that hold the grains of a group; what sources pour has none."""
    return [one for one in model.scene.tethers if [g.name for g in model.scene.grains].index(one.group) == group]


def _lightest(grains: Grains, group: int) -> float:
    """Mass, kg, of the lightest grain of a group."""
    return float(grains.mass[grains.group == group].min())
