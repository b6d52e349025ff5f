"""From pose to pose at given times."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Len
from pydantic import Field, field_validator

from barchan.geometry import conjugate, multiply, rotation_about
from barchan.parts.motions import TimedMotion, Vector
from barchan.schema.quantities import Angle, Position, PositiveTime
from barchan.schema.tables import Table

STRETCH = 15  # numbers of a stretch between two keys


def path(
    t: float, numbers: Sequence[float]
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Pose and velocity from a list: number of stretches, 1 for smooth ones, start, end (s), and for each stretch

    its begin and end (s, counted from the start), displacement at its begin and change of it (m), orientation at its
    begin (quaternion) and change of it (rotation vector, rad).
    """
    start, end = numbers[2], numbers[3]
    elapsed = max(start, min(end, t)) - start
    moving = 1.0 if start <= t < end else 0.0
    k = 4
    last = 4 + STRETCH * (int(numbers[0]) - 1)
    while k < last and elapsed >= numbers[k + 1]:
        k += STRETCH
    length = numbers[k + 1] - numbers[k]
    u = (elapsed - numbers[k]) / length
    if u >= 1.0:
        u, moving = 1.0, 0.0
    s, rate = u, moving / length
    if numbers[1] > 0.0:
        s = u * u * u * (10.0 + u * (6.0 * u - 15.0))
        rate *= 30.0 * u * u * (1.0 - u) * (1.0 - u)
    dx, dy, dz = numbers[k + 5], numbers[k + 6], numbers[k + 7]
    qw, qx, qy, qz = numbers[k + 8], numbers[k + 9], numbers[k + 10], numbers[k + 11]
    rx, ry, rz = numbers[k + 12], numbers[k + 13], numbers[k + 14]
    angle = math.sqrt(rx * rx + ry * ry + rz * rz)
    c, half = math.cos(0.5 * s * angle), math.sin(0.5 * s * angle) / max(angle, 1e-300)
    ax, ay, az = half * rx, half * ry, half * rz
    return (
        numbers[k + 2] + s * dx, numbers[k + 3] + s * dy, numbers[k + 4] + s * dz,
        c * qw - ax * qx - ay * qy - az * qz,
        c * qx + ax * qw + ay * qz - az * qy,
        c * qy - ax * qz + ay * qw + az * qx,
        c * qz + ax * qy - ay * qx + az * qw,
        rate * dx, rate * dy, rate * dz, rate * rx, rate * ry, rate * rz,
    )  # fmt: skip


class Key(Table):
    """Where a wall is at a time, moved and turned from where it was made."""

    time: PositiveTime
    """When the wall is there, counted from the start of the motion."""
    position: Position = (0.0, 0.0, 0.0)
    """How far the wall has moved from where it was made."""
    rotation: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)
    """The vector by which the wall is turned: its direction is the axis, its length the angle."""


class Keyframes(TimedMotion):
    """Goes from pose to pose: in place at `start`, then at each of the `keys` at its time, and stays at the last.

    It turns by the shortest way; from one angle to another about the same axis by their difference, which may be
    several turns.
    """

    key: ClassVar[str] = "keyframes"
    path = staticmethod(path)

    keys: Annotated[tuple[Key, ...], Len(1)] = Field(
        examples=[
            [{"time": 0.6, "position": (0.3, 0.0, -0.2), "rotation": (0.0, 0.4, 2.0)},
             {"time": 1.3, "position": (0.3, 1.0, 0.1), "rotation": (-1.0, 0.2, 0.5)}],
            [{"time": 2.1, "rotation": (0.0, 0.0, 7.0)}],
        ]
    )  # fmt: skip
    """Poses and their times, which increase from key to key."""
    ease: Literal["linear", "smooth"] = "smooth"
    """"linear": at a constant rate from key to key; "smooth": every key is left and reached gently, with velocity and
    acceleration zero there (a polynomial of fifth degree)."""
    center: Position = (0.0, 0.0, 0.0)
    """The point about which the wall turns."""

    @field_validator("keys")
    @classmethod
    def _one_after_another(cls, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        if any(second.time <= first.time for first, second in itertools.pairwise(keys)):
            raise ValueError("times must increase from key to key")
        return keys

    def stretches(self) -> list[tuple[float, ...]]:
        """What `path` wants to know of the way to each key from the one before."""
        rows = []
        was, at, turn = np.zeros(3), 0.0, np.zeros(3)
        for key in self.keys:
            place, rotation = np.array(key.position), np.array(key.rotation)
            change = _turn_between(turn, rotation)
            rows.append((at, key.time, *was.tolist(), *(place - was).tolist(), *_quaternion(turn).tolist(), *change))
            was, at, turn = place, key.time, rotation
        return rows

    def parameters(self) -> tuple[float, ...]:
        rows = self.stretches()
        smooth = 1.0 if self.ease == "smooth" else 0.0
        return float(len(rows)), smooth, *self.interval(), *itertools.chain.from_iterable(rows)

    def arguments(self, parameters: tuple[float, ...]) -> tuple[Any, ...]:
        return (parameters,)

    def pivot(self) -> Vector:
        return self.center

    def speed(self, reach: float) -> float:
        steepest = 1.875 if self.ease == "smooth" else 1.0
        return max(
            steepest * (math.hypot(*row[5:8]) + reach * math.hypot(*row[12:15])) / (row[1] - row[0])
            for row in self.stretches()
        )

    def paces(self) -> tuple[float, float]:
        steepest, rows = 1.875 if self.ease == "smooth" else 1.0, self.stretches()
        shift, turn = (max(math.hypot(*row[at : at + 3]) / (row[1] - row[0]) for row in rows) for at in (5, 12))
        return steepest * shift, steepest * turn

    def strays(self) -> tuple[float, float]:
        return max(math.hypot(*key.position) for key in self.keys), 0.0


def _quaternion(turn: np.ndarray) -> np.ndarray:
    """The rotation (4,) by the vector `turn` (3,), rad."""
    angle = float(np.linalg.norm(turn))
    return rotation_about(turn, angle) if angle else np.array([1.0, 0.0, 0.0, 0.0])


def _turn_between(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """The rotation vector, rad, that leads from one rotation vector to another, in the scene's frame."""
    if np.linalg.norm(np.cross(first, second)) <= 1e-12 * np.linalg.norm(first) * np.linalg.norm(second):
        x, y, z = (second - first).tolist()
        return x, y, z
    w, *axis = multiply(_quaternion(second), conjugate(_quaternion(first))).tolist()
    size = math.hypot(*axis)
    angle = 2.0 * math.atan2(math.copysign(size, w), abs(w))
    x, y, z = (angle / max(size, 1e-300) * part for part in axis)
    return x, y, z
