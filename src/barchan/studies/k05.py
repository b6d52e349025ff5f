"""K5: how many points a quasi-static shear needs, and what they cost (Krijgsman and Luding 2016, Fig. 7, 8, 10)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.krijgsman import NAMES, SHEARED, SHOWN, Packing, Shear, exponent, shear

POWER = 0.31  # the paper's exponent of total iterations in the number of points


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Shear one packing in more and more points."""
    packing = Packing(100 if quick else 10_000)
    numbers = (5, 10, 20) if quick else (10, 31, 100, 316, 1000)
    found = {points: shear(packing.solver(**SHEARED), points, progress) for points in numbers}
    slope, _ = exponent(list(found), [one.products for one in found.values()])
    means = {name: [one.mean(name) for one in found.values()] for name in NAMES}
    first = found[numbers[0]].values["stress_deviatoric"]
    rows = [
        Row("exponent of total iterations in the number of points", f"{POWER:g}", f"{slope:.2f}", "",
            None if quick else abs(slope - POWER) < 0.1, "within 0.1 of the paper, at full size"),
        Row("deviatoric stress at the end over that at the start", "grows up to a maximum",
            f"{first[-1] / first[0]:.1f}", "", bool(first[-1] > first[0]), "above 1"),
    ]  # fmt: skip
    if not quick:
        change = max(abs(values[2] / values[-1] - 1) for values in means.values())
        rows.append(Row(
            "means over the second 4% with 100 points against the finest", "100 points are enough", f"{change:.1%}", "",
            change < 0.1, "within 10%",
        ))  # fmt: skip
    return StudyResult(tuple(rows), (_curves(found, folder), _cost(found, means, folder)))


def _curves(found: dict[int, Shear], folder: Path) -> Picture:
    panels = []
    for name, label in SHOWN.items():
        curves = [Curve(100 * one.strain, one.values[name], f"{points} points") for points, one in found.items()]
        panels.append(Panel("shear strain in %", label, curves))
    path = save_figure(draw_panels(panels), folder / "shear.png")
    return Picture(path, "Fabric and stress in pure shear, with different numbers of points to 4%.")


def _cost(found: dict[int, Shear], means: dict[str, list[float]], folder: Path) -> Picture:
    points = np.array(list(found), float)
    products = [one.products for one in found.values()]
    slope, factor = exponent(list(found), products)
    work = [float(one.work) for one in found.values()]
    averages = [Curve(work, np.array(v) / v[-1], SHOWN[name].split(" /")[0], "both") for name, v in means.items()]
    panels = (
        Panel("points to 4%", "iterations in total", [
            Curve(points, products, "", "points"),
            Curve(points, factor * points**slope, f"power {slope:.2f}", "dashed", PALETTE[1]),
        ], log_x=True, log_y=True),
        Panel("gradients and Hessian products", "mean from 4% to 8% / that of the finest", averages, log_x=True),
    )  # fmt: skip
    path = save_figure(draw_panels(panels), folder / "points.png")
    return Picture(path, "Iterations against the number of points, and what is gained by them.")


STUDY = Study(
    "K5", "How many points a quasi-static shear needs", "total iterations ∝ points^0.31; 100 points are enough", run,
    "100 discs and up to 20 points instead of 10 000 and 1000; the exponent is judged at full size only",
)  # fmt: skip
