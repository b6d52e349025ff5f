"""Files that were damaged on their way: grains and scenes are read, or refused by errors of our own."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from barchan.errors import BarchanError, FileError
from barchan.parts.fills.file import read_grain_file
from barchan.scene import library
from barchan.scene.toml import loads

TRIES = 300
BITS = (b"9", b"-", b"e9", b"\n", b"\0", b"nan", b",", b'"', b"]", b"[[", b"=", b"\xff", b"{", b"'''")


def damaged(data: bytes, seed: str) -> Iterator[bytes]:
    """The bytes with one to three of them changed, taken out or put in, or cut."""
    chance = random.Random(seed)
    for _ in range(TRIES):
        made = bytearray(data)
        for _ in range(chance.choice((1, 1, 3))):
            at = chance.randrange(len(made))
            way = chance.randrange(5)
            if way < 2:
                made[at] = chance.randrange(256)
            elif way == 2:
                del made[at : at + chance.choice((1, 1, 30))]
            elif way == 3:
                made[at:at] = chance.choice(BITS)
            else:
                made[at:] = b""
            made = made or bytearray(b" ")
        yield bytes(made)


def archive(*, compressed: bool) -> bytes:
    """An .npz of three grains."""
    stream = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(stream, positions=np.arange(9.0).reshape(3, 3), radii=np.ones(3), velocities=np.zeros((3, 3)))
    return stream.getvalue()


GRAINS = {
    "a.npz": archive(compressed=False), "b.npz": archive(compressed=True),
    "c.csv": b"x,y,z,radius,vx,vy,vz\n0,0,0,1,0,0,0\n3,0,0,1.5,0,0,-1\n6,1,0,1,0,1e-3,0\n",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GRAINS)
def test_damaged_grains_are_refused_or_read(tmp_path: Path, name: str) -> None:
    """Catches errors of numpy, zipfile and zlib that are not made ours, and numbers that are none."""
    path = tmp_path / name
    for data in damaged(GRAINS[name], name):
        path.write_bytes(data)
        try:
            found = read_grain_file(path)
        except FileError:
            continue
        assert np.abs(found.position).max() <= 1e20


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (f"0,0,{math.nan},1", r"position\[1\]: .*must be finite"),
        ("0,0,1e30,1", r"position\[1\]: .*up to 1e\+20"),
        ("0,0,0,0", r"radius\[1\]: 0 m; must be > 0"),
        ("0,0,0,1e-300", r"radius\[1\]: 1e-300 m; must be > 0, from 1e-30 on"),
    ],
)
def test_numbers_of_a_file_have_bounds_too(tmp_path: Path, row: str, told: str) -> None:
    """What a scene refuses, a file beside it must not smuggle in."""
    (tmp_path / "a.csv").write_text(f"x,y,z,radius\n5,5,5,1\n{row}\n")
    with pytest.raises(FileError, match=told):
        read_grain_file(tmp_path / "a.csv")


def test_a_folder_is_no_file_of_grains(tmp_path: Path) -> None:
    """A folder, or a pipe, from which nothing would ever come."""
    (tmp_path / "a.npz").mkdir()
    with pytest.raises(FileError, match="is no ordinary file"):
        read_grain_file(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["pour", "crusher", "shear-2d", "conveyor"])
def test_a_damaged_scene_is_refused_or_read(name: str) -> None:
    """Text of a scene with changed characters: an error of ours, or a scene; catches what no one expects."""
    text = library()[name].read_bytes()
    for data in damaged(text, name):
        try:
            loads(data.decode("latin-1"), "damaged.toml", folder=Path("somewhere"))
        except BarchanError:
            continue
