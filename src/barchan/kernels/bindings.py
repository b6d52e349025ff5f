"""What several methods bind into their kernels: switches, classes, and functions of parts that are called by number."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from barchan.kernels.functions import keep

NOTES = "BARCHAN_BINDS"  # in the environment: a file in which all that is bound is noted
# Of functions that kernels alone call: no door for Python, which takes longer to compile than most of them.
INNER = 'error_model="numpy", no_cpython_wrapper=True'

Functions = Sequence[Callable[..., Any] | None]  # one of which is called by its number; None is never asked for


def note(method: str, words: Sequence[str], switches: Mapping[str, bool], *functions: Functions) -> None:
    """Add what is bound together to the file that $BARCHAN_BINDS names: each combination is compiled by itself.

    Of the functions those count that do not come with the package.
    """
    if os.environ.get(NOTES):
        own = [
            one.__module__ for some in functions for one in some if one and not one.__module__.startswith("barchan.")
        ]
        with open(os.environ[NOTES], "a", encoding="utf-8") as notes:
            notes.write(" ".join([method, *words, *own, *sorted(name for name, on in switches.items() if on)]) + "\n")


def switches(values: Mapping[str, bool]) -> dict[str, str]:
    """Constants that leave out of the kernels what a scene does not need."""
    return {name: f"{name} = {value!r}" for name, value in values.items()}


def classes(*kinds: type[Any]) -> dict[str, str]:
    """Named tuples that kernels are given: compiled code holds where their fields stand, and names their modules."""
    return {kind.__name__: f"{kind.__name__} = kept({keep(kind)!r})  # {kind.__module__}" for kind in kinds}


def surface_gap(gaps: Functions) -> dict[str, str]:
    """The distance from the surface of a wall of that kind."""
    return choice("surface_gap", "kind, x, y, z, table, row", "x, y, z", gaps, 0)


def motion_path(paths: Functions) -> dict[str, str]:
    """Where a motion of that kind is at a time."""
    return choice("motion_path", "kind, t, table, row", "t", paths, 3)


def choice(name: str, arguments: str, leading: str, functions: Functions, offset: int) -> dict[str, str]:
    """A function that calls the k-th of the functions, with its parameters from a row of a table.

    A function with the one parameter `numbers` is given the whole row. None stands for one that is never asked for.
    """
    asked = [(k, function) for k, function in enumerate(functions) if function is not None]
    lines = [f"_{name}_{k} = kept({keep(function)!r})" for k, function in asked]
    lines += [f"@njit({INNER})", f"def {name}({arguments}):"]
    first = len(leading.split(","))
    default = asked[0][0]
    for k, function in reversed(asked):
        wanted = list(inspect.signature(function).parameters)[first:]
        if wanted == ["numbers"]:
            values = [f"table[row, {offset}:]"]
        else:
            values = [f"table[row, {offset + c}]" for c in range(len(wanted))]
        call = ", ".join([leading, *values])
        lines.append(f"    {f'if kind == {k}: ' if k != default else ''}return _{name}_{k}({call})")
    return {name: "\n".join(lines)}
