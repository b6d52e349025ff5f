"""No grain passes through a wall unseen: whichever shape, whichever of the two moves, with fixed and adaptive steps."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from barchan.errors import RunError, SceneError
from barchan.model import timestep
from barchan.model.build import build
from barchan.solvers import unused
from barchan.solvers.soft import checks
from barchan.solvers.soft.cuda.grains import BATCH
from solvers import lab
from solvers.soft.test_meshes import CUBE, CUBE_TRIANGLES, mesh, sheet

RADIUS = 0.05  # m, of the laboratory's balls
GRAIN, WALL = 100.0, 300.0  # m/s
SLAB = (np.array(CUBE) - [0.5, 0.5, 1.0]) * [2.0, 2.0, 0.01]
# Every shape, as thin as it can be; under the grain at (0.013, 0.02) its surface lies at z = 0.
SHAPES: dict[str, dict[str, Any]] = {
    "disk": {"shape": "disk", "radius": 1.0},
    "rectangle": {"shape": "rectangle", "widths": (2.0, 2.0)},
    "plane": {"shape": "plane", "sides": "both"},
    "half space": {"shape": "plane"},
    "box": {"shape": "box", "low": (-1.0, -1.0, -0.01), "high": (1.0, 1.0, 0.0), "side": "outside"},
    "open box": {"shape": "box", "low": (-1.0, -1.0, -9.0), "high": (1.0, 1.0, 0.0), "open": ("-z",)},
    "tube": {"shape": "cylinder", "point": (-1.0, 0.0, -0.4), "axis": (1, 0, 0), "radius": 0.4, "length": 2.0},
    "cylinder": {"shape": "cylinder", "point": (0.0, 0.0, -0.4), "axis": (1, 0, 0), "radius": 0.4, "side": "both"},
    "sphere": {"shape": "sphere", "center": (0.0, 0.0, -0.4), "radius": 0.4, "side": "both"},
    "arc": {"shape": "arc", "center": (0.0, 0.0, -0.4), "radius": 0.4, "start": 0.0, "end": math.pi},
    "cone": {"shape": "cone", "point": (0.0, 0.0, -0.49), "bottom_radius": 1.0, "top_radius": 0.02, "height": 0.5},
    "frustum": {
        "shape": "frustum",
        "point": (0.0, 0.0, -0.01),
        "bottom_radius": 1.0,
        "top_radius": 1.0,
        "height": 0.01,
    },
    "ring": {"shape": "ring", "center": (-0.287, 0.02, 0.0), "radius": 0.3},
    "line": {"shape": "line", "start": (-1.0, 0.021, 0.0), "end": (1.0, 0.021, 0.0)},
    "point": {"shape": "point", "position": (0.013, 0.021, 0.0)},
    "mesh": mesh(*sheet(3, half=1.0)),
    "closed mesh": mesh(SLAB, CUBE_TRIANGLES, side="outside"),
}
FACETED = ("arc", "mesh", "closed mesh")  # with kernels of their own, which adaptive steps share with nothing else
COME = {"motion": {"kind": "translate", "velocity": (0.0, 0.0, WALL)}}


def scene(shape: str, wall: dict[str, Any], young: float = 1e4, speed: float = 0.0, **options: Any) -> lab.Scene:
    """A ball 0.55 m above a thin wall, which goes down at `speed`, m/s; switches are those of a laboratory's scene."""
    ball = lab.grain((0.013, 0.02, 0.55), velocity=(0.0, 0.0, -speed))
    walls = [{"material": "a", **SHAPES[shape], **wall, "name": "thin"}]
    fields = {"a": lab.material(young=young, restitution=0.9), "frame_rate": 1e3, **options}
    if shape in FACETED and "integrator" not in options:
        return lab.walled([ball], walls, **fields)
    return lab.scene("hertz", [ball], walls, **fields)


def passed(described: lab.Scene, end: float, wall: float, step: float | None = None) -> str | None:
    """What stops the run of a scene, None where nothing does; the ball must then be above the wall, which has come so

    fast, m/s. step: s, instead of the one that is chosen.
    """
    chosen = step or timestep.choose(*build(described)).value
    machine = lab.solver(described, chosen)
    try:
        for part in range(1, 11):
            machine.advance_to(end * part / 10)
            machine.watch()
    except RunError as error:
        return str(error)
    assert machine.frame().position[0, 2] > wall * machine.time
    return None


def assert_tells(told: str) -> None:
    """An error names when, which grain, which wall, and what to do."""
    assert told.startswith("t = ")
    assert "grain 0 at" in told and "wall 'thin'" in told
    assert "ake a " in told


CASES = [
    pytest.param(shape, integrator, marks=pytest.mark.validate if shape in FACETED and integrator else ())
    for shape in SHAPES
    for integrator in (None, "rkf45")
]


