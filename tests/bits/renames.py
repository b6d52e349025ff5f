"""What was renamed, re-signed, added or dropped on purpose between two revisions: the table `renamed.toml`."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bits.compare import Data

FILE = "renamed.toml"
FIELDS = {"left_out": {"where", "name", "why"}, "changed": {"where", "old", "new", "sign", "why"}}


@dataclass(frozen=True)
class Renames:
    """The entries that count for one comparison."""

    left_out: tuple[Mapping[str, Any], ...]
    changed: tuple[Mapping[str, Any], ...]

    @classmethod
    def between(cls, old: Path | None, new: Path) -> Renames:
        """What counts between two revisions, by their tables: changes that the older one knows were made before it.

        The same path twice, or none for the older one, are no error: nothing, or everything, has changed since.
        """
        now = _table(new)
        before = _table(old)["changed"] if old is not None and old.is_file() else []
        return cls(tuple(now["left_out"]), tuple(one for one in now["changed"] if one not in before))

    def applied(self, where: str, found: dict[str, Data]) -> dict[str, Data]:
        """The datasets of the older revision under their present names and signs, without those that are left out."""
        made: dict[str, Data] = {}
        for name, data in found.items():
            entry = self._entry(where, "old", name)
            if self._is_left_out(where, name) or (entry is not None and "new" not in entry):
                continue
            made[entry["new"] if entry else name] = _signed(data, entry.get("sign", 1)) if entry else data
        return made

    def without_new(self, where: str, found: dict[str, Data]) -> dict[str, Data]:
        """The datasets of the newer revision without those that are left out, or were added on purpose."""
        added = [one["new"] for one in self.changed if one["where"] == where and "old" not in one]
        return {name: data for name, data in found.items() if name not in added and not self._is_left_out(where, name)}

    def _entry(self, where: str, side: str, name: str) -> Mapping[str, Any] | None:
        return next((one for one in self.changed if one["where"] == where and one.get(side) == name), None)

    def _is_left_out(self, where: str, name: str) -> bool:
        return any(one["where"] == where and fnmatch.fnmatchcase(name, one["name"]) for one in self.left_out)


def _signed(data: Data, sign: int) -> Data:
    if sign == 1:
        return data
    return replace(data, frames=[(time, np.negative(rows)) for time, rows in data.frames])


def _table(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The table in a file; ValueError where an entry is not what the reviewers of the table read."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    made = {kind: list(table.get(kind, [])) for kind in FIELDS}
    for kind, entries in made.items():
        for k, one in enumerate(entries):
            place = f"{path}: {kind}[{k}]"
            if unknown := set(one) - FIELDS[kind]:
                raise ValueError(f"{place}: unknown {sorted(unknown)}; known: {sorted(FIELDS[kind])}")
            if one.get("where") not in ("recording", "checkpoint") or not one.get("why"):
                raise ValueError(f'{place}: must say `where` ("recording" or "checkpoint") and `why`')
            if kind == "changed" and not {"old", "new"} & set(one):
                raise ValueError(f"{place}: must say `old`, `new`, or both")
            if kind == "left_out" and "name" not in one:
                raise ValueError(f"{place}: must say `name`")
            if one.get("sign", 1) not in (1, -1):
                raise ValueError(f"{place}: `sign` is 1 or -1")
    if unknown := set(table) - set(FIELDS):
        raise ValueError(f"{path}: unknown {sorted(unknown)}; known: {sorted(FIELDS)}")
    return made
