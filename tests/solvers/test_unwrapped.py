"""Frames count how often grains have gone round a periodic box: places and counts belong together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from barchan.model.build import build
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.scene import dumps
from barchan.solvers.hard.solver import HardSolver
from solvers import beams_lab, hard_lab, lab

BOX = {"low": (-1.0, -1.0, -1.0), "high": (1.0, 1.0, 1.0)}
# Planes 0.6 m apart that rise together: whatever goes on in them, nobody meets. Places, m, and velocities, m/s.
SPOTS = ((0.3, 0.2, 0.6), (-0.4, 0.7, 0.0), (0.8, -0.9, -0.6))
SPEEDS = ((3.1, -5.3, 3.0), (-7.2, 2.9, 3.0), (4.1, 4.7, 3.0))
EVERYWHERE: dict[str, Any] = {"periodic": (True, True, True), "box": BOX}


def soft() -> Any:
    """Cubes and a sphere, in steps of a millisecond."""
    shapes: tuple[dict[str, Any], ...] = ({"shape": "cube"}, {}, {"shape": "cube"})
    groups = [lab.grain(at, velocity=v, **one) for at, v, one in zip(SPOTS, SPEEDS, shapes, strict=True)]
    return lab.solver(lab.kitchen(groups, **EVERYWHERE), 1e-3)


def hard(**options: Any) -> Any:
    """Hard spheres, from event to event or in steps of a leapfrog."""
    groups = [hard_lab.grain(at, velocity=v) for at, v in zip(SPOTS, SPEEDS, strict=True)]
    return HardSolver(*build(hard_lab.scene(groups, **EVERYWHERE, **options)), 0.01)


def beams() -> Any:
    """Squares of triangles in a box 2 cm wide, with a step of 0.2 µs."""
    groups = [
        beams_lab.grain(x, z, velocity=(u, 0.0, 60.0))
        for x, z, u in ((1e-3, 0.002, 130.0), (0.018, 0.008, -170.0), (0.01, 0.014, 90.0))
    ]
    box = {"low": (0.0, 0.0, 0.0), "high": (0.02, 0.0, 0.02)}
    return beams_lab.solver(beams_lab.scene(groups, periodic=(True, False, True), box=box), 2e-7)


FLIGHTS: dict[str, tuple[Callable[[], Any], float]] = {  # with the time, s, that it lasts
    "soft": (soft, 3.0),
    "hard": (hard, 3.0),
    "leapfrog": (lambda: hard(hard={"mode": "leapfrog"}), 3.0),
    "beams": (beams, 1.8e-3),
}


def taken_up(machine: Any) -> Any:
    """The solver as another process takes it up from its checkpoint."""
    arrays, meta = machine.state()
    arrays = {name: array.copy() for name, array in arrays.items()}
    return type(machine).restored(machine.model, arrays, json.loads(json.dumps(meta)))


@pytest.mark.parametrize("method", FLIGHTS)
def test_grains_in_free_flight_go_straight_on(method: str, tmp_path: Path) -> None:
    """Without forces x = x₀ + v t, round the box many times; across a checkpoint, sorted now and then, and read
    back. Lengths are whole multiples of a period, so that one count that is missing, or belongs to another grain
    once they are sorted, is an error of 2 m (2 cm). Round-off is 1e-13 of the way after some thousand steps.
    """
    make, duration = FLIGHTS[method]
    machine = make()
    first = machine.frame()
    begin, velocity = first.unwrapped, first.velocity
    seen = []
    with Recorder(tmp_path, scene_toml=dumps(machine.model.scene), meta={}, series=[]) as recorder:
        for turn in range(1, 481):
            machine.advance_to(duration * turn / 480)
            seen.append(machine.frame())
            recorder.frame(seen[-1].alone())
            way = velocity * machine.time
            np.testing.assert_allclose(seen[-1].unwrapped, begin + way, rtol=0, atol=1e-12 * np.abs(way).max())
            if turn == 240:
                machine = taken_up(machine)
            if turn % 40 == 0:
                machine.change_gravity((0.0, 0.0, 0.0))  # so that hard spheres are sorted
        recorder.close({})
    axes, low, lengths = machine.model.periodic, seen[-1].cell[0, :3], seen[-1].cell[0, 3:6]
    assert np.all(np.abs(seen[-1].image[:, axes]) >= 4) and not seen[-1].image[:, ~axes].any()
    for one, frame in zip(Recording(tmp_path), seen, strict=True):
        assert np.all(((frame.position >= low) & (frame.position <= low + lengths))[:, axes])
        assert one.image.dtype == np.int32 and np.array_equal(one.image, frame.image)
        assert np.array_equal(one.unwrapped, frame.unwrapped)
