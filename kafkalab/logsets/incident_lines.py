"""Selects the lines of a log set that can show an incident, with the columns that incidents.py
needs.

Most lines of a log are successful fetches. The selected lines are a tenth to a third of the rows,
without most of their text. They are small enough to keep in memory or on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.connections import EVENTS as OF_SOCKETS
from kafkalab.logsets.engine import F
from kafkalab.logsets.offsets import (
    ASKS_FOR,
    BEGINS,
    COMMITTED,
    HANDED_OVER,
    OUT_OF_RANGE,
    SOUGHT,
)
from kafkalab.logsets.producers import ANSWERED, SENT
from kafkalab.logsets.rebalances import EVENTS as OF_GROUPS
from kafkalab.logsets.rebalances import LOST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVIDENCE_LETTERS = 300

THROTTLED = r"throttle(TimeMs|_time_ms)=[1-9]"
DISCOVERED = ("COORDINATOR_DISCOVERED", "ASYNC_COORDINATOR_DISCOVERED")
AUTOMATIC = (
    "AUTO_COMMIT_ASYNC",
    "ASYNC_AUTO_COMMIT_COMPLETED",
    "ASYNC_AUTO_COMMIT_ASYNC_COMPLETED",
)
BEGINS_AT = "SETTING_COMMITTED_OFFSET"
RETRIED = "BATCH_RETRIED"
# APIs that a broker answers at once. FETCH and JOIN_GROUP wait by design, and a consumer's other
# requests to a leader wait behind its FETCH.
PROMPT = (
    "PRODUCE", "HEARTBEAT", "CONSUMER_GROUP_HEARTBEAT", "OFFSET_COMMIT", "OFFSET_FETCH",
    "INIT_PRODUCER_ID", "ADD_PARTITIONS_TO_TXN", "END_TXN",
    "TXN_OFFSET_COMMIT",
)  # fmt: skip

# An idle consumer writes only this event. It shows how long the client of an unused socket was
# running.
ALIVE = "HEARTBEAT_RESPONSE"

OF_OFFSETS = (*BEGINS, *COMMITTED, *ASKS_FOR, HANDED_OVER, *SOUGHT, *OUT_OF_RANGE)
OTHERS = (ALIVE, SENT, ANSWERED, *LOST, *DISCOVERED, *AUTOMATIC, BEGINS_AT, RETRIED)
EVENTS = tuple(sorted({*OF_SOCKETS, *OF_GROUPS, *OF_OFFSETS, *OTHERS}))
COLUMNS = (
    "file", "file_offset", "time", "kind", "client_id", "group_id", "event", "node_id", "broker",
    "host", "port", "api", "correlation_id", "topic",
    "partition", "position", "generation", "state", "reason", "message",
)  # fmt: skip


def incident_lines(lines: DataFrame) -> DataFrame:
    """The lines of EVENTS with COLUMNS. Every frame that incidents need can be made from them.

    Requests and answers are those of PROMPT alone. message is null where the columns hold all of
    it, and of an answer only the beginning; throttled tells whether a quota was over in it.
    """
    event = F.col("event")
    message = F.when(event == ANSWERED, F.substring("message", 1, EVIDENCE_LETTERS)).when(
        ~event.isin(ALIVE, *ASKS_FOR), F.col("message")
    )
    return (
        lines.select(*COLUMNS)
        .where(event.isin(*EVENTS) & (~event.isin(SENT, ANSWERED) | F.col("api").isin(*PROMPT)))
        .withColumn("throttled", (event == ANSWERED) & F.col("message").rlike(THROTTLED))
        .withColumn("message", message)
    )
