"""Binding what a scene brings into templates of kernels, with a cache that outlives the process.

Numba's disk cache sees neither through closures nor into the files of functions that are called. So every template is
written, with the constants and functions that it imports from a module `bound`, into a small package in the cache
folder whose name holds a fingerprint of all that takes part: the template and the templates it imports, the modules of
ours that these import, each with its name, which compiled code may hold; what is bound, functions down to the helpers
they call and the constants they read; and the versions. The next process with the same combination finds the package
and numba's compiled code beside it, and another scene finds the packages of the templates that are the same for both.

What is a template `sources.is_template` says: a module anywhere in the package that holds kernels or depends on what is
bound. A binding names those whose kernels are asked for; those that they import are bound with them.
"""

from __future__ import annotations

import ast
import hashlib
import types
from collections.abc import Mapping
from typing import Any

import numba
import numpy as np

from barchan import __version__, caches
from barchan.errors import Finding, SceneError
from barchan.kernels import packages, sources, threads

VERSIONS = f"{__version__} {numba.__version__} {np.__version__}"
PRELUDE = ("from barchan.kernels.jit import njit", "from barchan.kernels.functions import kept")
JIT, PLAIN = "barchan.kernels.jit", "barchan.kernels.plain"

# Names that templates import from their `bound`, each with the lines that define it.
Bindings = Mapping[str, str]


def bind(name: str, templates: tuple[str, ...], bindings: Bindings, *, plain: bool = False) -> types.SimpleNamespace:
    """The kernels and constants of templates, by their modules, with what they import from `bound` defined.

    name: of the binding, for messages. plain: as ordinary Python, for a simulator.
    """
    # Code in the cache may ask for the number of its thread: LLVM ends the process where numba's threads are not there.
    numba.get_num_threads()
    binding = _Binding(name, bindings, plain)
    homes: dict[str, str] = {}
    for template in templates:
        for key in sources.source(template).defined:
            other = homes.setdefault(key, template)
            if other != template:
                what, expected = f"{other} and {template} both define {key!r}", "one of them would hide the other"
                raise SceneError(Finding(f"binding {name!r}", what, expected, "rename one, or begin it with _"))
    modules = [vars(binding.module(template)) for template in templates]
    if binding.grown:
        caches.prune(packages.loaded())
    names = {*homes, *bindings}
    return types.SimpleNamespace(**{key: one[key] for one in modules for key in names & one.keys()})


class Kernels:
    """The kernels of a module into which nothing is bound, as its attributes; loaded when one is first asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = bind(self._module, (self._module,), {})
        vars(self).update(vars(found))
        return getattr(found, name)


class _Binding:
    """Templates as they are bound together, each from the cache where it has it."""

    def __init__(self, name: str, bindings: Bindings, plain: bool) -> None:
        self.name, self.bindings, self.jit = name, bindings, PLAIN if plain else JIT
        self.grown = False  # whether the cache has
        self._modules: dict[str, types.ModuleType] = {}

    def module(self, template: str) -> types.ModuleType:
        """The copy of a template, after those of the templates it imports."""
        if template not in self._modules:
            self._modules[template] = self._load(template)
        return self._modules[template]

    def _load(self, template: str) -> types.ModuleType:
        source = sources.source(template)
        homes, wanted, others = {JIT: self.jit}, set[str](), {self.jit}
        for _, other, names in source.imports:
            copied = sources.stands_in(other) or sources.is_template(other)
            if copied and not names:
                raise self._error(template, f"imports {other}", "of such a module names are bound", "import its names")
            if sources.stands_in(other):
                homes[other] = f".{sources.BOUND}"
                wanted.update(names)
            elif copied:
                homes[other] = self.module(other).__name__
            elif other != JIT:
                others.add(other)
        for name in sorted(wanted - self.bindings.keys()):
            raise self._error(template, f"imports {name!r} from its stand-in", "nothing is bound to it", "bind it")
        text, leaf = source.rewritten(homes), template.rpartition(".")[2]
        if "parallel=True" in text:
            threads.refuse_lost()
        header = "\n".join([*PRELUDE, *(lines for name, lines in self.bindings.items() if name in wanted), ""])
        header = header.replace(JIT, self.jit) if wanted else ""
        others.update(one.module for one in sources.imports(ast.parse(header).body, ""))
        others |= {one for module in others for one in sources.reached(module)}
        parts = [VERSIONS, template, header, text, *(f"{one}\n{sources.source(one).text}" for one in sorted(others))]
        mark = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
        texts = {sources.BOUND: header, leaf: text}
        module, written = packages.load(f"{caches.PACKAGE}{mark}", texts, leaf)
        self.grown = self.grown or written
        return module

    def _error(self, template: str, what: str, expected: str, remedy: str) -> SceneError:
        return SceneError(Finding(f"binding {self.name!r}: {template}", what, expected, remedy))


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
