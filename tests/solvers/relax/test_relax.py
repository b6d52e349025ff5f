"""Energy minimisation: derivatives, minimisers, packings, moduli, and the way back from a checkpoint."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from barchan import registry
from barchan.kernels import threads
from barchan.parts.minimisers import Watch, newton
from barchan.solvers.relax import protocol
from barchan.solvers.relax import strain as relax_strain
from barchan.solvers.relax.cell import Cell
from barchan.solvers.relax.solver import RelaxSolver
from solvers import relax_lab as lab


def wall_scene(**options):
    """Spheres in a bowl (a sphere seen from inside) under gravity: curved walls, and a term that is linear."""
    bowl = {"name": "bowl", "shape": "sphere", "center": (0.5, 0.5, 0.5), "radius": 0.5, "material": "a"}
    return lab.round_scene(
        60,
        fraction=None,
        periodic=(False, False, False),
        walls=[{**bowl, "side": "inside"}],
        gravity=(1, 0, -9),
        **options,
    )


@pytest.mark.parametrize("scene", [lab.flat_scene(), lab.round_scene(), wall_scene()], ids=["discs", "spheres", "bowl"])
def test_derivatives_agree_with_differences(scene):
    """E′·v and K·v against central differences over ±h: their error is h² E‴, and round-off ε/h of the value.

    Contacts change between +h and −h only where a gap is below h, of which 1e-8 leaves none.
    """
    machine = lab.solver(scene)
    land, v = machine.landscape, lab.noise(machine)
    here, h = machine.point, 1e-7
    there, back = land.point(h * v), land.point(-h * v)
    slope = (there.energy - back.energy) / (2 * h)
    assert slope == pytest.approx(land.dot(here.gradient, v), rel=1e-7)
    product, curvature = land.product(here, v)
    difference = (there.gradient - back.gradient) / (2 * h)
    assert np.abs(product - difference).max() < 1e-7 * np.abs(product).max()
    assert curvature == pytest.approx(float((product * v).sum()), rel=1e-12)
    assembled = land.hessian(here) @ v.ravel()
    assert np.abs(assembled - product.ravel()).max() < 1e-13 * np.abs(product).max()


def test_two_discs_by_hand():
    """Discs of radius 0.1 m, 0.17 m apart across the seam of the box: ξ = 0.03, E = ½ k ξ², force k ξ along the line.

    The contact's stiffness is k along it and −k ξ/L across (eq. 7 of the paper with δ = −ξ).
    """
    group = {
        "name": "pair", "material": "a", "size": 0.2,
        "fill": {"kind": "points", "positions": [(0.02, 0, 0.5), (0.85, 0, 0.5)]},
    }  # fmt: skip
    machine = lab.solver(lab.flat_scene(fraction=None, grains=[group]))
    point, k = machine.point, lab.STIFFNESS
    assert point.energy == pytest.approx(0.5 * k * 0.03**2, rel=1e-12)
    force = -point.gradient[np.argsort(machine.kept["id"])]
    assert force == pytest.approx(np.array([[k * 0.03, 0], [-k * 0.03, 0]]), rel=1e-12)
    first = int(np.argsort(machine.kept["id"])[0])
    v = np.zeros_like(point.moved)
    v[first] = (1.0, 2.0)
    product, _ = machine.landscape.product(point, v)
    assert product[first] == pytest.approx([k, -2 * k * 0.03 / 0.17], rel=1e-12)
    load = relax_strain.virial(machine.landscape, point)
    assert load[0, 0] == pytest.approx(k * 0.03 * 0.17) and load[2, 2] == pytest.approx(0, abs=1e-12)
    seen = registry.part("observables", "packing")().measure(machine.frame())  # in a box of 1 m²
    assert seen["stress_isotropic"] == pytest.approx(0.5 * k * 0.03 * 0.17)
    assert seen["stress_deviatoric"] == pytest.approx(0.5 * k * 0.03 * 0.17)
    assert seen["fabric_isotropic"] == pytest.approx(0.5 * math.pi * (0.1**2 + 0.1**2))
    assert seen["packing_fraction"] == pytest.approx(2 * math.pi * 0.1**2)
    assert (seen["coordination"], seen["coordination_held"], seen["rattler_share"]) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("key", registry.parts("minimisers"))
def test_every_minimiser_brings_forces_into_balance(key):
    """Force over mean contact force below 1e-12, a minimum indeed (no mode is unstable), and action equals reaction."""
    machine = lab.solver(lab.flat_scene(150, relax={"minimiser": key}))
    start = machine.point.energy
    assert np.abs(machine.point.gradient.sum(axis=0)).max() < 1e-12 * np.abs(machine.point.gradient).sum()
    machine.relax()
    assert machine.balance() < 1e-12
    assert 0 < machine.point.energy < 0.05 * start
    smallest = np.linalg.eigvalsh(machine.landscape.hessian(machine.point).toarray())[0]
    assert smallest > -1e-9 * lab.STIFFNESS, "not a minimum"


def test_a_box_sheared_by_a_whole_width_is_the_same_box():
    """Lees–Edwards images shifted by the width repeat the same lattice, so energy and forces are those without."""
    machine = lab.solver(lab.flat_scene())
    land, straight = machine.landscape, machine.point
    for tilt, same in ((1.0, True), (0.25, False)):
        land.start_anew(land.base, Cell(land.cell.lengths, tilt).reduced() if same else Cell(land.cell.lengths, tilt))
        sheared = land.point()
        assert (sheared.energy == straight.energy) is same
    turned, count = Cell((1.0, 0.0, 1.0), 0.25).wrapped(np.array([[0.1, 0.0, 1.2]]), np.zeros(3))
    assert turned == pytest.approx(np.array([[0.85, 0.0, 0.2]]))
    assert count.tolist() == [[-1, 0, 1]]  # up by one image, whose origin lies 0.25 farther, and back by one


@pytest.mark.parametrize("strain", [0.7, -1.0, 3.2])
def test_grains_are_carried_all_the_way_by_a_simple_shear_in_one_point(strain):
    """x goes to x + γ (z − ½), also where the images above have passed a whole width: not the short way round.

    Loose grains, which nothing pushes: with 10 discs that fill a hundredth of the box they lie where they were carried,
    unless they were carried into each other.
    """
    places = [(0.1 * k + 0.05, 0, (0.37 * k + 0.1) % 1) for k in range(10)]
    group = {"name": "grains", "material": "a", "size": 0.001, "fill": {"kind": "points", "positions": places}}
    machine = lab.solver(
        lab.flat_scene(fraction=None, grains=[group], deformation={"kind": "simple-shear", "strain": strain})
    )
    before = machine.positions()
    machine.advance_to(0.0)
    machine.advance_to(1.0)
    expected = (before[:, 0] + strain * (before[:, 2] - 0.5)) % 1
    cell = machine.landscape.cell
    assert cell.tilt == pytest.approx(strain - round(strain), abs=1e-12)
    assert abs(cell.tilt) <= 0.5
    found = machine.positions()
    assert found[:, 2] == pytest.approx(before[:, 2], abs=1e-12)
    assert (found[:, 0] - expected + 0.5) % 1 - 0.5 == pytest.approx(np.zeros(10), abs=1e-12)


@pytest.mark.parametrize(
    ("scene", "needed", "load"), [(lab.flat_scene, 4, 2e-4), (lab.round_scene, 6, 1e-2)], ids=["discs", "spheres"]
)
def test_packings_just_above_jamming_are_isostatic(scene, needed, load):
    """As the pressure goes to 0 the held grains of a frictionless packing have 2 d contacts each (Maxwell), within 1%.

    Above it z − 2d grows as the root of the overlap; in N grains a single state of self stress needs 2d − 2(d − 1)/N.
    """
    to = {"kind": "pressure", "to": load}
    machine = lab.relaxed(scene(120, duration=1.0, deformation=to, relax={"minimiser": "newton"}))
    machine.pressure_at_start = relax_strain.pressure(machine.landscape, machine.point)
    for t in np.linspace(0, 1, 9)[1:]:
        machine.advance_to(float(t))
    assert relax_strain.pressure(machine.landscape, machine.point) == pytest.approx(load, rel=1e-8)
    values = registry.part("observables", "packing")().measure(machine.frame())
    assert values["coordination_held"] == pytest.approx(needed, rel=0.01)
    assert values["stress_isotropic"] == pytest.approx(load, rel=1e-8)
    assert values["rattler_share"] < 0.2


def test_the_jamming_point_is_where_pressure_vanishes():
    """Springs push in proportion to overlap, so pressure vanishes linearly: p ∝ φ − φj, and two points find φj.

    The law has a correction of the order of φ − φj, here 1e-4, which a fifth of a step allows for. Frictionless discs
    of these sizes jam near 0.84, smaller packings a little lower or higher.
    """
    machine = lab.relaxed(lab.flat_scene(120))
    jammed = protocol.jamming_point(machine, accuracy=1e-6)
    assert 0.82 < jammed < 0.86
    loads = []
    for more in (1e-4, 2e-4):
        length = math.sqrt(protocol.filled(machine.landscape) / (jammed + more)) * machine.landscape.cell.lengths[0]
        protocol.carry(machine, Cell((length, 0.0, length)), tangent=False)
        machine.relax()
        loads.append(relax_strain.pressure(machine.landscape, machine.point))
    found = jammed + 1e-4 - loads[0] * 1e-4 / (loads[1] - loads[0])
    assert found == pytest.approx(jammed, abs=2e-5)


def test_moduli_from_the_hessian_agree_with_a_small_strain():
    """Bulk, simple-shear and pure-shear modulus against differences of stress over strains of ±2e-6, to 1%."""
    machine = lab.relaxed(lab.flat_scene(200, fraction=0.9))
    land, place = machine.landscape, machine.landscape.position(machine.point)
    volume, h = land.cell.volume(flat=True), 2e-6
    found = relax_strain.Tangent(land, machine.point).moduli()

    def stress(x: float, z: float, tilt: float) -> np.ndarray:
        """V-averaged stress, compression positive, of the packing relaxed in that box."""
        change = np.array([[x, 0, tilt], [0, 1, 0], [0, 0, z]])
        land.start_anew(place @ change.T, Cell((x, 0.0, z), tilt))
        machine.point = land.point()
        machine.relax()
        return relax_strain.virial(land, machine.point) / (volume * x * z)

    low, high = stress(1 - h, 1 - h, 0), stress(1 + h, 1 + h, 0)
    assert -np.trace(high - low) / 2 / (4 * h) == pytest.approx(found.bulk, rel=0.01)
    low, high = stress(1, 1, -h), stress(1, 1, h)
    assert -(high - low)[0, 2] / (2 * h) == pytest.approx(found.shear, rel=0.01)
    low, high = stress(math.exp(-h), math.exp(h), 0), stress(math.exp(h), math.exp(-h), 0)
    assert -((high - low)[0, 0] - (high - low)[2, 2]) / 2 / (4 * h) == pytest.approx(found.pure, rel=0.01)


def test_the_tangent_predicts_the_next_point_to_second_order():
    """Carried along by the box alone, grains are out of balance in proportion to the strain; with the tangent of their
    equilibrium, in proportion to its square, as long as contacts stay.
    """
    left = {}
    for predict in ("affine", "tangent"):
        for strain in (1e-7, 2e-7):
            machine = lab.relaxed(lab.flat_scene(200, fraction=0.9))
            grown = Cell((math.exp(0.5 * strain), 0.0, math.exp(-0.5 * strain)))
            protocol.carry(machine, grown, tangent=predict == "tangent")
            left[predict, strain] = machine.balance()
    assert left["affine", 2e-7] / left["affine", 1e-7] == pytest.approx(2, rel=0.01)
    assert left["tangent", 2e-7] < 1e-4 * left["affine", 2e-7]


class Slope:
    """A landscape on which steps of unit length do as well as they are told, for the trust region to go by."""

    def __init__(self, outcomes):
        self.outcomes, self.asked = list(outcomes), []
        self.gradients = self.products = 0
        self.radius, self.heft = np.ones(4), 0.0

    def __len__(self):
        return 4

    def is_calm(self, point, tolerance):
        return not self.outcomes

    def steihaug(self, point, radius, accuracy, most):
        self.asked.append(radius)
        return np.array([1.0]), -1.0, self.outcomes[0][1], 1

    def trial(self, point, step, spare):
        quality, _ = self.outcomes.pop(0)
        return type(point)(energy=point.energy - quality, largest=1.0, mean_force=1.0, gradient=np.zeros(1))

    def dot(self, a, b):
        return float(a @ b)


def test_the_trust_region_follows_its_rules():
    """Algorithm 1 of Krijgsman and Luding (2016), for steps of length |p| = 1 that were expected to gain 1: Δ ← |p|/4
    where they gain less than a quarter of that, Δ ← 2 Δ where more than three quarters at the edge, else it stays; a
    step that gains nothing is not taken. At first Δ is a tenth of a radius for each of four grains, 0.1 √4.
    """
    outcomes = [(0.9, True), (0.9, False), (0.5, True), (0.1, True), (-1.0, True), (0.8, True), (0.5, False)]
    slope = Slope(outcomes)
    start = SimpleNamespace(energy=10.0, largest=1.0, mean_force=1.0, gradient=np.zeros(1))
    end = registry.part("minimisers", "trust-region")().minimise(slope, start, 1e-12)
    assert slope.asked == pytest.approx([0.2, 0.4, 0.4, 0.4, 0.25, 0.25, 0.5])
    assert end.point.energy == pytest.approx(10 - 0.9 - 0.9 - 0.5 - 0.1 - 0.8 - 0.5)


def test_a_shear_below_yield_is_reversible():
    """Pure shear to 1e-6 and back leaves the packing where it was; the stress has changed by 2 G γ half way."""
    strain = {"kind": "pure-shear", "strain": 1e-6, "returns": True}
    machine = lab.relaxed(lab.flat_scene(200, fraction=0.9, deformation=strain))
    place = machine.landscape.position(machine.point)
    machine.advance_to(0.5)
    moved = np.abs(machine.landscape.position(machine.point) - place).max()
    machine.advance_to(1.0)
    back = np.abs(machine.landscape.position(machine.point) - place)
    held = machine.point.touch_length >= 3
    assert moved > 1e-7 and back[held].max() < 1e-5 * moved
    assert machine.landscape.cell.lengths[0] == pytest.approx(1.0, rel=1e-14)


def test_frequencies_of_a_square_of_springs():
    """Four discs in a periodic square lattice, just touching their neighbours along x and z with overlap → 0.

    At wavelength 2a every spring is stretched twice by a mode along its line: ω² = 4 k/m; the uniform modes have ω = 0.
    """
    group = {
        "name": "square", "material": "a", "size": 0.5,
        "fill": {"kind": "lattice", "region": {"kind": "box", "low": (0, 0, 0), "high": (1, 0, 1)}, "spacing": 0.5},
    }  # fmt: skip
    cell = {"low": (0, 0, 0), "high": (2, 0, 2)}
    group["fill"]["region"] |= {"high": (2, 0, 2)}
    machine = lab.solver(lab.flat_scene(fraction=None, grains=[group | {"size": 0.5 * (1 + 1e-9)}], box=cell))
    omega = relax_strain.vibrations(machine.landscape, machine.point)
    assert len(omega) == 2 * 16
    assert omega[-1] == pytest.approx(math.sqrt(4 * lab.STIFFNESS), rel=1e-6)
    assert abs(omega[:2]).max() < 1e-3


def test_a_point_restored_goes_on_with_the_same_bits():
    """The second half of a shear from a saved state, on two threads where there are two, is that of the first run."""
    scene = lab.flat_scene(150, deformation={"kind": "simple-shear", "strain": 0.02}, relax={"splits": 2})
    machine = lab.relaxed(scene)
    machine.advance_to(0.5)
    arrays, meta = machine.state()
    machine.advance_to(1.0)
    threads.use(min(2, threads.most()))
    again = RelaxSolver.restored(machine.model, arrays, meta)
    again.advance_to(1.0)
    assert again.point.energy == machine.point.energy
    assert np.array_equal(again.positions(), machine.positions())
    assert again.statistics() == machine.statistics()


@pytest.mark.parametrize("go", [lambda one: one.advance_to(1.0), lambda one: one.relax()], ids=["run", "by hand"])
def test_few_grains_are_relaxed_by_one_thread(monkeypatch, go):
    """Threads that wait for each other many times an iteration would take longer; afterwards all may be used again.

    Also where a packing is relaxed by hand, as `jamming_point` does a hundred times.
    """
    machine = lab.solver(lab.flat_scene(40))
    kind = type(machine.model.scene.relax.minimiser)
    minimise, seen = kind.minimise, []

    def spied(*arguments, **options):
        seen.append(numba.get_num_threads())
        return minimise(*arguments, **options)

    monkeypatch.setattr(kind, "minimise", spied)
    threads.use(min(2, threads.most()))
    before = numba.get_num_threads()
    go(machine)
    assert seen == [1] and numba.get_num_threads() == before


def test_a_descent_that_only_round_off_holds_up_ends_in_balance():
    """Forces at 1.3e-12 that fall no more are taken where round-off may leave 2e-12, and not where it leaves 1e-13.

    While they still fall, the tolerance that was asked for holds, whatever round-off may leave.
    """

    def descent(forces, left):
        land = SimpleNamespace(
            gradients=0, products=0, floor=lambda point: left, is_calm=lambda point, most: point.largest <= most
        )
        watch = Watch(land, 1e-12, None)
        for k, force in enumerate(forces):
            point = SimpleNamespace(largest=force, mean_force=1.0, energy=1.0)
            if watch.over(point):
                return k, watch.descent(point).calm
        return None

    stuck = [1e-3, 1e-6, 1e-9] + 20 * [1.3e-12]
    assert descent(stuck, 2e-12) == (6, True)
    assert descent(stuck, 1e-13) is None
    assert descent([1e-3, 1.9e-12, 1.5e-12, 1.2e-12, 9e-13], 2e-12) == (4, True)


@pytest.mark.parametrize("share", [0.9, 0.98])
def test_a_step_that_ends_at_the_edge_is_as_long_as_the_trust_region(share):
    """Its length is known to the conjugate gradients from recurrences alone; and what it gains is the model's."""
    machine = lab.relaxed(lab.flat_scene())
    land = machine.landscape
    point = land.trial(machine.point, 1e-9 * lab.noise(machine))
    whole, _, at_edge, _ = land.steihaug(point, 1e9, 1e-6, 10_000)
    assert not at_edge
    radius = share * math.sqrt(land.dot(whole, whole))
    step, change, at_edge, products = land.steihaug(point, radius, 1e-6, 10_000)
    assert at_edge and products > 3
    assert math.sqrt(land.dot(step, step)) == pytest.approx(radius, rel=1e-9)
    _, curvature = land.product(point, step)
    assert change == pytest.approx(land.dot(point.gradient, step) + 0.5 * curvature, rel=1e-9)


