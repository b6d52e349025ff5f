"""K2: relaxing takes ever longer towards jamming (Krijgsman and Luding 2016, Fig. 3a)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import curve_fit

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.krijgsman import Packing, costs

JAMMED, FACTOR, POWER = 0.8425, 29.0, 1.5  # the paper's law: FACTOR/|φ − JAMMED|^POWER iterations
FRACTIONS = (0.85, 0.855, 0.86, 0.865, 0.87, 0.88, 0.90, 0.92, 0.95)
NEAR = 0.1
SEEDS = 50
LEAST, MOST = 0.82, 0.849  # between which jamming is sought


def law(fraction: np.ndarray, jammed: float, factor: float, power: float) -> np.ndarray:
    """The logarithm of the iterations."""
    return np.log(factor) - power * np.log(np.abs(fraction - jammed))


class Fit(NamedTuple):
    """The law that fits best, by least squares of the logarithms."""

    jammed: float
    factor: float
    power: float
    error: float  # standard error of the power

    @classmethod
    def of(cls, fractions: np.ndarray, work: np.ndarray, jammed: float | None = None) -> Fit:
        """Fit factor, power and, unless it is given, jamming fraction to so much work at these packing fractions."""
        if jammed is not None:
            line, spread = np.polyfit(-np.log(np.abs(fractions - jammed)), np.log(work), 1, cov=True)
            return cls(jammed, float(np.exp(line[1])), float(line[0]), float(np.sqrt(spread[0, 0])))
        bounds = ([LEAST, 1e-3, 0.1], [MOST, 1e6, 5.0])
        values, spread = curve_fit(law, fractions, np.log(work), p0=(JAMMED, FACTOR, POWER), bounds=bounds)
        return cls(float(values[0]), float(values[1]), float(values[2]), float(np.sqrt(spread[2, 2])))

    def __str__(self) -> str:
        return f"{self.power:.2f} ± {self.error:.2f}, φj = {self.jammed:.4f}"


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Relax packings of many packing fractions from several random starts each."""
    fractions = np.array([0.855, 0.88, 0.95] if quick else FRACTIONS)
    count, seeds = (150, range(3)) if quick else (10_000, range(SEEDS))
    found: dict[str, np.ndarray] = {}
    counted: dict[str, np.ndarray] = {}
    for key in ("trust-region", "newton"):
        packings = [Packing(count, float(fraction), minimiser=key) for fraction in fractions]
        many = [costs(packing, seeds, progress, workers=1 if quick else None) for packing in packings]
        found[key] = np.array([np.mean([one.work for one in some]) for some in many])
        if key == "trust-region":
            counted = {
                name: np.array([np.mean([getattr(one, field) for one in some]) for some in many])
                for name, field in (("conjugate gradients", "products"), ("steps", "steps"))
            }
    falls = bool(found["trust-region"][0] > 2 * found["trust-region"][-1])
    rows = [
        Row(f"trust-region: work at φ = {fractions[0]:g} over that at {fractions[-1]:g}",
            f"{(abs(fractions[-1] - JAMMED) / abs(fractions[0] - JAMMED)) ** POWER:.1f}",
            f"{found['trust-region'][0] / found['trust-region'][-1]:.1f}", "", falls, "above 2"),
        Row(f"newton: work over that of trust-region at φ = {fractions[0]:g}", "–",
            f"{found['newton'][0] / found['trust-region'][0]:.2f}", "",
            bool(found["newton"][0] < 0.5 * found["trust-region"][0]), "below a half"),
    ]  # fmt: skip
    curves = [Curve(fractions, work, key, "both") for key, work in found.items()]
    grid = np.linspace(fractions[0], fractions[-1], 100)
    curves.append(Curve(grid, FACTOR / np.abs(grid - JAMMED) ** POWER, "iterations in the paper", "dashed"))
    if not quick:
        for name, values in counted.items():
            fit, known = Fit.of(fractions, values), Fit.of(fractions, values, JAMMED)
            judged = name == "steps"  # which the paper's iterations are, by their number
            rows.append(Row(
                f"trust-region: power of 1/|φ − φj| in {name}, with the paper's φj", f"{POWER:g}", str(known), "",
                abs(known.power - POWER) < NEAR if judged else None, f"within {NEAR:g}" if judged else "",
            ))  # fmt: skip
            rows.append(Row("the same with φj fitted", f"{POWER:g}, φj = {JAMMED:g}", str(fit)))
            curves.append(Curve(grid, fit.factor / np.abs(grid - fit.jammed) ** fit.power, f"fit to {name}"))
        curves.append(Curve(fractions, counted["steps"], "trust-region, steps", "both"))
    panel = Panel("packing fraction φ", "gradients and Hessian products, or steps", curves, log_y=True)
    path = save_figure(draw_panels([panel]), folder / "fraction.png")
    caption = f"Work to relax {count} discs from random positions against the packing fraction, mean over seeds."
    return StudyResult(tuple(rows), (Picture(path, caption),))


STUDY = Study(
    "K2", "Relaxing takes ever longer towards jamming", "iterations = 29/|φ − 0.8425|^1.5 (Fig. 3a)", run,
    "150 discs, 3 packing fractions and 3 seeds instead of 10 000, 9 and 50; the power is fitted at full size only",
)  # fmt: skip
