"""Benchmarks at small sizes: they measure something, and say what."""

from __future__ import annotations

import math
from typing import Any

import pytest

from barchan import bench
from barchan.errors import SceneError

SMALL = {
    "settled-bed": {"grains": 1000},
    "moving-bed": {"grains": 80},
    "hopper": {"grains": 20},
    "clumps": {"grains": 27, "settled": 0.002},
    "gas": {"grains": 100},
    "relax": {"grains": 60},
    "triangles": {"grains": 40},
}


@pytest.mark.validate
@pytest.mark.parametrize("name", bench.NAMES)
def test_every_benchmark_measures(name: str) -> None:
    """Each row names its benchmark, its size and its device, and has a rate in its first number."""
    options: dict[str, Any] = SMALL[name]
    rows = list(bench.benchmark(name).measure(threads=(1,), seconds=0.05, **options))
    assert rows
    for row in rows:
        assert (row["benchmark"], row["grains"], row["threads"], row["device"]) == (name, options["grains"], 1, "cpu")
        rate = next(value for key, value in row.items() if key.endswith("_per_second"))
        assert math.isfinite(rate) and 0 < row["median"] <= rate * (1 + 1e-12)


def test_all_benchmarks_run_with_sizes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []
    for name in bench.NAMES:
        monkeypatch.setattr(
            bench.benchmark(name), "measure", lambda name=name, **options: iter([asked.append((name, options))])
        )
    assert len(list(bench.measure("all", None, (2,), 1.0))) == len(bench.NAMES)
    assert asked == [(name, {"threads": (2,), "seconds": 1.0}) for name in bench.NAMES]


def test_an_unknown_benchmark_is_told() -> None:
    with pytest.raises(SceneError, match="settled-bed"):
        list(bench.measure("unsettled-bed", None, (), 1.0))


@pytest.mark.parametrize("name", ["gas", "relax"])
def test_threads_that_would_not_be_used_are_refused(name: str) -> None:
    with pytest.raises(SceneError, match=f"--threads.*'{name}' is measured on one thread"):
        list(bench.measure(name, 60, (1, 2), 0.05))
