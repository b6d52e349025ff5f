"""Kernels compiled by a second process: of the right types, found by the first one, and never in its way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from barchan.parts.laws.viscous import Viscous
from barchan.solvers import helper as helping
from barchan.solvers.beams import prepare
from barchan.solvers.beams.layout import PLACE
from barchan.solvers.helper import Helper
from barchan.solvers.soft import prepare as soft_prepare
from barchan.solvers.soft.arrays import Arrays
from solvers import beams_lab, lab

COLD = """
import sys
import barchan as bc
from barchan.simulation.plan import Plan
from barchan.solvers import create
plan = Plan.of(bc.load("drop", sys.argv[1:]))
machine = create(plan.model, plan.grains, 1e-5)
machine.advance_to(3e-5)
k = machine.kernels
for name in ("evaluate", "verlet_steps", "runge_kutta_steps"):
    stats = getattr(k, name).stats
    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
for name in ("pair_strip", "move_walls", "all_grains", "verlet_steps"):
    print(len(getattr(k, name).signatures))
"""


BEAMS = """
import barchan as bc
from barchan.simulation.plan import Plan
from barchan.solvers import create
plan = Plan.of(bc.load("two-squares"))
machine = create(plan.model, plan.grains, 1e-6)
machine.advance_to(3e-6)
k = machine.kernels
for name in ("work", "phases", "advance"):
    stats = getattr(k, name).stats
    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
for name in ("push_from_walls", "bend", "accelerate"):
    print(len(getattr(k, name).signatures))
