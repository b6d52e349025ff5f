"""A periodic box that deforms around soft spheres, and the background that resists them.

All scenes here share their kernels: discs with linear springs in a box that repeats along x and z and deforms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.kernels import threads
from barchan.model import encounters
from barchan.model.build import build
from barchan.parts.deformations import stretch
from barchan.scene import Scene
from barchan.simulation.plan import Plan
from barchan.solvers.soft.solver import SoftSolver
from solvers import lab
from solvers.inside import peek

STIFFNESS = 1000.0  # N/m
RADIUS = 0.05  # m
MASS = lab.ball_mass(RADIUS)
CUBE = {"low": (0, 0, 0), "high": (1, 1, 1)}
PURE = {"kind": "pure-shear", "strain": 0.2}


def discs(positions: Any, *, restitution: float = 1.0, **options: Any) -> Scene:
    """Discs 0.1 m across in a unit square about the point (1, 0, 2) m that is sheared within a second."""
    fields = {
        "name": "laboratory", "duration": 1.0, "contact": {"law": "linear", "stiffness": STIFFNESS}, "dimensions": 2,
        "materials": {"a": lab.material(friction=0.0, restitution=restitution)}, "gravity": (0, 0, 0),
        "grains": [{"name": "discs", **lab.grains(positions)}], "periodic": (True, False, True),
        "box": {"low": (0.5, 0, 1.5), "high": (1.5, 0, 2.5)}, "deformation": PURE,
    }  # fmt: skip
    return Scene(**{**fields, **options})


def machine(scene: Scene, time_step: float) -> SoftSolver:
    """The scene's solver on one thread."""
    threads.use(1)
    return SoftSolver(*build(scene), time_step)


def lattice(side: int = 6) -> np.ndarray:
    """The places, (side², 3) m, of a square lattice that fills the unit square."""
    line = (np.arange(side) + 0.5) / side
    x, z = np.meshgrid(line + 0.5, line + 1.5, indexing="ij")
    return np.stack([x.ravel(), np.zeros(side * side), z.ravel()], axis=1)


@pytest.mark.parametrize("way", [0.0, 0.2, 0.5, 0.6, 1.0])
@pytest.mark.parametrize(
    "options", [{}, {"returns": True}, {"course": "smooth"}, {"returns": True, "course": "smooth"}]
)
def test_rates_are_derivatives_of_the_lengths(way: float, options: dict[str, Any]) -> None:
    """By central differences; γ(t) = ln x/z of a shear, volume ∝ 1/φ of a compression, as their definitions say."""
    for deformation in (PURE, {"kind": "compression", "to": 0.9}):
        scene = discs([(1, 0, 2)], deformation={**deformation, **options}, duration=2.0)
        numbers = scene.deformation.numbers(2.0, 0.6, 2)
        t, h = 2 * way, 1e-6
        if way == 0.5 and options == {"returns": True}:
            continue  # it turns round there
        now = stretch(t, *numbers)
        if 0 < way < 1:
            before, after = stretch(t - h, *numbers), stretch(t + h, *numbers)
            slope = (np.log(after[:3]) - np.log(before[:3])) / (2 * h)
            assert now[3:] == pytest.approx(slope, abs=1e-8)
        part = 1 - abs(1 - 2 * way) if options.get("returns") else way
        part = math.sin(0.5 * math.pi * part) ** 2 if "course" in options else part
        if deformation is PURE:
            assert math.log(now[0] / now[2]) == pytest.approx(0.2 * part, abs=1e-14)
            assert now[0] * now[2] == pytest.approx(1, rel=1e-14)
        else:
            assert 0.6 / (now[0] * now[2]) == pytest.approx(0.6 + 0.3 * part, rel=1e-14)


