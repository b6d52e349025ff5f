"""Materials, what two of them are to each other, and stiction at walls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le, Lt

from barchan.laws import Surface
from barchan.schema.quantities import Coefficient, Density, NonNegativeLength, PositiveTime, Pressure, Unit
from barchan.schema.tables import Table

if TYPE_CHECKING:
    from barchan.scene.scene import Scene

Restitution = Annotated[float, Ge(1e-3), Le(1), Unit("")]  # below it nothing can be told from nothing
TangentialRestitution = Annotated[float, Ge(-1), Le(1), Unit("")]
RollingViscosity = Annotated[float, Ge(0), Unit("m*s")]


class Material(Table):
    """What grains and walls are made of."""

    density: Density  # kg/m³
    young: Pressure = 1e8  # E, Pa
    poisson: Annotated[float, Ge(0), Lt(0.5), Unit("")] = 0.3  # ν
    friction: Coefficient = 0.5  # static coefficient μ
    restitution: Restitution | None = None  # εn of a head-on collision; None: the law's own damping is used
    tangential_restitution: TangentialRestitution = (
        1.0  # εt of hard spheres; 1: surfaces slip, -1: they grip and recoil
    )
    rolling_friction: NonNegativeLength = 0.0  # μr, m: torque μr · normal force against the relative spin
    rolling_viscosity: RollingViscosity = 0.0  # μτ, m s: torque μτ · normal force · relative spin


class PairOverride(Table):
    """What replaces the rules for two materials, which may be the same one; what is left out follows the rules."""

    between: tuple[str, str]  # names among the scene's materials, in either order
    friction: Coefficient | None = None
    restitution: Restitution | None = None
    tangential_restitution: TangentialRestitution | None = None
    rolling_friction: NonNegativeLength | None = None  # m
    rolling_viscosity: RollingViscosity | None = None  # m s
    young_effective: Pressure | None = None  # E*, Pa; G* is scaled by the same factor


class Stiction(Table):
    """Grains that rest on walls come to a stop, after Yee: see the papers' guide, section Y."""

    strength: Coefficient = 2.1  # ks: the tangential force becomes −m ks vt / duration
    spin_strength: Coefficient = 0.1  # kτ: the torque becomes −I kτ ω / duration
    duration: PositiveTime = 0.001  # tq, s


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
