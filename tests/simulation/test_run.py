"""Running a scene in Python: what is recorded, that it is the same every time, and that it goes on where it stopped."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import barchan as bc
from barchan.model import timestep
from barchan.model.build import build
from barchan.parts.integrators.rkf45 import RungeKuttaFehlberg
from barchan.record.folder import JOURNAL, RECORDING
from barchan.simulation import plan
from barchan.simulation.progress import Pulse
from barchan.simulation.summary import rows
from simulation.shared import JELLY, SMALL, Stopper, checkpoint_hash, recording_hash, stopped
from solvers.inside import peek


class Listener(bc.Silent):
    """A progress that remembers."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.pulses: list[Pulse] = []

    def status(self, text: str, detail: str = "") -> None:
        self.said.append(text)

    def note(self, text: str) -> None:
        self.said.append(text)

    def pulse(self, pulse: Pulse) -> None:
        self.pulses.append(pulse)


def test_frames_and_samples_are_recorded_at_their_times(finished):
    with finished.recording as recording:
        assert recording.finished
        assert np.allclose(recording.times, np.arange(6) / 50, atol=1e-4)
        assert np.allclose(recording.series["time"], np.arange(11) / 100, atol=1e-4)
        assert {"kinetic_energy", "contacts_per_grain", "pile_height", "grain_count"} <= recording.series.keys()
        assert bc.loads(recording.scene_toml) == bc.loads(SMALL)
        assert recording.meta["versions"]["barchan"] == bc.__version__
        assert recording.meta["seed"] == 0


def test_a_run_is_drawn_from_the_scene_that_was_run(finished, monkeypatch):
    """The scene is at hand after a run: to draw it, it need not be parsed from the text that was recorded, which is
    slow for large scenes and needs every shape of a script to be registered still. A recording opened later reads it.
    """
    with finished.recording as recording, bc.Recording(finished.folder) as later:
        assert recording.scene is finished.scene
        assert later.scene == finished.scene and later.scene is not finished.scene
        monkeypatch.setattr("barchan.scene.toml.parse", lambda *_: pytest.fail("the scene was parsed again"))
        assert finished.plot().images


def test_the_summary_states_overlap_balance_and_counts(finished):
    assert 0 < finished.summary["worst_overlap"] < 0.2
    assert finished.summary["energy_error"] < 0.05
    assert (finished.summary["grains_in"], finished.summary["grains_out"]) == (30, 0)
    assert finished.summary["wall_time"] > 0


def test_the_summary_tells_steps_of_any_length():
    made = {"steps": 511, "time_step": 2.8e-6}
    for lengths, words in (
        ({}, "511 of 2.8e-06 s"),  # as hard spheres have it
        ({"shortest_step": 2.8e-6, "longest_step": 2.8e-6}, "511 of 2.8e-06 s"),
        ({"shortest_step": 1e-5, "longest_step": 0.002}, "511, from 1e-05 to 0.002 s"),
        ({"shortest_step": 0.002, "longest_step": 0.002}, "511 of 0.002 s"),
    ):
        assert dict(rows({**made, **lengths})) == {"steps": words}


def test_grains_fall_as_they_should(finished):
    """The lowest grain has 2 mm to fall, which takes 20 ms; until then the centre of mass falls by g t²/2."""
    with finished.recording as recording:
        series = recording.series
    assert series["mean_height"][0] - series["mean_height"][1] == pytest.approx(9.81 * series["time"][1] ** 2 / 2)


def test_the_same_bits_on_one_and_two_threads(small, tmp_path):
    from barchan.kernels import threads

    if threads.most() < 2:
        pytest.skip("one processor")
    brief = small.model_copy(update={"duration": 0.03})
    one, two = (bc.run(brief, tmp_path / str(n), progress=bc.Silent(), threads=n).folder for n in (1, 2))
    assert recording_hash(one) == recording_hash(two)
    assert checkpoint_hash(one) == checkpoint_hash(two)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_and_resumed_it_ends_with_the_same_bits(small, finished, tmp_path, number):
    stopped(small, tmp_path / "run", 0.03, number)
    assert (tmp_path / "run" / JOURNAL).exists() and not (tmp_path / "run" / RECORDING).exists()
    with pytest.raises(bc.Interrupted):
        bc.resume(tmp_path / "run", progress=Stopper(0.07), threads=1)
    result = bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1)
    assert recording_hash(result.folder) == recording_hash(finished.folder)
    assert checkpoint_hash(result.folder) == checkpoint_hash(finished.folder)


