"""Materials, what two of them are to each other, and stiction at walls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le, Lt

from barchan.parts.laws import Surface
from barchan.schema.quantities import Coefficient, Density, NonNegativeLength, PositiveTime, Pressure, Unit
from barchan.schema.tables import Table

if TYPE_CHECKING:
    from barchan.scene.scene import Scene

Restitution = Annotated[float, Ge(1e-3), Le(1), Unit("")]  # below it nothing can be told from nothing
TangentialRestitution = Annotated[float, Ge(-1), Le(1), Unit("")]
RollingViscosity = Annotated[float, Ge(0), Unit("m*s")]


class Material(Table):
    """What grains and walls are made of."""

    density: Density
    """Mass over volume."""
    young: Pressure = 1e8
    """Young's modulus E."""
    poisson: Annotated[float, Ge(0), Lt(0.5), Unit("")] = 0.3
    """Poisson's ratio ν."""
    friction: Coefficient = 0.5
    """The coefficient of friction μ."""
    restitution: Restitution | None = None
    """Speed after a head-on collision over that before, εn; left out, the law's own damping is used."""
    tangential_restitution: TangentialRestitution = 1.0
    """The grip εt of hard spheres: 1 lets surfaces slip, −1 makes them grip and recoil."""
    rolling_friction: NonNegativeLength = 0.0
    """A torque of this length μr times the normal force opposes rolling."""
    rolling_viscosity: RollingViscosity = 0.0
    """A torque of this μτ times the normal force and the relative spin opposes rolling."""


class PairOverride(Table):
    """What replaces the rules for two materials, which may be the same one; what is left out follows the rules."""

    between: tuple[str, str]
    """The names of the two materials, in either order."""
    friction: Coefficient | None = None
    """What holds instead of the smaller of the two materials' values."""
    restitution: Restitution | None = None
    """What holds instead of the smaller of the two materials' values."""
    tangential_restitution: TangentialRestitution | None = None
    """What holds instead of the larger of the two materials' values."""
    rolling_friction: NonNegativeLength | None = None
    """What holds instead of the smaller of the two materials' values."""
    rolling_viscosity: RollingViscosity | None = None
    """What holds instead of the smaller of the two materials' values."""
    young_effective: Pressure | None = None
    """E*, instead of Hertz's rule; G* is scaled by the same factor."""


class Stiction(Table):
    """Brings grains that rest on walls to a full stop (Yee 2009)."""

    strength: Coefficient = 2.1
    """The factor ks in the tangential force −m ks vt / duration."""
    spin_strength: Coefficient = 0.1
    """The factor kτ in the torque −I kτ ω / duration."""
    duration: PositiveTime = 0.001
    """The time tq in which a grain comes to a stop."""


def surface(scene: Scene, a_name: str, b_name: str, wall: bool) -> Surface:
    """What two of a scene's materials are to each other; with `wall` the second body is a wall.

    1/E* = (1−νa²)/Ea + (1−νb²)/Eb and 1/G* = 2(2−νa)(1+νa)/Ea + 2(2−νb)(1+νb)/Eb; of friction, rolling resistance
    and restitution the smaller of the two governs, of tangential restitution the larger, that of the smoother one. The
    scene's `pairs` come before these rules.
    """
    a, b = scene.materials[a_name], scene.materials[b_name]
    young = 1 / ((1 - a.poisson**2) / a.young + (1 - b.poisson**2) / b.young)
    shear = 1 / (_shear_compliance(a) + _shear_compliance(b))
    stated = [material.restitution for material in (a, b) if material.restitution is not None]
    plain = Surface(
        young=young,
        shear=shear,
        poisson=(a.poisson + b.poisson) / 2,
        friction=min(a.friction, b.friction),
        restitution=min(stated, default=None),
        rolling_friction=min(a.rolling_friction, b.rolling_friction),
        rolling_viscosity=min(a.rolling_viscosity, b.rolling_viscosity),
        wall=wall,
        tangential_restitution=max(a.tangential_restitution, b.tangential_restitution),
    )
    override = _override(scene, a_name, b_name)
    return plain if override is None else _overridden(plain, override)


def flat_young(scene: Scene, a_name: str, b_name: str) -> float:
    """Y, Pa, of two materials in contacts of flat grains: of springs in series, or what the scene's `pairs` say."""
    a, b = scene.materials[a_name].young, scene.materials[b_name].young
    override = _override(scene, a_name, b_name)
    return 2 * a * b / (a + b) if override is None or override.young_effective is None else override.young_effective


def _override(scene: Scene, a_name: str, b_name: str) -> PairOverride | None:
    return next((pair for pair in scene.pairs if set(pair.between) == {a_name, b_name}), None)


def _shear_compliance(material: Material) -> float:
    return 2 * (2 - material.poisson) * (1 + material.poisson) / material.young


def _overridden(plain: Surface, override: PairOverride) -> Surface:
    names = ("friction", "restitution", "tangential_restitution", "rolling_friction", "rolling_viscosity")
    changes = {name: getattr(override, name) for name in names if getattr(override, name) is not None}
    if override.young_effective is not None:
        changes["young"] = override.young_effective
        changes["shear"] = plain.shear * override.young_effective / plain.young
    return plain._replace(**changes)
