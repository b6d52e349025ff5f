"""What happens during a run: when (a condition that comes to hold) and what (actions); both are parts."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Len

from barchan.scene.parts import ActionField, ConditionField
from barchan.scene.walls import OneOrMore
from barchan.schema.tables import Table


class Event(Table):
    """Something that happens once, the first time that its condition is seen to hold."""

    name: Annotated[str, Len(1)]
    """What the event is called in the summary and in other events."""
    when: ConditionField
    """The condition: the event comes the first time that it is seen to hold."""
    do: Annotated[tuple[ActionField, ...], Len(1), OneOrMore()]
    """One action, or a list of them."""

    def to_dict(self, *, full: bool = True) -> dict[str, object]:
        """As for every table; a single action is written as a table."""
        plain: dict[str, object] = super().to_dict(full=full)
        if len(self.do) == 1:
            plain["do"] = self.do[0].to_dict(full=full)
        return plain
