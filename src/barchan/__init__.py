"""Barchan: granular dynamics, from a scene file to a pile of sand on the screen."""

from __future__ import annotations

__version__ = "0.1.0"
