"""Numbers with a dimension: a field says which unit it has, a scene may write `0.005`, `"5 mm"` or `"30 rpm"`.

A plain number is SI. A string goes through pint, which is imported only then: it is slow to import.
"""

from __future__ import annotations

import functools
import math
import numbers
import re
import shutil
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import core_schema

from barchan.caches import cache_folder
from barchan.schema.problems import expectation, fault, shown

# Between these lie all magnitudes that anybody measures, and what is computed of them stays a number.
LEAST, MOST = 1e-30, 1e20  # SI

# A number and a unit with plain powers: nothing in it is computed, so that no text can make the reader hang.
_QUANTITY = re.compile(
    r"\s*(?P<number>[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)"
    r"\s*(?P<unit>(1?/)?([^\W\d]|[%°·/() *]|(\^|\*\*)-?\d(?!\s*(\^|\*\*))){0,60})"
)


@functools.cache
def _registry() -> Any:
    """pint's table of units: a quarter of a second from its text, a tenth of that from a cache."""
    import pint

    folder = cache_folder() / f"units-{pint.__version__}"
    try:
        return pint.UnitRegistry(cache_folder=folder)
    except Exception:  # what a process left that was killed, or two that wrote at once
        shutil.rmtree(folder, ignore_errors=True)
        return pint.UnitRegistry()


def si_value(value: Any, unit: str, *, finite: bool = True) -> Any:
    """A number in SI from a number or a string with a unit; ValueError where its dimension or magnitude is wrong."""
    kind = f"a quantity in {unit}" if unit else "a plain number"
    if isinstance(value, bool) or value is None:
        raise ValueError(f"must be {kind}")
    if isinstance(value, str):
        value = _converted(value, unit, kind)
    if not isinstance(value, numbers.Real):
        raise ValueError(f"must be {kind}")
    size: Any = abs(value)
    if size == math.inf and not finite:
        return value
    if size != size or size == math.inf:  # `isfinite` cannot take an integer of 400 digits
        raise ValueError("must be a finite number")
    if size != 0 and not LEAST <= size <= MOST:
        raise ValueError(f"must be 0 or have a magnitude from {LEAST:g} to {MOST:g} in SI units")
    return value


def is_in(value: Any, unit: str) -> bool:
    """Whether a value is a text with a unit that can be converted to this one."""
    if not isinstance(value, str):
        return False
    try:
        si_value(value, unit)
    except ValueError:
        return False
    return True


def _converted(text: str, unit: str, kind: str) -> float:
    """The number in `unit` of a text such as "-2.5 mm"; ValueError where it is none, or of another dimension."""
    import pint

    found = _QUANTITY.fullmatch(text)
    try:
        symbol = found["unit"].strip() if found else "?"
        quantity = _registry().Quantity(1.0, _registry().parse_units(f"1{symbol}" if symbol[:1] == "/" else symbol))
    except Exception:  # pint answers a strange unit with errors of many kinds
        found = None
    if found is None:
        raise ValueError(f"must be {kind}, written for example {_example(unit)!r}")
    _check_turns(quantity, unit, kind)
    try:
        return float(found["number"]) * float(quantity.to(unit or "dimensionless").magnitude)
    except pint.DimensionalityError:
        raise ValueError(f"has the dimension {quantity.dimensionality or 'none'}; must be {kind}") from None


def _check_turns(quantity: Any, unit: str, kind: str) -> None:
    """Refuse to take cycles for radians: to pint both are plain numbers."""
    names = " ".join(name for name, _ in quantity.unit_items())
    if unit == "rad/s" and "hertz" in names:
        raise ValueError(f"counts cycles; must be {kind}, or a number of turns a time such as '30 rpm'")
    if unit == "1/s" and re.search("radian|degree|revolution|turn", names):
        raise ValueError(f"is an angle a time; must be {kind}, such as '2 Hz'")


def _example(unit: str) -> str:
    return "1 " + unit if unit[:2] != "1/" else unit


@dataclass(frozen=True)
class Unit:
    """Metadata of a float field: the SI unit that a string with a unit is converted to.

    `flat` is another one that it may have in two dimensions.
    """

    symbol: str
    flat: str = ""
    finite: bool = True  # whether the number must be; else it may be `inf`

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._checked, handler(source))

    def _checked(self, value: Any, inner: Any) -> Any:
        """The value in SI, within its bounds; or an error that shows it with its unit."""
        try:
            other = self.flat and is_in(value, self.flat)
            return inner(si_value(value, self.flat if other else self.symbol, finite=self.finite))
        except ValidationError as error:
            raise fault(shown(value, self.symbol), expectation(error.errors()[0])) from None
        except ValueError as error:
            raise fault(shown(value), str(error)) from None

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        number = handler(schema)
        text = {"type": "string", "description": f"a number with a unit, such as '{_example(self.symbol)}'"}
        return {"anyOf": [number, text], "unit": self.symbol}


Number = Annotated[float, Unit("")]
Coefficient = Annotated[float, Ge(0), Unit("")]
Fraction = Annotated[float, Ge(0), Le(1), Unit("")]
PackingFraction = Annotated[float, Gt(0), Lt(2), Unit("")]  # overlaps count twice
Length = Annotated[float, Unit("m")]
PositiveLength = Annotated[float, Gt(0), Unit("m")]
NonNegativeLength = Annotated[float, Ge(0), Unit("m")]
Time = Annotated[float, Ge(0), Unit("s")]
PositiveTime = Annotated[float, Gt(0), Unit("s")]
Frequency = Annotated[float, Gt(0), Unit("1/s")]
Speed = Annotated[float, Unit("m/s")]
PositiveSpeed = Annotated[float, Gt(0), Unit("m/s")]
Angle = Annotated[float, Unit("rad")]
Spin = Annotated[float, Unit("rad/s")]
Pressure = Annotated[float, Gt(0), Unit("Pa")]
Stress = Annotated[float, Gt(0), Unit("Pa", flat="N/m")]
Density = Annotated[float, Gt(0), Unit("kg/m^3")]
Stiffness = Annotated[float, Gt(0), Unit("N/m")]
Damping = Annotated[float, Ge(0), Unit("N*s/m")]

Position = tuple[Length, Length, Length]
Velocity = tuple[Speed, Speed, Speed]
AngularVelocity = tuple[Spin, Spin, Spin]
Acceleration = tuple[Annotated[float, Unit("m/s^2")], Annotated[float, Unit("m/s^2")], Annotated[float, Unit("m/s^2")]]
Direction = tuple[Number, Number, Number]
