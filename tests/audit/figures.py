"""Series that a frame determines, computed from it once more; stresses with the forces that it records.

Contacts are those of `touching`, found from places and radii. What is divided by, what counts as a contact and the
signs are those of docs/scenes.md and docs/parts.md.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from audit.taken import Taken, grains_of
from audit.touching import Table, recorded, shortest, table, told, touching_bodies, turned

PRESSED = [f"stress_{one}" for one in ("xx", "yy", "zz", "xy", "xz", "yz", "isotropic", "deviatoric")]


def determined(taken: Taken, index: int) -> dict[str, float]:
    """Every series that the frame determines, by name."""
    frame, solver = taken.frames[index], taken.scene["solver"]
    own = table(taken, frame) if frame.triangle_corners is None else told(frame)
    found = {
        **count(taken, index), **places(frame), **cell(frame), **energies(taken, frame), **contacts(frame, own),
        **packing(taken, frame, own), **stresses(taken, frame), **modes(frame), "step": frame.step,
        "steps_accepted": frame.step if solver in ("soft", "beams") else 0.0, "steps_rejected": 0.0,
        "collisions": frame.step,
    }  # fmt: skip
    beyond = {  # grains that bend turn and move inside; overlaps of triangles have areas; blows happen between frames
        "beams": ("kinetic_energy", "worst_overlap"),
        "hard": (*PRESSED, "pressure", "total_pressure"),
    }
    return {name: value for name, value in found.items() if name in taken.series and name not in beyond.get(solver, ())}


def count(taken: Taken, index: int) -> dict[str, float]:
    """Grains there, and those that were and are no more; ids are given one after another."""
    frame = taken.frames[index]
    made = 1 + max((int(one.id.max(initial=-1)) for one in taken.frames[: index + 1]), default=-1)
    return {"grain_count": len(frame.id), "outflow": made - len(frame.id)}


def tops(frame: SimpleNamespace) -> np.ndarray:
    """(N,) m, z of each grain's highest point."""
    highest = np.full(len(frame.id), -math.inf)
    if frame.triangle_corners is not None:
        np.maximum.at(highest, frame.sphere_grain, frame.triangle_corners[:, 1::2].max(axis=1))
    else:
        np.maximum.at(highest, frame.sphere_grain, frame.sphere_position[:, 2] + frame.sphere_radius)
    return highest


def places(frame: SimpleNamespace) -> dict[str, float]:
    """Heights and the centre of mass: not numbers where no grain is."""
    names = ("centre_x", "centre_y", "centre_z", "drift_x", "drift_y", "drift_z", "pile_height", "mean_height")
    if not len(frame.id):
        return dict.fromkeys(names, math.nan)
    weight = frame.mass / frame.mass.sum()
    middle, drift = weight @ frame.position, weight @ frame.velocity
    order = np.sort(tops(frame))
    at = 0.99 * (len(order) - 1)  # between the two tops beside that place, in proportion
    low, high = order[math.floor(at)], order[math.ceil(at)]
    return dict(zip(names, (*middle, *drift, low + (at % 1) * (high - low), middle[2]), strict=True))


def cell(frame: SimpleNamespace) -> dict[str, float]:
    """The periodic box."""
    row = frame.cell[0, 3:] if len(frame.cell) else np.zeros(4)
    return dict(zip(("cell_x", "cell_y", "cell_z", "cell_tilt"), row, strict=True))


def energies(taken: Taken, frame: SimpleNamespace) -> dict[str, float]:
    """Of motion, and of height where gravity acts along an axis that does not repeat."""
    moving = 0.5 * np.sum(frame.mass * np.sum(frame.velocity**2, axis=1)) + np.sum(turning(taken, frame))
    gravity = pull(taken, frame.time)
    found = {"kinetic_energy": float(moving)}
    if not np.any(gravity * np.array(taken.scene["periodic"])):
        found["potential_energy"] = -float(np.sum(frame.mass * (frame.position @ gravity)))
    return found


def pull(taken: Taken, time: float) -> np.ndarray:
    """(3,) m/s², gravity at that moment, which events change in even steps."""
    gravity = np.array(taken.scene["gravity"], float)
    for event in taken.scene.get("events", ()):
        begun = taken.events.get(event["name"], math.inf)
        for action in event["do"] if isinstance(event["do"], list) else [event["do"]]:
            if action["kind"] == "gravity" and time >= begun:
                share = min((time - begun) / action["over"], 1.0) if action["over"] else 1.0
                gravity = gravity + share * (np.array(action["to"]) - gravity)
    return gravity


def unwrapped(frame: SimpleNamespace) -> np.ndarray:
    """(N, 3) m, centres as many edges of the box away as grains have gone round it."""
    edges = np.zeros((3, 3))
    if len(frame.cell):
        edges = np.diag(frame.cell[0, 3:6])
        edges[2, 0] = frame.cell[0, 6]
    return np.asarray(frame.position + frame.image @ edges)


