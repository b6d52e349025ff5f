"""Checks across a scene's fields, on the fields as they came in, so that they are told along with all the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import InitErrorDetails

from barchan.scene.check_flow import flow_problems
from barchan.scene.parts import misfits
from barchan.schema.peeking import is_nonzero, items, listed, names, peek
from barchan.schema.problems import Place, fault, located, shown, unknown_name


def scene_problems(fields: Mapping[str, Any]) -> list[InitErrorDetails]:
    """All problems between the fields of a scene."""
    return [
        *_unknown_materials(fields),
        *_repeated_names(fields),
        *_space(fields),
        *_flat_boxes(fields),
        *misfits(fields, "deformations", fields.get("deformation"), ("deformation",)),
        *_tethers(fields),
        *flow_problems(fields),
    ]


def _unknown_materials(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    materials = fields.get("materials")
    if not isinstance(materials, Mapping) or not materials:
        return  # a missing table of materials is told by itself
    for family in ("grains", "sources", "walls"):
        for index, item in items(fields, family):
            name = peek(item, "material")
            if isinstance(name, str) and name not in materials:
                yield located(unknown_name(name, "materials", materials), (family, index, "material"), name)
    for index, group in items(fields, "grains"):
        for number, part in enumerate(listed(peek(group, "mix"))):
            name = peek(part, "material")
            if isinstance(name, str) and name not in materials:
                yield located(
                    unknown_name(name, "materials", materials), ("grains", index, "mix", number, "material"), name
                )
    for index, item in items(fields, "pairs"):
        for side, name in enumerate(listed(peek(item, "between"))):
            if isinstance(name, str) and name not in materials:
                yield located(unknown_name(name, "materials", materials), ("pairs", index, "between", side), name)


def _repeated_names(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    for family in ("grains", "sources", "sinks", "walls", "tethers", "events"):
        first: dict[Any, int] = {}
        for index, item in items(fields, family):
            name = peek(item, "name")
            if isinstance(name, str) and first.setdefault(name, index) != index:
                error = fault(f"{name!r} is also the name of {family}[{first[name]}]", "names must differ")
                yield located(error, (family, index, "name"), name)
    pairs: dict[frozenset[str], int] = {}
    for index, item in items(fields, "pairs"):
        between = listed(peek(item, "between"))
        sides = frozenset(name for name in between if isinstance(name, str))
        if sides and pairs.setdefault(sides, index) != index:
            error = fault(f"{' and '.join(sorted(sides))} are already in pairs[{pairs[sides]}]", "must be there once")
            yield located(error, ("pairs", index, "between"), between)


def _space(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    periodic, flat = fields.get("periodic"), fields.get("dimensions") == 2
    axes = [axis for axis, repeats in zip("xyz", listed(periodic), strict=False) if repeats is True]
    if axes and fields.get("box") is None:
        error = fault(f"periodic along {', '.join(axes)} without a box", "give box.low and box.high")
        yield located(error, ("periodic",), periodic)
    if flat and "y" in axes:
        error = fault("periodic along y in two dimensions", "must be false: grains move in the x–z plane")
        yield located(error, ("periodic", 1), True)
    sideways = listed(fields.get("gravity"))[1:2]
    if flat and sideways and is_nonzero(sideways[0]):
        error = fault("gravity along y in two dimensions", "must be 0: grains move in the x–z plane")
        yield located(error, ("gravity", 1), sideways[0])
    if flat:
        yield from _flat_motion(fields)
    step, duration = fields.get("time_step"), fields.get("duration")
    if isinstance(step, (int, float)) and isinstance(duration, (int, float)) and step > duration > 0:
        error = fault(
            f"{shown(step, 's')} is longer than the duration of {shown(duration, 's')}", "must be far shorter"
        )
        yield located(error, ("time_step",), step)


def _flat_motion(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """Velocities along y, and spins about x and z, which grains in two dimensions cannot have."""
    moving = [(family, index, item) for family in ("grains", "sources") for index, item in items(fields, family)]
    for family, index, item in moving:
        for name, axes, way in (("velocity", (1,), "along y"), ("spin", (0, 2), "about x or z")):
            for axis in axes:
                value = listed(peek(item, name))[axis : axis + 1]
                if value and is_nonzero(value[0]):
                    error = fault(f"{name} {way} in two dimensions", "must be 0: grains move in the x–z plane")
                    yield located(error, (family, index, name, axis), value[0])


def _tethers(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """Tethers of groups that are not there, and tethers that could not tell which way round a period to pull."""
    groups = names(fields, "grains")
    for index, tether in items(fields, "tethers"):
        group = peek(tether, "group")
        if isinstance(group, str) and group not in groups:
            yield located(unknown_name(group, "grains", groups), ("tethers", index, "group"), group)
        mixed = [peek(item, "name") for _, item in items(fields, "grains") if peek(item, "mix")]
        if group in mixed:
            error = fault(f"{group!r} is a mixture", "a tether holds grains of one kind", "write a group for each kind")
            yield located(error, ("tethers", index, "group"), group)
        if any(repeats is True for repeats in listed(fields.get("periodic"))):
            error = fault("a tether in a periodic scene", "a tether has no shortest way round", "leave `periodic` out")
            yield located(error, ("tethers", index), group)


def _flat_boxes(fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """Boxes without an extent along y, which make sense in two dimensions only."""
    if fields.get("dimensions") == 2:
        return
    regions: list[tuple[Place, Any]] = [(("box",), fields.get("box"))]
    for index, group in items(fields, "grains"):
        regions.append((("grains", index, "fill", "region"), peek(peek(group, "fill"), "region")))
    for family in ("sources", "sinks", "observables"):
        regions += [((family, index, "region"), peek(item, "region")) for index, item in items(fields, family)]
    for place, region in regions:
        low, high = listed(peek(region, "low"))[1:2], listed(peek(region, "high"))[1:2]
        if low and low == high:
            error = fault("the box is empty along y", "low must be < high, but in two dimensions")
            yield located(error, (*place, "high", 1), high[0])
