"""Finds the shortest list of faults that still breaks a law.

Delta debugging (Zeller's ddmin) on the list of faults: leave out halves, quarters, single ones, as
long as the law stays broken. The remainder of the story does not change, because faults and clients
are drawn from streams of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from kafkalab.proof.laws.faults import Fault
from kafkalab.proof.laws.stories import Run


def shrink(run: Run, breaks: Callable[[Run], bool]) -> Run:
    """The run with as few of its faults as still make `breaks` true;
    nothing can be left out of the result."""
    parts = 2
    while run.faults:
        for slice_ in _slices(run.faults, parts):
            shorter = run.without(slice_)
            if breaks(shorter):
                run, parts = shorter, max(2, parts - 1)
                break
        else:
            if parts >= len(run.faults):
                break
            parts = min(len(run.faults), 2 * parts)
    return run


def _slices(faults: tuple[Fault, ...], parts: int) -> list[tuple[Fault, ...]]:
    size, extra = divmod(len(faults), parts)
    ends = [index * size + min(index, extra) for index in range(parts + 1)]
    return [faults[begin:end] for begin, end in itertools.pairwise(ends) if begin < end]