def test_two_discs_that_meet_across_a_moving_boundary() -> None:
    """Discs at rest a distance s apart, just touching across the boundary of a box whose length along z shrinks.

    The image of the one comes towards the other with ε L₀ although neither moves. Their overlap y = d − L + s obeys
    ÿ = s̈ − L̈ = −ω² y − ε² L with ω² = 2 k/m, so with y = 0 and ẏ = ε L₀ at first and L = L₀ e^(−εt)
    y = P (e^(−εt) − cos ωt) + ε (L₀ + P)/ω sin ωt,  P = −ε² L₀/(ω² + ε²).
    The box does the work −∫ k y L̇ dt. The error of Verlet's phase, (ω dt)²/24, is 1e-6.
    """
    rate, step = 0.1, 1e-4
    chain = machine(discs([(1, 0, 1.55), (1, 0, 2.45)]), step)
    omega = math.sqrt(2 * STIFFNESS / MASS)
    p = -(rate**2) / (omega**2 + rate**2)

    def overlap(t: Any) -> Any:
        return p * (np.exp(-rate * t) - np.cos(omega * t)) + rate * (1 + p) / omega * np.sin(omega * t)

    for t in (0.02, 0.04, 0.06):
        chain.advance_to(t)
        seen = chain.frame("contacts")
        assert chain.lengths == pytest.approx((math.exp(rate * t), 0, math.exp(-rate * t)), rel=1e-12)
        assert seen.cell[0, :3] + 0.5 * seen.cell[0, 3:6] == pytest.approx((1, 0, 2))
        assert seen.contacts.overlap == pytest.approx([overlap(t)], abs=1e-5 * rate / omega)
        apart = seen.position[1, 2] - seen.position[0, 2]
        assert apart == pytest.approx(math.exp(-rate * t) - 0.1 + overlap(t), abs=1e-5 * rate / omega)
    book = chain.frame().ledger
    t = np.linspace(0, 0.06, 2001)
    weights = np.full(2001, 2.0)  # Simpson's rule
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    expected = float(weights @ (STIFFNESS * overlap(t) * rate * np.exp(-rate * t))) * 0.06 / 6000
    assert book["box_work"] == pytest.approx(expected, rel=1e-4)
    assert book["kinetic_energy"] + book["stored_energy"] == pytest.approx(book["box_work"], rel=1e-4)
    assert abs(book["dissipated_normal"]) < 1e-4 * book["box_work"], "a contact that loses nothing"
    # The images part again; then the discs come towards each other with twice the speed of the image, as from a wall.
    chain.advance_to(0.1)
    closing = -np.subtract(*chain.frame().velocity[::-1, 2])
    assert closing == pytest.approx(2 * rate, rel=0.01)


def test_images_move_with_the_box() -> None:
    """A disc flies on from the frame before, n periods away: its place is p + v dt + n L, with the period of today,
    whether it has gone through a face meanwhile or not. A crossing that is not counted is an error of 1 m. In a step of
    dt = 1 ms a disc that is not yet brought back and its image, which goes with the box, part by L̈ dt²/2 = 5e-9 m for
    L̈ = 0.1² m/s², and for as many periods as many times.
    """
    moving = zip([(0.6, 0.0, 1.7), (1.4, 0.0, 2.3)], [(7.3, 0.0, -4.0), (-5.1, 0.0, -4.0)], strict=True)
    groups = [{"name": f"g{k}", **lab.grain(at, velocity=v)} for k, (at, v) in enumerate(moving)]
    box = machine(discs([], grains=groups), 1e-3)
    before = box.frame()
    for step in range(1, 1001):
        box.advance(1)
        frame = box.frame()
        ahead = before.position + before.velocity * 1e-3 + before.image * frame.box[:3]
        np.testing.assert_allclose(frame.unwrapped, ahead, rtol=0, atol=1e-7)
        before = frame
        if step == 500:
            box = SoftSolver.restored(box.model, *box.state())
    assert np.all(np.abs(before.image[:, [0, 2]]) >= 3) and not before.image[:, 1].any()


def test_discs_at_rest_are_found_by_images_that_come_to_them() -> None:
    """Two discs with a gap of 3 cm across the boundary, more than any list of near pairs looks ahead at first: they do
    not move, and touch when the box has become so much shorter, at t = −ln(0.97)/ε. Then they go off with twice the
    speed of the image at that moment, but for the little by which it slows down during the contact.
    """
    rate = 0.1
    far = machine(discs([(1, 0, 1.565), (1, 0, 2.435)]), 1e-4)
    meeting = -math.log(0.97) / rate
    far.advance_to(round(meeting - 1e-3, 4))
    assert far.kinetic_energy() == 0.0
    far.advance_to(round(meeting + 0.1, 4))
    closing = -np.subtract(*far.frame().velocity[::-1, 2])
    assert closing == pytest.approx(2 * rate * 0.97, rel=0.01)


