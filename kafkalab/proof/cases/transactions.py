"""Answers cases of idempotence and transactions at a partition and at their coordinator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.broker.log.producer_state import ProducerState
from kafkalab.broker.transactions.transaction_state import (
    TransactionState,
    illegal_from,
    legal_from,
)
from kafkalab.clients.consumer.reading.completed_fetch import visible_offsets
from kafkalab.proof.cases.entry import CannotAnswer, CaseEntry
from kafkalab.protocol import messages as m
from kafkalab.releases import BROKER_PROFILES

WRITTEN = re.compile(r"(?P<offset>\d+)\s+(?:(?P<end>COMMIT|ABORT)\s+)?(?P<who>\S+)")
"""`5 ABORT p1`: at offset 5 the marker that ends p1's transaction; `6 p1`: a record of p1's;
`0 plain`: of nobody's transaction."""

NOBODY = "plain"

KNOWN_ERRORS = {"1.0-2.4": "2.3", ">=2.5": "4.4"}
"""A range of releases -> a broker of it, where they answer differently."""


def idempotence(entry: CaseEntry) -> dict[str, Any]:
    """What the leader makes of a batch, given the batches it remembers of that producer."""
    before, batch = entry.input["partition_state"], entry.input["batch"]
    state = ProducerState()
    producer_id = 1
    if isinstance(before, Mapping):
        producer_id = before.get("pid", 1)
        offset = 0
        for first, last in before["cached_batches"]:
            state.remember(_numbered(producer_id, before["epoch"], first, last, offset))
            offset += last - first + 1
    asked = _numbered(batch.get("pid", producer_id), batch["epoch"], *batch["seq"])
    found = {span: _verdict(state, asked, broker) for span, broker in KNOWN_ERRORS.items()}
    words = list(dict.fromkeys(found.values()))
    return {"result": words[0] if len(words) == 1 else found}


def txn_transition(entry: CaseEntry) -> dict[str, Any]:
    """From which states a transaction may come to the given one."""
    target = TransactionState(entry.input["to"])
    return {
        "legal_from": [state.value for state in legal_from(target)],
        "illegal_from": [state.value for state in illegal_from(target)],
    }


def txn_visibility(entry: CaseEntry) -> dict[str, Any]:
    """What readers see of a log that holds records and markers of transactions.

    Given `aborted_txns`, the reader is told of these; otherwise, of those that the log itself has
    listed.
    """
    log, producers = _log(entry.input["log"])
    end = log.high_watermark = entry.input["high_watermark"]
    stable = log.last_stable_offset
    told = entry.input.get("aborted_txns")
    if told is None:
        aborted = log.aborted_between(log.log_start_offset, stable)
    else:
        ids = (producers.setdefault(who, len(producers) + 1) for who, _ in told)
        aborted = tuple(
            m.AbortedTransaction(producer_id=one, first_offset=first)
            for one, (_, first) in zip(ids, told, strict=True)
        )
    seen = {
        level: visible_offsets(log.batches(), aborted, stable, end, level)
        for level in ("read_committed", "read_uncommitted")
    }
    return {"last_stable_offset": stable} | seen


def _log(lines: list[str]) -> tuple[PartitionLog, dict[str, int]]:
    """The log, and the producer id that each name stands for."""
    log = PartitionLog("log", 0)
    producers: dict[str, int] = {}
    for line in lines:
        written = WRITTEN.fullmatch(line.strip())
        if written is None:
            raise CannotAnswer(f'"{line}" should be like "5 ABORT p1", "6 p1" or "0 {NOBODY}"')
        offset, who = int(written["offset"]), written["who"]
        producer_id = -1 if who == NOBODY else producers.setdefault(who, len(producers) + 1)
        if written["end"]:
            batch = m.marker_batch(producer_id, 0, m.ControlRecordType[written["end"]], 0, 0)
        else:
            batch = m.RecordBatch(
                records=(m.WireRecord(None, "v", 0),),
                size_bytes=70,
                producer_id=producer_id,
                producer_epoch=0,
                base_sequence=offset if producer_id >= 0 else -1,
                is_transactional=producer_id >= 0,
            )
        if not log.batches():
            log.begin_at(offset)
        log.copy(replace(batch, base_offset=offset), 0)
    return log, producers


def _verdict(state: ProducerState, batch: m.RecordBatch, broker: str) -> str:
    verdict = state.judge(batch, accepts_unknown=BROKER_PROFILES[broker].accepts_unknown_producer)
    if verdict.duplicate_of is not None:
        return "duplicate"
    return "append" if verdict.error.code == 0 else verdict.error.name


def _numbered(
    producer_id: int, epoch: int, first: int, last: int, base_offset: int = 0
) -> m.RecordBatch:
    records = tuple(m.WireRecord(None, "v", 0) for _ in range((last - first) % 2**31 + 1))
    return m.RecordBatch(
        base_offset=base_offset,
        records=records,
        size_bytes=70,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=first,
    )


ANSWERS = {
    "idempotence": idempotence,
    "txn_transition": txn_transition,
    "txn_visibility": txn_visibility,
}
