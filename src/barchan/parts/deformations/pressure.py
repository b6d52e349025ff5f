"""A box under a pressure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic_core import InitErrorDetails

from barchan.parts.deformations import Deformation
from barchan.schema.peeking import peek
from barchan.schema.problems import fault, located
from barchan.schema.quantities import Stress, is_in


class PressureControl(Deformation):
    """The box changes evenly so that the pressure goes to another one, by one factor a point."""

    key: ClassVar[str] = "pressure"
    sets: ClassVar[str] = "pressure"
    to: Stress
    """The pressure at the end, in N/m in two dimensions."""

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        """A pressure that is written in the unit of the other number of dimensions."""
        to, flat = peek(own, "to"), fields.get("dimensions") == 2
        if flat and is_in(to, "Pa"):
            yield located(fault(to, "in two dimensions a pressure is a force over a length, in N/m"), ("to",), to)
        elif not flat and is_in(to, "N/m"):
            yield located(fault(to, "must be a quantity in Pa; N/m are for two dimensions"), ("to",), to)

    def pressure(self, start: float | None, part: float) -> float:
        begin = start or self.to
        return begin * (self.to / begin) ** part
