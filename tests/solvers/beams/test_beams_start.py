"""What overlaps at the start of a scene of triangles, found without a solver: as a solver has it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from barchan.model.build import build
from barchan.model.build_triangles import build_triangles
from barchan.solvers.beams import start
from solvers import beams_lab as lab
from solvers.inside import peek


@pytest.mark.parametrize("contact", ["paper", "exact"])
def test_a_solver_has_the_same_overlaps(contact: str) -> None:
    """Squares and stars in each other, in a floor, in a bent strip, in a ring about all, and across the faces of a
    periodic box: what the check finds is what the solver's kernels have, grain by grain, with the shares.

    Catches triangles of one grain that count as in each other, a side of a strip that counts triangle by triangle, a
    share of the larger triangle, the wrong part of one that a wall cuts, a wall that is not where its motion has it,
    and images that are left out.
    """
    rng = np.random.default_rng(5)
    places = rng.uniform((-9.8e-3, -9e-3), (9.8e-3, 9e-3), (70, 2))
    grains = [lab.grain(x, z, "star" if k % 3 else "square") for k, (x, z) in enumerate(places.tolist())]
    turned = {"kind": "rotate", "rate": 2.0, "axis": (0, 1, 0), "center": (1e-3, 0, 0)}
    walls = [
        {"name": "floor", "shape": "plane", "point": (0, 0, -6e-3), "normal": (0.1, 0, 1)},
        {"name": "ring", "shape": "cylinder", "axis": (0, 1, 0), "radius": 9.5e-3},
        {"name": "strip", "shape": "line", "start": (-4e-3, 0, 0), "end": (4e-3, 0, 3e-3), "motion": turned},
        {"name": "later", "shape": "line", "start": (-4e-3, 0, 4e-3), "end": (4e-3, 0, 4e-3), "appears": 1e-3},
    ]
    box = {"low": (-0.01, -0.01, -0.05), "high": (0.01, 0.01, 0.05)}
    beams = {"contact": contact, "wall_thickness": 5e-4}
    scene = lab.scene(
        grains, walls=[{**wall, "material": "a"} for wall in walls], beams=beams, box=box, periodic=(True, False, False)
    )
    model, made = build(scene)
    triangles = build_triangles(scene, made)
    arrays = start.arrays(model, made, triangles)
    found = start.overlaps(model, arrays, start.behind_walls(model, arrays))
    machine = lab.solver(scene, 1e-9)
    seen = machine.frame().contacts
    assert np.array_equal(peek(machine, "id"), made.id)
    wanted, listed = defaultdict(list), defaultdict(list)
    for shares, contacts in ((wanted, seen), (listed, found)):
        for one, other, share in zip(contacts.first, contacts.second, contacts.depth, strict=True):
            shares[(max(one, other), min(one, other))].append(share)
    walls_met = {other for _, other in wanted if other < 0}
    assert walls_met == {-1, -2, -3}
    assert len(wanted) > 100
    assert listed.keys() == wanted.keys()
    for key in wanted:
        assert sorted(listed[key]) == pytest.approx(sorted(wanted[key]), abs=1e-9), key
    assert max(share for share in seen.depth) > 0.5


def test_walls_are_where_their_motions_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line along x and a floor that motions begin with turned from z to x, by a quarter, and moved by 3 and 5 mm.
    The registered motions begin in place; one of one's own need not. Catches a turn the other way, and one left out.
    """
    line = {"name": "strip", "shape": "line", "start": (-4e-3, 0, 0), "end": (4e-3, 0, 0), "material": "a"}
    floor = {"name": "floor", "shape": "plane", "point": (0, 0, -1e-3), "material": "a"}
    model, grains = build(lab.scene([lab.grain(0.0, 0.02)], walls=[line, floor], beams={"wall_thickness": 5e-4}))
    half = np.sqrt(0.5)
    poses = np.tile([3e-3, 0.0, 5e-3, half, 0.0, half, 0.0], (2, 1))
    monkeypatch.setattr(start.common, "walls_at_start", lambda model: (poses, np.ones(2, bool)))
    arrays = start.arrays(model, grains, build_triangles(model.scene, grains))
    corner = start.corners(arrays)[arrays["grain"] < 0].reshape(-1, 2)
    assert np.ptp(corner, axis=0) == pytest.approx((5e-4, 8.5e-3))
    assert corner.mean(axis=0) == pytest.approx((3e-3, 5e-3), abs=1e-4)
    assert arrays["smooth_now"][0] == pytest.approx((2e-3, 5e-3, 1.0, 0.0), abs=1e-12)
