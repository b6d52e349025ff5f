"""Paths of files that a scene names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationInfo


def resolved(path: str, endings: Sequence[str], info: ValidationInfo) -> str:
    """The path from the folder of the scene file; ValueError where no file with such an ending can bear this name."""
    if "\0" in path:
        raise ValueError("must have no NUL character in it")
    if Path(path).suffix.lower() not in endings:
        raise ValueError(f"must be the path of a file that ends in {' or '.join(endings)}")
    folder = (info.context or {}).get("folder")
    return str(Path(folder) / path) if folder else path
