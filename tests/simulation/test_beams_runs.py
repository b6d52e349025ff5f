"""Runs of flat grains: broken, recorded, stopped and resumed, drawn, and refused where they make no sense."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import barchan as bc
from barchan.draw.charts import blank_figure
from barchan.draw.palette import GAMMA
from barchan.draw.picture import Picture, Stage
from barchan.draw.polygons import add_polygons, crack_edges, rims, strips
from barchan.errors import SceneError
from barchan.scene.beams_frame import BeamLines, Corners, Strips
from barchan.simulation.plan import Plan
from samples import drawn
from simulation.shared import recording_hash, stopped
from solvers import beams_lab as lab

FLOOR = {"name": "floor", "shape": "plane", "material": "a"}
BLOCK = {
    "name": "block", "shape": "line", "start": (-2e-3, 0, -1e-3), "end": (2e-3, 0, -1e-3), "material": "a",
    "motion": {"kind": "translate", "velocity": (0.0, 0.0, 0.3)},
}  # fmt: skip


def falling() -> bc.Scene:
    """Two squares fall on to a wall of triangles that comes up, and break; one leaves through a sink."""
    grains = [lab.grain(0.0, 2.6e-3, velocity=(0, 0, -0.5)), lab.grain(8e-3, 0.0, velocity=(2.0, 0, 0))]
    gone = {"name": "gone", "region": {"kind": "box", "low": (9.5e-3, 0, -1), "high": (1, 0, 1)}}
    return lab.scene(
        grains, beams={"breakage": {"stretch": 0.004}}, walls=[BLOCK], sinks=[gone], duration=5e-3, frame_rate=1000.0,
        gravity=(0.0, 0.0, -9.81),
    )  # fmt: skip


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    return bc.run(falling(), tmp_path_factory.mktemp("beams") / "run", progress=bc.Silent(), threads=1)


def test_a_run_records_triangles_beams_and_cracks(broken):
    with broken.recording as recording:
        first, last = recording[0], recording[-1]
        error, energy = (np.array(recording.series[name]) for name in ("energy_error", "kinetic_energy"))
    assert first.table(Corners).triangle_corners.shape == (8, 6) and first.table(BeamLines).beam_ends.shape == (8, 2)
    assert not first.table(BeamLines).beam_cause.any()
    assert len(last.table(Corners).triangle_corners) == 4  # the other square is gone
    assert set(last.table(BeamLines).beam_cause) == {0, 1} or set(last.table(BeamLines).beam_cause) == {1}
    assert len(last) == broken.summary["fragments"] > 1
    assert np.isfinite(last.table(BeamLines).beam_broken_at[last.table(BeamLines).beam_cause > 0]).all()
    assert broken.summary["flow"]["gone"]["number"] == 1
    assert broken.summary["flow"]["gone"]["mass"] == pytest.approx(1000 * 0.01 * 4e-6, rel=1e-12)
    assert np.abs(error).max() < 0.02 * energy[0]
    # A crack lies on an edge of both triangles that it parts.
    assert len(crack_edges(last)) == 2 * np.count_nonzero(last.table(BeamLines).beam_cause)


def test_stopped_and_resumed_it_ends_with_the_same_bits(broken, tmp_path):
    stopped(falling(), tmp_path / "run", 2.5e-3)
    again = bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1)
    assert recording_hash(again.folder) == recording_hash(broken.folder)


def test_a_picture_shows_filled_triangles(broken, tmp_path):
    from barchan.draw import draw_scene, save_figure

    with broken.recording as recording:
        figure = draw_scene(recording[-1], falling().walls, color="speed")
    assert drawn(save_figure(figure, tmp_path / "scene.png"))
    pixels = np.asarray(figure.axes[0].images[0].get_array())
    assert (np.ptp(pixels.astype(int), axis=2) > 60).mean() > 0.01  # colours of the scale, not grey alone


@pytest.mark.parametrize("view", ["side", "top", "iso"])
def test_flat_grains_are_drawn_from_the_front_only(broken, view):
    """From anywhere else they would be the spheres about their triangles, which nothing feels."""
    from barchan.draw import draw_scene

    with broken.recording as recording, pytest.raises(SceneError, match="grains of triangles are flat"):
        draw_scene(recording[-1], falling(), view=view)


def test_walls_are_shown_as_thick_as_grains_feel_them(broken):
    """A line 4 mm long, with square ends and t wide, fills (4 mm + t)·t and has a rim of 2·(4 mm + 2t). It comes up at
    0.3 m/s: after 5 ms its middle is 1.5 mm above where it was made. Grains lie on its upper side, t/2 higher.

    Walls are laid on a grid of 1e-6 t, to which lengths and areas hold.
    """
    with broken.recording as recording:
        first, last = recording[0], recording[-1]
    shapes = strips(last)
    wide = float(np.ptp(shapes[..., 1]))
    u, v = shapes[:, 1] - shapes[:, 0], shapes[:, 2] - shapes[:, 0]
    assert 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() == pytest.approx((4e-3 + wide) * wide, rel=1e-6)
    edges = rims(shapes)
    assert np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).sum() == pytest.approx(2 * (4e-3 + 2 * wide), rel=1e-6)
    assert shapes[..., 1].max() - wide / 2 == pytest.approx(-1e-3 + 0.3 * last.time, abs=1e-6 * wide)
    assert strips(first)[..., 1].max() - wide / 2 == pytest.approx(-1e-3, abs=1e-6 * wide)
    lowest = last.table(Corners).triangle_corners.reshape(-1, 3, 2)[..., 1].min()
    assert abs(lowest - shapes[..., 1].max()) < 0.3 * wide
    drawn = Stage.of([last], falling().walls, "auto", "speed").walls[0]  # for the page in the browser as well
    assert np.ptp(drawn.triangles[..., 2]) == pytest.approx(wide, rel=1e-6) and not drawn.triangles[..., 1].any()
    last.wall_present[:] = False
    assert not len(strips(last))


def test_a_picture_shows_walls_of_triangles_filled(broken):
    """Halfway between its middle and its rim a wall is grey, or of its colour; without triangles it is a thin line."""
    with broken.recording as recording:
        last = recording[-1]
    wide = float(np.ptp(strips(last)[..., 1]))
    at = -1e-3 + 0.3 * last.time - 0.25 * wide  # below the middle, where no grain is
    (plain,), grey, green = falling().walls, (201, 206, 214), (32, 160, 64)
    painted = plain.model_copy(update={"color": "#20a040"})
    made = last.table(Strips)
    for kept, wall, color in ((made, plain, grey), (made, painted, green), (None, plain, grey), (None, painted, green)):
        others = tuple(table for table in last.tables if table is not made)
        shown = dataclasses.replace(last, tables=others if kept is None else (*others, kept))
        picture = Picture(Stage.of([shown], [wall], "auto", "speed"))
        left, right, bottom, top = picture.window.extent
        image = picture.pixels(shown).astype(int)
        row = image[round((at - bottom) / (top - bottom) * len(image))]
        inside = row[round((-1.8e-3 - left) / (right - left) * len(row)) : round(-left / (right - left) * len(row))]
        assert ((np.abs(inside - color).max(axis=1) < 12).mean() > 0.9) == (kept is not None)


@pytest.mark.parametrize("colour", [(0.5, 0.0, 0.02), (1.0, 1.0, 0.6)], ids=["dark", "pale"])
def test_beams_are_seen_in_dark_grains_and_in_pale_ones(colour):
    """Lines of beams differ from what they lie on by at least a third of the way from black to white, as drawn."""
    from matplotlib.colors import to_rgb

    frame = lab.solver(lab.scene([lab.grain(0.0, 0.0)])).frame()
    axes = blank_figure(4, 3).add_subplot()
    add_polygons(axes, frame, np.array([colour]) ** GAMMA)
    (beams,) = [one for one in axes.collections if one.get_alpha() is not None]
    assert len(beams.get_segments()) == 4
    for line in beams.get_colors():
        assert np.abs(np.mean(to_rgb(line)) - np.mean(colour)) > 1 / 3


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"solver": "soft"}, "has grains of spheres"),
        ({"dimensions": 3}, "Set dimensions = 2"),
        ({"integrator": "rkf45"}, "beams.integrator"),
        ({"walls": [{**FLOOR, "sticky": True}]}, "not held by walls"),
        ({"walls": [{**FLOOR, "point": (0, 0, 0.2)}]}, "behind a wall"),
        ({"time_step": 1e-3}, "needs at least"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_done_is_refused(options, complaint):
    options = {key: value for key, value in options.items() if key != "solver"}, options.get("solver", "beams")
    scene = lab.scene([lab.grain(0.0, 0.0)], **options[0])
    if options[1] != "beams":
        scene = scene.model_copy(update={"solver": options[1]})
    with pytest.raises(SceneError, match=complaint):
        Plan.of(scene)


def test_polygons_that_are_none_are_refused():
    bow = [(0, 0), (1e-3, 1e-3), (1e-3, 0), (0, 1e-3)]
    with pytest.raises(SceneError, match="no simple polygon"):
        lab.solver(lab.scene([lab.polygon(0, 0, *bow)]))
    with pytest.raises(SceneError, match="least_angle"):
        lab.solver(lab.scene([lab.polygon(0, 0, (0, 0), (1e-2, 0), (1e-2, 1e-4))]))


def test_bonded_polygons_are_not_handed_over(broken):
    sphere = {"name": "g", "material": "a", "size": 1e-3, "fill": {"kind": "points", "positions": [(0, 0, 1)]}}
    scene = bc.Scene(name="on", duration=1.0, materials={"a": {"density": 1e3}}, grains=[sphere],
                     start=str(broken.folder))  # fmt: skip
    with pytest.raises(SceneError, match=r"grains that are not rigid.*only spheres and clumps can be handed over"):
        Plan.of(scene)


def test_a_run_that_would_never_end_is_told():
    """Grains of a micrometre with beams for millimetres: steps are so short that a blink of an eye takes years."""
    tiny = lab.scene([lab.grain(0.0, 0.0, size=1e-6)], duration=1e-3)
    assert [one.where for one in Plan.of(tiny).warnings] == ["duration"]
    assert "duration" not in [one.where for one in Plan.of(falling()).warnings]
