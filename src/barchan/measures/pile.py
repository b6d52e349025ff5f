"""Heaps: height, width, surface profile, angle of repose, packing. Everything from one frame.

A heap is what lies on the floor: of the sets of grains that touch one another, the heaviest one that reaches down to
the floor. Grains in flight, in a funnel above or strewn about are no part of it. The floor, where it is not given,
is the lowest point of the grains. Two-dimensional scenes (all grains at one y) are heaps over a line instead of a
plane; `r` is then the distance from the middle along x. Of flat grains of triangles the lowest and highest points are
corners; whether grains touch, and the surface, are told by the circles about their triangles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field

from barchan.drawn import Drawn
from barchan.frame import Frame
from barchan.measures.grains import close_spheres
from barchan.measures.named import measured
from barchan.measures.terrain import height_map
from barchan.schema.quantities import Fraction as Share
from barchan.schema.quantities import Length, Position

TOUCH = 0.05  # gap, as a part of the radii, across which grains still count as touching
FINENESS = 3.0  # columns of a height map per median radius, at least
FEWEST_RINGS = 4  # of a profile, unless told
LARGEST_MAP = 1024  # columns of a height map along its longer side
SECTORS = 8  # of the circle, fitted one by one to tell the error of an angle
FIT_FROM, FIT_TO = 0.15, 0.80  # the part of the foot radius on which the flank is fitted
FOOT_HEIGHT = 0.10  # of the height at the middle: what is lower is not the heap's flank any more
PROBES, MOST_PROBES = 200_000, 100_000_000  # points that measure a packing

Floor = Annotated[
    Length | None, Field(description="The height of the floor; left out, that of the lowest point of all grains.")
]
Below = Annotated[Length, Field(description="Grains with their centres above this height are not of the heap.")]
Held = Annotated[Share, Field(description="How much of the heap's mass the cylinder holds.")]
Low = Annotated[Position, Field(description="The corner of the box with the smallest coordinates.")]
High = Annotated[Position, Field(description="The opposite corner.")]
Probes = Annotated[int, Ge(1), Le(MOST_PROBES), Field(description="How many points the box is probed at.")]


@dataclass(frozen=True)
class Angle:
    """An angle with its standard error, both in rad."""

    value: float  # rad
    error: float  # rad

    @property
    def degrees(self) -> float:
        """The angle in degrees."""
        return math.degrees(self.value)

    @property
    def degrees_error(self) -> float:
        """Its standard error in degrees."""
        return math.degrees(self.error)

    def __str__(self) -> str:
        return f"{self.degrees:.1f}° ± {self.degrees_error:.1f}°"


@dataclass(frozen=True)
class Fraction:
    """A part of a whole with its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.4f} ± {self.error:.4f}"


@dataclass(frozen=True)
class RadialProfile(Drawn):
    """Mean height of a heap's free surface against the distance from its middle.

    Rings too narrow for the columns that the surface is measured at have NaN.
    """

    radius: np.ndarray  # (k,) m, middles of the rings
    height: np.ndarray  # (k,) m above the floor, mean over the ring, bare floor counted as 0
    spread: np.ndarray  # (k,) m, standard deviation over the ring
    cover: np.ndarray  # (k,) part of the ring that grains cover
    centre: tuple[float, float]  # m, x and y of the middle
    floor: float  # m, z of the floor

    @property
    def foot(self) -> float:
        """Radius (m) up to which grains cover half the ring and stand higher than a tenth of the middle."""
        known = np.isfinite(self.height)
        heap = ~known | (self.cover >= 0.5) & (self.height >= FOOT_HEIGHT * self.height[known][0])
        end = len(heap) if heap.all() else int(np.argmin(heap))
        step = self.radius[0] * 2.0
        return float(end * step)


@dataclass(frozen=True)
class _Columns:
    """A heap's surface as columns: distance from the middle, sector of the circle, height above the floor."""

    radius: np.ndarray  # (n,) m
    sector: np.ndarray  # (n,) int, 0 … sector_count − 1
    height: np.ndarray  # (n,) m, 0 where the floor is bare
    covered: np.ndarray  # (n,) bool
    sector_count: int
    grain: float  # m, median radius of the spheres
    centre: tuple[float, float]  # m
    floor: float  # m


def _flat(frame: Frame) -> bool:
    """Whether the spheres lie in one plane of constant y."""
    y = frame.sphere_position[:, 1]
    return len(y) > 1 and float(np.ptp(y)) <= 1e-9 * float(frame.sphere_radius.max())


