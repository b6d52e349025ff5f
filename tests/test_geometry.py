"""Rotations: against each other and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from barchan import geometry

RNG = np.random.default_rng(5)
QUATERNIONS = geometry.unit(RNG.normal(size=(50, 4)))
VECTORS = RNG.normal(size=(50, 3))
POLES = np.array(
    [(0, 0, 1), (0, 0, -1), (1e-9, 0, -1), (0, 1e-9, 1), (1, 0, 0), (0, -1, 0), (1e-200, 0, 0)], dtype=float
)


def scipy_rotation(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def test_rotate_and_matrix_are_those_of_scipy():
    assert np.allclose(geometry.rotate(QUATERNIONS, VECTORS), scipy_rotation(QUATERNIONS).apply(VECTORS), atol=1e-14)
    assert np.allclose(geometry.matrix(QUATERNIONS), scipy_rotation(QUATERNIONS).as_matrix(), atol=1e-14)


def test_one_rotation_turns_many_vectors_and_one_vector_many_times():
    many = geometry.rotate(QUATERNIONS[0], VECTORS)
    assert np.array_equal(many[7], geometry.rotate(QUATERNIONS[0], VECTORS[7]))
    assert geometry.rotate(QUATERNIONS, VECTORS[0]).shape == (50, 3)


def test_multiply_composes_and_conjugate_undoes():
    product = geometry.multiply(QUATERNIONS, QUATERNIONS[::-1])
    twice = geometry.rotate(QUATERNIONS, geometry.rotate(QUATERNIONS[::-1], VECTORS))
    assert np.allclose(geometry.rotate(product, VECTORS), twice, atol=1e-14)
    back = geometry.rotate(geometry.conjugate(QUATERNIONS), geometry.rotate(QUATERNIONS, VECTORS))
    assert np.allclose(back, VECTORS, atol=1e-14)


def test_from_matrix_undoes_matrix():
    half_turns = np.eye(4)
    for q in np.concatenate([QUATERNIONS, half_turns]):
        again = geometry.from_matrix(geometry.matrix(q))
        assert again[0] >= 0.0
        assert abs(abs(again @ q) - 1.0) < 1e-14
    assert geometry.from_matrix(geometry.matrix(QUATERNIONS)).shape == (50, 4)


@pytest.mark.parametrize("axes", [VECTORS, POLES], ids=["random", "poles"])
def test_rotation_to_takes_z_to_the_axis(axes):
    q = geometry.rotation_to(axes)
    assert np.allclose((q * q).sum(axis=-1), 1.0, atol=1e-15)
    assert np.allclose(geometry.rotate(q, (0.0, 0.0, 1.0)), geometry.unit(axes), atol=1e-15)
    assert np.array_equal(geometry.rotation_to(axes[1]), q[1])


def test_rotation_to_frame_takes_x_to_the_edge():
    for normal, edge in zip(VECTORS, VECTORS[::-1], strict=True):
        q = geometry.rotation_to_frame(normal, edge)
        assert np.allclose(geometry.rotate(q, (0.0, 0.0, 1.0)), geometry.unit(normal), atol=1e-14)
        x = geometry.rotate(q, (1.0, 0.0, 0.0))
        assert x @ edge > 0.0
        assert abs(np.cross(normal, edge) @ x) < 1e-13


def test_rotation_about_is_right_handed():
    q = geometry.rotation_about((0.0, 0.0, 2.0), np.array([np.pi / 2.0, np.pi]))
    turned = geometry.rotate(q, (1.0, 0.0, 0.0))
    assert np.allclose(turned, [(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)], atol=1e-15)
