"""One revision in a process of its own: it does what it is asked for on standard input, and sleeps in between.

Each line is a question in JSON, and each is answered by one: {"do": "set up", "course": name, "options": {…}} by the
unit of work, {"do": "turn", "course": name, "pieces": n} by work, wall-clock and processor seconds.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from speed.courses import COURSES, Course


def turn(course: Course, pieces: int) -> dict[str, float]:
    """One turn."""
    course.ready(pieces)
    wall, cpu = time.perf_counter(), time.process_time()
    work = course.advance(pieces)
    return {"work": work, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def answer(courses: dict[str, Course], question: Mapping[str, Any]) -> dict[str, Any]:
    """What is said to a question."""
    name = question["course"]
    if question["do"] == "set up":
        courses[name] = COURSES[name](**question["options"])
        return {"unit": courses[name].unit}
    return turn(courses[name], question["pieces"])


def main(source: str) -> None:
    """Serve until standard input ends."""
    import barchan

    if not Path(barchan.__file__).resolve().is_relative_to(Path(source).resolve()):
        raise SystemExit(f"{barchan.__file__} is not in {source}")
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a benchmark prints is no answer
    courses: dict[str, Course] = {}
    for line in sys.stdin:
        try:
            reply = answer(courses, json.loads(line))
        except Exception as error:  # the other revision goes on, and this is said
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
