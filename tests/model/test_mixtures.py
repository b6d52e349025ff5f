"""Fills that know each other, and mixtures: nothing overlaps, and shares are what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.geometry import overlapping
from barchan.model.build_grains import build_grains
from barchan.model.grains import Grains
from barchan.model.room import spheres_of
from barchan.scene import Scene, dumps, loads
from barchan.scene.toml import build

BOX = {"kind": "box", "low": (0.0, 0.0, 0.0), "high": (1.0, 1.0, 1.0)}
RANDOM = {"kind": "random", "region": BOX}
LATTICE = {"kind": "lattice", "region": BOX}
PARTS = [
    {"material": "glass", "size": {"kind": "uniform", "low": 0.04, "high": 0.06}, "share": 3},
    {"material": "steel", "size": 0.08, "share": 1},
]


def scene(*groups: dict[str, Any], **options: Any) -> Scene:
    """A scene of these groups."""
    named = [{"name": f"g{k}", "material": "glass", **group} for k, group in enumerate(groups)]
    return build({
        "name": "s", "duration": 1, "materials": {"glass": {"density": 2500}, "steel": {"density": 7800}},
        "grains": named, **options,
    })  # fmt: skip


def crossed(grains: Grains, box: tuple[float, ...] = (0.0, 0.0, 0.0)) -> int:
    """How many pairs of grains overlap, periodic images included."""
    place, owner = spheres_of(grains)
    i, j = overlapping(place, place, np.array(box))
    return int((owner[i] < owner[j]).sum())


def random(size: float, count: int, **more: Any) -> dict[str, Any]:
    return {"size": size, "count": count, "fill": RANDOM, **more}


@pytest.mark.parametrize(
    ("groups", "options"),
    [
        ([random(0.08, 500), random(0.05, 1000)], {}),
        ([random(0.3, 6), random(0.04, 2000)], {}),
        ([random(0.05, 300), {"size": 0.2, "count": 27, "fill": LATTICE}], {}),
        ([random(0.1, 100, shape="cube", orientation="random"), random(0.06, 600)], {}),
        (
            [random(0.1, 200), random(0.07, 700)],
            {"periodic": (True, True, True), "box": {"low": (0, 0, 0), "high": (1, 1, 1)}},
        ),
        (
            [random(0.2, 12), {**random(0.1, 60), "fill": {"kind": "random", "region": {**BOX, "high": (1, 1, 0.5)}}}],
            {"periodic": (False, False, True), "box": {"low": (0, 0, 0), "high": (1, 1, 1)}},
        ),
        ([random(0.05, 120), random(0.03, 250)], {"dimensions": 2}),
        (
            [random(0.05, 300),
             {**random(0.06, 100), "fill": {"kind": "random", "region": {"kind": "cylinder", "base": (0.5, 0.5, 0),
                                                                          "radius": 0.4, "height": 1}}}],
            {},
        ),
    ],
    ids=["two", "large", "lattice", "clumps", "periodic", "across a face", "flat", "cylinder"],
)  # fmt: skip
def test_random_fills_keep_clear_of_other_groups(groups: list[dict[str, Any]], options: dict[str, Any]) -> None:
    """Two groups in one region lay on each other, and were refused as "overlap by 280%".

    Up to a third of the region is filled; the check goes through all pairs, periodic images too. It catches a fill
    that forgets images beyond a face, spheres off a clump's centre, and a lattice that is written after it.
    """
    described = scene(*groups, **options)
    box = np.where(described.periodic, 1.0, 0.0)
    grains = build_grains(described)
    assert len(grains) == sum(group["count"] for group in groups)
    assert crossed(grains, tuple(box)) == 0
    inside = (grains.position >= 0) & (grains.position <= 1)
    assert inside[:, [0, 2]].all()


def test_the_first_of_two_groups_is_as_if_alone() -> None:
    """Bits of a group do not depend on those behind it; and one that is out of reach changes nothing."""
    first = random(0.08, 300)
    alone = build_grains(scene(first))
    both = build_grains(scene(first, random(0.05, 300)))
    assert np.array_equal(both.position[:300], alone.position)


def test_groups_that_do_not_fit_beside_each_other_are_told_why() -> None:
    """47% and 24% of the region: the message names the others, and the way out."""
    with pytest.raises(SceneError, match=r"grains\[1\].fill: group 'g1': 450 grains beside 900 spheres of other.*mix"):
        build_grains(scene(random(0.1, 900), random(0.1, 450)))


def test_a_mixture_by_number_is_packed_together() -> None:
    """A hundred and one grains, three to one: 76 and 25 by largest remainder; each part has its material and sizes."""
    described = scene({"mix": PARTS, "count": 101, "fill": RANDOM}, random(0.05, 10))
    grains = build_grains(described)
    assert described.group_names() == ["g0: glass", "g0: steel", "g1"]
    assert described.group_places() == ["grains[0].mix[0]", "grains[0].mix[1]", "grains[1]"]
    assert np.bincount(grains.group).tolist() == [76, 25, 10]
    assert np.array_equal(grains.material, np.repeat([0, 1, 0], [76, 25, 10]))
    assert np.all(grains.radius[grains.group == 1] == 0.04)
    assert np.ptp(grains.radius[grains.group == 0]) > 0.005
    assert crossed(grains) == 0
    middles = [grains.position[grains.group == k].mean(axis=0) for k in (0, 1)]
    assert np.abs(middles[0] - middles[1]).max() < 0.3  # 25 places scatter by 0.06 a mean: they are mixed


@pytest.mark.parametrize("fill", [RANDOM, LATTICE, {"kind": "hexagonal", "region": {**BOX, "high": (2, 2, 2)}}])
def test_a_mixture_by_mass_has_its_shares_of_mass(fill: dict[str, Any]) -> None:
    """Equal masses of glass of 4 to 6 cm and steel of 8 cm: grains of glass are drawn, so their mass scatters.

    The cube of a uniform size has the deviation 35% of its mean; of 1800 drawn ones the mean is known to 0.8%, and the
    number of steel grains, some 100, to half a grain: four deviations are 4%. Catches shares by number, by volume (a
    factor of 3) and by the mass of the mean size (a deviation of 4% more).
    """
    parts = [{**part, "share": 0.5} for part in PARTS]
    grains = build_grains(scene({"mix": parts, "share_by": "mass", "count": 1900 if fill is not LATTICE else 1700,
                                 "fill": fill}))  # fmt: skip
    glass, steel = (float(grains.mass[grains.group == k].sum()) for k in (0, 1))
    assert glass / steel == pytest.approx(1.0, abs=0.04)


def test_sites_are_shared_at_random() -> None:
    """On a lattice filled from below each kind is found at every height: catches parts that lie in layers."""
    grains = build_grains(scene({"mix": PARTS, "fill": LATTICE}))
    steel = grains.position[grains.group == 1]
    number = len(grains)
    assert len(steel) == pytest.approx(number / 4, abs=0.5)
    assert steel[:, 2].mean() == pytest.approx(grains.position[:, 2].mean(), abs=4.5 * 0.29 / np.sqrt(len(steel)))


def test_a_mixture_is_written_as_it_was_stated() -> None:
    """What is read back is the same scene, short or full, and states the mixture once."""
    described = scene({"mix": PARTS, "share_by": "mass", "count": 50, "fill": RANDOM}, random(0.05, 10))
    for full in (True, False):
        text = dumps(described, full=full)
        assert text.count("[[grains]]") == 2 and "g0: " not in text
        assert loads(text) == described


@pytest.mark.parametrize(
    ("group", "told"),
    [
        (
            {"mix": [{"material": "gold", "share": 1}], "size": 0.1, "count": 9},
            r"grains\[0\].mix\[0\].material: 'gold'",
        ),
        ({"mix": [{"share": 0}], "size": 0.1, "count": 9}, r"grains\[0\].mix\[0\].share: 0; must be > 0"),
        ({"mix": [{"share": 1}, {"share": 1, "size": 0.1}], "count": 9}, "no size"),
        ({"mix": [], "size": 0.1, "count": 9}, "mix"),
        ({"share_by": "mass", "size": 0.1, "count": 9}, "share_by = 'mass' without `mix`"),
        ({"mix": PARTS, "fill": {"kind": "file", "path": "a.npz"}}, "a mixture from a file"),
        ({"mix": PARTS}, "no count"),
    ],
)
def test_mixtures_that_make_no_sense_are_told(group: dict[str, Any], told: str) -> None:
    with pytest.raises(SceneError, match=told):
        scene({"fill": RANDOM, **group})


def test_a_part_that_gets_no_grain_is_told() -> None:
    """One in a million of a hundred grains would be none, and a run without it."""
    parts = [{"share": 1.0}, {"share": 1e-6, "material": "steel"}]
    with pytest.raises(SceneError, match=r"grains\[0\].mix\[1\].share: 1e-06 by number of 100 grains is not one"):
        build_grains(scene({"mix": parts, "size": 0.05, "count": 100, "fill": RANDOM}))


def test_tethers_do_not_hold_mixtures() -> None:
    tether = {"name": "t", "group": "g0", "stiffness": 1.0}
    with pytest.raises(SceneError, match=r"tethers\[0\].group: 'g0' is a mixture"):
        scene({"mix": PARTS, "count": 9, "fill": RANDOM}, tethers=[tether])
