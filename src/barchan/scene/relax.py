"""What the solver `relax` is told: the potential, the minimiser, and how it follows a box that is deformed.

There is no time in it. The scene's `duration` is the length of the protocol, a coordinate: a frame is recorded at every
relaxed point, `frame_rate` of them a second.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Gt, Le, Lt
from pydantic import Field

from barchan.scene.method import Method
from barchan.scene.parts import MinimiserField, PotentialField, default
from barchan.schema.quantities import PackingFraction, Unit


class Relax(Method):
    """Energy minimisation: what pushes, how the minimum is found, and how it is followed while the box deforms.

    Every point of a deformation is predicted from the one before, and then relaxed.
    """

    name: ClassVar[str] = "relax"
    ledger: ClassVar[tuple[str, ...]] = ("box_work", "dissipated_relaxing")
    can: ClassVar[frozenset[str]] = frozenset()
    reads: ClassVar[tuple[str, ...]] = ("relax",)
    idle: ClassVar[tuple[str, ...]] = ("collisions", "steps", "modes")

    potential: PotentialField = Field(default_factory=default("potentials", "harmonic"))
    """What an overlap costs; left out, "harmonic"."""
    minimiser: MinimiserField = Field(default_factory=default("minimisers", "newton"))
    """How the minimum is found; left out, "newton"."""
    tolerance: Annotated[float, Gt(0), Lt(1), Unit("")] = 1e-12
    """The largest force on a grain over the mean contact force; where round-off allows less, that."""
    packing_fraction: PackingFraction | None = None
    """The share of the box that grains fill: all sizes are scaled by one factor. Left out, sizes stay as they are."""
    predict: Literal["tangent", "affine"] = "tangent"
    """"affine": the box carries the grains along; "tangent": so does the tangent of their equilibrium."""
    splits: Annotated[int, Ge(0), Le(20)] = 0
    """How often a step may be halved where a grain ends farther from its prediction than a tenth of the mean radius."""
