"""What a frame determines, from its arrays and the scene alone: nothing here knows observables or exporters."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from barchan.frame import Frame
from barchan.scene import Scene
from barchan.scene.beams_frame import Corners


def short(frame: Frame, apart: np.ndarray) -> np.ndarray:
    """Vectors (k, 3) m to the nearest of all images."""
    if not len(frame.cell) or not len(apart):
        return apart
    x, y, z, tilt = frame.cell[0, 3:7]
    ways = itertools.product(
        range(-2, 3) if x else (0,), range(-1, 2) if y else (0,), range(-1, 2) if z else (0,)
    )  # fmt: skip
    shifts = np.array([(i * x + k * tilt, j * y, k * z) for i, j, k in ways])
    every = apart[:, None, :] + shifts
    best = np.argmin(np.sum(every**2, axis=2), axis=1)
    return every[np.arange(len(apart)), best]


def axes(scene: Scene) -> list[int]:
    """The axes that count."""
    return [0, 2] if scene.dimensions == 2 else [0, 1, 2]


def rows(frame: Frame, ids: np.ndarray) -> np.ndarray:
    """Rows of grains that are there."""
    place = {int(one): k for k, one in enumerate(frame.id)}
    return np.array([place[int(one)] for one in ids], int)


def filled(frame: Frame, scene: Scene) -> np.ndarray:
    """(N,) what each grain fills: spheres that do not overlap, discs, or triangles."""
    total = np.zeros(len(frame))
    if frame.table(Corners) is not None:
        a, b, c = np.split(frame.table(Corners).triangle_corners, 3, axis=1)
        size = 0.5 * np.abs(np.linalg.det(np.stack([b - a, c - a], axis=1)))
    else:
        size = math.pi * frame.sphere_radius**2 if scene.dimensions == 2 else 4 / 3 * math.pi * frame.sphere_radius**3
    for row, one in zip(frame.sphere_grain, size, strict=True):
        total[row] += one
    return total


def surfaces(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest point, (N, 3) m each, of every grain."""
    low, high = np.full((len(frame), 3), np.inf), np.full((len(frame), 3), -np.inf)
    if frame.table(Corners) is not None:
        corner = np.zeros((len(frame.sphere_grain), 3, 3))
        corner[:, :, ::2] = frame.table(Corners).triangle_corners.reshape(-1, 3, 2)
        least, most = corner.min(axis=1), corner.max(axis=1)
    else:
        reach = frame.sphere_radius[:, None]
        least, most = frame.sphere_position - reach, frame.sphere_position + reach
    for row, one, other in zip(frame.sphere_grain, least, most, strict=True):
        low[row], high[row] = np.minimum(low[row], one), np.maximum(high[row], other)
    return low, high


def volume(frame: Frame, scene: Scene) -> float:
    """The cell, along open axes the extent of the surfaces."""
    if not len(frame):
        return 0.0
    low, high = surfaces(frame)
    cell = frame.cell[0, 3:6] if len(frame.cell) else np.zeros(3)
    return math.prod(float(cell[k] or high[:, k].max() - low[:, k].min()) for k in axes(scene))


def bodies(frame: Frame) -> set[tuple[int, int, Any]]:
    """Pairs of grains, and grains with −1 − wall and the direction of the face, or its number where grains are flat."""
    found: set[tuple[int, int, Any]] = set()
    touching = frame.contacts
    if touching is None:
        return found
    for k, (a, b) in enumerate(zip(touching.first.tolist(), touching.second.tolist(), strict=True)):
        if b >= 0:
            found.add((min(a, b), max(a, b), 0))
        elif frame.table(Corners) is not None:
            found.add((a, b, int(touching.face[k])))
        else:
            mine = frame.sphere_position[frame.sphere_grain == rows(frame, [a])[0]]
            way = short(frame, touching.point[k] - mine)
            near = way[np.argmin(np.linalg.norm(way, axis=1))]
            found.add((a, b, tuple(np.round(near / np.linalg.norm(near), 2) + 0.0)))
    return found


def held(frame: Frame, pairs: set[tuple[int, int, Any]], needed: int) -> set[int]:
    """Grains that touch enough others that do."""
    inside = set(frame.id.tolist())
    while True:
        count = dict.fromkeys(inside, 0)
        for a, b, _ in pairs:
            if a in inside and (b < 0 or b in inside):
                count[a] += 1
                if b >= 0:
                    count[b] += 1
        loose = {one for one, number in count.items() if number < needed}
        if not loose:
            return inside
        inside -= loose


def ends(pairs: Any) -> int:
    """Grains at the ends of pairs."""
    return sum(2 if b >= 0 else 1 for _, b, *_ in pairs)


def stress(frame: Frame, scene: Scene) -> np.ndarray:
    """Σ f ⊗ branch over the volume, compression positive."""
    touching, total = frame.contacts, np.zeros((3, 3))
    if touching is not None and len(touching.first):
        first = rows(frame, touching.first)
        for k, (row, other) in enumerate(zip(first, touching.second, strict=True)):
            to = frame.position[rows(frame, [other])[0]] if other >= 0 else touching.point[k]
            total += np.outer(touching.force[k], short(frame, (frame.position[row] - to)[None])[0])
    size = volume(frame, scene)
    return total[np.ix_(axes(scene), axes(scene))] / size if size else total[np.ix_(axes(scene), axes(scene))]


