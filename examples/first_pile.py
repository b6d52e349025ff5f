"""Let five hundred grains fall on a floor, measure the heap, and draw both."""

from __future__ import annotations

from pathlib import Path

import barchan as bc
from barchan.measures import packing_fraction, radial_profile
from barchan.parts.fills.random import RandomFill
from barchan.parts.regions.cylinder import CylinderRegion
from barchan.parts.sizes.uniform import UniformSize
from barchan.parts.wall_shapes.plane import Plane
from barchan.scene import GrainGroup, Material, Scene, Wall

SMALL = {"count": 30, "duration": 0.1, "rolling": 0.0}  # for a quick look


def main(folder: Path, *, count: int = 500, duration: float = 0.8, rolling: float = 1e-3) -> list[Path]:
    """Run it in `folder`; answers with the pictures. Without rolling friction (m) a heap of spheres flows away."""
    scene = Scene(
        name="first pile",
        description="Grains are let go in a column above a floor and spread into a heap.",
        duration=duration,
        frame_rate=50,
        materials={
            "sand": Material(density=2500, young="10 MPa", friction=0.8, restitution=0.1, rolling_friction=rolling)
        },
        grains=[
            GrainGroup(
                name="sand",
                material="sand",
                size=UniformSize(low="4 mm", high="6 mm"),
                count=count,
                fill=RandomFill(region=CylinderRegion(base=(0, 0, 0.01), radius=0.03, height=0.07)),
            )
        ],
        walls=[Wall(name="floor", shape=Plane(), material="sand")],
    )
    run = bc.run(scene, folder / "first-pile", force=True)
    with run.recording as recording:
        heap, strip = recording[-1], bc.draw_strip(recording, 4, scene.walls, view="front")
        profile = radial_profile(heap)
    fraction = packing_fraction(heap, (-0.02, -0.02, 0.0), (0.02, 0.02, 0.01))
    print(f"foot at {1e3 * profile.foot:.0f} mm, solid fraction of the lowest centimetre {fraction}")
    return [
        bc.save_figure(strip, folder / "first-pile.png"),
        bc.save_figure(profile.plot().figure, folder / "first-pile-profile.png"),
    ]


if __name__ == "__main__":
    main(Path("runs"))
