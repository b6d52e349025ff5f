"""Kernels that methods share and into which nothing is bound, from the cache, which sees all that they call."""

from __future__ import annotations

from barchan.kernels.compile import Kernels

neighbours = Kernels("barchan.kernels.neighbours")
raster = Kernels("barchan.kernels.raster")