def test_the_signals_mean_what_they_meant_before(small, tmp_path):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    stopped(small, tmp_path / "run", 0.03)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_run_without_a_checkpoint_starts_again(small, finished, tmp_path):
    """Killed while compiling, a run has a journal with the scene in it and nothing else."""
    folder = tmp_path / "run"
    stopped(small, folder, 0.03)
    for path in folder.glob("checkpoint.*"):
        path.unlink()
    bc.resume(folder, progress=bc.Silent(), threads=1)
    assert recording_hash(folder) == recording_hash(finished.folder)


def test_resuming_a_finished_run_does_nothing(finished):
    before = (finished.folder / RECORDING).read_bytes()
    again = bc.resume(finished.folder, progress=bc.Silent())
    assert again.was_finished
    assert again.summary == finished.summary
    assert (finished.folder / RECORDING).read_bytes() == before


def test_a_run_begun_with_another_version_is_noted(small, tmp_path, monkeypatch):
    from barchan.simulation import loop

    now = loop._versions()
    monkeypatch.setattr(loop, "_versions", lambda: {**now, "numpy": "0.1"})
    stopped(small, tmp_path / "run", 0.03)
    monkeypatch.undo()
    listener = Listener()
    bc.resume(tmp_path / "run", progress=listener, threads=1)
    assert any("begun with numpy 0.1" in text for text in listener.said)


def test_a_run_folder_is_not_overwritten(small, tmp_path):
    stopped(small, tmp_path / "run", 0.03)
    before = checkpoint_hash(tmp_path / "run")
    with pytest.raises(bc.FileError, match="already holds a run"):
        bc.run(small, tmp_path / "run", progress=bc.Silent())
    assert checkpoint_hash(tmp_path / "run") == before
    bc.run(small, tmp_path / "run", force=True, progress=bc.Silent(), threads=1)


def test_a_run_that_goes_bad_stops_and_leaves_the_last_good_state(tmp_path):
    with pytest.raises(bc.RunError) as caught:
        bc.run(bc.loads(JELLY), tmp_path / "run", progress=bc.Silent(), threads=1)
    text = str(caught.value)
    assert "grain 0" in text and "grain 1" in text and "t = 0.0" in text and "the last good state is here" in text
    assert caught.value.exit_code == 3
    assert len(checkpoint_hash(tmp_path / "run")) == 64
    with bc.Recording(tmp_path / "run") as recording:
        assert not recording.finished
        assert "overlap" in recording.summary["stopped"]
        assert 0.04 < recording.times[-1] < 0.06
    with pytest.raises(bc.RunError):
        bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1)


def test_numbers_that_are_none_stop_a_run(small, tmp_path, monkeypatch):
    """A grain whose speed is lost to NaN half way: the recording ends there, and the checkpoint is sound."""
    from barchan.solvers.soft.solver import SoftSolver

    advance_to = SoftSolver.advance_to

    def poisoned(solver, t):
        advance_to(solver, t)
        if t > 0.05:
            peek(solver, "velocity")[3] = np.nan

    monkeypatch.setattr(SoftSolver, "advance_to", poisoned)
    hasty = small.model_copy(update={"checkpoint_interval": 1e-6})
    with pytest.raises(bc.RunError, match="not a number"):
        bc.run(hasty, tmp_path / "run", progress=bc.Silent(), threads=1)
    monkeypatch.undo()
    assert bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1).summary["grains_out"] == 0


