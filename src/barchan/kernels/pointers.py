"""Calls of large kernels by their address.

Where one compiled function calls another, numba takes that one's code into its own module and optimises all of it
again, at every level. What is called by its address is compiled once, and its callers need not wait for it.

The address is that of `compile.address_of`, for arguments of the types that stand here; nothing checks that. So what
calls by address is compiled for arrays of which the address is known, and not by itself (`compile.only_for`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

REAL, WHOLE, TRUTH = types.float64, types.int64, types.boolean


def _called(result: Any, kinds: Sequence[Any]) -> Any:
    """How to generate the call of what begins at an address, with arguments of these types."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where, *given = arguments
        values = [
            context.cast(builder, value, have, want)
            for value, have, want in zip(given, signature.args[1:], kinds, strict=True)
        ]
        kind = context.call_conv.get_function_type(result, kinds)
        place = builder.inttoptr(where, kind.as_pointer())
        status, answer = context.call_conv.call_function(builder, place, result, kinds, values)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return answer

    return generate


@intrinsic
def call_work(
    typing: Any, address: Any, which: Any, low: Any, high: Any, c: Any, step: Any, half: Any, advance: Any, gear: Any
) -> Any:
    """`beams_phases.work`."""
    kinds = (WHOLE, WHOLE, WHOLE, c, REAL, REAL, REAL, TRUTH)
    return types.none(address, which, low, high, c, step, half, advance, gear), _called(types.none, kinds)


@intrinsic
def call_forces(
    typing: Any, address: Any, c: Any, t: Any, half: Any, step: Any, advance: Any, weight: Any, hold_weight: Any,
    kick: Any, onward: Any,
) -> Any:  # fmt: skip
    """`soft_motion.evaluate`."""
    given = (address, c, t, half, step, advance, weight, hold_weight, kick, onward)
    return REAL(*given), _called(REAL, (c, REAL, REAL, REAL, REAL, REAL, REAL, REAL, WHOLE))
