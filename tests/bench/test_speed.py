"""`make speed`: what series of ratios say, which turns make a pair, and what is compared with what.

No test measures a time: the turns here are made of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from speed import __main__ as command
from speed import courses, gate, revisions, turns, worker

HERE = revisions.Revision("0000000", Path("here"))


def series(slower: float, count: int, seed: int, noise: float = 0.02) -> list[tuple[float, float]]:
    """Speeds of pairs of turns, old and new, on a machine that becomes half as fast and recovers."""
    rng = np.random.default_rng(seed)
    machine = 1e6 * (0.75 + 0.25 * np.cos(np.linspace(0, 2 * np.pi, count)))
    old, new = machine * rng.lognormal(0, noise, count), machine * slower * rng.lognormal(0, noise, count)
    return list(zip(old.tolist(), new.tolist(), strict=True))


def compared(speeds: list[tuple[float, float]], limit: gate.Limit = gate.SINCE_PREVIOUS) -> turns.Comparison:
    """A comparison that found these."""
    return turns.Comparison("gas", HERE, limit, speeds=speeds)


def test_an_interval_holds_the_truth_nineteen_times_of_twenty() -> None:
    """Of 400 series of 30 ratios around 0.98, so many intervals hold 0.98 as are said to: 380, give or take 3 standard
    deviations of 4.4, and some 2% that a bootstrap of so few is out by. Would catch ends taken at 5% and 95% (which
    hold it 90% of the time), or the spread of the ratios instead of that of their median (which holds it always).
    """
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(400):
        found = gate.interval((0.98 * rng.lognormal(0, 0.03, 30)).tolist())
        held += found.low <= 0.98 <= found.high
    assert 0.917 * 400 <= held <= 0.987 * 400


def test_an_interval_shrinks_with_the_root_of_the_number() -> None:
    """The spread of a median falls as 1/√n: from 25 ratios to 400 by four; an interval of one series is out by a third
    at most. Would catch resamples of a fixed size.
    """
    rng = np.random.default_rng(5)
    few, many = (gate.interval((1 + 0.02 * rng.normal(size=count)).tolist()) for count in (25, 400))
    assert few.width / many.width == pytest.approx(4.0, rel=0.34)


def test_an_interval_does_not_mind_turns_that_were_disturbed() -> None:
    """A fifth of the turns lost half of their time to somebody else: the median stays, a mean would be at 1.2."""
    ratios = [1.0 + 0.001 * (k % 7 - 3) for k in range(80)] + [2.0] * 20
    found = gate.interval(ratios)
    assert 0.997 < found.low <= found.median <= found.high < 1.004
    assert gate.interval([0.9, 1.0, 1.3]).median == 1.0


@pytest.mark.parametrize(
    ("low", "high", "limit", "said"),
    [
        (0.94, 0.969, gate.SINCE_PREVIOUS, "too slow"),
        (0.94, 0.971, gate.SINCE_PREVIOUS, "fine"),
        (0.94, 0.969, gate.SINCE_BASE, "fine"),
        (0.92, 0.949, gate.SINCE_BASE, "too slow"),
        (0.90, 0.941, gate.SINCE_PREVIOUS, "not measured"),
        (1.00, 1.041, gate.SINCE_PREVIOUS, "not measured"),
        (0.80, 0.899, gate.COLD_START, "too slow"),
        (0.80, 0.901, gate.COLD_START, "fine"),
        (0.80, 0.940, gate.COLD_START, "not measured"),
    ],
)
def test_the_gate(low: float, high: float, limit: gate.Limit, said: str) -> None:
    """The rule of the gate, case by case: the upper end decides, not the median; what is wide is no measurement, even
    where it lies below the limit altogether. Would catch the lower end or the median in its place, limits mixed up.
    """
    assert gate.verdict(gate.Interval(low, low, high, 50), limit) == said


def test_few_pairs_are_no_measurement() -> None:
    """Three ratios that happen to agree have a narrow interval."""
    assert gate.verdict(gate.interval([0.5, 0.5, 0.5]), gate.SINCE_PREVIOUS) == "not measured"
    assert not gate.measured([1.0] * (gate.FEWEST - 1)) and gate.measured([1.0] * gate.FEWEST)
    assert gate.verdict(None, gate.SINCE_PREVIOUS) == "not measured"


def test_exit_codes_tell_slow_from_not_measured() -> None:
    """Slow is worse than not known, wherever in the list it stands."""
    assert gate.exit_code(["fine", "fine"]) == 0
    assert gate.exit_code(["fine", "not measured", "too slow"]) == gate.exit_code(["too slow", "not measured"]) == 1
    assert gate.exit_code(["fine", "not measured"]) == 3


@pytest.mark.parametrize("seed", range(5))
def test_a_loss_of_five_percent_is_found_and_none_is_not(seed: int) -> None:
    """On a machine whose speed halves and recovers, 60 pairs with turns that scatter by 2%: the interval of the median
    is about 0.02 √2 · 1.25 · 4 / √60 = 1.8% wide, so 0.95 lies below 0.97 by more than its half, and 1 far above.
    Would catch ratios of medians instead of the median of ratios, which the machine's drift would widen to tens of
    percent, and old over new.
    """
    slow, same = compared(series(0.95, 60, seed)), compared(series(1.0, 60, seed))
    assert slow.verdict == "too slow" and same.verdict == "fine"
    assert compared(series(0.95, 60, seed), gate.SINCE_BASE).verdict == "fine"
    assert slow.as_dict()["verdict"] == "too slow" and slow.as_dict()["ratio"]["median"] == pytest.approx(
        0.95, abs=0.01
    )


class Told:
    """Stands in for a process: it says what a turn took, and when it was asked."""

    def __init__(self, revision: revisions.Revision, asked: list[str], seconds: Callable[[int], float]) -> None:
        self.revision, self.asked, self.seconds = revision, asked, seconds

    def ask(self, **question: Any) -> None:
        """Nothing to be set up."""

    def answer(self) -> dict[str, Any]:
        """The unit of what is counted."""
        return {"unit": "steps"}

    def turn(self, course: str, pieces: int) -> tuple[float, float]:
        """So many steps, and how long they took."""
        self.asked.append(self.revision.commit)
        return float(pieces), self.seconds(pieces)


def pair(old: Callable[[int], float], new: Callable[[int], float], asked: list[str]) -> turns.Pair:
    """Two stand-ins at one benchmark."""
    workers: list[Any] = [Told(revisions.Revision(name, Path()), asked, s) for name, s in (("old", old), ("new", new))]
    return turns.Pair(turns.Comparison("gas", HERE, gate.SINCE_PREVIOUS), *workers, {})


def test_turns_alternate_and_take_a_quarter_of_a_second() -> None:
    """Whoever goes second finds a warmer or a slower processor, so each goes first as often; both get the same work,
    and the slower one's turn takes a quarter of a second. The new one needs twice the time: the ratio is a half, not
    two.
    """
    asked: list[str] = []
    found = pair(lambda pieces: pieces * 1e-3, lambda pieces: pieces * 2e-3, asked)
    assert found.pieces == 125
    asked.clear()
    found.visit()
    assert asked == ["old", "new", "new", "old"] * (turns.VISIT // 2)
    assert found.comparison.ratios == pytest.approx([0.5] * turns.VISIT)


def test_turns_go_on_until_each_is_measured_or_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark that is steady is left after as few pairs as the gate asks for, one that scatters by half goes on
    until the time is up and counts as not measured, and one whose process ends leaves the others alone.
    """
    rng, now = np.random.default_rng(1), [0.0]
    monkeypatch.setattr(turns.time, "monotonic", lambda: now[0])

    def took(pieces: int) -> float:
        now[0] += 0.25
        return pieces * 1e-3

    def broken(pieces: int) -> float:
        if now[0] > 20.0:
            raise turns.Failed("the process of new has ended")
        return took(pieces)

    steady = pair(took, took, [])
    wild = pair(took, lambda pieces: took(pieces) * rng.uniform(0.5, 2.0), [])
    ended = pair(took, broken, [])
    said: list[str] = []
    turns.take_turns([steady, wild, ended], 100.0, said.append)
    assert len(steady.comparison.ratios) == gate.FEWEST and steady.comparison.verdict == "fine"
    assert now[0] == pytest.approx(100.0, abs=2 * turns.VISIT) and wild.comparison.verdict == "not measured"
    assert ended.comparison.verdict == "not measured" and "has ended" in turns.line(ended.comparison)
    assert len(said) == 3


