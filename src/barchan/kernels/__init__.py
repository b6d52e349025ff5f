"""Compiled loops, the only room that imports numba.

Contacts read their grains by index. LLVM turns such reads into gather instructions, which are slow on many CPUs;
`prefer-no-gather` makes it use plain loads instead.
"""

from __future__ import annotations

import llvmlite.binding as llvm
from numba import config

if config.CPU_FEATURES is None:
    config.CPU_FEATURES = llvm.get_host_cpu_features().flatten() + ",+prefer-no-gather"
if config.CPU_NAME is None:
    config.CPU_NAME = llvm.get_host_cpu_name()
