"""Groups of a scene as arrays: masses, inertia, frames, and random numbers that belong to a group."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.geometry import rotate
from barchan.model.build_grains import build_grains
from barchan.scene.grains import GrainGroup
from barchan.scene.materials import Material

BOX = {"kind": "box", "low": (0.0, 0.0, 0.0), "high": (1.0, 1.0, 1.0)}


def group(name: str = "sand", **fields) -> GrainGroup:
    """A group of 50 spheres of 5 cm at random, but for what is said otherwise."""
    plain = {"material": "glass", "size": 0.05, "count": 50, "fill": {"kind": "random", "region": BOX}}
    return GrainGroup.model_validate({"name": name, **plain, **fields})


def scene(*groups: GrainGroup, **fields) -> SimpleNamespace:
    """A scene with two materials."""
    materials = {"steel": Material(density=7800.0), "glass": Material(density=2500.0)}
    plain = {"seed": 5, "dimensions": 3, "periodic": (False, False, False), "box": None, "scalar_inertia": False}
    return SimpleNamespace(grains=groups, materials=materials, **{**plain, **fields})


def test_spheres_have_the_mass_and_inertia_of_balls():
    """m = π/6 ρ d³, I = m d²/10, one sphere of radius d/2 a grain, at its centre."""
    grains = build_grains(scene(group(velocity=(1, 2, 3), spin=(0, 0, 4))))
    assert len(grains) == 50 and not grains.clumped
    assert grains.mass == pytest.approx(np.pi / 6 * 2500 * 0.05**3)
    assert grains.inertia == pytest.approx(np.pi / 60 * 2500 * 0.05**5)
    assert np.all(grains.radius == 0.025) and np.all(grains.sphere_radius == 0.025)
    assert np.all(grains.material == 1) and np.all(grains.orientation == [1, 0, 0, 0])
    assert np.all(grains.velocity == [1, 2, 3]) and np.all(grains.spin == [0, 0, 4])


def test_cube_grains_scale_and_turn_as_rigid_bodies():
    """A cube grain of edge s is 8 balls of diameter s/2; turned spheres stay inside the bounding radius.

    m = 8 · π/6 ρ (s/2)³ = ρ π s³/6; the sphere centres are s/4 · √3 from the centre of mass.
    """
    size = {"kind": "uniform", "low": 0.04, "high": 0.08}
    grains = build_grains(scene(group(shape="cube", size=size, orientation="random")))
    edge = 2 * (4 * grains.sphere_radius.reshape(50, 8)[:, 0]) / 2
    assert grains.mass == pytest.approx(2500 * np.pi / 6 * edge**3)
    assert np.array_equal(grains.start, 8 * np.arange(51))
    assert np.linalg.norm(grains.orientation, axis=1) == pytest.approx(1.0, rel=1e-14)
    placed = rotate(np.repeat(grains.orientation, 8, axis=0), grains.sphere_offset)
    assert np.linalg.norm(placed, axis=1).reshape(50, 8) == pytest.approx(
        np.sqrt(3) / 4 * np.repeat(edge[:, None], 8, 1)
    )
    assert grains.radius == pytest.approx((1 + np.sqrt(3)) / 4 * edge)


LOPSIDED = [
    {"position": (0.0, 0.0, 0.0), "radius": 0.02},
    {"position": (0.03, 0.01, 0.0), "radius": 0.015},
    {"position": (0.0, 0.02, 0.03), "radius": 0.01},
]


def test_a_listed_clump_keeps_its_places():
    """Aligned, a lopsided clump in its principal frame, turned by its orientation, is the clump as it was listed."""
    points = {"kind": "points", "positions": [(0.2, 0.3, 0.4), (0.6, 0.3, 0.4)]}
    grains = build_grains(scene(group(shape=LOPSIDED, size=None, count=None, fill=points)))
    assert np.array_equal(grains.position, [(0.2, 0.3, 0.4), (0.6, 0.3, 0.4)])
    placed = rotate(np.repeat(grains.orientation, 3, axis=0), grains.sphere_offset)[:3]
    given = np.array([sphere["position"] for sphere in LOPSIDED])
    assert placed - placed[0] == pytest.approx(given, abs=1e-15)


def test_scalar_inertia_is_the_mean_moment():
    """A rod's three moments become their mean; the trace stays."""
    rod = group(shape="rod", count=5)
    tensor, scalar = build_grains(scene(rod)), build_grains(scene(rod, scalar_inertia=True))
    assert np.ptp(tensor.inertia[0]) > 0 and np.all(np.ptp(scalar.inertia, axis=1) == 0)
    assert scalar.inertia.sum(axis=1) == pytest.approx(tensor.inertia.sum(axis=1))


