"""What a run shows of itself while it goes on: a live line on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TextIO

WINDOW = 10.0  # s, over which speeds are taken
REFRESH = 0.1  # s between two changes of the live line
LINE_EVERY = 5.0  # s between two plain lines


@dataclass(frozen=True)
class Pulse:
    """Where a run stands."""

    time: float  # s, simulated
    duration: float  # s, simulated
    grains: int
    step: int
    grain_steps: int  # since this process began to step; none where steps are collisions
    kinetic_energy: float  # J
    worst_overlap: float  # over the smaller radius
    counted: str = "steps"  # what `step` counts


class Progress(Protocol):
    """What is told about a run."""

    def status(self, text: str, detail: str = "") -> None:
        """Something that takes a while is being done; `detail` says how far it is."""
        ...

    def pulse(self, pulse: Pulse) -> None:
        """The run has come this far."""
        ...

    def note(self, text: str) -> None:
        """Something that the user should read, now or later."""
        ...

    def stop(self) -> None:
        """The run has ended, well or not."""
        ...


class Silent:
    """Says nothing."""

    def status(self, text: str, detail: str = "") -> None:
        """Say nothing."""

    def pulse(self, pulse: Pulse) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def stop(self) -> None:
        """Say nothing."""


class Meter:
    """Speeds over the last few seconds of the wall clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, Pulse]] = deque()

    def line(self, pulse: Pulse) -> str:
        """A line that says how far the run is and how fast it goes."""
        now = self._clock()
        if self._seen and pulse.step < self._seen[-1][1].step:  # another run has begun
            self._seen.clear()
        self._seen.append((now, pulse))
        while len(self._seen) > 2 and self._seen[1][0] <= now - WINDOW:
            self._seen.popleft()
        then, first = self._seen[0]
        wall = now - then
        parts = [f"t = {pulse.time:.4g} / {pulse.duration:g} s ({100 * pulse.time / pulse.duration:.0f}%)"]
        if wall > 0 and pulse.time > first.time:
            left = (pulse.duration - pulse.time) * wall / (pulse.time - first.time)
            parts.append(f"{clock_text(left)} left")
        parts.append(f"{pulse.grains} grains")
        if wall > 0:
            parts.append(f"{short((pulse.step - first.step) / wall)} {pulse.counted}/s")
            if pulse.grain_steps:
                parts.append(f"{short((pulse.grain_steps - first.grain_steps) / wall)} grain-steps/s")
        parts += [f"kinetic {pulse.kinetic_energy:.3g} J", f"overlap {100 * pulse.worst_overlap:.2g}%"]
        return " · ".join(parts)


class Lines:
    """Plain lines, for files and pipes: one at the start, one every few seconds, one at the end."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._meter = Meter()
        self._shown = float("-inf")
        self._status = ""

    def status(self, text: str, detail: str = "") -> None:
        """Print it once, without the details."""
        if text != self._status:
            self._status = text
            self.note(text)

    def pulse(self, pulse: Pulse) -> None:
        """Print a line if it is time for one, or the end."""
        line, now = self._meter.line(pulse), time.monotonic()
        if now - self._shown >= LINE_EVERY or pulse.time >= pulse.duration:
            self._shown = now
            self.note(line)

    def note(self, text: str) -> None:
        """Print it."""
        self._out.write(text + "\n")  # at once, for others write too
        self._out.flush()

    def stop(self) -> None:
        """Nothing is left to be done."""


class LiveLine:
    """One line on a terminal that keeps changing, through rich; on a narrow one it takes two."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        self._text = Text
        self._live = Live(console=Console(), auto_refresh=False, transient=True)
        self._live.start()
        self._meter = Meter()
        self._shown = float("-inf")

    def status(self, text: str, detail: str = "") -> None:
        """Show it."""
        self._show(f"{text}: {detail}" if detail else text)

    def pulse(self, pulse: Pulse) -> None:
        """Show where the run stands."""
        line, now = self._meter.line(pulse), time.monotonic()
        if now - self._shown >= REFRESH:
            self._shown = now
            self._show(line)

    def note(self, text: str) -> None:
        """Print it above the line."""
        self._live.console.print(self._text(text))

    def stop(self) -> None:
        """Take the line away."""
        self._live.stop()

    def _show(self, line: str) -> None:
        self._live.update(self._text(line, style="cyan"), refresh=True)


def chosen(*, quiet: bool = False) -> Progress:
    """A live line where there is a terminal to see it, plain lines elsewhere, nothing if `quiet`."""
    if quiet:
        return Silent()
    return LiveLine() if sys.stdout.isatty() else Lines()


def short(number: float) -> str:
    """A number of events with three digits and k, M or G: 5.62M."""
    for limit, factor, letter in ((1e3, 1.0, ""), (1e6, 1e3, "k"), (1e9, 1e6, "M")):
        if number < 0.9995 * limit:
            return f"{number / factor:.3g}{letter}"
    return f"{number / 1e9:.3g}G"


def clock_text(seconds: float) -> str:
    """A duration as one would say it: 8 s, 3:07 min, 2:05 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