def test_cold_starts_alternate_and_one_that_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five of each, in turns; a tenth slower is not yet too slow, a fifth is. A start that fails is no measurement."""
    asked: list[str] = []
    monkeypatch.setattr(turns, "compile_bytecode", lambda revision: None)
    for took, said in ((1.1, "fine"), (1.25, "too slow")):
        times = {"old": 10.0, "new": 10.0 * took}
        monkeypatch.setattr(
            turns,
            "_cold_start",
            lambda revision, times=times: (asked.append(revision.commit), times[revision.commit])[1],
        )
        old, new = (revisions.Revision(name, Path()) for name in ("old", "new"))
        found = turns.Comparison("cold-start", old, gate.COLD_START, gate.COLD_STARTS)
        turns.cold_starts(found, new, np.inf)
        assert found.verdict == said and found.ratios == pytest.approx([1 / took] * 5)
    assert asked[:6] == ["old", "new", "new", "old", "old", "new"] and len(asked) == 20

    def fails(revision: revisions.Revision) -> float:
        raise turns.Failed("old: no such scene")

    monkeypatch.setattr(turns, "_cold_start", fails)
    broken = turns.Comparison("cold-start", HERE, gate.COLD_START, gate.COLD_STARTS)
    turns.cold_starts(broken, HERE, np.inf)
    assert broken.verdict == "not measured" and "no such scene" in turns.line(broken)


def test_each_benchmark_has_the_limit_of_what_it_is_compared_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Against the base 5% may be lost, against any other revision 3%; a benchmark may have a base of its own. Would
    catch one limit for all, and the general base where another one stands in for it.
    """
    (tmp_path / "base.toml").write_text('base = "aaaaaaa"\n[instead]\nrelax = "bbbbbbb"\n')
    monkeypatch.setattr(revisions, "BASE", tmp_path / "base.toml")
    monkeypatch.setattr(command, "find", lambda name: revisions.Revision(name, Path(name)))
    names = ("gas", "relax", "cold-start")
    limits = {
        revision: [(one.old.commit, one.limit.slow) for one in command.comparisons(revision, names)]
        for revision in ("base", "aaaaaaa", "ccccccc")
    }
    assert limits["base"] == [("aaaaaaa", 0.95), ("bbbbbbb", 0.95), ("aaaaaaa", 0.90)]
    assert limits["aaaaaaa"] == [("aaaaaaa", 0.95), ("aaaaaaa", 0.97), ("aaaaaaa", 0.90)]
    assert limits["ccccccc"] == [("ccccccc", 0.97), ("ccccccc", 0.97), ("ccccccc", 0.90)]


