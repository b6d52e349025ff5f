"""Triangles and beams (Pöschel and Buchholtz 1995): conservation, order, bending, kinds of overlap, breaking."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from barchan.kernels import threads
from barchan.model.build import build
from barchan.scene.beams_frame import BeamLines
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.layout import AREA, KIND, PUSH_X, PUSH_Z
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import every, peek

STIFFNESS, INERTIA, YOUNG = 100.0, 1e-10, 2e6  # the paper's, in SI


@pytest.mark.parametrize("angle", [0.0, 0.7, 3.1, -17.3])
def test_rigid_motions_cost_nothing(angle: float) -> None:
    """A grain that is only moved and turned, however far, feels no force: below 1e-12 of E times its size."""
    machine = lab.solver(lab.scene([lab.grain(0.3, -0.2, {"kind": "irregular", "corners": 7})]))
    lab.turn(machine, slice(0, 7), angle)
    peek(machine, "state")[:, :2, 0] += (0.01, -0.02)
    force = lab.forces(machine)
    assert np.abs(force[:, :2]).max() < 1e-12 * STIFFNESS * 0.3  # rounding is that of positions, 0.3 m from the origin
    assert np.abs(force[:, 2]).max() < 1e-12 * STIFFNESS * 0.3 * 2e-3


@pytest.mark.parametrize("integrator", ["gear", "verlet"])
@pytest.mark.parametrize("contact", ["paper", "exact"])
def test_free_collisions_keep_momentum_and_angular_momentum(contact: str, integrator: str) -> None:
    """Forces and torques of every overlap and beam cancel, so both momenta stay to round-off, with either integrator.

    By itself Gear's corrector, which moves places along with velocities, would let angular momentum go by 1e-9 here.
    """
    machine = lab.two_squares(0.5, contact=contact, integrator=integrator)
    before = lab.momenta(machine)
    scale = np.array([before[0], before[0], before[0] * 2e-3])
    machine.advance(round(4e-3 / machine.dt))
    assert sum(peek(machine, "seen")) > 100
    assert np.abs(peek(machine, "state")[:4, 0, 1] - 0.5).max() > 0.05  # they did meet
    change = np.abs((lab.momenta(machine) - before) / scale)
    assert change.max() < 1e-12


@pytest.mark.parametrize("integrator", ["gear", "verlet"])
def test_friction_keeps_both_momenta_too(integrator: str) -> None:
    """The friction of an overlap acts on both grains at one point: its forces and torques cancel as all others do."""
    smooth, rough = (lab.two_squares(0.5, contact="exact", integrator=integrator, friction=mu) for mu in (0.0, 0.5))
    before = lab.momenta(rough)
    for machine in (smooth, rough):
        machine.advance(round(4e-3 / machine.dt))
    change = np.abs((lab.momenta(rough) - before) / (before[0] * np.array([1.0, 1.0, 2e-3])))
    assert change.max() < 1e-12
    assert np.abs(peek(rough, "state")[:, 2, 1] - peek(smooth, "state")[:, 2, 1]).max() > 1.0  # rad/s


@pytest.mark.parametrize("integrator", ["gear", "verlet"])
@pytest.mark.parametrize("angle", [0.0, 0.05, 0.2, 0.4, 0.8, 1.3, 1.5])
def test_exact_contacts_keep_energy_at_the_default_step(angle: float, integrator: str) -> None:
    """Undamped squares that meet face to face, nearly so, and corner into side.

    Kinetic plus elastic energy after the collision is within 1e-6 of before, with either integrator. Crossings run fast
    along nearly parallel sides and past their ends: a force that jumped there would show, 1e-3 and more.
    """
    machine = lab.two_squares(0.5, angle, contact="exact", damping=0.0, integrator=integrator)
    before = lab.energy(machine)
    machine.advance(round(6e-3 / machine.dt))
    state = ledger.present(machine)
    assert sum(peek(machine, "seen")) > 100 and state.stored == 0.0  # they have met and parted
    assert state.beam_energy > 0.001 * before
    assert lab.energy(machine) == pytest.approx(before, rel=1e-6)


@pytest.mark.parametrize(("integrator", "order"), [("verlet", 2), ("gear", 4)])
def test_energy_converges_with_the_order_of_the_integrator(integrator: str, order: int) -> None:
    """Corner into side, where the force sets in smoothly: 2^order times smaller, or more, for half the step."""
    errors = []
    for step in (4e-6, 2e-6, 1e-6):
        machine = lab.two_squares(0.5, contact="exact", damping=0.0, integrator=integrator, step=step)
        before = lab.energy(machine)
        machine.advance(round(4e-3 / step))
        errors.append(lab.energy(machine) - before)
    assert errors[0] / errors[1] > 0.85 * 2**order
    assert errors[1] / errors[2] > 0.85 * 2**order


@pytest.mark.parametrize("speed", [0.1, 1.0])
@pytest.mark.parametrize("contact", ["paper", "exact"])
def test_how_deep_corners_go_is_known_beforehand(contact: str, speed: float) -> None:
    """The warning about soft grains takes the overlap from the energy of the impact: it is that of a real collision.

    Within a factor of 1.6: the corner meets the side aside of the centre, and beams take their part.
    """
    machine = lab.two_squares(speed, contact=contact, damping=0.0)
    deep, _ = checks._pressed(machine.model, build(machine.model.scene)[1], speed)
    machine.advance(round((1.5e-3 / speed + 3e-3) / machine.dt))
    assert 1 / 1.6 < deep**2 / peek(machine, "area")[0] / machine.worst_overlap < 1.6


def test_gear_is_of_fourth_order() -> None:
    """A square whose triangles were pushed apart vibrates; after 2 ms, against a step eight times shorter, halving the
    step takes the error down sixteen times in the limit."""
    places = []
    for step in (8e-6, 4e-6, 0.5e-6):
        machine = lab.solver(lab.scene([lab.grain(0.0, 0.0)], beams={"damping": 0.0}), step)
        peek(machine, "state")[0, :3, 0] += (1e-5, 2e-5, 0.01)
        peek(machine, "state")[2, :3, 0] -= (2e-5, 1e-5, 0.02)
        lab.restart(machine)
        machine.advance(round(2e-3 / step))
        places.append(peek(machine, "state")[:, :3, 0].copy())
    coarse, fine = (np.abs(one - places[2]).max() for one in places[:2])
    assert 10 < coarse / fine < 40


def test_a_clamped_beam_bends_as_euler_and_bernoulli_say() -> None:
    """One beam between two triangles, its left end clamped, P at the right: w = P L³/(3 E I), slope P L²/(2 E I).

    In this pose the beam must carry P and no moment at its right end, P L at the clamp.
    """
    edge = 2e-3
    high = edge * np.sqrt(0.75)
    machine = lab.solver(lab.scene([lab.polygon(0, 0, (0, -edge / 2), (high, 0), (0, edge / 2), (-high, 0))]))
    left, right = np.argsort(peek(machine, "state")[:, 0, 0])
    length, bending, load = 2 * high / 3, STIFFNESS * INERTIA, 1e-4
    assert peek(machine, "length")[0] == pytest.approx(length, rel=1e-12)
    peek(machine, "state")[right, 1, 0] += load * length**3 / (3 * bending)
    peek(machine, "state")[right, 2, 0] += load * length**2 / (2 * bending)
    force = lab.forces(machine)
    assert force[right, 1] == pytest.approx(-load, rel=0.01)
    assert abs(force[right, 2]) < 0.01 * load * length
    assert force[left, 2] == pytest.approx(load * length, rel=0.01)


def test_a_clamped_strip_bends_as_the_beams_of_its_chain() -> None:
    """Nine triangles in a row, the first clamped, a small load at the last one's centre.

    By the principle of virtual work (Euler–Bernoulli, small deflections) the loaded point moves by
    Σ over beams of ∫ M² ds/(E I P) + N²/(E P), with M the moment of the load about points of the straight chords
    between the centres of mass and N the load along them. The solver's forces, linearised by differences, must agree
    to 1%.
    """
    edge, count = 2e-3, 9
    high = edge * np.sqrt(0.75)
    bottom = [(k * edge, 0.0) for k in range(count // 2 + 1)]
    top = [((k + 0.5) * edge, high) for k in range(count // 2 + 1)]
    machine = lab.solver(lab.scene([lab.polygon(0, 0, *bottom, (count // 2 * edge + edge, 0.0), *top[::-1])]))
    a, n = every(machine), machine.triangle_count
    assert n == count and len(a["length"]) == count - 1
    first, last = np.argmin(a["state"][:, 0, 0]), np.argmax(a["state"][:, 0, 0])
    free = [(t, c) for t in range(n) if t != first for c in range(3)]
    matrix = np.zeros((len(free), len(free)))
    for column, (t, c) in enumerate(free):
        little = 1e-9 if c < 2 else 1e-6
        for sign in (1, -1):
            a["state"][t, c, 0] += sign * little
            matrix[:, column] -= sign * np.array([lab.forces(machine)[row] for row in free]) / (2 * little)
            a["state"][t, c, 0] -= sign * little
    load = np.zeros(len(free))
    load[free.index((int(last), 1))] = 1.0
    found = np.linalg.solve(matrix, load)[free.index((int(last), 1))]
    place, bending, expected = a["state"][:, :2, 0], STIFFNESS * INERTIA, 0.0
    for i, k in a["ends"]:
        p, q, tip = place[i], place[k], place[last]
        size = np.linalg.norm(q - p)
        arms = np.array([tip[0] - p[0], tip[0] - q[0]])
        expected += size * (arms[0] ** 2 + arms[0] * arms[1] + arms[1] ** 2) / (3 * bending)
        expected += ((q - p)[1] / size) ** 2 / STIFFNESS
    assert found == pytest.approx(expected, rel=0.01)


SHARP = ((0.0, 0.0), (1e-3, -1e-3), (1e-3, 1e-3))  # a right angle that points to −x
WIDE = ((0.0, -3e-3), (0.0, 3e-3), (-3e-3, 0.0))  # a long side that looks to +x


def overlap(first: tuple, second: tuple, shift: tuple[float, float], contact: str = "paper") -> np.ndarray:
    """What two triangles do to each other; `shift` (m) moves the first from where its corners say."""
    middle = np.array(first).mean(axis=0) + shift
    other = np.array(second).mean(axis=0)
    grains = [lab.polygon(*middle, *first, least_angle=0.0), lab.polygon(*other, *second, least_angle=0.0)]
    machine = lab.solver(lab.scene(grains, beams={"contact": contact}), 1e-6)
    state = ledger.present(machine)
    assert len(state.pair) == 1
    return state.out[state.pair[0]].copy()


def test_a_corner_in_a_side_is_of_the_first_kind() -> None:
    """A right-angled corner d deep has the area d² in the overlap: the paper's force is Y d², straight out.

    `exact` has the energy 5/3 Y d⁶/A^(3/2), and so the force 10 Y d⁵/A^(3/2); A is the smaller triangle's area, 1 mm².
    """
    deep = 1e-4
    for contact, kind, force in (("paper", 1, YOUNG * deep**2), ("exact", 6, 10 * YOUNG * deep**5 / 1e-9)):
        found = overlap(SHARP, WIDE, (-deep, 0.0), contact)
        assert found[KIND] == kind
        assert found[AREA] == pytest.approx(deep**2, rel=1e-9)
        assert found[PUSH_X] == pytest.approx(force, rel=1e-9)
        assert abs(found[PUSH_Z]) < 1e-12 * found[PUSH_X]


def test_two_sides_face_to_face_in_exact_contact() -> None:
    """Right-angled triangles, longest edges L to each other and d in: both narrow by 2 m a metre behind these edges.

    The overlap is S = 2 ∫ (L − 2 (d − x)) dx from 0 to d/2, which is L d − 3/2 d², and grows by L − 3 d. With the
    triangles' area A = L²/4 the force is 5 Y S²(L − 3 d)/A^(3/2), or 10 Y S (S/A) as long as d is small: Y S where S is
    a tenth of A.
    """
    deep, edge = 1e-4, 2e-3
    left = ((0.0, -1e-3), (0.0, 1e-3), (-1e-3, 0.0))
    right = tuple((-x, z) for x, z in reversed(left))
    found = overlap(right, left, (-deep, 0.0), "exact")
    assert found[AREA] == pytest.approx(edge * deep - 1.5 * deep**2, rel=1e-9)
    force = 10 * YOUNG * found[AREA] ** 2 / (edge**2 / 4) * (edge - 3 * deep) / edge
    assert found[PUSH_X] == pytest.approx(force, rel=1e-9)


def test_two_corners_in_each_other_are_of_the_second_kind() -> None:
    """Tip against tip: the overlap is a square of diagonal d, made of two triangles of area d²/4 each."""
    deep = 1e-4
    mirror = tuple((-x, z) for x, z in reversed(SHARP))
    found = overlap(SHARP, mirror, (-deep, 0.0))
    assert found[KIND] == 2
    assert found[AREA] == pytest.approx(deep**2 / 2, rel=1e-9)
    assert found[PUSH_X] == pytest.approx(YOUNG * deep**2 / 2, rel=1e-9)


def test_many_crossings_are_of_the_third_to_the_fifth_kind() -> None:
    """Two long thin wedges across each other cross in four points on two edges each; a hexagram in six.

    A wedge that comes through the base of a triangle and hides its apex cuts all three of its edges, in four points.
    """
    needle = ((-5e-3, -2e-4), (5e-3, 0.0), (-5e-3, 2e-4))
    across = tuple((-z, x) for x, z in needle)
    found = overlap(needle, across, (0.0, 0.0))
    assert found[KIND] == 3
    polygons = shapely.Polygon(needle).intersection(shapely.Polygon(across))
    assert found[AREA] == pytest.approx(polygons.area, rel=1e-9)
    up = tuple((1e-3 * np.cos(t), 1e-3 * np.sin(t)) for t in np.pi / 2 + 2 * np.pi / 3 * np.arange(3))
    down = tuple((x, -z) for x, z in reversed(up))
    star = overlap(up, down, (0.0, 0.0))
    assert star[KIND] == 5
    assert np.hypot(star[PUSH_X], star[PUSH_Z]) < 1e-9 * YOUNG * 1e-6  # by symmetry they push nowhere
    roof = ((-2e-3, -1e-4), (2e-3, -1e-4), (0.0, 3e-3))
    assert overlap(roof, ((-6e-4, -2e-3), (6e-4, -2e-3), (0.0, 6e-3)), (0.0, 0.0))[KIND] == 4


def test_overlaps_have_the_area_that_geometry_says() -> None:
    """Random pairs of triangles against Shapely's polygons."""
    rng, met = np.random.default_rng(4), 0
    for _ in range(12):
        first, second = (tuple(map(tuple, 1e-3 * rng.normal(size=(3, 2)))) for _ in range(2))
        shapes = [shapely.Polygon(one) for one in (first, second)]
        if min(shape.area / shape.length**2 for shape in shapes) < 0.01:
            continue  # thinner than a grain may be
        true = shapes[0].intersection(shapes[1]).area
        if true > 0 and true < 0.99 * min(shape.area for shape in shapes):
            met += 1
            assert overlap(first, second, (0.0, 0.0), "exact")[AREA] == pytest.approx(true, rel=1e-9)
    assert met >= 3


