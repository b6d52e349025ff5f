"""Pictures of recorded frames: scenes, movies, plots of a run. Nothing here touches a display or a global figure.

The names are found on first use, so that matplotlib and the kernels are loaded only when something is drawn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from barchan.draw.files import save_figure
    from barchan.draw.movie import write_movie
    from barchan.draw.picture import draw_scene
    from barchan.draw.profile import draw_profile
    from barchan.draw.report import write_report
    from barchan.draw.snapshots import draw_snapshots, draw_strip
    from barchan.draw.summary import draw_summary
    from barchan.draw.viewer.page import write_page

__all__ = [
    "draw_profile", "draw_scene", "draw_snapshots", "draw_strip", "draw_summary", "save_figure", "write_movie",
    "write_page", "write_report",
]  # fmt: skip

_HOMES = {
    "draw_profile": "profile",
    "draw_scene": "picture",
    "draw_snapshots": "snapshots",
    "draw_strip": "snapshots",
    "draw_summary": "summary",
    "save_figure": "files",
    "write_movie": "movie",
    "write_page": "viewer.page",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
