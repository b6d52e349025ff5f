"""Contact laws: what two bodies that touch do to each other.

One file each, a frozen parameter class and the force as a plain scalar function beside it. A law knows no index, no
array and no box. Its `force` is handed one touching contact and answers with the forces on the first body; `kernels/`
compiles that one function into the loops of every device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from barchan.registry import Part

Vector = tuple[float, float, float]


class Contact(NamedTuple):
    """One touching contact, as a law sees it."""

    overlap: float  # ξ, m, > 0
    closing: float  # ξ̇, m/s, > 0 while the bodies approach
    slip: Vector  # Vt, m/s, velocity of the second body relative to the first, in the contact plane
    radius: float  # R*, m, effective radius of curvature
    mass: float  # m*, kg, effective mass
    step: float  # s, the time step; only for limits that must not overshoot within one step
    half: float = 0.0  # s, for which the present slip has already been added to a vector that the contact remembers


class Surface(NamedTuple):
    """What two materials are to each other: the mechanical input of a law, after per-pair overrides."""

    young: float  # E*, Pa
    shear: float  # G*, Pa
    poisson: float  # mean Poisson's ratio of the two
    friction: float  # static coefficient
    restitution: float | None  # None where neither material states one
    rolling_friction: float  # μr, m
    rolling_viscosity: float  # μτ, m s
    wall: bool  # the second body is a wall
    tangential_restitution: float = 1.0  # εt, of hard spheres


class Law(Part):
    """Base of contact laws.

    A law file holds: a subclass with its `key` and parameters; a NamedTuple of floats (`Constants`); and three
    plain functions named as class attributes with staticmethod: `force`, `stored`, and a method `constants`.
    """

    family: ClassVar[str] = "laws"
    memory: ClassVar[int] = 0  # floats a contact remembers
    advance: ClassVar[str] = "none"  # "vector": the first three grow by slip dt in the turning contact plane;
    #                                  "path": the first grows by |slip| dt; "none": only the law changes them
    scalar: ClassVar[bool] = False  # whether `force` takes powers or branches, which cannot become vector instructions
    sticks: ClassVar[bool] = False  # whether all that `force` cuts short by `cap` is part of its answer, as a factor:
    #                                 where nothing is cut short, kernels then save themselves its roots and divisions
    modes: ClassVar[tuple[str, ...]] = ()  # names of the modes a contact may be in; memory holds 1, 2, … for them
    mode_at: ClassVar[int] = 0  # which of the remembered floats says the mode, where there are modes
    Constants: ClassVar[type[Any]]
    force: ClassVar[Callable[..., Any]]  # (contact, memory, p) -> normal, friction on the first body, memory
    stored: ClassVar[Callable[..., Any]]  # (overlap, radius, mass, memory, p) -> normal J, tangential J

    @property
    def passive(self) -> bool:
        """Whether no path of load, unload, shear and turning takes more energy out of a contact than was put in."""
        return False

    def form(self) -> tuple[Callable[..., Any], bool]:
        """The force for these parameters, where special ones have a faster form, and whether it is `scalar`."""
        return type(self).force, type(self).scalar

    def constants(self, surface: Surface) -> Any:
        """The law's constants for a pair of materials."""
        raise TypeError(f"{type(self).__name__} defines no constants")

    def contact_time(self, surface: Surface, radius: float, mass: float, speed: float) -> float:
        """Duration in s of an undamped head-on collision at `speed` (m/s), for the choice of the time step."""
        raise TypeError(f"{type(self).__name__} defines no contact time")


def length(v: Vector) -> float:
    """|v|."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def dot(u: Vector, v: Vector) -> float:
    """u · v."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def scaled(v: Vector, factor: float) -> Vector:
    """factor · v."""
    return (v[0] * factor, v[1] * factor, v[2] * factor)


def combined(a: float, u: Vector, b: float, v: Vector) -> Vector:
    """a u + b v."""
    return (a * u[0] + b * v[0], a * u[1] + b * v[1], a * u[2] + b * v[2])


TINY = 1e-100  # keeps a division by a speed or a length that may be zero finite


def cap(most: float, square: float) -> float:
    """The factor ≤ 1 that brings something whose square is `square` down to at most `most`."""
    return min(1.0, most / max(math.sqrt(square), TINY))
