"""K4: pure shear by soft spheres and by minimisation, of the same packing (Krijgsman and Luding 2016, Fig. 5–7, 9, 10).

Both begin with one packing, relaxed by minimisation and handed to the soft solver as the last frame of a run. The box
of soft spheres is moved as (1 − cos)/2 of time; collisions of the smallest discs last 1 ms with a restitution of 0.8,
steps are a fiftieth of that, and a background resists with a tenth of the collisions' damping. Of soft spheres the
stress of the springs alone is shown, as in the paper.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from barchan import registry, solvers
from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.plan import Plan
from barchan.simulation.progress import Progress
from barchan.solvers.relax.solver import RelaxSolver
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.krijgsman import NAMES, SHEARED, SHOWN, STRAIN, Packing, Shear, shear
from barchan.studies.runs import recorded

STIFFNESS = 1000.0  # N/m
CONTACT, RESTITUTION = 1e-3, 0.8  # s, of the smallest discs
STEP = CONTACT / 50  # s
SAMPLES = 400, 100  # of soft spheres, in a shear to twice the strain; in the quick form
NEAR = {"isotropic": 0.05, "deviatoric": 0.15}  # how near the means of both methods must be
QUICK_NEAR = 0.1
BALANCED = 0.01  # energy that the ledger may miss, over the work of the box


def soft_scene(packing: Packing, packed: Path, steps: int) -> Scene:
    """Discs of the packing in the folder `packed`, sheared within twice so many time steps to twice the strain."""
    with Recording(packed) as recording:
        smallest = float(recording[-1].radius.min())
    mass = 2 * STIFFNESS * CONTACT**2 / (math.pi**2 + math.log(RESTITUTION) ** 2)  # kg, of the smallest disc
    density = mass / (4 / 3 * math.pi * smallest**3)
    damping = -mass * math.log(RESTITUTION) / CONTACT  # N s/m, of its collisions
    return packing.scene(
        solver="soft", contact={"law": "linear", "stiffness": STIFFNESS}, start=str(packed), rotation=False,
        duration=2 * steps * STEP, frame_rate=1 / (2 * steps * STEP), time_step=STEP, drag=damping / 10,
        deformation={"kind": "pure-shear", "strain": 2 * STRAIN, "course": "smooth"},
        materials={"spring": {"density": density, "young": 1e6, "friction": 0.0, "restitution": RESTITUTION}},
        relax={"packing_fraction": None},
    )  # fmt: skip


def soft_shear(packing: Packing, packed: Path, steps: int, samples: int, progress: Progress) -> tuple[Shear, float]:
    """The shear, and what the energy ledger misses at its end over the work of the box."""
    plan = Plan.of(soft_scene(packing, packed, steps))
    with Recording(packed) as recording:
        made = recording.scene.materials["spring"].density
    heavier = plan.scene.materials["spring"].density / made  # which does not matter to a packing without time
    plan.grains.mass *= heavier
    plan.grains.inertia *= heavier
    solver = solvers.create(plan.model, plan.grains, STEP)
    observable = registry.part("observables", "packing")()
    count = min(samples, 2 * steps)
    seen: list[dict[str, float]] = []
    began = time.process_time()
    for k in range(count + 1):
        progress.status(f"{steps} steps", f"{k} of {count} samples")
        solver.advance_to(k * (2 * steps // count) * STEP)
        solver.watch()
        frame = solver.frame("contacts")
        springs = STIFFNESS * frame.contacts.overlap / np.linalg.norm(frame.branch, axis=1)
        frame.contacts.force = springs[:, None] * frame.branch
        values: dict[str, float] = observable.measure(frame)  # type: ignore[attr-defined]
        values |= {**frame.ledger, "strain": math.log(frame.box[0] / frame.box[2])}
        seen.append(values)
    column = {name: np.array([one[name] for one in seen]) for name in (*NAMES, "strain", "kinetic_energy")}
    found = {name: column[name] / (STIFFNESS if name.startswith("stress") else 1.0) for name in NAMES}
    kinetic = column["kinetic_energy"] / seen[0]["stored_energy"]
    missing = abs(seen[-1]["energy_error"] / seen[-1]["box_work"])
    return Shear(column["strain"], found, seconds=time.process_time() - began, kinetic=kinetic), missing


def relax_shear(packing: Packing, packed: Path, points: int, progress: Progress) -> tuple[Shear, float]:
    """The same packing, sheared by minimisation in so many points; without time there is no energy to miss."""
    relax = {**SHEARED["relax"], "packing_fraction": None}
    plan = Plan.of(packing.scene(deformation=SHEARED["deformation"], relax=relax, start=str(packed)))
    return shear(RelaxSolver(plan.model, plan.grains, 1.0), points, progress), 0.0


def _kept(path: Path, compute: Callable[[], tuple[Shear, float]]) -> tuple[Shear, float]:
    """What is in the file, or computed and kept there: a study that was stopped goes on."""
    if not path.exists():
        one, missing = compute()
        kinetic = np.zeros(0) if one.kinetic is None else one.kinetic
        part = path.with_suffix(".part.npz")
        numbers = np.array([one.work, one.products, one.seconds, missing])
        arrays: dict[str, Any] = {**one.values, "strain": one.strain, "kinetic": kinetic, "numbers": numbers}
        np.savez(part, **arrays)
        part.replace(path)
    with np.load(path) as file:
        work, products, seconds, missing = file["numbers"].tolist()
        values, moving = {name: file[name] for name in NAMES}, file["kinetic"]
        kept = Shear(file["strain"], values, int(work), int(products), seconds, moving if len(moving) else None)
        return kept, missing


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Shear one packing with both solvers, soft spheres slower and slower, minimisation in more and more points."""
    packing = Packing(120 if quick else 2000, minimiser="newton")
    speeds = (100, 1000, 5000) if quick else (1000, 10_000, 100_000)
    numbers = (5, 20) if quick else (10, 100, 1000)
    packed = folder / "packing"
    recorded(packing.scene(), packed, progress).close()
    place = folder / f"{packing.count}-discs"
    place.mkdir(exist_ok=True)
    relaxed, moved = {}, {}
    for n in numbers:
        relaxed[n], _ = _kept(place / f"relax-{n}.npz", partial(relax_shear, packing, packed, n, progress))
    for n in speeds:
        moved[n] = _kept(place / f"soft-{n}.npz", partial(soft_shear, packing, packed, n, SAMPLES[quick], progress))
    soft = {n: one for n, (one, _) in moved.items()}
    rows = (
        *_agreement(soft[speeds[-1]], relaxed[numbers[-1]], quick),
        *_speed_rows(soft),
        Row("energy that the ledger misses over the work of the box, worst", "–",
            f"{max(missing for _, missing in moved.values()):.1e}", "",
            max(missing for _, missing in moved.values()) < BALANCED, f"below {BALANCED:g}"),
    )  # fmt: skip
    return StudyResult(rows, _pictures(soft, relaxed, folder, packing.count))


