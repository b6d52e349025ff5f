"""At every frame the grains that are there and those that have gone are those that were made, or the run stops."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import barchan as bc
from barchan.simulation import census
from barchan.solvers.base import TimedSolver
from record.toy import make_frame
from simulation.test_story import pouring

GROUND = 2  # place of the absorbing wall among the gates, after the source and the sink


def test_grains_that_vanish_stop_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What falls on to the ground is taken away and counted at no gate. The run stops at the first frame after that,
    with exit code 3, and says how many there are, have gone and were made. It came to its end without a word, and its
    summary counted as gone whatever was not there. Its last frame holds contacts as all others do.
    """
    counted = TimedSolver.count_passing

    def lossy(solver: TimedSolver, gates: np.ndarray, *what: Any) -> None:
        kept = gates != GROUND
        counted(solver, gates[kept], *(one[kept] for one in what))

    monkeypatch.setattr(TimedSolver, "count_passing", lossy)
    with pytest.raises(bc.RunError, match=r"grains are there and \d+ have gone.*, of \d+ made") as stopped:
        bc.run(pouring(record={"contacts": True}), tmp_path / "run", progress=bc.Silent(), threads=1)
    assert stopped.value.exit_code == 3
    with bc.Recording(tmp_path / "run") as recording:
        assert 1 < len(recording) < 11
        assert "grains are there" in recording.summary["stopped"]
        assert all(frame.has("contacts") for frame in recording)  # the last one too, which tells most


def gate(number: int, *, inward: bool) -> Any:
    """A gate that so many grains have passed."""
    return SimpleNamespace(number=number, inward=inward)


def solver(made: int) -> Any:
    """What the census asks of a solver: 9 grains poured through one gate, 3 and 4 gone through two others."""
    gates = {"spout": gate(9, inward=True), "drain": gate(3, inward=False), "side": gate(4, inward=False)}
    return SimpleNamespace(made=made, gates=lambda: gates)


def test_a_grain_too_few_or_too_many_is_seen() -> None:
    """20 that are there and 7 that have gone are 27. A census that took in what was poured would want 36, one of a
    single gate 23 or 24; each of them would pass here with a grain lost or made from nothing.
    """
    frame = make_frame(3, 20)
    census.check(solver(27), frame)
    for wrong in (26, 28, 36, 23, 24, 20):
        with pytest.raises(
            bc.RunError, match=rf"t = 0\.3 s: 20 .* and 7 have gone, 3 of them at drain, 4 .*, of {wrong} made"
        ):
            census.check(solver(wrong), frame)


def test_a_grain_that_is_there_twice_is_named() -> None:
    """One grain stands where another has vanished: the numbers agree, the names do not."""
    frame = make_frame(0, 20)
    frame.id[7] = 8
    with pytest.raises(bc.RunError, match="grain 8 is there 2 times"):
        census.check(solver(27), frame)