def fabric(frame: Frame, scene: Scene) -> np.ndarray:
    """Σ (V₁ + V₂) n ⊗ n over pairs of grains, over the volume."""
    size, total = filled(frame, scene), np.zeros((3, 3))
    for a, b, _ in bodies(frame):
        if b >= 0:
            i, j = rows(frame, [a, b])
            way = short(frame, (frame.position[i] - frame.position[j])[None])[0]
            total += (size[i] + size[j]) * np.outer(way, way) / (way @ way)
    return total[np.ix_(axes(scene), axes(scene))] / (volume(frame, scene) or 1.0)


def moving(frame: Frame) -> float:
    """Kinetic energy, J, of rigid grains of spheres that do not overlap."""
    total = 0.5 * float(np.sum(frame.mass * np.sum(frame.velocity**2, axis=1)))
    weight = frame.sphere_radius**3
    for k, row in enumerate(frame.sphere_grain):
        mass = frame.mass[row] * weight[k] / weight[frame.sphere_grain == row].sum()
        arm = frame.sphere_position[k] - frame.position[row]
        turning = np.cross(frame.spin[row], arm)
        own = 0.4 * frame.sphere_radius[k] ** 2 * (frame.spin[row] @ frame.spin[row])
        total += 0.5 * mass * float(turning @ turning + own)
    return float(total)


def eigen(tensor: np.ndarray) -> tuple[float, float]:
    """The mean eigenvalue, and half of largest less smallest."""
    values = np.linalg.eigvalsh((tensor + tensor.T) / 2)
    return float(values.sum() / len(values)), float(values.max() - values.min()) / 2


def series(frame: Frame, scene: Scene, made: int) -> dict[str, float]:
    """Every series that the frame determines; `made` grains have been there up to now."""
    count, cell = len(frame), frame.cell[0, 3:7] if len(frame.cell) else np.zeros(4)
    found = {f"cell_{name}": float(one) for name, one in zip(("x", "y", "z", "tilt"), cell, strict=True)}
    found |= {"grain_count": float(count), "outflow": float(made - count)}
    weight = frame.mass[:, None] / frame.mass.sum() if count else frame.mass[:, None]
    for k, axis in enumerate("xyz"):
        found[f"centre_{axis}"] = float((weight * frame.position)[:, k].sum()) if count else math.nan
        found[f"drift_{axis}"] = float((weight * frame.velocity)[:, k].sum()) if count else math.nan
    found["mean_height"] = found["centre_z"]
    tops = np.sort(surfaces(frame)[1][:, 2])
    at = 0.99 * (count - 1)
    found["pile_height"] = math.nan
    if count:
        found["pile_height"] = float(tops[int(at)] + (at % 1) * (tops[min(int(at) + 1, count - 1)] - tops[int(at)]))
    if not frame.has("contacts"):
        return found
    pairs, many = bodies(frame), max(count, 1)
    inside = held(frame, pairs, len(axes(scene)) + 1)
    kept = [pair for pair in pairs if pair[0] in inside and (pair[1] < 0 or pair[1] in inside)]
    size, tensor = volume(frame, scene), stress(frame, scene)
    found |= {
        "contacts_per_grain": ends(pairs) / many,
        "coordination": ends(pairs) / many,
        "contact_points_per_grain": ends(zip(frame.contacts.first, frame.contacts.second, strict=True)) / many,
        "coordination_held": ends(kept) / max(len(inside), 1),
        "rattler_share": (count - len(inside)) / many,
        "packing_fraction": float(filled(frame, scene).sum()) / size if size else 0.0,
        "pressure": float(np.trace(tensor)) / len(tensor),
    }
    found["stress_isotropic"], found["stress_deviatoric"] = eigen(tensor)
    found["fabric_isotropic"], found["fabric_deviatoric"] = eigen(fabric(frame, scene))
    for a, b in itertools.product(range(len(tensor)), repeat=2):
        if a <= b:
            names = "xyz"[axes(scene)[a]], "xyz"[axes(scene)[b]]
            found[f"stress_{names[0]}{names[1]}"] = -float(tensor[a, b])
    return found


def overlaps(frame: Frame, scene: Scene) -> list[tuple[int, int, float, np.ndarray]]:
    """Contacts of spheres with each other and with planes at rest: ids or −1 − wall, overlap, m, and point, m."""
    found = []
    grain, place, radius = frame.sphere_grain, frame.sphere_position, frame.sphere_radius
    one, other = np.triu_indices(len(radius), 1)
    apart = short(frame, place[one] - place[other])
    deep = radius[one] + radius[other] - np.linalg.norm(apart, axis=1)
    for k in np.flatnonzero((deep > 0) & (grain[one] != grain[other])):
        i, j = int(one[k]), int(other[k])
        point = place[i] - (radius[i] - deep[k] / 2) * apart[k] / np.linalg.norm(apart[k])
        a, b = sorted((int(frame.id[grain[i]]), int(frame.id[grain[j]])))
        found.append((a, b, float(deep[k]), point))
    for w, wall in enumerate(scene.walls):
        if wall.shape.key != "plane" or not frame.wall_present[w]:
            continue
        normal = np.array(wall.shape.normal) / np.linalg.norm(wall.shape.normal)
        into = radius - (place - np.array(wall.shape.point)) @ normal
        for i in np.flatnonzero(into > 0):
            point = place[i] - (radius[i] - into[i] / 2) * normal
            found.append((int(frame.id[grain[i]]), -1 - w, float(into[i]), point))
    return sorted(found, key=lambda one: one[:3])
