"""Plain functions and classes that kernels name: their fingerprints, and what is compiled of them in this process."""

from __future__ import annotations

import enum
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.kernels.jit import njit

HOME = "barchan.kernels"  # the module that all compiled copies of functions say they are from: any process has it
Forms = Mapping[Callable[..., Any], Callable[..., Any]]  # kernels that stand for plain functions
DATA = (bool, int, float, complex, str, tuple, np.ndarray, np.generic, enum.EnumMeta)  # what kernels hold as constants

_kept: dict[str, Any] = {}  # compiled functions, and classes, of this process, by fingerprint


def fingerprint(item: Any) -> str:
    """A hash of what a function does: its code, and in turn the functions, classes and constants it names."""
    digest = hashlib.sha256()
    seen: dict[int, int] = {}  # functions by their number

    def add(value: Any) -> None:
        digest.update(repr(value).encode() + b"\0")  # which no `repr` holds: 1.0 and 23.0 are not 1.02 and 3.0

    def feed(value: Any) -> None:
        value = getattr(value, "py_func", value)  # of a kernel
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
        elif isinstance(value, enum.EnumMeta):
            members: Mapping[str, Any] = value.__members__
            add((value.__name__, [(name, one.value) for name, one in members.items()]))
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
        for one in _of_modules(code, owner.__globals__):
            feed(one)

    feed(item)
    return digest.hexdigest()[:20]


def _of_modules(code: types.CodeType, names: Mapping[str, Any]) -> Iterator[Any]:
    """The constants and kernels that code reads as attributes of modules, such as `constants.SCALE`."""
    modules = [names[name] for name in code.co_names if isinstance(names.get(name), types.ModuleType)]
    for module in modules:
        for name in code.co_names:
            one = vars(module).get(name)
            if isinstance(one, types.ModuleType) and one not in modules:
                modules.append(one)
            elif isinstance(one, DATA) or hasattr(one, "py_func"):
                yield one


def compiled(function: Callable[..., Any], *, inline: bool = False, forms: Forms | None = None) -> Any:
    """A plain scalar function, and the plain functions it calls, compiled for use inside kernels.

    What numba keeps of a kernel in its cache names the modules of the functions that it calls, and whoever loads the
    kernel must find them, though its own function of the same meaning may be from elsewhere: so all say that they are
    from one module that is always there, and are told apart by their fingerprints.

    inline: never as a call, which would keep a loop from becoming vector instructions. forms: kernels that are called
    in place of functions; what is bound into a template must import their modules.
    """
    forms = forms or {}
    if function in forms:
        return forms[function]
    token = _token(function, inline=inline, forms=forms)
    if token not in _kept:
        bound = {**function.__globals__, "__name__": HOME}
        for name in function.__code__.co_names:
            if isinstance(bound.get(name), types.FunctionType):
                bound[name] = compiled(bound[name], inline=inline, forms=forms)
        copy = types.FunctionType(function.__code__, bound, function.__name__, function.__defaults__)
        copy.__qualname__ = f"{function.__name__}_{token}"
        _kept[token] = njit(error_model="numpy", forceinline=inline)(copy)
    return _kept[token]


def _token(function: Callable[..., Any], *, inline: bool, forms: Forms) -> str:
    return "_".join([fingerprint(function), *sorted(one.__name__ for one in forms.values()), *["inline"] * inline])


def keep(item: Any, *, inline: bool = False, forms: Forms | None = None) -> str:
    """Keep a class, or a function as `compiled` makes it, and answer with the name by which `kept` finds it."""
    if isinstance(item, type):
        token = fingerprint(item)
        _kept[token] = item
        return token
    compiled(item, inline=inline, forms=forms)
    return _token(item, inline=inline, forms=forms or {})


def kept(token: str) -> Any:
    """What was kept in this process by that name."""
    return _kept[token]
