"""Sources, sinks and events in a scene: read, written, and refused with words that help."""

from __future__ import annotations

from typing import Any

import pytest

from barchan.errors import SceneError
from barchan.parts.actions.remove_wall import RemoveWall
from barchan.parts.conditions.time import AtTime
from barchan.scene import Event, dumps, loads
from barchan.scene.toml import build

SOURCE = {
    "name": "spout",
    "material": "sand",
    "size": "5 mm",
    "rate": "20 Hz",
    "region": {"kind": "box", "low": [0, 0, 0], "high": [0.1, 0.1, 0.1]},
}
SINK = {"name": "drain", "region": {"kind": "cylinder", "base": [0, 0, -1], "radius": 0.5, "height": 0.5}}
OPEN = {"name": "open", "when": {"kind": "time", "at": 1}, "do": {"kind": "remove_wall", "wall": "mast"}}


def event(**change: Any) -> dict[str, Any]:
    """A scene's events: the opening of a wall, changed."""
    return {"events": [{**OPEN, **change}]}


def test_a_scene_with_all_of_them_is_written_and_read_back(fields) -> None:
    story = {
        "sources": [SOURCE],
        "sinks": [{**SINK, "outside": True}],
        "events": [
            OPEN,
            {
                "name": "b",
                "when": {"kind": "rest", "speed": "1 mm/s"},
                "do": [{"kind": "gravity", "to": [1, 0, 0]}, "stop"],
            },
            {
                "name": "c",
                "when": {"kind": "count", "of": "drain", "above": 3},
                "do": {"kind": "stop_source", "source": "spout"},
            },
            {
                "name": "d",
                "when": {"kind": "after", "event": "b", "delay": 1},
                "do": {"kind": "add_wall", "wall": "stake"},
            },
        ],
    }
    scene = build(fields | story)
    assert scene.sources[0].rate == 20.0 and scene.sinks[0].outside
    assert scene.events[0] == Event(name="open", when=AtTime(at=1), do=RemoveWall(wall="mast"))
    assert len(scene.events[1].do) == 2
    for full in (True, False):
        assert loads(dumps(scene, full=full)) == scene


def test_sources_stand_in_for_grains(fields) -> None:
    del fields["grains"]
    assert build(fields | {"sources": [SOURCE]}).grains == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": [{**SOURCE, "material": "sandd"}]}, "sources[0].material: 'sandd' is not among the materials"),
        ({"sources": [{**SOURCE, "mass_rate": 1}]}, "sources[0]: both a rate and a mass_rate; give one of them."),
        ({"sources": [{**SOURCE, "rate": -1}]}, "sources[0].rate: -1 1/s; must be > 0."),
        ({"sources": [{k: v for k, v in SOURCE.items() if k != "rate"}]}, "sources[0]: neither a count nor a rate"),
        ({"sources": [{**SOURCE, "start": 2, "end": 1}]}, "sources[0]: ends at 1 s, starts at 2 s; it must end after"),
        ({"sources": [SOURCE, SOURCE]}, "sources[1].name: 'spout' is also the name of sources[0]; names must differ."),
        ({"sources": [SOURCE], "sinks": [{**SINK, "name": "spout"}]}, "sinks[0].name: 'spout' is also the name"),
        ({"sinks": [{**SINK, "name": "grains"}]}, "sinks[0].name: 'grains' cannot be counted by; must not be 'grains'"),
        ({"sinks": [{**SINK, "inside": True}]}, "sinks[0].inside: unknown field; known: name, region, outside"),
        (
            event(do={"kind": "remove_wall", "wall": "mastt"}),
            "events[0].do[0].wall: 'mastt' is not among the walls; known: mast, stake. Did you mean 'mast'?",
        ),
        (event(do={"kind": "start_motion", "wall": "mast"}), "events[0].do[0]: wall 'mast' has no motion; give it one"),
        (event(do=["stop", {"kind": "stop_source", "source": "a"}]), "events[0].do[1].source: 'a' is not among"),
        (event(when={"kind": "count", "of": "drian", "above": 1}), "events[0].when.of: 'drian' is not among"),
        (event(when={"kind": "count", "above": 1, "below": 1}), "events[0].when: both or neither of `above`"),
        (event(when={"kind": "rest"}), "events[0].when: both or neither of `speed` and `energy`; give exactly one"),
        (event(when={"kind": "after", "event": "opne"}), "events[0].when.event: 'opne' is not among the events"),
        (event(when={"kind": "after", "event": "open"}), "events[0].when: 'open' waits for itself"),
        (event(do={"kind": "explode"}), "events[0].do[0].kind: 'explode' is not among the actions; known: add_wall"),
        ({"dimensions": 2, **event(do={"kind": "gravity", "to": [0, 1, 0]})}, "events[0].do[0].to[1]: gravity along y"),
    ],
)  # fmt: skip
def test_one_thing_wrong_gives_one_message(fields, change, message) -> None:
    with pytest.raises(SceneError) as caught:
        build(fields | change)
    lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(message)
