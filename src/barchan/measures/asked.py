"""What is asked of a recording, as text: a name, its fields and a moment.

    packing                               at all frames
    angle_of_repose(floor=0)@last         fields in brackets; after @ first, last, or a time such as 2 s
    stress(region={low=[0, 0, 0], high=[1 cm, 1 cm, 1 cm]})@mean(2 s, 5 s)

Values are written as in a scene; quotes may be left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import ValidationError

from barchan.errors import Finding, SceneError
from barchan.measures.named import one_known
from barchan.registry import Part
from barchan.schema.problems import findings
from barchan.schema.quantities import si_value

EARLY = 0.1  # of the time between two frames: by so much a frame may miss its time, as steps have a length
OPEN, CLOSED = "([{", ")]}"
DEEPEST = 10  # brackets in each other
WHENS = "first, last, a time such as 2s, mean, mean(FROM, TO)"

_ASKED = re.compile(r"\s*(?P<name>\w[\w.-]*)\s*(\((?P<fields>.*?)\))?\s*(@(?P<when>[^@]*))?", re.DOTALL)
_MEAN = re.compile(r"mean\s*(\((?P<window>.*)\))?")


@dataclass(frozen=True)
class When:
    """At which frames: `all`, `first`, `last`, the one nearest to the time `start` (`at`), or a `mean` of several."""

    kind: str
    start: float = -math.inf  # s
    end: float = math.inf  # s

    def frames(self, times: np.ndarray, where: str) -> np.ndarray:
        """Indices of the frames, of those with these times (F,) s; SceneError where there is none."""
        every = np.arange(len(times))
        between = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
        if self.kind in ("all", "first", "last"):
            return {"all": every, "first": every[:1], "last": every[-1:]}[self.kind]
        if self.kind == "at":
            nearest = np.abs(times - self.start).argmin()
            chosen = every[nearest : nearest + 1]
            chosen = chosen[np.abs(times[chosen] - self.start) <= max(0.5 * between, 1e-9 * abs(self.start))]
        else:
            slack = EARLY * between
            chosen = every[(times >= self.start - slack) & (times <= self.end + slack)]
        if not len(chosen):
            has = f"there are {len(times)} from {times[0]:.6g} s to {times[-1]:.6g} s"
            raise SceneError(Finding(where, "there are no frames then", has, "ask for another time"))
        return chosen


@dataclass(frozen=True)
class Asked:
    """An observable or a measure with its fields, and when it is asked for."""

    text: str
    part: Any  # an Observable or a Measure
    when: When

    @property
    def one(self) -> bool:
        """Whether it has one value for each number, and not one for each frame."""
        return self.when.kind != "all" or not getattr(self.part, "each", True)


def parse(text: str) -> Asked:
    """What a text asks for; SceneError tells what is wrong with it."""
    found = _ASKED.fullmatch(text)
    if found is None:
        example = "angle_of_repose(floor=0)@last or stress@mean(2s, 5s)"
        raise SceneError(
            Finding(text, "is not understood", f"must be a name, its fields and a moment, such as {example}")
        )
    kind: type[Part] = one_known(found["name"])
    try:
        part = kind.model_validate(_fields(found["fields"] or "", text))
    except ValidationError as error:
        raise SceneError(findings(error, found["name"])) from None
    return Asked(text.strip(), part, _when(found["when"], text))


def _when(moment: str | None, text: str) -> When:
    if moment is None:
        return When("all")
    moment = moment.strip()
    mean = _MEAN.fullmatch(moment)
    if moment in ("first", "last"):
        return When(moment)
    if mean is None:
        return When("at", _time(moment, text))
    if mean["window"] is None:
        return When("mean")
    edges = [_time(edge.strip(), text) for edge in mean["window"].split(",")]
    if len(edges) != 2 or edges[0] > edges[1]:
        raise SceneError(Finding(text, f"@{moment} is no span of time", "must be mean(FROM, TO), such as mean(2s, 5s)"))
    return When("mean", *edges)


def _time(text: str, where: str) -> float:
    try:
        return float(si_value(_value(text, where), "s"))
    except ValueError as problem:
        raise SceneError(Finding(where, f"{text!r} is no moment: {problem}", f"known: {WHENS}")) from None


def _fields(text: str, where: str) -> dict[str, Any]:
    """The fields in `a=1, b=[2, 3]`."""
    fields: dict[str, Any] = {}
    for item in _items(text, where):
        name, equals, value = (one.strip() for one in item.partition("="))
        if not equals or not name or not value or name in fields:
            what = f"{name} is given twice" if name in fields else f"{item.strip()!r} is no field"
            raise SceneError(Finding(where, what, "must be name=value, such as floor=0"))
        fields[name] = _value(value, where)
    return fields


def _value(text: str, where: str) -> Any:
    """A number, true, false, a list, a table, or a text with or without quotes."""
    if text[:1] == "[" and text[-1:] == "]":
        return [_value(item.strip(), where) for item in _items(text[1:-1], where)]
    if text[:1] == "{" and text[-1:] == "}":
        return _fields(text[1:-1], where)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _items(text: str, where: str) -> Iterator[str]:
    """The parts between commas that are in no brackets and no quotes; a last one may be empty."""
    start, inside, quote = 0, [], ""
    for place, sign in enumerate(text):
        if quote or sign in "\"'":
            quote = "" if sign == quote else quote or sign
        elif sign in OPEN:
            inside.append(CLOSED[OPEN.index(sign)])
            if len(inside) > DEEPEST:
                raise SceneError(Finding(where[:60], "is nested too deeply"))
        elif sign in CLOSED and (not inside or inside.pop() != sign):
            raise SceneError(Finding(where, f"{sign!r} closes nothing", "brackets must be in pairs"))
        elif sign == "," and not inside:
            yield text[start:place]
            start = place + 1
    if quote or inside:
        raise SceneError(Finding(where, f"{quote or inside[-1]!r} is missing", "brackets and quotes must be in pairs"))
    if text[start:].strip():
        yield text[start:]
