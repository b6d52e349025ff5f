"""Draw cost against grains from results of `barchan bench settled-bed` on CPUs and GPUs.

python benchmarks/chart.py benchmarks/results/2026-11-16-cpu.json benchmarks/results/2026-11-15-h200.json out.png
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure


def main(*names: str) -> None:
    """Read result files, and draw into the last of the names."""
    *sources, target = names
    series: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for source in sources:
        for row in json.loads(Path(source).read_text())["results"]:
            if row["benchmark"] == "settled-bed":
                threads = row.get("threads")
                where = f"CPU, {threads} thread{'s' if threads > 1 else ''}" if threads else f"GPU, {row['precision']}"
                series[where].append((row["grains"], 1e9 / row["median"]))
    curves = [Curve(*zip(*sorted(points), strict=True), label, "both") for label, points in sorted(series.items())]
    panel = Panel("grains", "time a grain and step (ns)", curves, "A settled bed of spheres", log_x=True, log_y=True)
    print(save_figure(draw_panels([panel]), target))


if __name__ == "__main__":
    main(*sys.argv[1:])
