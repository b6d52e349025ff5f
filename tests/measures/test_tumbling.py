"""Slopes and centrifuging in made-up drums whose surfaces are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.measures.tumbling import carried_over, dynamic_angle, ring_layers
from draw.frames import frame_of

RADIUS, LENGTH, SIZE = 0.03, 0.005, 1e-3


def packed(inside, seed=1):
    """Centres at random, at the density of a packing, where `inside(x, z)` holds."""
    rng = np.random.default_rng(seed)
    count = int(0.6 * 4 * RADIUS**2 * LENGTH / (np.pi / 6 * SIZE**3))
    x, y, z = rng.uniform(-RADIUS, RADIUS, count), rng.uniform(0, LENGTH, count), rng.uniform(-RADIUS, RADIUS, count)
    mine = (np.hypot(x, z) < RADIUS) & inside(x, z)
    return frame_of(np.column_stack([x, y, z])[mine], SIZE / 2)


@pytest.mark.parametrize("angle", [0.0, 20.0, 40.0])
def test_a_plane_surface_has_its_angle(angle):
    """Uphill is to the left; grains in flight above the surface and a heap at its foot do not change it.

    Random places have Poisson's noise, 20% of the density of a cell; over the 22 columns of the fit that is a tenth of
    a cell in height, and less than 1° in the slope.
    """
    rise = np.tan(np.radians(angle))
    flying = np.random.default_rng(2)

    def below(x, z):
        return (z < -rise * x + np.where(x > 0.01, 0.004, 0.0)) | (flying.random(len(x)) < 0.05)

    frames = [packed(below, seed) for seed in range(3)]
    free = np.ones(min(len(frame) for frame in frames), bool)
    shown = [frame_of(frame.position[: len(free)], SIZE / 2) for frame in frames]
    found = dynamic_angle(shown, free, RADIUS, LENGTH)
    assert found.degrees == pytest.approx(angle, abs=1.5)
    assert 0 < found.degrees_error < 2


def test_more_frames_make_the_angle_surer():
    """The standard error of a mean falls with the root of the number of frames: of the same three, nine times over,
    it is √(2/26) of that of the three, as the deviation of n divides by n − 1. A deviation would stay nearly the same.
    """
    frames = [packed(lambda x, z: z < -math.tan(math.radians(20.0)) * x, seed) for seed in range(3)]
    free = np.ones(min(len(frame) for frame in frames), bool)
    shown = [frame_of(frame.position[: len(free)], SIZE / 2) for frame in frames]
    few, many = (dynamic_angle(times * shown, free, RADIUS, LENGTH) for times in (1, 9))
    assert many.value == pytest.approx(few.value)
    assert many.error == pytest.approx(few.error * math.sqrt(2 / 26))


def test_a_ring_goes_over_the_top_and_a_heap_does_not():
    """Glued is what lies within a grain of the rim, 1 − (29/30)² of a full disc.

    A ring of three more such layers; a heap with nothing at the top; and of a full disc the outer third of its radius,
    (29/30)² − (2/3)² of it.
    """
    inner = RADIUS - SIZE
    glued = 1 - (29 / 30) ** 2
    for inside, layers in (
        (lambda x, z: np.hypot(x, z) > inner - 3 * SIZE, ((29 / 30) ** 2 - (26 / 30) ** 2) / glued),
        (lambda x, z: (np.hypot(x, z) > inner) | (z < 0), 0.0),
        (lambda x, z: x < 1, ((29 / 30) ** 2 - (2 / 3) ** 2) / glued),
    ):
        frame = packed(inside)
        free = np.hypot(frame.position[:, 0], frame.position[:, 2]) < inner
        assert carried_over([frame], free, RADIUS) == pytest.approx(layers, rel=0.12, abs=0.01)


def test_a_ring_stays_at_the_rim_past_the_top():
    """Beside the glued layer there is room for half a grain more within one and a half of the rim: 0.5 layers."""
    inner = RADIUS - SIZE
    share = ((29 / 30) ** 2 - (28.5 / 30) ** 2) / (1 - (29 / 30) ** 2)
    for inside, layers in (
        (lambda x, z: x < 1, share),
        (lambda x, z: (np.hypot(x, z) > inner) | (x < 0) | (z < 0), 0.0),
    ):
        frame = packed(inside)
        free = np.hypot(frame.position[:, 0], frame.position[:, 2]) < inner
        assert ring_layers([frame], free, RADIUS) == pytest.approx(layers, rel=0.15, abs=0.01)
