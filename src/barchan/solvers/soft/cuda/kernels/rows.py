"""How grains, rows of near spheres and walls are kept on the GPU."""

from __future__ import annotations

from typing import Any, NamedTuple

TOUCHED = 1 << 30  # in an entry of a row: the two were touching, and the memory beside it holds something
IMAGE = 1 << 29  # and that not both may be where they are: the nearest image of the other must be found
ROW = IMAGE - 1  # the other sphere's index


def wide(floats: int) -> int:
    """How many numbers are kept for a memory of that many: one, or some fours, which are read at once."""
    return 1 if floats == 1 else 4 * -(-floats // 4)


class CudaArrays(NamedTuple):
    """What the kernels of `motion.py` read and write, besides places and motions.

    Rows that neighbours read are kept whole, one after another; what a thread alone reads lies in columns, so that
    neighbouring threads read neighbouring addresses. Other names are as in `solvers/soft/arrays.py`.
    """

    grains: int
    spheres: int
    kinds: int
    lever: float  # m², the square of how far a sphere is from its grain's centre at most
    moving: int  # 1 where every step of a batch has poses of its own, 0 where walls stand still
    halt: Any  # int32, by step of a batch
    swallowed: Any  # int32, likewise
    start: Any
    grain: Any
    offset: Any
    material: Any
    position: Any
    velocity: Any
    orientation: Any
    angular: Any
    turn: Any
    inertia: Any
    force: Any
    torque: Any
    held: Any
    felt: Any  # (6, M) force and torque by sphere, where a grain has several
    origin: Any
    wear: Any
    row: Any  # (N,) where the grain stands on the host
    pair_count: Any  # (M,)
    pair_other: Any  # (room, M) int32
    pair_memory: Any  # (room, M, wide(floats))
    book: Any  # (GPU_WORKS, M) J
    deep: Any  # (M,) deepest overlap so far, over the smaller radius
    deep_with: Any  # (M,) with whom: a row of the host, or −1 − a piece
    wall_start: Any
    wall_piece: Any
    wall_memory: Any
    wall_slots: Any
    wall_gap: Any
    wall_seam: Any
    poses: Any  # (steps, F, 16)
    frame: Any
    mesh: Any
    facet_table: Any
    kind: Any
    shape_table: Any
    piece_material: Any
    absorbing: Any
    table: Any
    wall_table: Any
    box: Any
    inverse: Any
    gravity: Any
    freedom: Any
    stiction: Any
