"""numba's decorator as all kernels use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import get_thread_id, prange

__all__ = ["get_thread_id", "njit", "prange"]


def njit(*function: Callable[..., Any], **options: Any) -> Any:
    """numba's `njit` without a door for C, which nothing comes through and which takes time to compile."""
    return numba.njit(*function, no_cfunc_wrapper=True, **options)
