"""What is bound into the kernels of energy minimisation: a potential, surfaces of walls, and switches."""

from __future__ import annotations

import types
from collections.abc import Mapping

from barchan.kernels import bindings
from barchan.kernels.bindings import Functions
from barchan.kernels.compile import bind
from barchan.kernels.functions import keep
from barchan.parts.potentials import Potential

TEMPLATES = tuple(f"barchan.solvers.relax.kernels.{name}" for name in ("energy", "steps", "pairs"))


def bind_relax(potential: Potential, gaps: Functions, switches: Mapping[str, bool]) -> types.SimpleNamespace:
    """The kernels for this potential, these gap functions and switches."""
    bindings.note("relax", [potential.key], switches, gaps)
    return bind(
        "relax", TEMPLATES, {**bindings.switches(switches), **_push(potential), **bindings.surface_gap(gaps)}
    )  # fmt: skip


def _push(potential: Potential) -> dict[str, str]:
    kind = type(potential)
    row = ", ".join(f"table[row, {k}]" for k in range(len(kind.Constants._fields)))
    lines = [
        f"_constants = kept({keep(kind.Constants)!r})",
        f"_push = kept({keep(kind.push)!r})",
        '@njit(cache=True, error_model="numpy")',
        "def push(overlap, radius, table, row):",
        f"    return _push(overlap, radius, _constants({row}))",
    ]
    return {"push": "\n".join(lines)}
