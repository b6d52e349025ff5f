"""Record the contacts of a settling bed, colour grains by the pressure in them, write a page to look closer."""

from __future__ import annotations

from pathlib import Path

import barchan as bc
from barchan.measures.grains import contact_number
from barchan.parts.wall_shapes.plane import Plane
from barchan.record import formats

SMALL = {"count": 30, "duration": 0.1}  # for a quick look

SCENE = """
name = "force chains"
description = "Grains settle between four walls, with every contact recorded."
duration = {duration}
frame_rate = 50
record = {{ contacts = true }}

[materials.sand]
density = "2500 kg/m^3"
young = "10 MPa"
friction = 0.5
restitution = 0.3

[[grains]]
name = "sand"
material = "sand"
count = {count}
size = {{ kind = "uniform", low = "4 mm", high = "6 mm" }}
fill = {{ kind = "random", region = {{ kind = "box", low = [-0.025, -0.025, 0], high = [0.025, 0.025, 0.16] }} }}

[[walls]]
name = "floor"
shape = "plane"
material = "sand"
"""


def main(folder: Path, *, count: int = 400, duration: float = 0.8) -> list[Path]:
    """Run it in `folder`; answers with the pictures."""
    sides = [Plane(point=(-0.025 * x, -0.025 * y, 0), normal=(x, y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    scene = bc.loads(SCENE.format(count=count, duration=duration))
    walls = [bc.Wall(name=f"side {k}", shape=side, material="sand") for k, side in enumerate(sides)]
    scene = scene.model_copy(update={"walls": (*scene.walls, *walls)})
    run = bc.run(scene, folder / "force-chains", force=True)
    with run.recording as recording:
        bed = recording[-1]
        print(f"{contact_number(bed).mean():.2f} contacts a grain at the end")
        picture = bc.draw_scene(bed, scene.walls, color="stress")
        bc.write_page(recording, folder / "force-chains.html")  # tick “force chains” there
        formats.write(recording, "csv-series", folder / "force-chains.csv", force=True)
        bc.write_report(recording, folder / "force-chains-report.html")
    return [bc.save_figure(picture, folder / "force-chains.png")]


if __name__ == "__main__":
    main(Path("runs"))
