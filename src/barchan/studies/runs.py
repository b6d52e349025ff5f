"""Recorded runs of studies, which may take hours: none is computed twice."""

from __future__ import annotations

from pathlib import Path

from barchan.errors import BarchanError
from barchan.record.recording import Recording
from barchan.scene import Scene, dumps, loads
from barchan.simulation.loop import resume, run
from barchan.simulation.progress import Progress


def recorded(scene: Scene, folder: Path, progress: Progress) -> Recording:
    """Run a scene and record it in `folder`; where a run of the same scene stopped there, go on with it.

    These runs take long. A finished one is taken as it is, and that is told.
    """
    if _same(scene, folder):
        progress.note(
            f"{folder} holds a run of the same scene: it goes on, or is taken as it is; remove it to begin anew"
        )
        return resume(folder, progress=progress).recording
    return run(scene, folder, force=True, progress=progress).recording


def _same(scene: Scene, folder: Path) -> bool:
    """Whether a folder holds a run of just this scene; one recorded before a field was there had its default."""
    try:
        with Recording(folder) as recording:
            return loads(recording.scene_toml) == loads(dumps(scene))
    except BarchanError:
        return False
