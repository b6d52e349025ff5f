"""numba's decorator as all kernels use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import get_thread_id, prange

__all__ = ["apart", "get_thread_id", "inlined", "njit", "prange"]


def njit(*function: Callable[..., Any], cache: bool = False, **options: Any) -> Any:
    """numba's `njit` without a door for C, which nothing comes through and which takes time to compile.

    cache: keep the code, but for what was imported from where it stands: numba would not see a change of what it calls.
    """

    def made(one: Callable[..., Any]) -> Any:
        return numba.njit(one, cache=cache and is_copy(one), no_cfunc_wrapper=True, **options)

    return made(*function) if function else made


def is_copy(function: Callable[..., Any]) -> bool:
    """Whether a function is of a package that `compile.bind` has written into the cache."""
    return not function.__module__.startswith("barchan.")


def inlined(*function: Callable[..., Any], cache: bool = False) -> Any:
    """For what a parallel loop does in each turn: part of the loop, and compiled once instead of twice.

    It is given the counter as int64: in a parallel loop it has another type, for which all would be compiled again. It
    must not make arrays. That arrays are handed on is not counted: it would take longer than most of what is done.
    """
    return njit(
        *function, cache=cache, error_model="numpy", forceinline=True, no_cpython_wrapper=True, _nrt=False
    )  # fmt: skip


def apart(function: Callable[..., Any]) -> Any:
    """For a long stretch of what a parallel loop does in each turn: a function of its own, which the loop calls.

    As a part of the loop it would be slower: with so many arrays at once there are too few registers.
    """
    return njit(function, cache=True, error_model="numpy", no_cpython_wrapper=True, _nrt=False)
