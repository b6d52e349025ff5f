"""Statistics of time steps."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.errors import FileError
from barchan.measures import step_statistics


def test_a_made_up_run() -> None:
    """Two frames of 1 s: four steps of 0.25 s and one rejected, then two of 0.5 s."""
    series = {
        "time": np.array([0.0, 1.0, 2.0, 3.0]),
        "steps_accepted": np.array([0.0, 4.0, 6.0, 6.0]),
        "steps_rejected": np.array([0.0, 1.0, 1.0, 1.0]),
        "shortest_step": np.array([0.0, 0.25, 0.25, 0.25]),
        "longest_step": np.array([0.0, 0.25, 0.5, 0.5]),
    }
    found = step_statistics(series)
    assert (found.accepted, found.rejected) == (6, 1)
    assert (found.shortest, found.longest, found.mean) == (0.25, 0.5, 0.5)
    np.testing.assert_allclose(found.interval_mean, [0.25, 0.5, np.nan])
    assert found.interval_rejected.tolist() == [1, 0, 0]


def test_a_recording_without_the_observable_is_told() -> None:
    with pytest.raises(FileError, match="steps"):
        step_statistics({"time": np.zeros(2)})
