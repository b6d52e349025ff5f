"""From a scene to arrays: materials, walls and motions as tables, the grains, and the switches of the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import rotate
from barchan.model.build_grains import build_grains
from barchan.model.grains import Grains
from barchan.model.layout import DRIVE_COLUMNS, END, LAW_COLUMNS, START
from barchan.model.pour import extremes
from barchan.parts.laws import Law
from barchan.parts.motions import FOREVER
from barchan.parts.motions.servo import Servo
from barchan.parts.wall_shapes import Piece
from barchan.registry import built_in
from barchan.scene.materials import surface
from barchan.scene.scene import Scene
from barchan.scene.walls import Wall


@dataclass(frozen=True)
class Walls:
    """The walls of a scene cut into P pieces, which lie in F frames, with their motions."""

    gaps: list[Callable[..., Any]]  # the built-in gap functions, then the scene's own
    paths: list[Callable[..., Any]]  # the built-in path functions, then the scene's own
    rest: np.ndarray  # (F, 7) m and quaternion: origin and orientation at rest
    axial: np.ndarray  # (F,) 1 for frames whose pieces turning about its z axis leaves as they are, else 0
    motion_range: np.ndarray  # (F, 2) int64, first and last + 1 of the frame's motions
    frame: np.ndarray  # (P,) int64, index into rest
    kind: np.ndarray  # (P,) int64, index into gaps
    shape_table: np.ndarray  # (P, …) parameters of the gap; where walls are repeated also those of `_around`
    repeated: bool  # a periodic box repeats some of the pieces
    mesh: np.ndarray  # (P,) int64, index into scene.walls for the facets of a mesh, −1 for other pieces
    facet_table: np.ndarray  # (P, 9) low and high corner (m) and normal of a facet, in its frame
    wall: np.ndarray  # (P,) int64, index into scene.walls
    face: np.ndarray  # (P,) int64, which of its wall's faces it is, or is a part of
    material: np.ndarray  # (P,) int64
    appears: np.ndarray  # (P,) s
    vanishes: np.ndarray  # (P,) s
    motion_kind: np.ndarray  # int64, index into paths
    motion_table: np.ndarray  # pivot, then the parameters of the path
    servo_table: np.ndarray  # (S, DRIVE_COLUMNS) of walls moved by forces
    servo_row: np.ndarray  # (S,) int64, row of motion_table
    servo_piece: np.ndarray  # (S,) int64, the first of the wall's pieces
    frame_servo: np.ndarray  # (F,) int64, index into servo_table, −1 for frames that are none
    names: tuple[str, ...]  # of scene.walls
    absorbing: np.ndarray  # (P,) 1 for pieces that take grains away, else 0
    waiting: np.ndarray  # (F,) bool, frames whose motions an event starts
    hidden: np.ndarray  # (P,) bool, pieces that are not there until an event adds them

    def __len__(self) -> int:
        return len(self.kind)

    def present(self, t: float, rule: np.ndarray) -> np.ndarray:
        """(P,) bool: which pieces are there at time t (s).

        rule: (P,) 1 for pieces that an event has added, −1 for those that one has removed or has yet to add, else 0.
        """
        return (rule >= 0) & ((self.appears <= t) | (rule > 0)) & (t < self.vanishes)

    def spans(self, begun: np.ndarray, rule: np.ndarray) -> np.ndarray:
        """(S, 2) s: from when until when forces move the walls that they can move.

        begun: (F,) s, since when motions count time. rule: as for `present`; a wall that is not there is not moved.
        """
        piece, since = self.servo_piece, begun[self.frame[self.servo_piece]]
        appears = np.where(rule[piece] > 0, 0.0, self.appears[piece])
        start = np.where(rule[piece] < 0, FOREVER, np.maximum(since + self.servo_table[:, START], appears))
        return np.column_stack([start, np.minimum(since + self.servo_table[:, END], self.vanishes[piece])])

    def heights(self, up: np.ndarray) -> np.ndarray:
        """How far up, m, the walls' frames lie at rest, and the corners of facets; without walls that absorb."""
        solid = self.absorbing == 0
        facets = solid & (self.mesh >= 0)
        corners = self.facet_table[facets, :6].reshape(-1, 3)
        frames = np.repeat(self.rest[self.frame[facets]], 2, axis=0)
        origins = self.rest[np.unique(self.frame[solid]), :3]
        return np.concatenate([origins, frames[:, :3] + rotate(frames[:, 3:], corners)]) @ up

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
    table: np.ndarray  # (kinds², LAW_COLUMNS + 4) constants of the grain–grain law and of rolling
    wall_table: np.ndarray  # (kinds², LAW_COLUMNS + 4), row grain material · kinds + wall material
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
            rows.append([*constants, *(0.0,) * (LAW_COLUMNS - len(constants)), *rolling])
    return np.array(rows, float)


