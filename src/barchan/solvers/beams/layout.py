"""Columns and entries of the arrays that the solver `beams` and its kernels share."""

from __future__ import annotations

PREDICT, PLACE, FIND, PUSH, WALLS, BEND, ACCELERATE, DAMP, CORRECT = range(9)  # phases of a step
WHIRL = 3  # row of a triangle's state that is its angular momentum about the origin
# Columns of what an overlap does: force on the first and torques on both, normal and by friction; energy; area; kind;
# where; energy in the spring of friction, and the mode of that.
OVERLAP_COLUMNS = 15
(
    PUSH_X, PUSH_Z, TURN_FIRST, TURN_SECOND, DRAG_X, DRAG_Z, DRAG_TURN_FIRST, DRAG_TURN_SECOND, STORED, AREA, KIND,
    POINT_X, POINT_Z, HELD, MODE,
) = range(OVERLAP_COLUMNS)  # fmt: skip
EXACT = 6  # `kind` of an overlap that has an energy; 1 … 5 are those of Pöschel and Buchholtz (1995)
FULL = 5.0 / 3.0  # of the energy in `exact` contact, see `squeezed`
HOLDS, SLIDES = 1, 2  # modes of a contact, as recordings tell them
# Columns of `load`: force (N) and counter-clockwise torque (N m) of contacts and of friction; energy stored at smooth
# walls (J), the largest area behind one (m²), the smooth wall that absorbs the triangle, counted from 1, or 0, the
# area that lies in other triangles (m²), and the energy in the springs of friction at smooth walls (J).
LOADS = 11
(
    LOAD_X, LOAD_Z, LOAD_TURN, DRAG_LOAD_X, DRAG_LOAD_Z, DRAG_LOAD_TURN, WALL_STORED, WALL_AREA, TAKEN, COVERED,
    WALL_HELD,
) = range(LOADS)  # fmt: skip
# Then for every smooth wall: the force of its contact (N), the contact point (m), the area behind it (m²) and its mode.
WALL_COLUMNS = 6
WALL_X, WALL_Z, WALL_POINT_X, WALL_POINT_Z, WALL_PART, WALL_MODE = range(WALL_COLUMNS)
FLAT, ROUND = 0, 1  # kinds of smooth walls
SEVERAL = -3  # instead of the other triangle, where several lie in one
# The first three numbers of `limit` are where a beam breaks (share of its length, N, N m), the others where it yields
# (N, N m); infinite where it does not.
WHOLE, BY_STRETCH, BY_FORCE, BY_MOMENT = range(4)  # states of a beam
# `yielded` of a beam: 0 not, 1 for good, CRUSHED once it was pressed to less than that share of its length. Stiffness
# against shear goes with one over the square of its present length: sixteenfold there, and steps are soon too long.
CRUSHED, LEAST_LENGTH = 2, 0.25
# Columns of what a beam does: forces on its second end (the first end's are opposite), torques, energy, loss.
BEAM_COLUMNS = 7
BEAM_X, BEAM_Z, BEAM_TURN_FIRST, BEAM_TURN_SECOND, BEAM_STORED, BEAM_LOSS, BEAM_LENGTH = range(BEAM_COLUMNS)
# Columns of `work`: J taken from a triangle by pushes and friction, given by smooth walls likewise; then powers, W.
WORKS = 8