@pytest.mark.parametrize("young", [1e3, 1e11])
@pytest.mark.parametrize("moves", ["grain", "wall"])
@pytest.mark.parametrize(("shape", "integrator"), CASES)
def test_nothing_passes_unseen_with_chosen_steps(shape: str, integrator: str | None, moves: str, young: float) -> None:
    """A soft grain that flies at 100 m/s and a wall that comes at 300 m/s go through each other: the push is by far
    too weak. Steps are short enough for that to be seen, so the run stops; a hard grain stays on its side.

    Where a step could be as long as a part of a collision, however long that is, the grain is on one side after one
    step and on the other after the next, and no error is told.
    """
    speed = GRAIN if moves == "grain" else 0.0
    own = {"integrator": integrator} if integrator else {}
    described = scene(shape, COME if moves == "wall" else {}, young, speed, **own)
    told = passed(described, 1.0 / (GRAIN if speed else WALL), 0.0 if speed else WALL)
    assert (told is None) == (young > 1e9)
    if told:
        assert_tells(told)
        assert "deep in wall 'thin'" in told


@pytest.mark.parametrize("hop", [0.5, 3.0, 20.0])
@pytest.mark.parametrize("moves", ["grain", "wall", "wall later"])
@pytest.mark.parametrize("shape", ["disk", "mesh", "cone"])
def test_steps_that_are_too_long_stop_the_run(shape: str, moves: str, hop: float) -> None:
    """A step that moves the grain by half a radius and more against the wall, which nobody has reckoned with, is found

    out while the run goes on: also where it begins and ends far beyond the reach of all lists, and where the wall
    begins to move in it.
    """
    speed = GRAIN if moves == "grain" else 0.0
    step = hop * RADIUS / (GRAIN if speed else WALL)
    wall: dict[str, Any] = {} if speed else COME
    if moves == "wall later":
        wall = {"motion": {**COME["motion"], "start": 1.5 * step}}
    told = passed(scene(shape, wall, 1e3, speed), 4.0 / GRAIN, math.inf, step)
    assert told is not None
    assert_tells(told)
    assert "is moved by" in told and "wall_step_limit" in told


@pytest.mark.parametrize("integrator", ["verlet", "rkf45"])
def test_a_paddle_that_turns_meets_what_is_in_its_way(integrator: str) -> None:
    """The tip of a blade of 1 m that turns about the y axis at 300 rad/s comes from the side of the grain."""
    blade = {
        "shape": "rectangle", "center": (0.0, 0.02, -0.5), "normal": (1, 0, 0), "widths": (1.0, 2.0),
        "motion": {"kind": "rotate", "rate": -WALL, "axis": (0, 1, 0)},
    }  # fmt: skip
    told = passed(scene("rectangle", blade, 1e3, integrator=integrator), 2 * math.pi / WALL, 0.0)
    assert told is not None
    assert_tells(told)


def test_the_step_is_chosen_by_what_may_come_to_a_wall() -> None:
    """Ball of R = 5 cm at v = 100 m/s, soft: 0.18 R/v = 9e-5 s, cut so that a frame of 1 ms holds 12 of them. A wall
    that comes as fast counts as much, a grain without walls not at all, and a stiff grain's collision asks for less.
    """

    def step(*arguments: Any, **options: Any) -> float:
        described = scene(*arguments, **options)
        return timestep.choose(*build(described)).value

    flies = step("disk", {}, 1e3, GRAIN)
    assert flies == pytest.approx(1e-3 / 12)
    assert step("disk", {"motion": {"kind": "translate", "velocity": (0.0, 0.0, GRAIN)}}, 1e3) == pytest.approx(flies)
    assert step("disk", {}, 1e3, GRAIN, wall_step_limit=0.4) == pytest.approx(1e-3 / 6)
    free = step("disk", {}, 1e3, GRAIN, wall_step_limit=math.inf)
    assert free > 10 * flies
    assert step("disk", {}, 1e11, GRAIN) == step("disk", {}, 1e11, GRAIN, wall_step_limit=math.inf) < 0.2 * flies
    alone = lab.boxed(np.array([[0.1, 0.1, 0.1]]), 1.0, GRAIN, young=1e3)
    assert timestep.wall_step(*build(alone)) == (math.inf, 0.0)


@pytest.mark.parametrize("field", ["time_step", "integrator.shortest"])
def test_a_stated_step_is_checked(field: str) -> None:
    """A stated step moves the ball at 100 m/s by at most 0.2 R = 1 cm: 1e-4 s. More is an error before the run, unless
    the limit is another one.
    """

    def stated(step: float, **options: Any) -> lab.Scene:
        own: dict[str, Any] = {"time_step": step}
        if field != "time_step":
            own = {"integrator": {"kind": "rkf45", "shortest": step}}
        return scene("disk", {}, 1e3, GRAIN, **own, **options)

    timestep.choose(*build(stated(0.99e-4)))
    with pytest.raises(SceneError, match=rf"{field}: 0\.00011 s.*wall_step_limit.*0\.0001 s at 100 m/s"):
        timestep.choose(*build(stated(1.1e-4)))
    timestep.choose(*build(stated(1.1e-4, wall_step_limit=0.25)))
    timestep.choose(*build(stated(1.1e-4, wall_step_limit=math.inf)))


