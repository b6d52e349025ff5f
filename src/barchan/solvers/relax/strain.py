"""How a packing answers to a strain of its box: the tangent of its equilibrium, and elastic moduli from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from barchan.solvers.relax.landscape import Landscape, Point

SOFTEST = 1e-9  # of the mean stiffness, added to the diagonal: holds rattlers and translations


class Moduli(NamedTuple):
    """Elastic moduli, Pa (N/m in two dimensions)."""

    bulk: float  # −V dp/dV
    shear: float  # dτ/dγ in simple shear in the x–z plane
    pure: float  # dq/dγ in pure shear, q half the difference of stresses, γ the difference of logarithmic strains


def gradients_of(landscape: Landscape) -> dict[str, np.ndarray]:
    """Rates of the box, (3, 3): dilation of all periodic directions, simple and pure shear in the x–z plane."""
    simple, pure = np.zeros((3, 3)), np.diag([0.5, 0.0, -0.5])
    simple[0, 2] = 1.0
    return {"dilation": np.diag([1.0, 0.0 if landscape.flat else 1.0, 1.0]), "simple": simple, "pure": pure}


def virial(landscape: Landscape, point: Point) -> np.ndarray:
    """Σ force ⊗ branch over all contacts of grains, (3, 3) J: volume times stress, compression positive."""
    _, _, branch, touch = pairs(landscape, point)
    return 0.5 * np.einsum("k,ki,kj->ij", touch[:, 4], branch, branch)


def pressure(landscape: Landscape, point: Point) -> float:
    """Mean of the stress's eigenvalues, Pa (N/m in two dimensions)."""
    volume = landscape.cell.volume(flat=landscape.flat)
    return float(np.trace(virial(landscape, point))) / landscape.components / volume


def pairs(landscape: Landscape, point: Point) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """First and second grain, vector to the first (3,) m, and the six numbers, of all contacts, each twice."""
    first, second, touch = landscape.contacts(point)
    branch = np.zeros((len(first), 3))
    branch[:, landscape.axes] = touch[:, : landscape.components] * touch[:, 5:]
    return first, second, branch, touch


class Tangent:
    """The Hessian of a relaxed packing, factorised."""

    def __init__(self, landscape: Landscape, point: Point) -> None:
        self.landscape, self.point = landscape, point
        self.first, self.second, self.branch, self.touch = pairs(landscape, point)
        self._solve = landscape.factorised(point, SOFTEST)

    def _pulled(self, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Stretch of every contact under the rate of the box, (K, c), and its force gradient K_c · stretch."""
        axes, c = self.landscape.axes, self.landscape.components
        stretch = (self.branch @ rate.T)[:, axes]
        normal, a, b = self.touch[:, :c], self.touch[:, 3], self.touch[:, 4]
        along = np.einsum("kc,kc->k", normal, stretch)
        return stretch, ((a + b) * along)[:, None] * normal - b[:, None] * stretch

    def drift(self, rate: np.ndarray) -> np.ndarray:
        """(N, c) m: how grains move beyond the box, per unit of its rate (3, 3), so that they stay in balance."""
        _, pull = self._pulled(rate)
        count, c = len(self.landscape), self.landscape.components
        force = np.stack([np.bincount(self.first, pull[:, k], count) for k in range(c)], axis=1)
        return -self._solve(force)

    def stiffness(self, rate: np.ndarray) -> float:
        """d²E/dε² of the relaxed packing, J, for a deformation that is linear in ε with this rate (3, 3)."""
        stretch, pull = self._pulled(rate)
        count, c = len(self.landscape), self.landscape.components
        force = np.stack([np.bincount(self.first, pull[:, k], count) for k in range(c)], axis=1)
        affine = 0.5 * float(np.einsum("kc,kc->", stretch, pull))
        return affine + float((force * self.drift(rate)).sum())

    def moduli(self) -> Moduli:
        """Elastic moduli at the present load.

        Dilation by 1 + ε: with V ∝ (1 + ε)^d and p = −(1 + ε) E′/(d V), B = E″/(d² V) + p (d − 1)/d. Simple shear
        keeps volume and dE = V τ dγ, so G = E″/V. For pure shear d = exp(±γ/2), E″ has a part E′ (d²)″ that the linear
        deformation lacks: G = (E″ + ¼ (Sxx + Szz))/V with the virial S = −Σ force ⊗ branch, and q = E′/V as well.
        """
        landscape = self.landscape
        volume, d = landscape.cell.volume(flat=landscape.flat), landscape.components
        rates, load = gradients_of(landscape), virial(landscape, self.point)
        p = float(np.trace(load)) / d / volume
        pure = self.stiffness(rates["pure"]) - 0.25 * float(load[0, 0] + load[2, 2])
        return Moduli(
            bulk=self.stiffness(rates["dilation"]) / (d * d * volume) + p * (d - 1) / d,
            shear=self.stiffness(rates["simple"]) / volume,
            pure=pure / volume,
        )


def vibrations(landscape: Landscape, point: Point, mass: np.ndarray | None = None) -> np.ndarray:
    """Angular frequencies, rad/s, of all modes of a small packing in increasing order, unstable ones negative.

    mass: (N,) kg, 1 kg each when left out. Dense: some thousand grains at most.
    """
    matrix = landscape.hessian(point).toarray()
    scale = np.repeat(1 / np.sqrt(np.ones(len(landscape)) if mass is None else mass), landscape.components)
    square = np.linalg.eigvalsh(matrix * scale[:, None] * scale[None, :])
    return np.sign(square) * np.sqrt(np.abs(square))
