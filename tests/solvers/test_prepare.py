"""Kernels compiled by a second process: of the right types, found by the first one, and never in its way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from barchan.laws.viscous import Viscous
from barchan.solvers import soft_prepare
from barchan.solvers.soft_arrays import Arrays
from barchan.solvers.soft_prepare import Helper
from solvers import lab

COLD = """
import sys
import barchan as bc
from barchan.run.plan import Plan
from barchan.solvers import create
plan = Plan.of(bc.load("drop", sys.argv[1:]))
machine = create(plan.model, plan.grains, 1e-5)
machine.advance_to(3e-5)
k = machine.kernels
for name in ("evaluate", "verlet_steps", "runge_kutta_steps"):
    stats = getattr(k, name).stats
    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
for name in ("wall_pass", "drift", "set_state", "keep_slopes"):
    print(len(getattr(k, name).signatures))
"""


def small(**options):
    return lab.solver(lab.scene("viscous", [lab.grain((0, 0, 0.2))], **options), 1e-5)


def test_empty_arrays_are_of_the_types_that_are_used():
    """What the second process compiles for, it knows from declarations; here are the arrays of a solver."""
    assert numba.typeof(Arrays.empty()) == numba.typeof(small().packed())


@pytest.mark.parametrize("integrator", [{"kind": "verlet"}, {"kind": "rkf45"}])
def test_what_is_shared_is_what_is_called(integrator):
    """The signatures that this process compiles are those with which kernels call each other: no more are compiled."""
    machine, adaptive = small(integrator=integrator), integrator["kind"] == "rkf45"
    soft_prepare.share(machine.kernels, adaptive=adaptive)
    machine.advance_to(3e-5)
    names = ("save_state", "set_state", "keep_slopes", "largest_difference") if adaptive else ("drift",)
    for name in ("wall_pass", *names):
        assert len(getattr(machine.kernels, name).signatures) == 1


@pytest.mark.parametrize("adaptive", [False, True])
def test_a_first_run_finds_forces_and_steps_compiled(tmp_path, adaptive):
    """With an empty cache: the pass over all forces and the steps are loaded, not compiled."""
    if soft_prepare._cores() < 2:
        pytest.skip("one core")
    environment = {**os.environ, "BARCHAN_CACHE": str(tmp_path)}
    environment.pop(soft_prepare.SWITCH, None)
    told = subprocess.run(
        [sys.executable, "-c", COLD, f"integrator.kind={'rkf45' if adaptive else 'verlet'}"],
        env=environment, capture_output=True, text=True, check=True, timeout=300,
    ).stdout.splitlines()  # fmt: skip
    assert told[:3] == (["1 0", "0 0", "1 0"] if adaptive else ["1 0", "1 0", "0 0"])
    assert told[3:] == (["1", "0", "1", "1"] if adaptive else ["1", "1", "0", "0"])


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """Kernels whose forces were never compiled, and leave to ask for help."""
    monkeypatch.delenv(soft_prepare.SWITCH)
    monkeypatch.setattr(soft_prepare, "_cores", lambda: 2)
    code = SimpleNamespace(co_filename=str(tmp_path / "soft_motion.py"))
    return SimpleNamespace(evaluate=SimpleNamespace(py_func=SimpleNamespace(__code__=code)))


def test_there_is_no_helper_where_it_would_not_help(cold, monkeypatch, tmp_path):
    bound = (Viscous(), "no list of shapes")
    asked = []
    monkeypatch.setattr(soft_prepare, "_ask", lambda order: asked.append(order))
    Helper(cold, bound)
    assert len(asked) == 1
    monkeypatch.setenv(soft_prepare.SWITCH, "here")
    Helper(cold, bound)
    monkeypatch.delenv(soft_prepare.SWITCH)
    monkeypatch.setattr(soft_prepare, "_cores", lambda: 1)
    Helper(cold, bound)
    monkeypatch.setattr(soft_prepare, "_cores", lambda: 2)
    Helper(cold, (lambda: 0,))  # only this process knows it
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "soft_motion.evaluate-27.py311.nbi").touch()
    Helper(cold, bound)
    assert len(asked) == 1


def test_a_helper_that_fails_is_not_missed(cold, monkeypatch):
    helper = Helper(cold, (Viscous(), "no list of shapes"))
    assert helper.at_work
    helper.wait()
    monkeypatch.setattr(soft_prepare.sys, "executable", str(Path("no") / "python"))
    helper = Helper(cold, (Viscous(),))
    assert not helper.at_work
    helper.wait()


def test_a_helper_that_hangs_is_ended(cold, monkeypatch):
    monkeypatch.setattr(soft_prepare, "PATIENCE", 0.2)
    monkeypatch.setattr(soft_prepare, "_ask", lambda order: subprocess.Popen([sys.executable, "-c", "input()"],
                                                                             stdin=subprocess.PIPE))  # fmt: skip
    helper = Helper(cold, ())
    helper.wait()
    assert helper._process is not None and helper._process.returncode is not None
