"""A page that stays while a run goes on, and after it until the user has seen enough."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from barchan.draw.viewer.data import Show
from barchan.draw.viewer.server import Server
from barchan.errors import FileError
from barchan.record.recording import Recording

PATIENCE = 0.2  # s between two looks for the first frame


class Live:
    """A server and those who look at it; `opened(url)` is called once there is something to see."""

    def __init__(self, server: Server | None, opened: Callable[[str], None]) -> None:
        self.server = server
        self._asked = threading.Event()
        if server is not None:
            opened(server.url)

    def stay(self) -> None:
        """Wait for Ctrl-C, where there is something to see."""
        if self.server is not None:
            with suppress(KeyboardInterrupt):
                self._asked.wait()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Meanwhile no Ctrl-C is lost: where Python is tidying up it would be swallowed, but `stay` is told of it."""

        def note(number: int, frame: FrameType | None) -> None:
            self._asked.set()
            raise KeyboardInterrupt

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def stop(self) -> None:
        """Serve no longer."""
        if self.server is not None:
            self.server.stop()


class _Following(Live):
    """Looks for the first frame from a thread of its own, and serves from then on."""

    def __init__(self, folder: Path, opened: Callable[[str], None]) -> None:
        super().__init__(None, opened)
        self._folder, self._opened = folder, opened
        self._enough = threading.Event()
        self._before = (folder / "recording.vtkhdf").exists()  # of a run that is about to be replaced
        self._thread = threading.Thread(target=self._look, name="first frame", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._enough.wait(PATIENCE):
            with suppress(FileError):
                if self._before and (self._folder / "recording.vtkhdf").exists():
                    continue
                self._before = False
                recording = Recording(self._folder)
                if len(recording):
                    self.server = Server(Show(recording))
                    self.server.start()
                    self._opened(self.server.url)
                    return
                recording.close()

    def stay(self) -> None:
        """Wait for Ctrl-C; a run too short to be looked at before its end is shown all the same."""
        self._before = False
        with suppress(KeyboardInterrupt):
            self._thread.join()
            super().stay()

    def stop(self) -> None:
        """Serve no longer."""
        self._enough.set()
        self._thread.join()
        super().stop()


def follow(folder: Path, opened: Callable[[str], None]) -> Live:
    """Shows the run that is recorded in `folder` from its first frame on."""
    return _Following(folder, opened)
