"""What is asked for as text: names, fields with units, moments; and what is said where a text cannot be understood."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.measures.asked import When, parse


def test_fields_are_written_as_in_a_scene() -> None:
    """Lengths in any unit, lists and tables of them, with quotes or without, with spaces anywhere: all in SI."""
    asked = parse(" stress ( region = {low=[0, -1 mm, 0], high=['1 cm', 2e-2, \"30 mm\"]} ) @ mean( 20 ms , 0.5 )")
    assert asked.part.key == "stress" and asked.when == When("mean", 0.02, 0.5)
    assert asked.part.region.low == (0.0, -1e-3, 0.0) and asked.part.region.high == (0.01, 0.02, 0.03)
    assert parse("pile_height(floor=-5 mm)").part.floor == -5e-3
    assert parse("carried_over(free=[sand, glue], radius=3cm)").part.free == ("sand", "glue")
    assert (parse("packing").part, parse("packing").when) == (parse("packing()").part, When("all"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not understood"),
        ("pile height", "is not understood"),
        ("pile_height(floor", "is not understood"),
        ("packng", "did you mean 'packing'"),
        ("angle_of_repos@last", "did you mean 'angle_of_repose'"),
        ("pressure", "is a number of stress"),
        ("pile_height(flor=0)", "unknown field; known: floor, below. Did you mean 'floor'"),
        ("pile_height(floor=1 kg)", "pile_height.floor: '1 kg'; has the dimension"),
        ("pile_height(floor=nan)", "must be a finite number"),
        ("pile_height(0)", "'0' is no field; must be name=value"),
        ("pile_height(floor=0, floor=1)", "floor is given twice"),
        ("pile_height(floor=[1)", "']' is missing"),
        ("pile_height(floor=1])", "']' closes nothing"),
        ("packing_fraction(low=[0, 0, 0])", "high: missing"),
        ("stress(volume=1, region={low=[0, 0, 0], high=[1, 1, 1]})", "both a volume and a region"),
        ("pile_height@soon", "'soon' is no moment"),
        ("pile_height@", "is no moment"),
        ("pile_height@5 m", "is no moment"),
        ("pile_height@mean(5 s)", "no span of time"),
        ("pile_height@mean(5 s, 2 s)", "no span of time"),
        ("pile_height(floor=" + 5000 * "[" + 5000 * "]" + ")", "nested too deeply"),
    ],
)
def test_what_cannot_be_understood_is_said(text: str, words: str) -> None:
    """Each of these is a mistake of somebody who types: the message names the place and what would be right."""
    with pytest.raises(SceneError) as error:
        parse(text)
    assert words.lower() in str(error.value).lower()


def test_moments_choose_frames() -> None:
    """Frames are a second apart, and one misses its time by a hundredth, as steps have a length: a span that begins at
    2 s begins with the frame at 1.99 s. A time is that of the nearest frame, but not before the first and after the
    last: there was no such frame.
    """
    times = np.array([0.0, 1.0, 1.99, 3.0, 4.0])

    def chosen(when: str) -> list[int]:
        return parse(f"packing@{when}").when.frames(times, when).tolist()

    assert (chosen("first"), chosen("last"), chosen("2 s"), chosen("2.6")) == ([0], [4], [2], [3])
    assert (chosen("mean(2, 3 s)"), chosen("mean"), chosen("mean(3.5, 1e9)")) == ([2, 3], [0, 1, 2, 3, 4], [4])
    assert parse("packing").when.frames(times, "").tolist() == [0, 1, 2, 3, 4]
    for when in ("4.6 s", "-1 s", "mean(1.2, 1.8)", "mean(5, 9)"):
        with pytest.raises(SceneError, match=r"no frames then; there are 5 from 0 s to 4 s"):
            chosen(when)
    assert parse("packing@2").when.frames(np.array([2.0]), "").tolist() == [0] and math.isinf(When("mean").end)
