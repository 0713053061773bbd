"""Compares our speed with that of others, one module a comparison.

`run()` of each module measures both sides in one go and returns its rows.

Figures in seconds say as much about the machine as about the program, so what counts is the ratio
of two runs on one machine within one minute. Nothing here is a test, and no test looks at a clock.
"""

from __future__ import annotations

from typing import TypedDict


class Row(TypedDict):
    """One comparison: `ours` and `peer` in `unit`, `ratio` = ours / peer.

    For times, less is better; the name says which.
    """

    name: str
    ours: float
    peer: float
    ratio: float
    unit: str


def compared(name: str, ours: float, peer: float, unit: str) -> Row:
    """A row with the ratio of ours to the peer's."""
    return Row(name=name, ours=ours, peer=peer, ratio=ours / peer, unit=unit)
