"""What a packing is like: tensors and their parts, coordination, rattlers."""

from __future__ import annotations

import numpy as np

from barchan.observables import Moment


def axes_of(moment: Moment) -> list[int]:
    """The components that count: x and z in two dimensions."""
    return [0, 2] if moment.flat else [0, 1, 2]


def cell_volume(moment: Moment) -> float:
    """m³, or m² in two dimensions: the periodic box, along open axes the extent of the grains."""
    low = (moment.position - moment.radius[:, None]).min(axis=0, initial=0.0)
    high = (moment.position + moment.radius[:, None]).max(axis=0, initial=0.0)
    lengths = [moment.cell[k] or float(high[k] - low[k]) for k in axes_of(moment)]
    return float(np.prod(lengths))


def grain_volume(radius: np.ndarray, *, flat: bool) -> np.ndarray:
    """m³ of spheres, m² of discs."""
    return np.pi * radius**2 if flat else 4 / 3 * np.pi * radius**3


def stress(moment: Moment) -> np.ndarray:
    """Σ force ⊗ branch over all contacts, over the volume: compression is positive; Pa, N/m in two dimensions."""
    axes = axes_of(moment)
    pushed = np.einsum("ci,cj->ij", moment.contact_force[:, axes], moment.contact_branch[:, axes])
    return pushed / max(cell_volume(moment), 1e-300)


def fabric(moment: Moment) -> np.ndarray:
    """Σ (V₁ + V₂) n⊗n over contacts of grains, over the volume (Krijgsman and Luding 2016, eq. 14)."""
    pair = moment.contact_second >= 0
    first, second = moment.contact_first[pair], moment.contact_second[pair]
    branch = moment.contact_branch[pair][:, axes_of(moment)]
    normal = branch / np.maximum(np.linalg.norm(branch, axis=1), 1e-300)[:, None]
    size = grain_volume(moment.radius, flat=moment.flat)
    return np.einsum("c,ci,cj->ij", size[first] + size[second], normal, normal) / max(cell_volume(moment), 1e-300)


def parts(tensor: np.ndarray) -> tuple[float, float]:
    """The isotropic part, the mean of the eigenvalues, and the deviatoric, half of largest less smallest."""
    values = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
    return float(values.mean()), 0.5 * float(values[-1] - values[0])


def backbone(moment: Moment) -> tuple[np.ndarray, np.ndarray]:
    """(N,) bool: grains that are held, and (C,) bool: contacts among them, at walls included.

    A grain with fewer contacts than dimensions + 1 is held by nothing; without it others may be loose in turn.
    """
    count, needed = len(moment.mass), len(axes_of(moment)) + 1
    held = np.ones(count, bool)
    while True:
        wall = moment.contact_second < 0
        inside = held[moment.contact_first] & (wall | held[np.maximum(moment.contact_second, 0)])
        ends = np.bincount(moment.contact_first[inside], minlength=count)
        ends += np.bincount(moment.contact_second[inside & ~wall], minlength=count)
        loose = held & (ends < needed)
        if not loose.any():
            return held, inside
        held &= ~loose
