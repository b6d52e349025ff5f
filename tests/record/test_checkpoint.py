"""Checkpoints come back to the last bit, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from barchan.errors import BarchanWarning, FileError
from barchan.record import checkpoint

ARRAYS = {
    "position": np.random.default_rng(0).normal(size=(100, 3)),
    "float32": np.linspace(0, 1, 7, dtype=np.float32),
    "flags": np.array([True, False]),
    "empty": np.empty((0, 3), np.int64),
    "scalar": np.array(3.5),
    "special": np.array([np.nan, np.inf, -0.0]),
    "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "text": np.array(["a", "bö"]),
}
META = {"time": 0.1 + 0.2, "rng": {"state": 2**127 + 1}, "note": "größer", "frames": 3}


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_round_trip(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, ARRAYS, META)
    arrays, meta = checkpoint.load(tmp_path)
    assert_same(arrays, ARRAYS)
    assert meta == META
    arrays["position"][0] = 0.0  # they can be gone on with


def test_the_one_before_is_kept(tmp_path: Path) -> None:
    for number in range(3):
        checkpoint.save(tmp_path, ARRAYS, {"number": number})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint.blocks", "checkpoint.previous"]
    assert checkpoint.load(tmp_path)[1] == {"number": 2}
    (tmp_path / "checkpoint.blocks").unlink()  # killed between the two renames
    assert checkpoint.load(tmp_path)[1] == {"number": 1}


def damage(path: Path, place: int | None) -> None:
    """Flip a bit at `place`, or cut the file in half."""
    content = bytearray(path.read_bytes())
    if place is None:
        content = content[: len(content) // 2]
    else:
        content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("place", [None, 0, 5, 20, 100, 1000, -1])
def test_damage_falls_back_and_says_so(tmp_path: Path, place: int | None) -> None:
    checkpoint.save(tmp_path, ARRAYS, {"number": 0})
    checkpoint.save(tmp_path, ARRAYS, {"number": 1})
    damage(tmp_path / "checkpoint.blocks", place)
    with pytest.warns(BarchanWarning) as said:
        arrays, meta = checkpoint.load(tmp_path)
    assert_same(arrays, ARRAYS)
    assert meta == {"number": 0}
    assert len(said) == 1 and "is damaged; going on from the checkpoint before it" in str(said[0].message)
    checkpoint.save(tmp_path, ARRAYS, {"number": 2})  # must not push the good one out with the damaged one
    assert checkpoint.load(tmp_path)[1] == {"number": 2}
    damage(tmp_path / "checkpoint.blocks", place)
    with pytest.warns(UserWarning, match="damaged"):
        assert checkpoint.load(tmp_path)[1] == {"number": 0}


def test_both_damaged(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, ARRAYS, META)
    checkpoint.save(tmp_path, ARRAYS, META)
    for path in tmp_path.iterdir():
        damage(path, None)
    with pytest.raises(FileError, match=r"no whole checkpoint: checkpoint\.blocks \(cut short\), checkpoint\.previous"):
        checkpoint.load(tmp_path)


def test_none_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no checkpoint"):
        checkpoint.load(tmp_path)
    with pytest.raises(FileError, match="no such folder"):
        checkpoint.load(tmp_path / "nowhere")


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="Python objects"):
        checkpoint.save(tmp_path, {"a": np.array([None])}, {})


@pytest.mark.parametrize("other", [-1, 1])
def test_another_format_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: int) -> None:
    """Solvers take what a checkpoint holds as it is: one of another form, older or newer, would end as a KeyError, or
    be read as what it is not.
    """
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "FORMAT_VERSION", checkpoint.FORMAT_VERSION + other)
        checkpoint.save(tmp_path, ARRAYS, META)
    with pytest.raises(FileError, match=r"has format \d+; this Barchan reads format \d+\. Go on with"):
        checkpoint.load(tmp_path)
