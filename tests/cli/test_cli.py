"""The command line's contract: verbs, files, exit codes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image

import barchan as bc
from barchan.registry import FAMILIES, parts
from barchan.scene import toml
from simulation.shared import JELLY, Stopper, recording_hash
from solvers import lab


def test_run_records_draws_and_sums_up(ran):
    folder, (code, out, err) = ran
    assert code == 0, err
    assert {path.name for path in folder.iterdir()} >= {
        "recording.vtkhdf", "checkpoint.blocks", "summary.png", "scene.png", "movie.gif", "summary.json",
    }  # fmt: skip
    for words in ("compiles", "worst overlap", "energy balance", "30 in, 0 out", "grain-steps/s", "movie.gif"):
        assert words in out
    assert json.loads((folder / "summary.json").read_text())["grains_in"] == 30


def test_run_folders_count_up_and_quiet_is_silent(home, command):
    for _ in range(2):
        assert command("run", "small.toml", "--set", "duration=0.02", "--quiet", "--no-movie") == (0, "", "")
    assert [path.name for path in sorted((home / "runs").iterdir())] == ["small-1", "small-2"]
    assert not (home / "runs" / "small-1" / "movie.gif").exists()


def test_the_movie_of_a_slow_run_does_not_crawl(home, command):
    """Two frames a second are no motion: it is played ten times as fast, 0.05 s a picture."""
    rates = ("--set", "duration=1", "--set", "frame_rate=2", "--set", "sample_rate=2")
    assert command("run", "small.toml", "--out", "slow", "--quiet", *rates)[0] == 0
    assert Image.open("slow/movie.gif").info["duration"] == 50


def test_a_run_is_not_overwritten_without_force(run_folder, command):
    before = recording_hash(run_folder)
    code, _, err = command("run", "small.toml", "--out", "out")
    assert code == 2
    assert err.startswith("error: ") and "already holds a run" in err and "--force" in err
    assert recording_hash(run_folder) == before
    arguments = ("--set", "duration=0.02", "--force", "--no-movie")
    assert command("run", "small.toml", "--out", "out", *arguments)[0] == 0
    assert recording_hash(run_folder) != before
    assert not (run_folder / "movie.gif").exists(), "the movie of the run that was replaced"


def test_info_at_a_glance(run_folder, command):
    code, out, _ = command("info", "out")
    assert code == 0
    for words in ("small: Thirty grains", "finished, 0.1 of 0.1 s, 6 frames", "kinetic_energy (J)", "barchan 0.1.0"):
        assert words in out
    assert "that stayed 0" in out and "beam_energy" not in out  # what this solver cannot have


def test_resume_says_that_a_checkpoint_is_damaged_even_when_quiet(home, command):
    """A run is stopped after several checkpoints, and the newest one is damaged: `resume --quiet` goes on from the one
    before, ends well, and has said so. Told as how far the run is, it was not said to those who want to hear errors
    alone.
    """
    scene = bc.load("small.toml", ["checkpoint_interval=1e-6"])
    with pytest.raises(bc.Interrupted):
        bc.run(scene, "out", progress=Stopper(0.06), threads=1)
    newest = home / "out" / "checkpoint.blocks"
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 8
    newest.write_bytes(content)
    code, out, err = command("resume", "out", "--quiet", "--no-movie")
    assert (code, out) == (0, "")
    assert err.startswith("warning: out: checkpoint.blocks (") and "going on from the checkpoint before it" in err


def test_resume_of_a_finished_run_says_so_and_draws_what_is_missing(run_folder, command):
    (run_folder / "summary.png").unlink()
    code, out, _ = command("resume", "out")
    assert code == 0
    assert "this run is finished" in out
    assert (run_folder / "summary.png").exists()


def test_drawing_that_fails_costs_nothing_but_the_picture(home, command, monkeypatch):
    from barchan.draw import summary

    monkeypatch.setattr(summary, "draw_summary", lambda recording: 1 / 0)
    code, out, _ = command("run", "small.toml", "--set", "duration=0.02", "--out", "out", "--no-movie")
    assert code == 0
    assert "summary.png could not be drawn" in out
    assert (home / "out" / "scene.png").exists()


def test_a_run_that_goes_bad_ends_with_code_3(home, command):
    (home / "jelly.toml").write_text(JELLY, encoding="utf-8")
    code, _, err = command("run", "jelly.toml", "--out", "out")
    assert code == 3
    assert "grain 0" in err and "checkpoint.blocks" in err and "time_step" in err
    assert (home / "out" / "checkpoint.blocks").exists()
    code, out, _ = command("info", "out")
    assert code == 0 and "stopped itself" in out


def test_render(run_folder, command):
    code, out, _ = command("render", "out", "--frame", "2", "--color", "speed", "--view", "front")
    assert code == 0
    assert (run_folder / "frame-0002.png").exists() and "frame-0002.png" in out
    assert command("render", "out", "--out", "last.png")[0] == 0
    assert command("render", "out", "--movie", "small.gif")[0] == 0
    assert (run_folder.parent / "last.png").exists() and (run_folder.parent / "small.gif").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("render", "out", "--frame", "6"), "has 6 frames"),
        (("render", "out", "--color", "taste"), "known: group"),
        (("render", "out", "--view", "inside"), "known: auto"),
        (("render", "out", "--movie", "small.avi"), "must end in .gif or .mp4"),
        (("export", "out", "--to", "pdb", "--out", "x"), "known: csv"),
        (("info", "nowhere"), "no such file or folder"),
        (("resume", "nowhere"), "no such file or folder"),
        (("run", "small.toml", "--device", "tpu", "--out", "new"), "cpu, cuda"),
        (("run", "small.toml", "--solver", "magic", "--out", "new"), "solver"),
        (("run", "small.toml", "--set", "duratoin=1", "--out", "new"), "did you mean 'duration'"),
        (("run", "no-such-scene"), "no such scene"),
        (("list", "flavours"), "known: scenes, tables, laws"),
        (("list", "laws", "hurtz"), "did you mean 'hertz'"),
        (("list", "scenes", "hoper"), "did you mean 'hopper'"),
        (("list", "formats", "foo"), "'foo' is not among the formats; known: csv"),
        (("list", "studies", "Y99"), "did you mean 'Y9'"),
    ],
)  # fmt: skip
def test_wrong_use_is_told_in_a_line(run_folder, command, arguments, words):
    code, out, err = command(*arguments)
    assert code == 2
    assert out == ""
    assert words.lower() in err.lower()
    assert err.startswith("error: ") and err.count("\n") == 1
    assert not (run_folder.parent / "new").exists()


def test_export_opens_again(run_folder, command):
    code, out, _ = command("export", "out", "--to", "vtk", "--out", "copy.vtkhdf")
    assert (code, out.splitlines()[-1]) == (0, "copy.vtkhdf")
    with bc.Recording("copy.vtkhdf") as recording:
        assert len(recording) == 6


def test_check(home, command):
    code, out, _ = command("check", "small.toml")
    assert code == 0
    for words in ("ready to run", "30, of 30 spheres", "of the shortest collision", "steps"):
        assert words in out
    assert [path.name for path in home.iterdir()] == ["small.toml"]


@pytest.mark.parametrize("kind", ["rkf45", "bogacki-shampine"])
def test_check_tells_no_number_of_steps_that_an_integrator_chooses(home, command, kind):
    limits = "shortest = 1e-6, longest = 0.005"
    grains = [{**lab.grain((0, 0, 0.1), shape="dimer"), "name": "g"}]
    scene = lab.dressed(
        name="small", duration=0.1, frame_rate=50, materials={"a": lab.material()}, grains=grains, walls=[lab.FLOOR]
    )
    Path("small.toml").write_text(toml.dumps(scene), encoding="utf-8")
    code, out, _ = command("check", "small.toml", "--set", f'integrator={{kind = "{kind}", {limits}}}')
    assert code == 0
    assert f"{kind} chooses its steps, from 1e-06 to 0.005 s" in out
    assert "steps  " not in out and "collision" not in out
    assert command("check", "small.toml", "--set", f"integrator={kind}", "--set", "sample_rate=1e5")[0] == 0
    out = command("check", "small.toml", "--set", f"integrator={kind}")[1]
    assert "to 0.02 s" in out, "no step is longer than a frame"


@pytest.mark.parametrize("changes", [(), ("--set", "time_step=1e-5")])
def test_check_tells_that_frames_have_set_the_time_step(home, command, changes):
    code, out, _ = command("check", "small.toml", "--set", "frame_rate=1e6", *changes)
    assert code == 0
    assert "time step  1e-06 s: as long as a frame; else it would be " in out
    assert ("1e-05 s, as the scene states it" if changes else "s, 1/30 of the shortest collision") in out


def test_show_prints_a_scene_that_is_the_same(home, command):
    code, out, _ = command("show", "small.toml", "--set", "seed=7")
    assert code == 0
    assert tomllib.loads(out)["checkpoint_interval"] == 60.0
    assert bc.loads(out) == bc.load("small.toml", ["seed=7"])


def test_show_schema(command):
    code, out, _ = command("show", "--schema")
    assert code == 0
    assert "grains" in json.loads(out)["properties"]
    assert command("show")[0] == 2


def test_every_family_every_part_and_every_scene_is_listed(command):
    """`list` has a line for each family, with how many there are; `list FAMILY` has one for each of them."""
    code, out, _ = command("list")
    assert code == 0
    counts = dict(re.findall(r"^  (\w+) +(\d+)  \w", out, re.MULTILINE))
    for family, known in {"scenes": bc.library(), **{family: parts(family) for family in FAMILIES}}.items():
        assert counts.pop(family) == str(len(known))
        listed = command("list", family)[1]
        for key in known:
            assert f"  {key} " in listed
    assert set(counts) == {"tables", "measures", "formats", "studies"}


def test_a_part_is_listed_with_its_parameters_and_units(command):
    _, out, _ = command("list", "motions", "oscillate")
    assert (
        out.startswith('kind = "oscillate"\n') and "  amplitude " in out and " m; must be given" in out and "1/s" in out
    )


def test_bench_ends_with_a_line_of_json(command, monkeypatch):
    """The benchmark itself has its own tests; here a quick one stands in for it."""
    from barchan.bench import settled_bed

    def measure(*, grains, threads, seconds):
        for count in threads:
            yield {
                "benchmark": "settled-bed",
                "grains": grains,
                "threads": count,
                "device": "cpu",
                "grain_steps_per_second": 6e6 * seconds,
                "median": 5e6,
            }

    monkeypatch.setattr(settled_bed, "measure", measure)
    options = ("--grains", "5000", "--threads", "1", "--threads", "2", "--seconds", "1")
    code, out, _ = command("bench", "settled-bed", *options)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "settled-bed, 5000 grains, 1 thread(s): 6.00 M grain-steps/s (median 5.00)"
    assert [row["threads"] for row in json.loads(lines[-1])["results"]] == [1, 2]
    assert command("bench", "unsettled-bed")[0] == 2


def test_help_imports_nothing_heavy():
    """What takes half a second and more to import stays away until it is needed."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "barchan.cli", "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "Exit codes" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "barchan.cli" in imported or "typer" in imported
    assert not imported & {"numba", "h5py", "matplotlib", "scipy", "trimesh", "pint"}