def inertia(frame: SimpleNamespace, arm: np.ndarray | None = None) -> np.ndarray:
    """(N, 3, 3) kg m², of grains made of spheres that do not overlap, as all clumps of the audit are.

    arm: (M, 3) m from the grains to their spheres, in other axes than the laboratory's.
    """
    weight = frame.sphere_radius**3
    weight = weight * (frame.mass / np.bincount(frame.sphere_grain, weight, len(frame.id)))[frame.sphere_grain]
    arm = frame.sphere_position - frame.position[frame.sphere_grain] if arm is None else arm
    square = 0.4 * weight * frame.sphere_radius**2 + weight * np.sum(arm**2, axis=1)
    parts = square[:, None, None] * np.eye(3) - weight[:, None, None] * arm[:, :, None] * arm[:, None, :]
    whole = np.zeros((len(frame.id), 3, 3))
    np.add.at(whole, frame.sphere_grain, parts)
    return whole


def spread(frame: SimpleNamespace) -> np.ndarray:
    """(N,) kg m² about y, of grains made of triangles: a mass over 36 of its sides' squares, and Steiner's part."""
    corners, row = frame.triangle_corners.reshape(-1, 3, 2), frame.sphere_grain
    area = triangle_areas(frame.triangle_corners)
    weight = (frame.mass / np.bincount(row, area, len(frame.id)))[row] * area
    sides = np.sum((corners - np.roll(corners, 1, axis=1)) ** 2, axis=(1, 2))
    away = np.sum((corners.mean(axis=1) - frame.position[row][:, [0, 2]]) ** 2, axis=1)
    return np.bincount(row, weight * (sides / 36 + away), len(frame.id))


def turning(taken: Taken, frame: SimpleNamespace) -> np.ndarray:
    """(N,) J of rotation."""
    if not taken.scene["rotation"] or frame.triangle_corners is not None:
        return np.zeros(len(frame.id))
    return np.asarray(0.5 * np.einsum("ni,nij,nj->n", frame.spin, inertia(frame), frame.spin))


def weights(taken: Taken, frame: SimpleNamespace) -> np.ndarray:
    """(N,) kg: density times what spheres fill, or triangles, all as thick; discs weigh as much as balls."""
    fill = 4 / 3 * math.pi * frame.sphere_radius**3
    if frame.triangle_corners is not None:
        fill = taken.scene["beams"]["thickness"] * triangle_areas(frame.triangle_corners)
    return np.asarray(densities(taken, frame) * np.bincount(frame.sphere_grain, fill, len(frame.id)))


def densities(taken: Taken, frame: SimpleNamespace) -> np.ndarray:
    """(N,) kg/m³."""
    every = np.array([taken.scene["materials"][one["material"]]["density"] for one in grains_of(taken.scene)])
    return np.asarray(every[frame.group])


def arms(frame: SimpleNamespace) -> np.ndarray:
    """(M, 3) m from the centre of mass to each sphere, turned back with its grain."""
    back = frame.orientation[frame.sphere_grain] * (1, -1, -1, -1)
    return turned(back, frame.sphere_position - frame.position[frame.sphere_grain])


def solids(taken: Taken, frame: SimpleNamespace) -> np.ndarray:
    """(N,) m³ of material; in two dimensions m², of discs and of triangles."""
    if frame.triangle_corners is not None:
        return np.bincount(frame.sphere_grain, triangle_areas(frame.triangle_corners), len(frame.id))
    if taken.flat:
        assert len(frame.sphere_radius) == len(frame.id), "the audit knows discs only"
        return np.asarray(math.pi * frame.radius**2)
    return np.asarray(frame.mass / densities(taken, frame))


def triangle_areas(corners: np.ndarray) -> np.ndarray:
    """(T,) m² of triangles (T, 6) m."""
    x, z = corners[:, ::2], corners[:, 1::2]
    return np.abs((x[:, 1] - x[:, 0]) * (z[:, 2] - z[:, 0]) - (x[:, 2] - x[:, 0]) * (z[:, 1] - z[:, 0])) / 2


def volume(taken: Taken, frame: SimpleNamespace) -> float:
    """m³ or m²: of the periodic box, along open axes between the outermost surfaces."""
    if not len(frame.id):
        return 0.0
    repeats = frame.cell[0, 3:6] if len(frame.cell) else np.zeros(3)
    place, reach = frame.sphere_position, frame.sphere_radius[:, None]
    low, high = (place - reach).min(axis=0), (place + reach).max(axis=0)
    if frame.triangle_corners is not None:
        for axis, column in ((0, 0), (2, 1)):
            values = frame.triangle_corners[:, column::2]
            low[axis], high[axis] = values.min(), values.max()
    return float(np.prod([repeats[k] or high[k] - low[k] for k in taken.axes]))


