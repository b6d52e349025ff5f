"""Sources at work: what is owed and when, grains that never overlap, and a state that can be put away and taken up."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.geometry import overlapping
from barchan.model.build import build_model
from barchan.model.grains import Grains
from barchan.model.pour import Pourer
from barchan.model.room import first_come, spheres_of
from barchan.scene.scene import Scene

BOX = {"kind": "box", "low": [0, 0, 0], "high": [0.1, 0.1, 0.1]}


def pourer(scene: dict[str, Any] | None = None, **source: Any) -> Pourer:
    """A source of grains of 1 cm in a box of 10 cm."""
    fields = {"name": "spout", "material": "sand", "size": 0.01, "region": BOX, **source}
    described = Scene.model_validate(
        {"name": "test", "duration": 1, "materials": {"sand": {"density": 2000}}, "sources": [fields], **(scene or {})}
    )
    return Pourer(described, 0)


def anywhere(grains: Grains) -> np.ndarray:
    """There is room everywhere."""
    return np.ones(len(grains), bool)


def nowhere(grains: Grains) -> np.ndarray:
    """There is no room."""
    return np.zeros(len(grains), bool)


def test_a_rate_is_kept_to_the_grain() -> None:
    """By the time t a source of rate r that started at s has poured ⌊r (t − s)⌋ grains, and never more than count."""
    source = pourer(rate=70, start=0.1, count=25)
    numbers = []
    for look in range(11):
        source.pour(0.05 * look, anywhere)
        numbers.append(source.number)
    assert numbers == [min(25, max(0, int(70 * (0.05 * look - 0.1) + 1e-9))) for look in range(11)]


def test_a_rate_of_mass_is_kept_to_the_grain() -> None:
    """After time t the mass poured is at most r t, and short of it by less than the largest grain."""
    source = pourer(mass_rate=0.05, size={"kind": "uniform", "low": 0.008, "high": 0.012})
    largest = 2000 * np.pi / 6 * 0.012**3
    for look in range(1, 40):
        source.book(source.pour(0.02 * look, anywhere))
        assert 0 <= 0.05 * 0.02 * look - source.mass < largest
    assert source.number > 20


def test_without_a_rate_all_are_owed_until_the_end() -> None:
    source = pourer(count=50, end=0.5)
    assert source.owed(0.0) == 50
    source.pour(0.0, anywhere)
    assert source.number + source.owed(0.4) == 50
    assert source.owed(0.5) == 0


def test_what_finds_no_room_waits_with_its_size() -> None:
    """The sizes that come in the end are those that were drawn first, in spite of all that found no room."""
    sizes = {"kind": "uniform", "low": 0.005, "high": 0.01}
    easy, hard = pourer(rate=100, end=0.1, size=sizes), pourer(rate=100, end=0.1, size=sizes)
    hard.pour(0.05, nowhere)
    assert (hard.number, hard.behind, len(hard.waiting)) == (0, 5, 5)
    hard.pour(0.2, nowhere)
    assert hard.behind == 10
    drawn = list(hard.waiting)
    made_up = hard.pour(0.3, anywhere)
    assert (hard.number, hard.behind) == (10, 0) and easy.owed(0.3) == 10
    np.testing.assert_allclose(np.sort(2 * made_up.radius), np.sort(drawn))
    assert (made_up.born == 0.3).all()


@pytest.mark.parametrize("shape", ["sphere", "cube"])
@pytest.mark.parametrize("periodic", [False, True])
def test_no_two_grains_poured_at_once_overlap(shape: str, periodic: bool) -> None:
    """All spheres of different grains are at least the sum of their radii apart, round a periodic box too, and whole
    grains lie inside the region.
    """
    space = {"periodic": [True, True, False], "box": {"low": [0, 0, 0], "high": [0.1, 0.1, 1]}} if periodic else {}
    source = pourer(space, count=400, shape=shape, size={"kind": "uniform", "low": 0.01, "high": 0.02})
    grains = source.pour(0.0, anywhere)
    assert len(grains) > 40
    place, owner = spheres_of(grains)
    apart = place[:, None, :3] - place[None, :, :3]
    length = np.array([0.1, 0.1, 1e9]) if periodic else np.full(3, 1e9)
    apart -= length * np.round(apart / length)
    gap = np.linalg.norm(apart, axis=2) - place[:, None, 3] - place[None, :, 3]
    assert gap[owner[:, None] != owner[None, :]].min() >= 0
    held = [0, 1, 2] if not periodic else [2]
    assert (place[:, held] - place[:, 3:]).min() >= -1e-15 and (place[:, held] + place[:, 3:]).max() <= 0.1 + 1e-15


def test_a_source_goes_on_from_its_state() -> None:
    """Through JSON, as in a checkpoint: the same grains to the last bit."""
    options: dict[str, Any] = {
        "rate": 300,
        "velocity_scatter": 0.1,
        "size": {"kind": "normal", "mean": 0.01, "deviation": 0.001},
    }
    one, other = pourer(**options), pourer(**options)
    for time in (0.1, 0.2):
        one.pour(time, anywhere)
    other.restore(json.loads(json.dumps(one.state())))
    a, b = one.pour(0.3, anywhere), other.pour(0.3, anywhere)
    assert len(a) > 10
    assert a.position.tobytes() == b.position.tobytes() and a.velocity.tobytes() == b.velocity.tobytes()
    assert one.state() == other.state()


def test_two_sources_have_random_numbers_of_their_own() -> None:
    first, second = pourer(count=5).pour(0.0, anywhere), pourer(count=5, name="other").pour(0.0, anywhere)
    assert not np.any(first.position == second.position)


def test_a_region_narrower_than_a_grain_is_refused() -> None:
    with pytest.raises(SceneError, match=r"sources\[0\].region: grains 0.2 m across, the region is 0.1 m wide"):
        build_model(pourer(count=1, size=0.2).scene)


def test_first_come_first_kept() -> None:
    """Of three in a row, where each overlaps the next, the second goes and the third may stay."""
    place = np.array([[0.0, 0, 0, 0.6], [1.0, 0, 0, 0.6], [2.0, 0, 0, 0.6]])
    assert first_come(place, np.arange(3), 3, np.zeros(3)).tolist() == [True, False, True]
    # With a period of 3 the third touches the first from the other side.
    assert first_come(place, np.arange(3), 3, np.array([3.0, 0, 0])).tolist() == [True, False, False]


def test_overlaps_are_found_across_any_number_of_periods() -> None:
    one, far = np.array([[0.05, 0.0, 0.0, 0.1]]), np.array([[7.95, 0.0, 0.0, 0.1]])
    assert len(overlapping(one, far, np.zeros(3))[0]) == 0
    assert [index.tolist() for index in overlapping(one, far, np.array([1.0, 0.0, 0.0]))] == [[0], [0]]
