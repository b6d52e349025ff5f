"""The arrays of the soft-sphere solver that the stages of a Runge–Kutta step read and write."""

from __future__ import annotations

from typing import Any, NamedTuple


class State(NamedTuple):
    """A few of `solvers/soft/arrays.py`'s arrays: with all of them, every function takes seconds to compile."""

    grains: Any
    start: Any
    offset: Any
    place: Any
    origin: Any
    wear: Any
    position: Any
    velocity: Any
    orientation: Any
    angular: Any
    motion: Any
    inertia: Any
    force: Any
    torque: Any
    gravity: Any
    freedom: Any

    @classmethod
    def of(cls, arrays: Any) -> State:
        """Those among all of them."""
        return cls(*(getattr(arrays, name) for name in cls._fields))
