"""What densities and stresses are divided by, on lattices whose figures follow from a count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.frame import Frame
from barchan.model.clumps import covered_area
from barchan.parts.observables.cell import Cell
from barchan.parts.observables.packing import Packing
from barchan.parts.observables.stress import Stress
from barchan.simulation.plan import Plan
from solvers import beams_lab, hard_lab, lab, relax_lab

BALL = 4 / 3 * math.pi * 0.05**3  # m³, of the laboratory's spheres


def spots(columns: int, rows: int, layers: int, pitch: float, corner: float = 0.0) -> np.ndarray:
    """Places (n, 3) m of a simple cubic lattice."""
    axes = (np.arange(n) * pitch + corner for n in (columns, rows, layers))
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def both(frame: Frame, **where: object) -> tuple[dict[str, float], dict[str, float]]:
    """What `packing` and `stress` find; they agree on the pressure to 1e-12."""
    packing, stress = Packing(**where).measure(frame), Stress(**where).measure(frame)
    assert packing["stress_isotropic"] == pytest.approx(stress["pressure"], rel=1e-12)
    return packing, stress


def test_open_axes_are_as_long_as_the_grains_reach() -> None:
    """60 spheres of 0.1 m on a lattice of 99.9 mm beside (1, 1, 1) reach over (2 p + d)(3 p + d)(4 p + d). Their 133
    contacts (2·4·5 along x, 3·3·5 along y, 3·4·4 along z) all bear one force f along p: the trace of Σ f ⊗ branch is
    133 f p. An extent that takes in the origin makes the fraction 14 times too small.
    """
    p, d = 0.0999, 0.1
    machine = lab.solver(lab.scene("hertz", [lab.grains(spots(3, 4, 5, p, 1.0))]), 1e-5)
    force = np.linalg.norm(machine.frame("contacts").contacts.force, axis=1)
    assert len(force) == 133 and np.ptp(force) < 1e-9 * force[0]
    volume = (2 * p + d) * (3 * p + d) * (4 * p + d)
    packing, _ = both(machine.frame())
    assert packing["packing_fraction"] == pytest.approx(60 * BALL / volume)
    assert packing["stress_isotropic"] == pytest.approx(133 * force[0] * p / (3 * volume))
    stated, _ = both(machine.frame(), volume=2.0)
    assert stated["packing_fraction"] == pytest.approx(60 * BALL / 2.0)
    assert stated["stress_isotropic"] == pytest.approx(133 * force[0] * p / (3 * 2.0))


def test_a_cell_that_repeats_is_its_own_volume() -> None:
    """54 balls on a body-centred lattice of 3³ cells of side a in a periodic cube: each has 8 neighbours at √3 a/2, so
    there are 216 contacts with one force f, and the pressure is 216 f (√3 a/2)/(3 (3a)³). The box round the grains is
    larger by what reaches over its faces. A region of one cell holds two balls and carries the same stress, whether it
    lies in the middle, against the faces, over them or beyond: there are images of the grains, and of their contacts.
    """
    a = 2 * 0.0999 / math.sqrt(3)
    corners = spots(3, 3, 3, a)
    side = 3 * a
    scene = lab.kitchen(
        [lab.grains(np.concatenate([corners, corners + a / 2]) + a / 4)], periodic=(True, True, True),
        box={"low": (0.0, 0.0, 0.0), "high": (side, side, side)},
    )  # fmt: skip
    machine = lab.solver(scene, 1e-5)
    force = np.linalg.norm(machine.frame("contacts").contacts.force, axis=1)
    assert len(force) == 216 and np.ptp(force) < 1e-9 * force[0]
    pressure = 216 * force[0] * math.sqrt(3) / 2 * a / (3 * side**3)
    for where in (
        {},
        *({"region": {"low": (k * a,) * 3, "high": ((k + 1) * a,) * 3}} for k in (0, 1, 2, 2.5, -0.5, -1)),
    ):
        packing, stress = both(machine.frame(), **where)
        assert packing["packing_fraction"] == pytest.approx(2 * BALL / a**3)
        assert stress["pressure"] == pytest.approx(pressure)
        assert stress["stress_xx"] == pytest.approx(-pressure)
        assert packing["coordination"] == pytest.approx(8.0)


def test_clumps_fill_what_they_weigh() -> None:
    """60 cubes of eight spheres of a quarter of their size each, side by side: 8 · 4/3 π/64 of a cube's volume is
    filled, and the outermost surfaces are their faces. Spheres about them would fill 2.4 times that.
    """
    p, d = 0.0999, 0.1
    machine = lab.solver(lab.scene("hertz", [lab.grains(spots(3, 4, 5, p, 1.0), shape="cube")]), 1e-5)
    volume = (2 * p + d) * (3 * p + d) * (4 * p + d)
    packing, _ = both(machine.frame())
    assert packing["packing_fraction"] == pytest.approx(60 * math.pi / 6 * d**3 / volume, rel=1e-6)
    seen = machine.frame()
    trace = np.sum(seen.contacts.force * seen.branch)
    assert packing["stress_isotropic"] == pytest.approx(trace / (3 * volume))


def test_triangles_fill_their_area() -> None:
    """Two squares of 2 mm with their sides along x and z, 3 mm and 1 mm apart: 2 · 4 mm² of 5 mm by 3 mm."""
    scene = beams_lab.scene([beams_lab.grain(1.0, 1.0), beams_lab.grain(1.003, 1.001)])
    packing, _ = both(beams_lab.solver(scene, 1e-6).frame())
    assert packing["packing_fraction"] == pytest.approx(8.0 / 15.0)


def test_hard_spheres_know_their_periodic_box() -> None:
    """A simple cubic lattice with a pitch of twice the diameter, repeated on all sides, fills π/6/8 of its cell."""
    box = {"low": (0.0, 0.0, 0.0), "high": (0.6, 0.6, 0.6)}
    made = hard_lab.scene([hard_lab.grains(spots(3, 3, 3, 0.2, 0.1))], periodic=(True, True, True), box=box)
    frame = hard_lab.solver(made).frame()
    assert Packing().measure(frame)["packing_fraction"] == pytest.approx(math.pi / 6 / 8)
    assert Cell().measure(frame)["cell_x"] == pytest.approx(0.6)


def test_discs_fill_their_area() -> None:
    """Discs that were grown to 0.86 of a periodic square fill 0.86 of it."""
    packing, _ = both(relax_lab.solver(relax_lab.flat_scene(50)).frame())
    assert packing["packing_fraction"] == pytest.approx(0.86)


def test_area_that_discs_cover() -> None:
    """Two unit discs at distance s share the lens 2 acos(s/2) − s √(4 − s²)/2. Three that all overlap, and one inside
    another, are counted on a raster of 4 million points: 1e-3 is five times the error of their rims.
    """
    for s in (0.3, 1.0, 1.9):
        lens = 2 * math.acos(s / 2) - s / 2 * math.sqrt(4 - s * s)
        pair = covered_area(np.array([[5.0, -3.0], [5.0, -3.0 + s]]), np.ones(2))
        assert pair == pytest.approx(2 * math.pi - lens)
    assert covered_area(np.array([[0.0, 0.0], [3.0, 0.0]]), np.ones(2)) == pytest.approx(2 * math.pi)
    centres, radii = np.array([[0.0, 0.0], [0.9, 0.2], [0.1, 1.0], [0.05, 0.0]]), np.array([1.0, 0.8, 0.7, 0.3])
    x, y = np.meshgrid(*((np.arange(2000) + 0.5) / 2000 * 4 - 1.5,) * 2)
    covered = np.zeros(x.shape, bool)
    for (a, b), r in zip(centres, radii, strict=True):
        covered |= (x - a) ** 2 + (y - b) ** 2 < r * r
    assert covered_area(centres, radii) == pytest.approx(covered.mean() * 16, abs=1e-3)


def test_a_finding_names_what_is_divided_by() -> None:
    """Where an axis is open and nothing is stated, what a stress is over is told before the run; a stated one is not.
    Both at once are refused.
    """
    balls = [lab.grains([(0.0, 0.0, 1.0)], shape="dimer")]
    plan = Plan.of(lab.kitchen(balls, observables=["stress", {"kind": "packing", "volume": "2 m^3"}]))
    told = [one for one in plan.warnings if one.where.startswith("observables")]
    assert [one.where for one in told] == ["observables[0]"]
    assert "the periodic cell along y" in told[0].what and "surfaces along x, z" in told[0].what
    with pytest.raises(SceneError, match="both a volume and a region"):
        Stress(volume=1.0, region={"low": (0, 0, 0), "high": (1, 1, 1)})
    with pytest.raises(SceneError, match="empty along z"):
        Stress(region={"low": (0, 0, 0), "high": (1, 1, 0)})


def test_a_region_that_makes_no_sense_is_refused() -> None:
    """Without an extent along y there is no volume, in two dimensions there is an area: what is over none is shown as
    0. In a region longer than the periodic box grains would count once and their contacts more often.
    """
    balls = [lab.grains([(0.0, 0.0, 1.0)], shape="dimer")]
    flat = {"kind": "packing", "region": {"low": (0, 0, 0), "high": (1, 0, 1)}}
    with pytest.raises(ValueError, match="empty along y"):
        lab.scene("hertz", balls, observables=[flat])
    box = {"low": (0.0, 0.0, 0.0), "high": (2.0, 2.0, 2.0)}
    for low, high in ((0.0, 2.1), (-2.1, -1.0), (3.0, 4.1)):
        wide = {"kind": "packing", "region": {"low": (low, 0, 0), "high": (high, 1, 1)}}
        scene = lab.kitchen(balls, observables=[wide], periodic=(True, False, False), box=box)
        with pytest.raises(SceneError, match=r"observables\[0\].region: goes from .* along x; the periodic box"):
            Plan.of(scene)
