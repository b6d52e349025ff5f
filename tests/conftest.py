"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

import combinations
from barchan.kernels import threads
from barchan.kernels.bindings import NOTES

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("BARCHAN_PREPARE", "here")  # tests keep all cores busy themselves

# The first call of a kernel compiles it: no deadline. A check that gates a change must not depend on luck.
settings.register_profile("barchan", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("barchan")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run side by side, one on each processor; those about threads ask for more themselves."""
    threads.use(1)


@pytest.fixture(scope="session", autouse=True)
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file in which this process, and those it starts, note the kernels that they bind."""
    path = tmp_path_factory.mktemp("binds") / "notes"
    path.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NOTES, str(path))
        yield path


@pytest.fixture(autouse=True)
def known_kernels(request: pytest.FixtureRequest, notes: Path) -> Iterator[None]:
    """What a test and its fixtures bind is in the list of `combinations.py`, unless the test is one of `make validate`
    or needs a GPU.
    """
    yield
    checked = _checked.get(notes, 0)  # fixtures of a session or a module have bound before this one began
    _checked[notes] = notes.stat().st_size
    if any(request.node.get_closest_marker(name) for name in ("validate", "gpu")):
        return
    bound = notes.read_text(encoding="utf-8")[checked:].splitlines()
    if others := sorted(set(bound) - combinations.KNOWN):
        pytest.fail(f"binds kernels that tests/combinations.py does not list: {others}. See there what to do")


_checked: dict[Path, int] = {}  # how far the notes have been read


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


class ByKernels(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out tests by the kernels that they share: what one worker has compiled another one need not."""

    def _split_scope(self, nodeid: str) -> str:
        file, case = Path(nodeid.partition("::")[0]).stem, nodeid.partition("[")[2]
        return combinations.GROUP_OF.get(f"{file}[{case}", combinations.GROUP_OF.get(file, file))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByKernels:
    """Of all ways of handing tests out to workers, this one."""
    return ByKernels(config, log)
