"""A distribution of sizes of one's own, registered by a script, as fills, mixtures and sources draw from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pytest

from barchan import registry
from barchan.model.build import build
from barchan.model.pour import Pourer
from barchan.parts.sizes import Size
from barchan.scene import Scene
from barchan.schema.quantities import PositiveLength

SAND = {"density": 2500, "young": 1e7}
BOX = {"kind": "box", "low": (0, 0, 0), "high": (1, 1, 1)}


class TwoSizes(Size):
    """Small and large grains, turn by turn."""

    key: ClassVar[str] = "test-two"
    small: PositiveLength
    large: PositiveLength

    def bounds(self) -> tuple[float, float]:
        return self.small, self.large

    def draw(self, count: int, rng: np.random.Generator, where: str = "size") -> np.ndarray:
        return np.where(np.arange(count) % 2, self.large, self.small)

    def mean_power(self, power: int) -> float:
        return 0.5 * (self.small**power + self.large**power)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The part, known until the test is over."""
    registry.register(TwoSizes)
    yield
    registry._found["sizes"].pop(TwoSizes.key)


def scene(**group: object) -> Scene:
    """Grains in a box."""
    size = {"kind": "test-two", "small": 0.01, "large": 0.03}
    fill = {"kind": "random", "region": BOX}
    source = {"name": "spout", "material": "sand", "size": size, "region": BOX, "count": 4}
    grains = {"name": "grains", "material": "sand", "size": size, "count": 6, "fill": fill, **group}
    return Scene(name="sizes", duration=1, materials={"sand": SAND}, grains=[grains], sources=[source])


def test_fills_and_sources_draw_from_it() -> None:
    """Half of the grains are of either size, in a fill as from a source."""
    described = scene()
    _, grains = build(described)
    assert np.sort(grains.radius).tolist() == [0.005] * 3 + [0.015] * 3
    assert (
        np.sort(Pourer(described, 0).pour(0.0, lambda *_: np.ones(4, bool)).radius).tolist()
        == [0.005] * 2 + [0.015] * 2
    )


def test_shares_by_mass_reckon_with_its_mean() -> None:
    """Two kinds of equal mass: grains of this distribution weigh (1³ + 3³)/2 = 14 times as much as grains of 1 cm on
    average, so of 30 grains two are of this kind.
    """
    mix = [{"share": 1.0}, {"share": 1.0, "size": 0.01}]
    _, grains = build(scene(count=30, mix=mix, share_by="mass"))
    assert np.bincount(grains.group).tolist() == [2, 28]
