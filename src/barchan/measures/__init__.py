"""Measures: numbers from recorded frames.

Nothing here needs a solver: it works on a run of last year."""

from barchan.measures.flow import Flow, Jam, flow_through, jamming, jams, mean_rate
from barchan.measures.motion import FractureSurface, fracture_surface, moving
from barchan.measures.pile import (
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
from barchan.measures.steps import StepStatistics, step_statistics
from barchan.measures.terrain import HeightMap, height_map
from barchan.measures.tumbling import carried_over, dynamic_angle, ring_layers

__all__ = [
    "Angle",
    "Flow",
    "Fraction",
    "FractureSurface",
    "HeightMap",
    "Jam",
    "RadialProfile",
    "StepStatistics",
    "angle_of_repose",
    "carried_over",
    "dynamic_angle",
    "flow_through",
    "fracture_surface",
    "heap",
    "height_map",
    "jamming",
    "jams",
    "mean_rate",
    "moving",
    "packing_fraction",
    "pile_height",
    "pile_width",
    "radial_profile",
    "ring_layers",
    "step_statistics",
]
