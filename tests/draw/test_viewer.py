"""The viewer: what is served, the page of one file, and both as a person uses them in a headless Chromium."""

from __future__ import annotations

import base64
import dataclasses
import http.client
import io
import json
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import barchan as bc
from barchan.draw.report import write_report
from barchan.draw.viewer.data import Show, force_lines
from barchan.draw.viewer.live import follow
from barchan.draw.viewer.packing import pack
from barchan.draw.viewer.page import write_page
from barchan.draw.viewer.server import Server
from barchan.errors import FileError
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from draw.browser import Browser, chromium
from record.test_formats import SCENE
from record.toy import META, SERIES, make_frame
from simulation.shared import SMALL


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run of thirty grains, with its contacts, on a floor of a colour."""
    where = tmp_path_factory.mktemp("viewer") / "run"
    bc.run(bc.loads(SMALL + 'color = "teal"\n' + "[record]\ncontacts = true\n"), where, threads=1, progress=bc.Silent())
    return where


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    """The page of that run, served."""
    with Recording(folder) as recording:
        made = Server(Show(recording))
        made.start()
        yield made
        made.stop()


def unpacked(block: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the page makes of a block: written again here, after the words in `packing.py`."""
    (length,) = struct.unpack("<I", block[:4])
    head, arrays = json.loads(block[4 : 4 + length]), {}
    for name, (kind, shape, offset, *ends) in head["arrays"].items():
        first = 4 + length + offset
        assert first % 4 == 0, "typed arrays begin at multiples of four bytes"
        raw = np.frombuffer(block, f"<{kind}", int(np.prod(shape)), first).reshape(shape)
        if ends:
            low, high = (np.array(end) for end in ends)
            raw = np.where(raw == 0, np.nan, low + (raw.astype(float) - 1) / 65534 * (high - low))
        arrays[name] = raw
    return head["about"], arrays


def get(server: Server, path: str, **headers: str) -> tuple[int, bytes]:
    """Status and body of an answer."""
    port = int(server.url.rstrip("/").rsplit(":", 1)[1])
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    line.request("GET", path, headers=headers)
    answer = line.getresponse()
    return answer.status, answer.read()


def test_blocks_hold_what_was_put_in() -> None:
    """Exactly as 32 bits; as 16 bits to half a step, which is the span over 65534; not a number stays that."""
    rng = np.random.default_rng(1)
    place = rng.normal(size=(50, 3)) * (1.0, 100.0, 1e-3)
    place[7, 1] = np.nan
    arrays = {"flags": np.array([1, 0, 1], np.uint8), "id": np.arange(5), "place": place, "none": np.zeros((0, 3))}
    about, found = unpacked(pack(arrays, {"time": 0.5}))
    assert about == {"time": 0.5} and np.array_equal(found["flags"], [1, 0, 1])
    assert np.array_equal(found["id"], np.arange(5)) and found["none"].shape == (0, 3)
    assert np.array_equal(found["place"], place.astype(np.float32), equal_nan=True)
    _, coarse = unpacked(pack(arrays, {}, coarse=True))
    step = (np.nanmax(place, axis=0) - np.nanmin(place, axis=0)) / 65534
    assert np.array_equal(np.isnan(coarse["place"]), np.isnan(place))
    assert np.all(np.nan_to_num(np.abs(coarse["place"] - place)) <= 0.51 * step)


def test_every_moment_is_served_as_recorded(server: Server) -> None:
    recording = server.show.recording
    about = json.loads(get(server, "/about")[1])
    assert len(about["times"]) == len(recording) == 6 and about["finished"] and about["groups"] == ["sand"]
    assert {"speed", "spin", "size", "id", "born", "force", "stress"} <= {one["key"] for one in about["fields"]}
    assert about["clock"] == [1.0, "s", 3] and about["length"] == [100.0, "cm"]
    assert [wall["color"] for wall in about["walls"]] == ["#008080"]
    for index, frame in enumerate(recording):
        status, body = get(server, f"/moment?index={index}&fields=speed&contacts=1")
        told, arrays = unpacked(body)
        assert status == 200 and told["time"] == frame.time
        assert np.array_equal(arrays["place"], frame.sphere_position.astype(np.float32))
        assert np.allclose(arrays["field:speed"], np.linalg.norm(frame.velocity, axis=1))
        assert len(arrays["contacts"]) == len(frame.contacts.first)
        _, steady = unpacked(get(server, f"/steady?index={index}")[1])
        assert np.array_equal(steady["id"], frame.id) and np.allclose(steady["radius"], frame.sphere_radius)
    numbers = {
        name: (value, unit) for name, value, unit in json.loads(get(server, "/grain?index=5&id=3")[1])["numbers"]
    }
    assert numbers["group"] == ("sand", "") and numbers["velocity"][1] == "m/s"
    assert numbers["velocity"][0] == pytest.approx(recording[-1].velocity[3])
    assert numbers["radius"] == (pytest.approx(1e3 * recording[-1].radius[3]), "mm")