def _agreement(soft: Shear, relaxed: Shear, quick: bool) -> list[Row]:
    """Both methods in the quasi-static limit: at the start the same, then on average."""
    begin = max(abs(soft.values[name][0] / relaxed.values[name][0] - 1) for name in NAMES)
    rows = [Row(
        "stress and fabric as handed over, soft spheres against minimisation", "the same packing", f"{begin:.1e}", "",
        begin < 1e-8, "below 1e-8",
    )]  # fmt: skip
    for name in NAMES:
        ours, theirs = soft.mean(name), relaxed.mean(name)
        apart = abs(ours / theirs - 1)
        kind = name.rpartition("_")[2]
        judged = apart < (QUICK_NEAR if quick else NEAR[kind]) if not quick or kind == "isotropic" else None
        rows.append(Row(
            f"{SHOWN[name]}, mean from 4% to 8%: slowest soft spheres, finest minimisation", "they agree",
            f"{ours:.4g}, {theirs:.4g} ({100 * (ours / theirs - 1):+.1f}%)", "", judged,
            f"within {100 * (QUICK_NEAR if quick else NEAR[kind]):g}%",
        ))  # fmt: skip
    return rows


def _speed_rows(soft: dict[int, Shear]) -> list[Row]:
    fast, slow = soft[min(soft)], soft[max(soft)]
    stress = fast.mean("stress_isotropic") / slow.mean("stress_isotropic")
    fabric = fast.mean("fabric_isotropic") / slow.mean("fabric_isotropic")
    assert fast.kinetic is not None and slow.kinetic is not None
    return [
        Row("isotropic stress, fastest over slowest soft spheres", "rises with the rate", f"{stress:.3f}", "",
            stress > 1, "above 1"),
        Row("isotropic fabric, fastest over slowest soft spheres", "falls with the rate", f"{fabric:.3f}", "",
            fabric < 1, "below 1"),
        Row("median kinetic energy over the stored at the start, fastest and slowest", "falls with the rate",
            f"{np.median(fast.kinetic):.1e}, {np.median(slow.kinetic):.1e}", "",
            bool(np.median(slow.kinetic) < np.median(fast.kinetic)), "falls"),
    ]  # fmt: skip


