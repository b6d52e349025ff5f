"""Binding the laws, surfaces and motions of a scene into the kernels, with a cache that outlives the process.

Numba's disk cache does not see through closures. So every kernel template is written, with those of the scene's own
functions that it names as globals, into a small package in the cache folder whose name holds a fingerprint of all that
takes part: the template and those it imports, the functions (down to the helpers they call and the constants they read)
and the versions. The next process with the same combination finds the package and numba's compiled code beside it, and
another scene finds the packages of the templates that are the same for both.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import os
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

from barchan import __version__, caches
from barchan.errors import Finding, SceneError
from barchan.kernels import packages, roots, single_precision, threads
from barchan.kernels.jit import njit
from barchan.laws import Law, _normal, cap
from barchan.model import course
from barchan.potentials import Potential

TEMPLATES = (  # those that a template imports stand before it
    "turning", "wall_frames", "soft_rows", "soft_drift", "soft_gather", "soft_surfaces", "soft_stages",
    "soft_pairs", "soft_walls", "soft_meshes", "servos", "soft_servos", "soft_tethers", "soft_box", "soft_sweep",
    "soft_motion", "soft_steps", "soft_runge_kutta",
)  # fmt: skip
CUDA_TEMPLATES = (  # the functions of the CPU's templates that they call are compiled for the GPU as they are
    "turning", "wall_frames", "soft_rows", "soft_gather", "soft_surfaces", "soft_walls", "soft_meshes",
    "cuda_contacts", "cuda_walls", "cuda_motion",
)  # fmt: skip
HARD_TEMPLATES = ("turning", "wall_frames", "hard_queue", "hard_pairs", "hard_walls", "hard_search", "hard_events")
RELAX_TEMPLATES = ("turning", "relax_energy", "relax_steps")
BEAMS_TEMPLATES = ("turning", "wall_frames", "beams_poses")
BEAMS_KERNELS = (  # the same for every scene; in the cache too, because numba does not see that a called file changed
    "servos", "beams_overlap", "beams_strips", "beams_walls", "beams_friction", "beams_contacts", "beams_motion",
    "beams_phases", "beams_advance",
)  # fmt: skip
NOTES = "BARCHAN_BINDS"  # in the environment: a file in which all that is bound is noted
HOME = "barchan.kernels"  # the module that all compiled copies of functions say they are from: any process has it
CALLED = ("roots", "lanes", "pointers", "sweep_rows")  # that templates call, and that are no templates themselves
LAW_COLUMNS = (
    12  # columns of the tables of constants that belong to a law; then rolling friction, rolling viscosity, friction
)
MEMORY_SLOTS = 6
PRELUDE = ("from barchan.kernels.jit import njit", "from barchan.kernels.compile import bound_class, compiled_by")
COMPILED, PLAIN = "from barchan.kernels.jit import", "from barchan.kernels.plain import"
# Of functions that kernels alone call: no door for Python, which takes longer to compile than most of them.
INNER = 'error_model="numpy", no_cpython_wrapper=True'

# Names, and the lines that define them: what a scene binds into the templates that import one of these names.
Binding = tuple[frozenset[str], list[str]]
Functions = Sequence[Callable[..., Any] | None]  # one of which is called by its number; None is never asked for

SWIFT = {_normal.fifth_root: roots.fifth_root}  # functions of laws that kernels have a faster form of

_functions: dict[str, Any] = {}  # compiled functions of this process, by fingerprint


def fingerprint(item: Any) -> str:
    """A hash of what a function does: its code, and in turn the functions, classes and constants it names."""
    digest = hashlib.sha256()
    seen: dict[int, int] = {}  # functions by their number

    def add(value: Any) -> None:
        digest.update(repr(value).encode() + b"\0")  # which no `repr` holds: 1.0 and 23.0 are not 1.02 and 3.0

    def feed(value: Any) -> None:
        if isinstance(value, types.FunctionType):
            if id(value) in seen:
                add(seen[id(value)])
                return
            seen[id(value)] = len(seen)
            if value.__closure__:
                where = f"{value.__module__}.{value.__qualname__}"
                raise SceneError(Finding(where, "is a closure", "must be a plain function at the top of its module"))
            add((value.__defaults__, value.__kwdefaults__))
            feed_code(value.__code__, value)
        elif isinstance(value, type):
            add((value.__name__, getattr(value, "_fields", ())))
        elif isinstance(value, types.ModuleType):
            add(value.__name__)
        elif isinstance(value, np.ndarray):  # of a long one `repr` shows the ends alone
            add((value.dtype, value.shape, value.tobytes()))
        else:
            add(value)

    def feed_code(code: types.CodeType, owner: types.FunctionType) -> None:
        add(code.co_code)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):  # of a comprehension
                feed_code(constant, owner)
            elif constant != owner.__doc__:
                add(constant)
        for name in code.co_names:
            add(name)
            if name in owner.__globals__:
                feed(owner.__globals__[name])

    feed(item)
    return digest.hexdigest()[:20]


def compiled(function: Callable[..., Any], *, inline: bool = False, at_rest: bool = False) -> Any:
    """A plain scalar function, and the plain functions it calls, compiled for use inside kernels.

    What numba keeps of a kernel in its cache names the modules of the functions that it calls, and whoever loads the
    kernel must find them, though its own function of the same meaning may be from elsewhere: so all say that they are
    from one module that is always there, and are told apart by their fingerprints.

    inline: never as a call, which would keep a loop from becoming vector instructions.
    at_rest: as if nothing were ever cut short by `cap`; where something is, the answer is not a number.
    """
    if at_rest and function is cap:
        return roots.uncut
    if function in SWIFT:
        return SWIFT[function]
    token = _token(function, at_rest=at_rest)
    if token not in _functions:
        bound = {**function.__globals__, "__name__": HOME}
        for name in function.__code__.co_names:
            if isinstance(bound.get(name), types.FunctionType):
                bound[name] = compiled(bound[name], inline=inline, at_rest=at_rest)
        copy = types.FunctionType(function.__code__, bound, function.__name__, function.__defaults__)
        copy.__qualname__ = f"{function.__name__}_{token.replace(' ', '_')}"
        _functions[token] = njit(error_model="numpy", forceinline=inline)(copy)
    return _functions[token]


def _token(function: Callable[..., Any], *, at_rest: bool) -> str:
    return fingerprint(function) + (" at rest" if at_rest else "")


def compile_for(function: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments like these, or of these types, without running it."""
    function.compile(_kinds(arguments))


