"""H4: how friction shares a load between two contacts is not unique (Hasan and van Opheusden 2007, Appendix A1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.hasan import GRAVITY, MASS, STATIC, STIFFNESS, changed, followed

ASIDE = (-3e-6, -1.5e-6, 0.0, 1.5e-6, 3e-6)  # m, by which the right sphere has gone along y
FAR = 12e-6  # m: more than the contacts can bear
ACROSS = 0.5  # m/s² along y, in a history with a load across
NOTE = (
    "The sphere rests between two fixed ones, at x = ∓3.5 cm. In the plane of the three centres friction is "
    "determined by the balance of forces; along y, the line in which the tangent planes meet, friction at the right "
    "is c and at the left −(c + d), d being the load along y, and c is free within an interval. Histories choose: "
    "once the sphere is at rest, the right one goes along y by Δ, and stops. Two equal springs share that, so that c "
    "= kt Δ/2 − d/2 while both hold."
)


@dataclass(frozen=True)
class Wedged:
    """The friction on a sphere at rest between two others, N, with names as in the appendix."""

    left: float  # a1: in the plane, at sphere 1
    right: float  # b1: in the plane, at sphere 3
    across: float  # c: along y, at sphere 3
    load: float  # d: along y, on the sphere
    left_most: float  # μs Fn at sphere 1
    right_most: float  # μs Fn at sphere 3
    sticks: bool  # both contacts do
    speed: float  # m/s, of the sphere at the end

    @property
    def interval(self) -> tuple[float, float]:
        """The values of c, N, with which both contacts can stick: equation (14)."""
        one = math.sqrt(max(self.left_most**2 - self.left**2, 0.0))
        other = math.sqrt(max(self.right_most**2 - self.right**2, 0.0))
        return max(-one - self.load, -other), min(one - self.load, other)


def wedged(aside: float, across: float = 0.0) -> Wedged:
    """Let the sphere come to rest, move its neighbour aside (m), and read the forces; `across` is gravity along y."""
    scene = changed(
        "wedge", f"walls[2].motion.velocity=[0, {aside / 0.1!r}, 0]", f"gravity=[0, {across!r}, {-GRAVITY!r}]"
    )
    _, _, last = followed(scene, lambda solver: (0.0,), 0.02)
    contacts = last.contacts
    order = np.argsort(-contacts.second)  # of the walls, the left one comes before the right one
    force = contacts.force[order]
    centers = np.array([[-0.035, 0.0, 0.025], [0.035, aside, 0.025]])
    normal = last.position[0] - centers
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    load = np.sum(force * normal, axis=1)
    friction = force - load[:, None] * normal
    along = np.cross(normal, [0.0, 1.0, 0.0])
    in_plane = np.sum(friction * along, axis=1)
    return Wedged(
        left=float(in_plane[0]),
        right=float(in_plane[1]),
        across=float(friction[1, 1]),
        load=MASS * across,
        left_most=STATIC * float(load[0]),
        right_most=STATIC * float(load[1]),
        sticks=bool((contacts.mode == 1).all()) and len(order) == 2,
        speed=float(np.linalg.norm(last.velocity[0])),
    )


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Give the sphere several histories."""
    progress.status("H4", "histories of a wedged sphere")
    found = {aside: wedged(aside) for aside in (ASIDE[1::2] if quick else ASIDE)}
    rows = [_row(f"Δ = {1e6 * aside:+.1f} µm", one, 0.5 * STIFFNESS * aside) for aside, one in found.items()]
    tilted = wedged(1.5e-6, ACROSS)
    rows.append(_row("Δ = +1.5 µm, d = 25 mN", tilted, 0.5 * STIFFNESS * 1.5e-6 - 0.5 * tilted.load))
    far = wedged(FAR)
    rows.append(_row(f"Δ = {1e6 * FAR:+.0f} µm, too far", far, None))
    chosen = [one.across for one in found.values()]
    rows.append(
        Row(
            "values of c in the same place under the same load",
            "not unique",
            f"{min(chosen):+.3f} … {max(chosen):+.3f} N",
            passed=max(chosen) - min(chosen) > 0.1,
            criterion="more than 0.1 N apart",
        )
    )
    figure = save_figure(draw_panels([_panel(found)], columns=1), folder / "friction.png")
    caption = "Friction at both contacts against c, their limits, the interval in which both stick, and our histories."
    return StudyResult(tuple(rows), (Picture(figure, caption),), (NOTE,))


def _row(label: str, one: Wedged, expected: float | None) -> Row:
    low, high = one.interval
    inside = low <= one.across <= high and one.sticks and one.speed < 1e-6
    near = expected is None or abs(one.across - expected) < 0.02 * STIFFNESS * 1e-6
    told = "" if expected is None else f"; c = {expected:+.3f} by the springs"
    return Row(
        f"{label}: c",
        f"{low:+.3f} … {high:+.3f}{told}",
        f"{one.across:+.4f}",
        "N",
        inside and near,
        "at rest, both stick, c inside" + ("" if expected is None else " and within 2 mN of the springs' share"),
    )


def _panel(found: dict[float, Wedged]) -> Panel:
    plain = found.get(0.0, next(iter(found.values())))
    c = np.linspace(-0.3, 0.3, 200)
    low, high = plain.interval
    seen = list(found.values())
    return Panel(
        "friction c along y at sphere 3 (N)",
        "size of the friction (N)",
        [
            Curve([low, high], [0.5, 0.5], "both can stick", "band", "#6f9a4d"),
            Curve(c, np.hypot(plain.left, c + plain.load), "at sphere 1"),
            Curve(c, np.hypot(plain.right, c), "at sphere 3", "dashed"),
            Curve([-0.3, 0.3], [plain.left_most] * 2, "limit at sphere 1", color="#8d6e53"),
            Curve([-0.3, 0.3], [plain.right_most] * 2, "limit at sphere 3", "dashed", "#d29a3a"),
            Curve([w.across for w in seen], [math.hypot(w.right, w.across) for w in seen], "our histories", "points",
                  "#3b4654"),
        ],
        "A sphere wedged between two fixed ones",
    )  # fmt: skip


STUDY = Study(
    "H4",
    "The friction on a wedged sphere is not unique, and its history chooses",
    "App. A1: friction along the line in which the tangent planes meet has one free parameter c within an interval.",
    run,
    "two histories instead of five, and both loads",
)
