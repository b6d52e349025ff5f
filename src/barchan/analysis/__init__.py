"""Numbers from recorded frames. Nothing here needs a solver: it works on a run of last year."""

from barchan.analysis.pile import (
    Angle,
    Fraction,
    RadialProfile,
    angle_of_repose,
    heap,
    packing_fraction,
    pile_height,
    pile_width,
    radial_profile,
)

__all__ = [
    "Angle",
    "Fraction",
    "RadialProfile",
    "angle_of_repose",
    "heap",
    "packing_fraction",
    "pile_height",
    "pile_width",
    "radial_profile",
]
