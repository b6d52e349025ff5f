"""What `tests/gpu.sh` says about what it found; the GPU itself is asked there."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

spec = importlib.util.spec_from_file_location("gpu_result", Path(__file__).resolve().parents[2] / "gpu" / "result.py")
assert spec is not None and spec.loader is not None
result: Any = importlib.util.module_from_spec(spec)
spec.loader.exec_module(result)


def test_a_changed_last_bit_is_found_where_it_is() -> None:
    """One number of a thousand is the next float64: its array, how many rows and the first of them are said. A zero of
    the other sign is another number, a not-a-number the same as itself. Would catch a comparison by value or by
    tolerance.
    """
    rng = np.random.default_rng(1)
    one = {"position": rng.normal(size=(1000, 3)), "id": np.arange(1000), "broken_at": np.full(5, np.nan)}
    other = {name: array.copy() for name, array in one.items()}
    assert result.differing(one, other) == []
    other["position"][417, 1] = np.nextafter(other["position"][417, 1], 1)
    (said,) = result.differing(one, other)
    assert said.startswith("position: 1 of 1000 rows, first row 417")
    assert len(result.differing({"a": np.zeros(3)}, {"a": -np.zeros(3)})) == 1
    assert result.differing({"a": np.zeros(3)}, {"a": np.zeros(3, np.float32)}) == ["a: float64[3] and float32[3]"]
    assert result.differing({"a": np.zeros(3)}, {}) == ["a: in one of them only"]


def test_scenes_that_did_not_end_are_not_the_same(tmp_path: Path) -> None:
    """Nothing differs where nothing was compared: that is not measured. Would catch an empty list taken as fine."""
    for folder in ("new", "other"):
        (tmp_path / folder).mkdir()
        np.savez(tmp_path / folder / "bed", a=np.arange(3))
    assert result.same_bits(tmp_path / "new", tmp_path / "other")["verdict"] == "fine"
    np.savez(tmp_path / "new" / "cubes", a=np.arange(3))
    assert result.same_bits(tmp_path / "new", tmp_path / "other")["verdict"].startswith("not measured")
    np.savez(tmp_path / "other" / "cubes", a=np.arange(3) + 1)
    assert result.same_bits(tmp_path / "new", tmp_path / "other")["verdict"] == "wrong"
    assert result.same_bits(tmp_path / "none", tmp_path / "none")["verdict"].startswith("not measured")


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("<testcase name='a'/>", "fine"),
        ("<testcase name='a'/><testcase name='b'><failure/></testcase>", "wrong"),
        ("<testcase name='a'><skipped/></testcase>", "not measured"),
        ("", "not measured"),
    ],
)
def test_a_skipped_test_is_not_a_passed_one(cases: str, said: str, tmp_path: Path) -> None:
    """Where there is no device every test marked `gpu` is skipped, and pytest is content; this is not."""
    count = {"tests": cases.count("name="), "failures": cases.count("<failure"), "skipped": cases.count("<skipped")}
    told = " ".join(f'{name}="{many}"' for name, many in count.items())
    (tmp_path / "tests.xml").write_text(
        f'<testsuites><testsuite errors="0" time="1.5" {told}>{cases}</testsuite></testsuites>'
    )
    assert result.correctness(tmp_path / "tests.xml")["verdict"].partition(":")[0] == said
    assert result.correctness(tmp_path / "none.xml")["verdict"].startswith("not measured")


def test_the_exit_code_tells_wrong_from_not_measured(tmp_path: Path) -> None:
    """Wrong comes first, and what was not measured is not fine."""
    assert result.exit_code(["fine", "fine"]) == 0
    assert result.exit_code(["not measured: x", "too slow"]) == result.exit_code(["wrong", "fine"]) == 1
    assert result.exit_code(["fine", "not measured: x"]) == 3
    (tmp_path / "speed.json").write_text(json.dumps({"results": [{"verdict": "fine"}, {"verdict": "too slow"}]}))
    assert result.turns(tmp_path / "speed.json")["verdict"] == "too slow"
    assert result.turns(tmp_path / "none.json")["verdict"].startswith("not measured")
