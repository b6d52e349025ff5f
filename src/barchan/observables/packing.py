"""How dense a packing is, how its grains touch, and what they carry."""

from __future__ import annotations

from typing import ClassVar

from barchan.observables import Moment, Observable, _packing


class Packing(Observable):
    """Packing fraction, coordination with and without rattlers, and the parts of stress and fabric.

    The volume is that of the periodic box, along open axes the extent of the grains. `isotropic` is the mean of a
    tensor's eigenvalues (of the stress: the pressure), `deviatoric` half of largest less smallest. In two dimensions
    grains count as discs, volumes are areas and stresses are N/m. Coordination counts a contact at both of its grains,
    at a wall once. Rattlers are grains with fewer contacts than dimensions + 1, once those without hold are taken away.
    """

    key: ClassVar[str] = "packing"
    series = (
        ("packing_fraction", ""), ("coordination", ""), ("coordination_held", ""), ("rattler_share", ""),
        ("stress_isotropic", "Pa"), ("stress_deviatoric", "Pa"), ("fabric_isotropic", ""), ("fabric_deviatoric", ""),
    )  # fmt: skip

    def measure(self, moment: Moment) -> dict[str, float]:
        count = max(len(moment.mass), 1)
        held, inside = _packing.backbone(moment)
        grains = moment.contact_second >= 0
        stress, fabric = _packing.parts(_packing.stress(moment)), _packing.parts(_packing.fabric(moment))
        filled = float(_packing.grain_volume(moment.radius, flat=moment.flat).sum())
        return {
            "packing_fraction": filled / max(_packing.cell_volume(moment), 1e-300),
            "coordination": (len(grains) + int(grains.sum())) / count,
            "coordination_held": (int(inside.sum()) + int((inside & grains).sum())) / max(int(held.sum()), 1),
            "rattler_share": 1 - int(held.sum()) / count,
            "stress_isotropic": stress[0],
            "stress_deviatoric": stress[1],
            "fabric_isotropic": fabric[0],
            "fabric_deviatoric": fabric[1],
        }
