"""What a step costs, and that a second process compiles nothing."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from barchan import solvers
from barchan.kernels import threads
from barchan.model.build import build
from barchan.scene.scene import Scene
from solvers.inside import every

START = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, happening):
        compiled.append(happening.data["dispatcher"].py_func.__name__)
    def on_end(self, happening):
        pass
event.register("numba:compile", Listener())
from solvers import lab
machine = lab.solver(lab.scene("hertz", [lab.grain((0.0, 0.0, 0.05))], [lab.FLOOR]), 1e-5)
machine.advance(1)
print(len(compiled))
"""


def bed(side: int) -> Scene:
    """side³ spheres on a lattice that repeats along all axes, in slow motion, every one with six contacts."""
    places = 0.0999 * (0.5 + np.stack(np.meshgrid(*(np.arange(side),) * 3, indexing="ij"), axis=-1).reshape(-1, 3))
    return Scene.model_validate(
        {
            "name": "bed",
            "duration": 1.0,
            "materials": {"a": {"density": 2500.0, "young": 1e7, "restitution": 0.5}},
            "contact": "hertz",
            "gravity": (0.0, 0.0, 0.0),
            "periodic": (True, True, True),
            "box": {"low": (0.0, 0.0, 0.0), "high": (0.0999 * side,) * 3},
            "grains": [
                {
                    "name": "g", "material": "a", "size": 0.1, "velocity_scatter": 0.05,
                    "fill": {"kind": "points", "positions": places.tolist()},
                }
            ],
        }
    )  # fmt: skip


def test_work_is_linear_in_the_grains() -> None:
    """What a step goes over, and what is kept, is as much for each grain of 8 times as many: three pairs, and arrays
    that grow with the grains, the grid of cells among them; a tenth is allowed for what comes once.
    """
    threads.use(1)
    pairs, kept = {}, {}
    for side in (13, 26):
        machine = solvers.create(*build(bed(side)), 1e-5)
        machine.advance(5)
        pairs[side] = machine.lists.pairs / side**3
        kept[side] = sum(array.nbytes for array in every(machine).values()) / side**3
    assert pairs == {13: 3.0, 26: 3.0}
    assert kept[26] < 1.1 * kept[13]


def test_a_second_process_compiles_nothing(pytestconfig: pytest.Config) -> None:
    """Compiled kernels are kept on disk: what the first process has made, another one loads, all of it."""
    folder = pytestconfig.rootpath / "tests"
    program = f"import sys\nsys.path.insert(0, {str(folder)!r})\n{START}"
    counts = [
        int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert counts[1] == 0
