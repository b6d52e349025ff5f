"""What grains can be coloured by: numbers for each grain of a frame, with a name, a unit and a colour map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from barchan.errors import FileError, Finding
from barchan.frame import Frame
from barchan.measures.grains import contact_number, contact_points, contact_sum, pressure, slipping
from barchan.parts.observables import unit_in
from barchan.scene import Scene

Setting = Scene | Sequence[Any] | None  # a scene, or its walls, or bare shapes, in the order of `frame.wall_pose`


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

    def values(self, frame: Frame, setting: Setting = None) -> np.ndarray:
        """The values in this frame of a scene; FileError where it holds no contacts and they are asked for."""
        if self.from_contacts and not frame.has("contacts"):
            remedy = "record them: --set record.contacts=true"
            raise FileError(Finding(self.name, "needs contacts, which this run did not record", remedy=remedy))
        if self is QUANTITIES["stress"]:
            return pressure(frame, grain_volume(frame, setting), flat=is_flat(setting))
        return np.asarray(self.of(frame), float)

    def unit_in(self, setting: Setting) -> str:
        """The unit of the values in this scene."""
        return unit_in(self.unit, flat=is_flat(setting))


def is_flat(setting: Setting) -> bool:
    """Whether this is a scene in two dimensions."""
    return isinstance(setting, Scene) and setting.dimensions == 2


def grain_volume(frame: Frame, setting: Setting) -> np.ndarray:
    """(N,) m³ of material in each grain; in two dimensions areas, m². Without a scene, of single spheres."""
    if isinstance(setting, Scene):
        from barchan.model.solids import solid

        return solid(setting, frame)
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