def test_forces_are_the_gradient_of_the_energy_at_walls_and_between_grains() -> None:
    """Central differences of the stored energy, in a round wall, on a floor, and in each other."""
    walls = [
        {"name": "floor", "shape": "plane", "material": "a", "point": (0, 0, -0.9e-3)},
        {"name": "ring", "shape": "cylinder", "axis": (0, 1, 0), "radius": 2.2e-3, "material": "a"},
    ]  # fmt: skip
    grains = [lab.grain(-1.2e-3, 0.0), lab.grain(0.7e-3, 0.2e-3)]
    machine = lab.solver(lab.scene(grains, beams={"contact": "exact"}, walls=walls), 1e-6)
    state = peek(machine, "state")
    state[:, :3, 0] += np.random.default_rng(2).normal(size=(8, 3)) * (3e-5, 3e-5, 0.05)
    lab.turn(machine, slice(4, 8), 0.4)
    force, found = lab.forces(machine), np.zeros((8, 3))
    assert len(ledger.present(machine).pair) >= 2
    for t in range(8):
        for c in range(3):
            little = 1e-9 if c < 2 else 1e-6
            for sign in (1, -1):
                state[t, c, 0] += sign * little
                found[t, c] -= sign * lab.energy(machine) / (2 * little)
                state[t, c, 0] -= sign * little
    assert np.abs(force - found).max(axis=0) == pytest.approx(0.0, abs=1e-6 * np.abs(found).max())


