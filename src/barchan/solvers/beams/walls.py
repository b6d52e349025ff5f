"""Walls of the solver `beams`: planes and round holders are smooth, all other shapes are strips of triangles.

In two dimensions a wall is where its surface cuts the plane y = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from barchan.errors import Finding
from barchan.model.build import Model
from barchan.parts.motions import FOREVER
from barchan.parts.motions.servo import Servo
from barchan.parts.wall_shapes.cylinder import Cylinder
from barchan.parts.wall_shapes.line import Line
from barchan.parts.wall_shapes.plane import Plane
from barchan.parts.wall_shapes.sphere import Sphere
from barchan.scene.walls import Wall
from barchan.solvers.beams.layout import FLAT, ROUND
from barchan.solvers.beams.strip_geometry import segments, strip

_ASIDE = 1e-7  # of a shape's extent along y: the cut avoids its corners
_LEVEL = 1e-9
_MOST_PIECES = 50_000  # of a wall's strip


class BeamWalls(NamedTuple):
    """S smooth walls, and Q triangles of the others, by wall."""

    smooth_wall: np.ndarray  # (S,) int64, index into scene.walls
    smooth_kind: np.ndarray  # (S,) int64
    smooth_rest: np.ndarray  # (S, 4) m: point and normal, or centre and radius
    smooth_material: np.ndarray  # (S,) int64
    corners: np.ndarray  # (Q, 3, 2) m, at rest
    wall: np.ndarray  # (Q,) int64, ascending
    side: np.ndarray  # (Q,) int64, of all walls' sides: as in `kernels/strips.py`


def beam_walls(model: Model, owner: list[int], thickness: float, reach: float) -> BeamWalls:
    """The walls of a scene, of the materials `owner`; strips are `thickness` (m) wide, and cut to pieces about as long
    as `reach` (m).
    """
    smooth: list[tuple[int, int, tuple[float, float, float, float], int]] = []
    strips: list[np.ndarray] = []
    owners: list[int] = []
    sides: list[np.ndarray] = []
    count = 0
    across, _, along = np.where(model.periodic, model.box, 0.0)
    for index, wall in enumerate(model.scene.walls):
        held = _smooth(wall)
        if held is not None:
            smooth.append((index, held[0], held[1], owner[index]))
            continue
        corners, side = strip(_lines(wall), thickness, reach, (float(across), float(along)))
        strips.append(corners)
        owners += [index] * len(corners)
        sides.append(count + side)
        count += int(side.max(initial=-1)) + 1
    return BeamWalls(
        smooth_wall=np.array([one[0] for one in smooth], np.int64),
        smooth_kind=np.array([one[1] for one in smooth], np.int64),
        smooth_rest=np.array([one[2] for one in smooth], float).reshape(-1, 4),
        smooth_material=np.array([one[3] for one in smooth], np.int64),
        corners=np.concatenate([np.zeros((0, 3, 2)), *strips]),
        wall=np.array(owners, np.int64),
        side=np.concatenate([np.zeros(0, np.int64), *sides]),
    )


def is_smooth(wall: Wall) -> bool:
    """Whether triangles feel their corners' distance from the wall; else it is a strip of triangles itself."""
    return _smooth(wall) is not None


def _smooth(wall: Wall) -> tuple[int, tuple[float, float, float, float]] | None:
    shape = wall.shape
    if isinstance(shape, Plane) and shape.sides == "front" and _level(shape.normal):
        size = float(np.hypot(shape.normal[0], shape.normal[2]))
        return FLAT, (shape.point[0], shape.point[2], shape.normal[0] / size, shape.normal[2] / size)
    if (
        isinstance(shape, Cylinder)
        and shape.length is None
        and _sideways(shape.axis)
        and shape.side in (None, "inside")
    ):
        return ROUND, (shape.point[0], shape.point[2], shape.radius, 0.0)
    if isinstance(shape, Sphere) and shape.side == "inside" and abs(shape.center[1]) < _LEVEL * shape.radius:
        return ROUND, (shape.center[0], shape.center[2], shape.radius, 0.0)
    return None


def _level(normal: Any) -> bool:
    return bool(abs(normal[1]) < _LEVEL * np.linalg.norm(normal))


def _sideways(axis: Any) -> bool:
    return bool(np.hypot(axis[0], axis[2]) < _LEVEL * abs(axis[1]))


def _lines(wall: Wall) -> np.ndarray:
    """The segments (n, 2, 2) m in which a wall's surface cuts the plane y = 0."""
    shape = wall.shape
    if isinstance(shape, Line):
        both = np.array([shape.start, shape.end])
        flat = np.abs(both[:, 1]).max() <= _LEVEL * max(1.0, float(np.abs(both).max()))
        return both[None, :, ::2] if flat else np.zeros((0, 2, 2))
    far = np.full(3, 1e3)
    vertices, triangles = shape.surface(-far, far)
    corners = np.asarray(vertices, float).reshape(-1, 3)[np.asarray(triangles, int)]
    if not len(corners):
        return np.zeros((0, 2, 2))
    height = corners[..., 1] - _ASIDE * max(float(np.ptp(corners[..., 1])), 1e-12)
    cut = corners[(height.max(axis=1) > 0) & (height.min(axis=1) < 0)]
    height = height[(height.max(axis=1) > 0) & (height.min(axis=1) < 0)]
    # The corner that is alone on its side is joined to the others by the two edges that are cut.
    alone = np.argmax((height > 0) == ((height > 0).sum(axis=1) == 1)[:, None], axis=1)
    rows = np.arange(len(cut))
    ends = []
    for other in (1, 2):
        to = (alone + other) % 3
        share = height[rows, alone] / (height[rows, alone] - height[rows, to])
        ends.append(cut[rows, alone] + share[:, None] * (cut[rows, to] - cut[rows, alone]))
    return np.stack(ends, axis=1)[..., ::2]


