"""The frame of studies, with made-up ones: choosing, verdicts, tables, the report, the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from barchan import cli, studies
from barchan.errors import Finding, RunError, SceneError
from barchan.simulation.progress import Silent
from barchan.studies import Picture, Row, Study, StudyResult, report

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)


def made_up(key: str, *, passes: bool) -> Study:
    """A study that knows its verdict beforehand."""

    def run(quick: bool, folder: Path, progress: object) -> StudyResult:
        (folder / "figure.png").write_bytes(PIXEL)
        row = Row("height", "3", "3.1" if passes else "7", "m", passes, "within 10 %")
        return StudyResult((row, Row("width", "9", "8.8", "m")), (Picture(folder / "figure.png", "A <figure>"),))

    return Study(key, f"Title of {key}", "Table 1: a height of 3 m", run, "smaller")


@pytest.fixture
def two(monkeypatch):
    known = {"X1": made_up("X1", passes=True), "X2": made_up("X2", passes=False)}
    monkeypatch.setattr(studies, "studies", lambda: known)
    return known


def test_chosen_by_id_in_either_case(two):
    assert studies.chosen(["x2", "X1", "X2"]) == [two["X2"], two["X1"]]
    assert studies.chosen(["all"]) == list(two.values())
    with pytest.raises(SceneError, match=r"Y77.*known: X1, X2"):
        studies.chosen(["Y77"])


def test_a_study_without_a_verdict_does_not_pass():
    assert not StudyResult((Row("height", "3", "3"),)).passed


def test_a_run_that_stops_itself_is_a_verdict_that_fails(tmp_path):
    def run(quick: bool, folder: Path, progress: object) -> StudyResult:
        raise RunError(Finding("t = 1 s", "grain 3 is gone"))

    result = studies.reproduce(Study("X3", "t", "p", run), tmp_path, Silent())
    assert not result.passed
    assert "grain 3 is gone" in result.rows[0].criterion


def test_text_table_is_aligned():
    rows = [Row("height", "3", "3.1", "m", True, "within 10 %"), Row("a longer name", "–", "8", "", False, "no")]
    lines = report.text_table(rows).split("\n")
    assert lines[0].split() == ["quantity", "paper", "ours", "verdict", "criterion"]
    assert "pass" in lines[2] and "height (m)" in lines[2]
    assert "FAIL" in lines[3]
    assert lines[2].index("3.1") == lines[0].index("ours")


def test_the_report_is_one_file(two, tmp_path):
    answer = CliRunner().invoke(cli.app, ["reproduce", "all", "--quick", "-q", "--out", str(tmp_path)])
    assert answer.exit_code == 1, answer.output
    assert re.search(r"height \(m\) +3 +7 +FAIL", answer.output)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 2
    assert "A &lt;figure&gt;" in page
    assert 'src="data:' in page and "http" not in page
    assert page.count('class="fail"') >= 2


def test_exit_codes(two, tmp_path):
    runner = CliRunner()
    assert runner.invoke(cli.app, ["reproduce", "X1", "-q", "--out", str(tmp_path)]).exit_code == 0
    assert runner.invoke(cli.app, ["reproduce", "X2", "-q", "--out", str(tmp_path)]).exit_code == 1
    assert runner.invoke(cli.app, ["reproduce", "X9", "-q", "--out", str(tmp_path)]).exit_code == 2
    assert "Title of X1" in runner.invoke(cli.app, ["list", "studies"]).output
