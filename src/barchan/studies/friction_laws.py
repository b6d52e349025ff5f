"""Four laws of friction side by side: the belt of H1 and a small pile of H5, which is why Hasan's paper was written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.measures.pile import pile_height
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row
from barchan.studies.hasan import DENT, GRAVITY, MASS, SIZE, STATIC, STIFFNESS, changed, start
from barchan.studies.runs import recorded

YOUNG = 3.5e7  # Pa: a Hertzian contact with the floor then lasts as long at 1 m/s as one of kn
RESTITUTION = 0.298  # of all laws: that of half of critical damping
PLAIN = f"materials.grain.restitution={RESTITUTION}", f"materials.grain.young={YOUNG}"
LAWS = {
    "stick-slip": (),
    "displacement": ('contact={law = "displacement"}', *PLAIN),
    "linear": (f'contact={{law = "linear", stiffness = {STIFFNESS}, tangential = 1.0}}', *PLAIN),
    "viscous": ('contact={law = "viscous"}', *PLAIN),
}
DISCS, POURED, RESTED = 120, 6.0, 6.0  # of the pile, and s
REAL, BELT = 1e5, 5e-3  # N/m, m/s


@dataclass(frozen=True)
class Trial:
    """A law on the belt and on the pile."""

    x: np.ndarray  # m, of the sphere on the belt
    v: np.ndarray  # m/s
    time: np.ndarray  # s, of the pile
    height: np.ndarray  # m
    creep: float  # diameters that the grains of the pile went in the last second, at most


def belt(law: str) -> tuple[np.ndarray, np.ndarray]:
    """Position, m, and velocity, m/s, of the sphere on the belt; with a stiff virtual spring where there is one."""
    stiff = ("contact.tangential=1e4", f"contact.tangential_damping={2 * math.sqrt(MASS * 1e9)}")
    changes = (*stiff, "contact.stick_speed=1e-5") if law == "stick-slip" else LAWS[law]
    solver = start(
        changed("conveyor", f"grains[0].fill.positions=[[0, 0, {_rest(law)!r}]]", "time_step=8e-7", *changes)
    )
    rows = []
    while solver.time < 20e-3:
        solver.advance(12)
        frame = solver.frame()
        rows.append((frame.position[0, 0], frame.velocity[0, 0]))
    x, v = np.array(rows).T
    return x, v


def _rest(law: str) -> float:
    """The height, m, at which the sphere rests in its own dent: Hooke's, or Hertz's for two bodies of one material."""
    hertz = 4 / 3 * YOUNG / (2 * (1 - 0.3**2)) * math.sqrt(0.5 * SIZE)
    return 0.5 * SIZE - (DENT if law in ("stick-slip", "linear") else (MASS * GRAVITY / hertz) ** (2 / 3))


def small_pile(law: str) -> Scene:
    """A pile like that of H5, of fewer discs."""
    return changed(
        "hourglass-2d", f"sources[0].count={DISCS}", f"duration={POURED + RESTED}", "record.contacts=true", *LAWS[law]
    )


def tried(law: str, folder: Path, progress: Progress) -> Trial:
    """A law on the belt and on the pile, which is recorded in `folder`."""
    x, v = belt(law)
    with recorded(small_pile(law), folder, progress) as recording:
        frames = [recording[k] for k in range(len(recording))]
    last = frames[-1]
    before = next(frame for frame in frames if frame.time > last.time - 1.0 - 1e-6)
    creep = float(np.linalg.norm(last.position - before.position, axis=1).max()) / SIZE
    settled = [frame for frame in frames if len(frame)]
    heights = np.array([pile_height(frame, floor=0.0) for frame in settled])
    return Trial(x, v, np.array([frame.time for frame in settled]), heights, creep)


def compared(folder: Path, progress: Progress) -> tuple[list[Row], Picture]:
    """All laws, with rows and one figure."""
    trials = {law: tried(law, folder / f"pile-of-{law}", progress) for law in LAWS}
    first = STATIC * MASS * GRAVITY / REAL
    rows = []
    for law, trial in trials.items():
        late = trial.v[len(trial.v) // 2 :]
        belt_row = f"speed {1e3 * late.min():+.2f} … {1e3 * late.max():+.2f} mm/s at {trial.x[-1] / first:.2f} x1"
        rows.append(Row(f"{law}: on the belt, after two periods", "–", belt_row))
        rows.append(Row(f"{law}: the pile goes in its last second", "–", f"{100 * trial.creep:.4f} %", "of a diameter"))
    again = [law for law, trial in trials.items() if trial.v[len(trial.v) // 2 :].max() > 0.99 * BELT]
    rows.append(
        Row(
            "laws with which the sphere comes to stick again",
            "stick-slip",
            ", ".join(again) or "none",
            passed=again == ["stick-slip"],
            criterion="it has the belt's speed again, to 1 %",
        )
    )
    rows.append(
        Row(
            "laws with which the pile flows",
            "viscous",
            ", ".join(law for law, trial in trials.items() if trial.creep > 0.01) or "none",
            passed=[law for law, trial in trials.items() if trial.creep > 0.01] == ["viscous"],
            criterion="more than 1 % of a diameter in the last second",
        )
    )
    figure = save_figure(draw_panels(_panels(trials), columns=2), folder / "laws.png")
    return rows, Picture(figure, "Four laws on the belt of H1, and on a pile of 120 discs after it was poured.")


def _panels(trials: dict[str, Trial]) -> list[Panel]:
    return [
        Panel(
            "position (µm)",
            "velocity (mm/s)",
            [Curve(1e6 * trial.x, 1e3 * trial.v, law) for law, trial in trials.items()],
            "The sphere on the belt, which moves at 5 mm/s",
        ),
        Panel(
            "time since the last disc was let go (s)",
            "height of the pile (m)",
            [
                Curve(
                    trial.time[late] - POURED,
                    trial.height[late],
                    f"{law}: {100 * trial.creep:.2g} % in the last second",
                )
                for law, trial in trials.items()
                for late in [trial.time > POURED + 1.0]
            ],
            "A pile of 120 discs",
            from_zero=True,
        ),
    ]
