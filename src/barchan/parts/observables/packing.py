"""How dense a packing is, how its grains touch, and what they carry."""

from __future__ import annotations

from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import _packing
from barchan.parts.observables._volume import Measured, over


class Packing(Measured):
    """Packing fraction, coordination with and without rattlers, and the parts of stress and fabric.

    All is over a stated `volume` (m³; m² in two dimensions) or `region`, else over the periodic box, along open axes
    the extent of the grains' surfaces. A grain fills its mass over its density. `isotropic` is the mean of a tensor's
    eigenvalues (of the stress, positive in compression: the pressure), `deviatoric` half of largest less smallest. In
    two dimensions spheres count as discs, volumes are areas and stresses are N/m. Coordination counts pairs
    of grains that touch, with however many of their pieces, at both grains, and faces of walls once. Rattlers touch
    fewer bodies than dimensions + 1, once those without hold are taken away.
    """

    key: ClassVar[str] = "packing"
    needs = ("contacts", "flat", "solid")
    note = "Of the isotropic stress compression is positive."
    series = (
        ("packing_fraction", ""), ("coordination", ""), ("coordination_held", ""), ("rattler_share", ""),
        ("stress_isotropic", "Pa"), ("stress_deviatoric", "Pa"), ("fabric_isotropic", ""), ("fabric_deviatoric", ""),
    )  # fmt: skip

    def measure(self, frame: Frame) -> dict[str, float]:
        part = self.part(frame)
        held, inside = _packing.backbone(frame)
        pairs, grains = frame.pairs, len(frame.mass)
        ends, held_ends = _packing.ends(pairs, grains), _packing.ends(pairs[inside], grains)
        stress, fabric = _packing.parts(_packing.stress(frame, part)), _packing.parts(_packing.fabric(frame, part))
        mine = part.grains
        count, held_count = max(int(mine.sum()), 1), max(int((held & mine).sum()), 1)
        return {
            "packing_fraction": float(over(frame.solid[mine].sum(), part.volume)),
            "coordination": int(ends[mine].sum()) / count,
            "coordination_held": int(held_ends[mine].sum()) / held_count,
            "rattler_share": int((mine & ~held).sum()) / count,
            "stress_isotropic": stress[0],
            "stress_deviatoric": stress[1],
            "fabric_isotropic": fabric[0],
            "fabric_deviatoric": fabric[1],
        }