def test_a_free_disc_takes_the_velocity_of_its_image() -> None:
    """It flies straight on; whenever it comes in again on the other side it has lost L̇, the speed of that image.

    Its place is then x − L(t) at every time, and kinetic energy less work of the box is what it was at first.
    """
    start, speed = 1.45, 0.5
    group = {"name": "d", **lab.grains([(start, 0, 2)], velocity=(speed, 0, 0))}
    flyer = machine(discs([], grains=[group]), 1e-3)
    first = 0.5 * MASS * speed**2
    flyer.advance_to(0.5)
    seen = flyer.frame()
    inside = seen.position[0, 0]
    assert seen.cell[0, 0] <= inside < seen.cell[0, 0] + seen.cell[0, 3]
    assert inside < 1.4 and speed - 0.12 < seen.velocity[0, 0] < speed - 0.08
    book = flyer.frame().ledger
    assert book["kinetic_energy"] == pytest.approx(0.5 * MASS * seen.velocity[0, 0] ** 2, rel=1e-12)
    assert book["kinetic_energy"] - book["box_work"] == pytest.approx(first, rel=1e-12)
    assert book["box_work"] < -0.1 * first


def test_series_and_frames_see_the_same_image() -> None:
    """Three hundred looks at discs that fly through the faces of a shrinking box: kinetic energy and the centre of mass
    are those of the frames, also between two lists, when grains have left the box and are not yet taken back into it.
    Work of the box makes up for the jump in velocity: what is left of the balance stays 0.
    """
    group = {"name": "d", **lab.grains([(1.3, 0, 2), (0.6, 0, 1.7), (1.0, 0, 2.4)], velocity=(0.5, 0, 0.4))}
    flyer = machine(discs([], grains=[group]), 1e-3)
    for look in range(1, 301):
        flyer.advance_to(0.002 * look)
        seen, moment = flyer.frame(), flyer.frame()
        assert moment.ledger["kinetic_energy"] == pytest.approx(0.5 * MASS * np.sum(seen.velocity**2), rel=1e-12)
        assert moment.position.mean(axis=0) == pytest.approx(seen.position.mean(axis=0), abs=1e-12)
        assert moment.velocity.mean(axis=0) == pytest.approx(seen.velocity.mean(axis=0), abs=1e-12)
        assert abs(moment.ledger["energy_error"]) < 1e-12


def test_the_ledger_of_a_slow_shear_balances() -> None:
    """Jostling discs in pure shear, with losses in contacts and drag: what the box does is stored, moves or is lost.

    The balance is of second order in the step, and the box of 36 springs is worth its name: energy goes in.
    """
    random = np.random.default_rng(3)
    place = lattice() + random.uniform(-0.01, 0.01, (36, 3)) * (1, 0, 1)
    errors = []
    for step in (4e-4, 2e-4, 1e-4):
        group = {"name": "discs", **lab.grains(place, size=0.18)}
        shear = {"kind": "pure-shear", "strain": 0.1, "course": "smooth"}
        packed = machine(discs([], grains=[group], restitution=0.5, deformation=shear, drag=0.5), step)
        packed.advance_to(1.0)
        book = packed.frame().ledger
        errors.append(book["energy_error"])
    assert book["box_work"] > 0 and book["dissipated_drag"] > 0 and book["dissipated_normal"] > 0
    assert abs(errors[-1]) < 1e-3 * (book["dissipated_drag"] + book["dissipated_normal"])
    assert packed.lists.rebuilds > 3


@pytest.mark.parametrize(
    ("deformation", "x", "z"),
    [
        ({"kind": "pure-shear", "strain": 0.02}, math.exp(0.01), math.exp(-0.01)),
        ({"kind": "compression", "to": 1.02 * 36 * math.pi * 0.09**2}, 1.02**-0.5, 1.02**-0.5),
    ],
)
def test_grains_in_a_lattice_follow_the_box(deformation: dict[str, Any], x: float, z: float) -> None:
    """By symmetry every disc of a square lattice feels opposite forces, so a slow deformation carries all of them along
    with the box, and the stress is that of springs: k Σ overlap/spacing along either axis. A hundredth is allowed for
    what still moves at the end.
    """
    group = {"name": "discs", **lab.grains(lattice(), size=0.18)}
    slow = {**deformation, "course": "smooth"}
    packed = machine(discs([], grains=[group], restitution=0.2, deformation=slow, duration=2.0), 2e-4)
    packed.advance_to(2.0)
    grow = np.array([x, 1, z])
    middle = np.array([1.0, 0, 2])
    expected = middle + (lattice() - middle) * grow
    moved = np.abs(expected - lattice()).max()
    np.testing.assert_allclose(packed.frame().position, expected, rtol=0, atol=1e-2 * moved)
    seen = packed.frame()
    stress = np.einsum("ci,cj->ij", seen.contacts.force, seen.branch)
    for axis in (0, 2):
        spacing = grow[axis] / 6
        assert stress[axis, axis] == pytest.approx(36 * STIFFNESS * (0.18 - spacing) * spacing, rel=1e-2)


