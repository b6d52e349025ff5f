"""Measures by name: a function that gives numbers says beside it what these are called, and in which units they are.

`measured` makes a table of the function's parameters, as observables have one. What it is measured on is the function's
first parameter: each `frame`, all `frames` that are asked for together, or the `series` of a recording.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
from pydantic import GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from barchan import registry
from barchan.errors import Finding, SceneError
from barchan.parts.observables import Observable
from barchan.registry import Part
from barchan.scene.scene import LEDGER_LINES

ON = {"frame": "each frame", "frames": "the frames that are asked for", "series": "the series of the whole run"}

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Groups:
    """Metadata of a parameter that says which grains count, (N,) bool: by name, the names of their groups."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(str | tuple[str, ...])


Grains = Annotated[np.ndarray, Groups()]


class Measure(Part):
    """Base of measures: the parameters of a function, which gives the numbers in `series`."""

    family: ClassVar[str] = "measures"
    series: ClassVar[tuple[tuple[str, str], ...]] = ()  # name and unit of each number
    on: ClassVar[str] = ""  # one of `ON`
    each: ClassVar[bool] = True  # whether there are numbers for every frame, or one set for all of them
    groups: ClassVar[tuple[str, ...]] = ()  # the fields that name groups of grains
    function: ClassVar[Callable[..., Any]]
    taken: ClassVar[Callable[[Any], Iterable[Any]]]

    @classmethod
    def written(cls) -> str:
        """How it is asked for, and what it is measured on."""
        fields = ", ".join(f"{name}=…" for name in cls.model_fields)
        return f"{cls.key}({fields}), measured on {ON[cls.on]}".replace("()", "")

    def measure(self, source: Any, **grains: np.ndarray) -> dict[str, Any]:
        """A value for every name in `series`; `grains` are the fields that name groups, (N,) bool each."""
        fields = {name: getattr(self, name) for name in type(self).model_fields} | grains
        try:
            with np.errstate(divide="ignore", invalid="ignore"):  # what is no number is told as such
                result = type(self).function(source, **fields)
        except ValueError as problem:
            raise SceneError(Finding(self.key, str(problem))) from None
        return dict(zip((name for name, _ in self.series), type(self).taken(result), strict=True))


_known: dict[str, type[Measure]] = {}


def measured(
    numbers: Mapping[str, str], *, taken: Callable[[Any], Iterable[Any]] = lambda one: (one,), each: bool | None = None
) -> Callable[[Function], Function]:
    """Give a function its own name as a measure: of `numbers` (name to unit), which are `taken` from its result.

    The parameters after the first are fields; their annotations say units and sentences. each: whether what is made of
    all frames together has a number for each of them.
    """

    def named(function: Function) -> Function:
        (first, *others) = inspect.signature(function).parameters.values()
        hints = typing.get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {
            one.name: (hints[one.name], ... if one.default is one.empty else one.default) for one in others
        }
        made = create_model(
            function.__name__, __base__=Measure, __doc__=function.__doc__, __module__=function.__module__, **fields
        )
        made.key, made.series, made.on = function.__name__, tuple(numbers.items()), first.name
        made.each = first.name == "frame" if each is None else each
        made.groups = tuple(one.name for one in others if Groups() in getattr(hints[one.name], "__metadata__", ()))
        made.function, made.taken = staticmethod(function), staticmethod(taken)
        _known[made.key] = made
        return function

    return named


def measures() -> dict[str, type[Measure]]:
    """All measures by name, in alphabetical order."""
    folder = importlib.import_module(__name__.rpartition(".")[0])
    for info in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{info.name}")
    return dict(sorted(_known.items()))


def known() -> dict[str, type[Part]]:
    """Everything that a recording can be asked for by name: observables and measures."""
    return {**registry.parts("observables"), **measures()}


def one_known(name: str) -> type[Part]:
    """The observable or measure of that name; SceneError names the nearest, or whose number it is."""
    names = known()
    owners = [key for key, made in names.items() if name in dict(numbers_of(made))]
    if name not in names and owners:
        remedy = f"ask for {' or '.join(owners)}"
        raise SceneError(Finding(name, f"is a number of {' and of '.join(owners)}", remedy=remedy))
    return registry.one_of(names, name, "observables and measures", "measure")


def numbers_of(part: type[Part]) -> Sequence[tuple[str, str]]:
    """Name and unit of each number that an observable or a measure gives."""
    made = typing.cast(Any, part)
    return made.numbers(LEDGER_LINES) if issubclass(part, Observable) else made.series
