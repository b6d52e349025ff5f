"""From a scene to arrays: materials, walls and motions as tables, the grains, and the switches of the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from barchan.laws import Law
from barchan.model.build_grains import build_grains
from barchan.model.grains import Grains
from barchan.model.pour import extremes
from barchan.motions import FOREVER
from barchan.scene.events import StartMotion
from barchan.scene.materials import surface
from barchan.scene.scene import Scene

COLUMNS = 16  # of the tables of constants: 0–11 the law's, 12 rolling friction, 13 rolling viscosity, 14 friction


@dataclass(frozen=True)
class Walls:
    """The walls of a scene cut into P pieces, with their motions."""

    gaps: list[Callable[..., Any]]  # the distinct gap functions
    paths: list[Callable[..., Any]]  # the distinct path functions
    rest: np.ndarray  # (P, 7) m and quaternion: origin and orientation at rest
    kind: np.ndarray  # (P,) int64, index into gaps
    shape_table: np.ndarray  # (P, …) parameters of the gap
    axial: np.ndarray  # (P,) 1 for pieces that turning about their own axis leaves as they are, else 0
    wall: np.ndarray  # (P,) int64, index into scene.walls
    material: np.ndarray  # (P,) int64
    appears: np.ndarray  # (P,) s
    vanishes: np.ndarray  # (P,) s
    motion_range: np.ndarray  # (P, 2) int64, first and last + 1 of the piece's motions
    motion_kind: np.ndarray  # int64, index into paths
    motion_table: np.ndarray  # pivot, then the parameters of the path
    names: tuple[str, ...]  # of scene.walls
    absorbing: np.ndarray  # (P,) 1 for pieces that take grains away, else 0
    waiting: np.ndarray  # (P,) bool, pieces whose motions an event starts
    hidden: np.ndarray  # (P,) bool, pieces that are not there until an event adds them

    def __len__(self) -> int:
        return len(self.kind)

    def present(self, t: float, rule: np.ndarray) -> np.ndarray:
        """(P,) bool: which pieces are there at time t (s).

        rule: (P,) 1 for pieces that an event has added, −1 for those that one has removed or has yet to add, else 0.
        """
        return (rule >= 0) & ((self.appears <= t) | (rule > 0)) & (t < self.vanishes)

    def edges(self) -> list[float]:
        """The times, s, after the start at which a wall appears or vanishes."""
        times = {*self.appears.tolist(), *self.vanishes.tolist()}
        return sorted(t for t in times if 0 < t < FOREVER)


@dataclass(frozen=True)
class Model:
    """What stays the same throughout a run."""

    scene: Scene
    law: Law
    wall_law: Law
    kinds: int  # number of materials
    table: np.ndarray  # (kinds², COLUMNS) constants of the grain–grain law and of rolling
    wall_table: np.ndarray  # (kinds², COLUMNS), row grain material · kinds + wall material
    walls: Walls
    gravity: np.ndarray  # (3,) m/s²
    freedom: np.ndarray  # (6,) 0 or 1: which components of force and torque act
    periodic: np.ndarray  # (3,) bool
    box: np.ndarray  # (3,) m, length of periodic axes, 0 for open ones
    low: np.ndarray  # (3,) m, lower corner of the box, 0 without one
    poured: Grains  # the smallest and the largest grain of every source, where it may begin
    gates: tuple[str, ...]  # names that flow is counted by: sources, sinks, then absorbing walls


def build(scene: Scene) -> tuple[Model, Grains]:
    """The model and the grains of a scene at its start."""
    return build_model(scene), build_grains(scene)


def build_model(scene: Scene) -> Model:
    """The constants of a scene."""
    law, wall_law = scene.contact, scene.wall_contact
    flat = scene.dimensions == 2
    spins = (0.0, 1.0, 0.0) if flat else (1.0, 1.0, 1.0)
    box = np.zeros(3) if scene.box is None else np.subtract(scene.box.high, scene.box.low)
    return Model(
        scene=scene,
        law=law,
        wall_law=wall_law,
        kinds=len(scene.materials),
        table=_table(scene, law, False),
        wall_table=_table(scene, wall_law, True),
        walls=_walls(scene),
        gravity=np.array(scene.gravity, float),
        freedom=np.array([1.0, 0.0 if flat else 1.0, 1.0, *(spins if scene.rotation else (0.0, 0.0, 0.0))]),
        periodic=np.array(scene.periodic),
        box=np.where(scene.periodic, box, 0.0),
        low=np.zeros(3) if scene.box is None else np.array(scene.box.low, float),
        poured=extremes(scene),
        gates=_gates(scene),
    )


def _gates(scene: Scene) -> tuple[str, ...]:
    absorbing = (wall.name for wall in scene.walls if wall.absorbing)
    return (*(source.name for source in scene.sources), *(sink.name for sink in scene.sinks), *absorbing)


def _table(scene: Scene, law: Law, wall: bool) -> np.ndarray:
    rows = []
    for a in scene.materials:
        for b in scene.materials:
            pair = surface(scene, a, b, wall)
            constants = tuple(law.constants(pair))
            rolling = (pair.rolling_friction, pair.rolling_viscosity, pair.friction, 0.0)
            rows.append([*constants, *(0.0,) * (COLUMNS - 4 - len(constants)), *rolling])
    return np.array(rows, float)


def _walls(scene: Scene) -> Walls:
    gaps: list[Callable[..., Any]] = []
    paths: list[Callable[..., Any]] = []
    materials = list(scene.materials)
    pieces: list[Any] = []
    owners: list[int] = []
    ranges: list[tuple[int, int]] = []
    motions: list[tuple[int, tuple[float, ...]]] = []
    for index, wall in enumerate(scene.walls):
        first = len(motions)
        for motion in wall.motion:
            motions.append((_number(paths, type(motion).path), (*motion.pivot(), *motion.parameters())))
        for piece in wall.shape.pieces():
            pieces.append(piece)
            owners.append(index)
            ranges.append((first, len(motions)))
    owned = [scene.walls[owner] for owner in owners]
    started = {action.wall for event in scene.events for action in event.do if isinstance(action, StartMotion)}
    return Walls(
        gaps=gaps,
        paths=paths,
        rest=np.array([[*p.origin, *p.orientation] for p in pieces], float).reshape(-1, 7),
        kind=np.array([_number(gaps, p.gap) for p in pieces], np.int64),
        shape_table=_ragged([p.parameters for p in pieces]),
        axial=np.array([float(p.axial) for p in pieces]),
        wall=np.array(owners, np.int64),
        material=np.array([materials.index(wall.material) for wall in owned], np.int64),
        appears=np.array([wall.appears for wall in owned], float),
        vanishes=np.array([FOREVER if wall.vanishes is None else wall.vanishes for wall in owned], float),
        motion_range=np.array(ranges, np.int64).reshape(-1, 2),
        motion_kind=np.array([kind for kind, _ in motions], np.int64),
        motion_table=_ragged([numbers for _, numbers in motions]),
        names=tuple(wall.name for wall in scene.walls),
        absorbing=np.array([float(wall.absorbing) for wall in owned]),
        waiting=np.array([wall.name in started for wall in owned], bool),
        hidden=np.array([not wall.present for wall in owned], bool),
    )


def _number(known: list[Callable[..., Any]], function: Callable[..., Any]) -> int:
    if function not in known:
        known.append(function)
    return known.index(function)


def _ragged(rows: list[tuple[float, ...]]) -> np.ndarray:
    """Rows of different lengths as one array, filled up with zeros; at least one column."""
    table = np.zeros((len(rows), max([len(row) for row in rows], default=0) + 1))
    for k, row in enumerate(rows):
        table[k, : len(row)] = row
    return table
