"""What flat grains must not do: pass through each other unseen, gain energy by breaking, by yielding or by damping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.draw.polygons import corners, crack_edges
from barchan.errors import RunError, SceneError
from barchan.model.build import build
from barchan.parts.observables.count import Count
from barchan.scene.beams_frame import BeamLines
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import by_id, every, peek, put


def book(machine: BeamSolver) -> dict[str, float]:
    return ledger.energies(machine, ledger.present(machine))


def test_single_steps_see_each_other_as_many_do() -> None:
    """Two squares 4 mm apart, farther than any list reaches, meet however many steps are taken at once: same bits."""
    left = lab.grain(-6e-3, 0.0, velocity=(0.5, 0.0, 0.0))
    scene = lab.scene([left, lab.grain(0.0, 3e-4)])
    once, often = lab.solver(scene, 5e-6), lab.solver(scene, 5e-6)
    once.advance(2500)
    for _ in range(2500):
        often.advance(1)
    assert sum(peek(once, "seen")) > 100
    assert np.array_equal(peek(once, "state"), peek(often, "state"))


@pytest.mark.parametrize("integrator", ["gear", "verlet"])
@pytest.mark.parametrize("size", [2e-3, 5e-4, 2e-4])
def test_damping_takes_energy_from_triangles_of_any_size(size: float, integrator: str) -> None:
    """A free square that shivers can only lose energy. In small ones beams damp triangles far quicker than these swing,
    by λI/L over their moment of inertia, and the step must be shorter than that time too.
    """
    machine = lab.solver(lab.scene([lab.grain(0.0, 0.0, size=size)], beams={"integrator": integrator}))
    peek(machine, "state")[:4, :2, 1] = [(1e-3, 0), (-1e-3, 0), (0, 2e-3), (0, -2e-3)]
    peek(machine, "state")[:4, 2, 1] = np.array([1.0, -1.0, 2.0, -3.0]) * 1e-3 / size
    lab.restart(machine)
    before = lab.energy(machine)
    found = []
    for _ in range(10):
        machine.advance(100)
        found.append(lab.energy(machine))
    assert found[-1] < 0.6 * before
    assert np.all(np.diff([before, *found]) < 1e-3 * before)


def test_a_step_that_damping_would_heat_is_refused() -> None:
    scene = lab.scene([lab.grain(0.0, 0.0, size=5e-4)], time_step=5e-7)
    with pytest.raises(SceneError, match="beams damp the motion"):
        checks.choose(*build(scene))


@pytest.mark.parametrize("shape", ["square", "hexagon", "star", "ell"])
def test_a_weightless_grain_may_rest(shape: str) -> None:
    """Nothing moves but round-off, and that is no error of the ledger."""
    machine = lab.solver(lab.scene([lab.grain(0.013, -0.007, shape)]))
    for _ in range(20):
        machine.advance(50)
        machine.watch()
    assert machine.energy_error < 1e-3
    assert machine.fastest() < 1e-10


def struck(limit: dict[str, float], contact: str = "exact", **more: Any) -> BeamSolver:
    """Two undamped hexagons of 5 mm that hit each other at 2 m/s and break."""
    left = lab.grain(-3e-3, 0.0, "hexagon", size=5e-3, velocity=(2.0, 0.0, 0.0))
    beams = {"contact": contact, "damping": 0.0, "breakage": limit, "integrator": "verlet"}
    return lab.solver(lab.scene([left, lab.grain(3e-3, 5e-4, "hexagon", size=5e-3)], beams=beams, **more), 2e-7)


@pytest.mark.parametrize(
    "limit", [{"stretch": 0.004}, {"force": 0.02}, {"moment": 2e-6}], ids=lambda one: next(iter(one))
)
def test_breaking_sets_nothing_in_motion(limit: dict[str, float]) -> None:
    """What moves, and what contacts and beams hold, is the energy of the blow and never more: breaking beams take what
    they held with them, and pieces that lay in each other, as parts of one grain may, do not start to push by that.
    The ledger knows of no work of events, and closes; momentum stays.
    """
    machine = struck(limit)
    before, momentum = lab.energy(machine), lab.momenta(machine)
    found = []
    for _ in range(40):
        machine.advance(500)
        found.append(lab.energy(machine))
    assert len(machine) > 4
    assert max(found) < (1 + 1e-4) * before
    assert np.all(np.diff(found) < 1e-4 * before)
    now = book(machine)
    assert now["event_work"] == 0.0
    assert abs(now["energy_error"]) < 1e-4 * before
    assert np.abs(lab.momenta(machine)[:2] - momentum[:2]).max() < 1e-12 * momentum[0]


def parted() -> BeamSolver:
    """A square pressed together along x while it is whole, so that its left and right triangles lie in the others, and
    then broken to pieces.
    """
    machine = lab.solver(lab.scene([lab.grain(0.0, 0.0)], beams={"contact": "exact", "damping": 0.0}), 1e-6)
    peek(machine, "state")[:, 0, 0] *= 0.8
    machine.rebuild()
    peek(machine, "broken")[:] = -1
    machine.advance(1)
    assert len(machine) == 4
    return machine


def test_pieces_push_back_where_they_go_deeper_and_part_for_good() -> None:
    """Where they lie nothing pushes. Pressed on by a tenth of their overlap they push apart; back where they were they
    do not; and once they have been apart, the same overlap pushes them as any other does: as pieces that never were
    one grain, with a force F ∝ S².
    """
    machine = parted()
    at_rest = peek(machine, "state")[:, :2, 0].copy()
    lying = lab.forces(machine)
    assert ledger.present(machine).stored == 0.0 and np.abs(lying).max() < 1e-15
    a = every(machine)
    left = int(np.argmin(a["state"][:, 0, 0]))
    a["state"][left, 0, 0] += 3e-5
    pressed = lab.forces(machine)
    assert pressed[left, 0] < -1e-6
    assert np.abs(pressed.sum(axis=0)[:2]).max() < 1e-12 * abs(pressed[left, 0])
    a["state"][:, :2, 0] = at_rest
    assert np.abs(lab.forces(machine)).max() < 1e-15
    for row, away in enumerate(at_rest - at_rest.mean(axis=0)):  # apart, for a step, and together again
        a["state"][row, :2, 0] += 0.6 * away
    machine.advance(1)
    assert sum(machine.packed().touching) == 0 and len(machine.packed().touching) > 3  # yet near
    a["state"][:, :2, 0], a["state"][:, :3, 1:] = at_rest, 0.0
    machine.rebuild()
    lab.restart(machine)
    assert np.abs(lab.forces(machine)).max() > 1e-3
    a["grain"][:4] = np.arange(4)
    fresh = ledger.present(machine).stored
    assert fresh > 0.0


def test_what_is_allowed_lasts_through_lists_checkpoints_and_sinks() -> None:
    """The same bits after a restore; new lists keep it; and when one of the pieces goes, the others keep theirs."""
    machine = parted()
    kept = peek(machine, "allowed").copy()
    assert np.count_nonzero(kept) >= 4
    machine.rebuild()
    assert np.array_equal(np.sort(peek(machine, "allowed")), np.sort(kept))
    restored = BeamSolver.restored(machine.model, *machine.state())
    for one in (machine, restored):
        peek(one, "state")[0, :2, 1] = 0.05, 0.02
        one.advance(200)
    assert np.array_equal(peek(machine, "state"), peek(restored, "state"))
    scene = lab.scene([lab.grain(0.0, 0.0)], sinks=[
        {"name": "out", "region": {"kind": "box", "low": (-0.1, 0, -0.1), "high": (0.1, 0, 0.1)}}
    ])  # fmt: skip
    machine = parted()
    machine.model = build(scene)[0]
    put(machine, "gates", np.zeros((1, 7)))
    machine.remove(by_id(machine, "id") == peek(machine, "id")[0], "out")
    assert len(machine) == 3 and ledger.present(machine).stored == 0.0


@pytest.mark.parametrize("contact", ["paper", "exact"])
@pytest.mark.parametrize("speed", [20.0, 30.0])
def test_grains_do_not_pass_through_each_other_unseen(speed: float, contact: str) -> None:
    """Two squares that are far too soft for this speed: the run must say so, and name a triangle."""
    left = lab.grain(-2.7e-3, 0.0, velocity=(speed, 0.0, 0.0))
    machine = lab.solver(lab.scene([left, lab.grain(0.0, 3e-4)], beams={"contact": contact}))

    def meet() -> None:
        for _ in range(200):
            machine.advance(max(1, round(6e-3 / speed / machine.dt / 200)))
            machine.watch()

    with pytest.raises(RunError, match=r"triangle \d+ of grain"):
        meet()


def test_a_triangle_inside_another_is_seen_at_the_start() -> None:
    """Where no outlines cross, the paper's rules know no force; the overlap is there all the same."""
    scene = lab.scene([lab.grain(0.0, 0.0, size=1e-2), lab.grain(0.0, 3e-3, size=5e-4)])
    with pytest.raises(SceneError, match="100% of a triangle"):
        checks.check(*build(scene))


