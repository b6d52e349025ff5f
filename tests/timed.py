"""Runs pytest and says how long it took, and what of a processor; lists what was skipped and why.

timed.py NAME ARGUMENTS… runs pytest with these arguments; timed.py --skipped lists what the last runs skipped.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

FOLDER = Path("build/tests")


def run(name: str, arguments: list[str]) -> int:
    """The exit code of pytest."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.xml").unlink(missing_ok=True)  # of a run before, should this one leave none
    begin = time.monotonic()
    command = [sys.executable, "-m", "pytest", f"--junitxml={FOLDER / name}.xml", "--quiet", "-r", "fE", *arguments]
    code = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"make {name}: {time.monotonic() - begin:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processors")
    return code


def skipped() -> None:
    """What was skipped in the last runs, each reason once."""
    reasons: Counter[tuple[str, str]] = Counter()
    lists = sorted(FOLDER.glob("*.xml"))
    if not lists:
        print("No run of tests has left a list: make test, make validate")
        return
    for path in lists:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            for skip in case.iter("skipped"):
                reasons[path.stem, skip.get("message", "")] += 1
    print("Skipped:" if reasons else "Nothing was skipped.")
    for (name, reason), count in sorted(reasons.items()):
        print(f"  make {name}: {count} times: {reason}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--skipped"]:
        skipped()
    else:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
