"""H3: the friction that a sphere on top of three, four or five needs (Hasan and van Opheusden 2007, Figure 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Look, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.hasan import DENT, GRAVITY, SIZE, changed, followed, points

ARRAYS = {4: (0.055, 0.065, 0.075, 0.08), 5: (0.053, 0.058, 0.063, 0.067), 6: (0.0515, 0.0535, 0.0555, 0.0575)}  # s, m
MARGIN = 0.05  # of μ, by which a point may be on the wrong side
FIRST_GRAVITY = 0.01  # of g: with so little weight the pile is made, so that the sphere is laid down gently
LOADING, RESTING = 0.5, 0.3  # s, over which gravity grows, and for which the pile must then hold
PAPER_SPEED, QUASI_STATIC = 1e-3, 1e-7  # ε, m/s: the paper's, and one below the speed at which contacts are loaded
NOTE = (
    "The curve takes the contacts at the floor and at the top to be at their limits at once. The upper ones get there "
    "first, for they carry less and are stretched more; from then on they must slip and yet carry their limit while "
    "the floor's take their share. So the curve is that of μd = μs, and of an ε below the speed of that slip (1e-7 "
    "m/s). With the paper's ε such slow slip comes to stick at once, with a spring that begins at nothing: the load "
    "is dropped and taken up again and again, which shakes the pile. With the paper's μd = μs/2 an upper contact that "
    "slips carries half as much, so that at least (tan α − μ/2)/(1 + tan α μ/2) = n μ is needed; and it drops the "
    "other half at once, which takes more."
)


@dataclass(frozen=True)
class Point:
    """A pile of n spheres that are `apart` (m) at the floor, with a coefficient of friction."""

    spheres: int
    apart: float
    friction: float
    stands: bool

    @property
    def wrong_by(self) -> float:
        """How far, over the critical friction, the point is on the wrong side of the curve; ≤ 0 where it is right."""
        ratio = self.friction / critical_friction(self.spheres, self.apart)
        return ratio - 1 if not self.stands else 1 - ratio


def slope(spheres: int, apart: float) -> float:
    """tan α: how far out, over how far down, a lower sphere lies from the upper one."""
    out = apart / (2 * math.sin(math.pi / (spheres - 1)))
    return out / math.sqrt(SIZE**2 - out**2)


def critical_friction(spheres: int, apart: float, sliding: float = 1.0) -> float:
    """The least μs that holds the pile; `sliding` is μd/μs, at the contacts of the upper sphere, which slip first.

    (tan α − c μ)/(1 + c μ tan α) = n μ with c = sliding, which for c = 1 is n tan α μ² + (n + 1) μ − tan α = 0.
    """
    n, t = spheres, slope(spheres, apart)
    a, b = n * sliding * t, n + sliding
    return (math.sqrt(b * b + 4 * a * t) - b) / (2 * a)


def tried(
    spheres: int, apart: float, friction: float, *, sliding: float = 1.0, stick_speed: float = QUASI_STATIC
) -> Point:
    """Lay a sphere on the others and let its weight grow."""
    count = spheres - 1
    out = apart / (2 * math.sin(math.pi / count))
    angle = 2 * math.pi * np.arange(count) / count
    dent = FIRST_GRAVITY * DENT
    low = np.column_stack([out * np.cos(angle), out * np.sin(angle), np.full(count, 0.5 * SIZE - dent)])
    top = 0.5 * SIZE - dent + math.sqrt(SIZE**2 - out**2)
    scene = changed(
        "five-spheres",
        f"grains[0].fill.positions={points(low)}",
        f"grains[1].fill.positions={points(np.array([[0.0, 0.0, top]]))}",
        f"materials.grain.friction={friction!r}",
        f"contact.sliding={sliding!r}",
        f"contact.stick_speed={stick_speed!r}",
        f"gravity=[0, 0, {-FIRST_GRAVITY * GRAVITY!r}]",
        f'events=[{{name = "load", when = {{kind = "time", at = 0.05}}, do = {{kind = "gravity", '
        f"to = [0, 0, {-GRAVITY!r}], over = {LOADING!r}}}}}]",
        f"duration={0.05 + LOADING + RESTING!r}",
    )
    _, _, last = followed(scene, lambda solver: (0.0,), 5e-3)
    sunk = top - float(last.position[-1, 2])
    return Point(spheres, apart, friction, sunk < 0.01 * SIZE)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Try piles on both sides of the curve."""
    shares = (0.96, 1.04) if quick else (0.8, 0.9, 0.96, 0.98, 1.02, 1.04, 1.1, 1.25)
    found = []
    for spheres, widths in ARRAYS.items():
        for apart in widths[1:2] if quick else widths:
            for share in shares:
                progress.status("H3", f"{spheres} spheres, s = {apart:g} m, {share:g} of the critical friction")
                found.append(tried(spheres, apart, share * critical_friction(spheres, apart)))
    rows = [_row(spheres, [p for p in found if p.spheres == spheres]) for spheres in ARRAYS]
    if not quick:
        rows += [_other(progress, 1.0, PAPER_SPEED), _other(progress, 0.5, QUASI_STATIC)]
    figure = save_figure(draw_panels([_panel(found)], columns=1), folder / "critical-friction.png")
    caption = "Critical friction against the distance of the lower spheres, and simulated piles on both sides of it."
    return StudyResult(tuple(rows), (Picture(figure, caption),), (NOTE,))


