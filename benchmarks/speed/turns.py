"""Two processes that take turns, and what their turns say."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from speed import gate
from speed.revisions import Revision, compile_bytecode, discard, fresh_cache

TURN = 0.25  # s
VISIT = 4  # pairs of turns at a benchmark before the next one has its turn
COLD_RUN = """
import sys
import barchan as bc
bc.run(bc.load("hopper", ["duration=2e-4", "frame_rate=1e4"]), sys.argv[1], threads=1, progress=bc.Silent())
"""


class Failed(Exception):
    """A revision did not answer as it should; the message says how."""


class Worker:
    """A process that runs one revision's benchmarks when it is asked to."""

    def __init__(self, revision: Revision, threads: int, device: str = "cpu") -> None:
        self.revision = revision
        # One thread waits for nobody, and its own clock stands still while others have the processor.
        self.clock = "cpu" if threads == 1 and device == "cpu" else "wall"
        environment = revision.environment(revision.cache())
        environment |= {"NUMBA_NUM_THREADS": str(threads), "BARCHAN_PREPARE": "here"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "speed.worker", str(revision.folder)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, **question: Any) -> None:
        """Put a question."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f"the process of {self.revision.commit} has ended") from None

    def answer(self) -> dict[str, Any]:
        """Wait for what it says."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Failed(f"the process of {self.revision.commit} has ended")
        reply = json.loads(line)
        if "error" in reply:
            raise Failed(f"{self.revision.commit}: {reply['error']}")
        return reply

    def turn(self, course: str, pieces: int) -> tuple[float, float]:
        """Work, and seconds, of one turn."""
        self.ask(do="turn", course=course, pieces=pieces)
        reply = self.answer()
        return reply["work"], reply[self.clock]

    def close(self) -> None:
        """Let it end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass
class Comparison:
    """What is known about one benchmark."""

    name: str
    old: Revision
    limit: gate.Limit
    fewest: int = gate.FEWEST
    unit: str = ""
    speeds: list[tuple[float, float]] = field(default_factory=list)  # old, new; adjacent in time
    trouble: str = ""

    @property
    def ratios(self) -> list[float]:
        """Speed new / speed old of each pair."""
        return [new / old for old, new in self.speeds]

    @property
    def interval(self) -> gate.Interval | None:
        """Of the ratio's median."""
        return gate.interval(self.ratios) if self.speeds else None

    @property
    def verdict(self) -> str:
        """What the gate says."""
        return gate.verdict(None if self.trouble else self.interval, self.limit, self.fewest)

    def as_dict(self) -> dict[str, Any]:
        """For a file."""
        found = self.interval
        told: dict[str, Any] = {"benchmark": self.name, "old": self.old.commit, "unit": f"{self.unit}/s"}
        if found is not None:
            medians = [statistics.median(side) for side in zip(*self.speeds, strict=True)]
            told |= {"old_median": medians[0], "new_median": medians[1], "ratio": found.as_dict()}
        if self.trouble:
            told["trouble"] = self.trouble
        return told | {"limit": self.limit.slow, "verdict": self.verdict}


class Pair:
    """Two workers at one benchmark."""

    def __init__(self, comparison: Comparison, old: Worker, new: Worker, options: Mapping[str, Any]) -> None:
        self.comparison, self.old, self.new = comparison, old, new
        for worker in (old, new):  # both at once
            worker.ask(do="set up", course=comparison.name, options=options)
        replies = _both(old.answer, new.answer)
        comparison.unit = replies[0]["unit"]
        self.pieces = self._calibrated()

    def _calibrated(self) -> int:
        """Pieces of work that take a turn; both do the same, so that they stay at the same place."""
        pieces, longest = 1, 0.0
        while True:
            longest = max(worker.turn(self.comparison.name, pieces)[1] for worker in (self.old, self.new))
            if longest > TURN / 5 or pieces >= 1 << 20:
                return max(1, round(pieces * TURN / longest))
            pieces *= 2

    def visit(self) -> None:
        """Some pairs of turns; who goes first alternates."""
        for _ in range(VISIT):
            order = (self.old, self.new) if len(self.comparison.speeds) % 2 == 0 else (self.new, self.old)
            speeds = {}
            for worker in order:
                work, seconds = worker.turn(self.comparison.name, self.pieces)
                speeds[worker] = work / seconds
            self.comparison.speeds.append((speeds[self.old], speeds[self.new]))


def _both(*answers: Callable[[], dict[str, Any]]) -> list[dict[str, Any]]:
    """What both say; where one of them fails, the other one is heard out before that is said."""
    replies, failures = [], []
    for answer in answers:
        try:
            replies.append(answer())
        except Failed as failure:
            failures.append(failure)
    if failures:
        raise failures[0]
    return replies


def take_turns(pairs: Sequence[Pair], until: float, report: Callable[[str], None]) -> None:
    """Go from benchmark to benchmark until each has been measured, or time.monotonic() says so."""
    waiting = list(pairs)
    while waiting and time.monotonic() < until:
        for pair in list(waiting):
            try:
                pair.visit()
            except Failed as failure:
                pair.comparison.trouble = str(failure)
            if pair.comparison.trouble or gate.measured(pair.comparison.ratios):
                waiting.remove(pair)
                report(line(pair.comparison))
            if time.monotonic() > until:
                break
    for pair in waiting:
        report(line(pair.comparison))


def cold_starts(comparison: Comparison, new: Revision, until: float) -> None:
    """The library's hopper for some steps, in a new process, with no kernels compiled: wall-clock time."""
    comparison.unit = "cold starts"
    for revision in (comparison.old, new):
        compile_bytecode(revision)
    try:
        for turn in range(gate.COLD_STARTS):
            if time.monotonic() > until:
                comparison.trouble = f"time was up after {turn} of {gate.COLD_STARTS} cold starts"
                return
            order = (comparison.old, new) if turn % 2 == 0 else (new, comparison.old)
            took = [_cold_start(revision) for revision in order]
            old, new_one = took if turn % 2 == 0 else took[::-1]
            comparison.speeds.append((1 / old, 1 / new_one))
    except Failed as failure:
        comparison.trouble = str(failure)


def _cold_start(revision: Revision) -> float:
    """Seconds from the start of the process to its end."""
    cache = fresh_cache()
    try:
        with tempfile.TemporaryDirectory() as out:
            began = time.monotonic()
            told = subprocess.run(
                [sys.executable, "-P", "-c", COLD_RUN, str(Path(out) / "run")], env=revision.environment(cache),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            took = time.monotonic() - began
        if told.returncode != 0:
            raise Failed(f"{revision.commit}: {(told.stderr.splitlines() or ['it stopped'])[-1]}")
        return took
    finally:
        discard(cache)


def line(comparison: Comparison) -> str:
    """One benchmark in a line."""
    found = comparison.interval
    if comparison.trouble or found is None:
        return f"{comparison.name:<12} {comparison.verdict}: {comparison.trouble or 'no pair of turns'}"
    old, new = (statistics.median(side) for side in zip(*comparison.speeds, strict=True))
    return (
        f"{comparison.name:<12} {old:>11.4g} {new:>11.4g} {found.median:>7.3f}  [{found.low:.3f}, {found.high:.3f}]"
        f" {found.count:>5}   {comparison.limit.slow:.2f}  {comparison.verdict}"
    )


HEADING = f"{'benchmark':<12} {'old, 1/s':>11} {'new, 1/s':>11} {'ratio':>7}  {'95% interval':<14} {'pairs':>6}  limit"


def load() -> list[float]:
    """How busy the machine was in the last minutes."""
    return [round(one, 2) for one in os.getloadavg()]