def test_a_sliding_grain_is_braked_by_coulombs_friction() -> None:
    """A square on a floor with μ = 0.3 loses μ g t of its speed; within 2%, bouncing included."""
    walls = [{"name": "floor", "shape": "plane", "material": "a"}]
    block = lab.grain(0.0, 1e-3 - 3e-6, velocity=(0.5, 0.0, 0.0))
    options = {"friction": 0.3, "gravity": (0.0, 0.0, -9.81), "walls": walls}
    machine = lab.solver(lab.scene([block], beams={"contact": "exact"}, **options))
    machine.advance(round(0.05 / machine.dt))
    assert ledger.bodies(machine).velocity[0, 0] == pytest.approx(0.5 - 0.3 * 9.81 * 0.05, rel=0.02)
    book = ledger.energies(machine, ledger.present(machine))
    assert book["dissipated_friction"] > 0
    assert abs(book["energy_error"]) < 1e-3 * book["kinetic_energy"]


def test_the_same_bits_after_a_restore_and_on_more_threads() -> None:
    straight, halfway = lab.two_squares(0.5), lab.two_squares(0.5)
    straight.advance(600)
    halfway.advance(250)
    arrays, meta = halfway.state()
    restored = BeamSolver.restored(halfway.model, arrays, meta)
    restored.advance(350)
    assert np.array_equal(peek(straight, "state"), peek(restored, "state"))
    threads.use(threads.most())
    several = lab.two_squares(0.5)
    several.advance(600)
    threads.use(1)
    assert np.array_equal(peek(straight, "state"), peek(several, "state"))


