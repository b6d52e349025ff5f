"""What a scene states for another solver than its own: told as warnings, so that nothing is passed over in silence."""

from __future__ import annotations

from typing import Any

from barchan import registry
from barchan.errors import Finding
from barchan.model.pour import GivesGrains, TakesGrains
from barchan.scene.method import CAPABILITIES
from barchan.scene.scene import METHODS, Scene
from barchan.solvers import base

LOSSES = ("friction", "restitution", "rolling_friction", "rolling_viscosity")  # of contacts, which rest has none of


def lacking(scene: Scene) -> list[Finding]:
    """What a scene asks for that its solver cannot do."""
    asked: list[tuple[str, type]] = [(f"sources[{k}]", TakesGrains) for k in range(len(scene.sources))]
    asked += [(f"sinks[{k}]", GivesGrains) for k in range(len(scene.sinks))]
    for k, event in enumerate(scene.events):
        asked += [(f"events[{k}].when", event.when.asks)]
        asked += [(f"events[{k}].do[{number}]", action.asks) for number, action in enumerate(event.do)]
    missing = CAPABILITIES.keys() - scene.method.can
    found = [(where, sorted(missing & set(dir(needs)))) for where, needs in asked]
    return [base.lacking(scene.method, names[0], where) for where, names in found if names]


def other_tables(scene: Scene) -> list[Finding]:
    """Tables and fields that only another solver reads, where they say something else than if left out."""
    findings = []
    for other in METHODS.values():
        if isinstance(scene.method, other):
            continue
        expected = f"the solver {scene.solver!r} does not read it"
        remedy = f'leave it out, or use solver = "{other.name}"'
        stated = {field: "is there" for field in other.reads if getattr(scene, field) != _usual(field)}
        for name in other.surface:
            values = {f"materials.{key}.{name}": getattr(one, name) for key, one in scene.materials.items()}
            values |= {f"pairs[{k}].{name}": getattr(one, name) for k, one in enumerate(scene.pairs)}
            stated |= {where: f"{value:g}" for where, value in values.items() if value not in (None, 1.0)}
        findings += [Finding(where, what, expected, remedy) for where, what in stated.items()]
    return [*findings, *_idle_observables(scene)]


def _usual(field: str) -> Any:
    """What a field of a scene is if it is left out."""
    return Scene.model_fields[field].get_default(call_default_factory=True)


def _idle_observables(scene: Scene) -> list[Finding]:
    """Observables that would measure nothing but zeros."""
    return [
        Finding(f"observables[{k}]", one.key,
                f"the solver {scene.solver!r} has nothing to measure for it: " + (
                    "there are no contacts, and what they carry is 0" if one.key == "packing" else "it will be 0"),
                "leave it out")
        for k, one in enumerate(scene.observables)
        if one.key in scene.method.idle
    ]  # fmt: skip


def losses(scene: Scene) -> list[Finding]:
    """Friction, laws and losses that a scene of the solver `relax` states, which knows energy alone."""
    expected = "packings are found without friction, and without losses"
    remedy = 'leave it out, or go on from the packing with solver = "soft"'
    tables = {f"materials.{name}": one for name, one in scene.materials.items()}
    tables |= {f"pairs[{k}]": one for k, one in enumerate(scene.pairs)}  # type: ignore[misc]
    findings = []
    for where, table in tables.items():
        stated = [field for field in LOSSES if field in table.model_fields_set and getattr(table, field)]
        stated = [field for field in stated if (field, getattr(table, field)) != ("restitution", 1.0)]  # no loss
        if stated:
            others = f" (nor {', '.join(stated[1:])})" if stated[1:] else ""
            what = f"{getattr(table, stated[0]):g}"
            findings.append(Finding(f"{where}.{stated[0]}", what, expected + others, remedy))
    usual = registry.part("laws", "hertz")()
    findings += [
        Finding(field, f"the law {getattr(scene, field).key!r}", "packings have relax.potential instead",
                "leave it out, and choose a potential")
        for field in ("contact", "wall_contact")
        if field in scene.model_fields_set and getattr(scene, field) != usual
    ]  # fmt: skip
    return findings
