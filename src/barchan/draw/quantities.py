"""What grains can be coloured by: numbers for each grain of a frame, with a name, a unit and a colour map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from barchan.analysis.grains import contact_number, contact_points, contact_sum, pressure, slipping
from barchan.errors import FileError, Finding
from barchan.record.frame import Frame

Densities = Sequence[float] | None  # kg/m³ of every group, for what asks for the volume of a clump


@dataclass(frozen=True)
class Quantity:
    """A number for each grain, (N,)."""

    name: str
    unit: str
    colormap: str
    of: Callable[[Frame], np.ndarray]
    from_zero: bool = False  # the scale begins at 0 and leaves out the highest hundredth
    from_contacts: bool = False
    signed: bool = False  # the scale has 0 in its middle, where the colour map is pale

    def values(self, frame: Frame, densities: Densities = None) -> np.ndarray:
        """The values in this frame; FileError where it holds no contacts and they are asked for."""
        if self.from_contacts and frame.contacts is None:
            remedy = "record them: --set record.contacts=true"
            raise FileError(Finding(self.name, "needs contacts, which this run did not record", remedy=remedy))
        if self is QUANTITIES["stress"]:
            return pressure(frame, grain_volume(frame, densities))
        return np.asarray(self.of(frame), float)


def grain_volume(frame: Frame, densities: Densities) -> np.ndarray:
    """Volumes (N,) m³: from mass and density, or of single spheres from their radii."""
    if densities is not None:
        return frame.mass / np.asarray(densities, float)[frame.group]
    if len(frame.sphere_radius) != len(frame):
        raise FileError(Finding("stress", "needs the volume of clumps, which a frame does not hold", "colour by force"))
    return 4.0 / 3.0 * np.pi * frame.radius**3


def _part(name: str, axis: int) -> Callable[[Frame], np.ndarray]:
    return lambda frame: getattr(frame, name)[:, axis]


QUANTITIES: dict[str, Quantity] = {
    "speed": Quantity("speed", "m/s", "YlOrRd", lambda f: np.linalg.norm(f.velocity, axis=1), True),
    "spin": Quantity("spin", "rad/s", "YlGnBu", lambda f: np.linalg.norm(f.spin, axis=1), True),
    "size": Quantity("size", "m", "viridis", lambda f: 2.0 * f.radius),
    "id": Quantity("id", "", "turbo", lambda f: f.id),
    "born": Quantity("time of insertion", "s", "plasma", lambda f: f.born),
    "height": Quantity("height", "m", "viridis", _part("position", 2)),
    "force": Quantity("sum of contact forces", "N", "OrRd", contact_sum, True, True),
    "stress": Quantity("pressure in the grain", "Pa", "BuPu", lambda f: f.radius, True, True),
    "contacts": Quantity("contacts", "", "viridis", contact_number, False, True),
    "points": Quantity("contact points", "", "viridis", contact_points, False, True),
    "slip": Quantity("share of slipping contacts", "", "coolwarm", slipping, False, True),
    "mass": Quantity("mass", "kg", "viridis", lambda f: f.mass),
    **{axis: Quantity(axis, "m", "viridis", _part("position", k)) for k, axis in enumerate("xy")},
    **{f"v{axis}": Quantity(f"velocity along {axis}", "m/s", "coolwarm", _part("velocity", k), signed=True)
       for k, axis in enumerate("xyz")},
    **{f"w{axis}": Quantity(f"spin about {axis}", "rad/s", "coolwarm", _part("spin", k), signed=True)
       for k, axis in enumerate("xyz")},
}  # fmt: skip