@pytest.mark.parametrize("limit", [{"force": 0.01}, {"moment": 1e-6}, {"force": 0.01, "moment": 1e-6}])
def test_yielding_takes_work_at_the_limit_and_the_ledger_closes(limit: dict[str, float]) -> None:
    """An undamped square that shivers violently: what its motion and its beams lose is the work of yielding, to 5e-4 at
    the default step (which beams without yielding keep to as well), and a hundredth of that at a tenth of the step.
    """
    errors = []
    for step in (1e-5, 1e-6):
        machine = shaken(limit, step)
        machine.advance(round(5e-3 / step))
        now = book(machine)
        assert now["dissipated_beams"] > 0.3 * machine.energy_at_start
        errors.append(abs(now["energy_error"]) / machine.energy_at_start)
    assert errors[0] < 5e-4 and errors[1] < 5e-5


def shaken(limit: dict[str, float], step: float) -> BeamSolver:
    beams = {"yielding": limit, "damping": 0.0, "integrator": "verlet"}
    machine = lab.solver(lab.scene([lab.grain(0.0, 0.0)], beams=beams), step)
    state = peek(machine, "state")
    state[0, :2, 1], state[2, 1, 1] = (0.1, -1.0), 1.0
    state[1, 2, 1], state[3, 2, 1] = 300.0, -500.0
    lab.restart(machine)
    machine.energy_at_start = book(machine)["kinetic_energy"]
    return machine