PAIR = ((0.0, -1e-3), (1.7e-3, 0.0), (0.0, 1e-3), (-1.7e-3, 0.0))  # two triangles and one beam


@pytest.mark.parametrize(
    ("limit", "cause"), [({"stretch": 0.01}, 1), ({"force": 1e-3}, 2), ({"moment": 1e-7}, 3)], ids=lambda x: str(x)
)
def test_a_beam_breaks_by_each_of_its_limits(limit: dict[str, float], cause: int) -> None:
    """Halves that fly apart and turn: the grain parts, momentum stays, and the ledger closes over the break."""
    machine = lab.solver(lab.scene([lab.polygon(0, 0, *PAIR)], beams={"breakage": limit}))
    right = int(np.argmax(peek(machine, "state")[:, 0, 0]))
    sign = np.where(np.arange(2) == right, 1.0, -1.0)
    peek(machine, "state")[:, 0, 1] = 0.05 * sign
    peek(machine, "state")[:, 2, 1] = (100.0 if cause == 3 else 0.0) * sign
    lab.restart(machine)
    started = ledger.energies(machine, ledger.present(machine))
    while len(machine) == 1 and machine.time < 1e-3:
        machine.advance(1)
    assert peek(machine, "broken").tolist() == [cause] and len(machine) == 2
    assert 0 < peek(machine, "broken_at")[0] <= machine.time
    assert sorted(peek(machine, "id")) == [0, 1]
    assert np.abs(lab.momenta(machine)).max() < 1e-18
    ended = ledger.energies(machine, ledger.present(machine))
    assert ended["energy_total"] == pytest.approx(started["energy_total"], rel=5e-3)
    frame = machine.frame()
    assert frame.table(BeamLines).beam_cause.tolist() == [cause] and len(frame) == 2


def test_a_beam_that_yields_keeps_its_shape() -> None:
    """Bent beyond its limit and let go, a beam comes to rest bent; one that may not yield comes back straight."""
    angles = []
    for yielding in (None, {"moment": 2e-6}):
        beams = {"damping": 0.05, **({"yielding": yielding} if yielding else {})}
        machine = lab.solver(lab.scene([lab.polygon(0, 0, *PAIR)], beams=beams))
        state = peek(machine, "state")
        state[:, 2, 1] = np.where(np.arange(2) == np.argmax(state[:, 0, 0]), 400.0, -400.0)
        machine.advance(round(0.02 / machine.dt))
        angles.append(abs(state[0, 2, 0] - state[1, 2, 0]))
    assert angles[0] < 1e-3 < 0.02 < angles[1]
