"""Beginning where another run ended: its last frame as the grains of a scene."""

from __future__ import annotations

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.frame import Frame
from barchan.model.build_grains import clump_of
from barchan.model.grains import Grains
from barchan.record.recording import Recording
from barchan.scene import Scene, SphereGrain
from barchan.scene.beams_frame import Corners


def last_grains(scene: Scene) -> Grains:
    """The grains at the end of the run in the folder `scene.start`, as those of this scene.

    A grain belongs to the group that had its number there, and takes its material from this scene. Only spheres can be
    handed over: a recording does not hold a clump's moments of inertia.
    """
    assert scene.start is not None
    with Recording(scene.start) as recording:
        if not len(recording):
            raise SceneError(Finding("start", f"{scene.start} holds no frame yet", remedy="choose a run with frames"))
        frame = recording[-1]
    _check(scene, frame)
    n = len(frame)
    materials = list(scene.materials)
    kind = np.array([materials.index(group.material) for group in scene.grains], np.int32)[frame.group]
    density = np.array([scene.materials[name].density for name in materials])[kind]
    ball = clump_of(SphereGrain())
    size = 2 * frame.radius
    return Grains(
        id=frame.id.copy(), group=frame.group.copy(), material=kind, position=frame.position.copy(),
        velocity=frame.velocity.copy(), orientation=frame.orientation.copy(), spin=frame.spin.copy(),
        mass=density * ball.volume * size**3, inertia=density[:, None] * np.outer(size**5, ball.moments),
        radius=frame.radius.copy(), born=np.zeros(n), start=np.arange(n + 1, dtype=np.int64),
        sphere_offset=np.zeros((n, 3)), sphere_radius=frame.radius.copy(),
    )  # fmt: skip


def _check(scene: Scene, frame: Frame) -> None:
    findings = []
    if frame.table(Corners):
        findings.append(Finding("start", "that run has flat grains", "only spheres can be handed over"))
    elif len(frame.sphere_radius) != len(frame):
        findings.append(Finding("start", "that run has clumps", "only spheres can be handed over"))
    groups = int(frame.group.max(initial=-1)) + 1
    if groups > len(scene.grains):
        what = f"that run has grains of {groups} groups and sources, this scene has {len(scene.grains)} groups"
        findings.append(Finding("start", what, "there must be a group for each", "add [[grains]] with their materials"))
    if scene.dimensions == 2 and np.any(frame.position[:, 1]):
        findings.append(Finding("start", "that run is three-dimensional", "this scene has two dimensions"))
    findings += _other_box(scene, frame)
    if findings:
        raise SceneError(findings)


def _other_box(scene: Scene, frame: Frame) -> list[Finding]:
    """A packing fits into the box it was made in: that of the frame, where it repeats along the same axes."""
    if not len(frame.cell) or scene.box is None:
        return []
    low, lengths, tilt = frame.cell[0, :3], frame.cell[0, 3:6], float(frame.cell[0, 6])
    if tilt:
        what = f"that run ended in a box whose image above is shifted by {tilt:.4g} m"
        return [Finding("start", what, "a run begins in an upright box", "hand over a frame without simple shear")]
    own = np.where(scene.periodic, np.subtract(scene.box.high, scene.box.low), 0.0)
    both = (own > 0) & (lengths > 0)
    if np.allclose(own[both], lengths[both], rtol=1e-9, atol=0):
        return []
    repeats = lengths > 0
    begin = np.where(repeats, low, scene.box.low).tolist()
    end = np.where(repeats, low + lengths, scene.box.high).tolist()
    return [Finding(
        "box", f"is not the one that the run in {scene.start} ended in", "grains at its faces would overlap or part",
        f"take box = {{ low = {begin}, high = {end} }}",
    )]  # fmt: skip
