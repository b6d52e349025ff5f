"""Pictures of spheres: a depth buffer, a shadow map, and the light on what is seen.

Everything here is in the camera's frame and in samples of the image (the camera looks down from +z): x to the right,
y up, z towards the eye, with row 0 at the bottom. The view is orthographic, so a sphere is a disc and the nearest
surface at a sample is found exactly, also where the spheres of a clump cut through one another. An image has
`SAMPLES` × `SAMPLES` samples a pixel; every sample of a pixel looks for light in other directions, so that the mean
over the pixel is smooth without noise. Nothing is random: the same spheres give the same picture.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from barchan.kernels.jit import njit

SAMPLES = 2  # samples a pixel along x and along y
FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}  # faster arithmetic; infinities keep their meaning
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))


class Light(NamedTuple):
    """Where light comes from."""

    lamp: np.ndarray  # (3,) unit vector to the lamp
    up: np.ndarray  # (3,) unit vector
    ground: np.ndarray  # (3,) a, b, c: the ground is at depth c - a x - b y; c is -inf where it is not seen


class Shadow(NamedTuple):
    """What the lamp sees."""

    depth: np.ndarray  # depth buffer, seen from the lamp
    to_light: np.ndarray  # (3, 3) from here to column, row and depth of that buffer
    offset: np.ndarray  # (2,) added to column and row


def spiral(count: int) -> np.ndarray:
    """Points that fill the unit disc evenly, `count` for each sample of a pixel: (SAMPLES², count, 2)."""
    index = np.arange(count * SAMPLES**2)
    radius = np.sqrt((index + 0.5) / len(index))
    points = np.stack([radius * np.cos(index * GOLDEN_ANGLE), radius * np.sin(index * GOLDEN_ANGLE)], axis=1)
    return np.ascontiguousarray(points.reshape(count, SAMPLES**2, 2).transpose(1, 0, 2))


@njit(cache=True)
def splat(centre, radius, width, height):
    """Nearest surface at each sample: depth (height, width), −inf where nothing is, and the sphere seen, or −1."""
    depth = np.full((height, width), -np.inf, np.float32)
    owner = np.full((height, width), -1, np.int32)
    for s in range(len(radius)):
        x, y, z, r = centre[s, 0], centre[s, 1], centre[s, 2], radius[s]
        bottom, top = max(0, math.ceil(y - r - 0.5)), min(height - 1, math.floor(y + r - 0.5))
        for row in range(bottom, top + 1):
            dy = row + 0.5 - y
            half = math.sqrt(max(0.0, r * r - dy * dy))
            left, right = max(0, math.ceil(x - half - 0.5)), min(width - 1, math.floor(x + half - 0.5))
            for column in range(left, right + 1):
                dx = column + 0.5 - x
                surface = np.float32(z + math.sqrt(max(0.0, r * r - dx * dx - dy * dy)))
                if surface > depth[row, column]:
                    depth[row, column] = surface
                    owner[row, column] = s
    return depth, owner


@njit(cache=True)
def stroke(ink, depth, segments, half_width, front, behind):
    """Line segments (k, 6) into the cover `ink` (height, width): `front` before the surface, `behind` after it."""
    height, width = ink.shape
    for k in range(len(segments)):
        x0, y0, z0 = segments[k, 0], segments[k, 1], segments[k, 2]
        dx, dy, dz = segments[k, 3] - x0, segments[k, 4] - y0, segments[k, 5] - z0
        length_squared = max(dx * dx + dy * dy, 1e-12)
        reach = half_width + 1.0
        bottom, top = max(0, int(min(y0, y0 + dy) - reach)), min(height - 1, int(max(y0, y0 + dy) + reach))
        left, right = max(0, int(min(x0, x0 + dx) - reach)), min(width - 1, int(max(x0, x0 + dx) + reach))
        for row in range(bottom, top + 1):
            for column in range(left, right + 1):
                px, py = column + 0.5 - x0, row + 0.5 - y0
                along = min(1.0, max(0.0, (px * dx + py * dy) / length_squared))
                distance = math.hypot(px - along * dx, py - along * dy)
                cover = min(1.0, max(0.0, half_width + 0.5 - distance))
                if cover > 0.0:
                    seen = z0 + along * dz >= depth[row, column] - 2.0 * half_width
                    ink[row, column] = max(ink[row, column], cover * (front if seen else behind))


@njit(cache=True)
def glaze(veil, depth, triangles, strength):
    """Clear panes: every triangle (k, 9) before the surface takes the part `strength` of the light left in `veil`."""
    height, width = veil.shape
    for k in range(len(triangles)):
        ax, ay, az, bx, by, bz, cx, cy, cz = triangles[k]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if abs(area) < 1e-6:
            continue
        bottom, top = max(0, int(min(ay, by, cy))), min(height - 1, int(max(ay, by, cy)) + 1)
        left, right = max(0, int(min(ax, bx, cx))), min(width - 1, int(max(ax, bx, cx)) + 1)
        for row in range(bottom, top + 1):
            for column in range(left, right + 1):
                x, y = column + 0.5, row + 0.5
                v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
                w = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
                if v >= 0.0 and w > 0.0 and v + w < 1.0 and az + v * (bz - az) + w * (cz - az) > depth[row, column]:
                    veil[row, column] *= 1.0 - strength


@njit(cache=True, fastmath=FAST)
def _sky(column, row, z, nx, ny, nz, depth, owner, ground, reach, looks, sample):
    """Part of the sky that is open above a surface point: 1 when nothing stands near it, towards 0 in a gap."""
    height, width = depth.shape
    hidden = 0.0
    falloff = 1.0 / (reach * reach)
    for k in range(looks.shape[1]):
        dx, dy = looks[sample, k, 0], looks[sample, k, 1]
        i, j = column + dx, row + dy
        if i < 0 or j < 0 or i >= width or j >= height:
            continue
        if owner[j, i] >= 0:
            dz = depth[j, i] - z
        else:
            dz = ground[2] - ground[0] * (i + 0.5) - ground[1] * (j + 0.5) - z
        above = nx * dx + ny * dy + nz * dz
        if above > 1e-3:  # and not the point itself
            squared = dx * dx + dy * dy + dz * dz
            distance = math.sqrt(squared)
            hidden += max(0.0, above - 0.08 * distance) / (distance * (1.0 + squared * falloff))
    return max(0.0, 1.0 - 3.4 * hidden / looks.shape[1])


@njit(cache=True, fastmath=FAST)
def _lit(x, y, z, nx, ny, nz, shadow, to_light, offset, looks, sample):
    """Part of the lamp that a point sees, from the depth buffer `shadow` drawn from the lamp.

    The looks beside the point are compared with its tangent plane, under which a sphere stays: it never shades itself.
    """
    height, width = shadow.shape
    u = int(to_light[0, 0] * x + to_light[0, 1] * y + to_light[0, 2] * z + offset[0])
    v = int(to_light[1, 0] * x + to_light[1, 1] * y + to_light[1, 2] * z + offset[1])
    depth = to_light[2, 0] * x + to_light[2, 1] * y + to_light[2, 2] * z
    nu = to_light[0, 0] * nx + to_light[0, 1] * ny + to_light[0, 2] * nz
    nv = to_light[1, 0] * nx + to_light[1, 1] * ny + to_light[1, 2] * nz
    facing = to_light[2, 0] * nx + to_light[2, 1] * ny + to_light[2, 2] * nz
    slope = -1.0 / max(facing, 0.1 * (abs(nu) + abs(nv) + 1e-9))
    lit = 0
    for k in range(looks.shape[1]):
        du, dv = looks[sample, k, 0], looks[sample, k, 1]
        i, j = u + du, v + dv
        plane = depth + slope * (nu * du + nv * dv)
        if i < 0 or j < 0 or i >= width or j >= height or shadow[j, i] <= plane:
            lit += 1
    return lit / looks.shape[1]


@njit(cache=True)
def _seen_box(owner):
    """First and last column, first and last row with a sphere in it."""
    left, right, bottom, top = owner.shape[1], -1, owner.shape[0], -1
    for row in range(owner.shape[0]):
        for column in range(owner.shape[1]):
            if owner[row, column] >= 0:
                left, right, bottom, top = min(left, column), max(right, column), min(bottom, row), row
    return left, right, bottom, top


@njit(cache=True)
def _uniform(owner, row, column):
    """Whether all samples of the pixel that begins at that sample show one and the same sphere, or all the ground."""
    for k in range(1, SAMPLES**2):
        if owner[row + k // SAMPLES, column + k % SAMPLES] != owner[row, column]:
            return False
    return True


@njit(cache=True, fastmath=FAST)
def shade(image, depth, owner, centre, radius, colour, light, shadow, reach, looks):
    """Light the spheres into `image` (pixel rows, pixel columns, 3), which holds the backdrop; linear colours.

    `reach` (samples) is how far a surface looks for what hides the sky; `looks` are two spirals, the directions in
    which it looks for the sky and for the lamp.
    """
    lamp, up, ground = light
    shadow_depth, to_light, offset = shadow
    sky_looks, lamp_looks = looks
    rows, columns = image.shape[0], image.shape[1]
    scale = math.sqrt(to_light[2, 0] ** 2 + to_light[2, 1] ** 2 + to_light[2, 2] ** 2)
    around = np.rint(sky_looks * reach).astype(np.int64)
    near = np.rint(lamp_looks * (0.22 * reach * scale)).astype(np.int64)
    far = np.rint(lamp_looks * (0.35 * reach * scale)).astype(np.int64)
    left, right, bottom, top = _seen_box(owner)
    for pixel in range(rows * columns):
        j, i = pixel // columns, pixel % columns
        red, green, blue = 0.0, 0.0, 0.0
        stride, part = 1, 1.0 / SAMPLES**2
        if _uniform(owner, SAMPLES * j, SAMPLES * i):  # inside one surface the diagonal will do
            stride, part = SAMPLES + 1, 1.0 / SAMPLES
        for sample in range(0, SAMPLES**2, stride):
            row, column = SAMPLES * j + sample // SAMPLES, SAMPLES * i + sample % SAMPLES
            x, y, z, s = column + 0.5, row + 0.5, float(depth[row, column]), owner[row, column]
            if s >= 0:
                nx, ny = (x - centre[s, 0]) / radius[s], (y - centre[s, 1]) / radius[s]
                nz = math.sqrt(max(0.0, 1.0 - nx * nx - ny * ny))
                facing = nx * lamp[0] + ny * lamp[1] + nz * lamp[2]
                key = max(0.0, 0.08 + 0.92 * facing)
                if key > 0.0:
                    lift = 1.5 + 0.04 * radius[s]
                    px, py, pz = x + lift * nx, y + lift * ny, z + lift * nz
                    key *= _lit(px, py, pz, nx, ny, nz, shadow_depth, to_light, offset, near, sample)
                sky = _sky(column, row, z, nx, ny, nz, depth, owner, ground, reach, around, sample)
                upward = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2])
                key *= 1.02 * (0.35 + 0.65 * sky)
                fill = sky * (0.04 + 0.17 * upward + 0.13 * nz * nz + 0.10 * (1.0 - nz) ** 3)
                red += colour[s, 0] * (1.03 * key + 0.98 * fill)
                green += colour[s, 1] * (key + fill)
                blue += colour[s, 2] * (0.97 * key + 1.04 * fill)
                continue
            shine = 1.0
            if ground[2] > -np.inf:
                z = ground[2] - ground[0] * x - ground[1] * y
                seen = _lit(x, y, z, up[0], up[1], up[2], shadow_depth, to_light, offset, far, sample)
                shine = 0.55 + 0.45 * seen
                if left - reach < x < right + reach and bottom - reach < y < top + reach:
                    sky = _sky(column, row, z, up[0], up[1], up[2], depth, owner, ground, reach, around, sample)
                    shine *= 0.45 + 0.55 * sky
            red += image[j, i, 0] * shine
            green += image[j, i, 1] * shine
            blue += image[j, i, 2] * shine
        image[j, i, 0], image[j, i, 1], image[j, i, 2] = red * part, green * part, blue * part


@njit(cache=True)
def tint(image, owner, grain, colour, line):
    """Flat discs into `image` (pixel rows, pixel columns, 3), with a dark rim `line` samples wide round each grain."""
    rows, columns = image.shape[0], image.shape[1]
    height, width = owner.shape
    part = 1.0 / SAMPLES**2
    for pixel in range(rows * columns):
        j, i = pixel // columns, pixel % columns
        red, green, blue = 0.0, 0.0, 0.0
        for sample in range(SAMPLES**2):
            row, column = SAMPLES * j + sample // SAMPLES, SAMPLES * i + sample % SAMPLES
            s = owner[row, column]
            if s < 0:
                red, green, blue = red + image[j, i, 0], green + image[j, i, 1], blue + image[j, i, 2]
                continue
            light = 1.0
            for k in range(8):
                a = column + round(line * math.cos(k * math.pi / 4.0))
                b = row + round(line * math.sin(k * math.pi / 4.0))
                if 0 <= a < width and 0 <= b < height:
                    other = owner[b, a]
                    if other < 0 or grain[other] != grain[s]:
                        light = 0.30
            red += colour[s, 0] * light
            green += colour[s, 1] * light
            blue += colour[s, 2] * light
        image[j, i, 0], image[j, i, 1], image[j, i, 2] = red * part, green * part, blue * part
