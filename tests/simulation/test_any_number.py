"""Any number in any field of a scene is an error that says so, or a scene that passes the check: nothing else."""

from __future__ import annotations

import copy
import math
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from barchan.errors import BarchanError
from barchan.scene import library, load
from barchan.scene.toml import build
from barchan.simulation.plan import Plan

FEW = 30  # grains of a group: the fields are the same, and building them takes no time
TRIED = 120  # changed scenes out of each of the library
CPU_SECONDS = 5.0  # more is a hang
PLAIN = (
    0, -1, 7, 1e-6, 1e6, 1e-9, 1e9, 1e-12, 1e12, 1e15, -1e15, 1e-18, 1e-25, 1e-30, -1e-30, 1e19, 1e20, -1e20,
    1e-300, 5e-324, 1e200, 1e308, -1e308, math.inf, math.nan, 10**30, 10**400,
)  # fmt: skip
FACTORS = (-1.0, 1e-3, 1e3, 1e-6, 1e6, 1e9)


def leaves(table: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], float]]:
    """Every number in a plain dict, and where it is."""
    items = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    for key, value in items:
        yield from leaves(value, (*path, key))
    if isinstance(table, (int, float)) and not isinstance(table, bool):
        yield path, table


def changed(fields: dict[str, Any], path: tuple[Any, ...], value: float) -> dict[str, Any]:
    """The plain dict with another number there."""
    made = copy.deepcopy(fields)
    table: Any = made
    for step in path[:-1]:
        table = table[step]
    table[path[-1]] = value
    return made


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """TimeoutError where this takes more CPU-seconds, however busy the machine is."""

    def over(*_: object) -> None:
        raise TimeoutError(f"still at it after {seconds:g} CPU-seconds")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def cases(name: str) -> list[tuple[dict[str, Any], str]]:
    """Scenes like that of the library with one number changed, and how."""
    fields = load(name).to_dict()
    for group in (*fields.get("grains", ()), *fields.get("sources", ())):
        if "count" in group:
            group["count"] = min(group["count"], FEW)
    every = [(path, value) for path, old in leaves(fields) for value in (*PLAIN, *(old * f for f in FACTORS))]
    drawn = random.Random(f"{name}").sample(every, min(TRIED, len(every)))
    return [(changed(fields, path, value), f"{'.'.join(map(str, path))} = {value!r:.30}") for path, value in drawn]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer of CPU time")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", library())
def test_any_number_is_refused_or_passes(name: str) -> None:
    """Catches a division by zero, an overflow, a domain error or a hang anywhere between a scene and its run.

    One number of a library scene at a time, drawn with a fixed seed from magnitudes between denormal and infinite.
    """
    failed = []
    for fields, told in cases(name):
        try:
            with no_longer_than(CPU_SECONDS):
                Plan.of(build(fields))
        except BarchanError:
            continue
        except Exception as error:
            failed.append(f"{told}: {type(error).__name__}: {error!s:.80}")
    assert not failed, "\n".join([f"{len(failed)} of {TRIED}", *failed])
