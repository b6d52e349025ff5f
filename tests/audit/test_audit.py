"""Contacts, series and exports of a small run of each method, computed once more from its recording.

Nothing that computes here imports Barchan; see `test_the_audit_stands_alone`.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from audit import balances, figures, springs, touching
from audit.scenes import SCENES
from audit.taken import Taken

pytestmark = pytest.mark.validate
ALONE = ("taken", "touching", "figures", "balances", "springs", "exports")
Take = Callable[[str], Taken]
STEPPED = (  # a frame a step
    "spheres", "elastic", "flat", "far", "clumps", "periodic", "drifting", "deforming", "pouring", "tray",
)  # fmt: skip
STEPS = {"elastic": 2e-5, "deforming": 2e-4}  # s
HISTORIES = (  # with springs that remember, or without springs
    "spheres", "flat", "far", "clumps", "periodic", "drifting", "pouring", "story", "tray", "triangles", "hard",
    "conveyor",
)  # fmt: skip


def test_the_audit_stands_alone() -> None:
    """What computes imports nothing but NumPy, h5py, the standard library and itself: an audit that calls what it
    audits finds nothing.
    """
    allowed = {*sys.stdlib_module_names, "numpy", "h5py", "audit"}
    for name in ALONE:
        tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert {one.name.split(".")[0] for one in node.names} <= allowed
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in allowed
                assert node.module != "audit" and node.module != "audit.scenes"


@pytest.mark.parametrize("name", [name for name in SCENES if name not in ("triangles", "hard")])
def test_contacts_follow_from_places(taken: Take, name: str) -> None:
    """Of every frame: who touches whom and at which face, how deep, and where, beside the recorded place of the first
    body. A contact that is missing, counted twice, or at another image of its grain is found.
    """
    run = taken(name)
    seen = 0
    for frame in run.frames:
        own = touching.table(run, frame)
        size = float(frame.sphere_radius.min(initial=1.0))
        rows = touching.matched(frame, own, size)
        point, normal = touching.sided(frame, own, rows)
        near = precision(frame, size)
        np.testing.assert_allclose(frame.overlap, own.overlap[rows], rtol=0, atol=near)
        np.testing.assert_allclose(frame.depth, own.depth[rows], rtol=0, atol=near / size)
        np.testing.assert_allclose(frame.point, point, rtol=0, atol=near)
        assert np.sum(frame.force * normal, axis=1).min(initial=0.0) >= -1e-9 * np.abs(frame.force).max(initial=1.0)
        seen += len(rows)
    assert seen >= len(run.frames) // (2 if name == "story" else 1)  # half of a story is flight


@pytest.mark.parametrize("name", SCENES)
def test_unwrapped_places_go_straight_on(taken: Take, name: str) -> None:
    """From frame to frame a grain goes as far as its velocities say, to a hundredth of a period: a count of the box's
    edges that is too small by one, or another grain's, makes that a whole one. What is relaxed has no velocity, and
    goes less than half a period. Along open axes nobody goes round anything.
    """
    run, turned = taken(name), False
    relaxed = run.scene["solver"] == "relax"
    for index, two in enumerate(run.frames):
        assert not two.image[:, ~np.array(run.scene["periodic"])].any()
        if not index or not len(two.cell):
            continue
        one = run.frames[index - 1]
        a, b = np.isin(one.id, two.id), np.isin(two.id, one.id)
        way = figures.unwrapped(two)[b] - figures.unwrapped(one)[a]
        way -= 0.5 * (two.time - one.time) * (one.velocity[a] + two.velocity[b])
        period = np.where(two.cell[0, 3:6] > 0, two.cell[0, 3:6], np.inf)
        assert np.abs(way / period).max(initial=0.0) < (0.5 if relaxed else 0.01), f"frame {index}"
        turned = turned or bool((one.image[a] != two.image[b]).any())
    assert turned or name not in ("periodic", "drifting", "deforming", "tilted", "triangles", "hard")


def precision(frame: SimpleNamespace, size: float) -> float:
    """m: 1e-9 of a sphere, or what places this far from the origin are stored to."""
    return 1e-9 * size + 4 * np.finfo(float).eps * float(np.abs(frame.position).max(initial=0.0))


@pytest.mark.parametrize("name", SCENES)
def test_series_follow_from_frames(taken: Take, name: str) -> None:
    """Every sample of a series that the frame of the same moment determines, to 1e-9 of its largest value."""
    run = taken(name)
    assert run.times == pytest.approx([frame.time for frame in run.frames], abs=1e-15)
    found = [figures.determined(run, index) for index in range(len(run.frames))]
    far = max(1.0, max(float(np.abs(frame.position).max(initial=0.0)) for frame in run.frames))
    for key in found[0]:
        values = [one[key] for one in found]
        tolerance = 1e-9 * np.nanmax(np.abs(values)) * far + 1e-30  # what one grain moves against its own mean
        assert run.series[key] == pytest.approx(values, abs=tolerance, nan_ok=True), key


@pytest.mark.parametrize("name", SCENES)
def test_grains_are_what_they_are_made_of(taken: Take, name: str) -> None:
    """Masses by density and size; spheres that turn with their grains, as orientations say, and fill their bounding
    radii; moments of inertia about the principal axes; and what never changes: group, mass, radius, and the moment of
    birth, between the frames before and after it.
    """
    run = taken(name)
    for index, two in enumerate(run.frames):
        assert np.all(np.diff(two.id) > 0)
        np.testing.assert_allclose(two.mass, figures.weights(run, two), rtol=1e-9)
        reach = np.zeros(len(two.id))
        np.maximum.at(reach, two.sphere_grain, np.linalg.norm(figures.arms(two), axis=1) + two.sphere_radius)
        near = precision(two, float(two.radius.max(initial=0.0)))
        if name == "triangles":
            np.testing.assert_allclose(two.inertia[:, 1], figures.spread(two), rtol=1e-9)
            assert np.isnan([two.inertia[:, 0], two.inertia[:, 2]]).all() and np.isnan(two.sphere_offset).all()
        else:
            np.testing.assert_allclose(two.radius, reach, rtol=1e-9)
            np.testing.assert_allclose(two.sphere_offset, figures.arms(two), rtol=0, atol=near)
            about = figures.inertia(two, figures.arms(two))
            slack = 1e-9 * about.max(initial=0.0) + 2 * near * two.mass.max(initial=0.0) * two.radius.max(initial=0.0)
            np.testing.assert_allclose(about, two.inertia[:, :, None] * np.eye(3), rtol=0, atol=slack)
        if not index:
            assert not two.born.any()
            continue
        one = run.frames[index - 1]
        new, late = ~np.isin(two.id, one.id), 1e-12  # s, round-off of moments
        assert np.all((one.time + late < two.born[new]) & (two.born[new] < two.time + late))
        a, b = np.isin(one.id, two.id), np.isin(two.id, one.id)
        for field in ("group", "mass", "born"):
            assert np.array_equal(getattr(one, field)[a], getattr(two, field)[b]), field
        if name != "triangles":
            assert np.array_equal(one.radius[a], two.radius[b])
            before, after = figures.arms(one)[a[one.sphere_grain]], figures.arms(two)[b[two.sphere_grain]]
            np.testing.assert_allclose(after, before, rtol=0, atol=near)


def neighbours(frame: SimpleNamespace) -> set[tuple[int, int]]:
    """Pairs of triangles of one grain with two corners in common, to five per cent of 2 mm."""
    corners = frame.triangle_corners.reshape(-1, 3, 2)
    found = set()
    for i, j in itertools.combinations(range(len(corners)), 2):
        far = np.linalg.norm(corners[i][:, None] - corners[j], axis=2)
        if frame.sphere_grain[i] == frame.sphere_grain[j] and np.count_nonzero(far < 1e-4) == 2:
            found.add((i, j))
    return found


def test_beams_join_sides_and_strips_are_walls(taken: Take) -> None:
    """Beams join two triangles of a grain along the sides that they name, here stretched by five per cent at most,
    and none has broken or yielded; the triangles of a post are as large as it, and about its line.
    """
    run = taken("triangles")
    for frame in run.frames:
        corners = frame.triangle_corners.reshape(-1, 3, 2)
        assert np.all(np.diff(frame.sphere_grain[frame.beam_ends], axis=1) == 0)
        shared = [
            np.stack([corners[end, side - 1], corners[end, side % 3]], axis=1)
            for end, side in zip(frame.beam_ends.T, frame.beam_sides.T, strict=True)
        ]
        apart = np.linalg.norm(shared[0] - shared[1][:, ::-1], axis=2)  # both go round in the same sense
        assert apart.max() < 0.05 * 2e-3
        assert {tuple(sorted(pair)) for pair in frame.beam_ends.tolist()} == neighbours(frame)
        assert not frame.beam_cause.any()
        assert np.isnan([frame.beam_broken_at, frame.beam_yielded_at]).all()
        post, thick = run.scene["walls"][1], run.scene["beams"]["wall_thickness"]
        long = np.linalg.norm(np.subtract(post["end"], post["start"])) + thick
        assert np.array_equal(frame.strip_wall, [1, 1])
        assert figures.triangle_areas(frame.strip_corners).sum() == pytest.approx(long * thick, rel=1e-9)
        assert frame.strip_corners[:, ::2].mean() == pytest.approx(post["start"][0], rel=1e-9)


@pytest.mark.parametrize("name", STEPPED)
def test_recorded_forces_move_recorded_grains(taken: Take, name: str) -> None:
    """Newton's law from each frame to the next, a step later: m Δv = h (F₁ + F₂)/2 + h m g by velocity Verlet, and of
    turning I ω likewise, for every grain. A force that is missing, or is somewhere else, is found.
    """
    run = taken(name)
    gravity, drag = np.array(run.scene["gravity"]), float(run.scene["drag"])
    worst, turns, most, heaviest = 0.0, 0.0, 0.0, 0.0
    for one, two in itertools.pairwise(run.frames):
        a, b = balances.stayed(one, two)
        step = two.time - one.time
        before, after = balances.pushed(one), balances.pushed(two)
        force = 0.5 * (before.force[a] + after.force[b]) + one.mass[a, None] * gravity
        rate = balances.rates(one, two)
        force -= drag * 0.5 * (balances.against(rate, one)[a] + balances.against(rate, two)[b])
        torque = 0.5 * (before.torque[a] + after.torque[b])
        gained = one.mass[a, None] * (two.velocity[b] - one.velocity[a]) / step
        twisted = (balances.angular(two)[b] - balances.angular(one)[a]) / step
        left = balances.without_images((gained - force) / one.mass[a, None], rate, one)
        worst = max(worst, np.abs(left * one.mass[a, None]).max(initial=0.0))
        turns = max(turns, np.abs(twisted - torque).max(initial=0.0))
        most, heaviest = max(most, np.abs(force).max(initial=0.0)), max(heaviest, np.abs(torque).max(initial=0.0))
    assert worst < (1e-3 if drag else 1e-8) * most  # drag goes with velocities that are a part of a step ahead
    size = float(run.frames[0].radius.max())
    assert turns < 1e-8 * max(heaviest, most * size) or "stiction" in run.scene, "stiction turns grains, too"


@pytest.mark.parametrize("name", [name for name in SCENES if name not in HISTORIES])
def test_springs_follow_from_overlaps(taken: Take, name: str) -> None:
    """Where nothing rubs, the stored energy is that of overlaps, of Hertz (8/15) E* √R* ξ^(5/2), of linear springs
    ½ k ξ²; and beside it what springs along the planes get in half a step, before they are cut to nothing. Without
    losses each force is that of its overlap, to 1e-9.
    """
    run = taken(name)
    for frame, stored in zip(run.frames, run.series["stored_energy"], strict=True):
        own = touching.table(run, frame)
        push, energy = springs.normal(run.scene, own)
        beside = balances.stretched_in(run, frame, own, 0.5 * STEPS.get(name, 0.0))
        assert stored == pytest.approx(energy.sum() + beside, rel=1e-9, abs=1e-15 + 0.5 * beside)
        if springs.lossless(run.scene):
            rows = touching.matched(frame, own, float(frame.sphere_radius.min()))
            _, normal = touching.sided(frame, own, rows)
            assert frame.force == pytest.approx(push[rows, None] * normal, rel=1e-8, abs=1e-9 * push.max(initial=0.0))


@pytest.mark.parametrize("name", SCENES)
def test_the_ledger_adds_up(taken: Take, name: str) -> None:
    """`energy_error` is what the lines of the ledger leave: a line with another sign, or in no sum, is found."""
    run = taken(name)
    left = balances.left_over(run)
    scale = max(float(np.abs(run.series[line]).max()) for line in balances.LEDGER)
    assert run.series["energy_error"] == pytest.approx(left - left[0], abs=1e-9 * scale)


@pytest.mark.parametrize("name", STEPPED)
def test_lines_of_the_ledger_grow_by_work(taken: Take, name: str) -> None:
    """What contacts take along their normals, and along their planes, and what walls give: each grows as the recorded
    forces work on the recorded motion, by trapezia from frame to frame; at most a hundredth is due to the step.
    """
    run = taken(name)
    work, scale = balances.works(run)
    own = balances.taken_by_contacts(run)
    for key, values in work.items():
        assert own[key] - own[key][0] == pytest.approx(values, abs=1e-2 * scale), key


def test_what_comes_and_goes_is_who_is_there(taken: Take) -> None:
    """Numbers, masses, rates and energies at each gate, from the ids of one frame and the next: grains come and go
    between frames in free flight, which changes neither mass nor energy.
    """
    run = taken("pouring")
    found = balances.flows(run, lambda place: np.where(place[:, 0] > 2.9, "gone", "drain"))
    assert [found[f"{gate}_count"][-1] for gate in ("gone", "drain")] == [2, 2] and found["spout_count"][-1] > 2
    for key, values in found.items():
        assert run.series[key] == pytest.approx(values, abs=1e-9 * np.abs(values).max()), key


def test_a_story_lets_grains_come_and_go(taken: Take) -> None:
    """The same of a heap that is poured and falls when its floor is taken away: numbers, masses and rates, for grains
    have met on the way. Gravity that leans has done the work −Σ m x · dg.
    """
    run = taken("story")
    found = balances.flows(run, lambda place: np.where(place[:, 2] < -0.0445, "ground", "side"))
    assert found["ground_count"][-1] > 10 and found["side_count"][-1] > 10
    for key, values in found.items():
        if not key.endswith("_energy"):
            assert run.series[key] == pytest.approx(values, abs=1e-9 * np.abs(values).max()), key
    work, after = balances.leaning(run), run.times >= run.events["tilt"]
    own = run.series["event_work"][after]
    assert own - own[0] == pytest.approx(work[after], abs=0.01 * np.abs(work).max())


@pytest.mark.parametrize("name", SCENES)
def test_masses_and_energies_balance(taken: Take, name: str) -> None:
    """What is there is what was there and came, less what went. Of energy at most 5%, where steps are coarse, of what
    was turned over comes from nowhere.
    """
    run = taken(name)
    series, mass = run.series, np.array([frame.mass.sum() for frame in run.frames])
    passed = series.get("mass_in", 0.0 * mass) - series.get("mass_out", 0.0 * mass)
    assert mass - mass[0] == pytest.approx(passed - passed[0], rel=1e-9, abs=1e-12 * mass.max())
    spent = sum(np.abs(series[f"dissipated_{line}"]).max() for line in balances.LOST)
    turned = max(series["kinetic_energy"].max(), np.ptp(series["potential_energy"]), series["stored_energy"].max())
    assert np.abs(series["energy_error"]).max() < 0.05 * max(turned, spent)


@pytest.mark.parametrize("name", SCENES)
def test_steps_fill_the_time_between_frames(taken: Take, name: str) -> None:
    """As many steps as were done, between the shortest and the longest; methods without steps have none."""
    run = taken(name)
    short, long = run.series["shortest_step"], run.series["longest_step"]
    if run.scene["solver"] in ("hard", "relax"):
        assert not short.any() and not long.any()
        return
    steps = np.array([frame.step for frame in run.frames])
    assert np.all(short * steps <= run.times * (1 + 1e-9)) and np.all(run.times <= long * steps * (1 + 1e-9))
    assert steps[-1] > 0


def test_blows_make_the_stress_of_hard_spheres(taken: Take) -> None:
    """Between two frames without a collision the stress is none; with one, it is its impulse, by which momenta jump,
    times the branch at the moment of touch, which follows from places and velocities before.
    """
    run = taken("hard")
    seen = 0
    for k, (one, two) in enumerate(itertools.pairwise(run.frames), start=1):
        blow = balances.blow(run, one, two)
        if blow is None:
            continue
        tensor = -blow / figures.volume(run, two) / (two.time - one.time)
        for name in ("xx", "yy", "zz", "xy", "xz", "yz"):
            i, j = ("xyz".index(letter) for letter in name)
            found = run.series[f"stress_{name}"][k]
            assert found == pytest.approx(tensor[i, j], rel=1e-7, abs=1e-7 * np.abs(tensor).max()), (k, name)
        pressure = -np.trace(tensor) / 3
        assert run.series["pressure"][k] == pytest.approx(pressure, rel=1e-7)
        assert run.series["total_pressure"][k] == pytest.approx(pressure + run.series["kinetic_pressure"][k], rel=1e-7)
        values = -np.linalg.eigvalsh((tensor + tensor.T) / 2)
        assert run.series["stress_isotropic"][k] == pytest.approx(pressure, rel=1e-7)
        assert run.series["stress_deviatoric"][k] == pytest.approx(np.ptp(values) / 2, rel=1e-7)
        _, met = balances.jumps(run, one, two)
        assert np.diff(run.series["wall_collisions"])[k - 1] == (len(met) == 1)
        deepest = touching.table(run, two).overlap.max(initial=0.0)
        assert deepest <= run.series["deepest_overlap"][k] + 1e-12
        seen += bool(blow.any())
    assert seen > 10
