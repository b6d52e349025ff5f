"""The tumbler of Richardson et al. (2011): how it is lined and filled, and the runs that share the filling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from barchan.frame import Frame
from barchan.scene import Scene

GRAVITY = 9.81  # m/s²
RESTITUTION, TANGENTIAL = 0.64, 0.8
LINING_FROUDE = 0.3  # at which the drum turns while it is lined
BEADS, REFILL = "beads", "refill"  # the grains that line the drum, and those that come later


@dataclass(frozen=True)
class Tumbler:
    """A short drum with an inside of glued spheres, half full."""

    radius: float = 0.030  # m, inside of the glued layer
    length: float = 0.005  # m
    size: float = 2 * 0.53e-3  # m, diameter of the spheres
    count: int = 6513
    first: int = 2600  # of them, there at the start: from them comes the lining
    turns: float = 1.25  # that the drum makes to be lined
    contact_time: float = 4e-3  # s

    @classmethod
    def small(cls) -> Tumbler:
        """One that takes seconds."""
        return cls(radius=0.015, length=0.006, size=0.002, count=370, first=190, contact_time=5.5e-3)

    @property
    def outer(self) -> float:
        """Radius of the drum itself, m: the paper makes room for the glued layer."""
        return self.radius + self.size

    def rate(self, froude: float) -> float:
        """How fast the drum turns, rad/s."""
        return math.sqrt(froude * GRAVITY / self.radius)

    @property
    def lined(self) -> float:
        """When the drum has been lined, s."""
        return 2 * math.pi * self.turns / self.rate(LINING_FROUDE)

    def preparation(self) -> Scene:
        """Some spheres are put in, the drum turns until they line it, more are put in, it turns on, and all settle."""
        full = self.lined + math.pi / self.rate(LINING_FROUDE)
        side = 0.66 * self.radius
        low, high = [-side, 0.0, -side], [side, self.length, side]
        turning = {"rate": self.rate(LINING_FROUDE), "end": full}
        return self._scene(
            name="tumbler: lining and filling",
            duration=full + 0.3,
            frame_rate=20.0,
            grains=[self._group(BEADS, self.first, {"kind": "box", "low": low, "high": high})],
            sources=[
                {
                    "name": REFILL,
                    "material": "bead",
                    "size": self.size,
                    "count": self.count - self.first,
                    "region": {"kind": "box", "low": [-side, 0.0, 0.0], "high": high},
                    "start": self.lined,
                }
            ],
            turning=turning,
            smooth=RESTITUTION,
        )

    def run(self, froude: float, duration: float, frame_rate: float, filling: str) -> Scene:
        """The drum turns, from the first moment on at its full speed; `filling` is the folder of the preparation."""
        anywhere = {"kind": "box", "low": [-self.radius] * 3, "high": [self.radius] * 3}
        return self._scene(
            name=f"tumbler: Fr {froude:g}",
            duration=duration,
            frame_rate=frame_rate,
            # Where the grains are is the filling's to say; groups say what they are made of.
            grains=[self._group(name, 1, anywhere) for name in (BEADS, REFILL)],
            start=filling,
            turning={"rate": self.rate(froude)},
            smooth=1.0,
        )

    def glued(self, frame: Frame) -> np.ndarray:
        """Which grains (N,) bool the drum holds: those that touch it."""
        apart = self.outer - np.hypot(frame.position[:, 0], frame.position[:, 2]) - frame.radius
        return np.asarray(np.abs(apart) < 1e-8 * self.size)

    def _group(self, name: str, count: int, region: dict[str, Any]) -> dict[str, Any]:
        fill = {"kind": "random", "region": region}
        return {"name": name, "material": "bead", "size": self.size, "count": count, "fill": fill}

    def _scene(self, *, turning: dict[str, Any], smooth: float, **parts: Any) -> Scene:
        """A scene in the drum, which turns clockwise seen from the front; `smooth` is the end planes' restitution."""
        ends = {"shape": "plane", "material": "end"}
        bead = {"density": 2500.0, "restitution": RESTITUTION, "tangential_restitution": TANGENTIAL}
        return Scene.model_validate(
            {
                "solver": "hard",
                "gravity": (0.0, 0.0, -GRAVITY),
                "hard": {"contact_time": self.contact_time},
                "materials": {"bead": bead, "end": {**bead, "restitution": smooth, "tangential_restitution": 1.0}},
                "pairs": [{"between": ["bead", "end"], "restitution": smooth, "tangential_restitution": 1.0}],
                "walls": [
                    {
                        "name": "drum",
                        "shape": "cylinder",
                        "axis": [0, 1, 0],
                        "radius": self.outer,
                        "material": "bead",
                        "sticky": True,
                        "motion": {"kind": "rotate", "axis": [0, 1, 0], **turning},
                    },
                    {"name": "front", "normal": [0, 1, 0], **ends},
                    {"name": "back", "point": [0, self.length, 0], "normal": [0, -1, 0], **ends},
                ],
                **parts,
            }
        )
