"""What a scene states for another solver than its own: told as warnings, so that nothing is passed over in silence."""

from __future__ import annotations

from barchan import registry
from barchan.errors import Finding
from barchan.scene.beams import Beams
from barchan.scene.relax import Relax
from barchan.scene.scene import WALL_STEP_LIMIT, HardSpheres, Scene

IDLE = {  # observables, and the solvers that have nothing for them
    "collisions": ("soft", "relax", "beams"), "steps": ("hard", "relax"), "modes": ("hard", "relax", "beams"),
    "packing": ("hard",),
}  # fmt: skip
LOSSES = ("friction", "restitution", "rolling_friction", "rolling_viscosity")  # of contacts, which rest has none of


def other_tables(scene: Scene) -> list[Finding]:
    """Tables and fields that only another solver reads, where they say something else than if left out."""
    usual = {"hard": HardSpheres(), "relax": Relax(), "beams": Beams()}
    usual_restitution = registry.part("restitutions", "constant")()
    owners = {name: name for name, table in usual.items() if getattr(scene, name) != table}
    if scene.restitution != usual_restitution:
        owners["restitution"] = "hard"
    if scene.wall_step_limit != WALL_STEP_LIMIT:
        owners["wall_step_limit"] = "soft"
    findings = [
        Finding(field, "is there", f"the solver {scene.solver!r} does not read it",
                f'leave it out, or use solver = "{owner}"')
        for field, owner in owners.items()
        if owner != scene.solver
    ]  # fmt: skip
    return [*findings, *([] if scene.solver == "hard" else _slip(scene)), *_idle_observables(scene)]


def _slip(scene: Scene) -> list[Finding]:
    """Tangential restitution, which hard spheres have instead of friction."""
    expected, remedy = f"the solver {scene.solver!r} does not read it", 'leave it out, or use solver = "hard"'
    stated = {f"materials.{name}": one.tangential_restitution for name, one in scene.materials.items()}
    stated |= {f"pairs[{k}]": one.tangential_restitution for k, one in enumerate(scene.pairs)}  # type: ignore[misc]
    return [
        Finding(f"{where}.tangential_restitution", f"{value:g}", expected, remedy)
        for where, value in stated.items()
        if value not in (None, 1.0)
    ]


def _idle_observables(scene: Scene) -> list[Finding]:
    """Observables that would measure nothing but zeros."""
    return [
        Finding(f"observables[{k}]", one.key,
                f"the solver {scene.solver!r} has nothing to measure for it: " + (
                    "there are no contacts, and what they carry is 0" if one.key == "packing" else "it will be 0"),
                "leave it out")
        for k, one in enumerate(scene.observables)
        if scene.solver in IDLE.get(one.key, ())
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
