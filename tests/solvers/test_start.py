"""What touches at the start of a scene, found without a solver: as by brute force, and as a solver has it."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from barchan.geometry import rotate
from barchan.model.build import build
from barchan.scene.scene import Scene
from barchan.solvers.soft.checks import Start
from solvers import hard_lab, lab

DUMBBELL = [{"position": (0.0, 0.0, -0.5), "radius": 0.4}, {"position": (0.0, 0.0, 0.5), "radius": 0.7}]


def crowd(rng: np.random.Generator, periodic: tuple[bool, bool, bool], smallest: float) -> Scene:
    """Sixty spheres from that radius up to 0.8 m and thirty dumbbells, turned at random, in each other in a box."""
    box = {"low": (-1.0, 2.0, 0.0), "high": (3.0, 7.0, 4.5)}
    places = rng.uniform(box["low"], box["high"], (90, 3))
    sizes = 2 * np.exp(rng.uniform(np.log(smallest), np.log(0.8), 60))
    balls: list[dict[str, Any]] = [
        {"size": size, "fill": {"kind": "points", "positions": [place.tolist()]}}
        for size, place in zip(sizes.tolist(), places, strict=False)
    ]
    clumps = {
        "shape": {"kind": "clump", "spheres": DUMBBELL}, "orientation": "random",
        "fill": {"kind": "points", "positions": places[60:].tolist()},
    }  # fmt: skip
    return Scene.model_validate({
        "name": "crowd", "duration": 1.0, "materials": {"a": {"density": 1.0, "young": 1.0}}, "box": box,
        "periodic": periodic, "gravity": (0, 0, 0),
        "grains": [{"name": f"g{k}", "material": "a", **one} for k, one in enumerate([*balls, clumps])],
    })  # fmt: skip


def listed(first: np.ndarray, second: np.ndarray, depth: np.ndarray) -> list[tuple[int, int, float]]:
    """Contacts in an order that any list of them has, of two grains the later one first."""
    return sorted((max(a, b), min(a, b), share) for a, b, share in zip(first, second, depth, strict=True))


@pytest.mark.parametrize("periodic", [(False, False, False), (True, True, True), (True, False, True)])
def test_overlaps_are_those_of_all_pairs(periodic: tuple[bool, bool, bool]) -> None:
    """Very unequal spheres and clumps, also across periodic faces: every overlap of spheres of two grains, once, with
    its depth, as looking at all pairs and all 27 images finds them.

    Catches a search whose reach is that of small spheres, a face that is not seen across, spheres of one grain that
    count as two, and a clump's spheres that are not turned with it.
    """
    model, grains = build(crowd(np.random.default_rng(7), periodic, 2e-3))
    first, second, depth = Start.of(model, grains).contacts()
    owner = np.repeat(np.arange(len(grains)), np.diff(grains.start))
    centre = grains.position[owner] + rotate(grains.orientation[owner], grains.sphere_offset)
    shifts = np.array(list(itertools.product((-1, 0, 1), repeat=3))) * model.box
    wanted = []
    for i, j in itertools.combinations(range(len(owner)), 2):
        apart = np.linalg.norm(centre[i] - centre[j] + shifts, axis=1).min()
        one, other = grains.sphere_radius[i], grains.sphere_radius[j]
        if owner[i] != owner[j] and apart < one + other:
            wanted.append((int(owner[i]), int(owner[j]), (one + other - apart) / min(one, other)))
    found = sorted(zip(first.tolist(), second.tolist(), depth.tolist(), strict=True))
    assert len(wanted) > 100
    assert [one[:2] for one in found] == [one[:2] for one in sorted(wanted)]
    assert [one[2] for one in found] == pytest.approx([one[2] for one in sorted(wanted)], abs=1e-9)


def test_a_solver_has_the_same_contacts() -> None:
    """Balls in each other, a floor, a closed mesh with a side whose facets join, and a box that repeats a block: what
    the check finds is what the soft-sphere solver's compiled lists have, contact by contact, with its depth.

    Catches seams at which a ball counts for every facet, a centre behind a surface taken for one in front of it, and
    images of walls that the check sees and the solver does not.
    """
    rng = np.random.default_rng(2)
    cube = np.array(list(itertools.product((0.0, 1.0), repeat=3))) * (0.6, 0.9, 0.5) + (0.2, -0.4, 0.3)
    faces = [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]  # fmt: skip
    mesh = {"name": "block", "shape": "mesh", "vertices": cube.tolist(), "triangles": faces, "side": "outside"}
    disk = {"name": "disk", "shape": "disk", "center": (-0.6, 0.98, 0.4), "normal": (1, 0, 0), "radius": 0.01}
    walls = [{**one, "material": "a"} for one in (mesh, disk)]
    places = rng.uniform((-0.8, -1.0, 0.0), (1.0, 1.0, 1.0), (250, 3))
    places[:30] = rng.uniform((-0.66, -0.06, 0.34), (-0.54, 0.06, 0.46), (30, 3))
    places[:30, 1] = np.where(places[:30, 1] > 0, -1.0 + places[:30, 1], 1.0 + places[:30, 1])
    box = {"low": (-9.0, -1.0, -9.0), "high": (9.0, 1.0, 9.0)}
    scene = lab.walled([lab.grains(places)], [lab.FLOOR, *walls], box=box)
    first, second, depth = Start.of(*build(scene)).contacts()
    seen = lab.solver(scene, 1e-6).frame("contacts").contacts
    wanted, found = listed(seen.first, seen.second, seen.depth), listed(first, second, depth)
    kinds = Counter(scene.walls[-1 - other].name if other < 0 else "grain" for _, other, _ in wanted)
    assert min(kinds[name] for name in ("grain", "floor", "block", "disk")) >= 5, kinds
    assert max(share for _, other, share in wanted if other < 0) > 1.0, "a centre behind the surface"
    assert [one[:2] for one in found] == [one[:2] for one in wanted]
    assert [one[2] for one in found] == pytest.approx([one[2] for one in wanted], abs=1e-9)


def test_hard_spheres_have_the_same_overlaps() -> None:
    """Unequal hard spheres in each other, in a floor, a sticky post and a disk near a face of a periodic box: what the
    check finds is what their solver has, which lets a box repeat no walls, and nothing else touch what a post holds.

    Catches a check of hard spheres that goes by the rules of soft ones.
    """
    rng = np.random.default_rng(6)
    places = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 1.0), (120, 3))
    places[:30] = rng.uniform((-1.0, -0.1, 0.4), (-0.95, 0.1, 0.6), (30, 3))
    places[30:60] = rng.uniform((0.95, -0.1, 0.4), (1.0, 0.1, 0.6), (30, 3))
    post = {"shape": "line", "start": (0.0, 0.4, 0.0), "end": (0.0, 0.4, 1.0), "sticky": True}
    disk = {"shape": "disk", "center": (0.99, 0.0, 0.5), "normal": (1, 0, 0), "radius": 0.1}
    box = {"low": (-1.0, -1.0, -2.0), "high": (1.0, 1.0, 3.0)}
    sizes = rng.uniform(0.02, 0.3, 120).tolist()
    scene = hard_lab.scene(
        [hard_lab.grain(place, size) for place, size in zip(places.tolist(), sizes, strict=True)],
        [hard_lab.FLOOR, post, disk], box=box, periodic=(True, True, False),
    )  # fmt: skip
    model, grains = build(scene)
    first, second, depth = Start.of(model, grains, joins=False).contacts()
    seen = hard_lab.solver(scene).frame("contacts").contacts
    wanted, found = listed(seen.first, seen.second, seen.depth), listed(first, second, depth)
    at_walls = Counter(scene.walls[-1 - other].name for _, other, _ in wanted if other < 0)
    assert at_walls.keys() == {"floor", "wall 2"} and min(at_walls.values()) > 2
    assert [one[:2] for one in found] == [one[:2] for one in wanted]
    assert [one[2] for one in found] == pytest.approx([one[2] for one in wanted], abs=1e-9)
