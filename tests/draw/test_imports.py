"""What is drawn loads what it is drawn with: a curve no kernels, a picture of grains no solver."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

CURVES = ("numba", "llvmlite", "scipy", "pydantic", "pyvista", "vtkmodules", "h5py", "barchan.scene", "barchan.kernels")
GRAINS = ("pyvista", "vtkmodules", "h5py", "barchan.solvers", "barchan.model", "barchan.simulation")
FLAT = ("numba", "llvmlite", "scipy", *GRAINS)

# What is drawn, in Python, and what must not be loaded then.
DRAWN = {
    "a panel": ("charts.draw_panels([charts.Panel('x', 'y', [charts.Curve([0, 1], [0, 1])])])", CURVES),
    "a summary": ("summary.draw_summary(Recorded(series={'time': x, 'kinetic_energy': x}, units={}, times=x))", CURVES),
    "a profile": ("profile.draw_profile(Profile(x + 1, x, x, x, (0, 0), 0.0))", FLAT),
    "a result": ("results.plot(Flow(x, x, x, 1), None)", FLAT),
    "grains in a plane": ("polygons.add_polygons(charts.blank_figure(2, 2).add_subplot(), frame, x3)", FLAT),
    "grains": ("picture.draw_scene(frame, size=(96, 72))", GRAINS),
}
PROBE = """
import json, sys
import numpy as np
from barchan.draw import {module}{more}
x, x3 = np.array([0.0, 1.0]), np.zeros((1, 3))
{needed}
{what}
print(json.dumps([name for name in {lights!r} if name in sys.modules]))
"""
FRAME = """
from draw.frames import frame_of
from dataclasses import replace
from barchan.scene.beams_frame import Corners
frame = frame_of([[0, 0, 0]], 0.5)
"""
NEEDED = {
    "summary": "from types import SimpleNamespace as Recorded",
    "profile": "from barchan.measures.pile import RadialProfile as Profile",
    "results": "from barchan.measures.flow import Flow",
    "polygons": FRAME + "frame = replace(frame, tables=(Corners(np.array([[0.0, 0, 1, 0, 0, 1]])),))",
    "picture": FRAME,
}


@pytest.mark.parametrize("drawn", DRAWN)
def test_what_is_drawn_loads_no_more_than_it_needs(drawn: str) -> None:
    """Each of these loads takes a fifth of a second or more. The chart of a curve once took its colour of numbers from
    the pictures of scenes and so loaded Numba, and `flow.plot()` all the solvers, to know what a run is.
    """
    what, lights = DRAWN[drawn]
    module = what.partition(".")[0]
    more = ", charts" if module == "polygons" else ""
    code = PROBE.format(module=module, more=more, what=what, needed=NEEDED.get(module, ""), lights=lights)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": "tests"},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