def test_wrong_names_are_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before anything is measured, with what there is, and exit code 2."""
    assert command.main(["base", "--benches", "gas,glas"]) == 2
    assert "glas: no such benchmark; known: settled-bed" in capsys.readouterr().err
    assert command.main(["no-such-revision", "--benches", "gas"]) == 2
    assert "'no-such-revision' is neither a commit nor a folder" in capsys.readouterr().err
    (tmp_path / "base.toml").write_text('base = "aaaaaaa"\n[instead]\nglas = "bbbbbbb"\n')
    monkeypatch.setattr(revisions, "BASE", tmp_path / "base.toml")
    assert command.main(["base", "--benches", "gas"]) == 2
    assert "base.toml: glas: no such benchmark" in capsys.readouterr().err


def test_a_folder_is_a_revision(tmp_path: Path) -> None:
    """Where there is no history, the other source comes along as a folder, and has a kernel cache of its own."""
    (tmp_path / "other" / "src" / "barchan").mkdir(parents=True)
    found = revisions.find(str(tmp_path / "other"))
    assert found.folder == tmp_path / "other" and found.commit == "other"
    assert found.environment(Path("kept"))["PYTHONPATH"].startswith(str(tmp_path / "other" / "src"))
    assert found.cache() != revisions.Revision("other", revisions.ROOT).cache()


@pytest.mark.validate
@pytest.mark.parametrize("name", [name for name in courses.COURSES if name != "linear-bed"])
def test_every_course_goes_on(name: str) -> None:
    """Two turns of each benchmark on a few grains: both do work, and the same amount where it is counted in steps.
    Would catch a benchmark that no longer has what the comparison asks it for.
    """
    asked = {"do": "set up", "course": name, "options": dict(courses.TINY[name])}
    known: dict[str, courses.Course] = {}
    assert worker.answer(known, asked)["unit"]
    one, other = (worker.answer(known, {"do": "turn", "course": name, "pieces": 2}) for _ in range(2))
    assert one["work"] > 0 and one["wall"] > 0 and one["cpu"] > 0
    if "steps" in known[name].unit:
        assert one["work"] == other["work"]


def test_the_linear_bed_is_the_settled_one_under_another_law() -> None:
    """Would catch a bed that is measured under `hertz` twice: the law has to get into the model, not into the scene
    alone. Compiling its kernels is left to the comparison itself.
    """
    model, start = courses.linear_grains(1000)
    assert model.scene.contact.key == "linear" and len(start) == 1000
    assert model.law.key == model.wall_law.key == "linear"
