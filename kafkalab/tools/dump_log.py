"""Runs kafka-dump-log (DumpLogSegments): prints a partition's batches, and its records on request.

--print-data-log prints the records, --index the entries of the offset indexes in place of batches.
The real tool reads the files that --files names. Here --topic-partition names the log and --broker
the replica (default: the leader's). Checksums are left out, because the lab's logs are never
corrupt. Time indexes are not modelled. In a notebook `dumped(lab, "orders-0")` prints a lab's log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.errors import IllegalArgumentException
from kafkalab.lab import Lab
from kafkalab.protocol.messages import RecordBatch, WireRecord, as_bytes
from kafkalab.releases.broker_profile import Tools
from kafkalab.tools.cluster import Options, Unusable, cluster_for

TOOL = "kafka-dump-log"
MARKER_SIZES = 4, 6
"""Bytes of the key and the value of a transaction's marker (EndTransactionMarker)."""
MAGIC = 2
"""The lab's only record format (KIP-98)."""


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = Options(
        TOOL,
        "Print the batches of a partition's log.",
        "--topic-partition orders-0 --print-data-log",
    )
    options.add_argument("--topic-partition", metavar="t4-0", help="whose log")
    options.add_argument("--broker", help="whose replica; the leader's when left out")
    options.add_argument("--print-data-log", action="store_true", help="the records, too")
    options.add_argument("--index", action="store_true", help="the offset indexes, not the batches")
    chosen = options.parse_args(argv)
    if not chosen.topic_partition:
        raise Unusable('Missing required argument "[topic-partition]"')
    if chosen.broker is not None and not re.fullmatch(r"\d{1,9}", chosen.broker):
        raise Unusable(f"--broker takes a broker's id, not {chosen.broker!r}")
    cluster = cluster_for(chosen, lab)
    try:
        return dumped(
            cluster.lab,
            chosen.topic_partition,
            records=chosen.print_data_log,
            index=chosen.index,
            broker=None if chosen.broker is None else int(chosen.broker),
        )
    except IllegalArgumentException as error:
        raise Unusable(str(error)) from None


def dumped(
    lab: Lab,
    name: str,
    *,
    records: bool = False,
    index: bool = False,
    broker: int | None = None,
) -> str:
    """What the tool prints of a partition's log, such as "orders-0", in a lab at hand.

    records: the records, too. index: the entries of the offset indexes, not the batches. broker:
    whose replica; the leader's without it. Raises IllegalArgumentException for a partition that is
    not there, and for a broker without a replica of it.
    """
    place = lab.at(lab.now_ms)["partitions"].get(name)
    if place is None:
        raise IllegalArgumentException(f"there is no partition {name} at that moment")
    owner = place["leader"] if broker is None else broker
    if owner not in place["replicas"]:
        raise IllegalArgumentException(
            f"broker {owner} has no replica of {name}; these have: "
            f"{', '.join(map(str, place['replicas']))}"
        )
    topic, _, number = name.rpartition("-")
    machine = lab.broker(owner).machine
    log = machine.replicas.log_of(topic, int(number)) or PartitionLog(topic, int(number))
    words = machine.profile.tools
    return "".join(_index_lines(log, name) if index else _log_lines(log, name, records, words))


def _index_lines(log: PartitionLog, name: str) -> Iterator[str]:
    for segment in log.segments:
        yield f"Dumping {name}/{segment.file_name.removesuffix('.log')}.index\n"
        for offset, position in segment.index:
            yield f"offset: {offset} position: {position}\n"


def _log_lines(log: PartitionLog, name: str, with_records: bool, words: Tools) -> Iterator[str]:
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
        f"{_truth(batch.control is not None)}{_horizon(batch, words)} position: {position} "
        f"CreateTime: {newest} size: {batch.size_bytes} magic: {MAGIC} compresscodec: "
        f"{compression} isvalid: true\n"
    )


def _record_line(batch: RecordBatch, step: int, record: WireRecord, words: Tools) -> str:
    sequence = (
        batch.base_sequence + batch.offset_of(step) - batch.base_offset
        if batch.base_sequence >= 0
        else -1
    )
    sizes = MARKER_SIZES if batch.control else (_size(record.key), _size(record.value))
    end = ""
    if batch.control:
        end = f" endTxnMarker: {batch.control.name} coordinatorEpoch: {batch.coordinator_epoch}"
    else:
        if record.key is not None and (record.value is not None or words.dump_tombstone_key):
            end = f" key: {_shown(record.key)}"
        if record.value is not None:
            end += f" payload: {_shown(record.value)}"
    return (
        f"| offset: {batch.offset_of(step)} CreateTime: {record.timestamp_ms} "
        f"{words.dump_key_size}: {sizes[0]} {words.dump_value_size}: "
        f"{sizes[1]} sequence: {sequence} headerKeys: []{end}\n"
    )


def _horizon(batch: RecordBatch, words: Tools) -> str:
    value = "OptionalLong.empty"
    if batch.delete_horizon_ms is not None:
        value = f"OptionalLong[{batch.delete_horizon_ms}]"
    return f" deleteHorizonMs: {value}" if words.dump_horizon else ""


def _size(field: str | bytes | None) -> int:
    return -1 if field is None else len(as_bytes(field))


def _shown(field: str | bytes | None) -> str | None:
    """As the tool's StringDecoder shows it."""
    return field.decode(errors="replace") if isinstance(field, bytes) else field


def _truth(value: bool) -> str:
    return "true" if value else "false"
