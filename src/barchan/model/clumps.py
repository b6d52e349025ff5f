"""Clumps: rigid sets of spheres, their named templates, and their volume, centre and inertia.

Volume that several spheres share is counted once. The body is the union of the balls, so by the divergence
theorem its moments are integrals over the part of each sphere's surface that no other sphere covers:

    V = (1/3) ∮ x·n dA,    ∫ x dV = (1/4) ∮ x (x·n) dA,    ∫ x xᵀ dV = (1/5) ∮ x xᵀ (x·n) dA

On a circle of latitude of one sphere the covered part is a set of arcs whose ends are known exactly, and between
two heights at which the arcs' order changes the rest is a smooth function of height but for square roots at the
ends, which a cosine substitution removes. Gauss's rule then converges to round-off. An isolated sphere is taken
in closed form; a pair has its polar axis along the line of centres, where the integrand is a polynomial.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from barchan.geometry import from_matrix

_LATITUDES = 48  # Gauss nodes between two heights
_LONGITUDES = 10  # Gauss nodes on an arc of at most a third of a turn
_LEVEL = 1e-12  # lean of a rim against the latitudes that is round-off
_SAME = 1e-10  # relative difference below which moments of inertia are round-off


@dataclass(frozen=True)
class ClumpProperties:
    """What a rigid set of spheres of unit density (1 kg/m³) weighs, and how it resists turning."""

    volume: float  # m³, overlaps counted once
    centre: np.ndarray  # (3,) m, centre of mass in the frame of the given offsets
    inertia: np.ndarray  # (3, 3) m⁵, about the centre of mass, unit density
    moments: np.ndarray  # (3,) m⁵, principal moments
    axes: np.ndarray  # (4,) unit quaternion (w, x, y, z), from the principal frame to that of the given offsets
    bounding_radius: float  # m, of the smallest sphere about the centre of mass that holds the clump
    offsets: np.ndarray  # (M, 3) m, sphere centres relative to the centre of mass, principal frame
    radii: np.ndarray  # (M,) m


def clump_template(name: str, *, roundness: float = 0.5, spheres: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Offsets (M, 3) and radii (M,) of a named clump whose size is 1; a sphere's diameter is `roundness`.

    `cube`: eight spheres at the corners of a cube, size = edge of the enclosing cube. `dimer`: two on the z axis.
    `rod`: `spheres` of them on the z axis; size = overall length of both. `tetra`: four at the corners of a regular
    tetrahedron, size = extent along an edge. At roundness 1/2 all but the rod's just touch. `sphere`: one.
    """
    if name == "sphere":
        return np.zeros((1, 3)), np.array([0.5])
    if name == "cube":
        offsets = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    elif name == "tetra":
        corners = [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)]
        offsets = np.array(corners) / np.sqrt(8.0)
    elif name in ("dimer", "rod"):
        count = 2 if name == "dimer" else spheres
        offsets = np.outer(np.arange(count) / (count - 1.0) - 0.5, (0.0, 0.0, 1.0))
    else:
        raise ValueError(f"no clump is called {name!r}; there are sphere, cube, dimer, tetra, rod")
    return (1.0 - roundness) * offsets, np.full(len(offsets), 0.5 * roundness)


def clump_properties(offsets: np.ndarray, radii: np.ndarray) -> ClumpProperties:
    """Volume, centre of mass, inertia and principal frame of the union of spheres, at unit density.

    offsets: (M, 3) m, sphere centres in any frame; radii: (M,) m. A copy scaled by s has volume s³ and inertia s⁵
    times as large, so this is computed once per kind of clump.
    """
    offsets = np.asarray(offsets, dtype=float).reshape(-1, 3)
    radii = np.asarray(radii, dtype=float).reshape(-1)
    origin = offsets.mean(axis=0)
    volume, first, second = _union_moments(offsets - origin, radii)
    shift = first / volume
    spread = second - volume * np.outer(shift, shift)
    inertia = np.trace(spread) * np.eye(3) - spread
    moments, rotation = principal_frame(inertia)
    centre = origin + shift
    relative = offsets - centre
    return ClumpProperties(
        volume=volume,
        centre=centre,
        inertia=inertia,
        moments=moments,
        axes=from_matrix(rotation),
        bounding_radius=float(np.max(np.linalg.norm(relative, axis=1) + radii)),
        offsets=relative @ rotation,
        radii=radii,
    )