def test_a_beam_yields_at_a_moment_that_nobody_looks_at() -> None:
    """The recorded time of first yielding is that of the step, whether the run is looked at often or seldom."""
    found = []
    for visit in (500, 50, 1):
        machine = shaken({"force": 0.01}, 1e-6)
        for _ in range(500 // visit):
            machine.advance(visit)
        found.append(peek(machine, "yielded_at"))
    assert np.isfinite(found[0]).any()
    assert np.array_equal(found[0], found[1], equal_nan=True) and np.array_equal(found[0], found[2], equal_nan=True)


def test_a_yielded_beam_still_breaks_by_stretch() -> None:
    """Stretch is measured by the length that a beam was made with: one that is drawn out at its yield limit, a
    twentieth of what it would take to stretch it by a tenth, breaks at a tenth.
    """
    points = ((0.0, -1e-3), (1.7e-3, 0.0), (0.0, 1e-3), (-1.7e-3, 0.0))
    limits = {"yielding": {"force": 0.005 * 100.0 * 1e-3}, "breakage": {"stretch": 0.1}, "damping": 0.0}
    machine = lab.solver(lab.scene([lab.polygon(0.0, 0.0, *points)], beams=limits), 1e-6)
    made = float(peek(machine, "made")[0])
    peek(machine, "state")[:2, 0, 1] = np.where(peek(machine, "state")[:2, 0, 0] > 0, 0.5, -0.5)
    lab.restart(machine)
    while len(machine) == 1 and machine.step < 2000:
        machine.advance(1)
    gap = float(np.ptp(peek(machine, "state")[:2, 0, 0]))
    assert len(machine) == 2 and peek(machine, "broken")[0] == 1
    assert gap == pytest.approx(1.1 * made, rel=5e-3)


@pytest.mark.parametrize("contact", ["paper", "exact"])
def test_a_wall_that_appears_in_a_grain_does_work(contact: str) -> None:
    """The energy that its contact holds at once has come from the event, and comes back out of it as motion; a wall
    that goes takes what its contact held.
    """
    floor = {"name": "floor", "material": "a", "shape": "plane", "point": (0.0, 0.0, -0.95e-3), "appears": 1e-3}
    scene = lab.scene([lab.grain(0.0, 0.0)], walls=[floor], beams={"contact": contact, "damping": 0.0})
    machine = lab.solver(scene, 1e-6)
    machine.advance(1000)
    machine.meet_walls()
    held = ledger.present(machine).stored
    now = book(machine)
    assert held > 0.0 and now["event_work"] == pytest.approx(held, rel=1e-9)
    assert abs(now["dissipated_normal"]) < 1e-9 * held and abs(now["energy_error"]) < 1e-9 * held
    machine.remove_wall("floor")
    assert abs(book(machine)["event_work"]) < 1e-9 * held


def test_pieces_do_not_count_as_grains_that_came_back() -> None:
    """Grains in the scene and those that have left are all there ever were, pieces of broken ones too: none is owed."""
    machine = struck({"stretch": 0.004})
    machine.advance(20000)
    seen = Count().measure(machine.frame())
    assert seen["grain_count"] == len(machine) > 4
    assert seen["outflow"] == 0.0


def test_cracks_are_marked_where_beams_were() -> None:
    """The sides that broken beams joined had one middle while the grains were whole, to rounding; they are marked still
    when the pieces have flown apart and turned, and lie nearer to other sides of each other.
    """
    machine = struck({"stretch": 0.004})
    whole = machine.frame()
    machine.advance(60000)
    frame = machine.frame()
    broken = np.flatnonzero(frame.table(BeamLines).beam_cause > 0)
    assert len(broken) > 4
    edges = crack_edges(frame).reshape(2, len(broken), 2, 2)
    for end in (0, 1):
        rows, sides = frame.table(BeamLines).beam_ends[broken, end], frame.table(BeamLines).beam_sides[broken, end]
        shapes = corners(frame)[rows]
        picked = np.stack([shapes[np.arange(len(rows)), sides - 1], shapes[np.arange(len(rows)), sides % 3]], axis=1)
        assert np.allclose(edges[end], picked, rtol=0, atol=1e-15)
    made = corners(whole)
    middles = []
    for end in (0, 1):
        shapes, sides = made[whole.table(BeamLines).beam_ends[:, end]], whole.table(BeamLines).beam_sides[:, end]
        at = np.arange(len(sides))
        middles.append(0.5 * (shapes[at, sides - 1] + shapes[at, sides % 3]))
    assert np.abs(middles[0] - middles[1]).max() < 1e-12
