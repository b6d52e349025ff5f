"""Arrays on their way to the page: a header in JSON, then the numbers, little-endian."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

KINDS = {"f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "u1"}


def pack(arrays: Mapping[str, np.ndarray], about: Mapping[str, Any], *, coarse: bool = False) -> bytes:
    """Arrays of float, uint32 and uint8 as one block with what is to be said `about` them.

    `coarse` stores floats as 16 bits between the least and the greatest of each column.
    """
    entries: dict[str, Any] = {}
    pieces: list[bytes] = []
    size = 0
    for name, array in arrays.items():
        kind, stored, ends = _stored(np.asarray(array), coarse)
        data = stored.tobytes()
        data += bytes(-len(data) % 4)  # so that the next one begins where typed arrays may
        entries[name] = [kind, list(stored.shape), size, *ends]
        pieces.append(data)
        size += len(data)
    head = json.dumps({"arrays": entries, "about": about}).encode()
    head += b" " * (-len(head) % 4)
    return b"".join([struct.pack("<I", len(head)), head, *pieces])


def _stored(array: np.ndarray, coarse: bool) -> tuple[str, np.ndarray, list[list[float]]]:
    if array.dtype.kind in "bu" and array.dtype.itemsize == 1:
        return "u1", np.ascontiguousarray(array, "u1"), []
    if array.dtype.kind in "iu":
        return "u4", np.ascontiguousarray(array, "<u4"), []
    if not coarse:
        return "f4", np.ascontiguousarray(array, "<f4"), []
    flat = array.reshape(len(array), int(np.prod(array.shape[1:])))
    sound = np.where(np.isfinite(flat), flat, 0.0)
    low = sound.min(axis=0) if len(flat) else np.zeros(flat.shape[1])
    high = sound.max(axis=0) if len(flat) else np.ones(flat.shape[1])
    steps = np.rint((sound - low) / np.where(high > low, high - low, 1.0) * 65534.0) + 1.0
    kept = np.where(np.isfinite(flat), steps, 0.0)  # 0 stands for what is not a number
    return "u2", np.ascontiguousarray(kept.reshape(array.shape), "<u2"), [low.tolist(), high.tolist()]
