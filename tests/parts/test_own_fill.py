"""Fills of one's own, registered by a script: one that says where grains are, and one that is handed their sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import barchan as bc
from barchan import registry
from barchan.model.build import build
from barchan.parts.fills import Fill, Given, Order
from barchan.schema.problems import fault
from barchan.schema.quantities import PositiveLength
from simulation.shared import SMALL


class Helix(Fill):
    """Grains on a rising line, each with a velocity and with the size that the fill says."""

    key: ClassVar[str] = "test-helix"
    sized: ClassVar[bool] = True
    rise: PositiveLength

    def check_count(self, count: int | None) -> None:
        if count is None:
            raise fault("no count", "a helix needs one")

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        turn = np.arange(order.count or 0, dtype=float)
        places = np.stack([0.02 * np.cos(turn), 0.02 * np.sin(turn), 0.01 + self.rise * turn], axis=1)
        return Given(places, radius=np.full(len(turn), 0.002), velocity=np.tile([0.0, 0.0, -1.0], (len(turn), 1)))


class Column(Fill):
    """Grains on top of each other, whatever their sizes."""

    key: ClassVar[str] = "test-column"
    by_size: ClassVar[bool] = True

    def places(self, order: Order, radii: np.ndarray, rng: np.random.Generator, there: np.ndarray) -> np.ndarray:
        tops = np.cumsum(2 * radii)
        return np.stack([0 * tops, 0 * tops, tops - radii], axis=1)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The parts, known until the test is over."""
    for part in (Helix, Column):
        registry.register(part)
    yield
    for part in (Helix, Column):
        registry._found["fills"].pop(part.key, None)


def scene(**group: Any) -> bc.Scene:
    """Grains above a floor."""
    fields = bc.loads(SMALL).to_dict()
    fields["grains"][0] |= group
    return bc.Scene(**fields)


def test_a_fill_that_says_all_of_its_grains_runs(tmp_path: Path) -> None:
    """The first frame holds the places, radii and velocities that the fill says, for a group without a size."""
    described = scene(size=None, count=8, fill={"kind": "test-helix", "rise": 0.005})
    result = bc.run(described, tmp_path / "out", progress=bc.Silent(), threads=1)
    with result.recording as recording:
        first = recording[0]
    np.testing.assert_allclose(first.position[:, 2], 0.01 + 0.005 * np.arange(8))
    np.testing.assert_allclose(first.radius, 0.002)
    np.testing.assert_allclose(first.velocity, np.tile([0, 0, -1.0], (8, 1)))


def test_a_fill_is_handed_the_grains_that_were_drawn() -> None:
    """The column is as high as the sum of the diameters, which are those of the grains."""
    _, grains = build(scene(fill={"kind": "test-column"}))
    assert len(np.unique(grains.radius)) == 30
    assert (grains.position[:, 2] + grains.radius).max() == pytest.approx(2 * grains.radius.sum(), rel=1e-12)


def test_what_a_fill_asks_of_its_group_is_checked() -> None:
    """Its own rule about the count is told at the group; a group that another fill leaves without sizes is refused."""
    with pytest.raises(bc.SceneError, match=r"grains\[0\]: no count; a helix needs one"):
        scene(size=None, count=None, fill={"kind": "test-helix", "rise": 0.005})
    with pytest.raises(bc.SceneError, match=r"grains\[0\]: no size"):
        scene(size=None, fill={"kind": "test-column"})


def test_a_recorded_scene_is_read_without_it() -> None:
    """Looking at a run needs no fill, be it one that says the sizes: it is kept as it was written."""
    from barchan.scene.toml import loads_recorded

    text = bc.dumps(scene(size=None, count=8, fill={"kind": "test-helix", "rise": 0.005}))
    registry._found["fills"].pop(Helix.key)
    assert bc.dumps(loads_recorded(text, "out")) == text
