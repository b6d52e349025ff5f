"""Scenes that are wrong in ten ways: each is told in a readable line or a few, exit code 2, and no run folder."""

from __future__ import annotations

import pytest

from simulation.shared import SMALL

SIZE = 'size = { kind = "uniform", low = "4 mm", high = "6 mm" }'
FILL = 'fill = { kind = "random", region = { kind = "box", low = [0, 0, "2 mm"], high = ["2 cm", "2 cm", "6 cm"] } }'


def changed(old: str, new: str) -> bytes:
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new).encode()


WRONG = {
    "negative radius": (
        changed('shape = "plane"', 'shape = "sphere"\nradius = "-10 cm"'), "walls[0].radius: '-10 cm'; must be > 0"
    ),
    "missing material": (changed('material = "sand"\nsize', 'material = "snad"\nsize'), "Did you mean 'sand'?"),
    "overlapping fill": (
        changed(f"{SIZE}\ncount = 30\n{FILL}", 'size = "5 mm"\nfill = { kind = "points", positions = '
                "[[0, 0, 0.01], [0.001, 0, 0.01]] }"),
        "grains 0 and 1 overlap",
    ),
    "misspelt field": (changed("restitution", "resitution"), "materials.sand.resitution: unknown field"),
    "wall through the grains": (
        changed('shape = "plane"', 'shape = "plane"\npoint = [0, 0, "3 cm"]'), "inside wall 'floor'"
    ),
    "absurd time step": (changed("duration = 0.1", "duration = 0.1\ntime_step = 0.05"), "time_step: 0.05 s"),
    "wrong dimension": (changed('density = "2500 kg/m^3"', 'density = "2500 kg"'), "materials.sand.density"),
    "empty file": (b"", "is empty"),
    "binary file": (bytes(range(256)), "is a binary file"),
    "a billion grains": (
        changed("count = 30", "count = 1_000_000_000"), "grains[0].count: 1000000000"
    ),
}  # fmt: skip


@pytest.mark.parametrize("verb", ["check", "run"])
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_scene_is_told(home, command, kind, verb):
    content, words = WRONG[kind]
    (home / "wrong.toml").write_bytes(content)
    code, out, err = command(verb, "wrong.toml", *(("--out", "out") if verb == "run" else ()))
    assert code == 2, out + err
    assert words in err
    assert all(line.startswith("error: ") for line in err.splitlines())
    assert len(err.splitlines()) <= 6
    assert sorted(path.name for path in home.iterdir()) == ["small.toml", "wrong.toml"]
