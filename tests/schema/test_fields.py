"""What parts say about their fields: all of it is there, and it is the same wherever people read it."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from typer.testing import CliRunner

from barchan import cli, registry
from barchan.measures.named import measures
from barchan.registry import Part
from barchan.scene import scene, schema
from barchan.schema.quantities import PositiveLength, Unit
from barchan.schema.tables import Table

PARTS = [
    pytest.param(family, part, id=f"{family}-{key}")
    for family in registry.FAMILIES
    for key, part in registry.parts(family).items()
]


class Foot(Table):
    """A table in a part."""

    width: PositiveLength = 0.5
    """How wide it is."""
    bare: int = 1


class Stool(Part):
    """A part with one fault of each kind."""

    family: ClassVar[str] = "shapes"
    key: ClassVar[str] = "stool"

    height: PositiveLength
    """How far
    it reaches up."""
    lean: float = 0.0
    """A number of which nobody says what it counts."""
    mute: Annotated[float, Unit("kg")] = 1.0
    mumble: bool = False
    """not a sentence"""
    feet: tuple[Foot, ...] = ()
    """What it stands on."""
    wood: Literal["oak", "ash"] | None = None
    """What it is made of."""


MEASURES = [pytest.param("measures", measure, id=name) for name, measure in measures().items()]
TABLES = [pytest.param("tables", table, id=name) for name, table in scene.TABLES.items()]


def lacking(part: type[Table]) -> list[str]:
    """The fields of a part that may be numbers without a unit, be it "", and those without a sentence."""
    whole = part.model_json_schema()
    tables = [("", whole), *((f"{name}.", table) for name, table in whole.get("$defs", {}).items())]
    bare = [
        prefix + name
        for prefix, table in tables
        for name, field in table.get("properties", {}).items()
        if any(one.get("type") == "number" for one in inside(field, stated=False))
    ]
    said = [one.name for one in part.described_fields() if not one.sentence.endswith(".") or one.sentence[0].islower()]
    return bare + said


def inside(rule: Any, *, stated: bool = True) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it; not `stated` leaves out those that state a unit."""
    if isinstance(rule, dict) and (stated or "unit" not in rule):
        yield rule
        for one in rule.values():
            yield from inside(one, stated=stated)
    if isinstance(rule, list):
        for one in rule:
            yield from inside(one, stated=stated)


def plain(text: str) -> str:
    """A text with one space wherever it has any."""
    return " ".join(text.split())


@pytest.mark.parametrize(("family", "part"), PARTS + MEASURES + TABLES)
def test_every_field_of_every_part_has_a_sentence_and_a_unit(family: str, part: type[Table]) -> None:
    """A field that is added without its sentence, or as a number without a unit, is found; in tables too."""
    assert lacking(part) == []
    assert family not in registry.FAMILIES or ": " in registry.about(family)


def test_what_a_part_lacks_is_found() -> None:
    """The check above sees a number without a unit, a missing sentence, in a table of the part too, and half a one."""
    assert lacking(Stool) == ["lean", "mute", "mumble", "feet.bare"]


def test_what_is_said_of_fields() -> None:
    """Unit, default and sentence, worked out by hand: from `None` it follows that a field may be left out, a choice
    names its words, and a table's own fields follow it.
    """
    said = {one.name: one[1:] for one in Stool.described_fields()}
    assert said["height"] == ("m", "must be given", "How far it reaches up.")
    assert said["wood"] == ("", '"oak" or "ash"; may be left out', "What it is made of.")
    assert said["feet.width"] == ("m", "default 0.5", "How wide it is.")
    assert list(said)[-3:] == ["feet.width", "feet.bare", "wood"]


@pytest.mark.parametrize(("family", "part"), MEASURES)
def test_list_and_documents_say_the_same_of_measures(family: str, part: type[Part]) -> None:
    """As for parts; measures are no part of a scene, and have a page of their own."""
    listed = CliRunner().invoke(cli.app, ["list", family, part.key]).stdout
    for one in part.described_fields():
        assert plain(f" {one.name} {f'{one.unit}; ' if one.unit else ''}{one.default} {one.sentence}") in plain(listed)
        assert row(*one) in pages()["measuring.md"]


@pytest.mark.parametrize(("family", "part"), PARTS)
def test_list_schema_and_documents_say_the_same(family: str, part: type[Part]) -> None:
    """Unit, default and sentence of each field are printed by `barchan list`, which keeps to 80 columns, stand in a row
    of the page of parts, and the sentence is the description in the schema of scenes: a text of its own in one of
    the three, as the page once had, is found.
    """
    listed = CliRunner().invoke(cli.app, ["list", family, part.key]).stdout
    assert listed.startswith(f'{part.tag()} = "{part.key}"\n')
    assert max(map(len, listed.splitlines())) <= 80
    options = [
        one["properties"]
        for one in inside(rules())
        if one.get("title") == part.__name__ and one.get("properties", {}).get(part.tag()) == {"const": part.key}
    ]
    assert options
    for name, unit, default, sentence in part.described_fields():
        assert plain(f" {name} {f'{unit}; ' if unit else ''}{default} {sentence} ") in plain(listed) + " "
        assert row(name, unit, default, sentence) in pages()["parts.md"]
        if "." not in name:
            assert {one[name]["description"] for one in options} == {sentence}


@pytest.mark.parametrize("name", scene.TABLES)
def test_list_schema_and_documents_say_the_same_of_tables(name: str) -> None:
    """As for parts; the schema has a table where it is asked for, and one page shows all of its fields in one piece."""
    listed = CliRunner().invoke(cli.app, ["list", "tables", name]).stdout
    assert max(map(len, listed.splitlines())) <= 80
    table = scene.TABLES[name]
    found = [one["properties"] for one in inside(rules()) if one.get("title") == table.__name__ and "properties" in one]
    told = table.described_fields()
    assert found and told
    for name, unit, default, sentence in told:
        assert plain(f" {name} {f'{unit}; ' if unit else ''}{default} {sentence} ") in plain(listed) + " "
        if "." not in name:
            assert {one[name]["description"] for one in found} == {sentence}
    rows = "\n".join(row(*one) for one in told)
    assert sum(rows in page for page in pages().values()) == 1


def row(name: str, unit: str, default: str, sentence: str) -> str:
    """A field in the documents."""
    said = sentence.replace("*", r"\*")
    return f"| `{name}` | {f'`{unit}`' if unit else ''} | {default} | {said} |"


@functools.cache
def rules() -> dict[str, Any]:
    """The schema of scenes: it takes a third of a second."""
    return schema()


@functools.cache
def pages() -> dict[str, str]:
    """The documents as they are published."""
    docs = Path(__file__).parents[2] / "docs"
    spec = importlib.util.spec_from_file_location("hooks", docs / "hooks.py")
    assert spec and spec.loader
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    return {page.name: hooks.on_page_markdown(page.read_text("utf-8"), None) for page in docs.glob("*.md")}


@pytest.mark.parametrize("name", ["__main__", "barchan.registry", "nowhere"])
def test_a_part_without_a_source_has_no_sentences(name: str) -> None:
    """Typed at a prompt, or run by `exec` under whatever name, a part works; it just has nothing to say: a failure to
    read a source, or one of another class of that name, must not stop a script.
    """
    names: dict[str, Any] = {"__name__": name}
    text = 'class Post(Part):\n    family = "shapes"\n    key = "post"\n    width: float = 1.0\n    """How wide."""\n'
    exec(f"from barchan.registry import Part\n{text}", names)
    assert [tuple(one) for one in names["Post"].described_fields()] == [("width", "", "default 1", "")]