def test_every_public_name_is_there():
    for name in bc.__all__:
        assert getattr(bc, name) is not None
    assert set(bc.__all__) == set(dir(bc))
    assert callable(bc.run)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bc.nothing


def test_the_cache_is_told_and_emptied(tmp_path, monkeypatch, command):
    """`cache` says where kernels are and how large they are: a package of 3 MB, one of 1 MB. `--clear` takes them, and
    no file of others; a size that left out what numba writes below a package would be 0.
    """
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    monkeypatch.setenv("BARCHAN_CACHE_LIMIT", "0.5 GB")
    for name, size in (("barchan_bound_a", 3_000_000), ("barchan_bound_b", 1_000_000), ("another", 5)):
        (tmp_path / name / "__pycache__").mkdir(parents=True)
        (tmp_path / name / "__pycache__" / "code.nbc").write_bytes(bytes(size))
    code, out, _ = command("cache")
    assert code == 0
    for words in (str(tmp_path), "4.0 MB in 2 packages", "500 MB", "BARCHAN_CACHE_LIMIT"):
        assert words in out
    code, out, _ = command("cache", "--clear")
    assert code == 0 and "4.0 MB in 2 packages" in out
    assert [path.name for path in tmp_path.iterdir()] == ["another"]
    assert "0.0 MB in 0 packages" in command("cache")[1]
    monkeypatch.setenv("BARCHAN_CACHE_LIMIT", "lots")
    code, _, err = command("cache")
    assert code == 2 and "BARCHAN_CACHE_LIMIT" in err and "500 MB" in err


def test_a_cache_that_cannot_be_emptied_is_an_error(tmp_path, monkeypatch, command):
    """Where nothing may be removed, nothing was: `--clear` that said "removed" would leave a poisoned cache in use."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    (tmp_path / "barchan_bound_a").mkdir()
    monkeypatch.setattr(Path, "rename", refused)
    code, out, err = command("cache", "--clear")
    assert code == 2 and "removed" not in out and "1 packages could not be removed" in err


def refused(*_: object) -> None:
    raise PermissionError(13, "Permission denied")
