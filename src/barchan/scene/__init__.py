"""Tables: what stands in a scene beside its parts.

Frozen descriptions of scenes, read from TOML and written to it, or built in Python.
"""

from __future__ import annotations

from barchan.parts.regions.box import Box
from barchan.scene.beams import Beams, Breakage, Yielding
from barchan.scene.events import (
    Event,
)
from barchan.scene.files import library, load
from barchan.scene.grains import (
    ClumpGrain,
    ClumpSphere,
    CubeGrain,
    DimerGrain,
    GrainGroup,
    RodGrain,
    SphereGrain,
    TetraGrain,
)
from barchan.scene.materials import Material, PairOverride, Stiction, surface
from barchan.scene.overrides import override
from barchan.scene.polygons import (
    CrossGrain,
    EllGrain,
    HexagonGrain,
    IrregularGrain,
    PolygonGrain,
    SquareGrain,
    StarGrain,
    TriangleGrain,
)
from barchan.scene.relax import Relax
from barchan.scene.scene import SOLVERS, Record, Scene, schema
from barchan.scene.sources import Sink, Source
from barchan.scene.tethers import Tether
from barchan.scene.toml import dumps, loads
from barchan.scene.walls import Wall

__all__ = [
    "SOLVERS",
    "Beams",
    "Box",
    "Breakage",
    "ClumpGrain",
    "ClumpSphere",
    "CrossGrain",
    "CubeGrain",
    "DimerGrain",
    "EllGrain",
    "Event",
    "GrainGroup",
    "HexagonGrain",
    "IrregularGrain",
    "Material",
    "PairOverride",
    "PolygonGrain",
    "Record",
    "Relax",
    "RodGrain",
    "Scene",
    "Sink",
    "Source",
    "SphereGrain",
    "SquareGrain",
    "StarGrain",
    "Stiction",
    "Tether",
    "TetraGrain",
    "TriangleGrain",
    "Wall",
    "Yielding",
    "dumps",
    "library",
    "load",
    "loads",
    "override",
    "schema",
    "surface",
]
