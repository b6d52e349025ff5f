"""How tests look into solvers: what is kept in arrays is named here and nowhere else, so that it can move."""

from __future__ import annotations

from typing import Any

import numpy as np


def peek(machine: Any, name: str) -> np.ndarray:
    """An array of a solver by its name, to read or to write into: rows of grains are in no particular order."""
    return machine.arrays[name]


def every(machine: Any) -> dict[str, np.ndarray]:
    """All arrays of a solver by name."""
    return machine.arrays


def put(machine: Any, name: str, array: np.ndarray) -> None:
    """Let a solver go on with another array."""
    machine.arrays[name] = array


def by_id(machine: Any, name: str) -> np.ndarray:
    """An array of the grains in the order of ids."""
    return peek(machine, name)[np.argsort(peek(machine, "id"))]
