"""K3: how the work of relaxing a packing grows with its size (Krijgsman and Luding 2016, Fig. 3b)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.run.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.krijgsman import Cost, Packing, costs, exponent

SIZES = (500, 1000, 2000, 4000, 10_000, 20_000, 50_000)
KNEE = 7000  # discs, where the paper's law changes
PAPER = {"small": 0.81, "large": 0.56}
NEAR = 0.1
FLATTEST = 0.35  # exponent that Newton's must stay below
SEEDS = 50
PHI_3D = 0.68  # as far above jamming (0.64) in packing fraction over that of jamming as 0.86 in two dimensions, about


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Relax packings of many sizes from several random starts each, with the paper's minimiser and with ours."""
    sizes = (100, 200, 400, 800) if quick else SIZES
    seeds = range(3 if quick else SEEDS)
    workers = 1 if quick else None
    found: dict[str, dict[int, list[Cost]]] = {}
    for key in ("trust-region", "newton"):
        found[key] = {n: costs(Packing(n, minimiser=key), seeds, progress, workers=workers) for n in sizes}
    if not quick:
        spheres = Packing(1, PHI_3D, flat=False)
        found["trust-region, spheres"] = {
            n: costs(Packing(n, spheres.fraction, flat=False), seeds, progress) for n in sizes if n <= 20_000
        }
    return StudyResult((*_paper_rows(found, quick), *_own_rows(found, quick)), (_draw(found, folder),))


def _mean(costs: Sequence[Cost], *, iterations: bool) -> float:
    """Mean over the seeds of conjugate-gradient iterations, or of all gradients and products."""
    return float(np.mean([cost.products if iterations else cost.work for cost in costs]))


def _slope(found: dict[int, list[Cost]], low: float, high: float, *, iterations: bool) -> float:
    chosen = {n: _mean(costs, iterations=iterations) for n, costs in found.items() if low <= n <= high}
    return exponent(list(chosen), list(chosen.values()))[0]


def _paper_rows(found: dict[str, dict[int, list[Cost]]], quick: bool) -> list[Row]:
    plain, rows = found["trust-region"], []
    ranges = {"small": (0.0, KNEE)} if quick else {"small": (0.0, KNEE), "large": (KNEE, np.inf)}
    for name, (low, high) in ranges.items():
        slope = _slope(plain, low, high, iterations=True)
        sizes = [n for n in plain if low <= n <= high]
        rows.append(Row(
            f"trust-region: exponent of iterations in N, N = {sizes[0]} … {sizes[-1]}", f"{PAPER[name]:g}",
            f"{slope:.2f}", "", None if quick else abs(slope - PAPER[name]) < NEAR, f"within {NEAR:g} of the paper",
        ))  # fmt: skip
    if "trust-region, spheres" in found:
        slope = _slope(found["trust-region, spheres"], 0, np.inf, iterations=True)
        rows.append(Row("the same for spheres", "1/3, a guess", f"{slope:.2f}"))
    return rows


def _own_rows(found: dict[str, dict[int, list[Cost]]], quick: bool) -> list[Row]:
    plain, own = found["trust-region"], found["newton"]
    largest = max(own)
    ratio = _mean(plain[largest], iterations=False) / _mean(own[largest], iterations=False)
    slope = _slope(own, 0, np.inf, iterations=False)
    clock = float(np.median([c.seconds for c in plain[largest]]) / np.median([c.seconds for c in own[largest]]))
    everyone = [cost for costs in (*plain.values(), *own.values()) for cost in costs]
    return [
        Row("packings in balance to 1e-12", "all", f"{sum(c.calm for c in everyone)} of {len(everyone)}",
            passed=all(c.calm for c in everyone), criterion="all"),
        Row(f"gradients and products, trust-region over newton, N = {largest}", "–", f"{ratio:.1f}", "", ratio >= 5,
            "at least 5"),
        Row(f"processor time, trust-region over newton, N = {largest}, medians", "–", f"{clock:.1f}", "",
            None if quick else clock >= 2, "at least 2, at full size"),
        Row("newton: exponent of gradients and products in N", "–", f"{slope:.2f}", "", slope < FLATTEST,
            f"below {FLATTEST:g}"),
    ]  # fmt: skip


def _draw(found: dict[str, dict[int, list[Cost]]], folder: Path) -> Picture:
    curves = []
    for key, sizes in found.items():
        n = np.array(list(sizes), float)
        curves.append(Curve(n, [_mean(costs, iterations=False) for costs in sizes.values()], key, "both"))
    n = np.array(list(found["trust-region"]), float)
    paper = np.where(n < KNEE, 6.68 * n**0.81, 50.12 * n**0.56)
    curves.append(Curve(n, paper, "iterations in the paper", "dashed"))
    panel = Panel("number of grains", "gradients and Hessian products", curves, log_x=True, log_y=True)
    path = save_figure(draw_panels([panel]), folder / "size.png")
    return Picture(path, "Work to relax a packing at φ = 0.86 from random positions against its size, mean over seeds.")


STUDY = Study(
    "K3", "How the work of relaxing a packing grows with its size",
    "iterations ∝ N^0.81 below 7000 discs and N^0.56 above (Fig. 3b)", run,
    "100 to 800 discs and 3 seeds instead of 500 to 50 000 and 50; the paper's exponents are shown and not judged",
)  # fmt: skip
