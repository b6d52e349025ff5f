"""USD, for Houdini, Blender and other programs that make pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from barchan.frame import Frame
from barchan.record.formats import Format
from barchan.record.formats._spheres import Spheres, extent
from barchan.record.recording import Recording

HELD = 64 << 20  # bytes of frames in memory before they are written
SEE_THROUGH = 0.25  # opacity of walls


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """Grains as instances of a sphere with places, orientations and sizes over time, walls as meshes that move.

    Metres, z up; a time code is a frame of the scene's frame rate. Angular velocities are in degrees a second, as USD
    has them.
    """
    from pxr import Sdf, Usd

    rate = recording.scene.frame_rate
    path.unlink(missing_ok=True)  # USD makes its file itself
    stage = Usd.Stage.CreateNew(str(path))
    _set_up(stage, recording, rate)
    held = 0
    for frame in frames:
        held += _add_frame(stage, frame, rate)
        if held > HELD:
            stage.GetRootLayer().Save()
            stage = None  # what is on the disk is read from there again, when asked for
            stage = Usd.Stage.Open(Sdf.Layer.FindOrOpen(str(path)))
            held = 0
    stage.GetRootLayer().Save()


def _set_up(stage: Any, recording: Recording, rate: float) -> None:
    """All that does not change: units, the sphere, the shapes of the walls."""
    from pxr import Sdf, UsdGeom, Vt

    scene, (low, high) = recording.scene, extent(recording)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    stage.SetStartTimeCode(float(recording.times[0]) * rate)
    stage.SetEndTimeCode(float(recording.times[-1]) * rate)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    stage.GetRootLayer().comment = f"{scene.name}, a recording of Barchan; groups: {', '.join(scene.group_names())}"
    grains = UsdGeom.PointInstancer.Define(stage, "/World/grains")
    ball = UsdGeom.Sphere.Define(stage, "/World/grains/ball")
    ball.CreateRadiusAttr(1.0)
    grains.CreatePrototypesRel().AddTarget(ball.GetPath())
    room = 0.05 * float((high - low).max())
    for number, wall in enumerate(scene.walls):
        vertices, triangles = wall.shape.surface(low - room, high + room)
        mesh = UsdGeom.Mesh.Define(stage, f"/World/walls/wall_{number}")
        mesh.GetPrim().SetDisplayName(wall.name)
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(np.asarray(vertices, np.float32).reshape(-1, 3)))
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(triangles), 3, np.int32)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.asarray(triangles, np.int32).ravel()))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        mesh.CreateDoubleSidedAttr(True)
        mesh.CreateDisplayOpacityAttr([SEE_THROUGH])
        mesh.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
        mesh.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    for name, kind in (("group", Sdf.ValueTypeNames.IntArray), ("born", Sdf.ValueTypeNames.FloatArray)):
        UsdGeom.PrimvarsAPI(grains).CreatePrimvar(name, kind, UsdGeom.Tokens.varying)


def _add_frame(stage: Any, frame: Frame, rate: float) -> int:
    """Put a frame at its time code; answers with its bytes."""
    from pxr import Gf, UsdGeom, Vt

    code, spheres = frame.time * rate, Spheres.of(frame)
    grains = UsdGeom.PointInstancer(stage.GetPrimAtPath("/World/grains"))
    turned = spheres.orientation[:, [1, 2, 3, 0]]  # USD keeps the real part last
    size = np.repeat(spheres.radius.astype(np.float32)[:, None], 3, axis=1)
    known = UsdGeom.PrimvarsAPI(grains)
    for attribute, values in (
        (grains.CreateProtoIndicesAttr(), Vt.IntArray.FromNumpy(np.zeros(len(spheres), np.int32))),
        (grains.CreateIdsAttr(), Vt.Int64Array.FromNumpy(np.arange(len(spheres)) if len(spheres) != len(frame)
                                                        else spheres.grain.astype(np.int64))),
        (grains.CreatePositionsAttr(), Vt.Vec3fArray.FromNumpy(spheres.position.astype(np.float32))),
        (grains.CreateScalesAttr(), Vt.Vec3fArray.FromNumpy(size)),
        (grains.CreateOrientationsfAttr(), Vt.QuatfArray.FromNumpy(turned.astype(np.float32))),
        (grains.CreateOrientationsAttr(), Vt.QuathArray.FromNumpy(turned.astype(np.float16))),
        (grains.CreateVelocitiesAttr(), Vt.Vec3fArray.FromNumpy(spheres.velocity.astype(np.float32))),
        (grains.CreateAngularVelocitiesAttr(), Vt.Vec3fArray.FromNumpy(np.degrees(spheres.spin).astype(np.float32))),
        (known.GetPrimvar("group"), Vt.IntArray.FromNumpy(spheres.group.astype(np.int32))),
        (known.GetPrimvar("born"), Vt.FloatArray.FromNumpy(spheres.born.astype(np.float32))),
    ):  # fmt: skip
        attribute.Set(values, code)
    for number, (pose, present) in enumerate(zip(frame.wall_pose.tolist(), frame.wall_present, strict=True)):
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/World/walls/wall_{number}"))
        shift, turn = mesh.GetOrderedXformOps()
        shift.Set(Gf.Vec3d(*pose[:3]), code)
        turn.Set(Gf.Quatd(pose[3], *pose[4:]), code)
        seen = UsdGeom.Tokens.inherited if present else UsdGeom.Tokens.invisible
        mesh.CreateVisibilityAttr().Set(seen, code)
    return 110 * len(spheres)


FORMAT = Format(
    "usd", "USD: instances with orientations, walls as meshes, for Houdini and Blender.",
    (".usdc", ".usd", ".usda"), write, "usd-core", "pxr",
)  # fmt: skip
