"""The GPU does what the CPU does, and says what it cannot do.

Tests marked `gpu` need a device; the same kernels run everywhere in numba's simulator, on a few grains.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from barchan import solvers
from barchan.errors import SceneError
from barchan.model.build import build
from barchan.solvers.soft.solver import SoftSolver
from solvers import lab
from solvers.cuda_lab import FLYING, STATE, differing, few_grains, gas, grooved, meshed, shaken, sunk
from solvers.inside import peek
from solvers.test_same_bits import busy_scene, sphere_scene

STEP = 4e-5  # s
SERVO = {"kind": "servo", "force": -10.0, "mass": 1.0}


def moved(scene: lab.Scene, steps: int, **where: str) -> SoftSolver:
    """The scene after some steps on a device."""
    machine = solvers.create(*build(scene), STEP, **where)
    machine.advance(steps)
    return machine


def simulated(*names: str) -> dict[str, dict[str, Any]]:
    """What the simulator finds of these scenes: the same bits as the CPU, and ledgers that agree."""
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root.parent / "src"), str(root)])
    told = subprocess.run(
        [sys.executable, "-m", "solvers.cuda_lab", *names], capture_output=True, text=True, timeout=250, check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": path},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout.splitlines()[-1])
    for one in found.values():
        assert one["differing"] == []
        assert one["ledger"] < 1e-12 and one["overlap"] < 1e-12
    return dict(found)


def test_simulator_gives_the_bits_of_the_cpu() -> None:
    """Spheres that collide in a periodic box, without and with a change of gravity and grains that go and come, and
    spheres of two materials with rolling friction and stiction on a shaking floor, and on a floor that absorbs them:
    the kernels for the GPU, run as plain Python, take the same steps as the CPU's to the last bit.
    """
    found = simulated("gas", "changes", "floor", "sides", "sink", "sink, step by step")
    assert found["gas"]["touching"] > 0 and found["gas"]["searches"] > 1
    assert found["floor"]["touching"] > 0 and found["floor"]["rebuilds"] > 1
    assert found["sides"]["touching"] == 3
    assert found["sink"]["left"] == found["sink, step by step"]["left"] == 1  # also of a batch's last step


def test_simulator_counts_how_often_grains_go_round() -> None:
    """Free flight round a periodic box, straight on after 30 steps of 40 µs, with the velocities of the scene; halfway
    the grains are sorted. A count left behind, or with another grain, is an error of 0.6 m.
    """
    found = simulated("flight")["flight"]
    way = 30 * STEP * np.array([(3100.0, -5300.0, 3e3), (-4200.0, 2900.0, 3e3)])
    np.testing.assert_allclose(found["unwrapped"], FLYING + way, rtol=0, atol=1e-12 * np.abs(way).max())
    assert np.abs(found["image"]).min() >= 5 and found["searches"] > 20


@pytest.mark.validate
def test_simulator_gives_the_bits_of_the_cpu_at_triangles() -> None:
    """The same on a floor of triangles, and in a groove of them across a face of the box."""
    found = simulated("mesh", "groove")
    assert found["mesh"]["touching"] > 0
    assert found["groove"]["touching"] == 4 and found["groove"]["searches"] > 1


@pytest.mark.gpu
def test_gpu_gives_the_bits_of_the_cpu() -> None:
    """512 spheres in a periodic box: additions, products, quotients and square roots are rounded alike on both, and
    are done in the same order. Orientations are turned by sines, which are not.
    """
    scene = sphere_scene()
    one, other = moved(scene, 1500), moved(scene, 1500, device="cuda")
    assert other.lists.rebuilds == one.lists.rebuilds > 20
    assert len(one.frame().contacts.first) > 20
    assert differing(one, other, tuple(name for name in STATE if name != "orientation")) == []
    assert np.abs(peek(one, "orientation") - peek(other, "orientation")).max() < 1e-12


@pytest.mark.gpu
@pytest.mark.parametrize("scene", [meshed, grooved, sunk])
def test_walls_of_triangles_and_walls_that_absorb_give_the_bits_of_the_cpu(scene: Callable[[], lab.Scene]) -> None:
    """The same for what walls do; 400 steps are several bounces, and all who fell on the absorbing floor are gone."""
    one, other = moved(scene(), 400), moved(scene(), 400, device="cuda")
    assert len(one) == len(other) == {meshed: 3, grooved: 2, sunk: 1}[scene]
    assert differing(one, other, tuple(name for name in STATE if name != "orientation")) == []


@pytest.mark.gpu
def test_gpu_gives_the_same_bits_again_and_after_a_resume() -> None:
    """A checkpoint holds all that decides what comes next, on the device too; cubes, stiction and walls that move."""
    scene = busy_scene()
    one, again = (moved(scene, 1200, device="cuda") for _ in range(2))
    half = moved(scene, 517, device="cuda")
    arrays, meta = half.state()
    resumed = solvers.restore(half.model, arrays, json.loads(json.dumps(meta)), device="cuda")
    resumed.advance(1200 - 517)
    assert differing(one, again) == []
    assert differing(one, resumed) == []


@pytest.mark.gpu
def test_clumps_on_a_gpu_begin_as_on_the_cpu() -> None:
    """Sines and sums over a clump's spheres are rounded differently, so the two part in the end; while few grains have
    met, which takes some 400 steps, they agree to a billionth of a grain's size and speed.
    """
    one, other = moved(busy_scene(), 400), moved(busy_scene(), 400, device="cuda")
    assert one.worst_overlap > 0.05
    assert np.abs(peek(one, "position") - peek(other, "position")).max() < 1e-10
    assert np.abs(peek(one, "velocity") - peek(other, "velocity")).max() < 1e-8
    ledger, ours = one.frame().ledger, other.frame().ledger
    assert max(abs(ledger[name] - ours[name]) for name in ledger) < 1e-8 * ledger["kinetic_energy"]


@pytest.mark.gpu
@pytest.mark.parametrize("law", ["hertz", "linear", "viscous", "path", "displacement", "stick-slip"])
def test_every_law_keeps_momentum_on_a_gpu(law: str) -> None:
    """Action and reaction: both sides of a contact are computed from the same numbers in the same order, so momentum
    changes by the rounding of sums alone. 64 grains that collide exchange some 10 kg m/s.
    """
    machine = solvers.create(*build(few_grains(law)), STEP, device="cuda")
    before, about = lab.momentum(machine), lab.angular_momentum(machine)
    machine.advance(400)
    assert machine.worst_overlap > 0.01
    assert np.abs(lab.momentum(machine) - before).max() < 1e-12
    assert np.abs(lab.angular_momentum(machine) - about).max() < 1e-12
    ledger = machine.frame().ledger
    assert abs(ledger["energy_error"]) < 2e-3 * ledger["kinetic_energy"]


@pytest.mark.gpu
def test_free_fall_on_a_gpu_is_exact() -> None:
    """Velocity Verlet integrates a constant acceleration without error: z = z₀ − g t²/2 to rounding."""
    fall = lab.scene("hertz", [lab.grain((0.0, 0.0, 5.0))], gravity=(0.0, 0.0, -lab.GRAVITY))
    machine = moved(fall, 5000, device="cuda")
    assert machine.frame().position[0, 2] == pytest.approx(5.0 - 0.5 * lab.GRAVITY * 0.2**2, abs=1e-12)


@pytest.mark.gpu
def test_mixed_precision_keeps_the_energies() -> None:
    """float32 has 24 bits: after 1500 steps of a gas that loses four fifths of its energy in collisions, each energy
    agrees with double precision to 1e-5 of the whole.
    """
    one, other = moved(gas(8, 1.0), 1500), moved(gas(8, 1.0), 1500, device="cuda", precision="mixed")
    ledger, ours = one.frame().ledger, other.frame().ledger
    assert ours["kinetic_energy"] != ledger["kinetic_energy"]
    assert max(abs(ledger[name] - ours[name]) for name in ledger) < 1e-5 * ledger["energy_total"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"integrator": "rkf45"}, "integrator"),
        ({"drag": 0.1}, "drag"),
        ({"tethers": [{"name": "string", "group": "group 0", "stiffness": 10.0}]}, "tethers"),
        ({"solver": "hard"}, "solver"),
        ({"walls": [{**lab.FLOOR, "motion": SERVO}]}, "walls"),
    ],
)
def test_what_the_gpu_lacks_is_refused(change: dict, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing falls back to the CPU in silence: the error names the feature and the remedy."""
    from barchan.kernels import cuda_device

    monkeypatch.setattr(cuda_device, "require", lambda: None)
    model, _ = build(lab.scene("hertz", [lab.grain((0.0, 0.0, 0.0))], **change))
    with pytest.raises(SceneError) as told:
        solvers.check_device(model, "cuda", "double")
    assert [finding.where for finding in told.value.findings] == [where]
    assert "--device cpu" in str(told.value)


