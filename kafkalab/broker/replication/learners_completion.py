"""Replaces the check of a waiting request by a function of a learner.

In Kafka DelayedProduce.tryComplete and DelayedFetch.tryComplete decide.

lab.broker(0).complete_by(lambda request, state: False)      # every request waits for its time-out
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class WaitingRequest(NamedTuple):
    """A PRODUCE with acks=all or a FETCH, as a rule of a learner sees it.

    kind       "PRODUCE" or "FETCH"
    needs      partition -> offset. PRODUCE: the offset after its last record. FETCH: the offset
               that it reads from
    min_bytes  a FETCH wants at least so many bytes in all; 0 for PRODUCE
    """

    kind: str
    needs: dict[str, int]
    min_bytes: int = 0


class WatchedPartition(NamedTuple):
    """A partition of a waiting request, on the broker that it waits at.

    is_leader       the broker leads it and may answer for it
    log_end         the offset after the broker's last record
    high_watermark  all replicas in sync have the records below it
    bytes_written   FETCH: bytes from its offset to the log end
    bytes_readable  FETCH: bytes from its offset to the high watermark
    """

    is_leader: bool
    log_end: int = 0
    high_watermark: int = 0
    bytes_written: int = 0
    bytes_readable: int = 0


CompletionRule = Callable[[WaitingRequest, Mapping[str, WatchedPartition]], bool]
"""rule(request, state) -> whether the request may be completed. state: partition -> its state."""


def may_complete(
    rule: CompletionRule, request: WaitingRequest, state: Mapping[str, WatchedPartition]
) -> bool:
    """What the rule says. Raises ValueError where it says neither True nor False."""
    said = rule(request, dict(state))
    if not isinstance(said, bool):
        raise ValueError(f"may_complete returns True or False; the rule returned {said!r}")
    return said
