"""TransactionIndex: the aborted transactions of a log, which a read_committed reader leaves out.

Kafka's classes are TransactionIndex and AbortedTxn: a `.txnindex` file beside each segment, one
entry for each aborted transaction, in the order of the markers. Here one list serves the whole log.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkalab.broker.log.producer_state import EndedTransaction
from kafkalab.protocol.messages import AbortedTransaction


class AbortedTxn(NamedTuple):
    """One aborted transaction of the index (AbortedTxn).

    last_stable_offset: the log's last stable offset after the marker. Transactions that begin at or
    above it are in later entries."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class TransactionIndex:
    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[AbortedTxn] = []

    def append(self, ended: EndedTransaction, last_stable_offset: int) -> None:
        self.entries.append(
            AbortedTxn(ended.producer_id, ended.first_offset, ended.last_offset, last_stable_offset)
        )

    def between(self, fetch_offset: int, upper_offset: int) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions that touch the offsets from `fetch_offset` on and below
        `upper_offset` (TransactionIndex.collectAbortedTxns)."""
        found = []
        for entry in self.entries:
            if entry.last_offset >= fetch_offset and entry.first_offset < upper_offset:
                found.append(
                    AbortedTransaction(
                        producer_id=entry.producer_id, first_offset=entry.first_offset
                    )
                )
            if entry.last_stable_offset >= upper_offset:
                break
        return tuple(found)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries whose marker was truncated away."""
        self.entries = [entry for entry in self.entries if entry.last_offset < offset]