def principal_frame(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments (3,) of a symmetric tensor and the rotation (3, 3) whose columns are the principal axes.

    Of all right-handed orders of the axes the one nearest to the given frame is taken: a tensor that is diagonal
    already, however degenerate, gives the identity.
    """
    same = _SAME * float(np.trace(inertia))
    if np.max(np.abs(inertia - np.diag(np.diag(inertia)))) <= same:
        moments, axes = np.diag(inertia).copy(), np.eye(3)
    else:
        moments, axes = np.linalg.eigh(inertia)
        for odd, (one, other) in ((2, (0, 1)), (0, (1, 2))):
            if moments[other] - moments[one] <= same:
                return _symmetric_frame(moments[odd], 0.5 * (moments[one] + moments[other]), axes[:, odd])
        order = list(max(itertools.permutations(range(3)), key=lambda p: float(np.abs(axes[range(3), list(p)]).sum())))
        moments, axes = moments[order], axes[:, order]
        # The sum of the diagonal now exceeds 1, which no reflection's can: the frame is right-handed.
        axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        if abs(moments[one] - moments[other]) <= same:
            moments[other] = moments[one]
    return moments, axes


def _symmetric_frame(about: float, across: float, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moments and frame of a body of revolution: the smallest turn that takes a coordinate axis to its axis."""
    slot = int(np.argmax(np.abs(axis)))
    axis = axis * np.sign(axis[slot])
    unit = np.eye(3)[slot]
    turn = np.cross(unit, axis)
    skew = np.array([[0.0, -turn[2], turn[1]], [turn[2], 0.0, -turn[0]], [-turn[1], turn[0], 0.0]])
    return np.where(unit > 0.0, about, across), np.eye(3) + skew + skew @ skew / (1.0 + axis[slot])


def _union_moments(centres: np.ndarray, radii: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """∫ dV (m³), ∫ x dV (3,) m⁴ and ∫ x xᵀ dV (3, 3) m⁵ over the union of the balls."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    visible = _not_swallowed(centres, radii)
    centres, radii = centres[visible], radii[visible]
    for i, (centre, radius) in enumerate(zip(centres, radii, strict=True)):
        distance = np.linalg.norm(centres - centre, axis=1)
        near = np.flatnonzero((distance < radius + radii) & (np.arange(len(radii)) != i))
        if len(near) == 0:
            ball = 4.0 / 3.0 * np.pi * radius**3
            volume += ball
            first += ball * centre
            second += ball * (np.outer(centre, centre) + radius**2 / 5.0 * np.eye(3))
            continue
        axes = (centres[near] - centre) / distance[near, None]  # (J, 3) unit vectors to the neighbours
        rims = (distance[near] ** 2 + radius**2 - radii[near] ** 2) / (2.0 * radius * distance[near])
        normal, solid_angle = _exposed_directions(axes, rims)
        flux = (normal @ centre + radius) * radius**2 * solid_angle  # x·n dA
        x = centre + radius * normal
        volume += float(flux.sum()) / 3.0
        first += flux @ x / 4.0
        second += (x * flux[:, None]).T @ x / 5.0
    return volume, first, 0.5 * (second + second.T)


def _not_swallowed(centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """The indices of the spheres that do not lie wholly inside another; of equal ones the first."""
    keep: list[int] = []
    for i in sorted(range(len(radii)), key=lambda k: (-radii[k], k)):
        if all(np.linalg.norm(centres[i] - centres[k]) + radii[i] > radii[k] for k in keep):
            keep.append(i)
    return np.array(sorted(keep))


def _exposed_directions(axes: np.ndarray, rims: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quadrature of the unit sphere without its caps u·axes[j] > rims[j]: directions (K, 3), solid angles (K,)."""
    frame = _frame_about(axes[0])
    local = axes @ frame.T  # (J, 3), the first one along z
    level = np.hypot(local[:, 0], local[:, 1]) < _LEVEL
    local[level] = np.outer(np.sign(local[level, 2]), (0.0, 0.0, 1.0))
    heights = _turning_heights(local, rims)
    z, dz = _latitudes(heights)
    s = np.sqrt(np.maximum(0.0, 1.0 - z * z))

    azimuth = np.arctan2(local[:, 1], local[:, 0])
    lean = np.hypot(local[:, 0], local[:, 1])
    # The rim of a cap crosses a latitude where s · lean · cos(φ − azimuth) = rim − z · axis_z.
    reach = np.maximum(s[:, None] * lean, 1e-300)
    half = np.arccos(np.clip((rims - np.outer(z, local[:, 2])) / reach, -1.0, 1.0))  # (Q, J) rad
    thirds = np.broadcast_to(np.arange(3) * (2.0 * np.pi / 3.0), (len(z), 3))
    edges = np.sort(np.concatenate([thirds, (azimuth - half) % (2 * np.pi), (azimuth + half) % (2 * np.pi)], axis=1))
    arc = np.diff(edges, axis=1, append=2.0 * np.pi + edges[:, :1])  # (Q, 2J + 3) rad
    middle = edges + 0.5 * arc
    covered = np.any(np.einsum("qac,jc->qaj", _unit_vectors(z[:, None], s[:, None], middle), local) > rims, axis=2)
    row, column = np.nonzero(~covered & (arc > 0.0))

    node, weight = np.polynomial.legendre.leggauss(_LONGITUDES)
    half_arc = 0.5 * arc[row, column][:, None]
    directions = _unit_vectors(z[row, None], s[row, None], middle[row, column][:, None] + half_arc * node)
    solid_angle = dz[row, None] * half_arc * weight
    return directions.reshape(-1, 3) @ frame, solid_angle.reshape(-1)


def _unit_vectors(z: np.ndarray, s: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """Directions (Q, A, 3) of height z (Q, 1), distance from the axis s (Q, 1) and longitude phi (Q, A)."""
    return np.stack([s * np.cos(phi), s * np.sin(phi), np.broadcast_to(z, phi.shape)], axis=-1)


def _frame_about(axis: np.ndarray) -> np.ndarray:
    """A right-handed frame (rows) whose third vector is the given unit vector."""
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(helper, axis)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first), axis])


