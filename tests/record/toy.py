"""A toy run: frames that depend on their number only, recorded and checkpointed like a real run.

As a script, `toy.py FOLDER FRAMES PAUSE` runs or resumes it; tests kill it at random moments.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from barchan.frame import Contacts, Frame
from barchan.record import checkpoint, folder
from barchan.record.recorder import Recorder

SERIES = [("kinetic energy", "J"), ("outflow", "kg/s")]
META = {"seed": 7, "versions": {"barchan": "0"}}
SCENE = 'name = "toy"\n# Größe\n'
CHECKPOINT_FRAMES = 7


def make_frame(number: int, grains: int = 20, *, spheres_per_grain: int = 1, contacts: int | None = None) -> Frame:
    """Frame `number`: random motion, sizes that are the same in every frame, every value of full precision."""
    rng, steady = np.random.default_rng(number), np.random.default_rng(12345)
    radius = steady.uniform(1e-3, 2e-3, 10_000)[:grains]
    bounding = radius if spheres_per_grain == 1 else 2 * radius
    row = np.repeat(np.arange(grains), spheres_per_grain)
    position = rng.normal(size=(grains, 3))
    shift = 0.0 if spheres_per_grain == 1 else 1e-3 * rng.normal(size=(len(row), 3))
    touching = None
    if contacts is not None:
        first, second = rng.integers(0, 9, contacts), rng.integers(-3, 9, contacts)
        point, force = rng.normal(size=(contacts, 3)), rng.normal(size=(contacts, 3))
        mode = rng.integers(0, 3, contacts).astype(np.int8)
        face = rng.integers(0, 3, contacts)
        touching = Contacts(first, second, point, force, rng.random(contacts), mode, face, rng.random(contacts))
    return Frame(
        time=0.1 * number, step=50 * number, id=np.arange(grains), group=(np.arange(grains) % 3).astype(np.int32),
        position=position, image=np.outer(np.arange(grains), [number // 3, 0, -1]).astype(np.int32),
        velocity=rng.normal(size=(grains, 3)), orientation=rng.normal(size=(grains, 4)),
        spin=rng.normal(size=(grains, 3)), mass=radius**3, inertia=np.tile(radius[:, None] ** 5, 3), radius=bounding,
        born=0.01 * np.arange(grains), sphere_grain=row, sphere_position=position[row] + shift,
        sphere_radius=radius[row], sphere_offset=np.outer(radius, [0.0, 1.0, 2.0])[row],
        wall_pose=np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1)) + (number > 3), wall_present=np.array([True, number > 3]),
        known={} if touching is None else {"contacts": touching},
    )  # fmt: skip


def record(recorder: Recorder, number: int, frame: Frame | None = None) -> None:
    """Record frame `number` and three samples before it."""
    for part in range(3):
        values = {"kinetic energy": number + part / 7, "outflow": 1 / (1 + number)}
        recorder.sample(0.1 * number + part / 100, 3 * number + part, values)
    recorder.frame(frame or make_frame(number))


def run(where: Path, frames: int, pause: float = 0.0) -> None:
    """Run to the end from the last checkpoint, or from the beginning."""
    first, resume = 0, None
    if where.exists() and folder.is_run(where) and any(where.glob("checkpoint.*")):
        arrays, meta = checkpoint.load(where)
        assert arrays["state"][0] == meta["frames"] == meta["samples"] / 3
        first, resume = meta["frames"], (meta["frames"], meta["samples"])
    else:
        folder.create(where, force=True)
    with Recorder(where, scene_toml=SCENE, meta=META, series=SERIES, resume=resume) as recorder:
        print("ready", flush=True)
        for number in range(first, frames):
            if number % CHECKPOINT_FRAMES == 0:
                recorder.flush()
                state = np.full(10_000, number)
                frame_count, sample_count = recorder.counts
                checkpoint.save(where, {"state": state}, {"frames": frame_count, "samples": sample_count})
            record(recorder, number)
            time.sleep(pause)
        recorder.flush()
        print("closing", flush=True)
        recorder.close({"frames": frames})


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
