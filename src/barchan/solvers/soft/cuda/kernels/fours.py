"""Four numbers that lie side by side, read or written at once.

A GPU reads 16 bytes as fast as 4, and rows of neighbours lie here and there: one request for a row in place of four.
Numba asks for one number at a time, so these two are put together from LLVM's instructions. The first of the four must
lie at a multiple of 16 bytes, which holds for arrays made by `cuda_device.empty` with rows of four or eight.
"""

from __future__ import annotations

from typing import Any

from barchan.kernels.cuda_device import SIMULATED, device

if SIMULATED:

    @device
    def read_four(array: Any, at: Any) -> Any:
        """Entries `at` and the three after it; nothing may write to them while the kernel runs."""
        row, k = at[:-1], at[-1]
        return array[(*row, k)], array[(*row, k + 1)], array[(*row, k + 2)], array[(*row, k + 3)]

    take_four = read_four

    @device
    def put_four(array: Any, at: Any, a: Any, b: Any, c: Any, d: Any) -> None:
        """Write entry `at` and the three after it."""
        for k, value in enumerate((a, b, c, d)):
            array[(*at[:-1], at[-1] + k)] = value

else:
    from llvmlite import ir
    from numba.core import types as numba_types
    from numba.cuda.extending import intrinsic

    types: Any = numba_types
    BYTES = 16  # that are read at once

    def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        """Where the four begin, as a pointer to a vector of four."""
        kind, index = signature.args[:2]
        array = context.make_array(kind)(context, builder, args[0])
        wide = ir.IntType(64)
        sizes = [builder.extract_value(array.shape, n) for n in range(kind.ndim)]
        offset = ir.Constant(wide, 0)
        for n in range(kind.ndim):
            part = context.cast(builder, builder.extract_value(args[1], n), index[n], types.int64)
            offset = builder.add(builder.mul(offset, sizes[n]), part)
        number = context.get_data_type(kind.dtype)
        return builder.bitcast(builder.gep(array.data, [offset]), ir.VectorType(number, 4).as_pointer())

    def _loaded(array: Any, at: Any, *, constant: bool) -> Any:
        four = types.UniTuple(array.dtype, 4)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = builder.load(_pointer(context, builder, signature, args), align=BYTES)
            if constant:
                vector.set_metadata("invariant.load", builder.module.add_metadata([]))
            numbers = [builder.extract_element(vector, ir.Constant(ir.IntType(32), n)) for n in range(4)]
            return context.make_tuple(builder, signature.return_type, numbers)

        return four(array, at), code

    @intrinsic
    def read_four(typing: Any, array: Any, at: Any) -> Any:
        """Entries `at` and the three after it; nothing may write to them while the kernel runs."""
        return _loaded(array, at, constant=True)

    @intrinsic
    def take_four(typing: Any, array: Any, at: Any) -> Any:
        """Entries `at` and the three after it."""
        return _loaded(array, at, constant=False)

    @intrinsic
    def put_four(typing: Any, array: Any, at: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        """Write entry `at` and the three after it."""
        number = array.dtype

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.Constant(ir.VectorType(context.get_data_type(number), 4), ir.Undefined)
            for n in range(4):
                vector = builder.insert_element(vector, args[2 + n], ir.Constant(ir.IntType(32), n))
            builder.store(vector, _pointer(context, builder, signature, args), align=BYTES)
            return context.get_dummy_value()

        return types.void(array, at, number, number, number, number), code
