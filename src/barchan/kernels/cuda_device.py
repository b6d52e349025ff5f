"""The GPU as the kernels see it: whether there is one, how to launch, and arithmetic that rounds as on the CPU."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba import config, cuda

from barchan.errors import Finding, SceneError
from barchan.kernels.jit import is_copy

SIMULATED = bool(config.ENABLE_CUDASIM)  # numba's simulator stands in for a GPU: slow, for a few grains
THREADS = 8 if SIMULATED else 128  # of a block
# Registers of a thread, for a whole step and for the forces of clumps: fewer spill, more leave room for fewer threads.
REGISTERS = {"float64": (128, 128), "float32": (72, 96)}

# A few grains do not fill a GPU, and need not.
warnings.filterwarnings("ignore", message=r"(?s).*Grid size \d+ will likely result in GPU under-utilization")


def require() -> None:
    """SceneError where there is nothing to compute on."""
    if SIMULATED:
        return
    if importlib.util.find_spec("numba_cuda") is None:
        raise SceneError(Finding(
            "device", "'cuda' needs the package numba-cuda", "it is not installed", "run pip install 'barchan[gpu]'"
        ))  # fmt: skip
    try:
        there = bool(cuda.is_available())
    except Exception:  # a broken driver raises what it likes
        there = False
    if not there:
        raise SceneError(Finding(
            "device", "'cuda' needs an NVIDIA GPU and its driver", "none was found", "use --device cpu"
        ))  # fmt: skip


def name() -> str:
    """What the device calls itself."""
    if SIMULATED:
        return "CUDA simulator"
    found = cuda.get_current_device().name
    return found.decode() if isinstance(found, bytes) else str(found)


def launch(kernel: Any, count: int, *arguments: Any, exact: bool = True) -> None:
    """Run a kernel on `count` threads; `exact`: rounded as on the CPU, see `_rounding`."""
    if count > 0:
        with _rounding(exact):
            kernel[-(-count // THREADS), THREADS](*arguments)


@contextmanager
def _rounding(exact: bool) -> Iterator[None]:
    """Let kernels that are compiled meanwhile round every operation as the CPU does, or else be quick.

    NVVM fuses a·b + c into one operation unless told otherwise, and has quick divisions and roots of float32; numba has
    no options for these, so they are added where numba hands its code to NVVM.
    """
    if SIMULATED:
        yield
        return
    from numba.cuda.cudadrv import nvvm

    compile_ir = nvvm.compile_ir
    asked = {"fma": False} if exact else {"fma": True, "ftz": True, "prec_div": False, "prec_sqrt": False}

    def compiled(code: Any, **options: Any) -> Any:
        return compile_ir(code, **{**options, **asked})

    nvvm.compile_ir = compiled
    try:
        yield
    finally:
        nvvm.compile_ir = compile_ir


class Launcher:
    """A kernel that is launched many times in a row with the same arrays.

    Numba looks at every argument of every launch, which for dozens of arrays takes longer than the step of a hundred
    thousand grains. So what numba makes of an array is kept for the next launch. Where this version of numba is put
    together differently, kernels are launched in the ordinary way.
    """

    def __init__(self, kernel: Any, *, exact: bool) -> None:
        self.kernel, self.exact = kernel, exact
        self._ready: Any = None  # the compiled kernel, and how it is launched
        self._known: dict[int, tuple[Any, list[Any]]] = {}  # arrays by id, and what numba hands over for them
        self._packed: Any = None
        self._words: list[Any] = []

    def __call__(self, count: int, packed: Any, arrays: tuple[Any, ...], *numbers: Any) -> None:
        """Launch with the arrays in the named tuple `packed`, further ones, and numbers."""
        if self._ready is None or not count:
            launch(self.kernel, count, packed, *arrays, *numbers, exact=self.exact)
            if count:
                self._ready = self._prepared()
            return
        if self._ready is False:
            launch(self.kernel, count, packed, *arrays, *numbers, exact=self.exact)
            return
        compiled, module, core, stream = self._ready
        kinds = compiled.argument_types
        if packed is not self._packed:
            kept, self._known = self._known, {}
            self._words = [
                word for kind, one in zip(kinds[0], packed, strict=True) for word in self._flat(kind, one, kept)
            ]
            self._packed = packed
        words = list(self._words)
        for kind, one in zip(kinds[1:], (*arrays, *numbers), strict=True):
            words += self._flat(kind, one, self._known)
        blocks = -(-count // THREADS)
        module.launch(stream, module.LaunchConfig(grid=(blocks, 1, 1), block=(THREADS, 1, 1)), core, *words)

    def _flat(self, kind: Any, value: Any, kept: dict[int, tuple[Any, list[Any]]]) -> list[Any]:
        compiled = self._ready[0]
        words: list[Any] = []
        if not hasattr(value, "dtype"):
            compiled._prepare_args(kind, value, 0, [], words)
            return words
        known = kept.get(id(value))
        if known is None or known[0] is not value:
            compiled._prepare_args(kind, value, 0, [], words)
            known = (value, words)
        self._known[id(value)] = known
        return known[1]

    def _prepared(self) -> Any:
        if SIMULATED:
            return False
        try:
            from numba.cuda import dispatcher as module

            (compiled,) = self.kernel.overloads.values()
            core = compiled._codelibrary.get_cufunc().kernel
            stream = self.kernel[1, THREADS].stream
            return (compiled, module, core, stream) if module.launch and module.LaunchConfig else False
        except (AttributeError, ImportError, ValueError):
            return False


class Scratch:
    """Arrays on the device that are used again and again, by name: asking the driver for memory takes long."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def __call__(self, name: str, size: int, kind: Any) -> Any:
        """At least so many entries that hold anything."""
        array = self._kept.get(name)
        if array is None or array.shape[0] < size:
            array = self._kept[name] = empty(size + size // 8, kind)
        return array

    def sent(self, name: str, values: np.ndarray) -> Any:
        """These values, of which there are always as many."""
        array = self._kept.get(name)
        if array is None:
            array = self._kept[name] = send(values)
        else:
            fill(array, values)
        return array


def empty(shape: Any, kind: Any) -> Any:
    """An array on the device that holds anything; at least one entry along every axis."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return cuda.device_array(tuple(max(1, size) for size in sizes), kind)


def send(array: np.ndarray, kind: Any = None) -> Any:
    """A copy on the device, of another type where one is named."""
    copy = np.ascontiguousarray(array, dtype=kind)
    if copy.size:
        return cuda.to_device(copy)
    return cuda.to_device(np.zeros([max(1, size) for size in copy.shape], copy.dtype))[: len(copy)]


def fetch(array: Any, rows: int | None = None, kind: Any = None) -> np.ndarray:
    """A copy on the host of the first rows, of another type where one is named."""
    if rows == 0:
        copy = np.zeros((0, *array.shape[1:]), array.dtype)
    else:
        copy = np.asarray((array if rows is None else array[:rows]).copy_to_host())
    return copy if kind is None else copy.astype(kind)


def fill(array: Any, values: np.ndarray) -> None:
    """Copy values of the same shape and type to the device, into an array that is there."""
    array.copy_to_device(np.ascontiguousarray(values))


def wait() -> None:
    """Until the device has done all it was given."""
    cuda.synchronize()


def kernel(function: Any) -> Any:
    """A function that the host launches, one thread an index."""
    return cuda.jit(function) if SIMULATED else cuda.jit(function, cache=is_copy(function), lto=False)


def step_kernel(real: Any, *, clumps: bool = False) -> Any:
    """The same for a kernel that computes contacts in this type: with as many registers as were found to be fastest."""
    if SIMULATED:
        return cuda.jit
    # Without link-time optimisation, which would round as it likes; numba forgets `lto` where it is not told of the
    # function in the same call.
    registers = REGISTERS[np.dtype(real).name][clumps]
    return lambda function: cuda.jit(function, cache=is_copy(function), lto=False, max_registers=registers)


def device(function: Any) -> Any:
    """A function that kernels call, put where it is called."""
    return cuda.jit(device=True)(function) if SIMULATED else cuda.jit(device=True, forceinline=True)(function)
