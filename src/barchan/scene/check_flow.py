"""Checks across a scene's sources, sinks and events: names that nothing has, and stories that cannot come true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import InitErrorDetails, PydanticCustomError

from barchan.parts.conditions.after import AfterEvent
from barchan.parts.conditions.count import ALL_GRAINS
from barchan.scene.parts import kind_of, misfits
from barchan.schema.peeking import items, listed, peek
from barchan.schema.problems import fault, located
from barchan.schema.tables import Table


def flow_problems(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """All problems between sources, sinks, walls and events."""
    if not listed(fields.get("grains")) and not listed(fields.get("sources")):
        empty = fault("[]", "must have at least 1 item where there are no sources")
        missing = PydanticCustomError("missing", "missing")
        yield located(missing if fields.get("grains") is None else empty, ("grains",))
    yield from _gate_names(fields)
    for index, event in items(fields, "events"):
        yield from misfits(fields, "conditions", peek(event, "when"), ("events", index, "when"))
        actions = peek(event, "do")
        one = isinstance(actions, (str, Mapping, Table))
        for number, action in enumerate([actions] if one else listed(actions)):
            yield from misfits(fields, "actions", action, ("events", index, "do", number))
    yield from _circles(fields)


def _gate_names(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """Sources, sinks and absorbing walls are counted by name, so no two of them may share one."""
    owner: dict[str, str] = {}
    for family in ("sources", "sinks", "walls"):
        for index, item in items(fields, family):
            name = peek(item, "name")
            if not isinstance(name, str) or (family == "walls" and peek(item, "absorbing") is not True):
                continue
            if name == ALL_GRAINS or "/" in name:
                error = fault(f"{name!r} cannot be counted by", f"must not be {ALL_GRAINS!r} and have no '/' in it")
                yield located(error, (family, index, "name"), name)
            elif owner.setdefault(name, family) != family:
                error = fault(f"{name!r} is also the name of one of the {owner[name]}", "names must differ")
                yield located(error, (family, index, "name"), name)


def _circles(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """Events that wait for each other."""
    waits = {}
    for _, event in items(fields, "events"):
        when = peek(event, "when")
        if kind_of(when) == AfterEvent.key:
            waits[peek(event, "name")] = peek(when, "event")
    for index, event in items(fields, "events"):
        first = name = peek(event, "name")
        for _ in waits:
            name = waits.get(name)
            if name == first and first is not None:
                error = fault(f"{first!r} waits for itself", "some event must come first, by a time or a condition")
                yield located(error, ("events", index, "when"), first)
                break
