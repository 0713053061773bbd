"""Runs kafka-dump-log (DumpLogSegments): prints a partition's batches, and its records on request.

--print-data-log prints the records. The real tool reads files. Here --topic-partition names the log
and --broker the replica (default: the leader's). Checksums are left out, because the lab's logs are
never corrupt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kafkalab.protocol.messages import RecordBatch, WireRecord, as_bytes
from kafkalab.releases.broker_profile import Tools
from kafkalab.tools.cluster import Options, PlayedCluster, Refusal, run_tool

TOOL = "kafka-dump-log"
MAGIC = 2
"""The lab's only record format (KIP-98)."""


def main(argv: list[str]) -> int:
    return run_tool(TOOL, lambda: _run(argv))


def _run(argv: list[str]) -> str:
    options = Options(TOOL, "The batches of a partition's log.")
    options.add_argument("--topic-partition", metavar="t4-0")
    options.add_argument("--broker", help="whose replica; the leader's when left out")
    options.add_argument("--print-data-log", action="store_true", help="the records, too")
    chosen = options.parse_args(argv)
    if not chosen.topic_partition:
        raise Refusal('Missing required argument "[topic-partition]"')
    if chosen.broker is not None and not re.fullmatch(r"\d{1,9}", chosen.broker):
        raise Refusal(f"--broker takes a broker's id, not {chosen.broker!r}")
    cluster = PlayedCluster(chosen)
    return "".join(_dump(cluster, chosen.topic_partition, chosen.broker, chosen.print_data_log))


def _dump(
    cluster: PlayedCluster, name: str, broker: str | None, with_records: bool
) -> Iterator[str]:
    place = cluster.state["partitions"].get(name)
    if place is None:
        raise Refusal(f"there is no partition {name} in this scenario at that moment")
    owner = place["leader"] if broker is None else int(broker)
    if owner not in place["replicas"]:
        raise Refusal(
            f"broker {owner} has no replica of {name}; these have: "
            f"{', '.join(map(str, place['replicas']))}"
        )
    words = cluster.release
    topic, _, number = name.rpartition("-")
    log = cluster.lab.broker(owner).machine.replicas.log_of(topic, int(number))
    if log is None:
        yield f"Dumping {name}/{0:020}.log\n{words.dump_first}: 0\n"
        return
    for segment in log.segments:
        yield f"Dumping {name}/{segment.file_name}\n{words.dump_first}: {segment.base_offset}\n"
        position = 0
        for batch in log.batches():
            if log.segments.of(batch.base_offset) is not segment:
                continue
            yield _batch_line(batch, position, log.epoch_at(batch.base_offset), words)
            position += batch.size_bytes
            if with_records:
                for step, record in enumerate(batch.records):
                    yield _record_line(batch, step, record, words)


def _batch_line(batch: RecordBatch, position: int, epoch: int, words: Tools) -> str:
    count = len(batch.records)
    last_sequence = (
        batch.base_sequence + batch.last_offset - batch.base_offset
        if batch.base_sequence >= 0
        else -1
    )
    newest = max((record.timestamp_ms for record in batch.records), default=-1)
    compression = words.dump_no_compression if batch.compression == "none" else batch.compression
    return (
        f"baseOffset: {batch.base_offset} lastOffset: {batch.last_offset} count: {count} "
        f"baseSequence: {batch.base_sequence} lastSequence: {last_sequence} producerId: "
        f"{batch.producer_id} producerEpoch: {batch.producer_epoch} partitionLeaderEpoch: {epoch} "
        f"isTransactional: {_truth(batch.is_transactional)} isControl: "
        f"{_truth(batch.control is not None)}{words.dump_horizon} position: {position} CreateTime: "
        f"{newest} size: {batch.size_bytes} magic: {MAGIC} compresscodec: {compression} "
        f"isvalid: true\n"
    )


def _record_line(batch: RecordBatch, step: int, record: WireRecord, words: Tools) -> str:
    sequence = (
        batch.base_sequence + batch.offset_of(step) - batch.base_offset
        if batch.base_sequence >= 0
        else -1
    )
    end = (
        f" endTxnMarker: {batch.control.name} coordinatorEpoch: {batch.coordinator_epoch}"
        if batch.control
        else (
            f"{'' if record.key is None else f' key: {_shown(record.key)}'} "
            f"payload: {_shown(record.value)}"
        )
    )
    return (
        f"| offset: {batch.offset_of(step)} CreateTime: {record.timestamp_ms} "
        f"{words.dump_key_size}: {_size(record.key)} {words.dump_value_size}: "
        f"{_size(record.value)} sequence: {sequence} headerKeys: []{end}\n"
    )


def _size(field: str | bytes | None) -> int:
    return -1 if field is None else len(as_bytes(field))


def _shown(field: str | bytes | None) -> str | None:
    """As the tool's StringDecoder shows it."""
    return field.decode(errors="replace") if isinstance(field, bytes) else field


def _truth(value: bool) -> str:
    return "true" if value else "false"
