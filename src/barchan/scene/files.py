"""The library of ready scenes, and scenes from files.

A library scene is a file in `barchan/scenes/`: `column_collapse.toml`, or `column_collapse.py` with a function
`scene()` that answers with a Scene. Its name has hyphens: `column-collapse`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from barchan.errors import FileError, Finding
from barchan.scene.overrides import override
from barchan.scene.scene import Scene
from barchan.scene.toml import build, parse
from barchan.schema.problems import nearest

MOST_BYTES = 64 * 2**20

_FOLDER = Path(__file__).resolve().parents[1] / "scenes"


def library() -> dict[str, Path]:
    """The files of the ready scenes by name, in alphabetical order."""
    files = [path for path in _FOLDER.iterdir() if path.suffix in (".toml", ".py") and path.stem[0] not in "_."]
    return {path.stem.replace("_", "-"): path for path in sorted(files)}


def load(source: str | Path, overrides: Sequence[str] = ()) -> Scene:
    """The scene of that name in the library, or of that TOML file, after overrides such as "grains[0].count=100"."""
    fields, folder = _fields(source)
    for text in overrides:
        fields = override(fields, text)
    return build(fields, folder=folder)


def _fields(source: str | Path) -> tuple[dict[str, Any], Path | None]:
    """The plain dict of a scene, and the folder that its relative paths start from."""
    known = library()
    path = known.get(str(source), Path(source))
    if path.suffix == ".py" and str(source) in known:
        made: Scene = importlib.import_module(f"barchan.scenes.{path.stem}").scene()
        return made.to_dict(full=False), None
    return parse(read_text(path, known), str(path)), path.absolute().parent


def read_text(path: Path, known: dict[str, Path]) -> str:
    """The text of a scene file; FileError where there is none, or it cannot be one."""
    where = str(path)
    try:
        if path.is_dir():
            raise FileError(Finding(where, "is a folder", "must be a scene file in TOML"))
        if not path.exists():
            raise _missing(where, known)
        if not path.is_file():
            raise FileError(Finding(where, "is not an ordinary file", "must be a scene file in TOML"))
        size = path.stat().st_size
        if size > MOST_BYTES:
            limit = f"a scene file may have {MOST_BYTES // 2**20} MB"
            raise FileError(
                Finding(where, f"has {size / 2**20:.0f} MB", limit, "put positions in an .npz: fill.kind = 'file'")
            )
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(Finding(where, f"cannot be read: {getattr(error, 'strerror', None) or error}")) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise FileError(Finding(where, "is a binary file", "must be a scene in TOML, which is UTF-8 text"))
    return text


def _missing(where: str, known: dict[str, Path]) -> FileError:
    expected = f"must be a file or one of the library: {', '.join(known) or 'which is empty'}"
    return FileError(Finding(where, "no such scene", expected, nearest(where, known)))
