"""What a packing is like: tensors and their parts, coordination, rattlers."""

from __future__ import annotations

import numpy as np

from barchan.observables import Moment
from barchan.observables._volume import Part, axes_of, over


def stress(moment: Moment, part: Part) -> np.ndarray:
    """Σ force ⊗ branch over all contacts, over the volume: compression is positive; Pa, N/m in two dimensions."""
    axes = axes_of(moment)
    force = part.share[:, None] * moment.contact_force[:, axes]
    return np.asarray(over(np.einsum("ci,cj->ij", force, moment.contact_branch[:, axes]), part.volume))


def fabric(moment: Moment, part: Part) -> np.ndarray:
    """Σ (V₁ + V₂) n⊗n over contacts of grains, over the volume (Krijgsman and Luding 2016, eq. 14)."""
    pair = moment.contact_second >= 0
    first, second = moment.contact_first[pair], moment.contact_second[pair]
    branch = moment.contact_branch[pair][:, axes_of(moment)]
    normal = branch / np.maximum(np.linalg.norm(branch, axis=1), 1e-300)[:, None]
    size = part.share[pair] * (moment.solid[first] + moment.solid[second])
    return np.asarray(over(np.einsum("c,ci,cj->ij", size, normal, normal), part.volume))


def parts(tensor: np.ndarray) -> tuple[float, float]:
    """The isotropic part, the mean of the eigenvalues, and the deviatoric, half of largest less smallest."""
    values = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
    return float(values.mean()), 0.5 * float(values[-1] - values[0])


def ends(moment: Moment, which: np.ndarray | None = None) -> np.ndarray:
    """(N,) contacts that end at each grain, at walls included, of those `which` (C,) bool, of all where left out."""
    inside = np.ones(len(moment.contact_first), bool) if which is None else which
    count, pair = len(moment.mass), inside & (moment.contact_second >= 0)
    found = np.bincount(moment.contact_first[inside], minlength=count)
    return found + np.bincount(moment.contact_second[pair], minlength=count)


def backbone(moment: Moment) -> tuple[np.ndarray, np.ndarray]:
    """(N,) bool: grains that are held, and (C,) bool: contacts among them, at walls included.

    A grain with fewer contacts than dimensions + 1 is held by nothing; without it others may be loose in turn.
    """
    count, needed = len(moment.mass), len(axes_of(moment)) + 1
    held = np.ones(count, bool)
    while True:
        wall = moment.contact_second < 0
        inside = held[moment.contact_first] & (wall | held[np.maximum(moment.contact_second, 0)])
        loose = held & (ends(moment, inside) < needed)
        if not loose.any():
            return held, inside
        held &= ~loose
