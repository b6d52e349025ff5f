"""The equations of soft spheres in plain Python: a few grains, any law, nothing compiled.

A law is a plain function, so its physics needs no kernel: that of every law is tested here, and `lab.solver` shows for
a few of them that kernels do the same. Written from the equations of Yee (2009) and velocity Verlet alone: spheres, and
walls by their `gap`; no lists, no rolling resistance, no periodic faces. What it is asked for has the names that a
solver's has.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from barchan.model.build import build
from barchan.parts.laws import Contact
from barchan.scene.materials import surface
from barchan.scene.scene import Scene
from solvers import lab

Vector = tuple[float, float, float]


class PlainSolver:
    """Advances the spheres of a scene; about 20 µs for each contact and step."""

    def __init__(self, described: Scene, time_step: float) -> None:
        self.model, grains = build(described)
        self.dt, self.step = time_step, 0
        self.mass, self.radius = grains.mass.tolist(), grains.radius.tolist()
        self.position = [tuple(one) for one in grains.position.tolist()]
        self.velocity = [tuple(one) for one in grains.velocity.tolist()]
        self.spin = [tuple(one) for one in grains.spin.tolist()]
        self.turns = 1.0 if described.rotation else 0.0
        self.gravity = tuple(self.model.gravity.tolist())
        names = list(described.materials)
        self._kinds = [names[k] for k in grains.material]
        self._walls = [
            (wall.material, piece) for wall in described.walls if wall.appears <= 0.0 for piece in wall.shape.pieces()
        ]
        self._scene = described
        self._laws: dict[tuple[str, str, bool], tuple[Any, Any]] = {}
        self.memory: dict[tuple[int, int], tuple[tuple[float, ...], Vector, Vector]] = {}  # kept, normal, slip
        self.contacts: dict[tuple[int, int], float] = {}  # overlap, m
        self.work = [0.0, 0.0]  # J, done against contacts: normal, friction
        count = len(self.mass)
        self._pulls: list[Vector] = [(0.0, 0.0, 0.0)] * count
        self._twists: list[Vector] = [(0.0, 0.0, 0.0)] * count
        self._power = (0.0, 0.0)
        self._find_forces(self.velocity, self.spin, moved=False)
        book = self._energies()
        self._start, self._stored_start = book["kinetic_energy"] + book["potential_energy"], self._stored()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.step * self.dt

    def advance_to(self, t: float) -> None:
        """Go on to the step nearest to t, s."""
        self.advance(round((t - self.time) / self.dt))

    def advance(self, steps: int) -> None:
        """Kick by half a step, drift, find forces with the velocities that the last ones lead to, kick again."""
        h = self.dt
        for _ in range(steps):
            half = [self._kicked(k, 0.5 * h) for k in range(len(self.mass))]
            ahead = [self._kicked(k, h) for k in range(len(self.mass))]
            self.position = [
                (p[0] + h * v[0], p[1] + h * v[1], p[2] + h * v[2])
                for p, (v, _) in zip(self.position, half, strict=True)
            ]
            before = self._power
            self._find_forces([v for v, _ in ahead], [w for _, w in ahead], moved=True)
            for part in (0, 1):
                self.work[part] += 0.5 * h * (before[part] + self._power[part])
            self.velocity, self.spin = [v for v, _ in half], [w for _, w in half]
            kicked = [self._kicked(k, 0.5 * h) for k in range(len(self.mass))]
            self.velocity, self.spin = [v for v, _ in kicked], [w for _, w in kicked]
            self.step += 1

    def _kicked(self, k: int, h: float) -> tuple[Vector, Vector]:
        """Velocity and spin of grain k after the present forces have acted for h, s."""
        v, w, f, m = self.velocity[k], self.spin[k], self._pulls[k], self._twists[k]
        a, b = h / self.mass[k], self.turns * h / (0.4 * self.mass[k] * self.radius[k] ** 2)
        return (v[0] + a * f[0], v[1] + a * f[1], v[2] + a * f[2]), (w[0] + b * m[0], w[1] + b * m[1], w[2] + b * m[2])

    # ------------------------------------------------------------ forces

    def _find_forces(self, velocity: list[Vector], spin: list[Vector], *, moved: bool) -> None:
        count = len(self.mass)
        pulls = [tuple(self.mass[k] * g for g in self.gravity) for k in range(count)]
        twists: list[Vector] = [(0.0, 0.0, 0.0)] * count
        powers, found = [0.0, 0.0], {}
        for pair, overlap, n, arms in self._touching():
            a, b = pair
            v = _field(velocity[a], spin[a], arms[0])
            u = _field(velocity[b], spin[b], arms[1]) if b >= 0 else (0.0, 0.0, 0.0)
            apart = (u[0] - v[0], u[1] - v[1], u[2] - v[2])
            closing = -_dot(apart, n)
            slip = (apart[0] + closing * n[0], apart[1] + closing * n[1], apart[2] + closing * n[2])
            law, p = self._law(a, b)
            kept = self._remembered(pair, n, slip, law, moved)
            radius, mass = self._reduced(a, b)
            half = 0.5 * self.dt if moved else 0.0
            normal, friction, kept = law.form()[0](
                Contact(overlap, closing, slip, radius, mass, self.dt, half), kept, p
            )
            self.memory[pair], found[pair] = (tuple(kept), n, slip), overlap
            force = (friction[0] - normal * n[0], friction[1] - normal * n[1], friction[2] - normal * n[2])
            powers[0] += normal * closing
            powers[1] += _dot(friction, slip)
            pulls[a], twists[a] = _sum(pulls[a], force), _sum(twists[a], _cross(arms[0], force))
            if b >= 0:
                back = (-force[0], -force[1], -force[2])
                pulls[b], twists[b] = _sum(pulls[b], back), _sum(twists[b], _cross(arms[1], back))
        for gone in set(self.memory) - set(found):
            del self.memory[gone]
        self.contacts, self._pulls, self._twists, self._power = found, pulls, twists, (powers[0], powers[1])

    def _touching(self) -> Any:
        """Pair, overlap, normal from the first body to the second, and where they touch, from either centre."""
        for a, x in enumerate(self.position):
            for b in range(a + 1, len(self.position)):
                y, reach = self.position[b], self.radius[a] + self.radius[b]
                d = (y[0] - x[0], y[1] - x[1], y[2] - x[2])
                square = _dot(d, d)
                if square < reach * reach:
                    far = math.sqrt(square)
                    n, arm = (d[0] / far, d[1] / far, d[2] / far), self.radius[a] - 0.5 * (reach - far)
                    at = (arm * n[0], arm * n[1], arm * n[2])
                    yield (a, b), reach - far, n, (at, (at[0] - d[0], at[1] - d[1], at[2] - d[2]))
            for w, (_, piece) in enumerate(self._walls):
                distance, *up = _gap(piece, x)
                if distance < self.radius[a]:
                    n, overlap = (-up[0], -up[1], -up[2]), self.radius[a] - distance
                    arm = self.radius[a] - 0.5 * overlap
                    yield (a, -1 - w), overlap, n, ((arm * n[0], arm * n[1], arm * n[2]), None)

    def _remembered(self, pair: tuple[int, int], n: Vector, slip: Vector, law: Any, moved: bool) -> tuple[float, ...]:
        """What the pair keeps, its vector turned into the contact plane with its length, and advanced by a step."""
        kind = type(law)
        if pair not in self.memory:
            return (0.0,) * max(kind.memory, 1)
        kept, before, last = self.memory[pair]
        if not moved:
            return kept
        slip = _times(0.5, _sum(last, slip))
        if kind.advance == "path":
            return (kept[0] + math.sqrt(_dot(slip, slip)) * self.dt, *kept[1:])
        if kind.advance == "vector":
            d = (kept[0], kept[1], kept[2])
            axis, cosine = _cross(before, n), _dot(before, n)  # turned as the normal turns
            turned = _sum(
                _sum(tuple(cosine * c for c in d), _cross(axis, d)), _times(_dot(axis, d) / (1 + cosine), axis)
            )
            return (*_sum(turned, _times(self.dt, slip)), *kept[3:])
        return kept

    def _law(self, a: int, b: int) -> tuple[Any, Any]:
        """The law between two bodies and its constants."""
        key = (self._kinds[a], self._walls[-1 - b][0] if b < 0 else self._kinds[b], b < 0)
        if key not in self._laws:
            law = self.model.wall_law if b < 0 else self.model.law
            self._laws[key] = (law, law.constants(surface(self._scene, *key)))
        return self._laws[key]

    def _reduced(self, a: int, b: int) -> tuple[float, float]:
        """R*, m, and m*, kg."""
        if b < 0:
            return self.radius[a], self.mass[a]
        r, s, m, o = self.radius[a], self.radius[b], self.mass[a], self.mass[b]
        return r * s / (r + s), m * o / (m + o)

    # ------------------------------------------------------------ reading

    def frame(self) -> SimpleNamespace:
        """Positions, velocities, spins, masses, contacts and ledger, as of a frame."""
        overlap = np.array(list(self.contacts.values()))
        contacts = SimpleNamespace(first=np.array([a for a, _ in self.contacts], int), overlap=overlap)
        return SimpleNamespace(
            position=np.array(self.position), velocity=np.array(self.velocity), spin=np.array(self.spin),
            mass=np.array(self.mass), contacts=contacts, ledger=self._energies(),
        )  # fmt: skip

    def _stored(self) -> tuple[float, float]:
        normal = tangential = 0.0
        for (a, b), overlap in self.contacts.items():
            law, p = self._law(a, b)
            parts = type(law).stored(overlap, *self._reduced(a, b), self.memory[a, b][0], p)
            normal, tangential = normal + parts[0], tangential + parts[1]
        return normal, tangential

    def _energies(self) -> dict[str, float]:
        moving = sum(
            0.5 * m * _dot(v, v) + 0.2 * m * r * r * self.turns * _dot(w, w)
            for m, r, v, w in zip(self.mass, self.radius, self.velocity, self.spin, strict=True)
        )
        high = -sum(m * _dot(self.gravity, x) for m, x in zip(self.mass, self.position, strict=True))
        stored, begun = self._stored(), getattr(self, "_stored_start", (0.0, 0.0))
        lost = [self.work[k] - stored[k] + begun[k] for k in (0, 1)]
        return {
            "kinetic_energy": moving, "potential_energy": high, "stored_energy": sum(stored),
            "dissipated_normal": lost[0], "dissipated_friction": lost[1], "dissipated_rolling": 0.0,
            "energy_error": moving + high + sum(self.work) - getattr(self, "_start", 0.0),
        }  # fmt: skip


def _gap(piece: Any, x: Vector) -> tuple[float, float, float, float]:
    """Distance of a point from a wall's piece, m, and the normal to it."""
    w, i, j, k = piece.orientation
    local = _rotated((w, -i, -j, -k), tuple(c - o for c, o in zip(x, piece.origin, strict=True)))
    distance, *normal = piece.gap(*local, *piece.parameters)
    return (distance, *_rotated(piece.orientation, tuple(normal)))


def _rotated(q: Any, v: Vector) -> Vector:
    w, u = q[0], (q[1], q[2], q[3])
    twice = _times(2.0, _cross(u, v))
    return _sum(_sum(v, _times(w, twice)), _cross(u, twice))


def _field(v: Vector, w: Vector, arm: Vector) -> Vector:
    return _sum(v, _cross(w, arm))


def _dot(u: Vector, v: Vector) -> float:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def _cross(u: Vector, v: Vector) -> Vector:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def _sum(u: Vector, v: Vector) -> Vector:
    return u[0] + v[0], u[1] + v[1], u[2] + v[2]


def _times(factor: float, v: Vector) -> Vector:
    return factor * v[0], factor * v[1], factor * v[2]


def bindings(laws: tuple[str, ...], compiled: tuple[str, ...] = ("hertz", "linear")) -> list[Any]:
    """Parameters of a test of every law: the law, and what moves the grains; kernels for the compiled ones, too."""
    plain = [pytest.param(law, PlainSolver, id=law) for law in laws]
    return plain + [pytest.param(law, lab.solver, id=f"{law}-kernels") for law in laws if law in compiled]
