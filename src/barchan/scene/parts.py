"""Fields that hold a part: a law, a motion, an integrator, an observable, chosen by name when a scene is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic_core import InitErrorDetails

from barchan import registry
from barchan.parts.actions import Action
from barchan.parts.conditions import Condition
from barchan.parts.deformations import Deformation
from barchan.parts.fills import Fill
from barchan.parts.integrators import Integrator
from barchan.parts.laws import Law
from barchan.parts.minimisers import Minimiser
from barchan.parts.motions import Motion
from barchan.parts.observables import Observable
from barchan.parts.potentials import Potential
from barchan.parts.restitutions import Restitution
from barchan.parts.sizes import Size
from barchan.parts.sizes.fixed import FixedSize
from barchan.parts.wall_shapes import Shape
from barchan.registry import choice
from barchan.schema.tables import Bare


def default(family_name: str, key: str) -> Any:
    """A factory of a part with its own defaults, for fields that may be left out."""
    return lambda: registry.part(family_name, key)()


def kind_of(own: Any) -> Any:
    """The name of a part, as a dict, an instance or the bare name."""
    if isinstance(own, str):
        return own
    return own.get("kind") if isinstance(own, Mapping) else getattr(own, "key", None)


def misfits(
    fields: Mapping[str, Any], family_name: str, own: Any, place: tuple[int | str, ...]
) -> Iterator[InitErrorDetails]:
    """Problems of a part at a place, as it came in, with the rest of the scene; none where the part is not known."""
    known, kind = registry.parts(family_name), kind_of(own)
    for problem in known[kind].misfits(own, fields) if isinstance(kind, str) and kind in known else ():
        yield {**problem, "loc": (*place, *problem.get("loc", ()))}


LawField = Annotated[Law, choice("laws")]
ShapeField = Annotated[Shape, choice("shapes")]
MotionField = Annotated[Motion, choice("motions")]
FillField = Annotated[Fill, choice("fills")]
SizeField = Annotated[Size, choice("sizes", Bare(FixedSize, "value", (int, float, str)))]
ActionField = Annotated[Action, choice("actions")]
DeformationField = Annotated[Deformation, choice("deformations")]
ConditionField = Annotated[Condition, choice("conditions")]
IntegratorField = Annotated[Integrator, choice("integrators")]
ObservableField = Annotated[Observable, choice("observables")]
RestitutionField = Annotated[Restitution, choice("restitutions")]
PotentialField = Annotated[Potential, choice("potentials")]
MinimiserField = Annotated[Minimiser, choice("minimisers")]
