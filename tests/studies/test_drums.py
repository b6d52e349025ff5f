"""What the study of drums measures, and how studies share work among cores."""

from __future__ import annotations

import dataclasses
import math
import os
from pathlib import Path

import numpy as np
import pytest
import shapely

from barchan.record.schema import frame_arrays
from barchan.scene.beams_frame import Strips
from barchan.simulation.progress import Silent
from barchan.studies import drums, p03
from barchan.studies.cores import side_by_side
from barchan.studies.drums import inclination


@pytest.mark.parametrize("slope", [-20.0, 0.0, 15.0, 35.0])
@pytest.mark.parametrize("heavy", [1.0, 1.5])
def test_the_inclination_is_that_of_the_surface_wherever_the_centre_of_mass_is(slope: float, heavy: float) -> None:
    """Grains on a fine lattice fill a drum up to a straight line, higher on the left; those on the left are denser,
    by more than a loose bed of squares can become when it is packed.

    The line from the axis to the centre of mass then leans by more than the surface. A column's surface is found to a
    fraction of a layer of R/40, half a layer too high or too low at either end of a radius would be 1.4°; of eight
    columns the errors are averaged: 1° and less. A few grains that fly above the bed change nothing.
    """
    radius = 0.02
    x, z = (axis.ravel() for axis in np.meshgrid(*(np.linspace(-radius, radius, 601),) * 2))
    inside = (np.hypot(x, z) < radius) & (z < -0.1 * radius - math.tan(math.radians(slope)) * x)
    mass = np.where(x < 0.0, heavy, 1.0)[inside]
    place = np.column_stack([x, z])[inside]
    middle = np.average(place, axis=0, weights=mass)
    lean = math.degrees(math.atan2(-middle[0], -middle[1]))
    assert heavy == 1.0 or lean > slope + 2.0
    assert inclination(place, mass, radius) == pytest.approx(slope, abs=1.0)
    flying = np.random.default_rng(3).uniform((-0.5 * radius, 0.5 * radius), (0.5 * radius, 0.8 * radius), (200, 2))
    both = np.vstack([place, flying]), np.append(mass, np.full(200, 10.0))
    assert inclination(*both, radius) == pytest.approx(slope, abs=1.0)


