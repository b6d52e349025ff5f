"""The energy ledger."""

from __future__ import annotations

from typing import ClassVar

from barchan.observables import Moment, Observable

LEDGER = (
    "kinetic_energy", "potential_energy", "stored_energy", "dissipated_normal", "dissipated_friction",
    "dissipated_rolling", "dissipated_stiction", "wall_work", "energy_error",
)  # fmt: skip


class Energy(Observable):
    """Kinetic, potential and stored energy, what each kind of friction has taken, the work of walls, and the balance.

    `energy_error` is kinetic + potential + stored + dissipated − work of walls, less its value at the start: the error
    of the integration, which falls with the time step. Walls moved by forces (servo) count with their kinetic energy,
    and with the work of their drives less what their damping and their stops have taken.
    """

    key: ClassVar[str] = "energy"
    series = tuple((name, "J") for name in LEDGER)

    def measure(self, moment: Moment) -> dict[str, float]:
        return {name: moment.ledger[name] for name in LEDGER}
