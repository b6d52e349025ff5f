"""H5: the hourglass, in two and three dimensions (Hasan and van Opheusden 2007, Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panels
from barchan.draw.discs import draw_modes, draw_slide
from barchan.draw.files import save_figure
from barchan.draw.picture import draw_scene
from barchan.frame import Frame, single_spheres
from barchan.measures.pile import pile_height
from barchan.measures.slides import Slide, clearest_slide
from barchan.parts.wall_shapes.plane import Plane
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.friction_laws import compared
from barchan.studies.hasan import SIZE, changed
from barchan.studies.runs import recorded

STILL = 0.01  # diameters that a grain of a pile may go in the last second
ORDERED = 0.75  # part of neighbours of which the upper one must have fallen later
APART = 0.15  # s between the frames that slides are looked for in
NOTE = (
    "The paper gives neither the height nor the pace of the fall: discs leave a height of 2 m at 1 m/s, twenty a "
    "second, spheres one of 0.8 m at 1.5 m/s, five at once and twenty times a second, with a deviation of 0.15 m/s in "
    "each component. A disc is a sphere of 50 g that stays in the plane. Nothing turns: discs may stand on top of "
    "each other."
)


@dataclass(frozen=True)
class Pile:
    """A pile at the end of its run, and how it came to be."""

    last: Frame
    still: float  # diameters, the farthest that a grain went in the last second
    time: np.ndarray  # (S,) s
    height: float  # m
    sticking: np.ndarray  # (S,) contacts
    slipping: np.ndarray  # (S,) contacts
    slide: Slide | None  # the clearest one, where it was looked for

    def covered(self) -> float:
        """Of all neighbours one of which lies clearly above the other, the part in which the upper one fell later."""
        from scipy.spatial import cKDTree

        place = self.last.position
        pairs = cKDTree(place).query_pairs(1.25 * SIZE, output_type="ndarray")
        rise = place[pairs[:, 1], 2] - place[pairs[:, 0], 2]
        later = self.last.id[pairs[:, 1]] > self.last.id[pairs[:, 0]]
        steep = np.abs(rise) > 0.5 * SIZE
        return float(np.mean((rise[steep] > 0) == later[steep]))


def _third(frame: Frame) -> np.ndarray:
    """Whether a grain is among the first, second or last third that was let go, (N,) 0, 1, 2."""
    order = np.argsort(np.argsort(frame.id))
    return np.asarray(3 * order // max(len(frame), 1), np.int32)


def measured(recording: Recording, *, slides: bool) -> Pile:
    """The pile of a finished recording."""
    frames = [frame for frame in (recording[k] for k in range(len(recording))) if len(frame)]
    last = frames[-1]
    before = next(frame for frame in frames if frame.time > last.time - 1.0 - 1e-6)
    went = np.linalg.norm(last.position - before.position, axis=1) if len(last) == len(before) else np.array([np.inf])
    step = max(1, round(APART / (frames[1].time - frames[0].time)))
    series = recording.series
    return Pile(
        last=last,
        still=float(went.max()) / SIZE,
        time=series["time"],
        height=pile_height(last, floor=0.0),
        sticking=series["sticking_contacts"],
        slipping=series["slipping_contacts"],
        slide=clearest_slide(frames[::step]) if slides else None,
    )


def piled(scene: Scene, folder: Path, progress: Progress, *, slides: bool) -> Pile:
    """Run an hourglass and measure its pile."""
    with recorded(scene, folder, progress) as recording:
        return measured(recording, slides=slides)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run both hourglasses; in full, look for a slide and compare four laws."""
    few = ("sources[0].count=40", "duration=4", "time_step=4e-5") if quick else ()
    flat = piled(changed("hourglass-2d", *few), folder / "discs", progress, slides=not quick)
    rows, pictures = [*_rows("600 discs" if not quick else "40 discs", flat)], [_pile_picture(flat, folder, "discs")]
    if not quick:
        solid = piled(changed("hourglass-3d"), folder / "spheres", progress, slides=False)
        rows += [*_rows("1200 spheres", solid), *_slide_rows(flat.slide)]
        pictures += [_pile_picture(solid, folder, "spheres"), _time_picture(flat, folder)]
        if flat.slide is not None:
            pictures.append(_slide_picture(flat.slide, folder))
        more, picture = compared(folder, progress)
        rows, pictures = [*rows, *more], [*pictures, picture, _mode_picture(folder)]
    return StudyResult(tuple(rows), tuple(pictures), (NOTE,))