def test_no_newton_step_takes_a_grain_far():
    """Where nothing holds a grain the model has no bottom, and its steps have no length; half a radius is the most.

    A preconditioner that is far too soft stands for such grains. The change that the step promises must still be the
    model's own, g·p + ½ p·Kp.
    """
    machine = lab.solver(lab.flat_scene())
    land, point = machine.landscape, machine.point
    steps = newton._Steps(land, Watch(land, 1e-12, None))
    steps.solve = lambda b: 1e9 * b
    step, change, _, at_edge = steps._step(point, math.inf, 0.1)
    assert at_edge
    assert np.abs(step).max() == pytest.approx(0.5 * land.radius.mean())
    assert change < 0
    assert change == pytest.approx(land.dot(point.gradient, step) + 0.5 * land.product(point, step)[1], rel=1e-9)


@pytest.mark.parametrize(("steps", "target"), [(37, 1e-9), (5000, 1e-2)], ids=["worn out", "calm"])
def test_contacts_are_those_of_where_inertia_ended(steps, target):
    """On the way only gradients are found; where it ends, after its steps or when calm, all is as if looked at anew."""
    machine = lab.solver(lab.flat_scene())
    land, point = machine.landscape, machine.point
    taken = land.descend(point, np.zeros_like(point.moved), np.array([0.0, 0.1, 0.0]), steps=steps, target=target)
    assert (taken == steps) == (steps == 37)
    fresh, v = land.point(point.moved.copy()), lab.noise(machine)
    assert (point.touch_length == fresh.touch_length).all()
    assert (land.product(point, v)[0] == land.product(fresh, v)[0]).all()
    assert (point.energy, point.largest) == (fresh.energy, fresh.largest)
