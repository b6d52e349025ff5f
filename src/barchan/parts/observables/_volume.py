"""What a density or a stress is divided by, the same for all: a stated volume or region, else the cell."""

from __future__ import annotations

import itertools
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Gt
from pydantic import model_validator

from barchan.frame import Frame
from barchan.parts.observables import Observable
from barchan.schema.problems import fault
from barchan.schema.quantities import Position, Unit
from barchan.schema.tables import Table


class Region(Table):
    """An upright box in which is measured; in two dimensions its extent along y does not matter."""

    low: Position
    """The corner with the smallest coordinates."""
    high: Position
    """The opposite corner."""

    @model_validator(mode="after")
    def _ordered(self) -> Region:
        for axis, low, high in zip("xyz", self.low, self.high, strict=True):
            if low > high or (low == high and axis != "y"):
                raise fault(f"the region is empty along {axis} (low {low:g} m, high {high:g} m)", "low must be < high")
        return self


class Part(NamedTuple):
    """The part of a scene that is measured."""

    volume: float  # m³, or m² in two dimensions
    grains: np.ndarray  # (N,) bool: those whose centres of mass lie in it
    share: np.ndarray  # (C,) of each contact's branch that lies in it


class Measured(Observable):
    """What is measured over a stated `volume` or `region`, else over the cell.

    Of the cell, axes that repeat count with the length of the periodic box, open ones with the extent of the grains'
    surfaces. A stated volume takes all grains and all contacts; in a region count grains whose centres of mass lie in
    it, and of a contact's branch the part that does.
    """

    volume: Annotated[float, Gt(0), Unit("m^3")] | None = None
    """What is divided by, for all grains and contacts; in two dimensions an area in m²."""
    region: Region | None = None
    """The upright box in which is measured; left out, with `volume` too, the cell."""

    @model_validator(mode="after")
    def _one(self) -> Measured:
        if self.volume is not None and self.region is not None:
            raise fault("both a volume and a region", "give one of them")
        return self

    def part(self, frame: Frame) -> Part:
        """What is measured of this frame."""
        count, contacts = len(frame.mass), len(frame.ends[0])
        everything, whole = np.ones(count, bool), np.ones(contacts)
        if self.region is None:
            return Part(self.volume or cell_volume(frame), everything, whole)
        axes = axes_of(frame)
        low, high = np.array(self.region.low)[axes], np.array(self.region.high)[axes]
        place = frame.position[:, axes]
        inside = np.zeros(count, bool)
        for shift in _images(frame):  # a region over a face of the cell holds images of grains
            inside |= ((place + shift >= low) & (place + shift < high)).all(axis=1)
        return Part(float(np.prod(high - low)), inside, _share(frame, low, high))

    def divisor(self, periodic: tuple[bool, ...], *, flat: bool) -> str:
        """What is divided by, in words."""
        if self.volume is not None:
            return f"the stated {'area' if flat else 'volume'} of {self.volume:g} m{'²' if flat else '³'}"
        if self.region is not None:
            return "the stated region"
        axes = [0, 2] if flat else [0, 1, 2]
        repeats = ["xyz"[k] for k in axes if periodic[k]]
        opens = ["xyz"[k] for k in axes if not periodic[k]]
        cell = [f"the periodic cell along {', '.join(repeats)}"] if repeats else []
        return " and ".join(cell + ([f"the extent of the grains' surfaces along {', '.join(opens)}"] if opens else []))


def axes_of(frame: Frame) -> list[int]:
    """The components that count: x and z in two dimensions."""
    return [0, 2] if frame.flat else [0, 1, 2]


def cell_volume(frame: Frame) -> float:
    """m³, or m² in two dimensions: the periodic box, along open axes the extent of the grains' surfaces."""
    low, high = frame.bounds
    return float(np.prod([frame.box[k] or float(high[k] - low[k]) for k in axes_of(frame)]))


def over(values: Any, volume: float) -> Any:
    """Values over a volume; over none, where there are no grains, 0."""
    return values / volume if volume > 0 else 0.0 * values


def _share(frame: Frame, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(C,) part of each branch between `low` and `high`, its periodic images included."""
    axes = axes_of(frame)
    branch = frame.branch[:, axes]
    start = frame.position[frame.ends[0]][:, axes] - branch
    total = np.zeros(len(branch))
    for shift in _images(frame):
        total += _inside(start + shift, branch, low, high)
    return total


def _images(frame: Frame) -> list[np.ndarray]:
    """Shifts, m, to the periodic cell itself and to those round it, of the components that count."""
    x, y, z, tilt = frame.box
    vectors = np.array([[x, 0.0, 0.0], [0.0, y, 0.0], [tilt, 0.0, z]])
    ways = itertools.product(*((-1, 0, 1) if length > 0 else (0,) for length in (x, y, z)))
    return [(np.array(way, float) @ vectors)[axes_of(frame)] for way in ways]


def _inside(start: np.ndarray, way: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(C,) part of the lines from `start` along `way` that lies in the box."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (low - start) / way, (high - start) / way
    flat = way == 0.0
    within = (start >= low) & (start < high)
    enter = np.where(flat, np.where(within, -np.inf, np.inf), np.minimum(one, other)).max(axis=1)
    leave = np.where(flat, np.inf, np.maximum(one, other)).min(axis=1)
    return np.clip(np.minimum(leave, 1.0) - np.maximum(enter, 0.0), 0.0, 1.0)
