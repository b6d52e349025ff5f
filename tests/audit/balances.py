"""What is held between two frames: momentum by Newton's law, energies by the work of forces, mass by what came."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from audit.figures import inertia, pull, turning
from audit.springs import normal, tangential
from audit.taken import Taken
from audit.touching import Table, recorded, shortest, table, turned


class Pushed(NamedTuple):
    """What the recorded contacts do to each grain."""

    force: np.ndarray  # (N, 3) N
    torque: np.ndarray  # (N, 3) N m, about the centre of mass


def pushed(frame: SimpleNamespace) -> Pushed:
    """The recorded forces, added up; a second grain feels the opposite, at the same point beside it."""
    first, second = recorded(frame)
    force, torque = np.zeros((len(frame.id), 3)), np.zeros((len(frame.id), 3))
    np.add.at(force, first, frame.force)
    np.add.at(torque, first, np.cross(frame.point - frame.position[first], frame.force))
    pair = second >= 0
    other = second[pair]
    np.add.at(force, other, -frame.force[pair])
    arm = shortest(frame.cell, frame.point[pair] - frame.position[other])
    np.add.at(torque, other, np.cross(arm, -frame.force[pair]))
    return Pushed(force, torque)


def stayed(one: SimpleNamespace, two: SimpleNamespace) -> tuple[np.ndarray, np.ndarray]:
    """Rows in both frames of the grains that are in both, and have crossed no periodic face between them."""
    _, a, b = np.intersect1d(one.id, two.id, return_indices=True)
    way = two.position[b] - one.position[a]
    crossed = np.abs(way - shortest(two.cell, way)).max(axis=1, initial=0.0) > 1e-9
    return a[~crossed], b[~crossed]


def angular(frame: SimpleNamespace) -> np.ndarray:
    """(N, 3) kg m²/s, about the centres of mass."""
    return np.asarray(np.einsum("nij,nj->ni", inertia(frame), frame.spin))


class Powers(NamedTuple):
    """At one moment, W."""

    normal: float  # put into contacts along their normals, by the motion of bodies towards each other
    friction: float  # put into them along their planes
    walls: float  # done by walls on grains


def powers(frame: SimpleNamespace, wall: dict[int, np.ndarray], rate: np.ndarray) -> Powers:
    """From recorded forces and the velocities of both bodies at the recorded points.

    wall: m/s, of walls that move. rate: 1/s, of the box, whose images move with it.
    """
    first, second = recorded(frame)
    pair = (second >= 0)[:, None]
    own = frame.velocity[first] + np.cross(frame.spin[first], frame.point - frame.position[first])
    row = np.maximum(second, 0)
    way = frame.point - frame.position[row]
    arm = shortest(frame.cell, way)
    other = np.where(pair, frame.velocity[row] + rate * (way - arm) + np.cross(frame.spin[row], arm), 0.0)
    for w, velocity in wall.items():
        other[second == -1 - w] = velocity
    put = -np.sum(frame.force * (own - other), axis=1)
    way = frame.point - frame.position[first]  # along the normal, of single spheres
    way /= np.linalg.norm(way, axis=1)[:, None]
    along = -np.sum(frame.force * way, axis=1) * np.sum((own - other) * way, axis=1)
    done = np.sum(frame.force * other, axis=1)[second < 0]
    return Powers(float(along.sum()), float((put - along).sum()), float(done.sum()))


def wall_velocities(one: SimpleNamespace, two: SimpleNamespace) -> dict[int, np.ndarray]:
    """m/s of every wall that has moved between two frames without turning."""
    moved = {}
    for w, (before, after) in enumerate(zip(one.wall_pose, two.wall_pose, strict=True)):
        if np.any(before != after):
            assert np.array_equal(turned(before[3:], np.eye(3)), turned(after[3:], np.eye(3)))
            moved[w] = (after[:3] - before[:3]) / (two.time - one.time)
    return moved


def rates(one: SimpleNamespace, two: SimpleNamespace) -> np.ndarray:
    """(3,) 1/s, of the lengths of the box between two frames; 0 along open axes."""
    rate = np.zeros(3)
    if len(one.cell):
        before, after = one.cell[0, 3:6], two.cell[0, 3:6]
        there = before > 0
        rate[there] = np.log(after[there] / before[there]) / (two.time - one.time)
    return rate


def against(rate: np.ndarray, frame: SimpleNamespace) -> np.ndarray:
    """(N, 3) m/s, of grains against a background that goes with the box, whose middle is at rest."""
    if not len(frame.cell):
        return np.asarray(frame.velocity)
    return np.asarray(frame.velocity - rate * (frame.position - frame.cell[0, :3] - frame.cell[0, 3:6] / 2))


def without_images(left: np.ndarray, rate: np.ndarray, frame: SimpleNamespace) -> np.ndarray:
    """Accelerations (N, 3) m/s² less those of faces, L rate², of grains that are recorded as images and fly on as
    themselves, until their solver takes them back into a box that deforms.
    """
    of_face = frame.cell[0, 3:6] * rate**2 if len(frame.cell) else np.zeros(3)
    tries = np.stack([left - k * of_face for k in (-1, 0, 1)])
    return np.asarray(np.take_along_axis(tries, np.abs(tries).argmin(axis=0)[None], axis=0)[0])


HELD = ("kinetic_energy", "potential_energy", "stored_energy", "tether_energy", "beam_energy")
LOST = ("normal", "friction", "rolling", "stiction", "tethers", "drag", "beams", "relaxing")
GIVEN = ("wall_work", "box_work", "inflow_energy", "event_work", "rest_work")
LEDGER = (*HELD, *(f"dissipated_{name}" for name in LOST), *GIVEN, "outflow_energy")


def left_over(taken: Taken) -> np.ndarray:
    """(S,) J: what is there, was lost or has left, less what was given."""
    series = taken.series
    inside = sum(series[name] for name in HELD) + sum(series[f"dissipated_{name}"] for name in LOST)
    return np.asarray(inside + series["outflow_energy"] - sum(series[name] for name in GIVEN))


def works(taken: Taken) -> tuple[dict[str, np.ndarray], float]:
    """What contacts have got and walls have given since the first frame, J, by name; and the most that ever moved."""
    single = all(len(frame.sphere_radius) == len(frame.id) for frame in taken.frames)
    found = [Powers(0.0, 0.0, 0.0)]
    turned_over = 0.0
    for one, two in itertools.pairwise(taken.frames):
        walls, rate, span = wall_velocities(one, two), rates(one, two), two.time - one.time
        before, after = powers(one, walls, rate), powers(two, walls, rate)
        steps = [0.5 * span * (a + b) for a, b in zip(before, after, strict=True)]
        steps[1] += held_back(one, two) if "stiction" in taken.scene else 0.0
        turned_over += abs(steps[0]) + abs(steps[1])
        found.append(Powers(*(a + b for a, b in zip(found[-1], steps, strict=True))))
    normal, friction, wall = (np.array(column) for column in zip(*found, strict=True))
    if single:
        return {"normal": normal, "friction": friction, "walls": wall}, turned_over
    return {"contacts": normal + friction, "walls": wall}, turned_over


def held_back(one: SimpleNamespace, two: SimpleNamespace) -> float:
    """J, taken from spins between two frames by torques that go with no recorded force: those of stiction."""
    a, b = stayed(one, two)
    gained = angular(two)[b] - angular(one)[a]
    torque = 0.5 * (pushed(one).torque[a] + pushed(two).torque[b]) * (two.time - one.time)
    return -float(np.sum((gained - torque) * 0.5 * (one.spin[a] + two.spin[b])))


def taken_by_contacts(taken: Taken) -> dict[str, np.ndarray]:
    """The same from the series: stored and lost, along normals (whose springs follow from overlaps) and planes."""
    series = taken.series
    kept = np.array([normal(taken.scene, table(taken, frame))[1].sum() for frame in taken.frames])
    return {
        "normal": kept + series["dissipated_normal"],
        "friction": series["stored_energy"] - kept + series["dissipated_friction"],
        "contacts": series["stored_energy"] + sum(series[f"dissipated_{name}"] for name in LOST[:4]),
        "walls": series["wall_work"],
    }


def stretched_in(taken: Taken, frame: SimpleNamespace, own: Table, time: float) -> float:
    """J: of tangential springs that have been drawn for so long, s, at the present speed of slip."""
    if not time:
        return 0.0
    found = frame.velocity[own.first] + np.cross(frame.spin[own.first], own.point - frame.position[own.first])
    pair = own.second >= 0
    row = own.second[pair]
    found[pair] -= frame.velocity[row] + np.cross(frame.spin[row], own.opposite[pair] - frame.position[row])
    for w, velocity in wall_velocities(taken.frames[0], taken.frames[-1]).items():
        found[own.second == -1 - w] -= velocity
    rate = rates(taken.frames[0], taken.frames[1])
    found[pair] -= rate * (own.point[pair] - own.opposite[pair])
    found -= np.sum(found * own.normal, axis=1)[:, None] * own.normal
    return float(np.sum(0.5 * tangential(taken.scene, own) * np.sum(found**2, axis=1) * time**2))


def carried(taken: Taken, frame: SimpleNamespace) -> np.ndarray:
    """(N,) J of motion and height."""
    moving = 0.5 * frame.mass * np.sum(frame.velocity**2, axis=1) + turning(taken, frame)
    return np.asarray(moving - frame.mass * (frame.position @ pull(taken, frame.time)))


def flows(taken: Taken, gates: Callable[[np.ndarray], np.ndarray]) -> dict[str, np.ndarray]:
    """Numbers, kg, kg/s and J that have come by the only source and gone, at each frame, from who is in it.

    gates: the names of what took grains that were last seen at these places (K, 3) m.
    """
    pours = taken.scene["sources"][0]
    source = pours["name"]
    names = (source, *(one["name"] for one in taken.scene["sinks"]),
             *(wall["name"] for wall in taken.scene["walls"] if wall["absorbing"]))  # fmt: skip
    number, mass, energy = ({name: np.zeros(len(taken.frames)) for name in names} for _ in range(3))
    for k, (one, two) in enumerate(itertools.pairwise(taken.frames), start=1):
        gone, new = ~np.isin(one.id, two.id), ~np.isin(two.id, one.id)
        by = gates(one.position[gone])
        for name in names:
            frame, rows = (two, np.flatnonzero(new)) if name == source else (one, np.flatnonzero(gone)[by == name])
            number[name][k] = number[name][k - 1] + len(rows)
            mass[name][k] = mass[name][k - 1] + frame.mass[rows].sum()
            energy[name][k] = energy[name][k - 1] + carried(taken, frame)[rows].sum()
    found = {f"{name}_count": number[name] for name in names} | {f"{name}_mass": mass[name] for name in names}
    found |= {"mass_in": mass[source], "inflow_energy": energy[source]}
    found |= {"mass_out": sum(mass[name] for name in names[1:]), "outflow_energy": sum(energy[n] for n in names[1:])}
    owed = np.array([math.floor(pours["rate"] * frame.time + 1e-9) for frame in taken.frames])
    found[f"{source}_waiting"] = owed - number[source]
    span = np.diff([frame.time for frame in taken.frames])
    for name in (*names, "in", "out"):
        total = f"mass_{name}" if name in ("in", "out") else f"{name}_mass"
        found[f"{total}_rate" if name in ("in", "out") else f"{name}_rate"] = np.concatenate(
            [[0.0], np.diff(found[total]) / span]
        )
    return found


def leaning(taken: Taken) -> np.ndarray:
    """J, work of changes of gravity up to each frame: −Σ m x · dg, by trapezia."""
    lever = np.array([frame.mass @ frame.position for frame in taken.frames])
    gravity = np.array([pull(taken, frame.time) for frame in taken.frames])
    steps = -np.sum(0.5 * (lever[1:] + lever[:-1]) * np.diff(gravity, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def blow(taken: Taken, one: SimpleNamespace, two: SimpleNamespace) -> np.ndarray | None:
    """(3, 3) J s: impulse ⊗ branch of the only collision of hard spheres between two frames, which count collisions.

    Nothing where there are none, None where there are several. Impulse and branch are those of the first; a grain that
    jumps alone has met the floor. Gravity moves both alike, so they near each other evenly.
    """
    if two.step - one.step > 1:
        return None
    jump, met = jumps(taken, one, two)
    if not len(met):
        return np.zeros((3, 3))
    first = met[0]
    impulse, branch = one.mass[first] * jump[first], np.array([0.0, 0.0, one.radius[first]])
    if len(met) == 2:
        apart = shortest(one.cell, one.position[first] - one.position[met[1]])
        nearing = one.velocity[first] - one.velocity[met[1]]
        a, b = nearing @ nearing, apart @ nearing
        c = apart @ apart - (one.radius[first] + one.radius[met[1]]) ** 2
        branch = apart + nearing * (-b - np.sqrt(b * b - a * c)) / a
    return np.outer(impulse, branch)


def jumps(taken: Taken, one: SimpleNamespace, two: SimpleNamespace) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (N, 3) m/s that hard spheres have got between two frames by collisions, and the rows of who has."""
    jump = two.velocity - one.velocity - (two.time - one.time) * np.array(taken.scene["gravity"])
    return jump, np.flatnonzero(np.linalg.norm(jump, axis=1) > 1e-9)
