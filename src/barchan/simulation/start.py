"""Beginning where another run ended: its last frame as the grains of a scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.frame import Frame, single_spheres
from barchan.model.build_grains import clump_of
from barchan.model.grains import Grains, grains_of
from barchan.model.solids import filled
from barchan.record.recording import Recording
from barchan.scene import Scene


def last_grains(scene: Scene) -> Grains:
    """The grains at the end of the run in the folder `scene.start`, as those of this scene.

    A grain belongs to the group that had its number there, and takes its material from this scene. Mass and moments of
    inertia are those of the recording. Those from before moments were recorded have them of single spheres alone.
    """
    assert scene.start is not None
    with Recording(scene.start) as recording:
        if not len(recording):
            raise SceneError(Finding("start", f"{scene.start} holds no frame yet", remedy="choose a run with frames"))
        frame = recording[-1]
    if len(frame.sphere_radius) == len(frame) and np.isnan(frame.inertia).all() and not frame.tables:
        frame = replace(frame, **single_spheres(frame.position, frame.radius, frame.mass))
    _check(scene, frame)
    kinds = [list(scene.materials).index(group.material) for group in scene.grains]
    grains = grains_of(frame, np.array(kinds, np.int32)[frame.group])
    grains.born[:] = 0.0
    return grains


def masses(scene: Scene, grains: Grains) -> list[Finding]:
    """What is said of grains that bring another mass than that of their material in this scene."""
    density = np.array([material.density for material in scene.materials.values()])[grains.material]
    here = density * filled(scene, grains.group, grains.radius, flat=False)
    other = np.flatnonzero(~np.isclose(grains.mass, here, rtol=1e-6, atol=0.0))
    if not len(other):
        return []
    first = other[0]
    return [Finding(
        "start", f"{len(other)} grains keep the mass that they had there, the first {grains.mass[first]:.4g} kg",
        f"by density and size it would be {here[first]:.4g} kg in this scene", "give materials the same density",
    )]  # fmt: skip


def _check(scene: Scene, frame: Frame) -> None:
    findings = []
    if np.isnan(frame.sphere_offset).any():
        what = "that run has grains that are not rigid, or clumps of which it does not say where their spheres are"
        findings.append(Finding("start", what, "only spheres and clumps can be handed over"))
    groups = int(frame.group.max(initial=-1)) + 1
    if groups > len(scene.grains):
        what = f"that run has grains of {groups} groups and sources, this scene has {len(scene.grains)} groups"
        findings.append(Finding("start", what, "there must be a group for each", "add [[grains]] with their materials"))
    else:
        findings += _other_shapes(scene, frame)
    if scene.dimensions == 2 and np.any(frame.position[:, 1]):
        findings.append(Finding("start", "that run is three-dimensional", "this scene has two dimensions"))
    findings += _other_box(scene, frame)
    if findings:
        raise SceneError(findings)


def _other_shapes(scene: Scene, frame: Frame) -> list[Finding]:
    """Clumps stay what they are: their group in this scene must have as many spheres."""
    here = np.array([len(clump_of(shape).radii) for shape in scene.group_shapes()])[frame.group]
    there = np.bincount(frame.sphere_grain, minlength=len(frame))
    if (there == here).all():
        return []
    k = int(np.argmax(there != here))
    name = scene.group_names()[frame.group[k]]
    return [Finding(
        "start", f"that run has grains of {there[k]} spheres, the group here {name!r} of {here[k]}",
        "a grain keeps its shape", "give the group the shape that it has there",
    )]  # fmt: skip


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
