"""Statistics of time steps, from the observable `steps` of a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from barchan.drawn import Drawn
from barchan.errors import FileError, Finding
from barchan.measures.named import measured


@dataclass(frozen=True)
class StepStatistics(Drawn):
    """A row of Yee's tables of time steps, and the mean step of each interval between two samples."""

    accepted: int
    rejected: int
    shortest: float  # s
    longest: float  # s
    mean: float  # s
    time: np.ndarray  # (S − 1,) s, ends of the intervals
    interval_mean: np.ndarray  # (S − 1,) s; nan where no step ended in an interval
    interval_rejected: np.ndarray  # (S − 1,) rejected steps in the interval


@measured(
    {"steps_accepted": "", "steps_rejected": "", "shortest_step": "s", "longest_step": "s", "mean_step": "s"},
    taken=attrgetter("accepted", "rejected", "shortest", "longest", "mean"),
)
def step_statistics(series: Mapping[str, np.ndarray]) -> StepStatistics:
    """The statistics from a recording's series, which must hold those of the observable `steps`."""
    if "steps_accepted" not in series:
        missing = Finding(
            "observables", "the series of `steps` were not recorded", remedy="add observables = ['steps']"
        )
        raise FileError(missing)
    time, accepted, rejected = (np.asarray(series[name]) for name in ("time", "steps_accepted", "steps_rejected"))
    taken = np.diff(accepted)
    count = int(accepted[-1])
    return StepStatistics(
        accepted=count,
        rejected=int(rejected[-1]),
        shortest=float(series["shortest_step"][-1]),
        longest=float(series["longest_step"][-1]),
        mean=float(time[-1] - time[0]) / count if count else 0.0,
        time=time[1:],
        interval_mean=np.divide(np.diff(time), taken, out=np.full(len(taken), np.nan), where=taken > 0),
        interval_rejected=np.diff(rejected),
    )
