"""Fills: grains inside their region, never overlapping, as many as asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from barchan.errors import FileError, SceneError
from barchan.parts import fills
from barchan.parts.fills import Order, check_memory
from barchan.parts.fills._scatter import near_pairs, scatter
from barchan.parts.fills.file import read_grain_file
from barchan.parts.fills.hexagonal import hexagonal
from barchan.parts.fills.lattice import lattice
from barchan.parts.fills.pyramid import pyramid
from barchan.parts.regions import Space
from barchan.parts.regions.box import BoxRegion
from barchan.parts.regions.cylinder import Cylinder, CylinderRegion


def box(*size: float, periodic: tuple[int, int, int] = (0, 0, 0), dimensions: int = 3) -> Space:
    """A box with its low corner at (0, 0, 1)."""
    low = np.array([0.0, 0.0, 1.0])
    return Space(low, low + np.array(size), np.array(periodic, dtype=bool), dimensions)


def cylinder(radius: float, height: float) -> Space:
    """An upright cylinder that stands off the origin."""
    return CylinderRegion(base=(1.0, -2.0, 0.5), radius=radius, height=height).space()


def rng() -> np.random.Generator:
    """The same numbers for every test."""
    return np.random.default_rng(3)


def smallest_gap(space: Space, centres: np.ndarray, radii: np.ndarray) -> float:
    """The smallest distance of two surfaces (m), by all pairs, the shortest way round periodic axes."""
    i, j = np.triu_indices(len(centres), 1)
    apart = space.nearest_image(centres[j] - centres[i])
    return float(np.min(np.linalg.norm(apart, axis=1) - radii[i] - radii[j]))


def assert_inside(space: Space, centres: np.ndarray, reach: np.ndarray) -> None:
    """Whole grains lie inside on axes that are not periodic, centres on those that are, y = 0 in two dimensions."""
    assert centres.shape == (len(reach), 3)
    for axis in space.axes:
        margin = 0.0 if space.periodic[axis] else reach * (1 - 1e-9)
        assert np.all(centres[:, axis] >= space.low[axis] + margin)
        assert np.all(centres[:, axis] <= space.high[axis] - margin)
    if space.dimensions == 2:
        assert not np.any(centres[:, 1])
    if isinstance(space, Cylinder):
        across = np.linalg.norm(centres[:, :2] - space.middle[:2], axis=1)
        assert np.all(across + reach <= space.radius * (1 + 1e-9))


SPACES = [
    (box(1.0, 1.5, 2.0), 0.35),
    (box(1.0, 1.5, 2.0, periodic=(1, 1, 0)), 0.45),
    (box(1.0, 1.0, 1.0, periodic=(1, 1, 1)), 0.5),
    (cylinder(0.8, 1.3), 0.45),
    (box(1.0, 5.0, 2.0, dimensions=2), 0.6),
    (box(1.0, 5.0, 2.0, periodic=(1, 0, 0), dimensions=2), 0.7),
]


@pytest.mark.parametrize(("space", "share"), SPACES)
def test_random_fill_has_no_overlap(space, share):
    """700 grains of sizes within a factor of four, up to shares that placing one by one cannot reach."""
    radii = rng().uniform(0.25, 1.0, 700)
    radii *= (share / space.share(radii)) ** (1 / space.dimensions)
    centres = scatter(space, radii, rng())
    assert space.share(radii) == pytest.approx(share)
    assert_inside(space, centres, radii)
    assert smallest_gap(space, centres, radii) > 0.0


def test_random_fill_is_uniform_and_isotropic():
    """At 5 % hardly any grain is pushed: each coordinate is uniform, so a third of the box holds a third of them.

    The number in a third scatters by √(n · 1/3 · 2/3); hard cores make it less.
    """
    count = 6000
    space = box(1.0, 1.0, 1.0, periodic=(1, 1, 1))
    radii = np.full(count, (0.05 / (count * 4 / 3 * np.pi)) ** (1 / 3))
    centres = scatter(space, radii, rng()) - space.low
    for axis in range(3):
        numbers = np.histogram(centres[:, axis], bins=3, range=(0, 1))[0]
        assert numbers == pytest.approx(count / 3, abs=4.5 * np.sqrt(count * 2 / 9))


def test_random_fill_is_repeatable():
    """The same generator gives the same bits, another one other places."""
    space, radii = box(1.0, 1.0, 1.0), np.full(500, 0.05)
    first = scatter(space, radii, rng())
    assert np.array_equal(first, scatter(space, radii, rng()))
    assert not np.array_equal(first, scatter(space, radii, np.random.default_rng(4)))


@pytest.mark.parametrize("share", [0.68, 0.9])
def test_random_fill_that_does_not_fit_says_what_to_do(share):
    """Above 64 % no random packing of equal spheres exists, above 74 % no packing at all."""
    space = box(1.0, 1.0, 1.0)
    radii = np.full(300, (share / (300 * 4 / 3 * np.pi)) ** (1 / 3))
    with pytest.raises(SceneError) as caught:
        scatter(space, radii, rng(), where="grains[1].fill", group="sand")
    text = str(caught.value)
    assert "grains[1].fill" in text and "'sand'" in text and "300 grains" in text
    assert f"{share:.1%}" in text and "fit" in text and "Enlarge the region" in text


def test_a_grain_wider_than_the_region_is_refused():
    """A sphere of diameter 1.2 m does not fit between faces 1 m apart."""
    with pytest.raises(SceneError, match=r"1.2 m across, the region is 1 m wide"):
        scatter(box(1.0, 2.0, 2.0), np.array([0.6]), rng())


@pytest.mark.parametrize("space", [box(1.0, 1.5, 2.0), box(1.0, 1.5, 2.0, periodic=(1, 0, 1))])
def test_near_pairs_are_those_of_a_search_through_all(space):
    """Sizes over a factor of thirty use several trees: the pairs must be exactly those of the n² search."""
    radii = np.geomspace(0.005, 0.15, 300)
    centres = space.sample(radii, rng())
    i, j = near_pairs(space, centres, radii, 0.02)
    found = set(zip(np.minimum(i, j).tolist(), np.maximum(i, j).tolist(), strict=True))
    a, b = np.triu_indices(300, 1)
    distance = np.linalg.norm(space.nearest_image(centres[b] - centres[a]), axis=1)
    close = distance < radii[a] + radii[b] + 0.02
    assert len(found) == len(i)
    assert found == set(zip(a[close].tolist(), b[close].tolist(), strict=True))


def test_a_hair_below_a_periodic_face_is_in_the_box():
    """4.479999999999999 m lies below a period from 4.48 m on, and round-off takes it to the far face: it still meets
    its neighbour across the face. Catches a tree that is given a place outside its period, and refuses it.
    """
    space = Space(np.array([4.48, -1.0, -1.0]), np.array([19.68, 1.0, 1.0]), np.array([True, False, False]))
    centres = space.wrap(np.array([(4.479999999999999, 0.0, 0.0), (4.54, 0.0, 0.0), (9.0, 0.0, 0.0)]))
    assert centres[0, 0] - space.low[0] >= space.length[0]
    pairs = near_pairs(space, centres, np.full(3, 0.05), 0.0)
    assert np.sort(np.concatenate(pairs)).tolist() == [0, 1]


def test_lattice_counts_sites_and_fills_from_below():
    """Reach 0.05 and spacing 0.1 in 1 × 0.5 × 0.3 m: exactly 10 · 5 · 3 touching sites, the lowest at 0.05."""
    space = box(1.0, 0.5, 0.3)
    centres = lattice(space, Order(0.05), rng(), spacing=0.1)
    assert len(centres) == 150
    assert_inside(space, centres, np.full(150, 0.05))
    assert pdist(centres).min() == pytest.approx(0.1, rel=1e-12)
    some = lattice(space, Order(0.05, count=60), rng(), spacing=0.1)
    assert np.array_equal(some, centres[:60])
    assert np.allclose(some[:50, 2], 1.05) and np.allclose(some[50:, 2], 1.15)


@pytest.mark.parametrize("space", [space for space, _ in SPACES])
@pytest.mark.parametrize("kind", ["lattice", "jitter", "hexagonal"])
def test_regular_fills_do_not_overlap(space, kind):
    """With the spacing left out grains are free of each other in every region, and close to each other.

    A lattice in a large region fills at least (1 − d/L) a side of its ideal share (π/6 in 3D, π/4 in 2D); here, with
    cut edges and cylinders, more than half of that.
    """
    order = Order(reach=0.05)
    if kind == "hexagonal":
        centres = hexagonal(space, order)
    else:
        centres = lattice(space, order, rng(), jitter=0.01 if kind == "jitter" else 0.0)
    radii = np.full(len(centres), 0.05)
    assert_inside(space, centres, radii)
    assert smallest_gap(space, centres, radii) > 0.0
    assert space.share(radii) > 0.5 * (np.pi / 6 if space.dimensions == 3 else np.pi / 4) * (0.05 / 0.06) ** 3


def test_hexagonal_neighbours():
    """Close packing: each inner grain has 12 neighbours at one spacing, in the plane 6."""
    for space, neighbours in ((box(1.0, 1.0, 1.0), 12), (box(1.0, 1.0, 1.0, dimensions=2), 6)):
        centres = hexagonal(space, Order(0.05), spacing=0.1)
        middle = np.argmin(np.linalg.norm((centres - space.middle)[:, space.axes], axis=1))
        distance = np.linalg.norm(centres - centres[middle], axis=1)
        assert np.count_nonzero(np.abs(distance - 0.1) < 1e-9) == neighbours
        assert np.sort(distance)[1] == pytest.approx(0.1, rel=1e-9)


def test_too_many_for_the_lattice():
    """A thousand grains where 150 fit: the error counts both."""
    with pytest.raises(SceneError, match=r"grains\[0\].fill: group 'sand' asks for 1000 grains.*150 fit"):
        lattice(box(1.0, 0.5, 0.3), Order(0.05, 1000, where="grains[0].fill", group="sand"), rng(), spacing=0.1)


def test_pyramid_of_48():
    """48 grains need five layers (25 + 16 + 9 = 50 ≥ 48 in the lowest three of 55 sites): 25, 16, then 7."""
    centres = pyramid((1.0, 2.0, 3.0), Order(0.05, count=48))
    heights, numbers = np.unique(np.round(centres[:, 2], 9), return_counts=True)
    assert list(numbers) == [25, 16, 7]
    assert heights[0] == pytest.approx(3.05)
    assert centres[:25, :2].mean(axis=0) == pytest.approx([1.0, 2.0])
    assert pdist(centres).min() > 0.1


def test_pyramid_by_layers():
    """n layers hold n(n + 1)(2n + 1)/6 grains, in the plane n(n + 1)/2, and the top one is above the base."""
    solid = pyramid((0.0, 0.0, 0.0), Order(0.05), layers=6)
    flat = pyramid((0.0, 0.7, 0.0), Order(0.05), layers=6, dimensions=2)
    assert (len(solid), len(flat)) == (91, 21)
    assert solid[-1, :2] == pytest.approx([0.0, 0.0]) and not np.any(flat[:, 1])
    assert pdist(solid).min() > 0.1 and pdist(flat).min() > 0.1


def test_a_billion_grains_are_refused_before_they_are_allocated(monkeypatch):
    """1e9 grains need terabytes: refused at once on a machine of 16 GiB, as a count and as a region to be filled."""
    monkeypatch.setattr(fills, "available_memory", lambda: 16.0 * 2**30)
    with pytest.raises(SceneError, match=r"'sand' asks for 1e\+09 grains, about .* GiB; about .* fit into the 16 GiB"):
        check_memory(Order(0.05, group="sand"), 10**9)
    with pytest.raises(SceneError, match="GiB"):
        lattice(box(1.0, 1.0, 1.0), Order(0.0005), rng())
    with pytest.raises(SceneError, match="GiB"):
        hexagonal(box(1.0, 1.0, 1e6), Order(0.005))
    check_memory(Order(0.05), 10**6)


def test_available_memory_is_plausible():
    """Some memory is available to this very test, and no machine has 1 EiB."""
    assert 2**20 < fills.available_memory() < 2**60


def test_space_is_periodic_only_where_the_region_spans_the_period():
    """x spans the period; y does not; z is not periodic."""
    period = np.zeros(3), np.ones(3), np.array([True, True, False])
    space = BoxRegion(low=(0, 0.2, 0), high=(1, 0.8, 1)).space(period=period)
    assert list(space.periodic) == [True, False, False]
    assert CylinderRegion(base=(0, 0, 0), radius=2, height=3).space(dimensions=2).content == pytest.approx(12)


def test_grain_files(tmp_path):
    """The same three grains come back from an .npz under either set of names, and from a .csv."""
    position, radius = np.arange(9.0).reshape(3, 3), np.array([0.1, 0.2, 0.3])
    np.savez(tmp_path / "long.npz", positions=position, radii=radius, velocities=-position)
    np.savez(tmp_path / "short.npz", x=position, radius=radius, v=-position, omega=2 * position)
    table = np.column_stack([radius, position, -position])
    np.savetxt(tmp_path / "table.csv", table, delimiter=",", header="radius,x,y,z,vx,vy,vz", comments="")
    for name in ("long.npz", "short.npz", "table.csv"):
        found = read_grain_file(tmp_path / name)
        assert np.array_equal(found.position, position) and np.array_equal(found.radius, radius)
        assert np.array_equal(found.velocity, -position)
        assert (found.spin is not None) == (name == "short.npz")


def test_broken_grain_files_are_told_apart(tmp_path):
    """Missing, not an archive, no positions, wrong shape, not finite, radius ≤ 0: each names the file and the fault."""
    (tmp_path / "noise.npz").write_bytes(b"\x00\x01not an archive")
    (tmp_path / "empty.csv").write_text("")
    np.savez(tmp_path / "none.npz", radius=np.ones(3))
    np.savez(tmp_path / "shape.npz", x=np.zeros((3, 3)), radius=np.ones(4))
    np.savez(tmp_path / "nan.npz", x=np.full((3, 3), np.nan))
    np.savez(tmp_path / "minus.npz", x=np.zeros((2, 3)), radius=np.array([1.0, -1.0]))
    whole = (tmp_path / "minus.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "ragged.csv").write_text("x,y,z\n1,2,3\n4,5\n")
    faults = {
        "cut.npz": "cannot be read",
        "ragged.csv": "cannot be read",
        "missing.npz": "no such file",
        "noise.npz": "cannot be read",
        "empty.csv": "no rows below the header",
        "none.npz": "no positions",
        "shape.npz": r"radius: has the shape \(4,\)",
        "nan.npz": "finite",
        "minus.npz": r"radius\[1\]: -1 m; must be > 0",
    }
    for name, fault in faults.items():
        with pytest.raises(FileError, match=fault) as caught:
            read_grain_file(tmp_path / name)
        assert name in str(caught.value)