def test_a_limit_that_lets_grains_pass_is_told() -> None:
    """Beyond 0.4 radii a step may be out of a thin wall by more than a fifth of a radius on either side, and an overlap
    of 80% is not sure to be seen. A solver without steps against walls does not read the limit.
    """

    def told(limit: float) -> list[str]:
        described = scene("disk", {}, 1e7, 1.0, wall_step_limit=limit)
        return [str(one) for one in checks.check(*lab.prepared(described)) if one.where == "wall_step_limit"]

    assert told(0.2) == told(0.3) == []
    for limit in (0.5, math.inf):
        (one,) = told(limit)
        assert f"{limit:g}" in one and "thin wall" in one
    elsewhere = {"solver": "beams", "wall_step_limit": 0.3}
    (one,) = unused.other_tables(scene("disk", {}, **elsewhere))
    assert one.where == "wall_step_limit" and "does not read it" in str(one)
    assert unused.other_tables(scene("disk", {}, wall_step_limit=0.3)) == []


def accepted(end: float, *, young: float = 1e3, **options: Any) -> int:
    """Adaptive steps of the ball that goes up from 0.55 m above the disk at 10 m/s, without gravity."""
    described = scene("disk", {}, young, -10.0, integrator={"kind": "rkf45", "longest": 0.1}, **options)
    described = lab.Scene.model_validate({**described.to_dict(), "frame_rate": 1.0})
    machine = lab.solver(described, timestep.choose(*build(described)).value)
    machine.advance_to(end)
    return int(machine.statistics()["steps_accepted"])


def test_adaptive_steps_are_cut_near_walls_alone() -> None:
    """The ball flies 100 m away from the disk, at 1 m a step of the longest length, but for the first few, which double
    and double. Cut to a fifth of its radius each, as near the wall, they would be 10 000; to a radius each, 2000.
    """
    assert accepted(10.0) < 150


@pytest.mark.parametrize("limit", [0.2, 1.0])
def test_adaptive_steps_near_a_wall_keep_to_the_limit(limit: float) -> None:
    """The ball slides along the disk, which it just does not touch: every step is as long as the limit lets it, to the
    tenth that is spared, and a last one that fills the rest.
    """
    ball = lab.grain((-0.9, 0.02, RADIUS + 1e-6), velocity=(10.0, 0.0, 0.0))
    described = scene("disk", {}, integrator={"kind": "rkf45", "longest": 0.1}, wall_step_limit=limit)
    fields = {**described.to_dict(), "frame_rate": 1.0}
    fields["grains"] = [{**fields["grains"][0], "fill": ball["fill"], "velocity": ball["velocity"]}]
    described = lab.Scene.model_validate(fields)
    machine = lab.solver(described, timestep.choose(*build(described)).value)
    machine.advance_to(0.15)
    assert machine.frame().position[0, 0] == pytest.approx(0.6)
    least, found = 1.5 / (limit * RADIUS), machine.statistics()["steps_accepted"]
    assert least < found < 1.3 * least


def test_adaptive_steps_do_not_take_grains_through_each_other() -> None:
    """Far from walls two hard balls fly at each other at 50 m/s each, by up to 1 m a step where nothing is near. They
    meet and bounce: in a step without force each would be where the other one was.
    """
    pair = [lab.grain((0.0, 0.0, 30.0 + side * 9.037), velocity=(0.0, 0.0, -side * 50.0)) for side in (-1.0, 1.0)]
    described = scene("disk", {}, 1e11, integrator={"kind": "rkf45", "longest": 0.1})
    fields = {**described.to_dict(), "frame_rate": 1.0}
    own = [{**fields["grains"][0], **one, "name": f"ball {k}"} for k, one in enumerate(pair)]
    described = lab.Scene.model_validate({**fields, "grains": own})
    machine = lab.solver(described, timestep.choose(*build(described)).value)
    machine.advance_to(0.3)
    seen = machine.frame()
    assert seen.position[0, 2] < 29.0 < 31.0 < seen.position[1, 2]
    assert machine.statistics()["steps_accepted"] < 300


def test_a_grain_that_is_absorbed_is_not_missed() -> None:
    """A thin disk that takes grains away takes this one too, at 100 m/s, though it pushes at nothing."""
    described = scene("disk", {"absorbing": True}, 1e3, GRAIN)
    machine = lab.solver(described, timestep.choose(*build(described)).value)
    machine.advance_to(1.0 / GRAIN)
    assert len(machine) == 0


