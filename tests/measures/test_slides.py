"""Slides found in made-up piles: a lattice of which one part is shifted along a line that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from barchan.frame import Frame
from barchan.measures.slides import clearest_slide, dislocation_line, slide_between
from draw.frames import frame_of

SIZE = 0.1


def lattice(rows: int = 12) -> np.ndarray:
    """A triangle of hexagonally packed discs (n, 3) m, the lowest row on the floor."""
    return np.array(
        [
            (SIZE * (i + 0.5 * k - 0.5 * rows), 0.0, SIZE * (0.5 + 0.5 * np.sqrt(3) * k))
            for k in range(rows)
            for i in range(rows - k)
        ]
    )


def pile(position: np.ndarray, time: float, born: float = 0.0) -> Frame:
    """A frame of discs at these positions (n, 3) m."""
    frame = frame_of(position, np.full(len(position), 0.5 * SIZE))
    return replace(frame, time=time, born=np.full(len(position), born))


def test_a_part_that_shifts_along_a_lattice_line_is_found_with_its_line() -> None:
    """Discs beyond a line at 60° go down along it by 0.3 diameters: slipped are the pairs across it and no others, so
    the line through their middles is that line, half way between two rows, at 60° to within what a width of less than a
    row over a length of ten allows.
    """
    before = lattice()
    beyond = before[:, 0] * np.sqrt(3) / 2 - before[:, 2] / 2 > 1e-9 - 0.1 * SIZE
    after = before + np.where(beyond[:, None], 0.3 * SIZE * np.array([-0.5, 0.0, -np.sqrt(3) / 2]), 0.0)
    slide = slide_between(pile(before, 2.0), pile(after, 2.1))
    assert slide.settled == len(before)
    assert (slide.moved == beyond).all()
    line = slide.line
    assert line is not None
    assert line.pairs == len(slide.slipped)
    assert line.steepness == pytest.approx(60.0, abs=1.0)
    assert line.scatter < 0.1 * SIZE
    still, gone = before[~beyond], before[beyond]
    level = line.middle @ [np.sqrt(3) / 2, -0.5]
    assert (still[:, [0, 2]] @ [np.sqrt(3) / 2, -0.5]).max() < level < (gone[:, [0, 2]] @ [np.sqrt(3) / 2, -0.5]).min()


def test_a_pile_that_moves_as_a_whole_does_not_slide() -> None:
    before = lattice()
    slide = slide_between(pile(before, 2.0), pile(before + np.array([0.05, 0.0, 0.0]), 2.1))
    assert slide.moved.all()
    assert len(slide.slipped) == 0 and slide.line is None


def test_grains_that_have_just_come_do_not_count() -> None:
    before = lattice()
    slide = slide_between(pile(before, 2.0, born=1.5), pile(before * 1.5, 2.1, born=1.5))
    assert slide.settled == 0 and not slide.moved.any()


def test_a_line_among_scattered_points_and_the_clearest_slide() -> None:
    """Thirty points along a line at 25° are found among forty anywhere; a gap of four diameters ends it."""
    rng = np.random.default_rng(2)
    along = np.array([np.cos(np.radians(25)), np.sin(np.radians(25))])
    row = np.linspace(0, 1.5, 30)[:, None] * along + rng.normal(0, 0.01, (30, 2))
    noise = rng.uniform(-2, 3, (40, 2))
    far = 2.2 * along + np.linspace(0, 0.3, 4)[:, None] * along
    line = dislocation_line(np.concatenate([noise, row, far]), SIZE)
    assert line is not None
    assert line.steepness == pytest.approx(25, abs=2)
    assert line.length == pytest.approx(1.5, abs=0.15)
    assert 30 <= line.pairs < 36
    assert dislocation_line(row[:2], SIZE) is None
    before = lattice()
    upper = np.where(before[:, 2:] > 0.5, [0.03, 0.0, 0.0], 0.0)
    frames = [pile(before, 2.0), pile(before, 2.1), pile(before + upper, 2.2), pile(before + upper, 2.3)]
    slide = clearest_slide(frames)
    assert slide is not None and slide.before.time == 2.1
    assert slide.line is not None and slide.line.steepness == pytest.approx(0.0, abs=1.0)
