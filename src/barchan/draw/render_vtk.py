"""One frame as an image through pyvista (VTK): spheres as fine meshes, with ambient occlusion and smooth edges.

Ten times slower than `render.py`, and VTK asks the system for a library of OpenGL, where that module asks for nothing.
"""

from __future__ import annotations

import functools
import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from barchan.draw.camera import Window
from barchan.draw.palette import BACKDROP, INK, to_bytes
from barchan.draw.render import LAMP, Ground, WallDrawing, cell_outline, placed
from barchan.errors import FileError, Finding
from barchan.frame import Frame

AROUND, ALONG = 24, 16  # meridians and parallels of a sphere
TALL = 100.0  # VTK's units to the height of the picture: its shade has lengths of its own in it
AWAY = 0.5  # how far the eye is from the nearest grains, in heights of the picture
OCCLUSION = 4.0, 0.03  # radii, and heights of the picture, within which grains shade each other: the less of the two
BEHIND = 0.5  # of that, by which a surface must lie behind another to be shaded
LAMP_LIGHT, EYE_LIGHT = 0.85, 0.3
PANE, STAINED_PANE, LINE = 0.08, 0.2, 0.7  # opacity of walls, of those that have a colour, and of their lines
LOWERED = 2e-3  # of the picture's height: the ground lies so far under a floor, which would else flicker through it
PROBE = "import pyvista as p; s = p.Plotter(off_screen=True, window_size=(8, 8)); s.screenshot(return_img=True)"


@functools.cache
def check() -> None:
    """FileError where pyvista is missing or VTK can't draw here; VTK would end the whole process."""
    if importlib.util.find_spec("pyvista") is None:
        remedy = "install it with pip install 'barchan[render]', or leave --engine out"
        raise FileError(Finding("--engine vtk", "needs the package pyvista", remedy=remedy))
    try:
        subprocess.run([sys.executable, "-c", PROBE], capture_output=True, check=True, timeout=60)
    except subprocess.SubprocessError:
        remedy = "install OpenGL in software (Debian: libegl1 and libgl1-mesa-dri), or leave --engine out"
        raise FileError(Finding("--engine vtk", "VTK can't draw on this machine", remedy=remedy)) from None


def render(
    frame: Frame, window: Window, colours: np.ndarray, *, walls: Sequence[WallDrawing], ground: Ground
) -> np.ndarray:
    """The frame as bytes (height, width, 3), the lowest row first; `colours` (N, 3) are linear."""
    check()
    import pyvista
    from vtkmodules.vtkCommonCore import vtkLogger

    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # that there is no screen is no news
    plotter: Any = pyvista.Plotter(off_screen=True, window_size=[window.width, window.height], lighting="none")
    plotter.set_background(BACKDROP)
    _aim(plotter, window, frame)
    if np.isfinite(frame.sphere_position).all(axis=1).any():
        _add_grains(plotter, frame, colours, window)
    for wall in [*placed(walls, frame), *cell_outline(frame)]:
        _add_wall(plotter, wall, window)
    if np.isfinite(ground.level):
        _add_ground(plotter, ground, window)
    plotter.enable_anti_aliasing("ssaa")
    plotter.renderer.ResetCameraClippingRange()  # no more depth than there is: shade is found from depths
    try:
        return np.asarray(plotter.screenshot(return_img=True))[::-1, :, :3]
    finally:
        plotter.close()


def _units(window: Window) -> float:
    """VTK's units to the metre."""
    return TALL * window.scale / window.height


def _add(plotter: Any, mesh: Any, window: Window, **look: Any) -> None:
    """Show a mesh that is in metres."""
    mesh.points = np.asarray(mesh.points, float) * _units(window)
    plotter.add_mesh(mesh, **look)


def _aim(plotter: Any, window: Window, frame: Frame) -> None:
    """Eye and lamps as in `render.py`."""
    import pyvista

    right, up, eye = np.array(window.camera.axes)
    finite = frame.sphere_position[np.isfinite(frame.sphere_position).all(axis=1)]
    depth = float((finite @ eye).max()) if len(finite) else 0.0
    middle = (window.centre[0] * right + window.centre[1] * up + depth * eye) * _units(window)
    camera = plotter.camera
    camera.parallel_projection = True
    camera.focal_point, camera.position, camera.up = middle, middle + AWAY * TALL * eye, up
    camera.parallel_scale = 0.5 * TALL
    upright = np.array([0.0, 0.0, 1.0]) if abs(eye[2]) < 0.99 else up
    towards = np.cross(right, upright)
    lamp = pyvista.Light(position=LAMP[0] * right + LAMP[1] * upright + LAMP[2] * towards, light_type="scene light")
    lamp.positional, lamp.intensity = False, LAMP_LIGHT
    plotter.add_light(lamp)
    plotter.add_light(pyvista.Light(light_type="headlight", intensity=EYE_LIGHT))


def _add_grains(plotter: Any, frame: Frame, colours: np.ndarray, window: Window) -> None:
    import pyvista

    there = np.isfinite(frame.sphere_position).all(axis=1)
    cloud = pyvista.PolyData(frame.sphere_position[there])
    cloud["radius"] = frame.sphere_radius[there]
    cloud["colour"] = to_bytes(colours[frame.sphere_grain[there]][None])[0]
    ball = pyvista.Sphere(radius=1.0, theta_resolution=AROUND, phi_resolution=ALONG)
    spheres = cloud.glyph(geom=ball, scale="radius", orient=False, factor=1.0)
    _add(
        plotter, spheres, window, scalars="colour", rgb=True, smooth_shading=True, ambient=0.25, diffuse=0.8,
        specular=0.05,
    )  # fmt: skip
    reach = min(OCCLUSION[0] * float(np.median(frame.sphere_radius)) * _units(window), OCCLUSION[1] * TALL)
    plotter.enable_ssao(radius=reach, bias=BEHIND * reach, kernel_size=64, blur=True)


def _add_wall(plotter: Any, wall: WallDrawing, window: Window) -> None:
    import pyvista

    color = wall.color or INK
    if len(wall.triangles):
        corners = np.arange(3 * len(wall.triangles)).reshape(-1, 3)
        faces = np.column_stack([np.full(len(corners), 3), corners]).ravel()
        pane = pyvista.PolyData(wall.triangles.reshape(-1, 3), faces)
        _add(plotter, pane, window, color=color, opacity=STAINED_PANE if wall.color else PANE, lighting=False)
    for line in wall.lines:
        if len(line) > 1:
            drawn, width = pyvista.lines_from_points(line), max(1.0, window.width / 800.0)
            _add(plotter, drawn, window, color=color, opacity=LINE, lighting=False, line_width=width)


def _add_ground(plotter: Any, ground: Ground, window: Window) -> None:
    """A pool of ground that fades towards its edge."""
    import pyvista

    level = ground.level - LOWERED * window.height / window.scale
    disc = pyvista.Disc(center=(ground.x, ground.y, level), inner=0.0, outer=ground.radius, r_res=60, c_res=90)
    away = np.hypot(disc.points[:, 0] - ground.x, disc.points[:, 1] - ground.y) / ground.radius
    disc["colour"] = to_bytes(ground.shade(1.0 - away)[None])[0]
    _add(plotter, disc, window, scalars="colour", rgb=True, lighting=False)
