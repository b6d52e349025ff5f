"""Volume, centre and inertia of clumps against closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from barchan.geometry import matrix, unit
from barchan.model import clumps
from barchan.model.clumps import clump_properties, clump_template, principal_frame


def random_rotation(seed: int) -> np.ndarray:
    """A rotation matrix (3, 3) drawn uniformly."""
    return matrix(unit(np.random.default_rng(seed).normal(size=4)))


def revolved_moments(centres: np.ndarray, radii: np.ndarray) -> tuple[float, float, float, float]:
    """Volume, centre and moments (about the axis, across it) of overlapping spheres in a row along x.

    The union is a solid of revolution with profile ρ²(x) = maxᵢ (Rᵢ² − (x − xᵢ)²) ≥ 0:
    V = π∫ρ² dx,  V x̄ = π∫xρ² dx,  I_axis = π/2 ∫ρ⁴ dx,  I_across = π∫(ρ⁴/4 + (x − x̄)²ρ²) dx.
    Each is a polynomial between the planes where two profiles cross, so Gauss's rule with those breaks is exact.
    """
    crossing = [
        (centres[i] ** 2 - centres[j] ** 2 + radii[j] ** 2 - radii[i] ** 2) / (2 * (centres[i] - centres[j]))
        for i in range(len(radii))
        for j in range(i)
    ]
    ends = sorted({*(centres - radii), *(centres + radii), *crossing})

    def profile(x: float) -> float:
        return max(0.0, float(np.max(radii**2 - (x - centres) ** 2)))

    node, weight = np.polynomial.legendre.leggauss(8)

    def integral(f) -> float:
        halves = [(0.5 * (a + b), 0.5 * (b - a)) for a, b in pairwise(ends)]
        return sum(
            half * w * f(middle + half * t) for middle, half in halves for t, w in zip(node, weight, strict=True)
        )

    volume = np.pi * integral(profile)
    centre = np.pi * integral(lambda x: x * profile(x)) / volume
    about = 0.5 * np.pi * integral(lambda x: profile(x) ** 2)
    across = np.pi * integral(lambda x: profile(x) ** 2 / 4 + (x - centre) ** 2 * profile(x))
    return volume, centre, about, across


def test_one_sphere_is_exact():
    """V = 4/3 π R³, I = 2/5 V R² about each axis, wherever the sphere lies; its offset from itself is exactly 0."""
    body = clump_properties(np.array([[3.0, -2.0, 7.0]]), np.array([0.7]))
    assert body.volume == pytest.approx(4 / 3 * np.pi * 0.7**3, rel=1e-15)
    assert body.moments == pytest.approx(0.4 * body.volume * 0.7**2, rel=1e-14)
    assert np.array_equal(body.centre, [3.0, -2.0, 7.0])
    assert not np.any(body.offsets)
    assert np.array_equal(body.axes, [1.0, 0.0, 0.0, 0.0])
    assert body.bounding_radius == 0.7


@pytest.mark.parametrize("distance", [1e-3, 0.3, 0.9, 1.3, 1.699])
def test_two_overlapping_spheres_lose_one_lens(distance):
    """Two balls R, r at distance d share a lens of two caps that meet in the plane a = (d² + R² − r²)/(2d).

    A cap of height h on a ball R has the volume πh²(3R − h)/3; the caps have heights R − a and r − (d − a).
    So V = 4/3 π(R³ + r³) − cap(R, R − a) − cap(r, r − d + a), which holds too where the smaller one's centre
    lies inside the larger (its cap is then more than half a ball), but not where one swallows the other. Moments
    come from the profile of revolution.
    """
    big, small = 0.9, 0.8
    plane = (distance**2 + big**2 - small**2) / (2 * distance)

    def cap(radius: float, height: float) -> float:
        return np.pi * height**2 * (3 * radius - height) / 3

    body = clump_properties(np.array([[0.0, 0, 0], [distance, 0, 0]]), np.array([big, small]))
    if distance > big - small:
        lens = cap(big, big - plane) + cap(small, small - distance + plane)
        expected = 4 / 3 * np.pi * (big**3 + small**3) - lens
        volume, centre, about, across = revolved_moments(np.array([0.0, distance]), np.array([big, small]))
        assert volume == pytest.approx(expected, rel=1e-12)
    else:
        expected, centre = 4 / 3 * np.pi * big**3, 0.0
        about = across = 0.4 * expected * big**2
    assert body.volume == pytest.approx(expected, rel=1e-12)
    assert body.centre == pytest.approx([centre, 0.0, 0.0], abs=1e-13)
    assert np.diag(body.inertia) == pytest.approx([about, across, across], rel=1e-12)


def test_disjoint_dumbbell_by_the_parallel_axis_theorem():
    """Masses m₁, m₂ at distance d: I_axis = Σ 2/5 m R², I_across = Σ 2/5 m R² + m₁m₂/(m₁ + m₂) d², exactly."""
    radii = np.array([0.5, 0.3])
    mass = 4 / 3 * np.pi * radii**3
    body = clump_properties(np.array([[0.0, 0, 0], [0, 0, 2.0]]), radii)
    own = 0.4 * float(mass @ radii**2)
    across = own + mass[0] * mass[1] / mass.sum() * 4.0
    assert body.volume == pytest.approx(mass.sum(), rel=1e-14)
    assert body.centre == pytest.approx([0, 0, 2.0 * mass[1] / mass.sum()], rel=1e-14)
    assert body.moments == pytest.approx([across, across, own], rel=1e-14)


def test_cube_of_eight_touching_spheres():
    """Radius r = 1/4, centres (±r, ±r, ±r): V = 8 v, v = 4/3 π r³; I = 8 v (2/5 r² + 2 r²) about any axis.

    The offsets are 1/4 and the centre is 0 up to a rounding of the last bit, and the outer edge is 4r = 1.
    """
    offsets, radii = clump_template("cube")
    body = clump_properties(offsets, radii)
    volume = 8 * 4 / 3 * np.pi * 0.25**3
    assert body.volume == pytest.approx(volume, rel=1e-13)
    assert body.moments == pytest.approx(volume * 2.4 * 0.25**2, rel=1e-13)
    assert body.moments[0] == body.moments[1] == body.moments[2]
    assert np.array_equal(body.axes, [1.0, 0.0, 0.0, 0.0])
    assert np.ptp(offsets[:, 0]) + 2 * radii[0] == 1.0
    assert body.bounding_radius == pytest.approx(0.25 * (1 + np.sqrt(3)), rel=1e-14)


@pytest.mark.parametrize("radius", [1.2, 1.5, 1.7])
def test_overlapping_cube_with_triple_overlaps(radius):
    """Eight balls R at (±1, ±1, ±1). By symmetry the union is 8 times the ball about (1, 1, 1) within x, y, z > 0.

    Its slice at x is a disc of radius ρ, ρ² = R² − (x − 1)², centred at (1, 1), within the quadrant y, z > 0. With
    the segment S(ρ) = ρ² acos(1/ρ) − √(ρ² − 1) cut off by each side, the area is πρ² for ρ ≤ 1, πρ² − 2S(ρ) for
    ρ ≤ √2, and beyond √2 (the corner lies inside) 1 + √(ρ² − 1) + ρ²(π/4 + asin(1/ρ)): unit square to the corner,
    two triangles and one sector. Then V = 8 ∫ A dx, and by symmetry I = 16 ∫ x² A dx about any axis.
    """

    def area(x: float) -> float:
        square = radius**2 - (x - 1) ** 2
        if square <= 1:
            return np.pi * square
        if square <= 2:
            return np.pi * square - 2 * (square * np.arccos(square**-0.5) - np.sqrt(square - 1))
        return 1 + np.sqrt(square - 1) + square * (np.pi / 4 + np.arcsin(square**-0.5))

    turns = [1 + sign * np.sqrt(radius**2 - k) for k in (1, 2) if radius**2 > k for sign in (-1, 1)]
    ends = sorted({0.0, 1 + radius, *(x for x in turns if x > 0)})

    def integral(f) -> float:
        return sum(quad(f, a, b, epsabs=1e-14, epsrel=1e-12)[0] for a, b in pairwise(ends))

    body = clump_properties(4 * clump_template("cube")[0], np.full(8, radius))
    assert body.volume == pytest.approx(8 * integral(area), rel=1e-10)
    assert body.moments == pytest.approx(16 * integral(lambda x: x**2 * area(x)), rel=1e-10)
    assert np.array_equal(body.axes, [1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(("spheres", "roundness"), [(2, 0.7), (4, 0.25), (5, 0.4), (9, 0.3)])
def test_rod_is_a_solid_of_revolution(spheres, roundness):
    """A rod lies along z: moments from its profile, its length is 1 and its width is the roundness."""
    offsets, radii = clump_template("rod", spheres=spheres, roundness=roundness)
    body = clump_properties(offsets, radii)
    volume, _, about, across = revolved_moments(offsets[:, 2], radii)
    assert body.volume == pytest.approx(volume, rel=1e-11)
    assert body.moments == pytest.approx([across, across, about], rel=1e-11)
    assert np.ptp(offsets[:, 2]) + 2 * radii[0] == pytest.approx(1.0, rel=1e-15)
    assert np.all(radii == 0.5 * roundness)


def test_tetra_is_isotropic_and_touches():
    """Edge 2r: V = 4 v, and corners at r√(3/2) from the centre give Σ x² = Σ R²/3, so I = 4 v (2/5 + 2/3 · 3/2) r²."""
    offsets, radii = clump_template("tetra")
    body = clump_properties(offsets, radii)
    volume = 4 * 4 / 3 * np.pi * 0.25**3
    assert body.volume == pytest.approx(volume, rel=1e-12)
    assert body.moments == pytest.approx(volume * 1.4 * 0.25**2, rel=1e-12)


@pytest.mark.parametrize("name", ["cube", "dimer", "tetra", "rod"])
def test_swollen_templates_do_not_depend_on_the_quadrature(name, monkeypatch):
    """Four times the nodes change volume and inertia of strongly overlapping templates by less than 1e-11."""
    offsets, radii = clump_template(name)
    coarse = clump_properties(offsets, 1.3 * radii)
    monkeypatch.setattr(clumps, "_LATITUDES", 192)
    monkeypatch.setattr(clumps, "_LONGITUDES", 40)
    fine = clump_properties(offsets, 1.3 * radii)
    assert coarse.volume == pytest.approx(fine.volume, rel=1e-11)
    assert coarse.inertia == pytest.approx(fine.inertia, abs=1e-11 * np.trace(fine.inertia))


def test_coinciding_and_swallowed_spheres_count_once():
    """A ball given twice, with a smaller one inside it, is one ball; a copy moved by ε adds V ≈ π R² ε."""
    offsets = np.zeros((3, 3))
    radii = np.array([0.4, 0.4, 0.2])
    ball = 4 / 3 * np.pi * 0.4**3
    assert clump_properties(offsets, radii).volume == pytest.approx(ball, rel=1e-15)
    offsets[1, 2] = 1e-6
    grown = clump_properties(offsets, radii).volume - ball
    assert grown == pytest.approx(np.pi * 0.4**2 * 1e-6, rel=1e-5)


def test_random_clumps_turn_scale_and_obey_the_triangle_inequality():
    """Turning a clump leaves V and the moments; scaling by s gives s³ V and s⁵ I; I₁ + I₂ ≥ I₃ for any body.

    The principal frame must diagonalise the tensor: R diag(moments) Rᵀ = I, with R a proper rotation.
    """
    for seed in range(12):
        rng = np.random.default_rng(seed)
        count = rng.integers(2, 8)
        offsets, radii = rng.normal(size=(count, 3)), rng.uniform(0.3, 1.2, count)
        body = clump_properties(offsets, radii)
        turned = clump_properties(offsets @ random_rotation(seed).T, radii)
        scaled = clump_properties(3.0 * offsets, 3.0 * radii)
        assert turned.volume == pytest.approx(body.volume, rel=1e-7)
        assert np.sort(turned.moments) == pytest.approx(np.sort(body.moments), rel=1e-7)
        assert scaled.volume == pytest.approx(27 * body.volume, rel=1e-12)
        assert scaled.moments == pytest.approx(243 * body.moments, rel=1e-12)
        small, middle, large = np.sort(body.moments)
        assert small > 0 and small + middle >= large
        rotation = matrix(body.axes)
        assert np.linalg.det(rotation) == pytest.approx(1.0, rel=1e-12)
        assert rotation @ np.diag(body.moments) @ rotation.T == pytest.approx(body.inertia, abs=1e-9 * large)
        assert body.offsets @ rotation.T + body.centre == pytest.approx(offsets, abs=1e-12)


def test_union_volume_agrees_with_counting_lines():
    """An irregular clump with many multiple overlaps, against a plain sum over 400 × 400 parallel lines.

    On each line the union of the chords is measured exactly; the midpoint rule across lines errs by O(h^1.5) at
    the rims, here below 1e-4 of the volume.
    """
    rng = np.random.default_rng(5)
    offsets, radii = rng.normal(scale=0.6, size=(7, 3)), rng.uniform(0.4, 0.9, 7)
    low, high = (offsets - radii[:, None]).min(0), (offsets + radii[:, None]).max(0)
    side = [low[a] + (np.arange(400) + 0.5) * (high[a] - low[a]) / 400 for a in (0, 1)]
    x, y = (item.ravel() for item in np.meshgrid(*side, indexing="ij"))
    square = radii**2 - (x[:, None] - offsets[:, 0]) ** 2 - (y[:, None] - offsets[:, 1]) ** 2
    half = np.sqrt(np.maximum(square, 0.0))
    starts, ends = offsets[:, 2] - half, offsets[:, 2] + half
    order = np.argsort(starts, axis=1)
    starts, ends = np.take_along_axis(starts, order, 1), np.take_along_axis(ends, order, 1)
    reached = np.maximum.accumulate(ends, axis=1)
    before = np.concatenate([np.full((len(x), 1), -np.inf), reached[:, :-1]], axis=1)
    length = np.maximum(0.0, ends - np.maximum(starts, before)).sum()
    volume = length * (high[0] - low[0]) * (high[1] - low[1]) / 400**2
    assert clump_properties(offsets, radii).volume == pytest.approx(volume, rel=1e-4)


def test_principal_frame_of_diagonal_tensors_is_the_identity():
    """Diagonal tensors in any order of moments, equal ones and round-off beside them included, keep their frame."""
    noise = 1e-14 * np.ones((3, 3))
    for diagonal in [(3.0, 1.0, 2.0), (1.0, 1.0, 1.0), (2.0, 1.0, 1.0), (1.0, 2.0, 1.0)]:
        moments, axes = principal_frame(np.diag(diagonal) + noise)
        assert np.array_equal(axes, np.eye(3))
        assert moments == pytest.approx(diagonal, rel=1e-13)


def test_principal_frames_of_random_tensors_are_right_handed():
    """Of 300 random tensors each has a proper rotation that diagonalises it and lies nearer than any reordering."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        root = rng.normal(size=(3, 3))
        moments, axes = principal_frame(root @ root.T)
        assert np.linalg.det(axes) == pytest.approx(1.0, rel=1e-12)
        assert axes @ np.diag(moments) @ axes.T == pytest.approx(root @ root.T, abs=1e-12 * moments.max())
        assert np.trace(axes) > 1.0


def test_an_unknown_template_lists_the_known_ones():
    """A misspelt name is answered with the names there are."""
    with pytest.raises(ValueError, match="cube"):
        clump_template("cubee")
