"""Flat grains in a box that repeats: what meets across its faces, what goes round, and what does not fit in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.kernels import threads
from barchan.model.build import build
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import peek

BOX = {"low": (-0.01, -1.0, -0.01), "high": (0.01, 1.0, 0.01)}
ROUND = {"box": BOX, "periodic": (True, False, True)}
WIDTH = 0.02


def square_at(x: float, z: float, vx: float = 0.0, vz: float = 0.0, **more: Any) -> dict[str, Any]:
    return lab.grain(x, z, velocity=(vx, 0.0, vz), **more)


def spins(machine: BeamSolver) -> np.ndarray:
    order = np.argsort(peek(machine, "id"))
    return ledger.bodies(machine).spin[order]


def whirl(machine: BeamSolver) -> float:
    """Angular momentum of the only grain about its centre of mass, kg m²/s."""
    body, (px, pz, turning) = ledger.bodies(machine), lab.momenta(machine)
    return float(turning - body.position[0, 0] * pz + body.position[0, 2] * px)


@pytest.mark.parametrize("integrator", ["gear", "verlet"])
@pytest.mark.parametrize("contact", ["paper", "exact"])
@pytest.mark.parametrize(("x", "z"), [(0.0087, 0.0), (0.001, -0.0092), (-0.0088, 0.00985)], ids=["x", "z", "corner"])
def test_a_collision_across_a_face_is_the_one_in_the_open(x: float, z: float, contact: str, integrator: str) -> None:
    """Nothing in the laws knows where the origin is: the same two squares, moved so that they meet across a face of
    the box or its corner, part with the velocities and spins of the open collision, to the rounding of places (1e-17 m
    of overlaps of 1e-5 m, a collision of a thousand steps).
    """
    fast = 0.5
    pair = [(-2.7e-3, -2e-4, 0.8 * fast, 0.6 * fast), (0.0, 1.2e-3, 0.0, 0.0)]
    open_scene = lab.scene([square_at(*one) for one in pair], beams={"contact": contact, "integrator": integrator},
                           friction=0.3)  # fmt: skip
    moved = [(px + x + 1.5e-3, pz + z, vx, vz) for px, pz, vx, vz in pair]
    inside = [((px + 0.01) % WIDTH - 0.01, (pz + 0.01) % WIDTH - 0.01, vx, vz) for px, pz, vx, vz in moved]
    assert moved != inside  # one of them has gone round
    box_scene = lab.scene([square_at(*one) for one in inside], beams={"contact": contact, "integrator": integrator},
                          friction=0.3, **ROUND)  # fmt: skip
    there, here = lab.solver(open_scene, 2e-6), lab.solver(box_scene, 2e-6)
    for machine in (there, here):
        machine.advance(3000)
    assert sum(peek(there, "seen")) > 100 and np.abs(spins(there)).max() > 5.0  # rad/s: they have met
    assert np.array_equal(peek(there, "seen"), peek(here, "seen"))
    one, other = ledger.bodies(there).velocity, ledger.bodies(here).velocity
    assert np.abs(one - other).max() < 1e-9 * fast
    assert np.abs(spins(there) - spins(here)).max() < 1e-9 * np.abs(spins(there)).max()
    shift = here.positions() - there.positions() - np.array([x + 1.5e-3, 0.0, z])
    assert np.abs(shift - WIDTH * np.round(shift / WIDTH))[:, [0, 2]].max() < 1e-11
    assert here.positions()[:, [0, 2]].min() >= -0.01 and here.positions()[:, [0, 2]].max() <= 0.01


@pytest.mark.parametrize("integrator", ["gear", "verlet"])
def test_a_stone_that_falls_round_and_round(integrator: str) -> None:
    """Free fall with gravity across both axes: z = z₀ + v t + g t²/2, folded back into the box; angular
    momentum about the centre of mass stays, since gravity has no torque there; and the ledger, whose potential energy
    knows how often the stone has gone round, closes. Torques about the origin do change when the stone goes round, and
    Gear's scheme carries them.
    """
    gravity, start = np.array([3.0, 0.0, -9.0]), np.array([0.004, 0.0, -0.003])
    scene = lab.scene(
        [square_at(start[0], start[2], 0.1, -0.2, spin=(0.0, 40.0, 0.0))], gravity=tuple(gravity),
        beams={"integrator": integrator, "damping": 0.0}, **ROUND,
    )  # fmt: skip
    machine = lab.solver(scene, 1e-5)
    machine.advance(20000)
    t = machine.time
    way = start + np.array([0.1, 0.0, -0.2]) * t + 0.5 * gravity * t**2
    assert np.abs(way).max() > 8 * WIDTH
    folded = way - WIDTH * np.floor((way + 0.01) / WIDTH)
    assert np.abs(machine.positions()[0] - folded)[[0, 2]].max() < 1e-9
    assert whirl(machine) == pytest.approx(whirl(lab.solver(scene, 1e-5)), rel=1e-9)
    book = ledger.energies(machine, ledger.present(machine))
    assert abs(book["energy_error"]) < 1e-9 * book["kinetic_energy"]
    assert book["potential_energy"] - machine.potential_at_start == pytest.approx(
        -peek(machine, "mass")[:4].sum() * gravity @ (way - start), rel=1e-9
    )


def test_grains_in_the_box_keep_their_momentum_and_energy() -> None:
    """Thirty undamped squares in `exact` contact, crossing the faces all the time: momentum stays to round-off, and
    energy to 1e-5 of what there is, after some dozen collisions.
    """
    machine, before, energy = crowd()
    state = peek(machine, "state")
    assert sum(peek(machine, "seen")) > 1000
    mass = peek(machine, "mass")[:, None]
    after = (mass * state[:, :2, 1]).sum(axis=0)
    scale = float((mass * np.abs(state[:, :2, 1])).sum())
    assert np.abs(after - before).max() < 1e-12 * scale
    assert lab.energy(machine) == pytest.approx(energy, rel=1e-5)


def crowd(steps: int = 12000) -> tuple[BeamSolver, np.ndarray, float]:
    """Squares that fly about in the box for some steps, their momentum and energy before."""
    fill = {"kind": "random", "region": {"kind": "box", **BOX}}
    grains = {"shape": "square", "size": 2e-3, "count": 30, "velocity_scatter": 0.3, "fill": fill}
    scene = lab.scene([grains], beams={"contact": "exact", "damping": 0.0}, seed=3, **ROUND)
    machine = lab.solver(scene, 1e-6)
    before = (peek(machine, "mass")[:, None] * peek(machine, "state")[:, :2, 1]).sum(axis=0)
    energy = lab.energy(machine)
    machine.advance(steps)
    return machine, before, energy


def test_the_same_bits_on_more_threads_and_after_a_restore() -> None:
    straight = crowd(2000)[0]
    halfway = crowd(900)[0]
    restored = BeamSolver.restored(halfway.model, *halfway.state())
    restored.advance(1100)
    assert np.array_equal(peek(straight, "state"), peek(restored, "state"))
    threads.use(threads.most())
    several = crowd(2000)[0]
    threads.use(1)
    assert np.array_equal(peek(straight, "state"), peek(several, "state"))


def test_a_grain_lies_on_a_floor_across_the_face() -> None:
    """A floor that is a strip from face to face has no end: a square that lies half in and half out is borne by both
    ends, level, and the contacts that a frame shows lie beside the grain, with its weight in all.
    """
    floor = {"name": "floor", "material": "a", "shape": {"shape": "line", "start": (-0.01, 0, 0), "end": (0.01, 0, 0)}}
    scene = lab.scene(
        [lab.grain(0.0099, 1.3e-3)], walls=[floor], gravity=(0.0, 0.0, -9.81), box=BOX, periodic=(True, False, False),
        beams={"damping": 0.05, "wall_thickness": 5e-4}, friction=0.5,
    )  # fmt: skip
    machine = lab.solver(scene)
    machine.advance(round(0.15 / machine.dt))
    frame = machine.frame("contacts")
    assert frame.has("contacts")
    weight = 9.81 * float(frame.mass[0])
    assert frame.contacts.force.sum(axis=0)[2] == pytest.approx(weight, rel=0.02)
    assert np.abs(frame.contacts.point[:, 0] - frame.position[0, 0]).max() < 1.1e-3
    assert abs(peek(machine, "state")[0, 2, 0] - peek(machine, "state")[1, 2, 0]) > 0  # it is one of four triangles
    assert abs(ledger.bodies(machine).velocity[0]).max() < 1e-3
    tilt = peek(machine, "state")[:4, 2, 0] - peek(lab.solver(scene), "state")[:4, 2, 0]
    assert np.abs(tilt).max() < 0.02
    assert frame.cell.tolist() == [[-0.01, -1.0, -0.01, 0.02, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("around", [{}, ROUND], ids=["open", "periodic"])
def test_a_wall_that_is_not_there_does_not_push(around: dict[str, Any]) -> None:
    """A stone falls through where a strip has been taken away: z = z₀ − g t²/2, to Gear's rounding."""
    shape = {"shape": "line", "start": (-0.01, 0, -3e-3), "end": (0.01, 0, -3e-3)}
    floor = {"name": "floor", "material": "a", "shape": shape, "vanishes": 1e-3}
    machine = lab.solver(lab.scene([lab.grain(0.0, 0.0)], walls=[floor], gravity=(0.0, 0.0, -9.81), **around), 1e-5)
    machine.advance(100)
    machine.meet_walls()
    machine.advance(2900)
    assert machine.positions()[0, 2] == pytest.approx(-0.5 * 9.81 * 0.03**2, rel=1e-9)
    assert sum(peek(machine, "seen")) == 0


