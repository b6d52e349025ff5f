"""The loop: schedules, progress, checkpoints, resuming. The room itself is the verb: `barchan.run(scene)`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Verb(ModuleType):
    """A package that can be called: `barchan.run` is this room, and running a scene is what it is for."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Run a scene: see `barchan.run.loop.run`."""
        from barchan.run.loop import run

        return run(*arguments, **options)


sys.modules[__name__].__class__ = _Verb
