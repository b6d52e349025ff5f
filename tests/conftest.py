"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from barchan.kernels import threads

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("BARCHAN_PREPARE", "here")  # tests keep all cores busy themselves

# The first call of a kernel compiles it: no deadline. A check that gates a change must not depend on luck.
settings.register_profile("barchan", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("barchan")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run side by side, one on each processor; those about threads ask for more themselves."""
    threads.use(1)


def _cuda_is_there() -> bool:
    try:
        from numba import cuda

        return bool(cuda.is_available())
    except Exception:
        return False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `gpu` are skipped where there is no CUDA device."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not _cuda_is_there():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))
