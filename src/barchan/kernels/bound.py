"""Stand-ins for what is bound into the kernels of a scene: its laws, its wall surfaces and its switches.

A kernel file that imports from here is a template: `compile.bind` writes a copy of it in which this import is
replaced by the scene's own functions and constants. Read as it stands, it is ordinary Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MEMORY = 1  # floats that a contact remembers, at least one
VECTOR = False  # the first three are a vector that follows the contact plane
PATH = False  # the first is a length
WALL_MEMORY = 1
WALL_VECTOR = False
WALL_PATH = False
MESHES = False  # walls of many facets
SERVOS = False  # walls that are moved by forces
STICKS = False  # the law has a quicker form for pairs that do not slide
BRANCH = False  # pass over pairs that do not touch, instead of computing all alike
CLUMPS = False  # grains of several spheres
PERIODIC = False
REPEATED = False  # the periodic box repeats walls
DEFORMS = False  # the periodic box deforms
ROLLING = False
STICTION = False
MATERIALS = False  # more than one kind of pair
ADAPTIVE = False  # steps of Runge–Kutta, in which grains do not drift by themselves
FLAT = False  # two dimensions: vectors have the components x and z
WALLS = False

# Of kernels for the GPU: the type of all but positions, and what keeps divisions finite in it.
REAL = np.float64
TINY = 1e-100

# Named tuples that kernels are given.
Arrays = Any  # of the method
Grids = Any  # of meshes: `grids.Grids`

# overlap, closing, slip (3), radius, mass, step, half, memory (6), constants (12) -> normal, friction (3), memory (6)
law: Callable[..., tuple[float, ...]]
law_at_rest: Callable[..., tuple[float, ...]]  # the same where nothing slides, and no number where something does
wall_law: Callable[..., tuple[float, ...]]
device_law: Callable[..., tuple[float, ...]]  # the same two for the GPU, of type REAL
device_wall_law: Callable[..., tuple[float, ...]]
# overlap, radius, mass, memory (6), table of constants, row -> normal J, tangential J
stored: Callable[..., tuple[float, float]]
wall_stored: Callable[..., tuple[float, float]]
# kind, x, y, z, table of parameters, row -> distance, normal (3)
surface_gap: Callable[..., tuple[float, float, float, float]]
# kind, time, table of parameters, row -> displacement (3), quaternion (4), velocity (3), spin (3)
motion_path: Callable[..., tuple[float, ...]]
# time, six parameters -> lengths of the box over those at the start (3), logarithmic rates (3)
box_course: Callable[..., tuple[float, ...]]
# kind, approach speed, three constants -> restitution of hard spheres
rebound: Callable[..., float]
# overlap, effective radius, table of constants, row -> energy J, force N, stiffness N/m
push: Callable[..., tuple[float, float, float]]