def _walls(scene: Scene) -> Walls:
    gaps = built_in("shapes", "gap")
    paths = built_in("motions", "path")
    materials = list(scene.materials)
    pieces: list[Piece] = []
    owners: list[int] = []
    faces: list[int] = []
    frames: dict[tuple[Any, ...], int] = {}  # rest, axial and the range of motions: pieces alike in these share one
    places: list[int] = []
    motions: list[tuple[int, tuple[float, ...]]] = []
    for index, wall in enumerate(scene.walls):
        first = len(motions)
        for motion in wall.motion:
            motions.append((_number(paths, type(motion).path), (*motion.pivot(), *motion.parameters())))
        for number, piece in enumerate(wall.shape.pieces()):
            pieces.append(piece)
            owners.append(index)
            faces.append(number if piece.facet is None else piece.facet.face)
            key = (*piece.origin, *piece.orientation, float(piece.axial), first, len(motions), index)
            places.append(frames.setdefault(key, len(frames)))
    _check_servos(scene)
    drives = {k: _drive(wall) for k, wall in enumerate(scene.walls) if wall.motion and _drive(wall)}
    servos = list(drives)
    lasts = np.cumsum([len(wall.motion) for wall in scene.walls]) - 1
    owned = [scene.walls[owner] for owner in owners]
    started = {name for event in scene.events for action in event.do for name in action.motions()}
    around = _around(scene, pieces)
    return Walls(
        gaps=gaps,
        paths=paths,
        rest=np.array([key[:7] for key in frames], float).reshape(-1, 7),
        axial=np.array([key[7] for key in frames], float),
        motion_range=np.array([key[8:10] for key in frames], np.int64).reshape(-1, 2),
        frame=np.array(places, np.int64),
        kind=np.array([_number(gaps, p.gap) for p in pieces], np.int64),
        shape_table=np.hstack([_ragged([p.parameters for p in pieces]), around]),
        repeated=around.size > 0,
        mesh=np.array([-1 if p.facet is None else k for p, k in zip(pieces, owners, strict=True)], np.int64),
        facet_table=np.array([_facet_row(p) for p in pieces], float).reshape(-1, 9),
        wall=np.array(owners, np.int64),
        face=np.array(faces, np.int64),
        material=np.array([materials.index(wall.material) for wall in owned], np.int64),
        appears=np.array([wall.appears for wall in owned], float),
        vanishes=np.array([FOREVER if wall.vanishes is None else wall.vanishes for wall in owned], float),
        motion_kind=np.array([kind for kind, _ in motions], np.int64),
        motion_table=_ragged([numbers for _, numbers in motions]),
        servo_table=np.array(list(drives.values()), float).reshape(-1, DRIVE_COLUMNS),
        servo_row=np.array([lasts[k] for k in servos], np.int64),
        servo_piece=np.array([owners.index(k) for k in servos], np.int64),
        frame_servo=np.array([servos.index(key[-1]) if key[-1] in servos else -1 for key in frames], np.int64),
        names=tuple(wall.name for wall in scene.walls),
        absorbing=np.array([float(wall.absorbing) for wall in owned]),
        waiting=np.array([scene.walls[key[-1]].name in started for key in frames], bool),
        hidden=np.array([not wall.present for wall in owned], bool),
    )


def _check_servos(scene: Scene) -> None:
    """SceneError where forces cannot move a wall in the way described."""
    findings = []
    for k, wall in enumerate(scene.walls):
        places = [n for n, motion in enumerate(wall.motion) if isinstance(motion, Servo)]
        where = f"walls[{k}].motion"
        if places and places != [len(wall.motion) - 1]:
            findings.append(Finding(where, "a servo among other motions", "it must be the last, and the only one"))
        if places and "servo" not in scene.integrator.can:
            findings.append(Finding(where, "a servo", "needs fixed steps", "take the integrator 'verlet'"))
        if places and scene.stiction is not None:
            findings.append(Finding(where, "a servo and [stiction]", "stiction knows walls of given motion only"))
    if findings:
        raise SceneError(findings)


def _drive(wall: Wall) -> tuple[float, ...]:
    """What moves a wall by force; empty for other walls."""
    servo = wall.motion[-1]
    return servo.drive() if isinstance(servo, Servo) else ()


def _facet_row(piece: Piece) -> tuple[float, ...]:
    facet = piece.facet
    return (0.0,) * 9 if facet is None else (*facet.low, *facet.high, *facet.normal)


def _around(scene: Scene, pieces: list[Piece]) -> np.ndarray:
    """(P, 6) lower corner and lengths, m, of the periodic box that repeats a piece; lengths are 0 where it does not.

    Without a column where nothing is repeated: kernels are spared all of it then.
    """
    repeated = np.array([piece.bounded for piece in pieces], bool)[:, None] & np.array(scene.periodic)
    if scene.box is None or not repeated.any():
        return np.zeros((len(pieces), 0))
    lengths = np.where(repeated, np.subtract(scene.box.high, scene.box.low), 0.0)
    return np.hstack([np.broadcast_to(np.array(scene.box.low, float), lengths.shape), lengths])


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