def test_a_missing_package_and_a_missing_gpu_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line each, with what to do."""
    from barchan.kernels import cuda_device

    monkeypatch.setattr(cuda_device, "SIMULATED", False)
    monkeypatch.setattr(cuda_device.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SceneError, match=r"numba-cuda.*pip install 'barchan\[gpu\]'") as told:
        solvers.check_device(None, "cuda", "double")
    assert told.value.exit_code == 2
    monkeypatch.setattr(cuda_device.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(cuda_device.cuda, "is_available", lambda: False)
    with pytest.raises(SceneError, match=r"NVIDIA GPU.*--device cpu"):
        solvers.check_device(None, "cuda", "double")


@pytest.mark.parametrize(
    ("device", "precision", "word"),
    [("tpu", "double", "cpu, cuda"), ("cpu", "half", "double, mixed"), ("cpu", "mixed", "--device cuda")],
)
def test_unknown_devices_and_precisions_are_refused(device: str, precision: str, word: str) -> None:
    """The error lists what there is."""
    with pytest.raises(SceneError, match=word):
        solvers.check_device(None, device, precision)


def test_a_law_in_single_precision_computes_in_it() -> None:
    """A law read again with float32 numbers gives float32 forces, near those of the law itself, and a contact without
    slip or memory gives numbers too, where the smallest float64 would have become a division by zero.
    """
    from barchan.kernels.single_precision import rewritten
    from barchan.parts.laws import Contact, Surface
    from barchan.registry import parts

    surface = Surface(1e7, 3e6, 0.3, 0.5, 0.6, 0.0, 0.0, False)
    single = np.float32
    for law in (kind() for kind in parts("laws").values()):
        p, function = law.constants(surface), law.form()[0]
        for slip in ((0.0, 0.0, 0.0), (0.3, -0.1, 0.2)):
            contact, memory = Contact(1e-4, 0.2, slip, 0.05, 0.4, 1e-5), (1e-5,) * 6
            short = Contact(*map(single, contact[:2]), tuple(map(single, slip)), *map(single, contact[3:]))
            exact = function(contact, memory[: max(law.memory, 1)], p)
            found = rewritten(function)(
                short, tuple(map(single, memory[: max(law.memory, 1)])), type(p)(*map(single, p))
            )
            assert isinstance(found[0], single)
            assert found[0] == pytest.approx(exact[0], rel=1e-5)
            assert np.allclose(found[1], exact[1], rtol=1e-5, atol=1e-6 * exact[0])


def test_shaken_scene_is_the_one_of_the_simulator() -> None:
    """The simulator's scenes are the laboratory's: what it compiles is shared with other tests."""
    assert shaken().stiction is not None and gas(2, 0.24).periodic == (True, True, True)