"""
JOB = soft_prepare.compile_forces


def small(law="viscous", **options):
    return lab.solver(lab.scene(law, [lab.grain((0, 0, 0.2))], **options), 1e-5)


def test_empty_arrays_are_of_the_types_that_are_used():
    """What the second process compiles for, it knows from declarations; here are the arrays of a solver."""
    assert numba.typeof(Arrays.empty()) == numba.typeof(small().packed())


@pytest.mark.parametrize("integrator", [{"kind": "verlet"}, {"kind": "rkf45"}])
def test_what_is_shared_is_what_is_called(integrator):
    """The signatures that two processes compile are those with which kernels call each other: no more are compiled."""
    adaptive = integrator["kind"] == "rkf45"
    machine = small("hertz" if adaptive else "viscous", integrator=integrator)
    soft_prepare.share(machine.kernels, adaptive=adaptive)
    soft_prepare.compile_forces(machine._bound())
    machine.advance_to(3e-5)
    names = ("all_grains", "runge_kutta_steps") if adaptive else ("drift", "verlet_steps")
    leaves = ("wall_pass", "pair_strip", "gather_stretch", "move_walls", "pull_tethers", "resist")
    for name in (*leaves, "sweep", "evaluate", *names):
        assert len(getattr(machine.kernels, name).signatures) == 1


def told_of(tmp_path, *order):
    """What a first run tells, with an empty cache and leave to ask for help."""
    if helping._cores() < 2:
        pytest.skip("one core")
    environment = {**os.environ, "BARCHAN_CACHE": str(tmp_path)}
    environment.pop(helping.SWITCH, None)
    return subprocess.run(
        [sys.executable, "-c", *order], env=environment, capture_output=True, text=True, check=True, timeout=300
    ).stdout.splitlines()


@pytest.mark.validate
def test_a_first_run_finds_forces_compiled(tmp_path):
    """With an empty cache: the pass over all forces is loaded, not compiled, and the steps are compiled once. Then so
    for another kind of steps, with pairs from the cache, which ask for the number of their thread: LLVM would end the
    process if numba's threads were not there when they are loaded.
    """
    told = told_of(tmp_path, COLD, "integrator.kind=verlet")
    assert told == ["1 0", "0 1", "0 0", "1", "1", "0", "1"]
    told = told_of(tmp_path, COLD, "integrator.kind=rkf45")
    assert told == ["1 0", "0 0", "0 1", "1", "1", "1", "0"]


@pytest.mark.validate
def test_a_first_run_of_beams_finds_its_work_compiled(tmp_path):
    """With an empty cache: the work of all phases is loaded, and what calls it and what was shared compiled once."""
    assert told_of(tmp_path, BEAMS) == ["1 0", "0 1", "0 1", "1", "1", "1"]


def test_steps_take_no_other_arrays_than_those_that_forces_were_compiled_for():
    """Steps call the forces by their address, where nothing checks types: other types must not come so far."""
    machine = small()
    machine.advance(1)
    c = machine.packed()
    odd = c._replace(velocity=np.asfortranarray(np.zeros((4, 3))))
    with pytest.raises(TypeError, match="No matching definition"):
        machine.kernels.verlet_steps(odd, 1, 1, False, machine.dt, machine.forces_address)
    machine.advance(1)


@pytest.mark.validate
def test_phases_of_beams_find_the_work_for_their_arrays():
    """The same for beams, whose arrays are of the types they happen to have: for each there is work of its own."""
    machine = beams_lab.solver(beams_lab.scene([beams_lab.grain(0.0, 0.0)]))
    machine.advance(1)
    c, kernels = machine.packed(), machine.kernels
    odd = c._replace(gravity=np.zeros(6)[::2])
    work = prepare.ready(kernels, c)
    with pytest.raises(TypeError, match="No matching definition"):
        kernels.phases(odd, PLACE, PLACE, machine.dt, 0.0, 0.0, False, work)
    assert prepare.ready(kernels, odd) != work == prepare.ready(kernels, c)


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """A kernel that was never compiled, and leave to ask for help."""
    monkeypatch.delenv(helping.SWITCH)
    monkeypatch.setattr(helping, "_cores", lambda: 2)
    code = SimpleNamespace(co_filename=str(tmp_path / "soft_motion.py"))
    return SimpleNamespace(py_func=SimpleNamespace(__code__=code, __name__="evaluate"))


def test_there_is_no_helper_where_it_would_not_help(cold, monkeypatch, tmp_path):
    bound = (Viscous(), "no list of shapes")
    asked = []
    monkeypatch.setattr(helping, "_ask", lambda order: asked.append(order))
    Helper(cold, JOB, bound)
    assert len(asked) == 1
    monkeypatch.setenv(helping.SWITCH, "here")
    Helper(cold, JOB, bound)
    monkeypatch.delenv(helping.SWITCH)
    monkeypatch.setattr(helping, "_cores", lambda: 1)
    Helper(cold, JOB, bound)
    monkeypatch.setattr(helping, "_cores", lambda: 2)
    Helper(cold, JOB, (lambda: 0,))  # only this process knows it
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "soft_motion.evaluate-27.py311.1.nbc").touch()
    Helper(cold, JOB, bound)
    assert len(asked) == 1


def test_a_helper_that_fails_is_not_missed(cold, monkeypatch):
    helper = Helper(cold, JOB, (Viscous(), "no list of shapes"))
    assert helper.at_work
    helper.wait()
    monkeypatch.setattr(helping.sys, "executable", str(Path("no") / "python"))
    helper = Helper(cold, JOB, (Viscous(),))
    assert not helper.at_work
    helper.wait()


def test_waiting_for_a_kernel_ends(cold, monkeypatch, tmp_path):
    """When its code is there, when the other process has ended, or when patience has: else this would never end."""
    monkeypatch.setattr(helping, "PATIENCE", 1e6)
    monkeypatch.setattr(helping, "_ask", lambda order: subprocess.Popen([sys.executable, "-c", ""]))
    Helper(cold, JOB).wait_for(cold)
    helping.await_kernel(cold, 0.05)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "soft_motion.evaluate-27.py311.1.nbc").touch()
    helping.await_kernel(cold, 1e6)
    assert helping._in_cache(cold)


def test_a_helper_that_hangs_is_ended(cold, monkeypatch):
    monkeypatch.setattr(helping, "PATIENCE", 0.2)
    monkeypatch.setattr(helping, "_ask", lambda order: subprocess.Popen([sys.executable, "-c", "input()"],
                                                                             stdin=subprocess.PIPE))  # fmt: skip
    helper = Helper(cold, JOB)
    helper.wait()
    assert helper._process is not None and helper._process.returncode is not None
