"""Vectors and orientations turned by quaternions."""

from __future__ import annotations

import math

from barchan.kernels.jit import njit


@njit(cache=True)
def rotated(qw: float, qx: float, qy: float, qz: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector turned by a unit quaternion."""
    tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


@njit(cache=True, error_model="numpy")
def spin_of(
    qw: float, qx: float, qy: float, qz: float, lx: float, ly: float, lz: float, a: float, b: float, c: float
) -> tuple[float, float, float]:
    """Angular velocity, rad/s, of a body with orientation q, angular momentum l and principal moments a, b, c."""
    if a == b and b == c:
        return lx / a, ly / a, lz / a
    x, y, z = rotated(qw, -qx, -qy, -qz, lx, ly, lz)
    return rotated(qw, qx, qy, qz, x / a, y / b, z / c)


@njit(cache=True, error_model="numpy")
def turned(
    qw: float, qx: float, qy: float, qz: float, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """The orientation q after a further rotation by the vector x, y, z (rad, scene's frame); a unit quaternion."""
    angle = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    s = math.sin(half) / angle if angle > 1e-9 else 0.5
    rw, rx, ry, rz = math.cos(half), s * x, s * y, s * z
    aw = rw * qw - rx * qx - ry * qy - rz * qz
    ax = rw * qx + rx * qw + ry * qz - rz * qy
    ay = rw * qy - rx * qz + ry * qw + rz * qx
    az = rw * qz + rx * qy - ry * qx + rz * qw
    per = 1.0 / math.sqrt(aw * aw + ax * ax + ay * ay + az * az)
    return aw * per, ax * per, ay * per, az * per
