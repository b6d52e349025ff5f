"""Compiled loops, the only room that imports numba.

Contacts read their grains by index. LLVM turns such reads into gather instructions, which are slow on many CPUs;
`prefer-no-gather` makes it use plain loads instead. And it takes half of what AVX-512 has to offer, because early ones
slowed down under it; the pass over pairs is a tenth faster with all of it.
"""

from __future__ import annotations

import llvmlite.binding as llvm
from numba import config

if config.CPU_FEATURES is None:
    features = llvm.get_host_cpu_features().flatten()
    wide = ",-prefer-256-bit" if "+avx512f" in features.split(",") else ""
    config.CPU_FEATURES = features + ",+prefer-no-gather" + wide
if config.CPU_NAME is None:
    config.CPU_NAME = llvm.get_host_cpu_name()