def _row(spheres: int, found: list[Point]) -> Row:
    worst = max(point.wrong_by for point in found)
    wrong = sum(point.wrong_by > 0 for point in found)
    return Row(
        f"{spheres} spheres: piles on the wrong side, and by how much",
        "none",
        f"{wrong} of {len(found)}" + (f", {100 * worst:.1f} % of μ" if wrong else ""),
        passed=worst <= MARGIN + 1e-9,
        criterion="by at most 5 % of μ",
    )


def _other(progress: Progress, sliding: float, stick_speed: float) -> Row:
    """The critical friction of five spheres with other constants, by halving."""
    expected = critical_friction(5, 0.058)
    low, high = 0.8 * expected, 1.6 * expected
    while high - low > 0.01 * expected:
        middle = 0.5 * (low + high)
        progress.status("H3", f"μd/μs = {sliding:g}, ε = {stick_speed:g} m/s, μs = {middle:.4f}")
        stands = tried(5, 0.058, middle, sliding=sliding, stick_speed=stick_speed).stands
        low, high = (low, middle) if stands else (middle, high)
    return Row(
        f"5 spheres, s = 0.058 m, μd/μs = {sliding:g}, ε = {stick_speed:g} m/s: critical μs",
        f"{expected:.4f}" + ("" if sliding == 1 else f"; {critical_friction(5, 0.058, sliding):.4f} with slip above"),
        f"{0.5 * (low + high):.4f}",
    )


def _panel(found: list[Point]) -> Panel:
    curves = []
    for k, spheres in enumerate(ARRAYS):
        most = 2 * SIZE * math.sin(math.pi / (spheres - 1))
        apart = np.linspace(SIZE, 0.995 * most, 200)
        color = PALETTE[k]
        critical = [critical_friction(spheres, s) for s in apart]
        curves.append(Curve(100 * apart, critical, f"{spheres} spheres, equation (20)", color=color))
        looks: tuple[tuple[bool, Look], ...] = ((True, "points"), (False, "crosses"))
        for stands, look in looks:
            mine = [p for p in found if p.spheres == spheres and p.stands == stands]
            if mine:
                label = "" if k else "stands" if stands else "falls"  # told once, for all three
                x, y = [100 * p.apart for p in mine], [p.friction for p in mine]
                curves.append(Curve(x, y, label, look, color))
    return Panel(
        "distance s of the lower spheres (cm)", "coefficient of friction μ", curves, "A sphere on top of others"
    )


STUDY = Study(
    "H3",
    "Piles of four, five and six spheres stand above the critical friction and fall below it",
    "Fig. 8: n tan α μ² + (n + 1) μ − tan α = 0 for 4, 5 and 6 spheres; stable to the left of the curve.",
    run,
    "one distance and the nearest frictions on both sides",
)
