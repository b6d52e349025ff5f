"""Runs with parts that a script has registered, looked at where that script is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

import barchan as bc
from barchan import registry
from barchan.parts.integrators.verlet import Verlet
from barchan.parts.laws.hertz import Hertz
from barchan.parts.motions.translate import Translate
from barchan.parts.observables.centre import Centre
from barchan.parts.wall_shapes.plane import Plane
from barchan.schema.tables import Absent
from simulation.shared import SMALL, stopped


class OwnLaw(Hertz):
    """A law of one's own."""

    key: ClassVar[str] = "own-law"


class OwnIntegrator(Verlet):
    """An integrator of one's own."""

    key: ClassVar[str] = "own-integrator"


class OwnMotion(Translate):
    """A motion of one's own."""

    key: ClassVar[str] = "own-motion"


class OwnObservable(Centre):
    """An observable of one's own."""

    key: ClassVar[str] = "own-observable"


class OwnShape(Plane):
    """A shape of one's own."""

    key: ClassVar[str] = "own-shape"


UNSEEN = (OwnLaw, OwnIntegrator, OwnMotion, OwnObservable)
SCENE = """
observables = ["own-observable"]
integrator = "own-integrator"
contact = "own-law"
""" + SMALL.replace('shape = "plane"', 'shape = "plane"\nmotion = { kind = "own-motion", velocity = [0, 0, 0.01] }')


def forget(*parts: type[registry.Part]) -> None:
    """What the end of the script does."""
    for part in parts:
        registry._found[part.family].pop(part.key, None)


@pytest.fixture
def registered() -> Iterator[None]:
    """The parts, known until they are forgotten."""
    for part in (*UNSEEN, OwnShape):
        registry.register(part)
    yield
    forget(*UNSEEN, OwnShape)


@pytest.fixture
def own(home: Path, registered: None) -> Path:
    """A run of these parts that was stopped, and whose script is gone."""
    stopped(bc.loads(SCENE), home / "out", 0.05)
    forget(*UNSEEN)
    return home / "out"


def test_looking_needs_no_part_that_is_not_seen(own, command):
    assert "not finished" in command("info", "out")[1]
    for arguments in (
        ("render", "out", "--out", "frame.png"),
        ("render", "out", "--movie", "run.gif"),
        ("report", "out"),
        ("view", "out", "--html", "page.html"),
        ("export", "out", "--to", "gsd"),
    ):
        code, _, err = command(*arguments)
        assert (code, err) == (0, ""), arguments
    with bc.Recording(own) as recording:
        assert recording.scene.contact == Absent(named_by="law", name="own-law", fields=recording.scene.contact.fields)
        assert bc.dumps(recording.scene) == recording.scene_toml, "what is not known is kept as it was written"


def test_going_on_needs_them_all(own, command):
    code, out, err = command("resume", "out")
    assert (code, out) == (2, "")
    for words in ("out, contact.law: 'own-law' is not among the laws", "integrator", "motion", "import that script"):
        assert words in err
    for part in UNSEEN:
        registry.register(part)
    assert command("resume", "out", "--quiet", "--no-movie") == (0, "", "")


def test_a_shape_that_is_not_known_is_told_with_its_run(home, registered, command):
    scene = bc.loads(SMALL.replace('"plane"', '"own-shape"').replace("duration = 0.1", "duration = 0.02"))
    bc.run(scene, home / "out", progress=bc.Silent(), threads=1)
    forget(OwnShape)
    for verb in ("info", "render", "report"):
        code, _, err = command(verb, "out")
        assert code == 2
        assert "out/recording.vtkhdf, walls[0].shape: 'own-shape' is not among the shapes" in err
        assert "import that script in Python" in err
    assert command("export", "out", "--to", "csv")[0] == 0