def simulated() -> dict[str, str | None]:
    """What stops runs on the GPU, or its simulator: with the step that is chosen, and with one much longer."""
    from barchan import solvers

    found: dict[str, str | None] = {}
    for name, wall, speed, step in (
        ("grain", {}, GRAIN, None), ("wall", COME, 0.0, None), ("grain, 3 radii", {}, GRAIN, 3 * RADIUS / GRAIN),
        ("wall, 9 radii", COME, 0.0, 9 * RADIUS / WALL),
    ):  # fmt: skip
        model, made = lab.prepared(scene("disk", wall, 1e3, speed))
        machine = solvers.create(model, made, step or timestep.choose(model, made).value, device="cuda")
        found[name] = None
        try:
            for part in range(1, 5):
                machine.advance_to(part / 4 / max(speed, GRAIN))
                machine.watch()
        except RunError as error:
            found[name] = str(error)
    return found


def together() -> dict[str, list[list[Any]]]:
    """Where runs on the CPU, on the GPU or its simulator, end: step, error, and how often a kernel looked for hops.

    A ball slides along a floor at 80 m/s, 0.16 of its radius a step, and gains 0.13 m/s in each; another one slides
    slowly; the floor of a third one, at rest, begins to move after the last step of the first batch.
    """
    from barchan import solvers
    from barchan.kernels import cuda_device

    looks, call = [0], cuda_device.Launcher.__call__

    def counted(launcher: Any, *arguments: Any) -> None:
        looks[0] += launcher.kernel.__name__ == "hop_step"
        call(launcher, *arguments)

    def along(speed: float, pull: float = 0.0, **motion: Any) -> lab.Scene:
        fields = lab.boxed(np.array([[0.1, 0.1, RADIUS + 1e-6]]), 2.0, 0.0).to_dict()
        fields["grains"] = [{**fields["grains"][0], "velocity": (speed, 0.0, 0.0)}]
        floor = {"material": "a", **SHAPES["half space"], **motion, "name": "thin"}
        return lab.Scene.model_validate({**fields, "walls": [floor], "gravity": (pull, 0.0, 0.0)})

    step = 1e-4
    later = {"motion": {**COME["motion"], "start": (BATCH + 0.5) * step}}
    found: dict[str, list[list[Any]]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda_device.Launcher, "__call__", counted)
        for name, described in (
            ("pulled", along(80.0, 1333.0)), ("slow", along(8.0)), ("later", along(0.0, **later)),
        ):  # fmt: skip
            found[name] = []
            for device in ("cpu", "cuda"):
                looks[0], error = 0, ""
                machine = solvers.create(*build(described), step, device=device)
                try:
                    machine.advance(3 * BATCH)
                except RunError as told:
                    error = re.sub(r" at \[.*\] m", "", str(told))  # the device drifts on
                found[name].append([machine.step, error, looks[0]])
    return found


def in_simulator(what: str) -> dict[str, Any]:
    """What one of the functions above finds in a process of its own."""
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root.parent / "src"), str(root)])
    told = subprocess.run(
        [sys.executable, "-m", "solvers.soft.test_thin_walls", what], capture_output=True, text=True, timeout=250,
        check=False, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": path},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return dict(json.loads(told.stdout.splitlines()[-1]))


def test_nothing_passes_unseen_on_a_gpu() -> None:
    """The same on the device that the simulator stands for: the overlap is seen with the chosen step, and a step that
    is too long is found by the kernel that looks for contacts with walls.
    """
    for name, error in in_simulator("simulated").items():
        assert error is not None, name
        assert_tells(error)
        assert ("is moved by" if "radii" in name else "deep in wall 'thin'") in error


def test_a_gpu_looks_for_hops_where_grains_are_fast_and_finds_those_of_the_cpu() -> None:
    """A drift tells of grains that are faster than is surely harmless, and only then a kernel looks. It stops at the

    CPU's step, with its words: also two batches after the ball became fast, when 80 + 0.1333 k m/s exceed 100, and
    where the drift of a step was told of walls that still stood. Where nothing is fast nobody looks.
    """
    found = in_simulator("together")
    for name, (cpu, gpu) in found.items():
        assert gpu[:2] == cpu[:2], name
    assert found["pulled"][0][0] == 151 and found["later"][0][0] == BATCH + 1
    assert all("is moved by" in found[name][0][1] for name in ("pulled", "later"))
    assert found["slow"][0][1:] == ["", 0] and found["slow"][1][2] == 0
    assert found["pulled"][1][2] > 100


if __name__ == "__main__":
    print(json.dumps({"simulated": simulated, "together": together}[sys.argv[1]]()))