def _turning_heights(axes: np.ndarray, rims: np.ndarray) -> np.ndarray:
    """Sorted heights z on the unit sphere at which the exposed arcs change their order, poles included.

    These are the level rims, the highest and lowest point of each other rim, and the points where two rims cross;
    of the points only those that no cap covers matter.
    """
    lean = np.hypot(axes[:, 0], axes[:, 1])[:, None]
    tilted = lean[:, 0] > 0.0
    up = np.concatenate([-axes[:, :2] * axes[:, 2:] / np.where(lean > 0.0, lean, 1.0), lean], axis=1)
    foot, rise = axes * rims[:, None], up * np.sqrt(np.maximum(0.0, 1.0 - rims**2))[:, None]
    points = [(foot + rise)[tilted], (foot - rise)[tilted]]

    j, k = np.triu_indices(len(rims), 1)
    cosine = np.einsum("pc,pc->p", axes[j], axes[k])
    j, k, cosine = (item[np.abs(cosine) < 1.0 - 1e-14] for item in (j, k, cosine))
    sine2 = 1.0 - cosine**2
    along_j = (rims[j] - cosine * rims[k]) / sine2
    along_k = (rims[k] - cosine * rims[j]) / sine2
    rest = (1.0 - along_j**2 - along_k**2 - 2.0 * along_j * along_k * cosine) / sine2
    base = along_j[:, None] * axes[j] + along_k[:, None] * axes[k]
    across = np.cross(axes[j], axes[k]) * np.sqrt(np.maximum(rest, 0.0))[:, None]
    meet = rest >= 0.0
    points += [(base + across)[meet], (base - across)[meet]]

    candidates = np.concatenate(points)
    free = ~np.any(candidates @ axes.T > rims + 1e-9, axis=1)
    return np.unique(np.clip(np.concatenate([[-1.0, 1.0], foot[~tilted, 2], candidates[free, 2]]), -1.0, 1.0))


def _latitudes(heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes z and weights dz of Gauss's rule in θ, z = middle − half · cos θ, on each interval of the heights."""
    node, weight = np.polynomial.legendre.leggauss(_LATITUDES)
    theta = 0.5 * np.pi * (node + 1.0)
    half = 0.5 * np.diff(heights)[:, None]
    z = 0.5 * (heights[:-1] + heights[1:])[:, None] - half * np.cos(theta)
    dz = half * np.sin(theta) * (0.5 * np.pi * weight)
    return z.ravel(), dz.ravel()


def covered_area(centres: np.ndarray, radii: np.ndarray) -> float:
    """Area, m², of the union of discs with centres (M, 2) m and radii (M,) m, by Green's theorem.

    Round every disc, ½ ∮ (x dy − y dx) over those arcs that no other disc covers.
    """
    area = 0.0
    keep = _not_swallowed(centres, radii)
    for i in keep:
        (x, y), r = centres[i], float(radii[i])
        others = keep[keep != i]
        away = centres[others] - centres[i]
        distance = np.linalg.norm(away, axis=1)
        near = (distance < r + radii[others]) & (distance > 0.0)
        away, distance, other = away[near], distance[near], radii[others][near]
        middle = np.arctan2(away[:, 1], away[:, 0])
        half = np.arccos(np.clip((distance**2 + r * r - other**2) / (2.0 * r * distance), -1.0, 1.0))
        ends = np.concatenate([[0.0, 2 * np.pi], (middle - half) % (2 * np.pi), (middle + half) % (2 * np.pi)])
        ends = np.unique(ends)
        begin, end = ends[:-1], ends[1:]
        at = 0.5 * (begin + end)
        turned = np.abs((at[:, None] - middle + np.pi) % (2 * np.pi) - np.pi)
        free = ~np.any(turned < half, axis=1)
        begin, end = begin[free], end[free]
        swept = r * (end - begin) + x * (np.sin(end) - np.sin(begin)) - y * (np.cos(end) - np.cos(begin))
        area += 0.5 * r * float(swept.sum())
    return area