def inside(wall: Wall) -> Any:
    """The polygons, m, at rest, that a wall encloses and in which no grain may be: of a shape with grains outside."""
    import shapely

    if getattr(wall.shape, "side", None) != "outside":
        return shapely.polygons(np.zeros((0, 3, 2)))
    lines = _lines(wall)
    lines = shapely.set_precision(shapely.linestrings(lines), _LEVEL * max(float(np.ptp(lines)), 1e-12))
    return shapely.get_parts(shapely.polygonize([shapely.unary_union(lines)]))


def refuse(model: Model) -> list[Finding]:
    """Walls that flat grains cannot have."""
    findings = []
    for k, wall in enumerate(model.scene.walls):
        where = f"walls[{k}]"
        if any(isinstance(motion, Servo) for motion in wall.motion):
            findings += _refuse_servo(model, wall, f"{where}.motion")
        elif wall.motion and not _stays_flat(wall, model.scene.duration):
            findings.append(Finding(f"{where}.motion", "leaves the x–z plane", "must turn about y and move in x and z"))
        if wall.sticky:
            findings.append(Finding(f"{where}.sticky", "true", "flat grains are not held by walls", "leave it out"))
        if _smooth(wall) is None and not len(_lines(wall)):
            findings.append(Finding(where, f"the shape {wall.shape.key!r} does not cut the plane y = 0", "it must",
                                    "move it there, or take a line, a rectangle or a cylinder along y"))  # fmt: skip
        elif isinstance(wall.shape, Plane) and _smooth(wall) is None:
            findings.append(Finding(where, "a plane of both sides or across y", "take a rectangle, or sides = 'front'"))
    return findings


def too_long(model: Model, piece: float) -> list[Finding]:
    """Walls that would be cut into more triangles than is sensible: `piece` (m) is about how long these are."""
    findings = []
    for k, wall in enumerate(model.scene.walls):
        if _smooth(wall) is not None or piece <= 0.0:
            continue
        length = float(np.linalg.norm(np.diff(_lines(wall), axis=1), axis=2).sum())
        if length > _MOST_PIECES * piece:
            findings.append(Finding(
                f"walls[{k}]", f"a {wall.shape.key} of {length:.3g} m, {length / piece:.1g} times a triangle's length",
                "it would be cut into as many pieces", "take planes, which have no end, or a shorter shape",
            ))  # fmt: skip
    return findings


def too_short(model: Model, thickness: float) -> list[Finding]:
    """Walls of which nothing is left beside the `thickness` (m) of their strips."""
    findings = []
    for k, wall in enumerate(model.scene.walls):
        if _smooth(wall) is None and not len(segments(_lines(wall), thickness)):
            findings.append(Finding(
                f"walls[{k}]", f"a {wall.shape.key} of which nothing is left beside its thickness of {thickness:.3g} m",
                "it must be longer than a millionth of that", "make it longer, or leave it out",
            ))  # fmt: skip
    return findings


def _refuse_servo(model: Model, wall: Wall, where: str) -> list[Finding]:
    servo = wall.motion[-1]
    assert isinstance(servo, Servo)
    if len(wall.motion) > 1:
        return [Finding(where, "a servo and other motions", "of flat grains' walls it must be the only one")]
    if model.scene.beams.integrator != "verlet":
        return [Finding(where, "a servo", "needs beams.integrator = 'verlet'", "set it, or give the wall a motion")]
    if not (_level(servo.axis) if servo.torque is None else _sideways(servo.axis)):
        return [Finding(f"{where}.axis", str(servo.axis), "must slide in x and z, or turn about y")]
    return []


def _stays_flat(wall: Wall, duration: float) -> bool:
    for t in duration * (0.6180339887498949 * np.arange(97) % 1.0):  # in step with no swing
        for motion in wall.motion:
            path = motion.at(float(t))
            if abs(path[1]) > 1e-12 or max(abs(path[4]), abs(path[6])) > 1e-9:
                return False
    return True


def frames(model: Model) -> dict[str, np.ndarray]:
    """Walls' motions for the kernels: every wall is a frame of its own that rests where the scene does."""
    walls = model.scene.walls
    last = np.cumsum([len(wall.motion) for wall in walls]).astype(np.int64)
    first = last - np.array([len(wall.motion) for wall in walls], np.int64)
    waiting = np.zeros(len(walls), bool)
    waiting[model.walls.wall] = model.walls.waiting[model.walls.frame]
    return {
        "rest": np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(walls), 1)).reshape(-1, 7),
        "motion_range": np.stack([first, last], axis=1).reshape(-1, 2) if len(walls) else np.zeros((0, 2), np.int64),
        "motion_kind": model.walls.motion_kind.copy(),
        "motion_table": model.walls.motion_table.copy(),
        "begun": np.where(waiting, FOREVER, 0.0),
    }
