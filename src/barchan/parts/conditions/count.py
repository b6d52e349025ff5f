"""A number of grains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Len
from pydantic import model_validator
from pydantic_core import InitErrorDetails

from barchan.parts.conditions import Condition, HasGates, Now
from barchan.schema.peeking import gates, peek
from barchan.schema.problems import fault, unknown
from barchan.schema.quantities import Time

ALL_GRAINS = "grains"  # what a count may be of, beside the names of gates


class AtCount(Condition):
    """Once a number of grains is above or below a bound."""

    key: ClassVar[str] = "count"
    asks: ClassVar[type] = HasGates
    of: Annotated[str, Len(1)] = ALL_GRAINS
    """What is counted: "grains" for those in the scene, or the name of a source, a sink or an absorbing wall for those
    that have passed it."""
    above: Annotated[int, Ge(0)] | None = None
    """It comes once there are more than this; give this or `below`."""
    below: Annotated[int, Ge(1)] | None = None
    """It comes once there are fewer than this; give this or `above`."""
    not_before: Time = 0.0
    """When to begin to look."""

    @model_validator(mode="after")
    def _one_bound(self) -> AtCount:
        if (self.above is None) == (self.below is None):
            raise fault("both or neither of `above` and `below`", "give exactly one of them")
        return self

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        known = [ALL_GRAINS, *gates(fields)]
        yield from unknown(peek(own, "of"), "sources, sinks and absorbing walls", known, ("of",))

    def holds(self, solver: HasGates, now: Now, kept: dict[str, Any]) -> bool:
        number = len(solver) if self.of == ALL_GRAINS else solver.gates()[self.of].number
        passed = number > self.above if self.above is not None else number < (self.below or 0)
        return passed and now.reached(self.not_before)
