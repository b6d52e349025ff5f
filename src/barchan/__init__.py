"""Barchan: granular dynamics, from a scene file to a pile of sand on the screen.

    import barchan as bc

    scene = bc.load("hopper")
    run = bc.run(scene)

The names are found on first use, so that `import barchan` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from barchan.drawn import draw_with

__version__ = "0.1.0"

if TYPE_CHECKING:
    from barchan.draw import (
        draw_profile,
        draw_scene,
        draw_snapshots,
        draw_strip,
        draw_summary,
        save_figure,
        write_movie,
        write_page,
        write_report,
    )
    from barchan.errors import BarchanError, FileError, Finding, RunError, SceneError
    from barchan.frame import Frame
    from barchan.measures.evaluate import Measured, measure
    from barchan.parts.integrators import Integrator
    from barchan.parts.laws import Law
    from barchan.parts.motions import Motion
    from barchan.parts.observables import Observable
    from barchan.parts.wall_shapes import Shape
    from barchan.record.recording import Recording
    from barchan.registry import register
    from barchan.scene import (
        Box,
        GrainGroup,
        Material,
        PairOverride,
        Record,
        Scene,
        Stiction,
        Wall,
        dumps,
        library,
        load,
        loads,
    )
    from barchan.simulation.interrupt import Interrupted
    from barchan.simulation.loop import RunResult, resume, run
    from barchan.simulation.plan import Plan
    from barchan.simulation.progress import Silent

_HOMES = {
    "measures.evaluate": ("Measured", "measure"),
    "draw": (
        "draw_profile", "draw_scene", "draw_snapshots", "draw_strip", "draw_summary", "save_figure", "write_movie",
        "write_page", "write_report",
    ),
    "errors": ("BarchanError", "FileError", "Finding", "RunError", "SceneError"),
    "parts.integrators": ("Integrator",),
    "parts.laws": ("Law",),
    "parts.motions": ("Motion",),
    "frame": ("Frame",),
    "parts.observables": ("Observable",),
    "record.recording": ("Recording",),
    "registry": ("register",),
    "simulation.interrupt": ("Interrupted",),
    "simulation.loop": ("RunResult", "resume", "run"),
    "simulation.plan": ("Plan",),
    "simulation.progress": ("Silent",),
    "scene": (
        "Box", "GrainGroup", "Material", "PairOverride", "Record", "Scene", "Stiction", "Wall", "dumps", "library",
        "load", "loads",
    ),
    "parts.wall_shapes": ("Shape",),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME]


draw_with(lambda: importlib.import_module(f"{__name__}.draw.results").plot)  # for `result.plot()`


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
