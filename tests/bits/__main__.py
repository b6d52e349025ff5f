"""`make same-bits REV=…`: do two revisions compute the same bits? Exit code 0 yes, 1 no, 2 wrong use."""

from __future__ import annotations

import argparse
import fcntl
import itertools
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bits import jobs
from bits.compare import Difference, differences
from bits.renames import FILE, Renames
from bits.revisions import BASE, Revision, UsageError, two

SHOWN = 5  # differences of one comparison
WORDS = {"one": "on 1 thread", "two": "on 2 threads", "resumed": "killed and resumed"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, compare, and say what differs first."""
    parser = argparse.ArgumentParser(prog="make same-bits", description=__doc__)
    parser.add_argument("rev", help="a commit, or a folder with the sources of another revision")
    parser.add_argument("--scenes", default="", help="some of the scenes, with commas between; all when left out")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    BASE.mkdir(parents=True, exist_ok=True)
    try:
        with (BASE / "lock").open("w") as lock:
            _alone(lock)
            before, now = two(given.rev)
            return _report(before, now, _chosen(given.scenes, before, now), began)
    except (UsageError, ValueError) as problem:
        print(f"same-bits: {problem}", file=sys.stderr)
        return 2


def _alone(lock: Any) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        raise UsageError(f"another one is at work in {BASE}; wait until it ends") from problem


def _chosen(asked: str, before: Revision, now: Revision) -> list[str]:
    """The scenes asked for, in the order of their file."""
    known = list(dict.fromkeys([*now.scenes, *before.scenes]))
    wanted = [name for name in asked.replace(",", " ").split() if name] or known
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"SCENES: there is no {', '.join(unknown)}; known: {', '.join(known)}")
    return [name for name in known if name in wanted]


def _report(before: Revision, now: Revision, scenes: Sequence[str], began: float) -> int:
    """Run all scenes of both revisions, and print what differs as soon as it is known."""
    print(f"before: {before.name}\nnow:    {now.name}")
    if not before.own_bits:
        print(f"{before.name} has no tests/bits: it runs the present scenes, by the present script.")
    judge = Judge(before, now, scenes)
    jobs.run(jobs.jobs((before, now), scenes), judge.hear)
    same = sum(judge.same.values())
    took = time.monotonic() - began
    print(f"{same} of {len(scenes)} scenes have the same bits; {took:.0f} s, {_spent():.0f} CPU-s")
    return 0 if same == len(scenes) else 1


class Judge:
    """Hears what tasks have come to, and compares the runs of a scene when the last of them is there."""

    def __init__(self, before: Revision, now: Revision, scenes: Sequence[str]) -> None:
        self.before, self.now = before, now
        self.same: dict[str, bool] = {}
        self._left = {scene: len(jobs.WAYS) * len(self._having(scene)) for scene in scenes}
        self._failures: dict[str, list[str]] = {scene: [] for scene in scenes}
        self._within = Renames.between(now.bits / FILE, now.bits / FILE)
        self._across = Renames.between(before.bits / FILE if before.own_bits else None, now.bits / FILE)

    def hear(self, revision: Revision, answer: Mapping[str, Any]) -> None:
        """What one task has come to."""
        scene, way = answer["task"]
        if "error" in answer:
            self._failures[scene].append(f"{revision.label}, {way}: {answer['error']}")
        at = f", at {answer['resumed_at']:.4g} of {answer['duration']:.4g} s" if "resumed_at" in answer else ""
        spent = f"{answer['seconds']:6.1f} s, {answer['cpu']:5.1f} CPU-s" if "cpu" in answer else ""
        print(f"  {revision.label:<6} {scene:<16} {way:<8} {spent}{' FAILED' if 'error' in answer else at}", flush=True)
        self._left[scene] -= 1
        if not self._left[scene]:
            self._judge(scene)

    def _judge(self, scene: str) -> None:
        lines = self._failures[scene] or self._differing(scene)
        having = self._having(scene)
        alone = "" if len(having) == 2 else f" ({having[0].label} only: there is nothing to compare it with)"
        print(f"{scene:<16} {'DIFFERS' if lines else 'same bits'}{alone}")
        for line in lines:
            print(f"    {line}")
        sys.stdout.flush()
        self.same[scene] = not lines

    def _differing(self, scene: str) -> list[str]:
        lines: list[str] = []
        told: dict[tuple[Difference, ...], str] = {}  # what has been said, and of which comparison
        for (one, way), (other, other_way) in _pairs(self._having(scene)):
            renames = self._across if one is not other else self._within
            found = tuple(differences(one.out / scene / way, other.out / scene / other_way, renames))
            what = f"{_named(one, way)} | {_named(other, other_way)}"
            if found in told:
                lines += [f"{what}: the same as {told[found]}"]
            elif found:
                told[found] = what
                lines += [f"{what}:", *_lines(found)]
        return lines

    def _having(self, scene: str) -> list[Revision]:
        return [one for one in (self.before, self.now) if scene in one.scenes]


def _pairs(there: Sequence[Revision]) -> list[tuple[tuple[Revision, str], tuple[Revision, str]]]:
    """What is compared with what: the ways within each revision, then each way across both."""
    within = [((one, "one"), (one, way)) for one in there for way in ("two", "resumed")]
    return within + [((one, way), (other, way)) for one, other in itertools.pairwise(there) for way in WORDS]


def _spent() -> float:
    """CPU time, s, of this process and those that it has started."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _named(revision: Revision, way: str) -> str:
    return f"{revision.label} {WORDS[way]}"


def _lines(found: Sequence[Difference]) -> list[str]:
    more = [f"  and {len(found) - SHOWN} more datasets"] if len(found) > SHOWN else []
    return [*(f"  {one}" for one in found[:SHOWN]), *more]


if __name__ == "__main__":
    sys.exit(main())
