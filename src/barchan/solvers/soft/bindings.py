"""What is bound into the kernels of soft spheres: laws, surfaces and motions of walls, and switches."""

from __future__ import annotations

import types
from collections.abc import Mapping

from barchan.kernels import bindings, roots, single_precision
from barchan.kernels.bindings import Functions
from barchan.kernels.compile import Kernels, bind
from barchan.kernels.functions import Forms, keep
from barchan.kernels.grids import Grids
from barchan.model.layout import LAW_COLUMNS
from barchan.parts.deformations import Course, stretch
from barchan.parts.laws import Contact, Law, _normal, cap
from barchan.solvers.soft.arrays import Arrays

TEMPLATES = ("barchan.kernels.servos", *(f"barchan.solvers.soft.kernels.{name}" for name in (
    "rows", "drift", "gather", "surfaces", "stages", "pairs", "walls", "meshes", "servos", "tethers", "box", "sweep",
    "motion", "steps", "runge_kutta",
)))  # fmt: skip
CUDA_TEMPLATES = tuple(f"barchan.solvers.soft.cuda.kernels.{name}" for name in ("walls", "motion"))
MEMORY_SLOTS = 6

FORMS: Forms = {_normal.fifth_root: roots.fifth_root}  # what kernels have a faster form of
AT_REST: Forms = {**FORMS, cap: roots.uncut}  # as if nothing were ever cut short; where it is, the answer is no number

cuda_lists = Kernels("barchan.solvers.soft.cuda.kernels.lists")
cuda_order = Kernels("barchan.solvers.soft.cuda.kernels.order")
sweep_rows = Kernels("barchan.solvers.soft.kernels.sweep_rows")


def bind_soft(
    law: Law, wall_law: Law, gaps: Functions, paths: Functions, switches: Mapping[str, bool], course: Course = stretch
) -> types.SimpleNamespace:
    """The kernels for these laws, gap and path functions, and switches."""
    bindings.note("soft", list(dict.fromkeys((law.key, wall_law.key))), switches, gaps, paths, [course])
    return bind("soft", TEMPLATES, _bindings(law, wall_law, gaps, paths, switches, course))


def bind_cuda(
    law: Law, wall_law: Law, gaps: Functions, paths: Functions, switches: Mapping[str, bool], *, single: bool
) -> types.SimpleNamespace:
    """The kernels for a GPU: the functions of the CPU's templates that they call are compiled for it as they are.

    single: all but positions are float32. In numba's simulator nothing is compiled, since its arrays are no real ones.
    """
    from barchan.kernels.cuda_device import SIMULATED

    real, tiny = ("float32", single_precision.TINY) if single else ("float64", 1e-100)
    more = {
        **_force("device_law", law, single=single),
        **_force("device_wall_law", wall_law, single=single),
        "REAL": f"import numpy\nREAL = numpy.{real}",
        "TINY": f"TINY = {tiny!r}",
    }
    all_bound = {**_bindings(law, wall_law, gaps, paths, switches), **more}
    return bind("cuda", CUDA_TEMPLATES, all_bound, plain=SIMULATED)


def rests(law: Law) -> bool:
    """Whether the law has a quicker form for pairs that do not slide."""
    return type(law).sticks and not law.form()[1]


def _bindings(
    law: Law, wall_law: Law, gaps: Functions, paths: Functions, switches: Mapping[str, bool], course: Course = stretch
) -> dict[str, str]:
    at_rest = _force("law_at_rest", law, AT_REST) if rests(law) else {"law_at_rest": "law_at_rest = None"}
    return {
        **bindings.switches(switches),
        **bindings.classes(Arrays, Grids),
        **_history(law, ""),
        **_history(wall_law, "WALL_"),
        **_force("law", law),
        **_force("wall_law", wall_law),
        **_stored("stored", law),
        **_stored("wall_stored", wall_law),
        "STICKS": f"STICKS = {rests(law)}",
        **at_rest,
        **bindings.surface_gap(gaps),
        **bindings.motion_path(paths),
        "box_course": f"box_course = kept({keep(course)!r})",
    }


def _history(law: Law, prefix: str) -> dict[str, str]:
    kind = type(law)
    if len(kind.Constants._fields) > LAW_COLUMNS or kind.memory > MEMORY_SLOTS:
        raise TypeError(f"{kind.__name__}: at most {LAW_COLUMNS} constants and {MEMORY_SLOTS} floats of memory")
    values = {"MEMORY": max(kind.memory, 1), "VECTOR": kind.advance == "vector", "PATH": kind.advance == "path"}
    return {f"{prefix}{name}": f"{prefix}{name} = {value!r}" for name, value in values.items()}


def _force(name: str, law: Law, forms: Forms = FORMS, *, single: bool = False) -> dict[str, str]:
    function = law.form()[0]
    if single:
        function = single_precision.rewritten(function)
    memory, slots, kept_slots = _memory(law)
    columns = [f"c{k}" for k in range(LAW_COLUMNS)]
    answer = ", ".join(f"memory[{k}]" if k < memory else "0.0" for k in range(MEMORY_SLOTS))
    constants = type(law).Constants
    lines = [
        f"import {roots.__name__}",
        f"_contact = kept({keep(Contact)!r})",
        f"_{name}_constants = kept({keep(constants)!r})",
        f"_{name}_force = kept({keep(function, inline=True, forms=forms)!r})",
        '@njit(cache=True, error_model="numpy", forceinline=True)',
        f"def {name}(overlap, closing, sx, sy, sz, radius, mass, step, half, {', '.join([*slots, *columns])}):",
        "    contact = _contact(overlap, closing, (sx, sy, sz), radius, mass, step, half)",
        f"    p = _{name}_constants({', '.join(columns[: len(constants._fields)])})",
        f"    normal, friction, memory = _{name}_force(contact, ({kept_slots}), p)",
        f"    return normal, friction[0], friction[1], friction[2], {answer}",
    ]
    return {name: "\n".join(lines)}


def _stored(name: str, law: Law) -> dict[str, str]:
    _, slots, kept_slots = _memory(law)
    constants = type(law).Constants
    row = ", ".join(f"table[row, {k}]" for k in range(len(constants._fields)))
    lines = [
        f"import {roots.__name__}",
        f"_{name}_constants = kept({keep(constants)!r})",
        f"_{name}_energy = kept({keep(type(law).stored, forms=FORMS)!r})",
        '@njit(cache=True, error_model="numpy")',
        f"def {name}(overlap, radius, mass, {', '.join(slots)}, table, row):",
        f"    return _{name}_energy(overlap, radius, mass, ({kept_slots}), _{name}_constants({row}))",
    ]
    return {name: "\n".join(lines)}


def _memory(law: Law) -> tuple[int, list[str], str]:
    """How many floats a contact remembers, at least one; the names of all slots, and those of them as a tuple."""
    memory, slots = max(type(law).memory, 1), [f"m{k}" for k in range(MEMORY_SLOTS)]
    return memory, slots, ", ".join(slots[:memory]) + ","
