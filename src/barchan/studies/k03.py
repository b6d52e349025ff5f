"""K3: how the work of relaxing a packing grows with its size (Krijgsman and Luding 2016, Fig. 3b)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.krijgsman import Cost, Packing, Race, costs, exponent, exponent_error, race

SIZES = dict.fromkeys((500, 1000, 2000, 4000, 10_000, 20_000), 50)  # discs, and random starts of each
SPHERES = dict.fromkeys((500, 1000, 2000, 4000), 50)
QUICK = dict.fromkeys((100, 200, 400, 800), 3)
RACED, LEAD = 100_000, 2.0  # discs, and times Newton's time after which trust-region is stopped
KNEE = 7000  # discs, where the paper's law changes
PAPER = {"small": 0.81, "large": 0.56}
NEAR = 0.1
FLATTEST = 0.35  # exponent that Newton's must stay below
PHI_3D = 0.68  # as far above jamming (0.64) in packing fraction over that of jamming as 0.86 in two dimensions, about

Found = dict[int, list[Cost]]  # by the number of grains


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Relax packings of many sizes from several random starts each, with the paper's minimiser and with ours."""
    found: dict[str, Found] = {}
    for key in ("trust-region", "newton"):
        found[key] = {
            n: costs(Packing(n, minimiser=key), range(seeds), progress, workers=1 if quick else None)
            for n, seeds in (QUICK if quick else SIZES).items()
        }
    rows = [*_paper_rows(found["trust-region"], quick)]
    if not quick:
        name = "trust-region, spheres"
        found[name] = {n: costs(Packing(n, PHI_3D, flat=False), range(s), progress) for n, s in SPHERES.items()}
        rows.append(Row("the same for spheres", "1/3, a guess", _told(*_slope(found[name], "products"))))
    rows += _own_rows(found, quick, None if quick else race(RACED, LEAD, progress))
    return StudyResult(tuple(rows), (_draw(found, folder),), (
        "The paper does not say whether it counts steps of the trust region or conjugate gradients: both are told.",
    ))  # fmt: skip


def _told(slope: float, error: float) -> str:
    return f"{slope:.2f} ± {error:.2f}"


def _values(costs: Sequence[Cost], what: str) -> np.ndarray:
    return np.array([getattr(cost, what) for cost in costs], float)


def _slope(found: Found, what: str, low: float = 0.0, high: float = np.inf) -> tuple[float, float]:
    """Exponent of the mean over seeds in the number of grains from `low` to `high`, and its standard error."""
    chosen = {n: _values(costs, what) for n, costs in found.items() if low <= n <= high}
    return exponent(list(chosen), [many.mean() for many in chosen.values()])[0], exponent_error(chosen)


def _paper_rows(plain: Found, quick: bool) -> list[Row]:
    rows = []
    ranges = {"small": (0.0, KNEE)} if quick else {"small": (0.0, KNEE), "large": (KNEE, np.inf)}
    for name, (low, high) in ranges.items():
        sizes = [n for n in plain if low <= n <= high]
        where = f"N = {sizes[0]} … {sizes[-1]}"
        slope, error = _slope(plain, "products", low, high)
        rows += [
            Row(f"trust-region: exponent in N of conjugate gradients, {where}", f"{PAPER[name]:g}", _told(slope, error),
                "", None if quick else abs(slope - PAPER[name]) < NEAR, f"within {NEAR:g} of the paper"),
            Row("the same of steps", f"{PAPER[name]:g}", _told(*_slope(plain, "steps", low, high))),
        ]  # fmt: skip
    return rows


def _own_rows(found: dict[str, Found], quick: bool, raced: Race | None) -> list[Row]:
    plain, own = found["trust-region"], found["newton"]
    largest = max(own)
    ratio = float(_values(plain[largest], "work").mean() / _values(own[largest], "work").mean())
    slope, error = _slope(own, "work")
    clock = float(np.median(_values(plain[largest], "seconds")) / np.median(_values(own[largest], "seconds")))
    everyone = [cost for costs in (*plain.values(), *own.values()) for cost in costs]
    rows = [
        Row("packings in balance to 1e-12", "all", f"{sum(c.calm for c in everyone)} of {len(everyone)}",
            passed=all(c.calm for c in everyone), criterion="all"),
        Row(f"gradients and products, trust-region over newton, N = {largest}", "–", f"{ratio:.1f}", "", ratio >= 5,
            "at least 5"),
        Row(f"processor time, trust-region over newton, N = {largest}, medians", "–", f"{clock:.1f}", "",
            None if quick else clock >= 1, "at least 1, at full size"),
        Row("newton: exponent in N of gradients and products", "–", _told(slope, error), "", slope < FLATTEST,
            f"below {FLATTEST:g}"),
    ]  # fmt: skip
    if raced is not None:
        rows.append(Row(
            f"processor time, trust-region over newton, N = {RACED}", "–",
            f"{'more than ' if not raced.arrived else ''}{raced.second / raced.first:.1f}", "",
            raced.second >= 2 * raced.first, "at least 2; trust-region is stopped when that is sure",
        ))  # fmt: skip
    return rows


def _draw(found: dict[str, Found], folder: Path) -> Picture:
    curves = []
    for key, sizes in found.items():
        n = np.array(list(sizes), float)
        curves.append(Curve(n, [_values(costs, "work").mean() for costs in sizes.values()], key, "both"))
    plain = found["trust-region"]
    n = np.array(list(plain), float)
    curves.append(Curve(n, [_values(costs, "steps").mean() for costs in plain.values()], "trust-region, steps", "both"))
    paper = np.where(n < KNEE, 6.68 * n**0.81, 50.12 * n**0.56)
    curves.append(Curve(n, paper, "iterations in the paper", "dashed"))
    panel = Panel("number of grains", "gradients and Hessian products, or steps", curves, log_x=True, log_y=True)
    path = save_figure(draw_panels([panel]), folder / "size.png")
    return Picture(path, "Work to relax a packing at φ = 0.86 from random positions against its size, mean over seeds.")


STUDY = Study(
    "K3", "How the work of relaxing a packing grows with its size",
    "iterations ∝ N^0.81 below 7000 discs and N^0.56 above (Fig. 3b)", run,
    "100 to 800 discs and 3 seeds instead of 500 to 20 000 and 50; the paper's exponents are shown and not judged",
)  # fmt: skip
