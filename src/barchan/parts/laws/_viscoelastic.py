"""What the three laws of Yee (2009) share: the viscoelastic normal force and its parameters."""

from __future__ import annotations

import math
from typing import Annotated, Any

from annotated_types import Ge

from barchan.parts.laws import Law, Surface
from barchan.parts.laws._normal import hertz_contact_time, viscoelastic_damping
from barchan.schema.quantities import PositiveSpeed, Unit

PAPER_DAMPING = 50.0  # kβ, N s/m^(3/2), where neither the law nor a material says anything about damping


class Viscoelastic(Law):
    """Base of the laws with Brilliantov's viscoelastic normal force."""

    damping: Annotated[float, Ge(0), Unit("N*s/m^1.5")] | None = None
    """The damping constant kβ of the normal force; left out, it follows from the materials' restitution, or is 50 where
    they state none."""
    damping_speed: PositiveSpeed = 1.0
    """The impact speed at which the materials' restitution holds; faster impacts lose more."""

    def normal_constants(self, surface: Surface) -> dict[str, float]:
        """The fields `stiffness` (N/m²: kα/√R*), `damping` and `damping_scale` of a law's constants."""
        if self.damping is not None or surface.restitution is None:
            damping, scale = PAPER_DAMPING if self.damping is None else self.damping, 0.0
        else:
            damping, scale = 0.0, viscoelastic_damping(surface.restitution) * self.damping_speed**-0.2
        return {"stiffness": (4 / 3) * surface.young, "damping": damping, "damping_scale": scale}

    def constants(self, surface: Surface) -> Any:
        return self.Constants(**self.normal_constants(surface), **self.friction_constants(surface))

    def friction_constants(self, surface: Surface) -> dict[str, float]:
        """The fields of the law's constants that concern friction."""
        raise TypeError(f"{type(self).__name__} defines no friction")

    def contact_time(self, surface: Surface, radius: float, mass: float, speed: float) -> float:
        stiffness = self.normal_constants(surface)["stiffness"] * math.sqrt(radius)
        return hertz_contact_time(stiffness, mass, speed)
