"""Figures as files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from barchan.errors import FileError, Finding
from barchan.record.whole import replaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf", "svg", "eps", "jpg", "jpeg", "tif", "tiff", "webp")


def save_figure(fig: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure at its own resolution, in the format of the ending (png, pdf, svg, …); whole, or not at all."""
    target = Path(path)
    kind = target.suffix.lstrip(".").lower() or "png"
    if kind not in FORMATS:
        raise FileError(Finding(str(target), "is no picture", f"must end in .{', .'.join(FORMATS)}"))
    with replaced(target) as temporary:
        fig.savefig(temporary, dpi=fig.dpi, format=kind)
    return target