def test_a_wall_vanishes_between_two_steps(small, tmp_path):
    """The edge of a wall need not fall on a step: the floor is gone at the next one, and all grains fall through."""
    walls = [small.walls[0].model_copy(update={"vanishes": 0.012345678})]
    scene = small.model_copy(update={"walls": tuple(walls)})
    with bc.run(scene, tmp_path / "run", progress=bc.Silent(), threads=1).recording as recording:
        assert [bool(frame.wall_present[0]) for frame in recording] == [True, False, False, False, False, False]


def test_however_many_grains_there_are_some_steps_go_between_two_visits(small, monkeypatch):
    """A visit looks at every grain, which costs as much as a few steps."""
    monkeypatch.setattr(plan, "MOST_WORK", {"cpu": 1})
    made = plan.Plan.of(small)
    steps = 1 / (small.frame_rate * made.time_step.value)
    assert 20 <= steps / made.pieces < 21


def test_progress_tells_how_far_the_run_is(small, tmp_path):
    listener = Listener()
    bc.run(small, tmp_path / "run", progress=listener, threads=1)
    assert "compiles" in listener.said[0]
    assert listener.pulses[-1].time == listener.pulses[-1].duration == 0.1
    assert [pulse.step for pulse in listener.pulses] == sorted(pulse.step for pulse in listener.pulses)
    assert listener.pulses[-1].grain_steps > 0


def test_threads_are_as_many_as_processors_are_idle(monkeypatch):
    from barchan.kernels import threads

    monkeypatch.setattr(threads, "most", lambda: 8)
    for load, count in ((0.2, 8), (2.6, 5), (7.9, 1), (40.0, 1)):
        monkeypatch.setattr(threads, "_busy", lambda load=load: round(load))
        assert threads.idle() == count


@pytest.mark.parametrize("count", [0, 10_000])
def test_impossible_numbers_of_threads_are_refused(small, tmp_path, count):
    with pytest.raises(bc.SceneError, match="must be between 1 and"):
        bc.run(small, tmp_path / "run", progress=bc.Silent(), threads=count)
    assert not (tmp_path / "run").exists()


def test_two_observables_of_one_kind_are_refused(small, tmp_path):
    twice = bc.loads(SMALL + "\n[[observables]]\nkind = 'count'\n[[observables]]\nkind = 'count'\n")
    with pytest.raises(bc.SceneError, match="name of its own"):
        bc.run(twice, tmp_path / "run", progress=bc.Silent())
    once = bc.loads(SMALL + "\n[[observables]]\nkind = 'count'\n")
    assert len(bc.Plan.of(once).measures.series) == len(bc.Plan.of(small).measures.series)


def test_a_shortest_step_that_the_scene_sets_is_no_number_yet(small):
    chooses = RungeKuttaFehlberg.model_construct(shortest=None, tolerance=None, longest=1 / 24)
    chosen = timestep.choose(*build(small.model_copy(update={"integrator": chooses})))
    assert not chosen.fixed
    assert chosen.text == "rkf45 chooses its steps, up to 0.02 s; the scene sets the shortest"


def test_samples_more_often_than_steps_are_refused(small):
    with pytest.raises(bc.SceneError, match="sample_rate"):
        bc.Plan.of(small.model_copy(update={"sample_rate": 1e7}))


def test_a_full_disk_loses_nothing(small, finished, tmp_path, monkeypatch):
    """The disk refuses a checkpoint in the middle: the run ends with a clear error, and goes on when there is room."""
    from barchan.record import blocks

    write, calls = blocks.write, []

    def refuse(file, *arguments, **options):
        if "checkpoint" in str(file.name):
            calls.append(file.name)
            if len(calls) > 3:
                raise OSError(28, "No space left on device")
        return write(file, *arguments, **options)

    monkeypatch.setattr(blocks, "write", refuse)
    hasty = small.model_copy(update={"checkpoint_interval": 1e-6})
    with pytest.raises(bc.FileError, match="No space left"):
        bc.run(hasty, tmp_path / "run", progress=bc.Silent(), threads=1)
    monkeypatch.undo()
    bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1)
    assert recording_hash(tmp_path / "run") == recording_hash(finished.folder)
