"""What the studies of Hasan share: formulas of the paper, and runs that are not computed twice."""

from __future__ import annotations

import math

import pytest

from barchan.scene import dumps
from barchan.simulation.progress import Silent
from barchan.studies import h03, h04, hasan, runs


class Told(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_damping_of_a_restitution():
    """γn = γcrit/2 gives ψ = 0.298 (the paper says 0.3); γcrit = 2 √(0.05 · 1e5) = 141.42 N s/m."""
    assert hasan.critical(1e5) == pytest.approx(141.4214, rel=1e-6)
    assert hasan.normal_damping(math.exp(-2 * math.pi / (3 * math.sqrt(3)))) == pytest.approx(70.7107, rel=1e-6)


@pytest.mark.parametrize(("spheres", "apart"), [(4, 0.06), (5, 0.058), (6, 0.0535)])
def test_critical_friction_balances_the_forces(spheres, apart):
    """With μ at both contacts of a lower sphere: N (cos α + μ sin α) = m g/(n − 1) carries its share of the upper one,
    and N (sin α − μ cos α) = μ · n/(n − 1) m g is what the floor holds. (Equations (15) and (16), in units of m g.)
    """
    mu, angle = h03.critical_friction(spheres, apart), math.atan(h03.slope(spheres, apart))
    push = 1 / ((spheres - 1) * (math.cos(angle) + mu * math.sin(angle)))
    thrust = push * (math.sin(angle) - mu * math.cos(angle))
    assert thrust == pytest.approx(mu * spheres / (spheres - 1), rel=1e-12)


def test_points_on_the_wrong_side_are_told_by_how_much():
    critical = h03.critical_friction(5, 0.058)
    assert h03.Point(5, 0.058, 1.1 * critical, stands=True).wrong_by < 0
    assert h03.Point(5, 0.058, 1.1 * critical, stands=False).wrong_by == pytest.approx(0.1)
    assert h03.Point(5, 0.058, 0.9 * critical, stands=True).wrong_by == pytest.approx(0.1)


def test_the_interval_of_a_wedged_sphere():
    """Limits of 0.5 N with 0.3 N used up in the plane leave ±0.4 N across; a load of 0.1 N shifts the left one's."""
    one = h04.Wedged(0.3, 0.3, 0.0, 0.1, 0.5, 0.5, True, 0.0)
    assert one.interval == pytest.approx((-0.4, 0.3))


def test_a_finished_run_of_the_same_scene_is_taken_as_it_is(tmp_path, monkeypatch):
    """Of the same scene, not of the same text: a field that is not written has its default."""
    progress = Told()
    scene = hasan.changed("conveyor", "duration=2e-4")
    with runs.recorded(scene, tmp_path / "run", progress) as first:
        frames = len(first)
    assert not any("same scene" in note for note in progress.notes)
    short = "\n".join(line for line in dumps(scene).splitlines() if line != "drag = 0.0")
    assert short != dumps(scene).rstrip()
    monkeypatch.setattr(runs, "dumps", lambda scene: short)
    with runs.recorded(scene, tmp_path / "run", progress) as again:
        assert len(again) == frames
    monkeypatch.undo()
    assert any("same scene" in note for note in progress.notes)
    other = hasan.changed("conveyor", "duration=1e-4")
    with runs.recorded(other, tmp_path / "run", progress) as shorter:
        assert len(shorter) < frames