def _panels(named: dict[str, Shear]) -> list[Panel]:
    """Fabric and stress against strain, one curve for each."""
    return [
        Panel(
            "shear strain in %", label, [Curve(100 * one.strain, one.values[name], key) for key, one in named.items()]
        )
        for name, label in SHOWN.items()
    ]


def _spaced(number: int) -> str:
    """With thin gaps between thousands."""
    return f"{number:,}".replace(",", "\u2009")


def _pictures(soft: dict[int, Shear], relaxed: dict[int, Shear], folder: Path, count: int) -> tuple[Picture, ...]:
    slow, fine = max(soft), max(relaxed)
    by_speed = {f"{_spaced(n)} steps": one for n, one in soft.items()}
    energies = [Curve(100 * one.strain[1:], one.kinetic[1:], key) for key, one in by_speed.items()
                if one.kinetic is not None]  # fmt: skip
    figure = draw_panels(
        [Panel("shear strain in %", "kinetic energy / stored energy at the start", energies, log_y=True)]
    )
    pictures = [Picture(
        save_figure(figure, folder / "kinetic.png"),
        f"Kinetic energy of {count} soft discs in pure shear, with different numbers of time steps to 4% (Fig. 5).",
    )]  # fmt: skip
    both = {f"soft, {_spaced(slow)} steps": soft[slow], f"minimised, {fine} points": relaxed[fine]}
    for name, shown, caption in (
        ("soft", by_speed, "Fabric and stress of soft discs at different rates (Fig. 6)."),
        ("relax", {f"{n} points": one for n, one in relaxed.items()}, "The same by minimisation (Fig. 7)."),
        ("both", both, "Slowest soft discs and finest minimisation, from one packing (Fig. 9)."),
    ):
        path = save_figure(draw_panels(_panels(shown)), folder / f"{name}.png")
        pictures.append(Picture(path, caption))
    panels = []
    for name, label in SHOWN.items():
        curves = [
            Curve([one.seconds for one in some.values()], [one.mean(name) for one in some.values()], key, "both")
            for key, some in (("soft discs", soft), ("minimised", relaxed))
        ]
        panels.append(Panel("processor time in s", f"{label}, mean from 4% to 8%", curves, log_x=True))
    path = save_figure(draw_panels(panels), folder / "cost.png")
    return (*pictures, Picture(path, "Means over the second 4% against the time they took to compute (Fig. 10)."))


STUDY = Study(
    "K4", "Pure shear by soft spheres and by minimisation", "both agree in the quasi-static limit (Fig. 9)", run,
    "120 discs, up to 5000 steps and 20 points instead of 2000, 100 000 and 1000 (the paper: 10 000 discs, 10^7.5 and "
    "10^6); deviatoric parts are shown and not judged",
)  # fmt: skip
