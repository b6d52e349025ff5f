"""Walls: a shape, what it is made of, how it moves, and when it is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from annotated_types import Len
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, field_validator, model_validator
from pydantic_core import core_schema

from barchan.scene.parts import MotionField, ShapeField
from barchan.schema.problems import fault, nearest, shown
from barchan.schema.quantities import PositiveTime, Time
from barchan.schema.tables import Table


@dataclass(frozen=True)
class OneOrMore:
    """Metadata of a tuple field: a single item stands for a list of one."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._listed, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        many = handler(schema)
        return {"anyOf": [many["items"], many]}

    @staticmethod
    def _listed(value: Any) -> Any:
        return (value,) if isinstance(value, (str, Mapping, Table)) else value


class Wall(Table):
    """A surface that grains cannot pass. In TOML the shape's own fields stand beside these."""

    flat: ClassVar[str] = "shape"

    name: Annotated[str, Len(1)]
    """What the wall is called in events, tables and pictures."""
    shape: ShapeField
    """The surface; its own fields stand beside its name."""
    material: str
    """The name of one of the scene's materials."""
    motion: Annotated[tuple[MotionField, ...], OneOrMore()] = ()
    """One motion or a list of them: each moves what the one before it has moved. Left out, the wall rests."""
    appears: Time = 0.0
    """When the wall comes."""
    vanishes: PositiveTime | None = None
    """When the wall goes; left out, never."""
    present: bool = True
    """If false, the wall waits for an event to add it."""
    absorbing: bool = False
    """The wall pushes nothing: a grain that touches it is removed and counted."""
    sticky: bool = False
    """A grain that touches the wall is held from then on; hard spheres only."""
    color: str | None = None
    """The colour in pictures: a name as in CSS, or #rrggbb."""

    @field_validator("color")
    @classmethod
    def _is_a_color(cls, color: str | None) -> str | None:
        if color is not None and not re.fullmatch("#[0-9a-fA-F]{6}", color):
            from PIL.ImageColor import colormap  # the names of CSS; few scenes ask for them

            if color.lower() not in colormap:
                raise fault(f"{shown(color)} is no colour", "give a name, or #rrggbb", nearest(color, colormap))
        return color

    @model_validator(mode="after")
    def _lasts(self) -> Wall:
        if self.vanishes is not None and self.vanishes <= self.appears:
            raise fault(
                f"vanishes at {self.vanishes:g} s, appears at {self.appears:g} s", "it must vanish after it appears"
            )
        return self

    @model_validator(mode="after")
    def _holds_or_takes(self) -> Wall:
        if self.absorbing and self.sticky:
            raise fault("both absorbing and sticky", "a wall either takes grains away or holds them")
        return self

    def to_dict(self, *, full: bool = True) -> dict[str, Any]:
        """As for every table; a single motion is written as a table."""
        plain: dict[str, Any] = super().to_dict(full=full)
        if len(self.motion) == 1:
            plain["motion"] = self.motion[0].to_dict(full=full)
        return plain
