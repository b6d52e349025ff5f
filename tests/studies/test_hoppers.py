"""What studies of hoppers reckon with, against what can be worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from barchan.measures.flow import Flow
from barchan.model.build import build
from barchan.scene.beams_frame import Strips
from barchan.solvers.beams.solver import BeamSolver
from barchan.studies import p02
from barchan.studies.yee import FEW, SIZE, Hopper


@pytest.mark.parametrize("count", [100, FEW, 1575, 8036])
def test_the_heap_stays_below_the_mouth(count: int) -> None:
    """A cone of height h with slopes of 35° holds π h³/(3 tan² 35°). Cubes heap at 60% or more: 1.7 m³ a grain of 1 m³.
    The mouth is above the tip of such a cone, and not by much more; the funnel begins there, and all grains above it.
    """
    hopper = Hopper(count=count)
    tip = (3 * math.tan(math.radians(35)) ** 2 * 1.7 * count * SIZE**3 / math.pi) ** (1 / 3)
    assert hopper.mouth > 1.05 * tip
    if count >= FEW:
        assert hopper.mouth < 1.5 * tip
    scene: Any = hopper.scene()
    assert scene.walls[1].shape.point[2] == pytest.approx(hopper.mouth)
    if count > FEW:
        heights = np.array(scene.grains[0].fill.positions)[:, 2]
        assert len(heights) == count and heights.min() > hopper.mouth


def outflow(count: list[int], interval: float) -> p02.Outflow:
    """What came out of a hopper of 100 grains, one number every `interval` s."""
    time = interval * np.arange(len(count))
    flow = Flow(time, np.array(count), np.array(count, float), 100)
    hopper = p02.Hopper(100, 0.006, 0.02, float(time[-1]))
    return p02.Outflow(hopper, hopper.scene(), flow, np.zeros((len(count), 1)), 1.0, [])


def test_an_even_flow_is_even() -> None:
    """Two grains every 0.01 s from 0.1 s on, until 60 are out at 0.39 s, and then none for 0.3 s: 200 grains
    a second, no unevenness, and a clog of the last 0.3 s with 40 waiting.
    """
    found = outflow([0] * 10 + list(range(2, 61, 2)) + [60] * 30, 0.01)
    assert found.rate == pytest.approx(200.0)
    assert found.last == pytest.approx(0.39)
    assert found.unevenness == pytest.approx(0.0, abs=1e-9)
    assert [(jam.start, jam.end, jam.waiting) for jam in found.clogs] == [pytest.approx((0.39, 0.69, 40))]


def test_a_flow_by_fits_and_starts_is_uneven() -> None:
    """Ten grains within 0.05 s, and none in the next, in turns. Windows begin with the first two grains that are seen,
    and so hold the other eight, and then the first two of the next ten: a mean of 5, a deviation of 3.
    """
    steps = ([2] * 5 + [0] * 5) * 4
    found = outflow([0, *np.cumsum(steps).tolist()], 0.01)
    assert found.unevenness == pytest.approx(0.6)


@pytest.mark.parametrize(("frequency", "acceleration"), [(40.0, 1.0), (60.0, 2.0)])
def test_a_shaken_hopper_has_the_acceleration_it_should(frequency: float, acceleration: float) -> None:
    """The greatest acceleration of z(t), by differences of the wall's own path over a period, is Γ g."""
    hopper = p02.Hopper(10, 0.006, 0.02, 1.0, frequency, acceleration)
    scene: Any = hopper.scene()
    for wall in scene.walls:
        (motion,) = wall.motion
        step = 1e-4 / frequency
        path = np.array([motion.path(k * step, *motion.parameters())[2] for k in range(20_000)])
        assert np.abs(np.diff(path, 2)).max() / step**2 == pytest.approx(acceleration * 9.81, rel=1e-4)


def test_the_mouth_of_flat_grains_is_clear_between_the_faces_of_its_walls() -> None:
    """Sides at 45°, t thick, with square ends: their inner corner is t/2 farther along the side and t/2 across it: that
    is t/√2 towards the middle, on both sides. A recording without faces knows the middles of the walls alone.
    """
    hopper = p02.Hopper(40, 6e-3, 0.01, 0.1)
    model, grains = build(hopper.scene())
    frame = BeamSolver(model, grains, 8e-6).frame()
    assert frame.table(Strips) is not None
    corners = frame.table(Strips).strip_corners[frame.table(Strips).strip_wall == 1].reshape(-1, 2)  # the right side
    thick = float(np.ptp(corners @ (math.sqrt(0.5), -math.sqrt(0.5))))
    none = Flow(np.zeros(1), np.zeros(1, int), np.zeros(1), 40)
    found = p02.Outflow(hopper, model.scene, none, np.zeros((1, 1)), 0.0, [frame])
    assert found.clear == pytest.approx(6e-3 - math.sqrt(2) * thick, abs=1e-5 * thick)
    assert 0.3e-3 < thick < 1.5e-3
    assert replace(found, frames=[replace(frame, tables=())]).clear == 6e-3
