"""What has come and gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Flow(Observable):
    """Mass that sources have poured, mass that sinks and absorbing walls have taken, and the rate of that, in all.

    A rate is that of the mass since the sample before. A run with sources or sinks measures this by itself, and for
    each of them its number of grains, its mass and its rate: `NAME_count`, `NAME_mass`, `NAME_rate`; and for a source
    how many grains it is behind by, for want of room: `NAME_waiting`.
    """

    key: ClassVar[str] = "flow"
    needs = ("gates",)
    series = (("mass_in", "kg"), ("mass_out", "kg"), ("mass_in_rate", "kg/s"), ("mass_out_rate", "kg/s"))

    def measure(self, frame: Frame) -> dict[str, float]:
        gates = frame.gates.values()
        ways = {"in": [gate for gate in gates if gate.inward], "out": [gate for gate in gates if not gate.inward]}
        masses = {f"mass_{way}": sum((gate.mass for gate in passed), 0.0) for way, passed in ways.items()}
        return masses | {f"mass_{way}_rate": sum((gate.rate for gate in passed), 0.0) for way, passed in ways.items()}


def gate_series(names: Iterable[str], *, inward: bool) -> list[tuple[str, str]]:
    """Name and unit of every number about these sources (inward) or sinks."""
    numbers = (("count", ""), ("mass", "kg"), ("rate", "kg/s"), *((("waiting", ""),) if inward else ()))
    return [(f"{name}_{number}", unit) for name in names for number, unit in numbers]


def gate_values(frame: Frame) -> dict[str, float]:
    """A value for every name in `gate_series`."""
    values: dict[str, float] = {}
    for name, gate in frame.gates.items():
        values |= {f"{name}_count": float(gate.number), f"{name}_mass": gate.mass, f"{name}_rate": gate.rate}
        if gate.inward:
            values[f"{name}_waiting"] = float(gate.waiting)
    return values
