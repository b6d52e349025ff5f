"""Where things are kept that would take long to make again: compiled kernels, the table of units."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """A folder that can be written to: $BARCHAN_CACHE, or the user's cache folder."""
    named = os.environ.get("BARCHAN_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    for folder in [Path(named)] if named else [Path(home) / "barchan", Path(tempfile.gettempdir()) / "barchan-cache"]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="barchan-cache-"))
