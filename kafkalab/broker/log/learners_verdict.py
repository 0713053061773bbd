"""Puts a learner's own rule about batches in the place of the broker's (ProducerState.judge).

lab.broker(0).judge_batches(lambda known, batch: "append")       # a broker without idempotence
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kafkalab.broker.log.producer_state import (
    NO_PRODUCER_ID,
    ProducerState,
    RememberedBatch,
    Verdict,
    last_sequence,
)
from kafkalab.errors import Errors
from kafkalab.protocol.messages import RecordBatch

VERDICTS = ("append", "duplicate", "out of order", "fenced")
"""What a rule may say: write it; answer as before; OUT_OF_ORDER_SEQUENCE_NUMBER;
INVALID_PRODUCER_EPOCH."""


class KnownProducer(NamedTuple):
    """What a partition's leader remembers of one producer id: the newest epoch, and (first,
    last) sequence of its last five batches."""

    epoch: int
    batches: tuple[tuple[int, int], ...]


class ArrivedBatch(NamedTuple):
    """A batch that asks to be written: whose it is,
    and the sequence numbers of its first and last record."""

    producer_id: int
    epoch: int
    first: int
    last: int


Rule = Callable[["KnownProducer | None", ArrivedBatch], str]


def learners_verdict(rule: Rule, state: ProducerState, batch: RecordBatch) -> Verdict:
    """The rule's verdict as the broker takes it; a batch without a producer id is written without
    asking.

    Raises ValueError where the rule returns none of VERDICTS.
    """
    if batch.producer_id == NO_PRODUCER_ID:
        return Verdict(Errors.NONE)
    entry = state.entries.get(batch.producer_id)
    arrived = ArrivedBatch(
        batch.producer_id, batch.producer_epoch, batch.base_sequence, last_sequence(batch)
    )
    known = (
        None
        if entry is None
        else KnownProducer(
            entry.epoch, tuple((kept.first_sequence, kept.last_sequence) for kept in entry.batches)
        )
    )
    said = rule(known, arrived)
    if said == "append":
        return Verdict(Errors.NONE)
    if said == "duplicate":
        return Verdict(
            Errors.NONE, _same_or_last(arrived, () if entry is None else tuple(entry.batches))
        )
    if said == "out of order":
        return Verdict(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
    if said == "fenced":
        return Verdict(Errors.INVALID_PRODUCER_EPOCH)
    raise ValueError(f"a verdict is one of {', '.join(VERDICTS)}, not {said!r}")


def _same_or_last(arrived: ArrivedBatch, known: tuple[RememberedBatch, ...]) -> RememberedBatch:
    """The batch whose offset is answered: the same one;
    where a rule errs, the last, or the log's beginning."""
    for kept in known:
        if (kept.first_sequence, kept.last_sequence) == (arrived.first, arrived.last):
            return kept
    return known[-1] if known else RememberedBatch(arrived.first, arrived.last, 0)
