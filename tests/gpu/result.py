"""Put together what `tests/gpu.sh` found, write it to a file, and say with the exit code whether all is fine."""

from __future__ import annotations

import argparse
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FINE, WRONG, NOT_MEASURED = 0, 1, 3


def correctness(report: Path) -> dict[str, Any]:
    """How the tests ended."""
    if not report.is_file():
        return {"verdict": "not measured: the tests did not end in time"}
    suite = next(ElementTree.parse(report).iter("testsuite"))
    count = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
    bad = [
        case.get("name", "")
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    said = "wrong" if bad else "not measured: tests were skipped" if count["skipped"] else "fine"
    if not count["tests"]:
        said = "not measured: no test ran"
    return {**count, "seconds": round(float(suite.get("time", 0))), "failed": bad, "verdict": said}


def differing(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> list[str]:
    """What is not the same to the last bit in two frames; names that one of them lacks."""
    found = [f"{name}: in one of them only" for name in sorted(set(one) ^ set(other))]
    for name in sorted(set(one) & set(other)):
        a, b = one[name], other[name]
        if a.dtype != b.dtype or a.shape != b.shape:
            found.append(f"{name}: {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}")
        elif a.tobytes() != b.tobytes():
            rows = np.ascontiguousarray(a).view(np.uint8).reshape(len(a), -1)
            at = np.flatnonzero((rows != np.ascontiguousarray(b).view(np.uint8).reshape(len(b), -1)).any(axis=1))
            found.append(f"{name}: {len(at)} of {len(a)} rows, first row {at[0]}: {a[at[0]]!r} and {b[at[0]]!r}")
    return found


def same_bits(new: Path, other: Path) -> dict[str, Any]:
    """Scene by scene, what differs."""
    scenes = sorted({path.name for folder in (new, other) for path in folder.glob("*.npz")})
    found: dict[str, Any] = {}
    for name in scenes:
        if not ((new / name).is_file() and (other / name).is_file()):
            found[name[:-4]] = "not measured: one of the two did not end"
            continue
        with np.load(new / name) as one, np.load(other / name) as two:
            found[name[:-4]] = differing(dict(one), dict(two)) or "the same"
    wrong = any(isinstance(said, list) for said in found.values())
    some = found and all(said == "the same" for said in found.values())
    return {"scenes": found, "verdict": "wrong" if wrong else "fine" if some else "not measured: not all scenes ended"}


def turns(path: Path) -> dict[str, Any]:
    """What the comparison in turns says."""
    if not path.is_file():
        return {"verdict": "not measured: it did not end in time"}
    results = json.loads(path.read_text())["results"]
    verdicts = [one["verdict"] for one in results]
    said = next((word for word in ("too slow", "not measured") if word in verdicts), "fine")
    return {"results": results, "verdict": said}


def exit_code(verdicts: list[str]) -> int:
    """Wrong before not measured."""
    if any(said in ("wrong", "too slow") for said in verdicts):
        return WRONG
    return FINE if all(said == "fine" for said in verdicts) else NOT_MEASURED


def device_name() -> str:
    """What the GPU calls itself."""
    from barchan.kernels import cuda_device

    return cuda_device.name()


def main() -> int:
    """Write the result, and say it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--commit", default="")
    parser.add_argument("--other-commit", default="")
    parser.add_argument("--other", action="store_true")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / f"{date.today()}-gpu.json")
    asked = parser.parse_args()
    from barchan.bench import stamp

    stamped = stamp()
    told: dict[str, Any] = {
        "date": date.today().isoformat(), **stamped, "commit": asked.commit or stamped["commit"] or "unknown",
        "other": asked.other_commit or "unknown" if asked.other else None, "dry": asked.dry, "device": device_name(),
        "seconds": asked.seconds, "correctness": correctness(asked.work / "tests.xml"),
    }  # fmt: skip
    parts = ["correctness"]
    if asked.other:
        told["same_bits"] = same_bits(asked.work / "new", asked.work / "other")
        told["speed"] = turns(asked.work / "speed.json")
        parts += ["same_bits", "speed"]
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps(told, indent=1) + "\n")
    print(json.dumps(told, indent=1))
    for part in parts:
        print(f"{part}: {told[part]['verdict']}")
    print(f"{asked.out.name} is written; {asked.seconds} s in all.")
    return exit_code([told[part]["verdict"] for part in parts])


if __name__ == "__main__":
    raise SystemExit(main())
