"""Every solver does all that the base says, and of what only some can do, what its method lists and no more."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from barchan import registry
from barchan.errors import SceneError
from barchan.model import grains as model_grains
from barchan.model.pour import Pourer
from barchan.scene.method import CAPABILITIES
from barchan.scene.scene import METHODS
from barchan.simulation.plan import Plan
from barchan.solvers import CLASSES, solver_class
from barchan.solvers.base import Lacking, Solver
from barchan.solvers.unused import lacking
from solvers import beams_lab, hard_lab, lab, relax_lab

SOURCE = {"name": "spout", "material": "a", "rate": 1.0}
REGION = {"kind": "box", "low": (5.0, 0.0, 5.0), "high": (6.0, 0.0, 6.0)}
SPACE = {"kind": "box", "low": (5.0, 5.0, 5.0), "high": (6.0, 6.0, 6.0)}
SINK = {"name": "drain", "region": {"kind": "box", "low": (-9.0, -9.0, -9.0), "high": (9.0, 9.0, -8.0)}}
LATER = {"name": "later", "shape": "plane", "material": "a", "point": (0.0, 0.0, -3.0), "present": False}
# A wall that begins to move when told, in a way that the laboratories have.
MOVES = {
    "name": "slide", "shape": "plane", "material": "a", "point": (0.0, 0.0, -2.0),
    "motion": {"kind": "translate", "velocity": (0.0, 0.0, -2.0)},
}  # fmt: skip
EVENT = {"name": "push", "when": {"kind": "time", "at": 0.5}, "do": {"kind": "start_motion", "wall": "slide"}}


def _soft() -> Solver:
    source = {**SOURCE, "size": 0.1, "region": SPACE}
    groups = [lab.grain((0.0, 0.0, 1.0), velocity=(3.0, 0.0, 0.0))]
    described = lab.scene("hertz", groups, [LATER, MOVES], sources=[source], sinks=[SINK], events=[EVENT])
    return lab.solver(described, 1e-5)


def _hard() -> Solver:
    source = {**SOURCE, "size": 0.1, "region": SPACE}
    groups = [hard_lab.grain((0.0, 0.0, 1.0), velocity=(3.0, 0.0, 0.0))]
    return hard_lab.solver(hard_lab.scene(groups, [LATER, MOVES], sources=[source], sinks=[SINK], events=[EVENT]))


def _beams() -> Solver:
    source = {**SOURCE, "shape": "square", "size": 2e-3, "region": REGION}
    groups = [beams_lab.grain(0.0, 1.0, velocity=(3.0, 0.0, 0.0))]
    return beams_lab.solver(
        beams_lab.scene(groups, walls=[LATER, MOVES], sources=[source], sinks=[SINK], events=[EVENT]), 1e-6
    )


def _relax() -> Solver:
    return relax_lab.solver(relax_lab.flat_scene(50))


MACHINES: dict[str, Callable[[], Solver]] = {"soft": _soft, "hard": _hard, "relax": _relax, "beams": _beams}


def grains_of(machine: Solver) -> Any:
    """A grain that its source pours, or where it has none, the one that nobody asks for."""
    return Pourer(machine.model.scene, 0).sample(1) if machine.model.scene.sources else None


def _advanced(machine: Solver) -> bool:
    before = machine.step
    machine.advance(3)
    return machine.step == before + 3


def _taken_in(machine: Solver) -> bool:
    before = len(machine), machine.made
    machine.insert(grains_of(machine), "spout", waiting=2)
    gate = machine.gates()["spout"]
    return (len(machine), machine.made) == (before[0] + 1, before[1] + 1) and (gate.number, gate.waiting) == (1, 2)


def _removed(machine: Solver) -> bool:
    made = machine.made
    machine.remove(np.ones(len(machine), bool), "drain")
    return len(machine) == 0 and machine.made == made and machine.gates()["drain"].number == 1


def _there(machine: Solver, name: str) -> bool:
    return bool(machine.frame().wall_present[machine.model.walls.names.index(name)])


def _wall_added(machine: Solver) -> bool:
    before = _there(machine, "later") if "later" in machine.model.walls.names else None
    machine.add_wall("later")
    return before is False and _there(machine, "later")


def _wall_removed(machine: Solver) -> bool:
    machine.remove_wall("later")
    return not _there(machine, "later")


def _begun(machine: Solver) -> bool:
    index = machine.model.walls.names.index("slide") if machine.model.walls.names else 0
    machine.start_motion("slide")
    machine.advance_to(machine.time + 1e-3)
    return bool(machine.frame().wall_pose[index, 2] == pytest.approx(-2e-3, rel=0.02))


def _turned(machine: Solver) -> bool:
    machine.change_gravity((1.0, 0.0, -2.0))
    return machine.gravity().tolist() == [1.0, 0.0, -2.0]


# Asks for a capability; True where it has done what its docstring in base says, for the machines above.
ASKED: dict[str, Callable[[Solver], bool]] = {
    "advance": _advanced,
    "room": lambda machine: machine.room(grains_of(machine)).tolist() == [True],
    "insert": _taken_in,
    "remove": _removed,
    "add_wall": _wall_added,
    "remove_wall": _wall_removed,
    "start_motion": _begun,
    "change_gravity": _turned,
    "fastest": lambda machine: machine.fastest() == pytest.approx(3.0),
    "kinetic_energy": lambda machine: machine.kinetic_energy() == pytest.approx(4.5 * machine.frame().mass.sum()),
    "worst_overlap": lambda machine: machine.worst_overlap == 0.0,
    "list_counts": lambda machine: machine.list_counts >= (1, 1),
}


@pytest.mark.parametrize("name", ["soft", "hard"])
def test_a_new_grain_has_an_id_that_no_grain_has(name: str) -> None:
    """A run that begins with another one's grains keeps their ids, and where some had gone there are fewer grains than
    ids. New ids were counted from the number of grains, so that one could be given twice, and the census stopped the
    run as a fault of ours. A checkpoint knows them too; the seven that are not there have not gone out of this run.
    """
    first = MACHINES[name]()
    kept = model_grains.grains_of(first.frame(), np.zeros(1, np.int32))
    kept.id[:] = 7
    machine = type(first)(first.model, kept, first.dt)
    machine.insert(grains_of(machine), "spout")
    again = type(machine).restored(machine.model, *machine.state())
    again.insert(grains_of(again), "spout")
    assert sorted(machine.frame().id.tolist()) == [7, 8] and sorted(again.frame().id.tolist()) == [7, 8, 9]
    assert (again.made, again.statistics()["grains_out"]) == (3, 0)


@pytest.mark.parametrize("name", MACHINES)
def test_what_a_solver_lists_works_and_the_rest_is_a_clear_error(name: str) -> None:
    """A sphere or a square that flies at 3 m/s has m 9/2 m²/s² of energy; a wall that was not there is there when
    added; one that moves down by 2 m/s has gone 2 mm a millisecond after it was told to; what is inserted and removed
    is counted, at its gate too. What a method does not list ends with `Lacking`, which names the solver, what is
    wanted, and a solver that can. A list that promises too much, or forgets something, fails; so does a method that
    begins to work and leaves the grains as they were.
    """
    can = METHODS[name].can
    machine = MACHINES[name]()
    assert type(machine).method is METHODS[name] and len(machine) >= 1
    for capability, ask in ASKED.items():
        if capability in can:
            assert ask(MACHINES[name]() if capability in ("insert", "remove") else machine), capability
            continue
        with pytest.raises(Lacking) as refused:
            ask(machine)
        (finding,) = refused.value.findings
        able = [method.name for method in METHODS.values() if capability in method.can]
        assert repr(name) in finding.what and CAPABILITIES[capability] in finding.what
        assert able and all(f'"{one}"' in finding.remedy for one in able) and f'"{name}"' not in finding.remedy
        assert refused.value.exit_code == 2


@pytest.mark.parametrize(("name", "device"), CLASSES)
def test_every_solver_does_all_that_the_base_says(name: str, device: str) -> None:
    """No abstract member is left open, on the GPU either, and what a class overrides is what its method lists. A solver
    that lacks a member would be found out by the run that asks for it.
    """
    solver = solver_class(name, device)
    assert issubclass(solver, Solver) and not inspect.isabstract(solver)
    assert solver.method is METHODS[name] and device in METHODS[name].devices
    own = {one for one in CAPABILITIES if inspect.getattr_static(solver, one) is not vars(Solver)[one]}
    assert own == solver.method.can
    assert set(ASKED) == set(CAPABILITIES)


def test_every_method_has_a_solver_on_each_of_its_devices() -> None:
    """A method without a class, or a class without a method, is one that a scene cannot name."""
    assert {(one.name, device) for one in METHODS.values() for device in one.devices} == set(CLASSES)


@pytest.mark.parametrize(
    ("kind", "function"),
    [(kind, kind.holds) for kind in registry.parts("conditions").values()]  # type: ignore[attr-defined]
    + [(kind, kind.act) for kind in registry.parts("actions").values()],  # type: ignore[attr-defined]
)
def test_conditions_and_actions_ask_for_what_they_are_typed_with(kind: Any, function: Callable[..., object]) -> None:
    """`asks` names the protocol that the function is typed with, which mypy holds it to: so the check of a scene knows
    all that a condition or an action asks of a solver.
    """
    assert inspect.signature(function).parameters["solver"].annotation == kind.asks.__name__


@pytest.mark.parametrize(
    ("asked", "where", "capability"),
    [
        ({"sources": [{**SOURCE, "size": 0.1, "region": SPACE}]}, "sources[0]", "insert"),
        ({"sinks": [SINK]}, "sinks[0]", "remove"),
        ({"events": [{**EVENT, "when": {"kind": "rest", "speed": 0.1}, "do": "stop"}]}, "events[0].when", "fastest"),
        (
            {"events": [{**EVENT, "do": ["stop", {"kind": "gravity", "to": (0, 0, 1)}]}]},
            "events[0].do[1]", "change_gravity",
        ),
        ({"events": [{**EVENT, "do": {"kind": "add_wall", "wall": "far"}}]}, "events[0].do[0]", "add_wall"),
    ],
)  # fmt: skip
def test_what_a_scene_asks_of_a_solver_that_cannot_is_found_before(
    asked: dict[str, Any], where: str, capability: str
) -> None:
    """Packings that are relaxed take in no grains and have no speeds. The check says where the scene asks for it, and
    which solvers can. Without it the run would begin, and end at its first look.
    """
    described = relax_lab.round_scene(20, **asked)
    with pytest.raises(SceneError) as refused:
        Plan.of(described)
    (finding,) = refused.value.findings
    assert finding.where == where and "the solver 'relax' cannot" in finding.what
    assert finding.remedy == 'leave it out, or use solver = "soft" or "hard" or "beams"'
    assert finding.expected == f"needs {capability!r}"


def test_a_scene_that_its_solver_can_do_asks_for_nothing_else() -> None:
    """The same events, sources and sinks are no finding for solvers with time."""
    for name in ("soft", "hard", "beams"):
        assert lacking(MACHINES[name]().model.scene) == []
