"""Rows into lanes and back: sixteen rows of a table as columns side by side, as vector instructions want them.

What a contact reads lies in rows, one for each sphere or grain; read number by number, it takes longer than to compute
with it. Here rows are read whole, eight at a time, and turned by exchanging ever larger parts of them, in registers.
They are written in LLVM's own terms, because no loop of numbers becomes such code; every processor can do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

from barchan.solvers.soft.layout import LANES

HALF = 8
AT_ONCE = 4  # rows that `add_first` and `add_second` add up without asking how many there are
LINE = 8  # floats in a line of the cache

_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_REAL = ir.DoubleType()
_EIGHT = ir.VectorType(_REAL, HALF)

# Which numbers of two rows of eight make up two new ones: parts of one, two or four numbers change places.
_EXCHANGES = (
    ((0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)),
    ((0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)),
    ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)),
)


class Eight(types.Type):
    """Eight floats in one register."""

    def __init__(self) -> None:
        super().__init__("Eight")


EIGHT = Eight()


@register_model(Eight)
class _EightModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _EIGHT)


def _mixed(builder: Any, one: Any, other: Any, order: Sequence[int]) -> Any:
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(_INDEX, len(order)), list(order)))


def _turned(builder: Any, rows: list[Any]) -> list[Any]:
    """Eight rows of eight as their columns; or four rows, of which the halves are turned each by themselves."""
    for step, exchange in enumerate(_EXCHANGES):
        gap = 1 << step
        if gap == len(rows):
            break
        pairs = [(k, k + gap) for k in range(len(rows)) if not k & gap]
        turned = list(rows)
        for low, high in pairs:
            turned[low], turned[high] = (_mixed(builder, rows[low], rows[high], order) for order in exchange)
        rows = turned
    return rows


def _spot(context: Any, builder: Any, kind: Any, array: Any, index: Any, offset: int = 0) -> Any:
    """The address of array[index + offset], the array taken as one row of numbers."""
    if offset:
        index = builder.add(index, ir.Constant(_WORD, offset))
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


def _load(builder: Any, spot: Any, count: int) -> Any:
    return builder.load(builder.bitcast(spot, ir.VectorType(_REAL, count).as_pointer()), align=8)


def _store(builder: Any, value: Any, spot: Any) -> None:
    builder.store(value, builder.bitcast(spot, value.type.as_pointer()), align=8)


def _whole(builder: Any, number: Any) -> Any:
    return builder.zext(number, _WORD) if number.type.width < 64 else number


def _to_lanes(width: int) -> Any:
    @intrinsic
    def collect(typing: Any, table: Any, index: Any, at: Any, out: Any, to: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, index, at, out, to = arguments
            table_kind, index_kind, _, out_kind, _ = signature.args
            for half in range(0, LANES, HALF):
                rows = []
                for k in range(half, half + HALF):
                    row = _whole(builder, builder.load(_spot(context, builder, index_kind, index, at, k)))
                    begin = builder.mul(row, ir.Constant(_WORD, width))
                    rows.append(_load(builder, _spot(context, builder, table_kind, table, begin), width))
                if width < HALF:
                    rows = [_mixed(builder, rows[k], rows[k + width], range(HALF)) for k in range(width)]
                for column, lanes in enumerate(_turned(builder, rows)):
                    _store(builder, lanes, _spot(context, builder, out_kind, out, to, column * LANES + half))
            return context.get_dummy_value()

        return types.void(table, index, at, out, to), generate

    return collect


# Of a table (·, 4) or (·, 8) the rows index[at] … index[at + 15] as columns of sixteen, from out[to] on.
fours_to_lanes = _to_lanes(4)
eights_to_lanes = _to_lanes(8)


@intrinsic
def lanes_to_rows(typing: Any, lanes: Any, at: Any, width: Any, out: Any, to: Any) -> Any:
    """Columns of sixteen, from lanes[at] on, as sixteen rows of `width` (8 or 12, a literal) from out[to] on."""
    if not isinstance(width, types.IntegerLiteral):
        return None
    columns = width.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, at, _, out, to = arguments
        kind, _, _, out_kind, _ = signature.args

        def column(number: int, half: int) -> Any:
            return _load(builder, _spot(context, builder, kind, lanes, at, number * LANES + half), HALF)

        for half in range(0, LANES, HALF):
            for k, row in enumerate(_turned(builder, [column(c, half) for c in range(HALF)])):
                _store(builder, row, _spot(context, builder, out_kind, out, to, (half + k) * columns))
            rest = columns - HALF
            if rest:
                for k, row in enumerate(_turned(builder, [column(HALF + c, half) for c in range(rest)])):
                    for part in range(0, HALF, rest):
                        piece = _mixed(builder, row, row, range(part, part + rest))
                        spot = _spot(context, builder, out_kind, out, to, (half + part + k) * columns + HALF)
                        _store(builder, piece, spot)
        return context.get_dummy_value()

    return types.void(lanes, at, width, out, to), generate


def _added(builder: Any, total: Any, row: Any, lever: int, sign: float) -> Any:
    """total + row, of which the first three numbers are times `sign`, the others times number `lever` of the row."""
    weight = _mixed(builder, ir.Constant(_EIGHT, [sign] * HALF), row, [0, 1, 2, *[HALF + lever] * 5])
    return builder.fadd(total, builder.fmul(row, weight))


@intrinsic
def nothing(typing: Any) -> Any:
    """Eight zeros, to begin a sum with."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(_EIGHT, [0.0] * HALF)

    return EIGHT(), generate


