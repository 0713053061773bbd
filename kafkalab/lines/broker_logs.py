"""Lists the lines that a broker's log manager and cleaner write into its server.log.

Kafka's own log4j settings put the cleaner's lines into a file of their own, log-cleaner.log.
"""

from __future__ import annotations

from kafkalab.lines.server_entry import JARS, kraft, server_line, zk

LOG = "kafka.log.Log"
LOCAL = "org.apache.kafka.storage.internals.log.LocalLog"
UNIFIED = "org.apache.kafka.storage.internals.log.UnifiedLog"
CLEANER_OLD = "kafka.log.LogCleaner"
CLEANER = "org.apache.kafka.storage.internals.log.Cleaner"

G = "[Log partition={partition}, dir={dir}] "
L = "[LocalLog partition={partition}, dir={dir}/{folder}] "
U = "[UnifiedLog partition={partition}, dir={dir}] "
C = "Cleaner {thread}: "
SEGMENT = (
    "LogSegment(baseOffset={offset}, size={size}, lastModifiedTime={modified_ms}, "
    "largestRecordTimestamp={largest_ms})"
)

PRODUCERS_OLD = "kafka.log.ProducerStateManager"
PRODUCERS = "org.apache.kafka.storage.internals.log.ProducerStateManager"
P = "[ProducerStateManager partition={partition}] "

ENTRIES = (
    server_line(
        "PRODUCER_SNAPSHOT_WRITTEN",
        zk(P + "Writing producer snapshot at offset {offset}", PRODUCERS_OLD),
        kraft(P + "Wrote producer snapshot at offset {offset} with {count} producer ids in "
            "{elapsed_ms} ms.", PRODUCERS),
    ),
    server_line(
        "PRODUCER_SNAPSHOT_LOADED",
        zk(P + "Loading producer state from snapshot file '{file}'", PRODUCERS_OLD),
        kraft(P + "Loading producer state from snapshot file '{file}'", PRODUCERS),
    ),
    server_line(
        "LOG_ROLLED",
        zk(G + "Rolled new log segment at offset {offset} in {elapsed_ms} ms.", LOG),
        kraft(L + "Rolled new log segment at offset {offset} in {elapsed_ms} ms.", LOCAL),
    ),
    server_line(
        "LOG_DELETABLE_BY_SIZE",
        zk(G + "Found deletable segments with base offsets [{offsets}] due to retention size in "
            "bytes {limit} breach", LOG),
    ),
    server_line(
        "LOG_DELETABLE_BY_TIME",
        zk(G + "Found deletable segments with base offsets [{offsets}] due to retention time "
            "{limit}ms breach", LOG),
    ),
    server_line(
        "LOG_DELETABLE_BY_START",
        zk(G + "Found deletable segments with base offsets [{offsets}] due to log start offset "
            "{limit} breach", LOG),
        source=JARS,
    ),
    server_line(
        "LOG_SEGMENT_SCHEDULED",
        zk(G + "Scheduling log segment [baseOffset {offset}, size {size}] for deletion.", LOG),
    ),
    server_line(
        "LOG_START_MOVED",
        kraft(U + "Incremented log start offset to {offset} due to segment deletion", UNIFIED),
    ),
    server_line(
        "LOG_SEGMENT_DELETED_BY_SIZE",
        kraft(U + "Deleting segment " + SEGMENT + " due to log retention size {limit} breach. Log "
            "size after deletion will be {size_after}.", UNIFIED),
    ),
    server_line(
        "LOG_SEGMENT_DELETED_BY_TIME",
        kraft(U + "Deleting segment " + SEGMENT + " due to log retention time {limit}ms breach "
            "based on the largest record timestamp in the segment", UNIFIED),
    ),
    server_line(
        "LOG_SEGMENTS_DELETED_BY_START",
        kraft(U + "Deleting segments due to log start offset {limit} breach: {segments}", UNIFIED),
        source=JARS,
    ),
    server_line(
        "LOG_CLEANING",
        zk(C + "Beginning cleaning of log {partition}.", CLEANER_OLD),
        kraft(C + "Beginning cleaning of log {partition}", CLEANER),
    ),
    server_line(
        "LOG_OFFSET_MAP",
        zk(C + "Building offset map for log {partition} for {count} segments in offset range "
            "[{offset}, {up_to}).", CLEANER_OLD),
        kraft(C + "Building offset map for log {partition} for {count} segments in offset range "
            "[{offset}, {up_to}).", CLEANER),
    ),
)  # fmt: skip
