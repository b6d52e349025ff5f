"""What the solver `relax` and its kernels both count by."""

from __future__ import annotations

BLOCK = 256  # grains
SUMS = 5  # energy, contact forces, overlaps, contacts (each counted from both sides), largest force squared
EDGE, NEGATIVE, ACCURATE = 1, 2, 3  # why the conjugate gradients ended
