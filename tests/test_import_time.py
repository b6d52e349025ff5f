"""`import barchan` is quick, because what is heavy is imported when it is needed and not before."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = ("numba", "h5py", "matplotlib", "pint")

PROBE = f"""
import json, sys, time
start = time.perf_counter()
import barchan
seconds = time.perf_counter() - start
print(json.dumps({{"seconds": seconds, "heavy": [name for name in {HEAVY!r} if name in sys.modules]}}))
"""


def _probe() -> dict:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_import_is_quick_and_leaves_the_heavy_packages_alone():
    """Best of three, each in a fresh process: other work on the machine only ever adds time."""
    probes = [_probe() for _ in range(3)]
    assert probes[0]["heavy"] == []
    assert min(probe["seconds"] for probe in probes) < 1.0
