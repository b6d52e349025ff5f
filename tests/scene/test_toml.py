"""TOML: the round trip is exact, and files that are no scenes are told apart kindly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barchan.errors import BarchanError
from barchan.scene import dumps, files, library, load, loads
from barchan.scene.toml import LINE, build, parse

TEXT = """
name = "drum"
duration = "2 s"
integrator = { kind = "test-leap" }
observables = ["test-count", { kind = "test-count", above = "2 mm" }]

[contact]
law = "test-rubber"

[stiction]

[materials."wet sand"]
density = "2500 kg/m^3"

[[pairs]]
between = ["wet sand", "wet sand"]
friction = 0.1

[[grains]]
name = "bed"
material = "wet sand"
shape = [{ position = [0, 0, 0], radius = "1 mm" }, { position = [0, 0, "1 mm"], radius = "1 mm" }]
fill = { kind = "points", positions = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 2, 0], [0, 2, 1], [0, 3, 0]] }

[[grains]]
name = "more"
material = "wet sand"
shape = "rod"
size = { kind = "lognormal", median = "5 mm", sigma = 0.1 }
count = 3
fill = { kind = "random", region = { kind = "cylinder", base = [0, 0, 1], radius = "1 m", height = "2 m" } }

[[walls]]
name = "mast"
shape = "test-pole"
radius = "10 cm"
material = "wet sand"
motion = { kind = "test-nod", spin = "30 rpm" }

[[walls]]
name = "stake"
shape = "test-pole"
radius = 1
material = "wet sand"
motion = [{ kind = "test-nod", spin = "30 rpm" }, { kind = "test-nod", spin = "0.1 rad/s" }]
"""


@pytest.mark.parametrize("full", [True, False])
def test_round_trip(full):
    scene = loads(TEXT)
    text = dumps(scene, full=full)
    assert loads(text) == scene
    assert dumps(loads(text), full=full) == text
    assert max(map(len, text.splitlines())) <= LINE


def test_full_states_every_default_and_short_states_none():
    full, short = (parse(dumps(loads(TEXT), full=full)) for full in (True, False))
    assert full["gravity"] == [0.0, 0.0, -9.81] and full["wall_contact"] == {"law": "test-rubber", "softness": 0.25}
    assert full["stiction"] == {"strength": 2.1, "spin_strength": 0.1, "duration": 0.001}
    assert "gravity" not in short and "wall_contact" not in short
    assert short["stiction"] == {} and short["contact"] == {"law": "test-rubber"}


@given(
    value=st.floats(min_value=1e-30, max_value=1e20),
    x=st.floats(min_value=-1e20, max_value=1e20).filter(lambda x: x == 0 or abs(x) >= 1e-30),
    name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
    seed=st.integers(0, 2**63 - 1),
)
def test_round_trip_is_exact_to_the_bit(value, x, name, seed):
    fields = parse(TEXT) | {"duration": value, "gravity": [x, 0.0, 0.0], "name": name, "description": name}
    fields["materials"] = {"wet sand": {"density": value}, name: {"density": 1}}
    scene = build(fields | {"seed": seed})
    for full in (True, False):
        back = loads(dumps(scene, full=full))
        assert back == scene
        assert repr(back) == repr(scene)  # tells -0.0 from 0.0, which == does not


def test_paths_start_from_the_scene_file(tmp_path):
    text = TEXT.replace('kind = "random", region', 'kind = "file", path = "bed.npz", region')
    scene_file = tmp_path / "own.toml"
    scene_file.write_text(
        text.split("[[grains]]")[0]
        + '[[grains]]\nname = "bed"\nmaterial = "wet sand"\nfill = { kind = "file", path = "bed.npz" }\n'
    )
    scene = load(scene_file)
    assert scene.grains[0].fill.path == str(tmp_path / "bed.npz")
    assert loads(dumps(scene)) == scene


def problem(source) -> str:
    with pytest.raises(BarchanError) as caught:
        load(source)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; a scene has at least a name"),
        (b" \n\t\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is a binary file; must be a scene in TOML"),
        (b"name = 'a\0b'", "is a binary file"),
        (b"name = 'a'\nduration = = 3\n", "is not valid TOML: Invalid value (at line 2, column 12)"),
        (b"a = " + b"[" * 100_000, "is nested too deeply"),
        (b"a = " + b"9" * 10_000, "is not valid TOML"),
        (b"\xef\xbb\xbfname = 'a'", "duration: missing"),
    ],
)
def test_a_file_that_is_no_scene(tmp_path, data, message):
    path = tmp_path / "bad.toml"
    path.write_bytes(data)
    assert message in problem(path)


def test_no_file_at_all(tmp_path):
    assert "no such scene; must be a file or one of the library" in problem(tmp_path / "none.toml")
    assert "is a folder; must be a scene file" in problem(tmp_path)
    assert "is not an ordinary file" in problem("/dev/null")
    assert "no such scene" in problem("a\0b")
    assert "cannot be read" in problem("x" * 5000)


def test_an_enormous_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    path = tmp_path / "huge.toml"
    with path.open("wb") as stream:
        stream.truncate(3 * 2**20)
    assert "has 3 MB; a scene file may have 1 MB. Put positions in an .npz" in problem(path)


@pytest.fixture
def shelf(tmp_path, monkeypatch) -> Path:
    """A library of two scenes: one in TOML, one as a function."""
    (tmp_path / "wet_drum.toml").write_text(TEXT)
    (tmp_path / "_helper.py").write_text("")
    monkeypatch.setattr(files, "_FOLDER", tmp_path)
    return tmp_path


def test_the_library_by_name(shelf):
    assert list(library()) == ["wet-drum"]
    assert load("wet-drum") == loads(TEXT)
    assert load("wet-drum", ["seed=4", "grains.more.count=5"]).grains[1].count == 5
    assert problem("wet-drun").endswith("Did you mean 'wet-drum'?")


def test_a_library_scene_may_be_a_function(shelf, monkeypatch):
    (shelf / "own_drum.py").write_text(
        f"from barchan.scene import loads\n\ndef scene():\n    return loads({TEXT!r})\n", encoding="utf-8"
    )
    monkeypatch.setattr("barchan.scenes.__path__", [str(shelf)])
    monkeypatch.delitem(sys.modules, "barchan.scenes.own_drum", raising=False)
    assert load("own-drum", ["wall_contact.softness=1"]).wall_contact.softness == 1.0
    monkeypatch.delitem(sys.modules, "barchan.scenes.own_drum")