def test_stress_is_that_of_branches_round_the_box() -> None:
    """Two squares pressed together across a face push along x with f; their branch is the short one, not that through
    the box: f times 2 mm, not f times 18 mm.
    """
    scene = lab.scene([lab.grain(0.00905, 0.0), lab.grain(-0.00897, 1e-4)], **ROUND)
    machine = lab.solver(scene)
    seen = machine.frame()
    assert len(seen.contacts.first) > 0
    assert np.abs(seen.branch[:, 0]) == pytest.approx(np.full(len(seen.contacts.first), 1.98e-3), rel=1e-6)
    assert (seen.contacts.force[:, 0] * seen.branch[:, 0]).min() > 0  # pushes apart
    assert seen.box[:3] == (0.02, 0.0, 0.02)


def test_pieces_of_a_grain_across_a_face_stay_beside_each_other() -> None:
    """A grain that breaks while it goes round leaves pieces on both sides, each within the box; nothing jumps."""
    scene = lab.scene(
        [square_at(0.0088, 0.0, 1.0), lab.grain(-0.0085, 1e-4)],
        beams={"breakage": {"stretch": 0.004}, "damping": 0.01}, **ROUND,
    )  # fmt: skip
    machine = lab.solver(scene)
    before = lab.momenta(machine)[:2]
    machine.advance(round(2e-3 / machine.dt))
    assert len(machine) > 2
    assert np.abs(lab.momenta(machine)[:2] - before).max() < 1e-12 * before[0]
    assert np.abs(machine.positions()[:, [0, 2]]).max() <= 0.01
    machine.watch()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"box": {"low": (-2e-3, -1, -1), "high": (2e-3, 1, 1)}, "periodic": (True, False, False)}, "box (x)"),
        ({"box": BOX, "periodic": (True, False, False), "grains": "outside"}, "grains"),
    ],
    ids=["narrow", "outside"],
)
def test_a_box_that_is_too_small_is_refused(change: dict[str, Any], where: str) -> None:
    """No triangle may touch another on both sides; and along the axes that do not repeat grains must lie inside."""
    grains = [lab.grain(0.0, 0.02 if change.pop("grains", None) else 0.0)]
    model, built = build(lab.scene(grains, **change))
    with pytest.raises(SceneError) as caught:
        checks.check(model, built)
    assert [finding.where for finding in caught.value.findings] == [where]


def test_a_source_leaves_room_to_what_is_across_the_face() -> None:
    """A place at the right face is taken by a grain, and by a wall, at the left one."""
    line = {"shape": "line", "start": (-0.01, 0, 0.005), "end": (-0.01, 0, 0.009)}
    wall = {"name": "post", "material": "a", "shape": line}
    scene = lab.scene([lab.grain(-0.0092, 0.0)], walls=[wall], **ROUND)
    machine = lab.solver(scene)
    _, tried = build(lab.scene([lab.grain(0.0095, 0.0), lab.grain(0.0095, 0.0065), lab.grain(0.0055, 0.0)]))
    assert machine.room(tried).tolist() == [False, False, True]
