"""K1: from random positions to machine precision (Krijgsman and Luding 2016, Fig. 2)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.parts.minimisers import Descent
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.krijgsman import TOLERANCE, Packing, descend

FEWER = 5.0  # times fewer products that Newton must need


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Relax one packing with every minimiser, from the same start."""
    packing = Packing(200 if quick else 10_000)
    found: dict[str, tuple[Descent, float]] = {}
    for key in ("trust-region", "fire", "newton"):
        progress.status(f"{packing.count} discs, {key}")
        solver, descent = descend(Packing(packing.count, minimiser=key))
        found[key] = (descent, solver.balance())
    work, energy, _ = np.array(found["trust-region"][0].history).T
    fall, late = _stages(work, energy)
    total = {key: descent.history[-1][0] for key, (descent, _) in found.items()}
    rows = [
        Row(
            f"{key}: force on a grain over mean contact force", "machine precision" if key == "trust-region" else "–",
            f"{balance:.1e} after {total[key]} gradients and products", passed=balance < TOLERANCE,
            criterion=f"below {TOLERANCE:.0e}",
        )
        for key, (_, balance) in found.items()
    ]  # fmt: skip
    rows += [
        Row("energy left after the first tenth of the way", "falls quickly at first", f"{fall:.2g}", "of the start",
            fall < 0.02, "below 0.02"),
        Row("share of the way in which the excess falls from 1e-4 of the energy to 1e-12", "a sharp drop at the end",
            f"{late:.2f}", "", late < 0.5, "below half"),
        Row("products of trust-region over those of newton", "–", f"{total['trust-region'] / total['newton']:.1f}", "",
            None if quick else total["trust-region"] >= FEWER * total["newton"], f"at least {FEWER:g} at full size"),
    ]  # fmt: skip
    return StudyResult(tuple(rows), (_draw(found, folder),))


def _stages(work: np.ndarray, energy: np.ndarray) -> tuple[float, float]:
    """Energy after a tenth of the way over that at the start, and the share of the way that the last stage takes."""
    early = float(energy[np.searchsorted(work, 0.1 * work[-1])] / energy[0])
    excess = (energy - energy[-1]) / energy[-1]
    begin, end = (work[np.flatnonzero(excess > level)[-1]] for level in (1e-4, 1e-12))
    return early, float((end - begin) / work[-1])


def _draw(found: dict[str, tuple[Descent, float]], folder: Path) -> Picture:
    energies, falls = [], []
    for key, (descent, _) in found.items():
        work, energy, _ = np.array(descent.history).T
        energies.append(Curve(work[1:], energy[1:], key))
        rate = -np.diff(energy) / np.diff(work).clip(min=1)
        falls.append(Curve(work[1:][rate > 0], rate[rate > 0], key))
    label = "gradients and Hessian products"
    panels = (
        Panel(label, "energy / k L²", energies, log_x=True, log_y=True),
        Panel(label, "reduction of energy per product / k L²", falls, log_x=True, log_y=True),
    )
    path = save_figure(draw_panels(panels), folder / "relaxation.png")
    return Picture(path, "Energy, and its reduction per gradient or product, on the way down from random positions.")


STUDY = Study(
    "K1", "Discs from random positions to machine precision", "three stages, then machine precision (Fig. 2)", run,
    "200 discs instead of 10 000; newton is compared at full size only",
)  # fmt: skip
