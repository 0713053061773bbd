"""Idempotence and transactions at a partition and at their coordinator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kafkalab.answer.entry import Entry
from kafkalab.broker.partition_log import PartitionLog
from kafkalab.broker.producer_state import ProducerState
from kafkalab.broker.profiles import BROKER_PROFILES
from kafkalab.protocol.messages import ControlRecordType, RecordBatch, WireRecord, marker_batch

WRITTEN = re.compile(r"(?P<offset>\d+)\s+(?:(?P<end>COMMIT|ABORT)\s*)?(?P<who>\S+)?")
"""`5 ABORT p1`: at offset 5 the marker that ends p1's transaction; `6 p1`: a record of p1's; `0 plain`: of nobody's transaction."""

KNOWN_ERRORS = {"1.0-2.4": "2.3", ">=2.5": "4.4"}
"""A range of releases -> a broker of it, where they answer differently."""


def idempotence(entry: Entry) -> dict[str, Any]:
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
    asked = _numbered(batch.get("pid", producer_id), batch["epoch"], *batch["seq"], base_offset=0)
    found = {span: _verdict(state, asked, broker) for span, broker in KNOWN_ERRORS.items()}
    words = list(dict.fromkeys(found.values()))
    return {"result": words[0] if len(words) == 1 else found}


def _verdict(state: ProducerState, batch: RecordBatch, broker: str) -> str:
    verdict = state.judge(batch, accepts_unknown=BROKER_PROFILES[broker].accepts_unknown_producer)
    if verdict.duplicate_of is not None:
        return "duplicate"
    return "append" if verdict.error.code == 0 else verdict.error.name


def _numbered(producer_id: int, epoch: int, first: int, last: int, base_offset: int) -> RecordBatch:
    records = tuple(WireRecord(None, "v", 0) for _ in range((last - first) % 2**31 + 1))
    return RecordBatch(base_offset=base_offset, records=records, size_bytes=70, producer_id=producer_id, producer_epoch=epoch, base_sequence=first)


ANSWERS = {
    "idempotence": idempotence,
}
