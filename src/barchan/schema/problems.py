"""From pydantic's errors to findings: where in the scene, what stands there, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from barchan.errors import Finding

Place = tuple[int | str, ...]

_STANDARD = frozenset(get_args(core_schema.ErrorType))
_BOUNDS = {
    "greater_than": ("gt", ">"),
    "greater_than_equal": ("ge", "≥"),
    "less_than": ("lt", "<"),
    "less_than_equal": ("le", "≤"),
}


def nearest(name: str, known: Iterable[str]) -> str:
    """A question that names the known name nearest to a misspelt one, or nothing."""
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else ""


def path(place: Sequence[int | str]) -> str:
    """A place in a scene as a user writes it: `walls[2].radius`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def shown(value: Any, unit: str = "") -> str:
    """A value for a message: short, and with its unit where it is a number."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (list, tuple)) and len(repr(value)) > 60:
        return f"a list of {len(value)}"
    text = repr(list(value) if isinstance(value, tuple) else value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and unit:
        text += f" {unit}"
    return text if len(text) <= 80 else f"{text[:77]}…"


def fault(what: str, expected: str = "", remedy: str = "") -> PydanticCustomError:
    """An error for a validator to raise: it becomes a Finding at the place of the field."""
    return PydanticCustomError("finding", "{what}; {expected}", {"what": what, "expected": expected, "remedy": remedy})


def unknown_name(name: Any, noun: str, known: Iterable[str]) -> PydanticCustomError:
    """An error for a name that is not among the known ones."""
    names = list(known)
    hint = nearest(name, names) if isinstance(name, str) else ""
    return fault(f"{shown(name)} is not among the {noun}", f"known: {', '.join(names) or 'none'}", hint)


def unknown(name: Any, noun: str, known: Sequence[str], place: Place) -> Iterator[InitErrorDetails]:
    """An error at a place where a name is not among the known ones; what is no name at all is told elsewhere."""
    if isinstance(name, str) and name not in known:
        yield located(unknown_name(name, noun, known), place, name)


def unknown_field(name: str, value: Any, known: Sequence[str]) -> InitErrorDetails:
    """An error for a field that a table does not have."""
    return located(PydanticCustomError("unknown_field", "unknown field", {"known": list(known)}), (name,), value)


def located(error: PydanticCustomError, place: Place, value: Any = None) -> InitErrorDetails:
    """An error at a place below the table that is being checked."""
    return InitErrorDetails(type=error, loc=place, input=value)


def moved(
    error: ValidationError, change: Callable[[Place], Place], also_known: Sequence[str] = ()
) -> list[InitErrorDetails]:
    """The problems of an error at other places; `also_known` joins the known fields of those that were moved."""
    problems = []
    all_details = error.errors(include_url=False)
    for details in all_details:
        if _follows(details, all_details):
            continue
        place, context = change(details["loc"]), dict(details.get("ctx", {}))
        if details["type"] == "unknown_field" and place != details["loc"]:
            context["known"] = [*also_known, *context["known"]]
        if details["type"] in _STANDARD:
            problems.append(InitErrorDetails(type=details["type"], loc=place, input=details["input"], ctx=context))
        else:
            kind: Any = details["type"]  # a custom error's type is any string
            problems.append(located(PydanticCustomError(kind, details["msg"], context), place, details["input"]))
    return problems


def _follows(details: ErrorDetails, all_details: Sequence[ErrorDetails]) -> bool:
    """Whether a problem only follows from another one, which is told anyway."""
    if details["type"] == "default_factory_not_called":
        return True  # a default that is made from a field which is itself at fault
    place = details["loc"]
    inside = (other["loc"] for other in all_details if len(other["loc"]) > len(place))
    return details["type"] == "too_short" and any(other[: len(place)] == place for other in inside)


def findings(error: ValidationError, root: str = "") -> list[Finding]:
    """A finding per problem of a pydantic error; `root` is the name of the table where it is not a whole scene."""
    return [_finding(details, root) for details in error.errors(include_url=False)]


def _finding(details: ErrorDetails, root: str) -> Finding:
    place = (root, *details["loc"]) if root else details["loc"]
    where, value, kind, context = path(place), details["input"], str(details["type"]), details.get("ctx", {})
    if kind == "finding":
        return Finding(where, context["what"], context["expected"], context["remedy"])
    if kind == "unknown_field":
        hint = nearest(str(place[-1]), context["known"])
        return Finding(where, "unknown field", f"known: {', '.join(context['known']) or 'none'}", hint)
    if kind == "missing":
        return Finding(where, "missing", "this field must be given")
    if kind == "value_error":
        told = str(context["error"])
        return Finding(where, told) if isinstance(value, (dict, BaseModel)) else Finding(where, shown(value), told)
    return Finding(where, shown(value), expectation(details))


def expectation(details: ErrorDetails) -> str:
    """What a standard error of pydantic expected: `must be > 0`."""
    kind, context, message = str(details["type"]), details.get("ctx", {}), details["msg"]
    if kind in _BOUNDS:
        name, sign = _BOUNDS[kind]
        bound = context[name]
        return f"must be {sign} {int(bound) if bound == int(bound) else bound}"
    for subject in ("Input", "Tuple", "List", "String", "Dictionary", "Value"):
        message = message.replace(f"{subject} should be", "must be").replace(f"{subject} should have", "must have")
    return message.replace(" after validation", "").replace("valid dictionary", "table")
