"""The verb that measures a run: tables, single values, files, and what is said of what cannot be measured."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import barchan as bc
from barchan.cli_measure import grids
from barchan.measures import pile_height
from barchan.measures.evaluate import Measured


def test_a_table_of_all_frames(run_folder, command):
    """One row for each of the six frames, under the time and each number with its unit."""
    code, out, _ = command("measure", "out", "pile_height(floor=0)", "contacts")
    head, *rows = out.splitlines()
    assert code == 0 and len(rows) == 6
    assert head.split("  ")[:2] == ["time (s)", "pile_height (m)"] and "contacts_per_grain" in head
    with bc.Recording(run_folder) as recording:
        heights = [pile_height(frame, floor=0.0) for frame in recording]
    assert np.allclose([float(row.split()[1]) for row in rows], heights, rtol=1e-5)


def test_values_of_a_moment(run_folder, command):
    """Single values stand below each other, with the time, or the times that they are a mean over."""
    code, out, _ = command("measure", "out", "pile_width@last", "floor_height@mean(0.04s, 60 ms)", "energy@first")
    width, floor, energy = out.split("\n\n")
    assert code == 0 and width.startswith("pile_width@last, at 0.1 s\n  pile_width  ") and width.endswith(" m")
    assert floor.startswith("floor_height@mean(0.04s, 60 ms), over 2 frames from 0.04 s to 0.06 s\n")
    assert "kinetic_energy" in energy and energy.count(" J") == len(energy.splitlines()) - 1


def test_a_file_has_all_digits_and_every_heading_once(run_folder, command):
    """What is read back is the number itself. Two numbers of one name are told apart by what was asked for; a file
    that is there stays, and a single row has no time.
    """
    asked = ("pile_height(floor=0)", "pile", "energy")
    assert command("measure", "out", *asked, "--to", "a.csv") == (0, "a.csv\n", "")
    head, *rows = csv.reader(Path("a.csv").read_text().splitlines())
    assert len(set(head)) == len(head) and head[0] == "time (s)"
    assert "pile_height(floor=0): pile_height (m)" in head and "pile: pile_height (m)" in head
    with bc.Recording(run_folder) as recording:
        series, times = recording.series, recording.times
    taken = np.searchsorted(series["time"], times)
    columns = dict(zip(head, np.array(rows, float).T, strict=True))
    assert (columns["time (s)"] == times).all()
    assert (columns["kinetic_energy (J)"] == series["kinetic_energy"][taken]).all()
    assert command("measure", "out", "pile", "--to", "a.csv")[0] == 2
    assert command("measure", "out", "pile_height@last", "--to", "a.csv", "--force", "--quiet") == (0, "", "")
    assert [len(row) for row in csv.reader(Path("a.csv").read_text().splitlines())] == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "pile"), "nowhere: no such file or folder"),
        (("out", "pil"), "Did you mean 'pile'"),
        (("out", "pressure"), "is a number of stress"),
        (("out", "steps"), 'observables = ["steps"]'),
        (("out", "step_statistics"), "Add observables = ['steps']"),
        (("out", "pile_height@9s"), "there are 6 from 0 s to 0.1 s"),
        (("out", "pile_height(floor=1 kg)"), "must be a quantity in m"),
        (("out", "carried_over(free=sandd, radius=1)"), "Did you mean 'sand'"),
        (("out", "packing_fraction(low=[1, 1, 1], high=[0, 0, 0])"), "low must be below high"),
        (("out", "pile", "--to", "a.txt"), "must end in .csv"),
        (("out", "pile", "--to", "none/a.csv"), "cannot be written"),
        (("out", "pile", "pile_height@last", "--to", "a.csv"), "Write two tables"),
        (("out", "pile", "--force"), "no meaning without --to"),
    ],
)
def test_what_cannot_be_measured_is_said(run_folder, command, arguments, words):
    """Exit code 2, a message that says what to do, nothing written, and no traceback."""
    code, out, err = command("measure", *arguments)
    assert (code, out) == (2, "") and words in err and "Traceback" not in err
    assert not list(Path().glob("a.*"))


def test_a_narrow_terminal_has_tables_below_each_other():
    """Columns of 8, 12, 12 and 12 characters with two between them: 36 characters hold the time and two of them,
    35 one. The time begins every table; one column is printed however narrow it is.
    """
    numbers = dict.fromkeys(("a" * 12, "b" * 12, "c" * 12), np.zeros(2))
    found = [Measured("x", np.arange(2.0), numbers, dict.fromkeys(numbers, ""), False)]
    shapes = [[len(grid.splitlines()[0]) for grid in grids(found, width)] for width in (None, 50, 36, 35, 5)]
    assert shapes == [[50], [50], [36, 22], [22, 22, 22], [22, 22, 22]]
    assert all(grid.startswith("time (s)  ") for grid in grids(found, 36))


def test_measures_are_listed_with_units(command):
    code, out, _ = command("list", "measures")
    assert code == 0 and "angle_of_repose" in out and "packing_fraction" in out
    code, out, _ = command("list", "measures", "pile_height")
    assert code == 0 and out.startswith("pile_height(floor=…, below=…), measured on each frame")
    assert "Numbers: pile_height (m)." in out and "floor  m; may be left out" in out
    assert "record.contacts = true" in command("list", "observables", "stress")[1]
    code, _, err = command("list", "measures", "pile_hight")
    assert code == 2 and "Did you mean 'pile_height'" in err


def test_contacts_are_measured_in_any_region(home, command):
    """Frames that hold contacts are measured as the scene did not ask for: two halves of the space hold what the whole
    of it holds, 30 grains. Printed stress says which sign is compression.
    """
    ran = ("run", "small.toml", "--set", "record.contacts=true", "--no-movie", "--quiet", "--out", "full")
    assert command(*ran) == (0, "", "")
    half = "packing(region={{low=[{0}, -1, -1], high=[{1}, 1, 1]}})@last"
    asked = (half.format("-1", "1 cm"), half.format("1 cm", 1), half.format(-1, 1))
    shares = [bc.measure("full", text).value * size for text, size in zip(asked, (1.01, 0.99, 2.0), strict=True)]
    assert min(shares) > 0 and shares[0] + shares[1] == pytest.approx(shares[2], rel=1e-9)
    code, out, _ = command("measure", "full", "stress@last")
    assert (
        code == 0 and out.endswith("\n\nOf stress tension is positive, of pressure compression.\n") and " Pa\n" in out
    )
    assert command("run", *ran[1:2], "--no-movie", "--quiet", "--out", "bare") == (0, "", "")
    code, out, err = command("measure", "bare", "stress@last")
    assert (code, out) == (2, "") and "Set record.contacts = true or observables" in err
