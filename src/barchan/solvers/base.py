"""What a solver is: all that a run, a report, the command line, the viewer or a benchmark may ask of one.

What every solver does is abstract here. Of what only some can do, `method.can` names what this one can; to ask for
the rest is `Lacking`.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from barchan.errors import Finding, FrameError, SceneError
from barchan.frame import Frame, Gate
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.solids import solid
from barchan.parts.motions import FOREVER
from barchan.scene.method import CAPABILITIES, Method
from barchan.scene.scene import METHODS

GONE = -2  # instead of the row of what is no longer there; −1 may be a wall
NUMBER, MASS, MOMENTUM, ENERGY, WAITING = 0, 1, slice(2, 5), 5, 6  # columns of the array `gates`
BY_TIME, ADDED, REMOVED = 0, 1, -1  # values of the array `rule`: whether a piece of a wall is there

# Members that change a solver: frames taken before find nothing more.
CHANGING = {
    "advance", "advance_to", "rebuild", "relax", "insert", "remove", "meet_walls", "add_wall", "remove_wall",
    "start_motion", "change_gravity",
}  # fmt: skip


class Lacking(SceneError):
    """A solver is asked for what it cannot do."""


def lacking(method: Method | type[Method], name: str, where: str) -> Finding:
    """What is said of a capability that this solver has not."""
    able = " or ".join(f'"{one.name}"' for one in METHODS.values() if name in one.can)
    what = f"the solver {method.name!r} cannot {CAPABILITIES[name]}"
    return Finding(where, what, f"needs {name!r}", f"leave it out, or use solver = {able}")


def _counted(member: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(member)
    def counted(solver: Solver, *given: Any, **options: Any) -> Any:
        solver.changed += 1
        return member(solver, *given, **options)

    return counted


class Solver(ABC):
    """Takes the grains of a model from one time to a later one."""

    method: ClassVar[type[Method]]  # what is known of it before it is imported, and what it can do
    saved: ClassVar[tuple[str, ...]]  # attributes that a checkpoint keeps beside arrays
    model: Model
    dt: float  # s, of a step of fixed length; 0 where there are none
    energy_at_start: float = 0.0  # J
    potential_at_start: float = 0.0  # J, the part of it in the field of gravity
    turned: float = 0.0  # J, the most that `turned_over` has been
    energy_error: float = 0.0  # over the energy turned over
    changed: int = 0  # how often a member of `CHANGING` was called

    def __init_subclass__(cls) -> None:
        for name in CHANGING & vars(cls).keys():
            setattr(cls, name, _counted(vars(cls)[name]))

    @abstractmethod
    def __init__(self, model: Model, grains: Grains, time_step: float) -> None: ...

    @abstractmethod
    def __len__(self) -> int:
        """Grains that are there."""

    # ------------------------------------------------------------ what every solver does

    @property
    @abstractmethod
    def time(self) -> float:
        """Simulated time, s, or the coordinate of a protocol."""

    @property
    @abstractmethod
    def step(self) -> int:
        """Steps so far, or collisions where the method is driven by events."""

    @property
    @abstractmethod
    def made(self) -> int:
        """Grains that there have ever been, the pieces of broken ones too."""

    @property
    def sphere_count(self) -> int:
        """What stands for the size of the work: spheres of all grains, or triangles; here one a grain."""
        return len(self)

    @abstractmethod
    def advance_to(self, t: float) -> None:
        """Go on to time t, s: with fixed steps to the step nearest to it."""

    @abstractmethod
    def meet_walls(self) -> None:
        """Let walls appear and vanish as the present time says."""

    @abstractmethod
    def mark_flow(self) -> None:
        """Let the rates at which mass passes the gates, and grains push each other, be those from now on."""

    @abstractmethod
    def watch(self) -> None:
        """RunError at the first thing that is out of bounds: overlap, energy, numbers or the box."""

    @abstractmethod
    def gravity(self) -> np.ndarray:
        """Gravity at present, (3,) m/s²."""

    @abstractmethod
    def gates(self) -> dict[str, Gate]:
        """What has passed every source, sink and absorbing wall, by name."""

    @abstractmethod
    def positions(self) -> np.ndarray:
        """Centres of mass (N, 3) m in the order of ids, inside a periodic box."""

    def frame(self, *held: str) -> Frame:
        """The present moment. It finds contacts and ledger until the run goes on, and holds those that are named."""
        return self._frame().holding(*held)

    @abstractmethod
    def _frame(self) -> Frame:
        """The present moment, as `live` completes it."""

    @abstractmethod
    def statistics(self) -> dict[str, Any]:
        """What a summary says of the run so far."""

    @abstractmethod
    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """All that changes in a run, verbatim: a solver restored from it goes on with the same bits."""

    @classmethod
    @abstractmethod
    def restored(cls, model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Self:
        """The solver whose `state` this was."""

    # ------------------------------------------------------------ what some can do

    def advance(self, steps: int) -> None:
        """Take that many steps of a fixed length."""
        raise self._lacking("advance")

    def room(self, grains: Grains) -> np.ndarray:
        """Which of these grains, (N,) bool, would touch neither a grain that is there nor a wall."""
        raise self._lacking("room")

    def insert(self, grains: Grains, gate: str, *, waiting: int = 0) -> None:
        """Add grains, which get the next ids; `gate` is the name of their source, where `waiting` more find no room."""
        raise self._lacking("insert")

    def remove(self, mask: np.ndarray, gate: str) -> None:
        """Take away the grains of mask (N,) bool, in the order of `frame`; `gate` is the name of the sink."""
        raise self._lacking("remove")

    def add_wall(self, name: str) -> None:
        """From now on the wall is there."""
        raise self._lacking("add_wall")

    def remove_wall(self, name: str) -> None:
        """From now on the wall is there no longer."""
        raise self._lacking("remove_wall")

    def start_motion(self, name: str) -> None:
        """The motions of the wall begin now."""
        raise self._lacking("start_motion")

    def change_gravity(self, gravity: Sequence[float] | np.ndarray) -> None:
        """Gravity is another one, (3,) m/s², from now on."""
        raise self._lacking("change_gravity")

    def fastest(self) -> float:
        """The highest speed of a grain, m/s."""
        raise self._lacking("fastest")

    def kinetic_energy(self) -> float:
        """Kinetic energy of all grains, J."""
        raise self._lacking("kinetic_energy")

    @property
    def worst_overlap(self) -> float:
        """The deepest overlap so far: over the smaller radius, or as a share of a triangle."""
        raise self._lacking("worst_overlap")

    @property
    def list_counts(self) -> tuple[int, int]:
        """How many lists of neighbours have been made so far, and how many from cells."""
        raise self._lacking("list_counts")

    def _lacking(self, name: str) -> Lacking:
        return Lacking(lacking(self.method, name, f"t = {self.time:.6g} s"))

    # ------------------------------------------------------------ what solvers share

    @property
    def nbytes(self) -> int:
        """The size of its arrays, bytes."""
        return sum(array.nbytes for array in self.state()[0].values())

    def live(self, frame: Frame, steps: Mapping[str, float | int], **finders: Callable[[], Any]) -> Frame:
        """The frame with what a run knows beside it, and what finds the rest until the solver changes.

        steps: what the solver says of them.
        """
        then, scene = self.changed, self.model.scene
        frame.known |= {
            "flat": scene.dimensions == 2, "gravity": self.gravity(), "inserted": self.made, "gates": self.gates(),
            "steps": steps,
        }  # fmt: skip

        def found(name: str, frame: Frame) -> Any:
            if self.changed != then:
                raise FrameError(Finding(
                    f"frame at t = {frame.time:.6g} s", f"its {name} can no longer be found: the run has gone on",
                    remedy=f"take `solver.frame({name!r})`, which holds it, or ask before the next step",
                ))  # fmt: skip
            return finders[name]()

        frame.find = {name: functools.partial(found, name) for name in finders}
        frame.find["solid"] = functools.partial(solid, scene)
        return frame

    def numbers(self) -> dict[str, Any]:
        """The attributes that a checkpoint keeps."""
        return {name: getattr(self, name) for name in self.saved}

    @classmethod
    def resumed(cls, model: Model, meta: dict[str, Any]) -> Self:
        """A solver with these numbers, and no arrays yet."""
        solver = cls.__new__(cls)
        solver.model = model
        for name in cls.saved:
            setattr(solver, name, meta[name])
        return solver

    def turned_over(self, book: dict[str, float]) -> float:
        """The energy, J, that a run has turned over so far, against which an error in its ledger is to be seen.

        What was there at first, was released or was given must be found again as what moves, is stored, was raised or
        has been lost: both sides are the same energy, and it counts once, by the larger one. Grains that go take theirs
        along, so the most that has been seen counts, which is kept as `turned`; and at least the energy of motion that
        goes with the momentum of what has left.
        """
        inside = ("kinetic_energy", "stored_energy", "beam_energy", "tether_energy")
        found = sum(book.get(name, 0.0) for name in inside)
        found += sum(abs(book[name]) for name in book if name.startswith("dissipated_"))
        first, left = self.energy_at_start - self.potential_at_start, self._left()
        brought = book.get("inflow_energy", 0.0) - book.get("outflow_energy", 0.0) + book.get("event_work", 0.0)
        released = self.potential_at_start + brought + left - book["potential_energy"]
        given = [released, *(book.get(name, 0.0) for name in ("wall_work", "box_work", "rest_work"))]
        had = first + sum(max(one, 0.0) for one in given)
        found += left + sum(max(-one, 0.0) for one in given)
        self.turned = float(max(self.turned, had, found, 1e-300))
        return self.turned

    def _left(self) -> float:
        """The least energy of motion, J, with which grains can have left."""
        return 0.0


def gaps(grains: Grains) -> int:
    """How many ids up to the highest have no grain: those that had gone from the run that this one begins with."""
    return int(grains.id.max(initial=-1)) + 1 - len(grains)


class TimedSolver(Solver):
    """Base of the solvers with time: grains move in `arrays`, pass gates, and walls and gravity may change."""

    arrays: dict[str, np.ndarray]
    inserted: int  # grains that have come in so far
    skipped: int = 0  # ids that none of them has had: see `gaps`

    def __len__(self) -> int:
        return len(self.arrays["id"])

    @property
    def made(self) -> int:
        return self.inserted

    def new_ids(self, count: int) -> np.ndarray:
        """The ids of so many grains that come in now."""
        self.inserted += count
        return self.skipped + np.arange(self.inserted - count, self.inserted)

    def gravity(self) -> np.ndarray:
        return self.arrays["gravity"].copy()

    def mark_flow(self) -> None:
        self.arrays["marked"] = np.array([*self.arrays["gates"][:, MASS], self.time])

    def gates(self) -> dict[str, Gate]:
        a = self.arrays
        sources = {source.name for source in self.model.scene.sources}
        elapsed = self.time - a["marked"][-1]
        found = {}
        for name, book, before in zip(self.model.gates, a["gates"], a["marked"][:-1], strict=True):
            rate = (book[1] - before) / elapsed if elapsed > 0 else 0.0
            number, mass, *momentum, energy, waiting = book.tolist()
            found[name] = Gate(
                int(number), mass, tuple(momentum), energy, float(rate), int(waiting), inward=name in sources
            )
        return found

    def _left(self) -> float:
        sources = {source.name for source in self.model.scene.sources}
        out = np.array([name not in sources for name in self.model.gates], bool)
        gates = self.arrays["gates"][out]
        return float(np.sum(gates[:, MOMENTUM] ** 2 / np.maximum(2 * gates[:, [MASS]], 1e-300)))

    def count_passing(self, gates: np.ndarray, mass: np.ndarray, velocity: np.ndarray, energy: np.ndarray) -> None:
        """Enter grains into the books of the gates (N,) that they pass: kg, m/s and J of each."""
        for gate, row, carried in zip(gates, range(len(mass)), energy, strict=True):
            book = self.arrays["gates"][gate]
            book[NUMBER] += 1
            book[MASS] += mass[row]
            book[MOMENTUM] += mass[row] * velocity[row]
            book[ENERGY] += carried

    # ------------------------------------------------------------ changes

    @staticmethod
    def changing(model: Model) -> dict[str, np.ndarray]:
        """What events and flow change: gravity, which walls are there and since when they move, what passes gates."""
        return {
            "gravity": model.gravity.copy(),
            "rule": np.where(model.walls.hidden, REMOVED, BY_TIME),
            "begun": np.where(model.walls.waiting, FOREVER, 0.0),  # s
            "gates": np.zeros((len(model.gates), 7)),  # number, kg, kg m/s, J that have passed; number that waits
            "marked": np.zeros(len(model.gates) + 1),  # kg, and s: the flow and the time of the last mark
        }

    def insert(self, grains: Grains, gate: str, *, waiting: int = 0) -> None:
        number = self.model.gates.index(gate)
        self.arrays["gates"][number, WAITING] = waiting
        if len(grains):
            self._insert(grains, number)

    @abstractmethod
    def _insert(self, grains: Grains, gate: int) -> None:
        """Add grains through a gate; all that they bring is booked."""

    def remove(self, mask: np.ndarray, gate: str) -> None:
        rows = np.argsort(self.arrays["id"])[np.asarray(mask, bool)]
        if len(rows):
            self._remove(rows, np.full(len(rows), self.model.gates.index(gate)))

    @abstractmethod
    def _remove(self, rows: np.ndarray, gates: np.ndarray) -> None:
        """Take away the grains of these rows, each through its gate; all that they take along is booked."""

    def add_wall(self, name: str) -> None:
        self._rule_wall(name, ADDED)

    def remove_wall(self, name: str) -> None:
        self._rule_wall(name, REMOVED)

    def _rule_wall(self, name: str, rule: int) -> None:
        self.arrays["rule"][self.pieces(name)] = rule
        self.note_walls()
        self.meet_walls()

    @abstractmethod
    def note_walls(self) -> None:
        """Let the kernels know which walls are there by rule, and since when they move."""

    def pieces(self, name: str) -> np.ndarray:
        """Which pieces, (P,) bool, belong to the wall of that name."""
        walls = self.model.walls
        return walls.wall == walls.names.index(name)

    def too_deep(self, walls: Iterable[int], else_: str = "the grains are too soft or too fast") -> str:
        """Why grains may be deep in each other or in one of these walls, which may have come during the run; `else_`
        says why where none has.
        """
        there = self.model.walls
        added = {int(wall) for wall in there.wall[self.arrays["rule"] == ADDED]}
        came = [there.names[w] for w in walls if w in added or self.model.scene.walls[w].appears > 0.0]
        if not came:
            return else_
        names = ", ".join(repr(name) for name in came)
        return f"{names} appeared where grains were, which it must not, or {else_}"

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        return {name: array.copy() for name, array in self.arrays.items()}, self.numbers()
