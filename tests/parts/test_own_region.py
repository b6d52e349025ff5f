"""A region of one's own, registered by a script, as fills and sinks ask it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import barchan as bc
from barchan import registry
from barchan.model.build import build
from barchan.parts.regions import Period, Region, Space
from barchan.schema.quantities import PositiveLength
from simulation.shared import SMALL

INNER, OUTER = 0.02, 0.05  # m


@dataclass(frozen=True)
class Tube(Space):
    """Between two upright cylinders about the z axis."""

    inner: float = 0.0

    @property
    def content(self) -> float:
        return float(np.pi * (self.high[0] ** 2 - self.inner**2) * self.length[2])

    def sample(self, reach: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.clamp(super().sample(reach, rng), reach)

    def clamp(self, centres: np.ndarray, reach: np.ndarray) -> np.ndarray:
        inside = super().clamp(centres, reach)
        far = np.linalg.norm(inside[:, :2], axis=1)
        inside[:, :2] *= (np.clip(far, self.inner + reach, self.high[0] - reach) / far)[:, None]
        return inside

    def holds(self, points: np.ndarray) -> np.ndarray:
        return super().holds(points) & self.holds_column(points[:, :2], 0.0, 0.0)

    def holds_column(self, sites: np.ndarray, margin: float, slack: float) -> np.ndarray:
        far = np.linalg.norm(sites, axis=1)
        return (far >= self.inner + margin - slack) & (far <= self.high[0] - margin + slack)


class TubeRegion(Region):
    """A tube about the z axis."""

    key: ClassVar[str] = "test-tube"
    inner: PositiveLength
    outer: PositiveLength
    height: PositiveLength

    def space(self, *, dimensions: int = 3, period: Period | None = None) -> Space:
        low, high = np.array([-self.outer, -self.outer, 0.0]), np.array([self.outer, self.outer, self.height])
        return Tube(low, high, np.zeros(3, bool), dimensions, self.inner)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The part, known until the test is over."""
    registry.register(TubeRegion)
    yield
    registry._found["regions"].pop(TubeRegion.key)


def tube(height: float, inner: float = INNER) -> dict[str, Any]:
    """The region as a scene states it."""
    return {"kind": "test-tube", "inner": inner, "outer": OUTER, "height": height}


def scene(**changes: Any) -> bc.Scene:
    """Grains in a tube above a floor."""
    fields = bc.loads(SMALL).to_dict()
    fields["grains"][0] |= {"fill": {"kind": "random", "region": tube(0.06)}, **changes.pop("grains", {})}
    return bc.Scene.model_validate({**fields, **changes})


@pytest.mark.parametrize(("kind", "count"), [("random", 60), ("lattice", None), ("hexagonal", None)])
def test_whole_grains_lie_inside_it(kind: str, count: int | None) -> None:
    """Whatever the fill, each grain keeps its radius from both walls of the tube, and there are many."""
    _, grains = build(scene(grains={"fill": {"kind": kind, "region": tube(0.06)}, "count": count}))
    far = np.linalg.norm(grains.position[:, :2], axis=1)
    assert len(grains) >= 60
    assert (far - grains.radius).min() >= INNER * (1 - 1e-6)
    assert (far + grains.radius).max() <= OUTER * (1 + 1e-6)


def test_a_sink_takes_what_is_in_it(tmp_path: Path) -> None:
    """Grains begin in the tube up to 60 mm. A sink that is its outer half, up to 30 mm, leaves none there, and some
    farther in, which the box about it holds as well; none is lost.
    """
    sinks = [{"name": "drain", "region": tube(0.03, inner=0.035)}]
    result = bc.run(scene(sinks=sinks, duration=0.02), tmp_path / "out", progress=bc.Silent(), threads=1)
    with result.recording as recording:
        last = recording[-1]
    gone = result.summary["flow"]["drain"]["number"]
    assert gone and gone + len(last) == 30
    far = np.linalg.norm(last.position[last.position[:, 2] < 0.03, :2], axis=1)
    assert len(far) and far.max() < 0.035
