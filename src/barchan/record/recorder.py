"""The recorder: takes frames and samples from a run and writes them beside it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from barchan.errors import FileError, Finding
from barchan.frame import Frame
from barchan.record import blocks, checkpoint
from barchan.record.folder import JOURNAL, RECORDING, Lock, write_error
from barchan.record.journal import JournalReader, JournalWriter, check_counts, reopen
from barchan.record.schema import frame_arrays

_QUEUE_BYTES = 512 << 20  # frames that wait for the disk; a run that is further ahead waits
_SAMPLE_ROWS = 256  # samples gathered into one block at most


class Recorder:
    """Writes the recording of one run into its folder, from a thread of its own.

    While the run goes on the recording is a journal, whole after every block. `close` turns it into
    `recording.vtkhdf`; leaving the `with` block without it keeps the journal, from which a run can be resumed.
    `resume=(frames, samples)` goes on with the recording that is there after these many, cutting off the rest.
    The recorder holds the folder's lock, so a second one on the same folder is an error.
    """

    def __init__(
        self, folder: Path | str, *, scene_toml: str, meta: Mapping[str, Any], series: Sequence[tuple[str, str]],
        resume: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self.folder = Path(folder)
        self.counts = resume or (0, 0)  # frames and samples recorded, for the checkpoint that is to be resumed from
        self._names = _checked_names(series)
        self._sample_rows: list[tuple[float, int, list[float]]] = []
        self._problem: Exception | None = None
        self._lock = Lock(self.folder)
        try:
            self._journal = self._open(scene_toml, meta, list(series), resume)
        except OSError as problem:
            self._lock.release()
            raise write_error(self.folder / JOURNAL, problem, "free space or make the folder writable") from problem
        except BaseException:
            self._lock.release()
            raise
        self._queue: deque[tuple[Callable[[], None], int]] = deque()
        self._queue_bytes = 0
        self._changed = threading.Condition()
        self._open_for_more = True
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def _open(
        self, scene_toml: str, meta: Mapping[str, Any], series: list[tuple[str, str]], resume: tuple[int, int] | None
    ) -> JournalWriter:
        path, finished = self.folder / JOURNAL, self.folder / RECORDING
        part = path.with_name(path.name + ".part")
        if resume is None:
            if path.exists() or finished.exists():
                raise FileError(Finding(
                    str(self.folder), "already holds a recording", "a new folder",
                    f"choose another, or go on with `barchan resume {self.folder}`",
                ))  # fmt: skip
            JournalWriter.create(part, scene_toml, meta, series).close()
        elif finished.exists():
            _cut_finished(finished, part, scene_toml, meta, series, resume)
        elif path.exists():
            return reopen(path, *resume, scene_toml, meta, series)
        else:
            raise FileError(Finding(str(self.folder), "holds no recording to go on with", remedy="run the scene again"))
        part.replace(path)
        blocks.sync_folder(self.folder)
        finished.unlink(missing_ok=True)
        return JournalWriter(path)

    def frame(self, frame: Frame) -> None:
        """Record a frame. Its arrays belong to the recorder from now on: do not change them."""
        size = sum(array.nbytes for array in frame_arrays(frame).values())
        self._hand_over(lambda: self._write_frame(frame), size)
        self.counts = (self.counts[0] + 1, self.counts[1])

    def sample(self, time: float, step: int, values: Mapping[str, float]) -> None:
        """Record the observables at one time (s): a value for each name in `series`."""
        if values.keys() != self._names.keys():
            raise ValueError(f"expected values of {sorted(self._names)}, got {sorted(values)}")
        row = (float(time), int(step), [float(values[name]) for name in self._names])
        self._hand_over(lambda: self._keep_sample(row), 0)
        self.counts = (self.counts[0], self.counts[1] + 1)

    def flush(self) -> None:
        """Wait until everything recorded so far is on the disk. Do this before saving a checkpoint."""
        self._hand_over(self._sync, 0)
        self._wait(lambda: not self._queue)
        self._check()

    def close(self, summary: Mapping[str, Any], finished: bool = True) -> Path:
        """End the recording and turn it into `recording.vtkhdf`; `finished=False`: the run did not come to its end.

        If that fails, the journal stays, and the run can be resumed from its last checkpoint.
        """
        from barchan.record.vtkhdf import write_vtkhdf

        path = self.folder / RECORDING
        try:
            self.flush()
            self._stop()
            source = JournalReader(self.folder / JOURNAL)
            try:
                if source.damage is not None:
                    raise source.damage
                write_vtkhdf(source, path, summary, finished)
            finally:
                source.close()
            (self.folder / JOURNAL).unlink()
        except OSError as problem:
            remedy = f"nothing recorded is lost: free space, then `barchan resume {self.folder}`"
            raise write_error(path, problem, remedy) from problem
        finally:
            self.leave()
        return path

    def leave(self) -> None:
        """Stop writing and keep the journal as it is. Harmless after `close`."""
        if self._open_for_more:
            with suppress(FileError):
                self.flush()
        self._stop()
        self._lock.release()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def _hand_over(self, task: Callable[[], None], size: int) -> None:
        if not self._open_for_more:
            raise ValueError("this recorder is closed")
        self._wait(lambda: not self._queue or self._queue_bytes + size <= _QUEUE_BYTES)
        self._check()
        with self._changed:
            self._queue.append((task, size))
            self._queue_bytes += size
            self._changed.notify_all()

    def _wait(self, ready: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(ready)

    def _check(self) -> None:
        if isinstance(self._problem, OSError):
            remedy = checkpoint.how_to_go_on(self.folder)
            raise write_error(self.folder / JOURNAL, self._problem, remedy) from self._problem
        if self._problem is not None:
            raise self._problem

    def _stop(self) -> None:
        with self._changed:
            self._open_for_more = False
            self._changed.notify_all()
        self._thread.join()
        self._journal.close()

    def _work(self) -> None:
        """The thread: do the tasks in order. A task leaves the queue when it is done; after a failure none is done."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or not self._open_for_more)
                if not self._queue:
                    return
                task, size = self._queue[0]
            try:
                if self._problem is None:
                    task()
            except Exception as problem:
                self._problem = problem
            with self._changed:
                self._queue.popleft()
                self._queue_bytes -= size
                self._changed.notify_all()

    def _write_frame(self, frame: Frame) -> None:
        self._write_samples()
        self._journal.frame(frame)

    def _keep_sample(self, row: tuple[float, int, list[float]]) -> None:
        self._sample_rows.append(row)
        if len(self._sample_rows) >= _SAMPLE_ROWS:
            self._write_samples()

    def _write_samples(self) -> None:
        if self._sample_rows:
            times, steps, values = zip(*self._sample_rows, strict=True)
            shape = (len(times), len(self._names))
            self._journal.samples(np.array(times), np.array(steps), np.array(values).reshape(shape))
            self._sample_rows = []

    def _sync(self) -> None:
        self._write_samples()
        self._journal.sync()


def _checked_names(series: Sequence[tuple[str, str]]) -> dict[str, str]:
    names = dict(series)
    wrong = [name for name in names if not name or "/" in name or name in (".", "time", "step")]
    if wrong or len(names) < len(series):
        raise ValueError(f"observables need different names, without '/', other than time and step: {wrong or series}")
    return names


def _cut_finished(
    finished: Path, part: Path, scene_toml: str, meta: Mapping[str, Any], series: list[tuple[str, str]],
    resume: tuple[int, int],
) -> None:  # fmt: skip
    """Write the beginning of a finished recording as a journal at `part`."""
    from barchan.record.recording import open_source

    frames, samples = resume
    source = open_source(finished)
    try:
        check_counts(finished, source, frames, samples, series)
        writer = JournalWriter.create(part, scene_toml, meta, series)
        try:
            times, steps, values = (column[:samples] for column in source.samples())
            if samples:
                writer.samples(times, steps, values)
            for index in range(frames):
                writer.frame(source.frame(index))
            writer.sync()
        finally:
            writer.close()
    finally:
        source.close()
