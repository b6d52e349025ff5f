"""Work of studies that is independent, side by side on the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from barchan.kernels import threads

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def side_by_side(
    work: Callable[[Task], Answer],
    tasks: Iterable[Task],
    workers: int | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> list[Answer]:
    """What `work`, a function of a module, makes of every task, in their order.

    Each core takes one task after another and works at it with one thread; in this process if `workers` is 1. How many
    are there, of those without a gap from the first on, is `told`.
    """
    many = len(os.sched_getaffinity(0)) if workers is None else workers
    if many == 1:
        with threads.at_most(1):
            return _counted(map(work, tasks), told)
    with ProcessPoolExecutor(many, mp_context=get_context("spawn"), initializer=threads.use, initargs=(1,)) as pool:
        return _counted(pool.map(work, tasks), told)


def _counted(answers: Iterable[Answer], told: Callable[[int], None]) -> list[Answer]:
    found = []
    for answer in answers:
        found.append(answer)
        told(len(found))
    return found
