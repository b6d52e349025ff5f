"""Compare the speed of this checkout with that of another revision, turn by turn.

    make speed REV=HEAD~1 [BENCHES=gas,relax] [THREADS=2]
    make speed REV=base

REV is a commit, a folder with another checkout, or `base`: what benchmarks/speed/base.toml names. Exit code: 0 fine,
1 too slow, 2 wrong use, 3 not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from speed import gate, turns
from speed.courses import COURSES, LARGE, ON_GPU, TINY
from speed.revisions import ROOT, SHORT, Revision, WrongUse, bases, find, here

COLD = "cold-start"
NAMES = (*COURSES, COLD)
COLD_SHARE = 0.4  # of the time, at most


def parsed(words: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="make speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("revision", metavar="REV")
    parser.add_argument("--benches", default="", help="comma-separated; left out, all of them")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=15.0, help="in all, at most")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--precision", choices=("double", "mixed"), default="double")
    parser.add_argument("--tiny", action="store_true", help="a few grains: whether it runs, nothing about speed")
    parser.add_argument("--commit", default="", help="of this checkout, where there is no history that would say it")
    parser.add_argument("--out", type=Path, help="the file to write; left out, one in benchmarks/results")
    return parser.parse_args(words)


def chosen(benches: str, device: str) -> tuple[str, ...]:
    """The benchmarks that are asked for."""
    known = NAMES if device == "cpu" else ON_GPU
    names = tuple(name.strip() for name in benches.split(",") if name.strip()) or known
    if unknown := [name for name in names if name not in known]:
        raise WrongUse(f"BENCHES: {', '.join(unknown)}: no such benchmark; known: {', '.join(known)}")
    return names


def comparisons(revision: str, names: Sequence[str]) -> list[turns.Comparison]:
    """What each benchmark is compared with, and what is asked of it."""
    base = bases(NAMES)
    wanted = {name: base[name] if revision == "base" else revision for name in names}
    sources = {one: find(one) for one in set(wanted.values())}
    found = []
    for name in names:
        old = sources[wanted[name]]
        limit = gate.SINCE_BASE if old.commit == base[name][:SHORT] else gate.SINCE_PREVIOUS
        cold = (gate.COLD_START, gate.COLD_STARTS) if name == COLD else (limit,)
        found.append(turns.Comparison(name, old, *cold))
    return found


def options(name: str, asked: argparse.Namespace) -> dict[str, Any]:
    """The size of a benchmark, and where it runs."""
    size = TINY[name] if asked.tiny else LARGE[name] if asked.device == "cuda" else {}
    where = {"device": asked.device, "precision": asked.precision} if asked.device == "cuda" else {}
    return {**size, **where}


def compare(found: Sequence[turns.Comparison], new: Revision, asked: argparse.Namespace, until: float) -> None:
    """Cold starts, then turns, until the time is up."""
    for one in found:
        if one.name == COLD:
            print("cold starts …", flush=True)
            began = time.monotonic()
            turns.cold_starts(one, new, began + COLD_SHARE * (until - began))
            print(turns.line(one), flush=True)
    warm = [one for one in found if one.name != COLD]
    olds = {one.old: one for one in warm}
    workers: dict[Revision | str, turns.Worker] = {}
    try:
        if warm:
            workers["new"] = turns.Worker(new, asked.threads, asked.device)
            workers |= {old: turns.Worker(old, asked.threads, asked.device) for old in olds}
        pairs = []
        for one in warm:
            if time.monotonic() > until:
                one.trouble = "time was up before its first turn"
                continue
            print(f"setting up {one.name} …", flush=True)
            try:
                pairs.append(turns.Pair(one, workers[one.old], workers["new"], options(one.name, asked)))
            except turns.Failed as failure:
                one.trouble = str(failure)
        turns.take_turns(pairs, until, lambda told: print(told, flush=True))
    finally:
        for worker in workers.values():
            worker.close()


def written(found: Sequence[turns.Comparison], new: Revision, asked: argparse.Namespace, took: float) -> Path:
    """The file of results."""
    from barchan.bench import stamp

    kind = "" if asked.device == "cpu" else f"-{asked.device}-{asked.precision}"
    against = "base" if asked.revision == "base" else found[0].old.commit
    name = f"{date.today().isoformat()}-speed-{new.commit}-{against}{kind}.json"
    path = asked.out or ROOT / "benchmarks" / "results" / name
    told = {
        "date": date.today().isoformat(), **stamp(), "commit": new.commit, "cores": os.cpu_count(),
        "load": turns.load(), "threads": asked.threads, "device": asked.device, "precision": asked.precision,
        "tiny": asked.tiny, "seconds": round(took, 1), "results": [one.as_dict() for one in found],
    }  # fmt: skip
    path.write_text(json.dumps(told, indent=1) + "\n")
    return path


def main(words: Sequence[str] | None = None) -> int:
    """Compare, say what was found, and answer with the exit code."""
    asked, began = parsed(words), time.monotonic()
    try:
        names, new = chosen(asked.benches, asked.device), here(asked.commit)
        found = comparisons(asked.revision, names)
    except WrongUse as error:
        print(error, file=sys.stderr)
        return 2
    print(gate.RULE, flush=True)
    compare(found, new, asked, began + 60 * asked.minutes)
    path = written(found, new, asked, time.monotonic() - began)
    print("", turns.HEADING, *map(turns.line, found), "", f"{path.name} is written.", sep="\n")
    return gate.exit_code(one.verdict for one in found)


if __name__ == "__main__":
    sys.exit(main())
