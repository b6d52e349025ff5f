"""`import barchan` is quick, because what is heavy is imported when it is needed and not before."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = ("numba", "h5py", "matplotlib", "pint", "scipy", "trimesh")

PROBE = f"""
import json, sys
import barchan
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""


def test_import_leaves_the_heavy_packages_alone():
    """Each of them alone takes as long as all else together."""
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
