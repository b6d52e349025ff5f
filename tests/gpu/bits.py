"""Write all that a frame holds after some steps on a GPU: python bits.py DIR [--dry]."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from barchan.frame import fields_of

# Name: benchmark, what makes its grains, how many grains, precision, steps.
SCENES = {
    "bed": ("settled_bed", "bed", (100_000,), "double", 400),
    "bed-mixed": ("settled_bed", "bed", (100_000,), "mixed", 400),
    "cubes": ("moving_bed", "poured", (10_000, "cube"), "double", 2000),
    "spheres-mixed": ("moving_bed", "poured", (50_000, "sphere"), "mixed", 2000),
}
DRY = {
    "spheres": ("moving_bed", "poured", (4, "sphere"), "double", 2),
    "cubes-mixed": ("moving_bed", "poured", (1, "cube"), "mixed", 2),
}


def arrays(frame: Any) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of a frame and of its contacts by name."""
    for before, part in (("", frame), ("contacts.", frame.contacts)):
        yield from ((before + field.name, getattr(part, field.name)) for field in fields_of(type(part)))


def main() -> None:
    """Run each scene, and write it."""
    from barchan import solvers

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dry", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    for name, (bench, make, size, precision, steps) in (DRY if asked.dry else SCENES).items():
        module = import_module(f"barchan.bench.{bench}")
        step = module.TIME_STEP
        step = step[size[-1]] if isinstance(step, dict) else step
        solver = solvers.create(*getattr(module, make)(*size), step, device="cuda", precision=precision)
        solver.advance(steps)
        np.savez(asked.folder / name, **dict(arrays(solver.frame("contacts"))))
        print(f"{name}: {steps} steps of {len(solver)} grains", flush=True)


if __name__ == "__main__":
    main()
