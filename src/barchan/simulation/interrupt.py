"""Ctrl-C and SIGTERM: the first asks a run to save itself and stop, the second ends the process at once."""

from __future__ import annotations

import shlex
import signal
import threading
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A run that was asked to stop, and did so after a checkpoint."""

    def __init__(self, folder: Path, time: float) -> None:
        self.folder = folder
        self.time = time  # s
        super().__init__(
            f"stopped at t = {time:.6g} s after a checkpoint; go on with: barchan resume {shlex.quote(str(folder))}"
        )


class Interrupt:
    """While it is open, a signal is noted instead of obeyed; only the main thread of a process can do that."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, Any] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        for one in SIGNALS:
            signal.signal(one, signal.SIG_DFL)

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = {one: signal.signal(one, self._note) for one in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)
