"""Run scenes of the library and draw a late moment of each on one sheet; runs that are there already are taken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import barchan as bc
from barchan.draw.charts import blank_figure
from barchan.record.folder import is_run

SMALL = {"scenes": ["drop"], "changes": ["duration=0.05"]}  # for a quick look


def main(folder: Path, *, scenes: Sequence[str] = (), changes: Sequence[str] = ()) -> list[Path]:
    """Run them in `folder`, all of the library where none are named; answers with the picture of the sheet."""
    names = list(scenes) or list(bc.library())
    columns = math.ceil(math.sqrt(len(names)))
    figure = blank_figure(3.2 * columns, 3.0 * math.ceil(len(names) / columns))
    for place, name in enumerate(names, start=1):
        if not is_run(folder / name):
            bc.run(bc.load(name, changes), folder / name)
        axes = figure.add_subplot(math.ceil(len(names) / columns), columns, place)
        axes.set_title(name, fontsize=9)
        with bc.Recording(folder / name) as recording:
            scene = bc.loads(recording.scene_toml)
            look = "speed" if scene.solver == "beams" else "group"
            bc.draw_scene(recording[2 * len(recording) // 3], scene, ax=axes, color=look)
    return [bc.save_figure(figure, folder / "scene-sheet.png")]


if __name__ == "__main__":
    main(Path("runs/library"))
