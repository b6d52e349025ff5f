"""Words and numbers of mesh files in text, each with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

BEYOND = 1 << 62  # no place, count or name in a file is so large


class Broken(Exception):
    """Something in a file that cannot be read; `place` says where in it."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")
        self.place, self.what = place, what


def lines_of(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """The lines that say something: where each is, and its words. A backslash at the end goes on in the next one."""
    begun: list[str] = []
    for number, line in enumerate(data.decode("latin-1").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words and words[-1] == "\\":
            begun += words[:-1]
            continue
        words, begun = [*begun, *words], []
        if words:
            yield f"line {number}", words


def numbers(place: str, words: Sequence[str], count: int) -> tuple[float, ...]:
    """So many numbers out of words."""
    try:
        found = tuple(float(word) for word in words)
    except ValueError:
        raise Broken(place, f"{' '.join(words)[:60]!r} are no coordinates") from None
    if len(found) != count:
        raise Broken(place, f"has {len(found)} coordinates instead of {count}")
    return found


def index(place: str, word: str) -> int:
    """A whole number out of a word."""
    try:
        number = int(word)
    except ValueError:
        raise Broken(place, f"{word[:40]!r} is no whole number") from None
    if abs(number) >= BEYOND:
        raise Broken(place, f"{word[:40]!r} is larger than any file can hold")
    return number
