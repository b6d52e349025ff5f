"""Groups of grains: sizes, shapes and fills, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from barchan.errors import SceneError
from barchan.parts.fills.file import FileFill
from barchan.parts.sizes.fixed import FixedSize
from barchan.parts.sizes.uniform import UniformSize
from barchan.scene import ClumpGrain, CubeGrain, GrainGroup, RodGrain

BOX = {"kind": "box", "low": [0, 0, 0], "high": [1, 1, 1]}


def group(**changes: Any) -> GrainGroup:
    plain = {"name": "g", "material": "sand", "size": "5 mm", "fill": {"kind": "lattice", "region": BOX}}
    return GrainGroup(**{name: value for name, value in (plain | changes).items() if value is not None})


def test_short_forms():
    assert group().size == FixedSize(value=0.005)
    assert group(size=0.01).size == FixedSize(value=0.01)
    assert group(shape="cube").shape == CubeGrain()
    clump = group(shape=[{"position": [0, 0, 0], "radius": "1 mm"}], size=None).shape
    assert isinstance(clump, ClumpGrain) and clump.spheres[0].radius == 0.001


def test_instances_are_taken_as_they_are():
    size = UniformSize(low=0.001, high=0.002)
    assert group(size=size, shape=RodGrain(spheres=6)).size is size


@pytest.mark.parametrize(
    ("size", "bounds"),
    [
        ({"kind": "uniform", "low": "1 mm", "high": "2 mm"}, (0.001, 0.002)),
        ({"kind": "normal", "mean": 5.0, "deviation": 1.0}, (2.0, 8.0)),
        ({"kind": "normal", "mean": 5.0, "deviation": 4.0, "low": 1, "high": 6}, (1.0, 6.0)),
        ({"kind": "lognormal", "median": 1.0, "sigma": 0.1, "high": 1.2}, (0.7408182206817179, 1.2)),
        ({"kind": "table", "sizes": [3, 1, 2], "weights": [1, 1, 2]}, (1.0, 3.0)),
    ],
)
def test_bounds_of_sizes(size, bounds):
    assert group(size=size).size.bounds() == bounds


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": "-1 mm"}, "size: '-1 mm'; must be > 0"),
        ({"size": True}, "size: True; must be a quantity in m"),
        ({"size": {"kind": "uniform", "low": 2, "high": 1}}, "size: low 2 m is above high 1 m; low must be ≤ high"),
        ({"size": {"kind": "normal", "mean": 1, "deviation": 1}}, "less three deviations of 1 m is not positive"),
        ({"size": {"kind": "table", "sizes": [1, 2], "weights": [1]}}, "size: 2 sizes and 1 weights"),
        ({"size": None}, "no size; a sphere needs its `size`"),
        ({"shape": [{"position": [0, 0, 0], "radius": 1}]}, "both a size and a clump in metres"),
        ({"shape": []}, "shape: []; must have at least 1 item, not 0"),
        ({"shape": [{"position": [0, 0, 0], "radius": -1}]}, "shape[0].radius: -1 m; must be > 0"),
        ({"shape": "cuve"}, "'cuve' is not among the shapes of grains; known: sphere, cube"),
        ({"shape": {"kind": "rod", "spheres": 3}}, "3 spheres of 0.25 of the length do not touch each other"),
        ({"shape": {"kind": "cube", "roundness": 1}}, "shape.roundness: 1; must be < 1"),
        ({"fill": {"kind": "random", "region": BOX}}, "no count; a random fill needs"),
        ({"fill": {"kind": "pyramid", "base": [0, 0, 0]}}, "give exactly one of them"),
        ({"fill": {"kind": "pyramid", "base": [0, 0, 0], "layers": 3}, "count": 2}, "give exactly one of them"),
        ({"fill": {"kind": "points", "positions": [[0, 0, 0]]}, "count": 1}, "leave `count` out"),
        (
            {"fill": {"kind": "file", "path": "x.txt"}},
            "fill.path: 'x.txt'; must be the path of a file that ends in .npz or .csv",
        ),
        ({"fill": {"kind": "lattice", "region": "box"}}, "fill.region.low: missing"),
        ({"count": 0}, "count: 0; must be ≥ 1"),
        ({"count": 10**9}, "count: 1000000000; must be ≤ 100000000"),
        ({"count": 2.5}, "count: 2.5; must be a valid integer"),
        ({"orientation": "upright"}, "orientation: 'upright'; must be 'aligned' or 'random'"),
        ({"velocity_scatter": "-1 m/s"}, "velocity_scatter: '-1 m/s'; must be ≥ 0"),
    ],
)
def test_contradictions(changes, message):
    with pytest.raises(SceneError) as caught:
        group(**changes)
    assert message in str(caught.value)
    assert len(caught.value.findings) <= 2


def test_a_file_may_bring_the_sizes():
    assert group(size=None, fill={"kind": "file", "path": "bed.npz"}).fill == FileFill(path="bed.npz")