def test_grains_too_far_from_the_origin_are_told():
    """Doubles about 1.25e8 m are 1.5e-8 m apart, a millionth of 2.5 cm: beyond that contacts are rounded away."""
    near, far = ({"kind": "points", "positions": [(x, 0.0, 0.0)]} for x in (1.2e8, -1.3e8))
    build_grains(scene(group(count=None, fill=near)))
    with pytest.raises(SceneError, match=r"grains\[0\].fill: a grain at 1.3e\+08 m from the origin"):
        build_grains(scene(group(count=None, fill=far)))


def test_groups_do_not_disturb_each_other():
    """A group's random numbers depend on seed and name alone: one more group, elsewhere, changes no bit of it."""
    beside = {"kind": "random", "region": {"kind": "box", "low": (1.0, 0.0, 0.0), "high": (2.0, 1.0, 1.0)}}
    sand = group()
    gravel = group("gravel", material="steel", size=0.1, count=20, velocity_scatter=0.3, fill=beside)
    alone, both = build_grains(scene(sand)), build_grains(scene(gravel, sand))
    assert np.array_equal(both.position[20:], alone.position)
    assert np.array_equal(both.id, np.arange(70)) and np.array_equal(both.group, [0] * 20 + [1] * 50)
    assert np.array_equal(both.material, [0] * 20 + [1] * 50)
    assert not np.array_equal(build_grains(scene(sand, seed=6)).position, alone.position)
    still = build_grains(scene(group(velocity_scatter=0.5)))
    assert np.array_equal(still.position, alone.position) and np.any(still.velocity)


def test_velocity_scatter_has_its_deviation():
    """Each component is normal about the group's velocity; 9000 numbers fix σ to 1/√18000, times 4.5 below 4 %."""
    lattice = {"kind": "lattice", "region": BOX}
    grains = build_grains(scene(group(size=0.05, count=3000, fill=lattice, velocity=(1, 0, 0), velocity_scatter=0.2)))
    assert (grains.velocity - (1, 0, 0)).std() == pytest.approx(0.2, rel=0.04)


def test_two_dimensions_stay_in_the_plane():
    """At y = 0, no velocity along y, turned about y only (quaternion (w, 0, y, 0) for a body diagonal in its frame)."""
    grains = build_grains(scene(group(shape="rod", orientation="random", velocity_scatter=1.0), dimensions=2))
    assert not np.any(grains.position[:, 1]) and not np.any(grains.velocity[:, 1])
    assert np.abs(grains.orientation[:, [1, 3]]).max() < 1e-15
    assert np.ptp(grains.orientation[:, 2]) > 0.5


def test_a_flat_random_turn_leaves_the_heights_along_y():
    """A lopsided clump turned about the scene's y axis keeps its spheres' y, and not their x and z."""
    grains = build_grains(scene(group(shape=LOPSIDED, size=None, count=20, orientation="random"), dimensions=2))
    placed = rotate(np.repeat(grains.orientation, 3, axis=0), grains.sphere_offset).reshape(20, 3, 3)
    given = np.array([sphere["position"] for sphere in LOPSIDED])
    relative = placed - placed[:, :1]
    assert relative[:, :, 1] == pytest.approx(np.tile(given[:, 1], (20, 1)), abs=1e-15)
    assert np.ptp(relative[:, 1, 0]) > 0.02


def test_periodic_fill_keeps_the_distance_across_the_seam():
    """800 balls at 42 % in a fully periodic cube: no two nearer than a diameter, seams included."""
    cube = {"low": (0.0, 0.0, 0.0), "high": (1.0, 1.0, 1.0)}
    box = SimpleNamespace(**cube)
    grains = build_grains(scene(group(size=0.1, count=800), periodic=(True, True, True), box=box))
    i, j = np.triu_indices(800, 1)
    apart = grains.position[j] - grains.position[i]
    apart -= np.round(apart)
    assert np.linalg.norm(apart, axis=1).min() > 0.1
    assert grains.position.min() < 0.05


def test_file_radii_and_velocities_replace_the_group_s(tmp_path):
    """Sizes are twice the radii; without radii and without a size the group is refused, with its path."""
    np.savez(tmp_path / "bed.npz", x=np.eye(3), radius=np.array([0.1, 0.2, 0.3]), v=np.ones((3, 3)))
    fill = {"kind": "file", "path": str(tmp_path / "bed.npz")}
    grains = build_grains(scene(group(size=None, count=None, fill=fill)))
    assert np.array_equal(grains.radius, [0.1, 0.2, 0.3]) and np.all(grains.velocity == 1.0)
    np.savez(tmp_path / "bed.npz", x=np.eye(3))
    with pytest.raises(SceneError, match=r"grains\[0\]\.size: group 'sand' has no size"):
        build_grains(scene(group(size=None, count=None, fill=fill)))


def test_aligned_cubes_stand_on_a_lattice_as_close_as_their_edges():
    """A cube grain extends by its half edge, not by its bounding radius: 9³ of edge 0.1 m in 1 m, a hair apart."""
    lattice = {"kind": "lattice", "region": BOX}
    assert len(build_grains(scene(group(shape="cube", size=0.1, count=None, fill=lattice)))) == 9**3
