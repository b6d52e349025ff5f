"""The energy ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import Observable

LINES = (
    "kinetic_energy",
    "potential_energy",
    "stored_energy",
    "dissipated_normal",
    "dissipated_friction",
    "dissipated_rolling",
    "dissipated_stiction",
    "wall_work",
    "energy_error",
    "inflow_energy",
    "outflow_energy",
    "event_work",
)  # fmt: skip; of every method, nothing where nothing comes, goes or happens


class Energy(Observable):
    """Kinetic, potential and stored energy, what each kind of friction has taken, the work of walls, and the balance.

    `energy_error` is kinetic + potential + stored + dissipated + energy of tethers and beams − work of walls and of a
    deforming box − inflow + outflow − work of events, less its value at the start: the error of the integration, which
    falls with the time step. Inflow and outflow are the energies, kinetic and potential, of grains that were poured and
    taken away. Walls moved by forces (servo) count with their kinetic energy, and with the work of their drives less
    what their damping and stops have taken.
    Hard spheres have two lines more: `rest_work`, which keeps grains that lie on walls bouncing (it counts as given,
    like the work of walls), and `spared_energy`, which collisions within the contact time would have taken had they not
    been made elastic (it is in no sum: it was never lost).
    Packings that are relaxed know `box_work`, what the stress of the points has done on the way from one to the next,
    and `dissipated_relaxing`, what the minimiser has taken: from the start to the first point, and where a packing
    yielded. Then `energy_error` is what points too far from each other, and grains that gave way a little, make of it.
    """

    key: ClassVar[str] = "energy"
    needs = ("ledger",)
    series = tuple((name, "J") for name in LINES)

    @classmethod
    def numbers(cls, ledger: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The lines of every method, and those that methods add: see `scene/method.py`."""
        return (*cls.series, *((line, "J") for line in ledger))

    def measure(self, frame: Frame) -> dict[str, float]:
        return dict.fromkeys(LINES, 0.0) | {name: line for name, line in frame.ledger.items() if name != "energy_total"}