@pytest.mark.parametrize(
    ("larger", "slower", "energy", "units", "pace"),
    [
        (1e-5, 0.001, 3e-9, ("µm", "ms", "mm/s", "nJ"), "1 ms/s"),  # of 20 000 frames a second 25 show 1.25 ms
        (1.0, 1.0, 2.0, ("m", "s", "m/s", "J"), "× 1"),
        (1e3, 1e5, 4e12, ("km", "h", "mm/s", "TJ"), "20 h/s"),  # of one in 5000 s 25 show 34.7 h
    ],
)
def test_numbers_on_the_page_are_in_units_that_suit_the_scene(
    larger: float, slower: float, energy: float, units: tuple[str, str, str, str], pace: str, tmp_path: Path
) -> None:
    """A metre and a second, a hundred-thousandth of it in milliseconds, and kilometres in hours."""
    series = [("kinetic_energy", "J"), ("grain_count", "")]
    bare = SCENE.partition("walls")[0].replace("frame_rate = 10", f"frame_rate = {20 / slower}")
    with Recorder(tmp_path, scene_toml=bare, meta=META, series=series) as recorder:
        for k in range(4):
            own = make_frame(k)
            scaled = {name: larger * getattr(own, name) for name in ("position", "sphere_position", "sphere_radius")}
            scaled |= {"time": slower * own.time, "velocity": larger / slower * own.velocity}
            none = {"wall_pose": own.wall_pose[:0], "wall_present": own.wall_present[:0]}
            recorder.sample(slower * own.time, k, {"kinetic_energy": energy, "grain_count": 5})
            recorder.frame(dataclasses.replace(own, **scaled, **none))
        recorder.close({})
    with Recording(tmp_path) as recording:
        about = Show(recording).about()
    fields = {one["key"]: one["told"][1] for one in about["fields"][1:]}
    told = {one["name"]: one for one in about["series"]}
    assert (about["length"][1], about["clock"][1], fields["speed"], told["kinetic_energy"]["told"][1]) == units
    assert fields["height"] == units[0] and fields["born"] == units[1] and told["grain_count"]["told"] == (1.0, "")
    assert told["kinetic_energy"]["values"] == [energy] * 4, "in SI"
    assert about["paces"][3][1] == pace


def test_it_is_served_to_this_machine_only_and_nothing_else_is(server: Server) -> None:
    """Another host's name in the request is what a foreign page could send after it has had its name redirected."""
    assert server.server_address[0] == "127.0.0.1"
    assert get(server, "/")[0] == 200
    assert get(server, "/", Host="evil.example:80")[0] == 403
    for path in ("/../data.py", "/%2e%2e/data.py", "/.hidden", "/nothing", "/moment?index=99", "/grain?index=0&id=999"):
        assert get(server, path)[0] == 404, path
    with pytest.raises(FileError, match="free port"):
        Server(server.show, int(server.url.rstrip("/").rsplit(":", 1)[1]))


def test_force_lines_join_centres_and_end_at_walls(folder: Path) -> None:
    with Recording(folder) as recording:
        frame = recording[-1]
        lines = force_lines(frame)
    touching = frame.contacts
    assert touching is not None and len(touching.first)
    for line, one, other, force in zip(lines, touching.first, touching.second, touching.force, strict=True):
        assert np.allclose(line[:3], frame.position[one])
        end = frame.position[other] if other >= 0 else touching.point[touching.second == other][0]
        assert other < 0 or np.allclose(line[3:6], end)
        assert line[6] == pytest.approx(np.linalg.norm(force))


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/grain?index=0", "id: missing"),
        ("/grain?index=0&id=", "id: missing"),
        ("/grain?index=0&id=1e3", "id: '1e3'; must be a whole number"),
        ("/grain?index=0&id=99999999999999999999", "must be a whole number"),
        ("/grain?index=0&id=-1", "it is not in this frame"),
        ("/grain?index=x&id=1", "index: 'x'"),
        ("/moment?index=-1", "frame: -1"),
        ("/steady?index=%D9%A3", "index: "),
        ("/moment?index=" + "9" * 5000, "must be a whole number"),
    ],
    ids=range(9),
)
def test_a_question_that_makes_no_sense_is_answered(server: Server, path: str, told: str, capfd: Any) -> None:
    """Each has an answer that says why not: catches a KeyError or an OverflowError, which left a traceback and a line

    that nobody answered.
    """
    status, body = get(server, path)
    assert status == 404 and told in body.decode()
    assert "Traceback" not in capfd.readouterr().err


