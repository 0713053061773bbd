"""Replaces the broker's rule about batches (ProducerState.judge) by a learner's function.

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
"""The verdicts of a rule: append the batch; answer as for the first one;
OUT_OF_ORDER_SEQUENCE_NUMBER; INVALID_PRODUCER_EPOCH."""


class KnownProducer(NamedTuple):
    """A partition leader's state of one producer id: its newest epoch and the (first, last)
    sequences of five batches."""

    epoch: int
    batches: tuple[tuple[int, int], ...]


class ArrivedBatch(NamedTuple):
    """An arrived batch: its producer id and epoch, and the sequence numbers of its first and last
    record."""

    producer_id: int
    epoch: int
    first: int
    last: int


Rule = Callable[["KnownProducer | None", ArrivedBatch], str]


def learners_verdict(rule: Rule, state: ProducerState, batch: RecordBatch) -> Verdict:
    """Turn the rule's verdict into the broker's Verdict. A batch without a producer id is appended
    without the rule.

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
    """The batch whose offset a duplicate gets: the one with the same sequences, else the last one,
    else the log's start."""
    for kept in known:
        if (kept.first_sequence, kept.last_sequence) == (arrived.first, arrived.last):
            return kept
    return known[-1] if known else RememberedBatch(arrived.first, arrived.last, 0)
