"""A recording measured by name says what the run itself measured at the same times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import barchan as bc
from barchan import registry
from barchan.measures import evaluate
from barchan.measures.evaluate import measure
from barchan.simulation.plan import Measures
from simulation.shared import SMALL
from simulation.test_beams_runs import falling
from simulation.test_hard_run import SCENE as MARBLES
from solvers import relax_lab

LIVE = {"energy", "count", "flow", "steps", "collisions"}  # what no frame holds
SEEN = ("stress", "packing", "modes", "centre", "cell", "steps")
RECORD = {"record": bc.Record(contacts=True)}
THROUGH = SMALL.replace(
    "[materials", "periodic = [true, true, false]\nbox = { low = [0, 0, 0], high = [0.02, 0.02, 1] }\n[materials"
)


def seen(*names: str) -> dict[str, object]:
    """Observables of a scene."""
    return {"observables": tuple(registry.parts("observables")[name]() for name in names)}


def through() -> bc.Scene:
    """Grains that touch each other through periodic faces while they fall on the floor."""
    return bc.loads(THROUGH).model_copy(update=RECORD | seen(*SEEN))


def marbles() -> bc.Scene:
    """Hard spheres with a source, which meet for an instant."""
    return MARBLES.model_copy(update=seen("stress", "packing", "centre", "cell"))


def sheared() -> bc.Scene:
    """A packing of discs in shear."""
    scene = relax_lab.flat_scene(60, deformation={"kind": "pure-shear", "strain": 0.01, "returns": True})
    return scene.model_copy(update=RECORD | seen("stress", "packing", "cell", "centre"))


def squares() -> bc.Scene:
    """Squares of triangles that break, and of which one leaves through a sink."""
    return falling().model_copy(update=RECORD | seen("stress", "packing", "modes", "centre"))


@pytest.mark.parametrize("scene", [through, marbles, sheared, squares])
def test_a_recording_is_measured_as_the_run_was(
    scene: Callable[[], bc.Scene], tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every observable of the run, at every frame, to 1e-12 of what is largest among its numbers of the same unit: the
    frame that is read has the bits of the one that was measured. What a frame does not hold comes from the series: of
    hard spheres also what their contacts would tell, as they meet for an instant.

    Contacts by rows instead of ids, a branch to the wrong image, grains without their volume, or samples taken at
    another time would differ here.
    """
    run = bc.run(scene(), tmp_path / "run", progress=bc.Silent(), threads=1)
    taken: set[str] = set()
    given: set[str] = set()
    ask = evaluate._of_series
    monkeypatch.setattr(evaluate, "_of_series", lambda *of: taken.add(of[1].key) or ask(*of))
    with run.recording as recording:
        series, units, rows = (
            recording.series,
            recording.units,
            np.searchsorted(recording.series["time"], recording.times),
        )
        assert (series["time"][rows] == recording.times).all()
        for one in Measures.of(recording.scene).observables:
            found = measure(recording, one.key)
            given |= found.values.keys()
            for name, values in found.values.items():
                alike = [np.abs(series[other][rows]).max() for other in found.values if units[other] == units[name]]
                assert found.units[name] == units[name]
                assert np.allclose(values, series[name][rows], rtol=1e-12, atol=1e-12 * max(alike)), name
    assert given == series.keys() - {"time", "step"}, "what the run has measured can be asked for, all of it"
    own = {one.key for one in Measures.of(run.scene).observables}
    of_contacts = {"contacts", "stress", "packing"} if scene is marbles else set()
    assert taken == own & (LIVE | of_contacts)


def test_what_frames_lack_and_the_run_did_not_measure(tmp_path) -> None:
    """Without contacts stress is not there, and the field that records them is named; `contacts` every run measures.
    With other fields it is another observable, which the run did not measure.
    """
    run = bc.run(
        bc.loads(SMALL).model_copy(update=seen("modes", "packing")), tmp_path / "run", progress=bc.Silent(), threads=1
    )
    with run.recording as recording:
        for text in ("stress", "packing(volume=1)", "stress@last"):
            with pytest.raises(bc.BarchanError, match=r'record\.contacts = true or observables = \["') as error:
                measure(recording, text)
            assert error.value.exit_code == 2 and ("with these fields" in str(error.value)) == ("volume" in text)
        with pytest.raises(bc.BarchanError, match=r'hold no steps.* Set observables = \["steps"\] in the scene'):
            measure(recording, "steps")
        assert measure(recording, "contacts@last").value > 0 and measure(recording, "packing@last").value > 0
        assert measure(recording, "modes").values["sticking_contacts"].shape == (6,)
