"""R1: a granular atmosphere comes to equilibrium (Richardson 2011, Figures 4 to 6)."""

from __future__ import annotations

from pathlib import Path

from barchan.simulation.progress import Progress
from barchan.studies import Row, Study, StudyResult
from barchan.studies.richardson import MASSES, Atmosphere

PAPER = ((1.89, 0.06), (0.628, 0.045), (0.185, 0.007))  # m, measured, with its scatter over six looks
THEORY = (1.88, 0.626, 0.188)  # m
PROBABILITIES = ((0.77, 0.27), (0.40, 0.33), (0.72, 0.16))
MOST_ENERGY_ERROR = 1e-10
NOTE = (
    "The paper's theory is that of an ideal gas. Spheres that take up room stand a little higher: in equilibrium, with "
    "Carnahan and Starling's equation of state, at 1.906, 0.649 and 0.196 m."
)
LEAST_PROBABILITY = 0.01  # of a distribution that is not rejected


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the atmosphere, and compare scale heights, their distributions and the energy."""
    found = Atmosphere(falls=60.0 if quick else 400.0).run(folder / "run", progress)
    rows = []
    for k, mass in enumerate(MASSES):
        height, scatter = found.scale_heights[k]
        margin = PAPER[k][1]
        rows.append(
            Row(
                f"scale height of mass {mass:g}",
                f"{PAPER[k][0]:g} ± {margin:g}; ideal gas {THEORY[k]:g}",
                f"{height:.3f} ± {scatter:.3f}; hard spheres {found.dense[k]:.3f}",
                "m",
                passed=abs(height - found.dense[k]) <= margin,
                criterion=f"within the paper's {margin:g} m of equilibrium",
            )
        )
        rows.append(
            Row(
                f"mass {mass:g}: less the ideal gas",
                f"{PAPER[k][0] - THEORY[k]:+.3f} ± {margin:g}",
                f"{height - THEORY[k]:+.3f}",
                "m",
                passed=None if quick else abs(height - THEORY[k]) <= margin,
                criterion=f"within the paper's {margin:g} m, at full length",
            )
        )
    for k, mass in enumerate(MASSES):
        mean, scatter = found.probabilities[k]
        rows.append(
            Row(
                f"Kolmogorov–Smirnov probability, mass {mass:g}",
                f"{PROBABILITIES[k][0]:g} ± {PROBABILITIES[k][1]:g}",
                f"{mean:.2f} ± {scatter:.2f}",
                passed=mean > LEAST_PROBABILITY,
                criterion=f"> {LEAST_PROBABILITY:g} on average over six looks",
            )
        )
    rows.append(
        Row(
            "energy error",
            "1e-4",
            f"{found.energy_error:.1e}",
            passed=found.energy_error < MOST_ENERGY_ERROR,
            criterion=f"< {MOST_ENERGY_ERROR:g} of the energy of the fall",
        )
    )
    rows.append(Row("collisions", "not stated", f"{found.collisions:.0f}"))
    return StudyResult(tuple(rows), found.pictures(folder), (NOTE,))


STUDY = Study(
    "R1",
    "A granular atmosphere: every mass has the scale height of equipartition",
    "991 elastic spheres of masses 1, 3, 10 in a cylinder of radius 1: scale heights 1.89 ± 0.06, 0.628 ± 0.045, "
    "0.185 ± 0.007 against 1.88, 0.626, 0.188.",
    run,
    "60 times of the first fall instead of 400",
)
