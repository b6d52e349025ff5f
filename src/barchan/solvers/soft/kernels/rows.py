"""What a pair of soft spheres hands to its grains, a row of floats each, and to the books. A template: see `bound.py`.

It is the force on the first and the torques on either. On single spheres that do not resist rolling both torques are
along one vector: then it is that vector, and the levers of the two.
"""

from __future__ import annotations

import numpy as np

from barchan.kernels.bound import CLUMPS, DEFORMS, ROLLING

U = np.uint64

LEVERS = not CLUMPS and not ROLLING
SLOTS = 8 if LEVERS else 12  # floats a row; of twelve, nine are in use
WORKS = 4 if DEFORMS else 3  # work done against a pair: normal, friction, rolling; work of the box through it