@intrinsic
def add_first(typing: Any, total: Any, rows: Any, begin: Any, end: Any, base: Any, mask: Any, none: Any) -> Any:
    """total, and what pairs begin … end − 1, AT_ONCE at most, do to their first grain.

    The row of a pair is base + (pair & mask): a force, a torque per lever, and the levers of the first and the second
    grain. Instead of rows that are not there row `none` is added, which is zero: that is quicker than to ask.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, rows, begin, end, base, mask, none = arguments
        for k in range(AT_ONCE):
            pair = builder.add(begin, ir.Constant(_WORD, k))
            number = builder.add(base, builder.and_(pair, mask))
            number = builder.select(builder.icmp_signed("<", pair, end), number, none)
            spot = _spot(context, builder, signature.args[1], rows, builder.mul(number, ir.Constant(_WORD, HALF)))
            total = _added(builder, total, _load(builder, spot, HALF), 6, 1.0)
        return total

    return EIGHT(total, rows, begin, end, base, mask, none), generate


@intrinsic
def add_second(typing: Any, total: Any, rows: Any, links: Any, begin: Any, end: Any, none: Any) -> Any:
    """total, and what rows links[begin] … links[end − 1], AT_ONCE at most, do to their second grain.

    There must be numbers to read behind the last link.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, rows, links, begin, end, none = arguments
        for k in range(AT_ONCE):
            at = builder.add(begin, ir.Constant(_WORD, k))
            number = _whole(builder, builder.load(_spot(context, builder, signature.args[2], links, at)))
            number = builder.select(builder.icmp_signed("<", at, end), number, none)
            spot = _spot(context, builder, signature.args[1], rows, builder.mul(number, ir.Constant(_WORD, HALF)))
            total = _added(builder, total, _load(builder, spot, HALF), 7, -1.0)
        return total

    return EIGHT(total, rows, links, begin, end, none), generate


@intrinsic
def add_row(typing: Any, total: Any, rows: Any, number: Any, second: Any) -> Any:
    """total, and what one row does to its first grain, or to its second (a literal 0 or 1)."""
    if not isinstance(second, types.IntegerLiteral):
        return None
    lever, sign = (7, -1.0) if second.literal_value else (6, 1.0)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, rows, number, _ = arguments
        number = builder.mul(_whole(builder, number), ir.Constant(_WORD, HALF))
        spot = _spot(context, builder, signature.args[1], rows, number)
        return _added(builder, total, _load(builder, spot, HALF), lever, sign)

    return EIGHT(total, rows, number, second), generate


@intrinsic
def six_of(typing: Any, total: Any) -> Any:
    """The first six of eight numbers: a force and a torque."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        parts = [builder.extract_element(arguments[0], ir.Constant(_INDEX, k)) for k in range(6)]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.containers.UniTuple(types.float64, 6)(total), generate


def _ask_for(builder: Any, spot: Any) -> None:
    """Let the processor fetch a line of memory into its second cache, while it goes on."""
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    builder.call(function, [builder.bitcast(spot, byte), word(0), word(2), word(1)])  # to read, second cache, data


@intrinsic
def ask_for_rows(typing: Any, table: Any, width: Any, index: Any, at: Any) -> Any:
    """Of a table with rows of `width` (a literal), ask for the rows index[at] … index[at + 15], wanted soon."""
    if not isinstance(width, types.IntegerLiteral):
        return None
    columns = width.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, _, index, at = arguments
        table_kind, _, index_kind, _ = signature.args
        for k in range(LANES):
            row = _whole(builder, builder.load(_spot(context, builder, index_kind, index, at, k)))
            begin = builder.mul(row, ir.Constant(_WORD, columns))
            _ask_for(builder, _spot(context, builder, table_kind, table, begin))
        return context.get_dummy_value()

    return types.void(table, width, index, at), generate


@intrinsic
def ask_for_lines(typing: Any, array: Any, at: Any, count: Any) -> Any:
    """Ask for so many lines (a literal) of an array from array[at] on, wanted soon."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    lines = count.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, _ = arguments
        for line in range(lines):
            _ask_for(builder, _spot(context, builder, signature.args[0], array, at, LINE * line))
        return context.get_dummy_value()

    return types.void(array, at, count), generate
