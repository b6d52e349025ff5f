"""Fills: where the grains of a group are at the start.

One file each. A fill is handed an order and answers centres of mass; a spacing that the scene leaves out keeps grains a
hair apart, one that it states is taken as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.parts.regions import Period, Region, Space
from barchan.registry import Part

LOOSE = 1.001  # default spacing of centres, in extents of the largest grain
_GRAIN_BYTES = 1500  # a grain's arrays and its share of pairs and contacts in a run
_SPHERE_BYTES = 100
_MEMORY_SHARE = 0.8  # of what is available


@dataclass(frozen=True)
class Order:
    """What a group asks of a fill, and how an error names it."""

    reach: float  # m, of the largest grain from its centre of mass, along the axes
    count: int | None = None  # None: as many as fit
    spheres: int = 1  # a grain
    where: str = "fill"  # path into the scene
    group: str = ""  # its name
    bounding: float = 0.0  # m, the largest radius of a sphere about a grain
    dimensions: int = 3
    period: Period | None = None  # the scene's box

    def space(self, region: Region) -> Space:
        """The space of a region in the scene."""
        return region.space(dimensions=self.dimensions, period=self.period)


@dataclass(frozen=True)
class Given:
    """What a fill says of N grains; None where it says nothing."""

    position: np.ndarray  # (N, 3) m
    radius: np.ndarray | None = None  # (N,) m
    velocity: np.ndarray | None = None  # (N, 3) m/s
    spin: np.ndarray | None = None  # (N, 3) rad/s


class Fill(Part):
    """Base of fills: most say where grains may be, and then grains are drawn for these places.

    A fill that is `by_size` is handed the grains that are drawn, and finds a place for each.
    """

    family: ClassVar[str] = "fills"
    by_size: ClassVar[bool] = False
    sized: ClassVar[bool] = False  # whether it may say how large grains are

    @property
    def keeps_clear(self) -> bool:
        """Whether its grains are placed where those of other groups are not."""
        return False

    def check_count(self, count: int | None) -> None:
        """For validators: a fault where the group's count does not go together with the fill."""

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        """Places for so many grains, and what else is known of them."""
        raise TypeError(f"{type(self).__name__} has no places")

    def places(self, order: Order, radii: np.ndarray, rng: np.random.Generator, there: np.ndarray) -> np.ndarray:
        """`by_size`: centres (N, 3) m of grains in spheres of `radii` (N,) m, beside spheres `there` (M, 4) m."""
        raise TypeError(f"{type(self).__name__} has no places")


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


def too_many(order: Order, capacity: int, share: float = 0.0) -> Finding:
    asked = f"{order.count} grains" if order.count else "as many grains as fit"
    fraction = f", a volume fraction of {share:.1%}" if share else ""
    return Finding(
        order.where,
        f"group {order.group!r} asks for {asked}, up to {2.0 * order.reach:.4g} m across{fraction}",
        f"{capacity} fit on these sites",
        "enlarge the region, reduce the spacing, or ask for fewer or smaller grains",
    )