def contacts(frame: SimpleNamespace, own: Table) -> dict[str, float]:
    """Bodies and points that a grain touches on average, and the worst overlap."""
    grains = max(len(frame.id), 1)
    pairs = touching_bodies(own)
    return {
        "contacts_per_grain": (len(pairs) + np.count_nonzero(pairs[:, 1] >= 0)) / grains,
        "contact_points_per_grain": (len(own.second) + np.count_nonzero(own.second >= 0)) / grains,
        "worst_overlap": float(own.depth.max(initial=0.0)),
    }


def modes(frame: SimpleNamespace) -> dict[str, float]:
    """How many recorded contacts stick, and how many slip."""
    if frame.mode is None:
        return {}
    stick, slip = int((frame.mode == 1).sum()), int((frame.mode == 2).sum())
    share = slip / (stick + slip) if stick + slip else 0.0
    return {"sticking_contacts": stick, "slipping_contacts": slip, "slipping_share": share}


def virial(taken: Taken, frame: SimpleNamespace) -> np.ndarray:
    """(3, 3) J: Σ force ⊗ branch of the recorded contacts; branches from the second centre, or the point at a wall."""
    if frame.first is None:
        return np.zeros((3, 3))
    first, second = recorded(frame)
    there = np.where((second >= 0)[:, None], frame.position[np.maximum(second, 0)], frame.point)
    branch = frame.position[first] - there
    branch = np.where((second >= 0)[:, None], shortest(frame.cell, branch), branch)
    return np.asarray(np.einsum("ci,cj->ij", frame.force, branch))


def stresses(taken: Taken, frame: SimpleNamespace) -> dict[str, float]:
    """Of contacts and of motion, tension positive; pressures positive in compression."""
    found: dict[str, float] = {}
    weight = frame.mass / frame.mass.sum() if len(frame.id) else frame.mass
    away = frame.velocity - weight @ frame.velocity
    motion = np.einsum("n,ni,nj->ij", frame.mass, away, away)
    space, total = volume(taken, frame), 0.0
    for kind, tensor in (("", virial(taken, frame)), ("kinetic_", motion)):
        for name in ("xx", "yy", "zz", "xy", "xz", "yz"):
            i, j = ("xyz".index(letter) for letter in name)
            counts = i in taken.axes and j in taken.axes and space > 0
            found[f"{kind}stress_{name}"] = -tensor[i, j] / space if counts else 0.0
        mean = sum(tensor[k, k] for k in taken.axes) / len(taken.axes)
        found[f"{kind}pressure"] = mean / space if space else 0.0
        total += found[f"{kind}pressure"]
    return {**found, "total_pressure": total}


def packing(taken: Taken, frame: SimpleNamespace, own: Table) -> dict[str, float]:
    """Fraction, coordination, rattlers, and the parts of stress and fabric."""
    grains, pairs, space, solid = len(frame.id), touching_bodies(own), volume(taken, frame), solids(taken, frame)
    needed, held = len(taken.axes) + 1, set(range(grains))
    while True:
        inside = [pair for pair in pairs.tolist() if pair[0] in held and (pair[1] < 0 or pair[1] in held)]
        ends = np.zeros(grains, int)
        for one, other, _ in inside:
            ends[one] += 1
            if other >= 0:
                ends[other] += 1
        loose = {grain for grain in held if ends[grain] < needed}
        if not loose:
            break
        held -= loose
    every = len(pairs) + np.count_nonzero(pairs[:, 1] >= 0)
    found = {
        "packing_fraction": solid.sum() / space if space else 0.0,
        "coordination": every / max(grains, 1),
        "coordination_held": ends.sum() / max(len(held), 1),
        "rattler_share": 1 - len(held) / grains if grains else 0.0,
    }
    for name, tensor in (("stress", virial(taken, frame)), ("fabric", fabric(frame, pairs, solid))):
        flat = tensor[np.ix_(taken.axes, taken.axes)] / space if space else np.zeros((2, 2))
        values = np.sort(np.linalg.eigvalsh((flat + flat.T) / 2))
        found[f"{name}_isotropic"], found[f"{name}_deviatoric"] = values.mean(), (values[-1] - values[0]) / 2
    return found


def fabric(frame: SimpleNamespace, pairs: np.ndarray, solid: np.ndarray) -> np.ndarray:
    """(3, 3) m³: Σ (V₁ + V₂) n ⊗ n over pairs of grains that touch."""
    one, other, _ = pairs[pairs[:, 1] >= 0].T
    way = shortest(frame.cell, frame.position[one] - frame.position[other])
    way /= np.linalg.norm(way, axis=1)[:, None]
    return np.asarray(np.einsum("p,pi,pj->ij", solid[one] + solid[other], way, way))
