"""What the actions on a wall share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from annotated_types import Len
from pydantic_core import InitErrorDetails

from barchan.parts.actions import Action, HasWalls
from barchan.schema.peeking import names, peek
from barchan.schema.problems import unknown


class WallAction(Action):
    """Base of the actions on a wall."""

    asks: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]
    """The name of the wall."""

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        yield from unknown(peek(own, "wall"), "walls", names(fields, "walls"), ("wall",))

    def walls(self) -> tuple[str, ...]:
        return (self.wall,)
