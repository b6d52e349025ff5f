"""Springs without a memory: the normal force and energy of an overlap, of laws and potentials, from docs/laws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.touching import Table


def law(scene: dict[str, Any]) -> dict[str, Any]:
    """The law of contacts, or the potential."""
    return dict(scene["relax"]["potential"] if scene["solver"] == "relax" else scene["contact"])


def lossless(scene: dict[str, Any]) -> bool:
    """Whether forces go by overlaps alone."""
    return scene["solver"] == "relax" or scene["materials"]["a"].get("restitution") == 1.0


def normal(scene: dict[str, Any], own: Table) -> tuple[np.ndarray, np.ndarray]:
    """Force (C,) N and energy (C,) J of each overlap; all bodies are of the material a."""
    one, spring = scene["materials"]["a"], law(scene)
    young = one["young"] / (2 * (1 - one["poisson"] ** 2))
    if spring.get("law", spring.get("kind")) in ("linear", "harmonic"):
        stiffness = spring["stiffness"]
        return stiffness * own.overlap, 0.5 * stiffness * own.overlap**2
    force = 4 / 3 * young * np.sqrt(own.radius) * own.overlap**1.5
    return force, 0.4 * force * own.overlap


def tangential(scene: dict[str, Any], own: Table) -> np.ndarray:
    """Stiffness (C,) N/m along the planes of contact: Mindlin's 8 G* √(R* ξ), or a share of a linear spring's."""
    one, spring = scene["materials"]["a"], law(scene)
    if spring.get("law") == "linear":
        return np.full(len(own.first), spring["tangential"] * spring["stiffness"])
    shear = one["young"] / (4 * (2 - one["poisson"]) * (1 + one["poisson"]))
    return np.asarray(8 * shear * np.sqrt(own.radius * own.overlap))
