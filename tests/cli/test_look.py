"""The verbs that look at a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request

import pytest
from PIL import Image

import barchan as bc
from barchan.record.recorder import Recorder
from record.toy import make_frame


def test_a_strip_and_a_size(run_folder, command):
    code, out, _ = command("render", "out", "--strip", "3", "--color", "spin", "--camera", "front")
    assert (code, out.strip()) == (0, "out/strip-3.png")
    width, height = Image.open("out/strip-3.png").size
    assert width > 2 * height
    assert command("render", "out", "--size", "320x200", "--out", "small.png")[0] == 0
    assert Image.open("small.png").size == (320, 200)


def test_report(run_folder, command):
    code, out, _ = command("report", "out")
    assert (code, out.splitlines()[-1]) == (0, "out/report.html")
    text = (run_folder / "report.html").read_text("utf-8")
    for words in ("Thirty grains", "energy balance", "came to its end", "barchan run scene.toml", "young = 10000000.0"):
        assert words in text
    assert text.count("data:image/png") >= 3 and text.count("data:image/gif") == 1 and 'class="fail"' not in text
    assert 'src="http' not in text and 'href="http' not in text


def test_a_damaged_journal_is_a_warning_in_words(run_folder, command):
    """A run of six frames that was stopped, and a bit of its last frame's head is another: what can be read is shown,
    and the warning says in its own words what cannot. Before, five frames were shown as if there were no more; and a
    warning of Python would come with a line of our code.
    """
    with bc.Recording(run_folder) as done:
        units, whole = list(done.units.items())[2:], len(done)
        said = {"scene_toml": done.scene_toml, "meta": done.meta, "series": units}
    with Recorder(run_folder, **said, resume=(whole - 1, 1)):
        pass
    journal = run_folder / "recording.journal"
    place = journal.stat().st_size
    with Recorder(run_folder, **said, resume=(whole - 1, 1)) as recorder:
        recorder.frame(make_frame(9))
    content = bytearray(journal.read_bytes())
    content[place + 5] ^= 16
    journal.write_bytes(content)
    code, out, err = command("info", "out")
    assert code == 0 and f"{whole - 1} frames" in out
    assert err.startswith("warning: out/recording.journal: is damaged") and "UserWarning" not in err


def test_a_page_of_one_file(run_folder, command):
    code, out, _ = command("view", "out", "--html", "page.html")
    assert (code, out.splitlines()[-1]) == (0, "page.html")
    assert command("view", "out", "--html", "page.html", "--quiet", "--force") == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("render", "out", "--out", "made.png"),
        ("render", "out", "--movie", "made.gif"),
        ("report", "out", "--out", "made.html"),
        ("export", "out", "--to", "csv", "--out", "made.csv"),
    ],
)
def test_quiet_is_silent(run_folder, command, arguments):
    assert command(*arguments, "--quiet") == (0, "", "")
    assert (run_folder.parent / arguments[-1]).is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("render", "out", "--size", "large"), "such as 1280x720"),
        (("render", "out", "--color", "stress"), "record.contacts=true"),
        (("render", "out", "--out", "frame.bmp"), "must end in .png, .pdf, .svg"),
        (("render", "out", "--strip", "2", "--out", "strip.xyz"), "must end in .png, .pdf, .svg"),
        (("report", "out", "--out", "report.bmp", "--quiet"), "must end in .html"),
        (("render", "out", "--movie", "run.gif", "--strip", "3"), "--strip: has no meaning with --movie"),
        (("render", "out", "--movie", "run.gif", "--out", "run.png"), "--out: has no meaning with --movie"),
        (("render", "out", "--strip", "3", "--size", "320x200"), "--size: has no meaning with --strip"),
        (("render", "out", "--movie", "run.gif", "--frame", "3"), "--frame: has no meaning with --movie"),
        (("render", "out", "--strip", "3", "--frame", "-1"), "--frame: has no meaning with --strip"),
        (("render", "out", "--fps", "25"), "--fps: has no meaning without --movie"),
        (("render", "out", "--strip", "7"), "--strip: 7; out/recording.vtkhdf has 6 frames"),
        (("view", "out", "--html", "page.html", "--port", "0"), "--port: has no meaning with --html"),
        (("view", "out", "--html", "page.html", "--no-browser"), "--no-browser: has no meaning with --html"),
        (("view", "out", "--megabytes", "24"), "--megabytes: has no meaning without --html"),
        (("view", "out", "--force"), "--force: has no meaning without --html"),
        (("run", "small.toml", "--force"), "--force: has no meaning without --out"),
        (
            ("run", "small.toml", "--solver", "hard", "--set", "solver=soft"),
            "--set solver: has no meaning with --solver",
        ),
        (("run", "small.toml", "--from", "out", "--set", "start = out"), "--set start: has no meaning with --from"),
        (("show", "small.toml", "--schema"), "SCENE: has no meaning with --schema"),
        (("show", "--schema", "--set", "duration=1"), "--set: has no meaning with --schema"),
        (("report", "out", "--out", "small.toml"), "already there"),
        (("view", "out", "--html", "small.toml"), "already there"),
        (("view", "out", "--html", "page.pdf"), "must end in .html"),
        (("view", "nowhere"), "no such file or folder"),
        (("export", "out", "--to", "csv", "--out", "grains.txt"), "ends in .csv"),
    ],
)
def test_wrong_use_is_told_in_a_line(run_folder, command, arguments, words):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert words in err and err.startswith("error: ") and err.count("\n") == 1
    assert {path.name for path in run_folder.parent.iterdir()} == {"out", "small.toml"}


def test_no_engine_draws_what_is_flat_in_space(home, command):
    """A flat scene is drawn as discs whatever the engine, and VTK is not asked in vain; from aslant it has space."""
    pytest.importorskip("pyvista")
    flat = ("--set", "dimensions=2", "--set", "grains[0].fill.region.high[1]=0", "--set", "duration=0.02")
    assert command("run", "small.toml", "--out", "flat", "--quiet", "--no-movie", *flat)[0] == 0
    code, out, err = command("render", "flat", "--engine", "vtk")
    assert (code, out) == (2, "") and "--engine vtk: has no meaning for a flat scene" in err
    assert [path.name for path in (home / "flat").glob("frame-*")] == []
    assert command("render", "flat", "--engine", "vtk", "--camera", "iso", "--quiet") == (0, "", "")


def test_a_run_shows_itself_and_stays_until_ctrl_c(home):
    """The page is there from the first frame on and after the end; Ctrl-C then ends it well."""
    process = subprocess.Popen(
        [sys.executable, "-m", "barchan.cli", "run", "small.toml", "--view", "--no-movie", "--out", "out"],
        cwd=home, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": "true"},
    )  # fmt: skip
    assert process.stdout is not None
    told = []
    for line in process.stdout:
        told.append(line)
        if "files" in line and any("http://127.0.0.1" in one for one in told):
            break
    url = next(one.split()[0] for one in told if "http://127.0.0.1" in one)
    about = json.load(urllib.request.urlopen(f"{url}progress", timeout=20))
    assert about["finished"] and len(about["times"]) == 6
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_ctrl_c_that_python_swallows_ends_the_stay():
    """What is raised while an object dies goes no further; whoever waits for Ctrl-C is told all the same."""
    from barchan.draw.viewer.live import Live

    class Dying:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    class Page:
        url = "http://127.0.0.1/"

    live = Live(Page(), lambda url: None)
    before = signal.getsignal(signal.SIGINT)
    with live.listening():
        Dying()
        waiting = threading.Timer(20.0, lambda: signal.raise_signal(signal.SIGTERM))  # instead of waiting for ever
        waiting.start()
        live.stay()
        waiting.cancel()
    assert signal.getsignal(signal.SIGINT) is before
