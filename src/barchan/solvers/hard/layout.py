"""Columns and entries of the arrays that the hard-sphere solver and its kernels share."""

from __future__ import annotations

# Columns of `grain`, float64. The first eight, one cache line, are all that a prediction reads.
GRAIN_COLUMNS = 16
X, Y, Z, VX, VY, VZ, CLOCK, RADIUS, WX, WY, WZ, MASS, LAST, MATERIAL, MEETS, LEAVES = range(GRAIN_COLUMNS)
PLACE, VELOCITY, SPIN = slice(X, X + 3), slice(VX, VX + 3), slice(WX, WX + 3)
# `CLOCK` of a grain that a sticky wall holds. Its place is then in the coordinates of the wall's frame, `LAST` its
# number.
HELD = -1e300
# Columns of `link`, int32, by grain: one cache line. CELL_X … say which cell along each axis.
LINK_COLUMNS = 16
NEXT, PREVIOUS, WHERE, PARTNER, PARTNER_COUNT, COUNT, CELL, FACE, CELL_X, CELL_Y, CELL_Z = range(11)
CELLS = slice(CELL_X, CELL_X + 3)
NOWHERE = -1  # `WHERE` of a grain without an entry in the calendar
ANY_HELD = 6  # entry of `cells`, after their numbers and whether axes are periodic: how many grains walls hold
# Entries of `space`, float64: period and half of it, gravity, corner and size of cells; contact time; slowest
# speeds at rest; how far a grain that is held may go before it is looked up in which cell it is; speed
# below which collisions may be made elastic.
SPACE = 20
PERIOD, HALF, GRAVITY, CORNER, SIZE, CONTACT_TIME, REST, ELASTIC_REST, MARGIN, SLOW = 0, 3, 6, 9, 12, 15, 16, 17, 18, 19
# Entries of `book`, float64, J: dissipation normal and tangential, work of walls, kept by the rule of contact time,
# given at rest, potential energy left behind at periodic faces; deepest overlap over the smaller radius; and from
# VIRIAL on, row by row, Σ impulse ⊗ branch, J s, with the impulse on a grain and the branch to its centre from the
# other's, or from where it touches a wall.
BOOK = 16
NORMAL, TANGENTIAL, WALL_WORK, SPARED, REST_WORK, SHIFTED, DEEPEST, VIRIAL = range(8)
# Entries of `tally`, int64.
TALLY = 12
PAIRS, WALLS, CROSSINGS, STALE, TIMED, RESTED, OVERLAPS, EVENTS, OUTER, LOOKS, STALLED, GONE = range(TALLY)
# Entries of `calendar`, float64: first moment of bin 0 of this turn, width of bins, s, and its inverse.
ORIGIN, WIDTH, NARROWNESS = range(3)
# Columns of `piece`, int64: frame, which gap, material, and whether it takes grains away or holds them.
FRAME, GAP, PIECE_MATERIAL, GRIP = range(4)
ABSORBING, STICKY = 1, 2  # values of GRIP
# Columns of `frame`, int64: first and last + 1 of its motions, and how much is known of the way its surface moves.
CLASS = 2
STILL, SPINNING, SHIFTING, TURNING, WILD = range(5)
# Columns of `rest`, float64, by frame: origin and quaternion; since when it moves; matrix from the scene's axes to its
# own; 1 where its pieces are round; speed and acceleration of shifts, rate of turning, pivot, and how far it may be
# from there, in m and in m/s; moments when that changes.
BEGUN, MATRIX, ROUND, SHIFT, JOLT, TURN, PIVOT, WANDER, ROAM, BREAKS = 7, 8, 17, 18, 19, 20, 21, 24, 25, 26
ARRIVED, PAUSED, SPREAD, STUCK = range(4)  # why `advance` comes back
