"""Which thread works on which pairs, and where a pair leaves what it hands to its two grains.

The list of pairs is cut into parts, one for each thread. Of a few pairs each has a row of its own. Of many, those of a
part write one row after another into a ring that is small enough for the cache, and over the oldest rows again. By then
the two grains have added them up, for pairs are in the order of their first grains, and grains that are near each other
are near in the list. Rows that are wanted later than that are set aside: those of pairs across a periodic face, and of
grains with pairs in more than one part, which are late: they add up their pairs when all parts are done.
"""

from __future__ import annotations

from typing import Any

from barchan.kernels.jit import njit
from barchan.solvers.soft.layout import BASE, GRAIN_FROM, GRAIN_TO, PAIR_FROM, PAIR_TO


@njit(cache=True)
def find_late(parts: Any, most: int, pair_range: Any, link_start: Any, links: Any, late: Any) -> int:
    """Mark the grains with pairs of more than one part, or more than `most` of their own; answers how many there are.

    links: for every grain the pairs in which it is second, in the order of the list.
    """
    count = 0
    for p in range(len(parts)):
        low = parts[p, PAIR_FROM]  # pairs of others come before those of the grain itself
        for g in range(parts[p, GRAIN_FROM], parts[p, GRAIN_TO]):
            begin, end = pair_range[g], pair_range[g + 1]
            first, last = link_start[g], link_start[g + 1]
            apart = begin < end and (begin < low or end - begin > most)
            if first < last and links[first] < low:
                apart = True
            late[g] = apart
            count += apart
    return count


@njit(cache=True)
def set_aside(
    parts: Any, pairs: int, strip: int, reach: int, mask: int, behind: int, first_grain: Any, second_grain: Any,
    pair_range: Any, late: Any, links: Any, row: Any, far_pair: Any, far_start: Any,
) -> int:  # fmt: skip
    """The row of every pair, and which of them are set aside, in rows from `behind` on; answers with how many are.

    reach: how many pairs later a row may be wanted at most, if it is not set aside. strip: pairs in a strip.
    far_start: for every strip, which is the first of its pairs to be set aside. links: pairs become their rows.
    """
    far = 0
    for p in range(len(parts)):
        for k in range(parts[p, PAIR_FROM], parts[p, PAIR_TO]):
            if k % strip == 0:
                far_start[k // strip] = far
            a, b = first_grain[k], second_grain[k]
            if late[a] or late[b] or pair_range[b + 1] - k > reach:
                far_pair[far] = k
                row[k] = behind + far
                far += 1
            else:
                row[k] = parts[p, BASE] + (k & mask)
    far_start[(pairs + strip - 1) // strip :] = far
    for e in range(pairs):
        links[e] = row[links[e]]
    return far
