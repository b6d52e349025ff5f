"""The solver without time: packings at rest, found by minimising energy (Krijgsman and Luding 2016)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from barchan.errors import Finding, RunError
from barchan.frame import Contacts, Frame, Gate, single_spheres
from barchan.kernels import threads
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.parts.minimisers import Minimiser
from barchan.scene.relax import Relax
from barchan.solvers import common
from barchan.solvers.base import Solver
from barchan.solvers.relax import protocol, strain
from barchan.solvers.relax.cell import Cell, factor
from barchan.solvers.relax.landscape import Landscape
from barchan.solvers.relax.tables import potential_tables

GRAINS_PER_THREAD = 1000  # fewer are sooner done than threads have met, which they do several times an iteration
_KEPT = ("id", "group", "mass", "radius", "born", "material", "orientation")


class RelaxSolver(Solver):
    """Takes a packing from one point of its protocol to the next; `time` is the protocol's coordinate."""

    method = Relax
    saved = (
        "dt", "time", "step", "relaxed", "shortfall", "pressure_at_start", "box_work", "lost", "turned",
        "energy_at_start", "potential_at_start",
    )  # fmt: skip
    time = 0.0
    step = 0
    pressure_at_start = 0.0
    relaxed = False  # whether the present point is one of equilibrium
    box_work = lost = 0.0  # J, work of the box, and what minimising has taken
    shortfall = 0.0  # worst force over mean contact force at a point that was taken as relaxed

    def __init__(self, model: Model, grains: Grains, time_step: float) -> None:
        self.model, self.dt = model, time_step
        relax = model.scene.relax
        radius = grains.radius.copy()
        if relax.packing_fraction is not None:
            radius *= factor(model, radius, relax.packing_fraction)
        order = protocol.by_place(grains.position, float(radius.mean()))
        self.kept = {name: np.ascontiguousarray(getattr(grains, name)[order]) for name in _KEPT}
        self.kept["mass"] *= (radius / grains.radius)[order] ** 3
        self.kept["radius"] = radius[order]
        self.cell_at_start = Cell((float(model.box[0]), float(model.box[1]), float(model.box[2])))
        self.landscape = self._landscape(np.ascontiguousarray(grains.position[order]), self.cell_at_start, {})
        self.point = self.landscape.point()
        self.energy_at_start, self.potential_at_start = self.point.energy, self.potential()

    def potential(self) -> float:
        """Energy of weight, J."""
        land = self.landscape
        return -float((land.weight * land.position(self.point)[:, land.axes]).sum())

    def _landscape(self, base: np.ndarray, cell: Cell, lists: dict[str, np.ndarray]) -> Landscape:
        model = self.model
        flat = model.scene.dimensions == 2
        table, wall_table = potential_tables(model.scene)
        axes = [0, 2] if flat else [0, 1, 2]
        weight = self.kept["mass"][:, None] * model.gravity[None, axes]
        return Landscape(
            model.scene.relax.potential, flat, cell, base, self.kept["radius"], self.kept["material"].astype(np.int64),
            table, wall_table, model.walls, np.ascontiguousarray(weight), lists=lists,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.kept["id"])

    @property
    def made(self) -> int:
        return len(self)

    # ------------------------------------------------------------ going on

    def advance_to(self, t: float) -> None:
        """Go on to the protocol's coordinate t and relax; at 0 only where a deformation is to follow."""
        if t == 0.0 and self.model.scene.deformation is None:
            return
        if not self.relaxed:
            begin = self.point.energy
            self.relax()
            self.lost += begin - self.point.energy
            self.pressure_at_start = strain.pressure(self.landscape, self.point) if t == 0.0 else 0.0
        if t > self.time:
            protocol.go(self, t)
            self.time = t
        self.step += 1

    def relax(self) -> None:
        """Come down to the minimum below; RunError where forces do not come into balance."""
        relax, land = self.model.scene.relax, self.landscape
        minimiser: Minimiser = relax.minimiser
        with threads.at_most(len(self) // GRAINS_PER_THREAD):
            descent = minimiser.minimise(land, self.point, relax.tolerance)
        self.point, self.relaxed = descent.point, True
        if not descent.calm:
            raise RunError(Finding(
                f"t = {self.time:.6g} s", f"the minimiser {minimiser.key!r} did not bring forces into balance: "
                f"{self.balance():.2g} of the mean contact force is left", f"must be below {descent.tolerance:.2g}",
                "try another minimiser, or a larger relax.tolerance",
            ))  # fmt: skip
        self.shortfall = max(self.shortfall, self.balance())

    def imbalance(self) -> float:
        """The error of the energy ledger over what was turned over."""
        book = self.energies()
        return abs(book["energy_error"]) / self.turned_over(book)

    def balance(self) -> float:
        """The largest force on a grain over the mean contact force; 0 where no contact carries load."""
        loose = self.landscape.is_loose(self.point)
        return 0.0 if loose else self.point.largest / max(self.point.mean_force, 1e-300)

    # ------------------------------------------------------------ what the loop asks of every solver

    def meet_walls(self) -> None:
        """Walls stay as they are."""

    def mark_flow(self) -> None:
        """Nothing flows."""

    def watch(self) -> None:
        """RunError where numbers went bad, or grains are outside the box along an axis that does not repeat."""
        moment, box = f"t = {self.time:.6g} s", self.model.scene.box
        if not np.isfinite(self.point.gradient).all():
            raise RunError(Finding(moment, "a force is not a number", remedy="report this scene"))
        if box is None:
            return
        place = self.landscape.position(self.point)
        outside = (((place < box.low) | (place > box.high)) & ~self.model.periodic).any(axis=1)
        if outside.any():
            first, where = int(self.kept["id"][outside][0]), np.array2string(place[outside][0], precision=4)
            raise RunError(Finding(
                moment, f"{int(outside.sum())} grains have left the box, the first is grain {first}, at {where} m",
                "along axes that do not repeat they must stay inside", "enlarge the box, or give it walls",
            ))  # fmt: skip

    def gravity(self) -> np.ndarray:
        return self.model.gravity.copy()

    def gates(self) -> dict[str, Gate]:
        return {}

    def statistics(self) -> dict[str, float | int]:
        land = self.landscape
        return {
            "points": self.step, "gradients": land.gradients, "hessian_products": land.products,
            "factorisations": land.factorisations, "list_rebuilds": land.rebuilds, "force_balance": self.shortfall,
            "grains_in": len(self), "grains_out": 0, "energy_error": self.imbalance(),
        }  # fmt: skip

    def positions(self) -> np.ndarray:
        return self._wrapped()[0][np.argsort(self.kept["id"])]

    def _wrapped(self) -> tuple[np.ndarray, np.ndarray]:
        """Places (N, 3) m inside the box, in the order of rows, and how many periods grains are ahead of them."""
        return self.landscape.cell.wrapped(self.landscape.position(self.point), protocol.corner(self))

    def _frame(self) -> Frame:
        kept, n = self.kept, len(self)
        order = np.argsort(kept["id"])
        place, count = (array[order] for array in self._wrapped())
        poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(self.model.walls.names), 1))
        made = Frame(
            time=self.time, step=self.step, id=kept["id"][order], group=kept["group"][order], position=place,
            image=common.images(np.zeros((n, 3), np.int32), count), velocity=np.zeros((n, 3)),
            orientation=kept["orientation"][order], spin=np.zeros((n, 3)),
            mass=kept["mass"][order], radius=kept["radius"][order], born=kept["born"][order],
            **single_spheres(place.copy(), kept["radius"][order], kept["mass"][order]),
            wall_pose=poses.reshape(-1, 7), wall_present=np.ones(len(self.model.walls.names), bool),
            cell=common.cell_rows(protocol.corner(self), self.landscape.cell.lengths, self.landscape.cell.tilt),
        )  # fmt: skip
        return self.live(made, {}, contacts=self._contacts, ledger=self.energies)

    def _contacts(self) -> Contacts:
        first, second, force, branch, overlap, face = protocol.contacts(self.landscape, self.point)
        place = self._wrapped()[0]
        radius, ids = self.kept["radius"], self.kept["id"]
        point = place[first] - branch * ((radius[first] - 0.5 * overlap) / np.linalg.norm(branch, axis=1))[:, None]
        among, other = second >= 0, np.maximum(second, 0)
        smaller = np.where(among, np.minimum(radius[first], radius[other]), radius[first])
        return Contacts(
            ids[first], np.where(among, ids[other], second), point, force, overlap, np.zeros(len(first), np.int8), face,
            overlap / smaller,
        )  # fmt: skip

    def energies(self) -> dict[str, float]:
        """The ledger, J: see `parts/observables/energy.py`."""
        potential = self.potential()
        nothing = dict.fromkeys(
            ("kinetic_energy", "dissipated_normal", "dissipated_friction", "dissipated_rolling", "dissipated_stiction",
             "wall_work"), 0.0,
        )  # fmt: skip
        given = {"box_work": self.box_work, "dissipated_relaxing": self.lost}
        return {
            **nothing, **given, "potential_energy": potential, "stored_energy": self.point.energy - potential,
            "energy_error": self.point.energy + self.lost - self.box_work - self.energy_at_start,
        }  # fmt: skip

    # ------------------------------------------------------------ coming back

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        land = self.landscape
        arrays = {f"grain_{name}": array for name, array in self.kept.items()}
        arrays |= {f"list_{name}": array for name, array in land.lists.items()}
        arrays |= {"base": land.base, "moved": self.point.moved}
        counts = {name: getattr(land, name) for name in ("gradients", "products", "factorisations", "rebuilds")}
        cells = {"cell": [*land.cell.lengths, land.cell.tilt], "cell_at_start": list(self.cell_at_start.lengths)}
        return {name: array.copy() for name, array in arrays.items()}, {**self.numbers(), **cells, "counts": counts}

    @classmethod
    def restored(cls, model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Self:
        solver = cls.resumed(model, meta)
        solver.kept = {name[6:]: array for name, array in arrays.items() if name.startswith("grain_")}
        x, y, z, tilt = meta["cell"]
        solver.cell_at_start = Cell(tuple(meta["cell_at_start"]))
        lists = {name[5:]: array for name, array in arrays.items() if name.startswith("list_")}
        solver.landscape = solver._landscape(arrays["base"], Cell((x, y, z), tilt), lists)
        solver.point = solver.landscape.point(arrays["moved"])
        for name, value in meta["counts"].items():
            setattr(solver.landscape, name, value)
        return solver
