"""Numbers for each grain, from the contacts of a frame."""

from __future__ import annotations

import itertools

import numpy as np

from barchan.frame import Frame

SLIPS = 2  # mode of a slipping contact under the law `stick-slip`


def _sides(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Rows (2C,) of the grains at the ends of all contacts, and from which contact; walls are left out."""
    touching = frame.contacts
    row = np.concatenate([frame.rows_of(touching.first), frame.rows_of(touching.second)])
    contact = np.tile(np.arange(len(touching.first)), 2)
    return row[row >= 0], contact[row >= 0]


def contact_number(frame: Frame) -> np.ndarray:
    """(N,) bodies that each grain touches: grains, and walls by their faces."""
    touching = frame.contacts
    pairs = touching.pairs
    row = np.concatenate([frame.rows_of(pairs[:, 0]), frame.rows_of(pairs[:, 1])])
    return np.bincount(row[row >= 0], minlength=len(frame)).astype(float)


def contact_points(frame: Frame) -> np.ndarray:
    """(N,) points at which each grain touches others and walls; pieces of clumps and polygons have one each."""
    row, _ = _sides(frame)
    return np.bincount(row, minlength=len(frame)).astype(float)


def contact_sum(frame: Frame) -> np.ndarray:
    """(N,) N: the sizes of the forces at a grain's contacts, added up."""
    row, contact = _sides(frame)
    size = np.linalg.norm(frame.contacts.force, axis=1)
    return np.bincount(row, weights=size[contact], minlength=len(frame))


def slipping(frame: Frame) -> np.ndarray:
    """(N,) share of a grain's contact points that slip, of those that have a mode; not a number where none has."""
    row, contact = _sides(frame)
    mode = frame.contacts.mode[contact]
    all_modes = np.bincount(row, weights=mode > 0, minlength=len(frame))
    slips = np.bincount(row, weights=mode == SLIPS, minlength=len(frame))
    return np.divide(slips, all_modes, out=np.full(len(frame), np.nan), where=all_modes > 0)


def pressure(frame: Frame, volume: np.ndarray, *, flat: bool = False) -> np.ndarray:
    """(N,) Pa: a third of the trace of the stress that a grain's contacts put into its volume (N,) m³.

    In two dimensions, `flat`, it is half of the trace, in N/m, over areas (N,) m².

    σ = −(1/V) Σ f ⊗ r over its contacts, with the force f on the grain and r from its centre to the contact (Love and
    Weber): positive where it is squeezed. A contact through a periodic face is taken at its nearest image.
    """
    row, contact = _sides(frame)
    touching = frame.contacts
    second = np.concatenate([np.zeros(len(touching.first), bool), np.ones(len(touching.first), bool)])
    known = np.concatenate([frame.rows_of(touching.first), frame.rows_of(touching.second)]) >= 0
    force = np.where(second[known, None], -touching.force[contact], touching.force[contact])
    arm = frame.nearest(touching.point[contact] - frame.position[row])
    done = np.bincount(row, weights=-np.einsum("ij,ij->i", force, arm), minlength=len(frame))
    return done / ((2.0 if flat else 3.0) * volume)


def close_spheres(frame: Frame, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of spheres that touch, or are nearer than a part `gap` of their radii, through periodic faces too."""
    from scipy.spatial import cKDTree

    place, radius = frame.sphere_position, frame.sphere_radius
    reach = 2.0 * (1.0 + gap) * float(radius.max(initial=0.0))
    low, high = place.min(axis=0) - reach, place.max(axis=0) + reach
    pairs = cKDTree(place).query_pairs(reach, output_type="ndarray")
    first, second, way = [pairs[:, 0]], [pairs[:, 1]], [np.zeros((len(pairs), 3))]
    for shift in _half_of_the_images(frame):
        there = np.flatnonzero(np.all((place + shift >= low) & (place + shift <= high), axis=1))
        found = cKDTree(place[there] + shift).query_ball_tree(cKDTree(place), reach) if len(there) else []
        counts = [len(one) for one in found]
        first.append(np.repeat(there, counts))
        second.append(np.array([row for one in found for row in one], int))
        way.append(np.tile(shift, (sum(counts), 1)))
    a, b = np.concatenate(first), np.concatenate(second)
    apart = np.linalg.norm(place[a] + np.concatenate(way) - place[b], axis=1)
    touching = apart <= (1.0 + gap) * (radius[a] + radius[b])
    return a[touching], b[touching]


def _half_of_the_images(frame: Frame) -> list[np.ndarray]:
    """Shifts (3,) m to the images round a periodic box, of any two opposite ones the first."""
    if not len(frame.cell):
        return []
    x, y, z, tilt = frame.cell[0, 3:7]
    vectors = np.array([[x, 0.0, 0.0], [0.0, y, 0.0], [tilt, 0.0, z]])
    ways = itertools.product(*((0, 1, -1) if length > 0 else (0,) for length in (x, y, z)))
    return [np.array(way, float) @ vectors for way in ways if way > (0, 0, 0)]
