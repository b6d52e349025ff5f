"""Blocks: the checked pieces from which journals and checkpoints are made.

A block is a prefix, a JSON header and arrays, verbatim. Prefix, header and every array carry a CRC-32, so a block that
was cut short or damaged is never taken for a whole one, and each array can be read by itself.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

_PREFIX = struct.Struct("<4sIIIQ")  # magic, kind, header length, header CRC, data length; then the CRC of these
_CRC = struct.Struct("<I")
_MAGIC = b"BRCN"
PREFIX_BYTES = _PREFIX.size + _CRC.size


class DamagedError(Exception):
    """A block, or a part of it, is not what was written."""


class TornError(DamagedError):
    """A block whose end is missing, as a kill leaves it."""

    def __init__(self) -> None:
        super().__init__("cut short")


@dataclass(frozen=True)
class Block:
    """Where a block lies in its file; offsets and lengths in bytes."""

    kind: int
    offset: int
    header_bytes: int
    header_crc: int
    data_bytes: int

    @property
    def data_offset(self) -> int:
        return self.offset + PREFIX_BYTES + self.header_bytes

    @property
    def end(self) -> int:
        return self.data_offset + self.data_bytes


def raw(array: np.ndarray) -> memoryview:
    """The bytes of an array in C order."""
    if array.dtype.hasobject:
        raise TypeError(f"an array of Python objects ({array.dtype}) cannot be stored")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same bits."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a is b or not len(a):
        return True
    word = np.uint8 if a.nbytes % 8 else np.uint64
    return raw(a[:1]) == raw(b[:1]) and np.array_equal(np.frombuffer(raw(a), word), np.frombuffer(raw(b), word))


def entry(array: np.ndarray) -> dict[str, Any]:
    """How an array is described in a header."""
    return {"dtype": array.dtype.str, "shape": list(array.shape), "crc": zlib.crc32(raw(array))}


def entry_bytes(described: Mapping[str, Any]) -> int:
    """Size of a described array, in bytes."""
    return int(np.dtype(described["dtype"]).itemsize * np.prod(described["shape"], dtype=np.int64))


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} {value!r} cannot be written as JSON")


def to_json(value: object) -> str:
    """JSON of plain values, NumPy scalars and paths; floats keep every bit."""
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str | bytes) -> dict[str, Any]:
    """The table that `to_json` wrote."""
    value: dict[str, Any] = json.loads(text)
    return value


def encode(kind: int, header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> list[bytes | memoryview]:
    """The pieces of a block, to be written one after another."""
    text = to_json(header).encode()
    data = [raw(array) for array in arrays]
    prefix = _PREFIX.pack(_MAGIC, kind, len(text), zlib.crc32(text), sum(piece.nbytes for piece in data))
    return [prefix + _CRC.pack(zlib.crc32(prefix)) + text, *data]


def write(file: IO[bytes], pieces: Sequence[bytes | memoryview]) -> None:
    """Write all pieces, however the system splits them."""
    for piece in pieces:
        rest = memoryview(piece)
        while rest.nbytes:
            rest = rest[file.write(rest) :]


def find(file: IO[bytes], offset: int, size: int) -> Block:
    """The whole block at `offset` of a file of `size` bytes."""
    file.seek(offset)
    prefix = file.read(PREFIX_BYTES)
    if len(prefix) < PREFIX_BYTES:
        raise TornError
    if _CRC.unpack_from(prefix, _PREFIX.size)[0] != zlib.crc32(prefix[: _PREFIX.size]):
        raise DamagedError("not a block")
    magic, kind, header_bytes, header_crc, data_bytes = _PREFIX.unpack_from(prefix)
    block = Block(kind, offset, header_bytes, header_crc, data_bytes)
    if magic != _MAGIC:
        raise DamagedError("not a block")
    if block.end > size:
        raise TornError
    return block


def read_header(file: IO[bytes], block: Block) -> dict[str, Any]:
    """The header of a block."""
    file.seek(block.offset + PREFIX_BYTES)
    text = file.read(block.header_bytes)
    if zlib.crc32(text) != block.header_crc:
        raise DamagedError("its header is damaged")
    return from_json(text)


def read_array(file: IO[bytes], offset: int, described: Mapping[str, Any]) -> np.ndarray:
    """The array described by `described` whose bytes begin at `offset`."""
    array = np.empty(tuple(described["shape"]), described["dtype"])
    buffer = array.reshape(-1).view(np.uint8).data
    file.seek(offset)
    done = 0
    while done < buffer.nbytes:
        got = file.readinto(buffer[done:])  # type: ignore[attr-defined]
        if not got:
            raise TornError
        done += got
    if zlib.crc32(buffer) != described["crc"]:
        raise DamagedError("an array is damaged")
    return array


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last through a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync(file: IO[bytes]) -> None:
    """Make what was written to a file last through a loss of power."""
    file.flush()
    os.fsync(file.fileno())
