"""Parts by name: one file in a folder of parts is one named part, found by scanning the folder.

A part is a frozen pydantic model with a class attribute `key`, the name that scenes use for it. Adding a
law, a shape, a motion, an integrator or an observable is adding one file; `register` adds one from a script.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from pydantic_core import InitErrorDetails

from barchan.errors import Finding, SceneError
from barchan.schema.problems import nearest
from barchan.schema.tables import Bare, Choice, Table

FAMILIES = {  # where the parts of each are
    "laws": "barchan.parts.laws",
    "restitutions": "barchan.parts.restitutions",
    "shapes": "barchan.parts.wall_shapes",
    "motions": "barchan.parts.motions",
    "fills": "barchan.parts.fills",
    "regions": "barchan.parts.regions",
    "sizes": "barchan.parts.sizes",
    "deformations": "barchan.parts.deformations",
    "conditions": "barchan.parts.conditions",
    "actions": "barchan.parts.actions",
    "integrators": "barchan.parts.integrators",
    "observables": "barchan.parts.observables",
    "potentials": "barchan.parts.potentials",
    "minimisers": "barchan.parts.minimisers",
}
TAGS = {"laws": "law", "shapes": "shape"}  # the field of a scene that names the part, where it is not `kind`


class Part(Table):
    """A named, frozen set of parameters, with the functions that give it its meaning beside it."""

    family: ClassVar[str] = ""

    @classmethod
    def tag(cls) -> str:
        """The field that names the part in a scene."""
        return TAGS.get(cls.family, "kind")

    @classmethod
    def written(cls) -> str:
        """How a scene names it."""
        return f'{cls.tag()} = "{cls.key}"'

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
        """Problems with the rest of a scene; `own` and the scene's `fields` are as they came in, sound or not."""
        return ()


AnyPart = TypeVar("AnyPart", bound=type[Part])
Named = TypeVar("Named")

_found: dict[str, dict[str, type[Part]]] = {}


def about(family: str) -> str:
    """What the parts of a family are, in a line: the first one in its folder."""
    return str(importlib.import_module(FAMILIES[family]).__doc__).split("\n")[0]


def parts(family: str) -> dict[str, type[Part]]:
    """All parts of a family by name, in alphabetical order."""
    if family not in FAMILIES:
        raise SceneError(f"no family of parts is called {family!r}; there are {', '.join(FAMILIES)}")
    if family not in _found:
        folder = importlib.import_module(FAMILIES[family])
        known: dict[str, type[Part]] = {}
        for info in pkgutil.iter_modules(folder.__path__):
            module = importlib.import_module(f"{FAMILIES[family]}.{info.name}")
            for item in vars(module).values():
                if _is_part(item, family) and item.__module__ == module.__name__:
                    known[item.key] = item
        _found[family] = known
    return dict(sorted(_found[family].items()))


def built_in(family: str, function: str) -> list[Callable[..., Any]]:
    """The functions of that name of all parts that come with the package, in one order.

    Bound together, they are compiled once for every scene.
    """
    home = FAMILIES[family] + "."
    modules = [sys.modules[item.__module__] for item in parts(family).values() if item.__module__.startswith(home)]
    return list(dict.fromkeys(vars(module)[function] for module in modules if function in vars(module)))


def choice(family: str, bare: Bare | None = None) -> Choice:
    """The choice among the parts of a family in a field, those that scripts have registered included."""
    return Choice(functools.partial(parts, family), family, tag=TAGS.get(family, "kind"), bare=bare)


def part(family: str, key: str, where: str = "") -> type[Part]:
    """The part of that name, or a SceneError that names the nearest known one."""
    return one_of(parts(family), key, family, where)


def one_of(known: Mapping[str, Named], key: str, family: str, where: str = "") -> Named:
    """What is known under that name, or a SceneError that names the nearest; `family` is the word for all of them."""
    if key not in known:
        what, names = f"{key!r} is not among the {family}", f"known: {', '.join(known)}"
        raise SceneError(Finding(where or family, what, names, nearest(key, known)))
    return known[key]


def register(item: AnyPart) -> AnyPart:
    """Make a part of your own known to scenes under its `key`; works as a class decorator."""
    if not _is_part(item, item.family):
        raise SceneError(f"{item!r} is not a part: derive it from Law, Shape, Condition, … and give it a `key`")
    parts(item.family)
    _found[item.family][item.key] = item
    return item


def _is_part(item: Any, family: str) -> bool:
    return isinstance(item, type) and issubclass(item, Part) and item.family == family and bool(vars(item).get("key"))
