"""The verb of the command line that lists what scenes are made of."""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from barchan.errors import Finding, SceneError

WIDTH = 80
OTHERS = {  # what is listed but no family of parts, and the package whose first line says what it is
    "scenes": "barchan.scenes",
    "tables": "barchan.scene",
    "measures": "barchan.measures",
    "formats": "barchan.record.formats",
    "studies": "barchan.studies",
}


def list_parts(
    family: Annotated[
        str | None, typer.Argument(metavar="[FAMILY]", help="What to list: laws, scenes, …; all.")
    ] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of them, with its fields.")] = None,
) -> None:
    """List the scenes of the library and the parts that scenes are made of."""
    from barchan import registry

    families = list(dict.fromkeys(("scenes", "tables", *registry.FAMILIES, *OTHERS)))
    if family is None:
        typer.echo(columns((one, f"{len(_known(one)):>3}  {_about(one)}") for one in families))
        typer.echo("\n`barchan list FAMILY` lists one of them, `barchan list FAMILY NAME` tells all about a part.")
        return
    if family not in families:
        raise SceneError(Finding(family, "is nothing that can be listed", f"known: {', '.join(families)}"))
    known = _known(family)
    if name is None:
        typer.echo(columns((key, _line(key, one)) for key, one in known.items()))
        return
    found = registry.one_of(known, name, family)
    typer.echo(_described(found) if isinstance(found, type) else columns([(name, _line(name, found))]))


def columns(lines: Iterable[tuple[str, str]]) -> str:
    """Words and what is said of them as two columns of text, each line of it wrapped."""
    pairs = list(lines)
    width = max((len(words) for words, _ in pairs), default=0)
    told = []
    for words, text in pairs:
        first, *others = text.split("\n")
        told.append(_wrapped(first, f"  {words:<{width}}  ", width + 4))
        told += [_wrapped(other, " " * (width + 4), width + 4) for other in others]
    return "\n".join(told)


def _wrapped(text: str, start: str, indent: int) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _about(family: str) -> str:
    """What a family is, in a line."""
    from barchan import registry

    home = OTHERS.get(family)
    return str(importlib.import_module(home).__doc__).split("\n")[0] if home else registry.about(family)


def _known(family: str) -> Mapping[str, Any]:
    """All of a family by name."""
    from barchan import registry
    from barchan.measures.named import measures
    from barchan.record.formats import formats
    from barchan.scene import library
    from barchan.scene.scene import TABLES
    from barchan.studies import studies

    others: dict[str, Callable[[], Mapping[str, Any]]] = {
        "scenes": library,
        "tables": lambda: TABLES,
        "measures": measures,
        "formats": formats,
        "studies": studies,
    }
    return others[family]() if family in others else registry.parts(family)


def _line(name: str, one: Any) -> str:
    """What one of a family is, in a line."""
    from barchan.scene import load

    if isinstance(one, Path):
        return load(name).description
    said = getattr(one, "summary", None) or one.title
    return str(said() if callable(said) else said)


def _described(part: Any) -> str:
    """A part with all it says about itself: its docstring, its numbers, and its fields."""
    said = [_wrapped(text, "", 0) for text in inspect.cleandoc(part.__doc__ or "").split("\n\n")]
    numbers = ", ".join(f"{name} ({unit})" if unit else name for name, unit in getattr(part, "series", ()))
    needs = "Needs frames that hold contacts: record.contacts = true." * ("contacts" in getattr(part, "needs", ()))
    fields = columns(
        (one.name, "\n".join(filter(None, ("; ".join(filter(None, (one.unit, one.default))), one.sentence))))
        for one in part.described_fields()
    )
    numbers = _wrapped(f"Numbers: {numbers}.", "", 0) if numbers else ""
    named = part.written() if hasattr(part, "written") else ""
    return "\n\n".join(text for text in (named, *said, numbers, needs, fields or "  no parameters") if text)
