"""Which bodies of a scene may touch each other, how short such contacts are, and how strongly they are damped."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from barchan.laws import Contact, Law, Surface, length
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.motions.servo import Servo
from barchan.scene.materials import surface
from barchan.scene.tethers import Tether

TOUCH = 1e-6  # of the impact speed: an approach so slow changes a force by its damping, and by nothing else
CREEP = 1e-12  # of the impact speed: a slip so slow is below what laws take for slipping
LOADED = 0.1  # of an impact's depth: grains that lie in a packing are pressed into each other no more than that
CROWD = 2.0  # a grain lies among several others, which all damp it, but hardly ever at several walls


class Encounter(NamedTuple):
    """A kind of contact that a scene may have, of the lightest grains of a group."""

    law: Law
    surface: Surface
    radius: float  # m, effective
    mass: float  # kg, effective, of both bodies as they give way to a push off their centres
    whole: float  # kg, effective, of both bodies as a law sees them
    crowd: float  # how many such contacts at once damp a grain's motion in one direction
    turning: float  # how many times lighter they are against friction, since they turn

    def contact_time(self, speed: float) -> float:
        """Duration, s, of a collision at `speed` (m/s)."""
        return self.law.contact_time(self.surface, self.radius, self.mass, speed)

    def depth(self, speed: float) -> float:
        """How deep, m, a collision at `speed` (m/s) goes: the speed falls to zero in half the duration.

        Damping that leaves a restitution e makes it √e times as deep where the contact is linear, and e^0.4 times where
        it is Hertz's: the deepest point of a damped oscillator, with the same exponent in both (see `damping_ratio`).
        """
        left = 1.0 if self.surface.restitution is None else self.surface.restitution**0.4
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
        return self.crowd * max(approach / self.mass, self.turning * slip / self.whole)


def encounters(model: Model, grains: Grains) -> Iterator[Encounter]:
    """Those of the lightest grains of every group with each other, with every wall, and with walls that forces move."""
    scene = model.scene
    materials = list(scene.materials)
    others = {materials[m] for m in np.unique(grains.material)}
    walls = {materials[m] for m in np.unique(model.walls.material)}
    servos = servo_masses(model, grains)
    for group in np.unique(grains.group):
        mine = np.flatnonzero(grains.group == group)
        at = mine[np.argmin(grains.mass[mine])]
        small = float(grains.sphere_radius[grains.start[at] : grains.start[at + 1]].min())
        whole, inertia = float(grains.mass[at]), float(grains.inertia[at].min())
        # A clump that is hit off its centre gives way by turning: its effective mass is smaller.
        mass = whole / (1 + whole * float(grains.radius[at] - small) ** 2 / inertia)
        turning = 1 + whole * float(grains.radius[at]) ** 2 / inertia if scene.rotation else 1.0
        name = materials[grains.material[at]]
        for other in others if len(grains) > 1 or scene.sources else ():
            pair = surface(scene, name, other, False)
            yield Encounter(model.law, pair, small / 2, mass / 2, whole / 2, CROWD, turning)
        for wall in walls:
            yield Encounter(model.wall_law, surface(scene, name, wall, True), small, mass, whole, 1.0, turning)
        for wall, moved in servos:
            light, both = mass * moved / (mass + moved), whole * moved / (whole + moved)
            yield Encounter(model.wall_law, surface(scene, name, wall, True), small, light, both, 1.0, turning)


def servo_masses(model: Model, grains: Grains) -> list[tuple[str, float]]:
    """Material of every wall that forces move, and how heavy, kg, it feels to a grain that hits it."""
    found = []
    for wall in model.scene.walls:
        if wall.motion and isinstance(wall.motion[-1], Servo):
            servo = wall.motion[-1]
            arm = float(np.linalg.norm(grains.position - np.array(servo.center), axis=1).max(initial=0.0))
            found.append((wall.material, servo.mass or (servo.inertia or 1.0) / max(arm**2, 1e-300)))
    return found


def contact_time(model: Model, grains: Grains, speed: float) -> float:
    """The shortest collision at `speed` (m/s), or half swing of a tethered grain, s; a frame where there is none."""
    times = [encounter.contact_time(speed) for encounter in encounters(model, grains)]
    times += [math.pi * math.sqrt(mass / tether.stiffness) for tether, mass in _tethered(model, grains)]
    return min(times, default=1 / model.scene.frame_rate)


def damping_time(model: Model, grains: Grains, speed: float) -> float:
    """The shortest time, s, in which damping of contacts, tethers or drag stops a motion; none: inf."""
    rates = [encounter.damping_rate(speed) for encounter in encounters(model, grains)]
    rates += [tether.damping / mass for tether, mass in _tethered(model, grains)]
    if model.scene.drag and len(grains):
        rates.append(model.scene.drag / float(grains.mass.min()))
    most = max(rates, default=0.0)
    return 1 / most if most > 0 else math.inf


def _tethered(model: Model, grains: Grains) -> Iterator[tuple[Tether, float]]:
    """Every tether, and the mass, kg, of the lightest grain it holds."""
    names = [group.name for group in model.scene.grains]
    for tether in model.scene.tethers:
        yield tether, float(grains.mass[grains.group == names.index(tether.group)].min())
