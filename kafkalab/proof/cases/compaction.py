"""Answers cases of log compaction: which records remain, and when it begins (LogCleaner).

A case is a log of one-record batches, written down as [offset, key, value] or as "3 p2 k3"
(producer p2's record with key k3), "6 ABORT p1" (its marker). The log is filled through
PartitionLog, so producers and aborted transactions are known from it.
"""

from __future__ import annotations

import re
from typing import Any

from kafkalab.broker.log.log_cleaner import Cleaned, clean, dirty_ratio, is_due
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.proof.cases.entry import CaseEntry
from kafkalab.protocol.messages import ControlRecordType, RecordBatch, WireRecord

SIZE_BYTES = 100


def compaction(entry: CaseEntry) -> dict[str, Any]:
    given = entry.input
    log = _log_of(given["records"])
    end = min(
        given.get("cleanable_up_to", log.log_end_offset),
        given.get("active_segment_base", log.log_end_offset),
    )
    horizons = given.get("passes") or [
        {"delete_horizon": 0 if given.get("retain_deletes", True) else "infinite"}
    ]
    first_dirty, per_pass = given.get("first_dirty_offset", 0), []
    for one in horizons:
        cleaned = _pass(
            log, first_dirty, end, retains_deletes=one.get("delete_horizon", 0) != "infinite"
        )
        log.replace_between(0, end, cleaned.batches, 0)
        first_dirty = cleaned.next_dirty_offset
        per_pass.append(_offsets(log))
    left = [
        (batch, record)
        for batch in log.batches()
        for record in batch.records
        if batch.control is None
    ]
    keys = [
        int(record.key) if record.key is not None and record.key.isdigit() else record.key
        for _, record in left
    ]
    sequences = [
        entry.batches[-1].last_sequence for entry in log.producers.entries.values() if entry.batches
    ]
    return {
        "remaining_offsets": _offsets(log),
        "remaining_offsets_per_pass": per_pass,
        "remaining_keys": keys,
        "keys": keys,
        "messages_read": cleaned.stats.messages_read,
        "messages_written": cleaned.stats.messages_written,
        "invalid_counted": cleaned.stats.invalid_messages_read,
        "next_dirty_offset": cleaned.next_dirty_offset,
        "last_offset_per_batch": [batch.last_offset for batch in log.batches()],
        "last_sequence": sequences[-1] if sequences else None,
    }


def _pass(log: PartitionLog, first_dirty: int, end: int, retains_deletes: bool) -> Cleaned:
    aborted = [(txn.producer_id, txn.first_offset, txn.last_offset) for txn in log.aborted.entries]
    return clean(
        log.batches(),
        first_dirty,
        end,
        retains_deletes=lambda batch: retains_deletes,
        aborted=aborted,
        is_last=log.producers.is_last_of_producer,
    )


def _offsets(log: PartitionLog) -> list[int]:
    return [
        batch.offset_of(place) for batch in log.batches() for place in range(len(batch.records))
    ]


def _log_of(records: list[Any]) -> PartitionLog:
    log = PartitionLog("log", 0)
    in_transactions = any(
        isinstance(record, str) and re.search(r"ABORT|COMMIT", record) for record in records
    )
    sequences: dict[int, int] = {}
    for record in records:
        log.copy(_batch_of(record, in_transactions, sequences), 0)
    log.high_watermark = log.log_end_offset
    return log


def _batch_of(record: Any, in_transactions: bool, sequences: dict[int, int]) -> RecordBatch:
    if not isinstance(record, str):
        offset, key, value = record
        wire = WireRecord(None if key is None else str(key), value, 0)
        return RecordBatch(base_offset=offset, records=(wire,), size_bytes=SIZE_BYTES)
    offset, *words = record.split()
    producer = next(
        (int(word[1:]) for word in words if re.fullmatch(r"p\d+", word)),
        1 if in_transactions else -1,
    )
    ends = next((word for word in words if word in ("ABORT", "COMMIT")), None)
    if ends is not None:
        return RecordBatch(
            base_offset=int(offset),
            records=(WireRecord(None, None, 0),),
            size_bytes=SIZE_BYTES,
            producer_id=producer,
            producer_epoch=0,
            is_transactional=True,
            control=ControlRecordType[ends],
            coordinator_epoch=0,
        )
    key = next(
        (
            word.removeprefix("k")
            for word in words
            if re.fullmatch(r"k?\d+|\w+", word) and not re.fullmatch(r"p\d+", word)
        ),
        None,
    )
    sequence = -1
    if producer >= 0:
        sequence = sequences[producer] = sequences.get(producer, -1) + 1
    return RecordBatch(
        base_offset=int(offset),
        records=(WireRecord(key, "v", 0),),
        size_bytes=SIZE_BYTES,
        producer_id=producer,
        producer_epoch=0 if producer >= 0 else -1,
        base_sequence=sequence,
        is_transactional=in_transactions,
    )


def compaction_trigger(entry: CaseEntry) -> dict[str, Any]:
    given = entry.input
    sizes = given["clean_bytes"], given["cleanable_dirty_bytes"]
    return {
        "ratio": dirty_ratio(*sizes),
        "cleaned": is_due(*sizes, given.get("min.cleanable.dirty.ratio", 0.5)),
    }


ANSWERS = {
    "compaction": compaction,
    "compaction_trigger": compaction_trigger,
}
