"""Replaces a leader's rule for the high watermark (Partition.maybeIncrementLeaderHW) by a function.

lab.broker(0).move_watermark(lambda ends, in_sync: ends[0])      # what the leader has is readable
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Rule = Callable[[Mapping[int, int], tuple[int, ...]], int]
"""rule(ends, in_sync) -> offset.

ends: broker -> the end of its replica's log as the leader knows it; 0 before it has fetched from
this leader. in_sync: the brokers that count, the leader among them."""


def learners_watermark(
    rule: Rule, ends: Mapping[int, int], in_sync: tuple[int, ...], log_end: int
) -> int:
    """The rule's offset. ValueError where it is no offset of this leader's log."""
    said = rule(dict(ends), in_sync)
    if isinstance(said, bool) or not isinstance(said, int) or not 0 <= said <= log_end:
        raise ValueError(
            f"a high watermark is a whole number from 0 to {log_end}, the leader's log end; the "
            f"rule returned {said!r}"
        )
    return said
