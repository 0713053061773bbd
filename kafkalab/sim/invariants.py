"""Checks that a machine makes where its state changes; a broken one raises InvariantBroken with one
sentence.

They are always on: in labs full of faults they cost 2.4 % of the CPU time. `off()` turns them off
for a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InvariantBroken(AssertionError):
    """A machine of the simulator is in a state that it must never reach:
    a fault of the simulator, not of its user."""


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
    """No check is made inside the block."""
    before, SWITCH.is_on = SWITCH.is_on, False
    try:
        yield
    finally:
        SWITCH.is_on = before
