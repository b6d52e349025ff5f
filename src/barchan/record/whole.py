"""Files that are either whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from barchan.errors import FileError, Finding


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, with the same ending, that takes its place when the block ends well."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise FileError(Finding(str(target), f"cannot be written: {error.strerror}")) from error
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        os.replace(temporary, target)
    except OSError as error:
        raise FileError(Finding(str(target), f"cannot be written: {error.strerror or error}")) from error
    finally:
        temporary.unlink(missing_ok=True)
