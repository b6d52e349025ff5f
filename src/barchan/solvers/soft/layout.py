"""Columns and entries of the arrays that the soft-sphere solver and its kernels share."""

from __future__ import annotations

LANES = 16  # contacts in a block, whose numbers of one kind stand side by side
STRIP = 16  # blocks of pairs that share what is kept of their work and overlaps
CHUNK = 4  # strips of pairs, after which the grains that have all of theirs add them up
# Columns of the table of parts: the strips of a part, the grains, the pairs, and where its ring begins.
STRIP_FROM, STRIP_TO, GRAIN_FROM, GRAIN_TO, PAIR_FROM, PAIR_TO, BASE = range(7)
# Columns of `spans`, (N + 1, 3): where the pairs begin in which a grain is first, those in which it is second, and its
# contacts with walls; they end where those of the next one begin.
PAIRS, LINKS, WALLS = range(3)
WALL_SLOTS = 13  # force on the grain, torque on it, normal from the wall, velocity of the wall, Coulomb's limit
WALL_WORKS = 4  # work done against a contact: normal, friction, rolling; work done by the wall on the grain
GPU_WORKS = 8  # work against pairs (3) and walls (4) as on the CPU, J, and potential energy taken out by wrapping, J
# What `seam` says of a near contact: that it counts; that the sphere's centre is behind the surface; that it does not
# count; or, from 0 on, which contact stands for it.
TOUCHES, BEHIND, DROPPED = -1, -2, -3
# Entries of `hop`: how far a step may move a grain against a wall which it could reach, in radii of its smallest
# sphere; the radius of the smallest sphere of all, how far a sphere is from its grain's centre at most, and how far any
# may go until a list is made anew, m; 1 after a pass that has found a grain which was moved farther.
HOP_LIMIT, HOP_RADIUS, HOP_LEVER, HOP_LEEWAY, HOPPED = range(5)
# Columns of `drag`: coefficient (N s/m), energy lost to the background so far (J), the present power of that loss (W),
# work of the background's flow on the grains so far (J), its present power (W), and the middle of the box (m).
DRAG_COLUMNS = 8
DRAG, DRAG_LOSS, DRAG_POWER, FLOW_WORK, FLOW_POWER, MIDDLE = range(6)
# Columns of `held`, what stiction does to a grain: J that it has taken, J of walls through it, present powers of both
# (W), and its force (N).
HELD_COLUMNS = 7
HELD_LOSS, HELD_WORK, HELD_LOSS_POWER, HELD_WORK_POWER, HELD_FORCE = range(5)
# Columns of `tether`: anchor (m), stiffness (N/m), damping (N s/m), length at rest (m), energy lost so far (J), and the
# present power of that loss (W).
TETHER_COLUMNS = 8
TETHER_STIFFNESS, TETHER_DAMPING, TETHER_LENGTH, TETHER_LOSS, TETHER_POWER = range(3, TETHER_COLUMNS)
STATE = 13  # numbers a grain: position, velocity, quaternion, angular velocity
SAVE, SET, SLOPES, DIFFERENCE, SURPRISE = range(5)  # what `all_grains` does
STAGE, ACCEPTED, REJECTED, MOVED, KNOWN = range(5)  # entries of `cursor`; KNOWN: the first stage's slopes are
# Entries of `clock`, s: time, next step, this step, time of the pair list, shortest and longest accepted step.
CLOCK, NEXT, STEP, LISTED, SHORTEST, LONGEST = range(6)
# Entries of `controls`: tolerance, shortest and longest step (s), fastest walls and grains (m/s), share of a radius
# that a step may move a grain against a wall.
TOLERANCE, LEAST, MOST, WALL_SPEED, GRAIN_SPEED, SHARE = range(6)
# Entries of `strayed`: m that walls have gone since the list was made, m that they may; 1/m, over the smallest leeway.
GONE_BY_WALLS, MAY_STRAY, PER_LEEWAY = range(3)
# Why steps end: they are done; the list is worn and, on a GPU, a drift is pending; a wall has taken a grain; a step was
# too long at a wall; a drift is pending, and the next step may be too long. On a GPU several may be set.
DONE, WORN, SWALLOWED, TOO_FAR, FAST = 0, 1, 2, 4, 8
ROLLING_STEPS = 8.0  # rolling resistance may not stop a spin in fewer steps than this
TINY = 1e-100  # keeps divisions finite
