"""Colours as such: of lines, letters, walls and the ground, and what they are as light."""

from __future__ import annotations

from typing import Any

import numpy as np

GAMMA = 2.2
BACKDROP = "#ffffff"
GROUND = "#e6dccb"
INK = "#3b4654"
NO_NUMBER = "#c4c8cc"  # a grain to which what is shown does not apply
MUTED = "#5b6570"  # numbers at axes
PALETTE = ("#c0563b", "#3f7196", "#6f9a4d", "#7a6a95", "#d29a3a", "#2e8b8b", "#8d6e53")  # of curves


def wall_color(wall: Any) -> str | None:
    """The colour of a scene's wall as #rrggbb; None where it has none, as a bare shape."""
    if (color := getattr(wall, "color", None)) is None:
        return None
    from matplotlib.colors import to_hex

    return to_hex(color.lower())


def linear(color: str) -> np.ndarray:
    """A colour written #rrggbb as linear light (3,), 0 … 1."""
    return np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]) ** GAMMA


_TO_BYTE = (255.0 * np.linspace(0.0, 1.0, 8192) ** (1.0 / GAMMA) + 0.5).astype(np.uint8)


def to_bytes(light: np.ndarray) -> np.ndarray:
    """Linear light, 0 … 1, as the bytes of a picture."""
    return _TO_BYTE[(np.clip(light, 0.0, 1.0) * (len(_TO_BYTE) - 1)).astype(np.int32)]
