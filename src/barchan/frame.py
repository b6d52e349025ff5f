"""One moment of a run, live or recorded: what is measured, recorded, read back and drawn.

`solver.frame()` makes one of a run that goes on, `Recording(folder)[k]` reads one back. Both answer the same questions.
What every frame has are its arrays. What only some have is found when it is first asked for, or a FrameError says that
it is not there: a recorded frame has contacts where they were recorded; the ledger, the gates, the steps and the number
of grains that came are known of a live frame alone, and stand in the recorded series. A live frame finds what it does
not hold in its run, and refuses once that has gone on; `solver.frame("contacts")` holds them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from barchan.drawn import Drawn
from barchan.errors import Finding, FrameError

NAN = float("nan")


@dataclass(frozen=True)
class Field:
    """One array of a frame, and where its rows lie in a recording.

    Frames of one field lie one after another in the dataset `path`; `/barchan/offsets/<name>` says in which row each
    frame begins and `/barchan/frames/<per>s` how many rows it has. A `steady` field seldom changes: a frame that
    repeats the rows of the one before points to the same rows. Where every grain is one sphere, a field and its
    `twin` are the same dataset. The rows of a field that is `on_spheres` are repeated for the spheres of a clump, as
    point data; velocities there are the spheres' own.
    """

    name: str
    per: str  # grain, sphere, wall, cell, contact, or what a table has rows of
    dtype: str
    row: tuple[int, ...]  # shape of one row
    unit: str
    meaning: str
    path: str
    steady: bool = False
    twin: str = ""
    on_spheres: bool = False
    missing: float | None = None  # what stands in rows of recordings from before there was the field; None: all have it

    @property
    def offsets(self) -> str:
        """Dataset that holds the first row of every frame."""
        return f"/barchan/offsets/{self.name}"


def rows(per: str, dtype: str, row: tuple[int, ...], unit: str, meaning: str, path: str = "", **kind: Any) -> Any:
    """An array of a dataclass with one row for each `per`; kind: the other fields of `Field`, and a default factory."""
    made = {"default_factory": kind.pop("default_factory")} if "default_factory" in kind else {}
    return field(metadata={"field": (per, dtype, row, unit, meaning, path, kind)}, **made)


def fields_of(kind: type) -> tuple[Field, ...]:
    """The arrays of a frame, of its contacts or of a table, as they are declared."""
    found = []
    for one in fields(kind):
        if "field" in one.metadata:
            per, dtype, row, unit, meaning, path, options = one.metadata["field"]
            path = path or f"/barchan/{per}s/{one.name.removeprefix(per + '_')}"
            found.append(Field(one.name, per, dtype, row, unit, meaning, path, **options))
    return tuple(found)


@dataclass
class Contacts:
    """The points at which bodies touch in a frame."""

    first: np.ndarray = rows("contact", "int64", (), "", "id of the first grain")
    second: np.ndarray = rows("contact", "int64", (), "", "id of the second grain, or −1 − w for wall w of the scene")
    point: np.ndarray = rows("contact", "float64", (3,), "m", "where they touch, beside the first grain")
    force: np.ndarray = rows("contact", "float64", (3,), "N", "on the first grain")
    overlap: np.ndarray = rows("contact", "float64", (), "m", "depth of the contact")
    mode: np.ndarray = rows(
        "contact", "int8", (), "", "of the contact's law, counted from 1 (`stick-slip`, triangles: 1 sticks, 2 slips); "
        "0: it has none", missing=0,
    )  # fmt: skip
    face: np.ndarray = rows(
        "contact", "int64", (), "", "of the wall, counted from 0; 0 between grains. Triangles of a mesh that lie side "
        "by side in a plane are one face", missing=0,
    )  # fmt: skip
    depth: np.ndarray = rows(
        "contact", "float64", (), "", "overlap over the radius of the smaller sphere; of triangles the area of the "
        "overlap over the smaller one's", missing=NAN,
    )  # fmt: skip

    def __len__(self) -> int:
        return len(self.first)

    @property
    def pairs(self) -> np.ndarray:
        """(K, 3) first and second body, and the face of a wall: each pair that touches, once.

        Pieces of clumps and polygons may touch at several points, and triangles of a wall's face side by side.
        """
        among, both = self.second >= 0, np.stack([self.first, self.second], axis=1)
        both = np.where(among[:, None], np.sort(both, axis=1), both)
        return np.unique(np.column_stack([both, np.where(among, 0, self.face)]), axis=0)


@dataclass
class Table:
    """Base of what a method adds to its frames: arrays with a row each for one more kind of thing."""

    per: ClassVar[str]  # what there is a row for, in one word
    letter: ClassVar[str]  # for the number of rows
    absent: ClassVar[str]  # what it means that a frame has none

    def ends(self, frame: Frame) -> tuple[np.ndarray, np.ndarray] | None:
        """Corners (M, 3) m of upright boxes about what fills the spheres; None: they are filled."""
        return None


TableKind = TypeVar("TableKind", bound=Table)
Answer = TypeVar("Answer")


class Found(Generic[Answer]):
    """What only some frames have: found when it is first asked for."""

    def __init__(self, meaning: str) -> None:
        self.__doc__ = meaning

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, frame: Frame, kind: type | None = None) -> Answer:
        found: Answer = frame._get(self.name) if frame is not None else self
        return found


@dataclass(frozen=True)
class Gate:
    """What has passed a source, a sink or an absorbing wall so far."""

    number: int
    mass: float  # kg
    momentum: tuple[float, ...]  # kg m/s
    energy: float  # J, kinetic and potential
    rate: float  # kg/s, since the sample before
    waiting: int  # grains that should have been poured and have found no room yet
    inward: bool  # a source


@dataclass
class Frame(Drawn):
    """The grains, ordered by id, at one time. Places are those of the images inside a periodic box."""

    time: float  # s
    step: int
    id: np.ndarray = rows(
        "grain",
        "int64",
        (),
        "",
        "name of the grain, kept for life; rows are ordered by it",
        steady=True,
        on_spheres=True,
    )
    group: np.ndarray = rows(
        "grain", "int32", (), "", "index into the scene's grains, beyond them into its sources", steady=True,
        on_spheres=True,
    )  # fmt: skip
    position: np.ndarray = rows("grain", "float64", (3,), "m", "centre of mass")
    image: np.ndarray = rows(
        "grain", "int32", (3,), "", "how often the grain has gone round each periodic axis since it came: with so "
        "many lengths of the cell its position is its unwrapped place", steady=True, missing=0,
    )  # fmt: skip
    velocity: np.ndarray = rows("grain", "float64", (3,), "m/s", "of the centre of mass", on_spheres=True)
    orientation: np.ndarray = rows("grain", "float64", (4,), "", "unit quaternion (w, x, y, z)")
    spin: np.ndarray = rows("grain", "float64", (3,), "rad/s", "angular velocity, in the frame of the laboratory")
    mass: np.ndarray = rows("grain", "float64", (), "kg", "mass", steady=True)
    inertia: np.ndarray = rows(
        "grain", "float64", (3,), "kg m²", "principal moments of inertia; NaN: not known, as of flat grains but about "
        "y", steady=True, missing=NAN,
    )  # fmt: skip
    radius: np.ndarray = rows("grain", "float64", (), "m", "bounding radius", steady=True)
    born: np.ndarray = rows("grain", "float64", (), "s", "time of insertion", steady=True, on_spheres=True)
    sphere_grain: np.ndarray = rows("sphere", "int64", (), "", "row of the sphere's grain", steady=True)
    sphere_position: np.ndarray = rows("sphere", "float64", (3,), "m", "centre", "/VTKHDF/Points", twin="position")
    sphere_radius: np.ndarray = rows(
        "sphere", "float64", (), "m", "radius", "/VTKHDF/PointData/radius", steady=True, twin="radius"
    )
    sphere_offset: np.ndarray = rows(
        "sphere", "float64", (3,), "m", "centre from the grain's, in the frame of its principal axes; NaN: the grain "
        "is not rigid", steady=True, missing=NAN,
    )  # fmt: skip
    wall_pose: np.ndarray = rows(
        "wall", "float64", (7,), "m, –", "shift p, quaternion q: point X₀ is now at p + q·X₀", steady=True
    )
    wall_present: np.ndarray = rows("wall", "bool", (), "", "whether the wall is there", steady=True)
    cell: np.ndarray = rows(
        "cell",
        "float64",
        (7,),
        "m",
        "the periodic box: lower corner, lengths (0: open) and by how much the image above is shifted along x",
        "/barchan/cell",
        steady=True,
        missing=0,
        default_factory=lambda: np.zeros((0, 7)),
    )  # fmt: skip
    tables: tuple[Table, ...] = ()  # what the method adds
    known: dict[str, Any] = field(default_factory=dict)  # of what not every frame has, what is found already
    find: dict[str, Callable[[Frame], Any]] = field(default_factory=dict)  # and how the rest is found

    def __len__(self) -> int:
        return len(self.id)

    # ------------------------------------------------------------ what not every frame has

    def has(self, *names: str) -> bool:
        """Whether all of these can be asked for: `contacts`, `ledger`, …, or arrays that every frame has."""
        return all(name in self.known or name in self.find or name in _ALWAYS for name in names)

    def holding(self, *names: str) -> Self:
        """This frame, which holds these from now on; FrameError where it cannot have them."""
        for name in names:
            self._get(name)
        return self

    def alone(self, *names: str) -> Self:
        """A frame that holds these and its arrays, and finds nothing more: what is recorded."""
        always = ("collided",) if "collided" in self.known else ()
        return replace(self, known={name: self._get(name) for name in (*names, *always)}, find={})

    def _get(self, name: str) -> Any:
        if name not in self.known:
            if name not in self.find:
                raise FrameError(_lacking(self, name))
            self.known[name] = self.find[name](self)
        return self.known[name]

    contacts = Found[Contacts]("Where bodies touch.")
    ledger = Found[Mapping[str, float]]("The lines of the energy ledger, J, by name: see the observable `energy`.")
    gates = Found[Mapping[str, Gate]]("What has passed sources, sinks and absorbing walls, by name.")
    steps = Found[Mapping[str, float | int]]("What the solver says of its steps, by name.")
    inserted = Found[int]("Grains that have entered so far, or have broken off others.")
    gravity = Found[np.ndarray]("(3,) m/s².")
    flat = Found[bool]("Whether the scene has two dimensions.")
    solid = Found[np.ndarray]("(N,) m³ of material in each grain; in two dimensions the area that it covers, m².")

    @property
    def collided(self) -> np.ndarray:
        """(3, 3) J: Σ impulse ⊗ branch a second of collisions without duration, since the sample before.

        For the signs see `branch` and the force of contacts. It is 0 where bodies touch for a while.
        """
        return np.asarray(self.known.get("collided", np.zeros((3, 3))))

    def table(self, kind: type[TableKind]) -> TableKind | None:
        """The table of that kind, where the frame's method adds it."""
        return next((one for one in self.tables if isinstance(one, kind)), None)

    # ------------------------------------------------------------ what follows from it

    @property
    def unwrapped(self) -> np.ndarray:
        """(N, 3) m, centres of mass as if nothing had brought them back into the periodic box."""
        *lengths, tilt = self.box
        place = self.position + self.image * lengths
        place[:, 0] += self.image[:, 2] * tilt
        return np.asarray(place)

    @property
    def sphere_velocity(self) -> np.ndarray:
        """(M, 3) m/s, of the spheres' centres, which move with their grains: v + ω × r."""
        row = self.sphere_grain
        return self.velocity[row] + np.cross(self.spin[row], self.sphere_position - self.position[row])

    def rows_of(self, ids: np.ndarray) -> np.ndarray:
        """The rows of grains given by id, −1 for those that are not there, walls among them."""
        if not len(self):
            return np.full(len(ids), -1)
        place = np.clip(np.searchsorted(self.id, ids), 0, len(self) - 1)
        return np.where(self.id[place] == ids, place, -1)

    @functools.cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """(C,) rows of the first and the second grain of each contact; of the second −1 − w for wall w."""
        first, second = self.contacts.first, self.contacts.second
        return self.rows_of(first), np.where(second >= 0, self.rows_of(second), second)

    @functools.cached_property
    def branch(self) -> np.ndarray:
        """(C, 3) m, to the centre of the first grain from that of the second, or from the contact at a wall.

        Of the second's images it is the one beside the contact.
        """
        (first, second), point = self.ends, self.contacts.point
        begin = self.position[first]
        point = point - self.periods(point - begin)  # older recordings have points beside either grain
        other = np.where((second >= 0)[:, None], self.position[np.maximum(second, 0)], point)
        return begin - other + self.periods(other - point)

    @property
    def pairs(self) -> np.ndarray:
        """(K, 3) rows of first and second body and the face of a wall, as in `Contacts.pairs`."""
        pairs = self.contacts.pairs
        second = np.where(pairs[:, 1] >= 0, self.rows_of(pairs[:, 1]), pairs[:, 1])
        return np.stack([self.rows_of(pairs[:, 0]), second, pairs[:, 2]], axis=1)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Lengths of the periodic box, m, 0 along open axes, and by how much the image above is shifted along x."""
        x, y, z, tilt = self.cell[0, 3:7].tolist() if len(self.cell) else (0.0, 0.0, 0.0, 0.0)
        return x, y, z, tilt

    def periods(self, apart: np.ndarray) -> np.ndarray:
        """By how many whole periods, (k, 3) m, distances (k, 3) m are longer than to the nearest image."""
        *lengths, tilt = self.box
        far = np.zeros_like(apart)
        if lengths[2]:
            turns = np.round(apart[:, 2] / lengths[2])
            far[:, 2], far[:, 0] = turns * lengths[2], turns * tilt
        for axis in (0, 1):
            if lengths[axis]:
                far[:, axis] += lengths[axis] * np.round((apart[:, axis] - far[:, axis]) / lengths[axis])
        return far

    def nearest(self, apart: np.ndarray) -> np.ndarray:
        """Distances (k, 3) m, each replaced by that to the nearest periodic image."""
        return apart - self.periods(apart)

    @functools.cached_property
    def surfaces(self) -> tuple[np.ndarray, np.ndarray]:
        """Low and high corners (M, 3) m of the upright boxes about the spheres, or about what fills them."""
        own = next((ends for one in self.tables if (ends := one.ends(self)) is not None), None)
        reach = self.sphere_radius[:, None]
        return own or (self.sphere_position - reach, self.sphere_position + reach)

    @property
    def tops(self) -> np.ndarray:
        """(N,) m, z of each grain's highest point."""
        first = np.searchsorted(self.sphere_grain, np.arange(len(self)))
        return np.maximum.reduceat(self.surfaces[1][:, 2], first) if len(self) else np.zeros(0)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners (3,) m of the upright box about the surfaces of all grains; without grains both are 0."""
        if not len(self):
            return np.zeros(3), np.zeros(3)
        low, high = self.surfaces
        return low.min(axis=0), high.max(axis=0)


def single_spheres(position: np.ndarray, radius: np.ndarray, mass: np.ndarray) -> dict[str, Any]:
    """What a frame of single spheres, (N, 3) m, (N,) m and (N,) kg, has of spheres, and their inertia."""
    return {
        "sphere_grain": np.arange(len(radius)), "sphere_position": position, "sphere_radius": radius,
        "sphere_offset": np.zeros_like(position), "inertia": np.tile(0.4 * (mass * radius**2)[:, None], 3),
    }  # fmt: skip


_ALWAYS = {one.name for one in fields(Frame)} | {"collided"}


def _lacking(frame: Frame, name: str) -> Finding:
    """What is said where a frame is asked for what it cannot have."""
    remedy = {
        "contacts": "set `record.contacts = true` where the method has lasting contacts, and run the scene again",
        "flat": "open the frame through its recording, `Recording(folder)[k]`",
        "solid": "open the frame through its recording, `Recording(folder)[k]`",
    }.get(name, "recorded frames never do; `Recording.series` has what the run measured of it")
    return Finding(f"frame at t = {frame.time:.6g} s", f"holds no {name}", remedy=remedy)
