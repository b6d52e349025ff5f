"""Where the grains of a group start: regular fills, and the memory a fill may ask for.

Every fill answers centres of mass (N, 3) in m. `reach` is how far the largest grain extends from its centre of mass
along the axes. A spacing that the scene leaves out keeps grains a hair apart; one that it states is taken as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.parts.regions import Space

_LOOSE = 1.001  # default spacing of centres, in extents of the largest grain
_ROUND = 1e-9  # of a spacing, forgiven when sites are counted
_GRAIN_BYTES = 1500  # a grain's arrays and its share of pairs and contacts in a run
_SPHERE_BYTES = 100
_MEMORY_SHARE = 0.8  # of what is available


@dataclass(frozen=True)
class Order:
    """What a group asks of a fill, and how an error names it."""

    reach: float  # m, of the largest grain from its centre of mass
    count: int | None = None  # None: as many as fit
    spheres: int = 1  # a grain
    where: str = "fill"  # path into the scene
    group: str = ""  # its name


def lattice(
    space: Space, order: Order, rng: np.random.Generator, *, spacing: float | None = None, jitter: float = 0.0
) -> np.ndarray:
    """A simple cubic (in two dimensions square) lattice, layer by layer from below, centred sideways."""
    spacing = spacing or 2.0 * order.reach * _LOOSE + 2.0 * jitter
    margin = order.reach + jitter
    across, along = _sites(space, 1, spacing, margin), _sites(space, 0, spacing, margin)
    check_memory(order, along.number * across.number)
    layer = np.stack(np.meshgrid(along.places(), across.places()), axis=-1).reshape(-1, 2)
    upwards = _sites(space, 2, spacing, margin, from_low=True)
    centres = _stack(space, order, [layer[space.holds_column(layer, margin, _ROUND * margin)]], upwards)
    if jitter:
        shift = rng.uniform(-jitter, jitter, centres.shape)
        centres[:, space.axes] += shift[:, space.axes]
    return centres


def hexagonal(space: Space, order: Order, *, spacing: float | None = None) -> np.ndarray:
    """Layers of triangles, every second one in the hollows of the one below; in two dimensions rows of discs."""
    spacing = spacing or 2.0 * order.reach * _LOOSE
    flat, cornered = space.dimensions == 2, space.cornered
    columns = _sites(space, 0, spacing, order.reach, from_low=cornered)
    rows = _sites(space, 1, spacing * np.sqrt(0.75), order.reach, from_low=cornered, even=True)
    rise = spacing * np.sqrt(0.75 if flat else 2.0 / 3.0)
    upwards = _sites(space, 2, rise, order.reach, from_low=True, even=True)
    check_memory(order, columns.number * rows.number)
    column, row = np.meshgrid(np.arange(columns.number), np.arange(rows.number))
    layers = []
    for odd in (0, 1):
        x = columns.first + columns.step * (column + 0.5 * ((row + odd) % 2))
        y = rows.first + rows.step * (row + odd / 3.0)
        layer = space.wrap(np.stack([x, y], axis=-1).reshape(-1, 2))
        layers.append(layer[space.holds_column(layer, order.reach, _ROUND * order.reach)])
    return _stack(space, order, layers, upwards)


def pyramid(
    base: tuple[float, float, float],
    order: Order,
    *,
    layers: int | None = None,
    spacing: float | None = None,
    dimensions: int = 3,
) -> np.ndarray:
    """Square layers (rows in two dimensions) of n, n − 1, …, 1 grains a side above the point `base` (m).

    Without `layers` it is the smallest such pyramid that holds the order's count, filled from below.
    """
    spacing = spacing or 2.0 * order.reach * _LOOSE
    sides = np.arange(1, (layers or 10_000) + 1)
    held = np.cumsum(sides ** (dimensions - 1))  # grains in a pyramid of that many layers
    count = order.count if layers is None else int(held[-1])
    assert count is not None, "a pyramid has layers or a count"
    check_memory(order, count)
    if count > held[-1]:
        raise SceneError(_too_many(order, int(held[-1])))
    height = layers or int(np.searchsorted(held, count)) + 1
    centres = np.concatenate([_square(height - level, level, dimensions) for level in range(height)])[:count]
    origin = np.array([base[0], 0.0 if dimensions == 2 else base[1], base[2] + order.reach])
    return origin + spacing * centres


def check_memory(order: Order, count: int) -> None:
    """SceneError if that many grains would not fit into the memory that is available, before anything is allocated."""
    needed = count * (_GRAIN_BYTES + _SPHERE_BYTES * order.spheres)
    limit = _MEMORY_SHARE * available_memory()
    if needed > limit:
        most = int(limit / (_GRAIN_BYTES + _SPHERE_BYTES * order.spheres))
        raise SceneError(
            Finding(
                order.where,
                f"group {order.group!r} asks for {count:.4g} grains, about {needed / 2**30:.3g} GiB",
                f"about {most:.3g} fit into the {available_memory() / 2**30:.3g} GiB of memory that are available",
                "ask for fewer grains, a smaller region or larger grains",
            )
        )


def available_memory() -> float:
    """Bytes that this process may still allocate without swapping; 8 GiB where the system does not say."""
    available = 8.0 * 2**30
    try:
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        available = float(fields["MemAvailable"].split()[0]) * 1024.0
        group = Path("/sys/fs/cgroup")
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            available = min(available, float(limit) - float((group / "memory.current").read_text()))
    except (OSError, KeyError, ValueError, IndexError):
        pass
    return max(available, 0.0)


class _Sites(NamedTuple):
    """Evenly spaced places along an axis."""

    number: int
    step: float  # m
    first: float  # m

    def places(self) -> np.ndarray:
        return self.first + self.step * np.arange(self.number)


def _sites(
    space: Space, axis: int, spacing: float, margin: float, *, from_low: bool = False, even: bool = False
) -> _Sites:
    """The places along an axis, centred in the region or from its low end, a margin (m) inside.

    Around a period they are spread evenly, an even number of them where a pattern of two repeats.
    """
    if axis not in space.axes:
        return _Sites(1, 0.0, 0.0)
    low, length = float(space.low[axis]), float(space.length[axis])
    if space.periodic[axis]:
        number = int(np.floor(length / spacing + _ROUND))
        number -= number % 2 if even else 0
        step = length / max(number, 1)
        return _Sites(number, step, low + 0.5 * step)
    room = length - 2.0 * margin
    number = int(np.floor(room / spacing + _ROUND)) + 1 if room >= -_ROUND * margin else 0
    slack = 0.0 if from_low else 0.5 * (room - spacing * (number - 1))
    return _Sites(number, spacing, low + margin + slack)


def _stack(space: Space, order: Order, layers: list[np.ndarray], upwards: _Sites) -> np.ndarray:
    """The given layers (m, 2) over and over, one at each height, and of their sites the first ones asked for."""
    cycles, rest = divmod(upwards.number, len(layers))
    cycle = sum(len(layer) for layer in layers)
    capacity = cycles * cycle + sum(len(layer) for layer in layers[:rest])
    count = capacity if order.count is None else order.count
    if count > capacity or capacity == 0:
        raise SceneError(_too_many(order, capacity, count * space.share(np.array([order.reach]))))
    check_memory(order, count)
    site, level = np.arange(count) % cycle, np.arange(count) // cycle * len(layers)
    for below in np.cumsum([len(layer) for layer in layers])[:-1]:
        level += site >= below
    centres = np.empty((count, 3))  # m
    centres[:, :2] = np.concatenate(layers)[site]
    centres[:, 2] = upwards.first + upwards.step * level
    if space.dimensions == 2:
        centres[:, 1] = 0.0
    return centres


def _square(side: int, level: int, dimensions: int) -> np.ndarray:
    """A square layer (a row in two dimensions) about the z axis, in units of the spacing: (side², 3) or (side, 3)."""
    line = np.arange(side) - 0.5 * (side - 1)
    y, x = np.meshgrid(np.zeros(1) if dimensions == 2 else line, line, indexing="ij")
    return np.stack([x.ravel(), y.ravel(), np.full(x.size, float(level))], axis=1)


def _too_many(order: Order, capacity: int, share: float = 0.0) -> Finding:
    asked = f"{order.count} grains" if order.count else "as many grains as fit"
    fraction = f", a volume fraction of {share:.1%}" if share else ""
    return Finding(
        order.where,
        f"group {order.group!r} asks for {asked}, up to {2.0 * order.reach:.4g} m across{fraction}",
        f"{capacity} fit on these sites",
        "enlarge the region, reduce the spacing, or ask for fewer or smaller grains",
    )