def test_drag_brings_a_disc_to_rest_as_an_exponential() -> None:
    """m v̇ = −γ v: v = v₀ e^(−γt/m), in a box that stays as it is; the ledger has what it loses."""
    drag, speed = 2.0, 0.3
    group = {"name": "d", **lab.grains([(1, 0, 2)], velocity=(speed, 0, 0))}
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        slowed = machine(discs([], grains=[group], drag=drag, deformation={**PURE, "strain": 0.0}), step)
        slowed.advance_to(0.5)
        expected = speed * math.exp(-drag * 0.5 / MASS)
        errors.append(slowed.frame().velocity[0, 0] - expected)
        book = slowed.frame().ledger
    assert abs(errors[-1]) < 1e-5 * speed
    assert lab.order_of(errors) > 1.8
    assert book["dissipated_drag"] == pytest.approx(0.5 * MASS * (speed**2 - expected**2), rel=1e-5)


def test_a_background_that_moves_with_the_box_takes_a_disc_along() -> None:
    """Relative to it a disc at x off the middle sees u = ε x: m v̇ = −γ (v − ε x), so x ∝ e^(λt) with
    λ² + (γ/m) (λ − ε) = 0. The slower root is ε but for a lag; the other one has died out after a second.
    """
    drag, rate = 200.0, 0.1
    taken = machine(discs([(1.3, 0, 2)], drag=drag), 1e-4)
    taken.advance_to(1.0)
    slow = drag / MASS
    root = 0.5 * (-slow + math.sqrt(slow**2 + 4 * slow * rate))
    other = -slow - root
    # x = a e^(root t) + b e^(other t) with x(0) = 0.3, v(0) = 0.
    a = 0.3 * other / (other - root)
    assert taken.frame().position[0, 0] - 1 == pytest.approx(a * math.exp(root), rel=1e-5)
    book = taken.frame().ledger
    assert abs(book["energy_error"]) < 1e-3 * book["box_work"]


def test_restored_in_the_middle_it_goes_on_with_the_same_bits() -> None:
    """Also while a grain is outside the box that it will be brought back into."""
    random = np.random.default_rng(4)
    group = {"name": "discs", **lab.grains(lattice(), size=0.18, velocity=(0.3, 0, 0.1))}
    group["fill"]["positions"] = (lattice() + random.uniform(-0.01, 0.01, (36, 3)) * (1, 0, 1)).tolist()
    packed = machine(discs([], grains=[group], restitution=0.5, drag=0.5), 2e-4)
    packed.advance_to(0.4)
    arrays, meta = packed.state()
    packed.advance_to(0.8)
    again = SoftSolver.restored(packed.model, {name: array.copy() for name, array in arrays.items()}, meta)
    again.advance_to(0.8)
    assert lab.fingerprint(again) == lab.fingerprint(packed)
    assert peek(packed, "crossed")[0] != 0.0


def test_a_strong_drag_shortens_the_time_step() -> None:
    model, grains = build(discs([(1, 0, 2)], drag=1e6))
    assert encounters.damping_time(model, grains, 0.1) < 1e-5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"deformation": {"kind": "simple-shear", "strain": 0.1}}, "soft spheres know compression and pure-shear"),
        ({"periodic": (True, False, False)}, "needs a box that repeats along x and z"),
        ({"walls": [{"name": "w", "shape": "plane", "material": "a"}]}, "walls do not follow the box"),
        ({"integrator": "rkf45"}, "needs fixed steps"),
        ({"deformation": {"kind": "compression", "to": 0.5}, "dimensions": 3, "box": CUBE},
         "its packing fraction is not known"),
        ({"solver": "hard", "contact": "hertz"}, "the box of hard spheres stays as it is"),
        ({"deformation": {**PURE, "strain": 9.0}}, "the box is shorter than"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SceneError, match=words):
        Plan.of(discs([(1, 0, 2)], **options))