def _ends(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """z of the lowest and highest point, (M,) m each, of every sphere, or of the triangle in it."""
    low, high = frame.surfaces
    return low[:, 2], high[:, 2]


@measured({"floor_height": "m"})
def floor_height(frame: Frame) -> float:
    """z of the lowest point of all grains, m; 0 in a frame without grains."""
    bottoms, _ = _ends(frame)
    return float(bottoms.min()) if len(bottoms) else 0.0


def heap(frame: Frame, *, floor: float | None = None, below: float = math.inf) -> np.ndarray:
    """Which grains belong to the heap, (N,) bool: the heaviest set of touching grains that reaches the floor (m).

    Grains with their centres above the height `below` (m) do not belong to it, such as those that still wait in a
    hopper and touch the heap through its mouth. What touches through a periodic face touches.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(frame)
    if not count:
        return np.zeros(0, bool)
    base = floor_height(frame) if floor is None else floor
    radius, grain = frame.sphere_radius, frame.sphere_grain
    a, b = close_spheres(frame, TOUCH)
    a, b = grain[a], grain[b]
    low = frame.position[:, 2] < below
    a, b = a[low[a] & low[b]], b[low[a] & low[b]]
    graph = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(count, count))
    set_count, sets = connected_components(graph, directed=False)
    lowest = np.full(count, np.inf)
    np.minimum.at(lowest, grain, _ends(frame)[0] - TOUCH * radius)
    mass = np.bincount(sets, weights=frame.mass, minlength=set_count)
    grounded = np.zeros(set_count, bool)
    grounded[sets[lowest <= base]] = True
    if not grounded.any():
        return np.zeros(count, bool)
    return np.asarray(sets == int(np.argmax(np.where(grounded, mass, -1.0))))


@measured({"pile_height": "m"})
def pile_height(frame: Frame, *, floor: Floor = None, below: Below = math.inf) -> float:
    """Height (m) of the highest grain of the heap above the floor; 0 where nothing lies on it. below: as in `heap`."""
    base = floor_height(frame) if floor is None else floor
    mine = heap(frame, floor=base, below=below)[frame.sphere_grain]
    tops = _ends(frame)[1][mine]
    return float(tops.max()) - base if len(tops) else 0.0


@measured({"pile_width": "m"})
def pile_width(frame: Frame, *, fraction: Held = 0.95, floor: Floor = None, below: Below = math.inf) -> float:
    """Diameter (m) of the upright cylinder about the heap's centre of mass that holds this fraction of its mass.

    A cone of foot radius R has the part 3ρ² − 2ρ³ of its mass within ρR of the axis: 95 % lie within 0.865 R.
    below: as in `heap`.
    """
    mine = heap(frame, floor=floor, below=below)
    if not mine.any():
        return 0.0
    mass, position = frame.mass[mine], frame.position[mine]
    distance = np.linalg.norm(position[:, :2] - np.average(position[:, :2], axis=0, weights=mass), axis=1)
    order = np.argsort(distance)
    held = np.cumsum(mass[order])
    edge = min(int(np.searchsorted(held, fraction * held[-1])), len(order) - 1)
    return 2.0 * float(distance[order[edge]])


def _columns(frame: Frame, floor: float | None, rings: int = FEWEST_RINGS) -> _Columns | None:
    """The heap seen from above, one column at each point of a grid; None where there is no heap.

    The grid is fine enough for that many rings, as far as its largest size allows.
    """
    base = floor_height(frame) if floor is None else floor
    mine = heap(frame, floor=base)
    spheres = mine[frame.sphere_grain]
    if not spheres.any():
        return None
    position, radius = frame.sphere_position[spheres], frame.sphere_radius[spheres]
    x, y, _ = np.average(frame.position[mine], axis=0, weights=frame.mass[mine])
    reach = float((np.linalg.norm(position[:, :2] - (x, y), axis=1) + radius).max())
    flat, grain = _flat(frame), float(np.median(radius))
    pitch = max(min(grain / FINENESS, reach / (2 * rings)), 2.0 * reach / LARGEST_MAP)
    columns = 2 * math.ceil(reach / pitch)
    rows = 1 if flat else columns
    low = (x - columns * pitch / 2.0, y - rows * pitch / 2.0)
    surface = height_map(frame, low, (columns, rows), pitch, floor=base, spheres=spheres)
    across, along = surface.points
    across, along = (across - x).ravel(), (along - y).ravel()
    sector_count = 2 if flat else SECTORS
    turn = np.arctan2(along, across) / (2.0 * np.pi) + 0.5 / sector_count
    return _Columns(
        radius=np.hypot(across, along),
        sector=np.floor(turn % 1.0 * sector_count).astype(int) % sector_count,
        height=surface.height.ravel(),
        covered=surface.covered.ravel(),
        sector_count=sector_count,
        grain=grain,
        centre=(float(x), float(y)),
        floor=base,
    )


def _profile(columns: _Columns, bins: int | None) -> RadialProfile:
    reach = float(columns.radius[columns.covered].max()) * (1.0 + 1e-12)
    count = bins if bins is not None else int(np.clip(reach / (2.0 * columns.grain), FEWEST_RINGS, 60))
    inside = columns.radius < reach
    ring = np.minimum((columns.radius[inside] / reach * count).astype(int), count - 1)
    height, covered = columns.height[inside], columns.covered[inside]
    number = np.bincount(ring, minlength=count).astype(float)
    number[number == 0] = np.nan  # nothing is known of that ring
    mean = np.bincount(ring, weights=height, minlength=count) / number
    square = np.bincount(ring, weights=height**2, minlength=count) / number
    return RadialProfile(
        radius=(np.arange(count) + 0.5) * reach / count,
        height=mean,
        spread=np.sqrt(np.maximum(square - mean**2, 0.0)),
        cover=np.bincount(ring, weights=covered, minlength=count) / number,
        centre=columns.centre,
        floor=columns.floor,
    )


def radial_profile(frame: Frame, *, bins: int | None = None, floor: float | None = None) -> RadialProfile:
    """Mean height of the free surface in rings about the heap's centre of mass; rings a grain wide unless told."""
    if bins is not None and bins < 1:
        raise ValueError(f"bins: {bins}; must be at least 1")
    columns = _columns(frame, floor, bins or FEWEST_RINGS)
    if columns is None:
        base = floor_height(frame) if floor is None else floor
        zero = np.zeros(1)
        return RadialProfile(zero, zero, zero, zero, (0.0, 0.0), base)
    return _profile(columns, bins)


def _slope(radius: np.ndarray, height: np.ndarray) -> float:
    """Slope of the straight line that fits the heights best."""
    away = radius - radius.mean()
    return float(away @ (height - height.mean()) / (away @ away))


@measured({"angle_of_repose": "rad", "angle_of_repose_error": "rad"}, taken=attrgetter("value", "error"))
def angle_of_repose(frame: Frame, *, floor: Floor = None) -> Angle:
    """Angle between the heap's flank and the floor, from a cone fitted to the height of its surface.

    On a cone of apex height H and angle α the surface is at h(r) = H − r tan α. The spheres' upper envelope h_i at
    columns r_i is that less a roughness which is the same everywhere on the flank, so it shifts H and leaves the slope
    alone. Least squares over the columns with 0.15 R ≤ r ≤ 0.8 R (R: the foot's radius; the rounded tip and the
    strewn foot stay out) gives

        tan α = − Σ (r_i − r̄)(h_i − h̄) / Σ (r_i − r̄)².

    Neighbouring columns see the same grain, so their scatter would make the error too small. Instead each of eight
    sectors (both flanks, in two dimensions) is fitted by itself: the standard error of their mean tells chance and
    lopsidedness. The inner and the outer half of the flank are fitted as well: half of their difference, over √3 as
    for an even spread, tells how far the flank is from straight. The error is the root of the sum of both squares. A
    heap less than three grains across has no flank: the angle is 0 with an error of 90°.
    """
    columns = _columns(frame, floor)
    unknown = Angle(0.0, math.pi / 2.0)
    if columns is None:
        return unknown
    foot = _profile(columns, None).foot
    if foot < 3.0 * columns.grain:
        return unknown
    start, end = FIT_FROM * foot, FIT_TO * foot

    def fit(low: float, high: float, sector: int | None = None) -> float:
        chosen = (columns.radius >= low) & (columns.radius <= high)
        if sector is not None:
            chosen &= columns.sector == sector
        if np.unique(columns.radius[chosen]).size < 3:
            return math.nan
        return math.atan(-_slope(columns.radius[chosen], columns.height[chosen]))

    sectors = np.array([fit(start, end, sector) for sector in range(columns.sector_count)])
    sectors = sectors[np.isfinite(sectors)]
    middle = (start + end) / 2.0
    bend = (fit(start, middle) - fit(middle, end)) / (2.0 * math.sqrt(3.0))
    value = fit(start, end)
    if len(sectors) < 2 or not (math.isfinite(bend) and math.isfinite(value)):
        return unknown
    chance = float(np.std(sectors, ddof=1)) / math.sqrt(len(sectors))
    return Angle(value, math.hypot(chance, bend))


@measured({"packing_fraction": "", "packing_fraction_error": ""}, taken=attrgetter("value", "error"))
def packing_fraction(frame: Frame, low: Low, high: High, *, probes: Probes = PROBES) -> Fraction:
    """Part of the box low … high (m) that is inside grains; where the spheres of a clump overlap it counts once.

    The box is probed at evenly scattered points (a Kronecker sequence on the inverse powers of the root of
    x⁴ = x + 1, the same every time). The error is that of as many random points, and errs on the large side. Choose a
    box that keeps a grain's distance from walls and periodic faces, near which the packing is another.
    """
    from scipy.spatial import cKDTree

    start, end = np.asarray(low, float), np.asarray(high, float)
    if start.shape != (3,) or end.shape != (3,) or not np.all(start <= end):
        raise ValueError(f"the box {start.tolist()} … {end.tolist()}: low must be below high along x, y and z")
    root = 1.2207440846057596
    points = start + (end - start) * ((0.5 + np.outer(np.arange(1, probes + 1), root ** -np.arange(1.0, 4.0))) % 1.0)
    near = np.all(
        np.abs(frame.sphere_position - (start + end) / 2.0) < (end - start) / 2.0 + frame.sphere_radius[:, None], 1
    )
    inside = np.zeros(probes, bool)
    if near.any():
        tree = cKDTree(points)
        for hits in tree.query_ball_point(frame.sphere_position[near], frame.sphere_radius[near]):
            inside[hits] = True
    value = float(inside.mean())
    return Fraction(value, math.sqrt(max(value * (1.0 - value), 1.0 / probes) / probes))
