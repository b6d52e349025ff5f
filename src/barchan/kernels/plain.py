"""Stand-ins for numba's decorators: functions as ordinary Python, for the CUDA simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

prange = range


def njit(*function: Callable[..., Any], **options: Any) -> Any:
    """The function itself."""
    return function[0] if function else lambda one: one


inlined = apart = njit