def _rows(label: str, pile: Pile) -> list[Row]:
    return [
        Row(
            f"{label}: farthest that one goes in the last second",
            "stable",
            f"{100 * pile.still:.4f} %",
            "of a diameter",
            pile.still < STILL,
            "< 1 %",
        ),
        Row(f"{label}: height of the pile", "a picture", f"{pile.height:.2f}", "m"),
        Row(
            f"{label}: neighbours of which the upper one fell later",
            "layers of an onion",
            f"{100 * pile.covered():.0f} %",
            passed=pile.covered() > ORDERED,
            criterion="more than 75 %; in no order it would be 50 %",
        ),
        Row(
            f"{label}: contacts that stick and slip at the end",
            "all stick",
            f"{pile.sticking[-1]:.0f} and {pile.slipping[-1]:.0f}",
        ),
    ]


def _slide_rows(slide: Slide | None) -> list[Row]:
    if slide is None or slide.line is None:
        return [Row("a slide along a dislocation line", "found", "none", passed=False, criterion="one is found")]
    line, moved = slide.line, slide.moved
    aside = np.abs(slide.shift[moved, 0]).mean() / SIZE
    return [
        Row(
            f"discs that shift in the clearest slide, {slide.before.time:.2f} … {slide.after.time:.2f} s",
            "a large part of the pile shifts horizontally",
            f"{moved.sum()} of {slide.settled}, by {aside:.2f} σ to the side",
            passed=bool(moved.sum() > 0.1 * slide.settled),
            criterion="more than a tenth of the pile",
        ),
        Row(
            "its dislocation line: length, angle, slipped pairs on it",
            "a line",
            f"{line.length / SIZE:.1f} σ, {line.steepness:.0f}°, {line.pairs} of {len(slide.slipped)}",
            passed=bool(line.length > 6 * SIZE and line.scatter < 0.6 * SIZE),
            criterion="longer than 6 σ, pairs within 0.6 σ of it",
        ),
    ]


def _pile_picture(pile: Pile, folder: Path, name: str) -> Picture:
    """The pile in three colours by the order of the fall; of spheres the half behind y = 0."""
    frame = replace(pile.last, group=_third(pile.last))
    if name == "spheres":
        frame = _taken(frame, frame.position[:, 1] >= 0)
    figure = draw_scene(frame, [Plane()], view="front", color="group", size=(1100, 560))
    told = "the half behind y = 0 of " if name == "spheres" else ""
    caption = f"{told}the pile of {len(pile.last)} {name}; sand, slate and brick: the first, second and last third."
    return Picture(save_figure(figure, folder / f"pile-{name}.png"), caption[0].upper() + caption[1:])


def _taken(frame: Frame, mask: np.ndarray) -> Frame:
    """Some of the single spheres of a frame."""
    names = ("id", "group", "position", "velocity", "orientation", "spin", "mass", "radius", "born")
    chosen = {name: getattr(frame, name)[mask] for name in names}
    spheres = single_spheres(chosen["position"], chosen["radius"], chosen["mass"])
    return replace(frame.alone(), **chosen, **spheres)


def _time_picture(pile: Pile, folder: Path) -> Picture:
    panels = [
        Panel(
            "time (s)",
            "contacts",
            [Curve(pile.time, pile.sticking, "stick"), Curve(pile.time, pile.slipping, "slip")],
            "Contacts of the discs by mode",
            from_zero=True,
        ),
        Panel(
            "time (s)",
            "contacts that slip",
            [Curve(pile.time, np.maximum(pile.slipping, 0.5), "slip")],
            "Slides and impacts (none: 0.5)",
            log_y=True,
        ),
    ]
    figure = save_figure(draw_panels(panels, columns=2), folder / "modes.png")
    return Picture(figure, "Contacts that stick and slip while the discs fall, and after.")


def _slide_picture(slide: Slide, folder: Path) -> Picture:
    figure = blank_figure(9.0, 4.4)
    draw_slide(slide, figure.add_subplot())
    return Picture(save_figure(figure, folder / "slide.png"), "The clearest slide, along a dislocation line.")


def _mode_picture(folder: Path) -> Picture:
    """Of the small pile's frames, the one in which the most contacts slip while most of it stands."""
    with Recording(folder / "pile-of-stick-slip") as recording:
        frames = [recording[k] for k in range(len(recording))]
    full = [frame for frame in frames if frame.has("contacts") and len(frame) > 0.6 * len(frames[-1])]
    shown = max(full, key=lambda frame: int(np.count_nonzero(frame.contacts.mode == 2)))
    figure = blank_figure(9.0, 4.4)
    draw_modes(shown, figure.add_subplot())
    return Picture(save_figure(figure, folder / "contacts.png"), "Contacts by mode in a pile that is being hit.")


STUDY = Study(
    "H5",
    "Hourglasses: stable piles in onion layers, and slides along dislocation lines",
    "Fig. 6: 600 discs, and 1200 spheres in fives, on a rough floor with dt 1e-5: stable piles, onion layers by the "
    "order of the fall, slides along dislocation lines in two dimensions.",
    run,
    "40 discs for 4 s with steps of 40 µs; no spheres, no slide, no other laws",
)
