"""Figures as files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from barchan.record.whole import replaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_figure(fig: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure at its own resolution, in the format of the ending (png, pdf, svg); whole, or not at all."""
    target = Path(path)
    with replaced(target) as temporary:
        fig.savefig(temporary, dpi=fig.dpi, format=target.suffix.lstrip(".") or "png")
    return target
