"""How many threads the kernels use. The bits of a run do not depend on it."""

from __future__ import annotations

import numba

from barchan.errors import Finding, SceneError


def most() -> int:
    """How many threads there may be: the processors that this process may use, or $NUMBA_NUM_THREADS."""
    return int(numba.config.NUMBA_NUM_THREADS)


def use(count: int) -> None:
    """Let the kernels called from this thread use that many threads; SceneError if there cannot be so many."""
    if not 1 <= count <= most():
        raise SceneError(Finding(
            "threads", str(count), f"must be between 1 and {most()}, the processors that Barchan may use here",
            "set NUMBA_NUM_THREADS to allow another number",
        ))  # fmt: skip
    numba.set_num_threads(count)