def test_the_error_of_the_mean_surface_is_that_of_its_spells() -> None:
    """A bed that is tilted by 10° for half of the time and by 20° for the other half: three spells of each. The mean
    surface lies between, and the standard error of six numbers, three of 10 and three of 20, is √(6·25/5)/√6 = 2.24°.
    """
    radius = 0.02
    x, z = (axis.ravel() for axis in np.meshgrid(*(np.linspace(-radius, radius, 401),) * 2))
    bed = np.column_stack([x, z])[(np.hypot(x, z) < radius) & (z < 0.0)]
    turns = [np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in np.radians([10.0, 20.0])]
    places = np.array([bed @ turns[k // 6] for k in range(12)])
    mean, error = drums.surface(places, np.ones(len(bed)), radius)
    assert abs(mean) == pytest.approx(15.0, abs=1.5)
    assert error == pytest.approx(math.sqrt(5), rel=0.05)


def test_grains_that_turn_with_the_drum_have_no_energy_in_it() -> None:
    """ω × r with ω along y is (ω z, −ω x) in x and z. At rest in the room a grain has ½ m (ω r)² for the drum."""
    place, mass = np.array([[0.01, -0.02], [-0.005, 0.003]]), np.array([2.0, 3.0])
    riding = 4.0 * np.column_stack([place[:, 1], -place[:, 0]])
    assert drums.energy_in_drum(place, riding, mass, 4.0) == 0.0
    still = 0.5 * (2.0 * 16 * 5e-4 + 3.0 * 16 * 3.4e-5)
    assert drums.energy_in_drum(place, np.zeros((2, 2)), mass, 4.0) == pytest.approx(still, rel=1e-12)


def test_the_law_is_found_in_means_that_follow_it() -> None:
    """θ = 20° + 0.3° Ω^1.7; and a point far off that law of a tiny part of a drum, which hardly counts."""
    rate = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
    lean = 20.0 + 0.3 * rate**1.7
    fit, error = p03.fit_law(rate, lean, np.ones(6))
    assert fit == pytest.approx([20.0, 0.3, 1.7], rel=1e-4) and error < 1e-3
    lean[0] += 5.0
    fit, error = p03.fit_law(rate, lean, np.array([1e-8, 1.0, 1.0, 1.0, 1.0, 1.0]))
    assert fit[2] == pytest.approx(1.7, abs=1e-3)


def test_the_power_is_that_of_steady_flow_and_not_fitted_to_too_few_rates() -> None:
    """Rates below the last one with rest do not count, even one without: leans of 20° + Ω² from 3 rad/s on and of 40°
    below give 2. With rest up to 5 rad/s three rates are left for three numbers, which any law fits: no verdict for it.
    """
    rate = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    leans = [np.full(2, 40.0 if one < 3 else 20.0 + one**2) for one in rate]
    rows, fit = p03.judge_power(rate, leans, np.array([0.0, 0.3, 0.04, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert rows[0].passed and fit is not None
    assert fit == pytest.approx([20.0, 1.0, 2.0], rel=1e-4)
    assert "from 3 rad/s on" in rows[0].quantity and "fillings ± 0.00" in rows[0].ours
    assert "from 2 rad/s on, where grains rest for 30%" in rows[1].quantity and rows[1].passed is None
    assert "from 1 rad/s on" in rows[2].quantity and len(rows) == 3
    rows, fit = p03.judge_power(rate, leans, np.array([0.0, 0.3, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0]))
    assert rows[0].passed is False and fit is None and "3 rates" in rows[0].ours
    rows, fit = p03.judge_power(rate, [20.0 + np.full(2, one) for one in rate], np.zeros(8))
    assert rows[0].passed is False and fit is not None and len(rows) == 1


def test_kinds_of_drums_are_kept_apart_and_only_the_first_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Squares lean by 20° + 0.3° Ω² and pass; the other kinds by 10° + Ω and 30° + Ω^1.5, which is told. In the slow
    drums grains have all their energy in every tenth sample: in 6 of the 67 after the first third, and rest in 61.
    """
    frame, time = drums.Drum.small().filled(1.0, 2).frame(), np.linspace(0.1, 10.0, 100)
    laws = {0.0: (20.0, 0.3, 2.0), 0.1: (10.0, 1.0, 1.0), 0.2: (30.0, 1.0, 1.5)}  # by friction, which names the kind

    def turned(task: tuple[drums.Turn, Path]) -> drums.Tumbling:
        turn, _ = task
        repose, factor, power = laws[turn.drum.friction]
        energy = np.where((np.arange(100) % 10 == 0) | (turn.rate > 1.0), 1.0, 0.0)
        lean = repose + factor * turn.rate**power
        return drums.Tumbling(turn.rate, time, time, energy, lean, 0.1, turn.drum.friction, frame, scene)

    scene = drums.Drum.small().scene(1.0, 2)
    seeds = {0.5: [2], 2.0: [2, 3], 4.0: [2], 6.0: [2], 8.0: [2]}
    kinds = [p03.Kind(f"μ {mu:g}", dataclasses.replace(drums.Drum.small(), friction=mu), seeds) for mu in laws]
    monkeypatch.setattr(p03, "turned", turned)
    monkeypatch.setattr(p03, "KINDS", kinds)
    monkeypatch.setattr(p03, "side_by_side", lambda work, tasks, _, told: side_by_side(work, tasks, 1, told))
    result = p03.run(False, tmp_path, Silent())
    rows = {row.quantity: row for row in result.rows}
    assert rows["share of time at rest in the drum at 0.5 rad/s"].ours == "0.91"
    power = "power of Ω in inclination − that of repose, steady flow, from 2 rad/s on"
    assert rows[power].passed is True and rows[power].ours.startswith("2.00")
    told = [rows[f"μ {mu}: {power}"] for mu in (0.1, 0.2)]
    assert [row.ours[:4] for row in told] == ["1.00", "1.50"] and all(row.passed is None for row in told)
    assert rows["deepest overlap of all drums"].ours == "0.20"
    assert "μ 0.2: 0.5: 30.4, 2: 32.8 32.8, 4: 38.0" in " ".join(result.notes)


def test_powers_scatter_as_their_drums_do() -> None:
    """Forty studies of 20° + 0.3° Ω² with drums that scatter by 0.2°, five at the ends and two in between: what each
    says of its error is, on average, what their powers differ by. Forty tell that to 11%, of which two are allowed.
    """
    draw, rate = np.random.default_rng(5), np.array([3.0, 4.0, 5.0, 6.0, 8.0])
    powers, errors = [], []
    for _ in range(40):
        leans = [20.0 + 0.3 * one**2 + 0.2 * draw.normal(size=n) for one, n in zip(rate, (5, 2, 2, 2, 5), strict=True)]
        means, many = np.array([several.mean() for several in leans]), np.array([5, 2, 2, 2, 5])
        fit, _ = p03.fit_law(rate, means, many)
        powers.append(fit[2])
        errors.append(p03.scatter_of_power(rate, leans, fit))
    assert np.mean(errors) == pytest.approx(np.std(powers, ddof=1), rel=0.23)


@pytest.mark.parametrize("angular", [True, False])
def test_the_wall_of_a_drum_is_rough_all_round_and_lets_no_grain_through(angular: bool) -> None:
    """A ring of squares, each as large as it is meant to be and about its place on the circle: even two that stand side
    to side leave less between them than half the smallest grain is wide, and as they are turned at random they reach
    inwards by half a side to half a diagonal. Or fins, upright and as far apart all round.
    """
    drum = drums.Drum.angular(0.3) if angular else drums.Drum.full()
    few = dataclasses.replace(drum, boxes=(drums.Box((-5e-3, -5e-3), (5e-3, 5e-3), 3),), more=())
    solver = few.filled(2.0, 4)
    assert solver.triangle_count == (15 if angular else 12)
    assert solver.model.scene.materials["grain"].friction == (0.3 if angular else 0.0)
    made = solver.frame().table(Strips)
    assert made is not None
    corners = made.strip_corners.reshape(-1, 3, 2)
    many = round(2 * math.pi * 0.02 / drum.pitch)
    bodies = [shapely.union_all(shapely.polygons(corners[made.strip_wall == 1 + k])) for k in range(many)]
    assert made.strip_wall.max() == many
    angle = 2 * math.pi * np.arange(many) / many
    middle = np.array([(body.centroid.x, body.centroid.y) for body in bodies])
    outwards = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    reach = 0.02 if angular else 0.02 - 1e-4 - 0.5e-3
    assert np.allclose(middle, reach * outwards, atol=2e-8)
    gaps = [shapely.distance(bodies[k - 1], bodies[k]) for k in range(many)]
    if angular:
        assert np.allclose([body.area for body in bodies], 1.06e-3**2, rtol=2e-3)
        inwards = 0.02 - np.array([body.distance(shapely.Point(0.0, 0.0)) for body in bodies])
        assert max(gaps) < 0.25e-3 and 0.53e-3 < inwards.min() < 0.56e-3 and 0.72e-3 < inwards.max() < 0.76e-3
        assert few.ends(0.25) == 8.0 and few.ends(8.0) == 3.2
    else:
        assert np.allclose([body.area for body in bodies], (1e-3 + 6e-4) * 6e-4, rtol=1e-5)
        assert np.ptp(gaps) < 1e-8 and few.ends(0.25) == 3.2


def test_a_drum_that_has_been_turned_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes back as it was, and is not turned again; unless its file is cut short, or is that of another drum."""
    turn = drums.Turn(drums.Drum.small(), 2.0, 3)
    solver, turned = turn.drum.filled(turn.rate, turn.seed), []
    time, lean, energy = np.linspace(0.0, 1.5, 7), np.arange(7.0), np.full(7, 1e-6)

    def tumble(turn: drums.Turn) -> drums.Tumbling:
        turned.append(turn)
        scene = solver.model.scene
        return drums.Tumbling(turn.rate, time, lean, energy, 21.5, 0.4, 0.1, solver.frame(), scene)

    monkeypatch.setattr(drums, "tumble", tumble)
    path = tmp_path / "drums" / "2-3.npz"
    first, again = drums.turned((turn, path)), drums.turned((turn, path))
    assert len(turned) == 1 and again.scene == first.scene
    assert (again.rate, again.inclination, again.scatter, again.overlap) == (2.0, 21.5, 0.4, 0.1)
    for had, found in ((time, again.time), (lean, again.lean), (energy, again.energy)):
        assert np.array_equal(had, found)
    one, other = frame_arrays(first.frame), frame_arrays(again.frame)
    assert one.keys() == other.keys() and "strip_corners" in one and (again.frame.step, again.frame.time) == (0, 0.0)
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)
    assert drums.kept(turn._replace(seed=4), path) is None
    assert drums.kept(turn._replace(drum=dataclasses.replace(turn.drum, step=2e-5)), path) is None
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:size])
        assert drums.kept(turn, path) is None
    drums.turned((turn, path))
    assert len(turned) == 2 and drums.kept(turn, path) is not None


def test_work_is_shared_among_processes_and_comes_back_in_its_order() -> None:
    """As in this process; and each of two others is another process."""
    tasks = [4.0, 9.0, 16.0]
    done: list[int] = []
    assert side_by_side(math.sqrt, tasks, 2) == side_by_side(math.sqrt, tasks, 1, done.append) == [2.0, 3.0, 4.0]
    assert done == [1, 2, 3]
    assert os.getpid() not in side_by_side(_process, [0, 1], 2)


def _process(_: int) -> int:
    return os.getpid()


def test_a_drum_is_filled_again_above_grains_that_have_fallen() -> None:
    """Twenty grains fall for 0.1 s; then three more hang above them, and those below lie where and as they have come to
    lie, at rest: no triangle has more of its area in another, a step later, than in a bed that has just fallen.
    """
    once = drums.Drum.small()
    falling = once.filled(0.0, 2)
    falling.advance_to(0.1)
    lying = falling.frame()
    twice = dataclasses.replace(once, more=((0.1, drums.Box((-6e-3, 5e-3), (6e-3, 10e-3), 3)),)).filled(1.0, 2)
    frame = twice.frame()
    assert (len(lying.id), len(frame.id)) == (20, 23)
    assert np.allclose(frame.position[:20], lying.position, rtol=0, atol=1e-12)
    assert np.allclose(frame.orientation[:20], lying.orientation, rtol=0, atol=1e-12)
    assert lying.position[:, 2].mean() < -0.2 * once.radius < 0.0 < frame.position[20:, 2].min()
    twice.advance(1)
    assert twice.worst_overlap < 0.2