def test_no_name_ends_the_script_of_a_page(tmp_path: Path) -> None:
    """A comment and a script that a name begins would swallow the rest of the page; U+2028 ends a line of a script."""
    name = "<!--<script> </script> \u2028 ]]> &amp; <!-- data -->"
    scene = SCENE.replace('name = "toy"', f"name = {json.dumps(name)}", 1)
    with Recorder(tmp_path, scene_toml=scene, meta=META, series=SERIES) as recorder:
        recorder.frame(make_frame(0, 5))
        recorder.close({})
    with Recording(tmp_path) as recording:
        text = write_page(recording, tmp_path / "page.html").read_text("utf-8")
        report = write_report(recording, tmp_path / "report.html").read_text("utf-8")
    inside = re.search(r'id="about">([^<]*)</script>\n<script type="text/plain" id="steady', text)
    assert inside is not None and json.loads(inside[1])["name"] == name
    assert "\u2028" not in inside[1] and text.count("<!--") == 0
    for page in (text, report):
        assert "<script> <" not in page and "<!--<" not in page


def test_a_page_of_one_file_holds_the_frames_that_fit(tmp_path: Path) -> None:
    """Noise cannot be packed, so 40 frames of 2000 grains are too much for 2 MB, and every n-th is kept."""
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for k in range(40):
            recorder.frame(make_frame(k, 2000))
        recorder.close({})
    with Recording(tmp_path) as recording:
        path = write_page(recording, tmp_path / "page.html", megabytes=2.0)
        text = path.read_text("utf-8")
        with pytest.raises(FileError, match=r"must end in \.html"):
            write_page(recording, tmp_path / "page.doc")
        with pytest.raises(FileError, match="Allow more"):
            write_page(recording, tmp_path / "none.html", megabytes=0.5)
        about = json.loads(re.search(r'id="about">(.*?)</script>', text)[1])
        kept = [round(10 * time) for time in about["times"]]
        assert path.stat().st_size < 2.0e6 and about["of_frames"] == 40 and 5 < len(kept) < 40
        assert kept[0] == 0 and kept[-1] == 39 and set(np.diff(kept)[:-1]) == {kept[1]}
        for number in (0, len(kept) - 1):
            block = re.search(rf'id="moment-{number}">(.*?)</script>', text)[1]
            told, arrays = unpacked(zlib.decompress(base64.b64decode(block)))
            frame = recording[kept[number]]
            assert told["time"] == frame.time and f'id="steady-{told["steady"]}"' in text
            step = np.ptp(frame.sphere_position, axis=0) / 65534
            assert np.all(np.abs(arrays["place"] - frame.sphere_position) <= 0.51 * step)
    assert not re.search(r'(src|href)="(?!data:)', text), "nothing is loaded from anywhere"


def test_a_run_is_shown_from_its_first_frame_on(tmp_path: Path) -> None:
    urls: list[str] = []
    live = follow(tmp_path, urls.append)
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        recorder.frame(make_frame(0))
        recorder.flush()
        live._thread.join(timeout=20)
        assert live.server is not None and urls == [live.server.url]
        assert not json.loads(get(live.server, "/about")[1])["finished"]
        recorder.frame(make_frame(1))
        recorder.flush()
        assert len(json.loads(get(live.server, "/progress")[1])["times"]) == 2
        recorder.close({})
    told = json.loads(get(live.server, "/progress")[1])
    assert told["finished"] and len(told["times"]) == 2
    live.stop()


# ------------------------------------------------------------ in a browser


def seen(browser: Browser) -> np.ndarray:
    """The pixels of the scene, (height, width, 3)."""
    browser.until("barchan.settled && !barchan.stage.stale")
    data = browser.evaluate("document.getElementById('view').toDataURL('image/png')")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data.partition(",")[2]))).convert("RGB"), int)


def sand(pixels: np.ndarray) -> int:
    """How many pixels have the colour of sand: red well above blue."""
    return int(np.count_nonzero(pixels[..., 0] - pixels[..., 2] > 40))


