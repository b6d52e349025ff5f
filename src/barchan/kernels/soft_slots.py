"""How many floats the contacts of soft spheres hand to others."""

from __future__ import annotations

SLOTS = 9  # floats a pair hands to its grains: force on the first, torque on the first, torque on the second
WALL_SLOTS = 13  # force on the grain, torque on it, normal from the wall, velocity of the wall, Coulomb's limit
WALL_WORKS = 4  # work done against a contact: normal, friction, rolling; work done by the wall on the grain
