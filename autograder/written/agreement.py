"""Calculates how far two markers agree, and how sure that figure is.

Calibrating and double marking use it.

Marks are whole numbers from 0 to 4. A figure from few answers is a rough figure, so each comes with
a bound.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

HIGHEST = 4
DRAWS = 1000


def quadratic_weighted_kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa with squared distances as weights (Cohen 1968): 1 is full agreement, 0 what
    chance gives. None where it means nothing: no pairs, or markers who gave one and the same mark
    throughout."""
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    seen = sum((one - other) ** 2 for one, other in pairs)
    by_chance = sum(
        (one - other) ** 2 * first[one] * second[other] for one in first for other in second
    ) / max(1, len(pairs))
    return None if by_chance == 0 else 1 - seen / by_chance


def kappa_at_least(pairs: Sequence[tuple[int, int]], seed: str = "") -> float | None:
    """The kappa that 95 of 100 such sets of answers would exceed:
    the 5th percentile of DRAWS sets drawn from this one."""
    luck = Random(f"bootstrap {seed}")
    drawn = (
        [quadratic_weighted_kappa(luck.choices(pairs, k=len(pairs))) for _ in range(DRAWS)]
        if pairs
        else []
    )
    known = sorted(kappa for kappa in drawn if kappa is not None)
    return known[len(known) // 20] if known else None


def mean_error(pairs: Sequence[tuple[int, int]]) -> float:
    """The mean distance of the two marks, in marks; 0 for no pairs."""
    return sum(abs(one - other) for one, other in pairs) / max(1, len(pairs))


def share_at_most(hits: int, of: int) -> float:
    """The share that may stand behind `hits` of `of` (Clopper and Pearson's upper bound,
    one-sided, 95 %); 1 where there is none."""
    if hits >= of:
        return 1.0
    low, high = hits / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        so_few = sum(
            math.comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(hits + 1)
        )
        low, high = (middle, high) if so_few > 0.05 else (low, middle)
    return high