def use(browser: Browser, url: str, *, offline: bool) -> None:
    """Look at a run as a person does: time, colour, a grain."""
    browser.open(url, offline=offline)
    browser.until("window.barchan && (barchan.ready || barchan.errors.length)", 60)
    first = seen(browser)
    assert sand(first) > 500, "grains are drawn"
    assert first.max(axis=2).min() > 25, "no pixel at an edge is left black"
    length, wide, off = browser.evaluate(
        """(() => {
          const s = barchan.stage, there = s.controls.target.clone().addScaledVector(s.camera.up, 0.01);
          s.look("front");
          s.camera.updateMatrixWorld();
          const seen = there.project(s.camera).y - s.controls.target.clone().project(s.camera).y;
          s.stale = true;
          return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
            done([ruler.textContent, ruler.clientWidth, 0.5 * seen * s.canvas.clientHeight]))));
        })()"""
    )
    assert wide == pytest.approx(float(length.removesuffix(" cm")) * off, rel=0.02), "a centimetre is as long as told"
    sides = "[...barchan.stage.triangles.around(Float32Array.of(0, 0, 1, 2, 0, 3, 4, 0, 5))]"
    assert browser.evaluate(sides) == [0, 0, 1, 2, 0, 3, 2, 0, 3, 4, 0, 5, 4, 0, 5, 0, 0, 1], "the sides of a triangle"
    hues = "barchan.stage.walls.flat().map((part) => part.material.color.getHexString())"
    assert set(browser.evaluate(hues)) == {"008080"}, "panes and lines"
    browser.evaluate("time.value = 5; time.dispatchEvent(new Event('input'))")
    browser.until("barchan.state.shown === 5 && clock.textContent.includes('t = 0.100 s')")
    last = seen(browser)
    assert np.count_nonzero(np.abs(last - first).max(axis=2) > 30) > 500, "the grains have fallen"
    browser.evaluate("color.value = 'speed'; color.dispatchEvent(new Event('change'))")
    colored = seen(browser)
    assert "speed (m/s)" in browser.evaluate("bar.textContent") and not browser.evaluate("bar.hidden")
    assert np.count_nonzero(np.abs(colored - last).max(axis=2) > 30) > 300, "the colours are others"
    x, y = browser.evaluate(
        """(() => {
          const s = barchan.stage, box = s.canvas.getBoundingClientRect();
          const p = s.camera.position.clone().set(...s.moment.place.slice(0, 3)).project(s.camera);
          return [box.left + (0.5 + 0.5 * p.x) * box.width, box.top + (0.5 - 0.5 * p.y) * box.height];
        })()"""
    )
    browser.click(x, y)
    browser.until("barchan.state.chosen !== null && barchan.settled && grain.textContent.includes('sand')")
    chosen = browser.evaluate("barchan.state.chosen")
    assert f"id{chosen}group" in browser.evaluate("grain.textContent")
    browser.evaluate("chains.checked = true; chains.dispatchEvent(new Event('change'))")
    assert np.count_nonzero(np.abs(seen(browser) - colored).max(axis=2) > 30) > 100, "contacts are drawn"
    assert browser.evaluate("barchan.errors") == [] and browser.console == []


def _of_nothing_at_first(folder: Path) -> Path:
    """The page of a run whose first frame is without grains, as when they are poured."""
    folder.mkdir()
    with Recorder(folder, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        recorder.frame(make_frame(0, 0))
        recorder.frame(make_frame(1, 20, spheres_per_grain=4, contacts=12))
        recorder.close({})
    with Recording(folder) as recording:
        return write_page(recording, folder / "page.html")


@pytest.mark.skipif(chromium() is None, reason="no Chromium: install one, or name it in BARCHAN_CHROMIUM")
def test_a_person_can_look_at_a_run(server: Server, tmp_path: Path) -> None:
    """The page from the server, and the page of one file with the network off; neither asks anyone else."""
    page = write_page(server.show.recording, tmp_path / "page.html")
    with Browser(640, 560) as browser:
        use(browser, server.url, offline=False)
        assert [one for one in browser.requests if not one.startswith((server.url, "data:"))] == []
        browser.requests.clear()
        use(browser, page.as_uri(), offline=True)
        browser.open(_of_nothing_at_first(tmp_path / "empty").as_uri())
        browser.until("window.barchan && document.title.startsWith('toy') && barchan.ready", 60)
        browser.evaluate("time.value = 1; time.dispatchEvent(new Event('input'))")
        browser.until("barchan.state.shown === 1 && barchan.settled")
        *middle, size = browser.evaluate(
            "barchan.stage.point(7, false), [...barchan.stage.mark.position.toArray(), barchan.stage.mark.scale.x]"
        )
        clump = make_frame(1, 20, spheres_per_grain=4, contacts=12)
        far = np.linalg.norm(clump.sphere_position[28:32] - middle, axis=1) + clump.sphere_radius[28:32]
        assert far.max() < size < 1.2 * far.max(), "the mark holds all four spheres of the clump"
        assert browser.evaluate("barchan.errors") == [] and browser.console == []
        own = (tmp_path.as_uri(), "data:", "blob:")
        assert [one for one in browser.requests if not one.startswith(own)] == []
