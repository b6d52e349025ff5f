"""What can go wrong, told so that it can be mended: where, what, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    `where` is a path into the scene (``walls[2].radius``), a file, or a moment of a run; `what` is the
    value or fact found there; `expected` says what would be right; `remedy` says what to do.
    """

    where: str
    what: str
    expected: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if self.expected:
            text += f"; {self.expected}"
        if self.remedy:
            text += f". {self.remedy[0].upper()}{self.remedy[1:]}"
        return text if text.endswith((".", "?", "!")) else text + "."


class BarchanError(Exception):
    """The base of every error that Barchan raises on purpose."""

    exit_code = 2

    def __init__(self, findings: Finding | Iterable[Finding] | str) -> None:
        if isinstance(findings, str):
            findings = Finding("", findings)
        self.findings = (findings,) if isinstance(findings, Finding) else tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class SceneError(BarchanError):
    """A scene that cannot be built: bad input, exit code 2."""


class FileError(BarchanError):
    """A file that cannot be read or written: exit code 2."""


class FrameError(BarchanError):
    """A frame that does not have what is asked of it: exit code 2."""


class RunError(BarchanError):
    """A run that stopped itself because its numbers went bad: exit code 3."""

    exit_code = 3


class BarchanWarning(UserWarning):
    """What Barchan says of its own accord and goes on: the command line shows it as it shows warnings of a scene."""
