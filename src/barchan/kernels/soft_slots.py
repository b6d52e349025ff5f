"""How many floats the contacts of soft spheres with walls hand to others."""

from __future__ import annotations

WALL_SLOTS = 13  # force on the grain, torque on it, normal from the wall, velocity of the wall, Coulomb's limit
WALL_WORKS = 4  # work done against a contact: normal, friction, rolling; work done by the wall on the grain
