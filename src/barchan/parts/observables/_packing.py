"""What a packing is like: tensors and their parts, coordination, rattlers."""

from __future__ import annotations

import numpy as np

from barchan.frame import Frame
from barchan.parts.observables._volume import Part, axes_of, over


def stress(frame: Frame, part: Part) -> np.ndarray:
    """Σ force ⊗ branch over all contacts, over the volume: compression is positive; Pa, N/m in two dimensions.

    Of hard spheres, which touch for an instant, Σ impulse ⊗ branch a second.
    """
    axes = axes_of(frame)
    force = part.share[:, None] * frame.contacts.force[:, axes]
    pushed = np.einsum("ci,cj->ij", force, frame.branch[:, axes]) + frame.collided[np.ix_(axes, axes)]
    return np.asarray(over(pushed, part.volume))


def kinetic_stress(frame: Frame, part: Part) -> np.ndarray:
    """Σ m v ⊗ v of the velocities relative to their mean, over the volume; sign and unit as of `stress`."""
    mass, velocity = frame.mass[part.grains], frame.velocity[part.grains][:, axes_of(frame)]
    if len(mass):
        velocity = velocity - np.average(velocity, axis=0, weights=mass)
    return np.asarray(over(np.einsum("n,ni,nj->ij", mass, velocity, velocity), part.volume))


def fabric(frame: Frame, part: Part) -> np.ndarray:
    """Σ (V₁ + V₂) n⊗n over pairs of grains that touch, over the volume (Krijgsman and Luding 2016, eq. 14)."""
    pair = np.flatnonzero(frame.ends[1] >= 0)
    both = np.sort(np.column_stack([frame.ends[0], frame.ends[1]])[pair], axis=1)
    pair = pair[np.unique(both, axis=0, return_index=True)[1]]  # one of the points at which two grains touch
    first, second = frame.ends[0][pair], frame.ends[1][pair]
    branch = frame.branch[pair][:, axes_of(frame)]
    normal = branch / np.maximum(np.linalg.norm(branch, axis=1), 1e-300)[:, None]
    size = part.share[pair] * (frame.solid[first] + frame.solid[second])
    return np.asarray(over(np.einsum("c,ci,cj->ij", size, normal, normal), part.volume))


def parts(tensor: np.ndarray) -> tuple[float, float]:
    """The isotropic part, the mean of the eigenvalues, and the deviatoric, half of largest less smallest."""
    values = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
    return float(values.mean()), 0.5 * float(values[-1] - values[0])


def ends(pairs: np.ndarray, count: int) -> np.ndarray:
    """(count,) pairs (K, 3) that end at each grain, at walls included."""
    other = pairs[:, 1]
    return np.bincount(pairs[:, 0], minlength=count) + np.bincount(other[other >= 0], minlength=count)


def backbone(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """(N,) bool: grains that are held, and (K,) bool: pairs among them, at walls included.

    A grain with fewer contacts than dimensions + 1 is held by nothing; without it others may be loose in turn.
    """
    pairs, count, needed = frame.pairs, len(frame.mass), len(axes_of(frame)) + 1
    held = np.ones(count, bool)
    while True:
        inside = held[pairs[:, 0]] & ((pairs[:, 1] < 0) | held[np.maximum(pairs[:, 1], 0)])
        loose = held & (ends(pairs[inside], count) < needed)
        if not loose.any():
            return held, inside
        held &= ~loose