def only_for(function: Any, *arguments: Any) -> None:
    """The same, for a kernel that is never compiled by itself: to be given arguments of other types is an error."""
    if _kinds(arguments) not in function.overloads:
        function.disable_compile(False)
        compile_for(function, *arguments)
    function.disable_compile()


def address_of(function: Any, *arguments: Any) -> int:
    """Where the code of a kernel begins that is compiled for arguments like these; see `pointers.py`."""
    compile_for(function, *arguments)
    made = function.overloads[_kinds(arguments)]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def _kinds(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(one if isinstance(one, numba.types.Type) else type_of(one) for one in arguments)


def type_of(argument: Any) -> Any:
    """The type for which kernels are compiled where they are given this: something small that another process takes."""
    return numba.typeof(argument)


def bound_class(token: str) -> Any:
    """A class of constants that was bound in this process."""
    return _functions[token]


def bind(
    law: Law,
    wall_law: Law,
    gaps: Functions,
    paths: Functions,
    switches: Mapping[str, bool],
) -> types.SimpleNamespace:
    """The kernels of `TEMPLATES` for these laws, gap and path functions, and switches, as a namespace."""
    _note("soft", *dict.fromkeys((law.key, wall_law.key)), *_own(gaps, paths), *_on(switches))
    return _bound(_soft_bindings(law, wall_law, gaps, paths, switches), "bound", TEMPLATES)


def _soft_bindings(
    law: Law,
    wall_law: Law,
    gaps: Functions,
    paths: Functions,
    switches: Mapping[str, bool],
) -> list[Binding]:
    return [
        *_switch_bindings(switches),
        *_law_bindings(law, "", "law", "stored"),
        *_rest_bindings(law),
        *_law_bindings(wall_law, "WALL_", "wall_law", "wall_stored"),
        _gap_binding(gaps),
        _path_binding(paths),
        (frozenset({"box_course"}), [f"box_course = compiled_by({_registered(course.stretch)!r})"]),
    ]


def bind_cuda(
    law: Law,
    wall_law: Law,
    gaps: Functions,
    paths: Functions,
    switches: Mapping[str, bool],
    *,
    single: bool,
) -> types.SimpleNamespace:
    """The kernels of `CUDA_TEMPLATES` for these laws, gap and path functions, and switches, as a namespace.

    single: all but positions are float32. In numba's simulator nothing is compiled, since its arrays are no real ones.
    """
    from barchan.kernels.cuda_device import SIMULATED

    real, tiny = ("float32", single_precision.TINY) if single else ("float64", 1e-100)
    bindings = [
        *_soft_bindings(law, wall_law, gaps, paths, switches),
        *_law_bindings(law, "", "device_law", "device_stored", single=single)[-1:],
        *_law_bindings(wall_law, "", "device_wall_law", "device_wall_stored", single=single)[-1:],
        (frozenset({"REAL"}), ["import numpy", f"REAL = numpy.{real}"]),
        (frozenset({"TINY"}), [f"TINY = {tiny!r}"]),
    ]
    return _bound(bindings, "bound", CUDA_TEMPLATES, plain=SIMULATED)


def bind_hard(rebounds: Functions, gaps: Functions, paths: Functions) -> types.SimpleNamespace:
    """The kernels of `HARD_TEMPLATES` for these restitutions, gap and path functions, as a namespace."""
    _note("hard", *_own(rebounds, gaps, paths))
    rebound = _choice_binding("rebound", "kind, speed, a, b, c", "speed, a, b, c", rebounds, 0)
    return _bound([rebound, _gap_binding(gaps), _path_binding(paths)], "bound", HARD_TEMPLATES)


def bind_relax(potential: Potential, gaps: Functions, switches: Mapping[str, bool]) -> types.SimpleNamespace:
    """The kernels of `RELAX_TEMPLATES` for this potential, these gap functions and switches, as a namespace."""
    _note("relax", potential.key, *_own(gaps), *_on(switches))
    bindings = [*_switch_bindings(switches), _push_binding(potential), _gap_binding(gaps)]
    return _bound(bindings, "relax_bound", RELAX_TEMPLATES)


def bind_beams(paths: Functions) -> types.SimpleNamespace:
    """The kernels of `BEAMS_KERNELS`, and those of `BEAMS_TEMPLATES` for these path functions, as a namespace."""
    _note("beams", *_own(paths))
    return _bound([_path_binding(paths)], "bound", BEAMS_TEMPLATES + BEAMS_KERNELS)


def _note(*combination: str) -> None:
    """Add what is bound together to the file that $BARCHAN_BINDS names: each combination is compiled by itself."""
    if os.environ.get(NOTES):
        with open(os.environ[NOTES], "a", encoding="utf-8") as notes:
            notes.write(" ".join(combination) + "\n")


def _own(*functions: Functions) -> list[str]:
    """The names of functions that do not come with the package."""
    own = [one for some in functions for one in some if one is not None and not one.__module__.startswith("barchan.")]
    return [one.__module__ for one in own]


def _on(switches: Mapping[str, bool]) -> list[str]:
    return sorted(name for name, on in switches.items() if on)


def _bound(
    bindings: list[Binding], stand_in: str, templates: tuple[str, ...], *, plain: bool = False
) -> types.SimpleNamespace:
    """The templates with what they import from their stand-in bound, each from the cache where it has it.

    plain: as ordinary Python, for a simulator.
    """
    # Code in the cache may ask for the number of its thread: LLVM ends the process where numba's threads are not there.
    numba.get_num_threads()
    homes: dict[str, str] = {}
    found: dict[str, Any] = {}
    grown = False
    for name in templates:
        text, imported = _template(name)
        if "parallel=True" in text:
            threads.refuse_lost()
        wanted = imported.get(stand_in, frozenset())
        lines = [line for names, block in bindings if names & wanted for line in block]
        for other in imported:
            home = f".{other}" if other == stand_in else f"{homes[other]}.{other}" if other in homes else ""
            if home:
                text = text.replace(f"from barchan.kernels.{other} import", f"from {home} import")
        header = "\n".join([*PRELUDE, *lines, ""])
        if plain:
            text, header = (part.replace(COMPILED, PLAIN) for part in (text, header))
        parts = [header, numba.__version__, HOME, text, *(_template(other)[0] for other in CALLED), *_layouts()]
        mark = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
        homes[name] = f"{caches.PACKAGE}{mark}"
        module, written = packages.load(homes[name], {stand_in: header, name: text}, name)
        grown = grown or written
        found.update({key: value for key, value in vars(module).items() if not key.startswith("_")})
    if grown:
        caches.prune(packages.loaded())
    return types.SimpleNamespace(**found)


def _switch_bindings(switches: Mapping[str, bool]) -> list[Binding]:
    return [(frozenset({name}), [f"{name} = {value!r}"]) for name, value in sorted(switches.items())]


def _gap_binding(gaps: Functions) -> Binding:
    return _choice_binding("surface_gap", "kind, x, y, z, table, row", "x, y, z", gaps, 0)


def _path_binding(paths: Functions) -> Binding:
    return _choice_binding("motion_path", "kind, t, table, row", "t", paths, 3)


def _push_binding(potential: Potential) -> Binding:
    kind = type(potential)
    constants, function = kind.Constants, kind.push
    token = fingerprint(constants) + fingerprint(function)
    _functions[token] = constants
    row = ", ".join(f"table[row, {k}]" for k in range(len(constants._fields)))
    return frozenset({"push"}), [
        f"_constants = bound_class({token!r})",
        f"_push = compiled_by({_registered(function)!r})",
        '@njit(cache=True, error_model="numpy")',
        "def push(overlap, radius, table, row):",
        f"    return _push(overlap, radius, _constants({row}))",
    ]


def compiled_by(token: str) -> Any:
    """A function that was compiled in this process, by its fingerprint."""
    return _functions[token]


def _rest_bindings(law: Law) -> list[Binding]:
    """The law's quicker form, where it has one: what has no roots to save is computed in one way only."""
    functions = _law_bindings(law, "", "law_at_rest", "", at_rest=True)[-1:] if rests(law) else []
    none = (frozenset({"law_at_rest"}), ["law_at_rest = None"])
    return [(frozenset({"STICKS"}), [f"STICKS = {rests(law)}"]), *(functions or [none])]


def rests(law: Law) -> bool:
    """Whether the law has a quicker form for pairs that do not slide."""
    return type(law).sticks and not law.form()[1]


def _law_bindings(
    law: Law, prefix: str, name: str, stored: str, *, single: bool = False, at_rest: bool = False
) -> list[Binding]:
    kind = type(law)
    constants, function = kind.Constants, law.form()[0]
    if single:
        function = single_precision.rewritten(function)
    token = fingerprint(constants) + fingerprint(function)
    _functions[token] = constants
    force, energy = _registered(function, inline=True, at_rest=at_rest), _registered(kind.stored)
    fields = len(constants._fields)
    if fields > LAW_COLUMNS or kind.memory > MEMORY_SLOTS:
        raise TypeError(f"{kind.__name__}: at most {LAW_COLUMNS} constants and {MEMORY_SLOTS} floats of memory")
    memory = max(kind.memory, 1)
    slots = [f"m{k}" for k in range(MEMORY_SLOTS)]
    columns = [f"c{k}" for k in range(LAW_COLUMNS)]
    numbers = ", ".join([*slots, *columns])
    kept = ", ".join(slots[:memory]) + ","
    answer = ", ".join(f"memory[{k}]" if k < memory else "0.0" for k in range(MEMORY_SLOTS))
    row = ", ".join(f"table[row, {k}]" for k in range(fields))
    functions = [
        "from barchan.laws import Contact",
        f"_{name}_constants = bound_class({token!r})",
        f"_{name}_force = compiled_by({force!r})",
        '@njit(cache=True, error_model="numpy", forceinline=True)',
        f"def {name}(overlap, closing, sx, sy, sz, radius, mass, step, half, {numbers}):",
        "    contact = Contact(overlap, closing, (sx, sy, sz), radius, mass, step, half)",
        f"    p = _{name}_constants({', '.join(columns[:fields])})",
        f"    normal, friction, memory = _{name}_force(contact, ({kept}), p)",
        f"    return normal, friction[0], friction[1], friction[2], {answer}",
    ]
    if stored:
        functions += [
            f"_{name}_stored = compiled_by({energy!r})",
            '@njit(cache=True, error_model="numpy")',
            f"def {stored}(overlap, radius, mass, {', '.join(slots)}, table, row):",
            f"    return _{name}_stored(overlap, radius, mass, ({kept}), _{name}_constants({row}))",
        ]
    return [
        (frozenset({f"{prefix}MEMORY"}), [f"{prefix}MEMORY = {memory}"]),
        (frozenset({f"{prefix}VECTOR"}), [f"{prefix}VECTOR = {kind.advance == 'vector'}"]),
        (frozenset({f"{prefix}PATH"}), [f"{prefix}PATH = {kind.advance == 'path'}"]),
        (frozenset({name, stored}), functions),
    ]


def _choice_binding(name: str, arguments: str, leading: str, functions: Functions, offset: int) -> Binding:
    """A function that calls the k-th of the functions, with its parameters from a row of a table.

    A function with the one parameter `numbers` is given the whole row. None stands for one that is never asked for.
    """
    asked = [(k, function) for k, function in enumerate(functions) if function is not None]
    lines = [f"_{name}_{k} = compiled_by({_registered(function)!r})" for k, function in asked]
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
    return frozenset({name}), lines


def _registered(function: Callable[..., Any], *, inline: bool = False, at_rest: bool = False) -> str:
    compiled(function, inline=inline, at_rest=at_rest)
    return _token(function, at_rest=at_rest)


@functools.cache
def _template(name: str) -> tuple[str, dict[str, frozenset[str]]]:
    """The text of a template, and what it imports from which other modules of the kernels."""
    text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    imported = {
        node.module.removeprefix("barchan.kernels."): frozenset(alias.name for alias in node.names)
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("barchan.kernels.")
    }
    return f"# barchan {__version__}\n{text}", imported


@functools.cache
def _layouts() -> list[str]:
    """The texts of the files of columns' numbers, which kernels read as they are."""
    return [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parents[1].glob("*/*layout.py"))]
