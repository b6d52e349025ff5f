"""R2: the same atmosphere in a cylinder half as wide, where the spheres' own size shows (Richardson 2011, §3.1)."""

from __future__ import annotations

from pathlib import Path

from barchan.simulation.progress import Progress
from barchan.studies import Row, Study, StudyResult
from barchan.studies.richardson import MASSES, Atmosphere

PAPER = ((1.89, 0.15), (0.720, 0.034), (0.204, 0.011))  # m, measured, with its scatter over six looks


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the narrow atmosphere, and compare how far the heights lie above those of an ideal gas."""
    found = Atmosphere(radius=0.5, falls=60.0 if quick else 400.0).run(folder / "run", progress)
    rows = []
    for k, mass in enumerate(MASSES):
        height, scatter = found.scale_heights[k]
        paper, margin = PAPER[k]
        rows.append(
            Row(
                f"scale height of mass {mass:g}",
                f"{paper:g} ± {margin:g}",
                f"{height:.3f} ± {scatter:.3f}; hard spheres {found.dense[k]:.3f}",
                "m",
                passed=abs(height - paper) <= margin,
                criterion=f"within the paper's {margin:g} m",
            )
        )
    for k in (1, 2):
        share = found.scale_heights[k, 0] / found.expected[k]
        rows.append(
            Row(
                f"mass {MASSES[k]:g}: over the ideal gas",
                f"{PAPER[k][0] / (0.626, 0.188)[k - 1]:.2f}",
                f"{share:.3f}",
                passed=share > 1,
                criterion="> 1: the bottom layers are full",
            )
        )
    return StudyResult(tuple(rows), found.pictures(folder))


STUDY = Study(
    "R2",
    "In a narrow cylinder the spheres' size lifts the atmosphere",
    "R1 with the cylinder half as wide: 1.89 ± 0.15, 0.720 ± 0.034, 0.204 ± 0.011.",
    run,
    "60 times of the first fall instead of 400",
)
