"""The text of a request or a response, as each client version prints it.

Two lines show the same message: the one about the wire ("Sending FETCH ...", "Received ...
response") and the client's own ("Sending metadata request ...", "Received successful JoinGroup
response: ..."). Old clients (up to 2.3) write the wire as Kafka's generic `Struct` (`struct_text`),
new ones as the generated class (`generated_text`); the client's own line shows the class's
toString, which was written by hand where the class was not generated yet (`old_objects`). Tables
say what exists in which version and how it is spelled: `struct_fields`, `data_fields`, and
`Printing` on the pages of the releases.

Left out: compression and headers of records, which no line of these versions shows.
"""

from collections.abc import Mapping
from typing import Any

from kafkalab.lines import old_objects
from kafkalab.lines.generated_text import data_text, fetched_partition_text
from kafkalab.lines.java_values import list_text, value_text
from kafkalab.lines.struct_text import struct_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.header import RequestHeader
from kafkalab.releases import PROFILES

PRODUCE_NAMES_TOPIC_ID_SINCE = 13
"""From this API version on a produce request's partition sizes carry the topic's id (KIP-516)."""


def wire_text(message: Any, api_version: int, version: str) -> str:
    """The text of a message in the wire's lines of client `version`: "Sending <API> ..." and
    "received ...".

    message: in the form `wire_forms.as_sent` gives it for `api_version`.
    """
    if type(message) is m.ProduceRequest:
        # never its records: Java prints their sizes only
        return _produce_request_text(message, api_version)
    if PROFILES[version].printing.wire_as_struct:
        return struct_text(message, api_version, version)
    return data_text(message, version)


def object_text(message: Any, api_version: int, version: str) -> str:
    """What the client's own lines print of a message: "Sending JoinGroup (...)",
    "Received ListOffsetResponse ..."."""
    kind = type(message).__name__
    if kind in PROFILES[version].printing.old_objects:
        return old_objects.TEXTS[kind](message, version)
    if type(message) is m.ProduceRequest:
        return _produce_object_text(message, version)
    return data_text(message, version)


def header_text(header: RequestHeader, version: str) -> str:
    """`RequestHeader(apiKey=METADATA, apiVersion=12, clientId=...,
    correlationId=2, headerVersion=2)`."""
    tail = (
        f", headerVersion={header_version(header)}"
        if PROFILES[version].printing.header_version
        else ""
    )
    return (
        f"RequestHeader(apiKey={header.api_key.name}, apiVersion={header.api_version}, "
        f"clientId={header.client_id}, correlationId={header.correlation_id}{tail})"
    )


def printed_values(values: Mapping[str, Any], version: str) -> Mapping[str, Any]:
    """A line's values with the header and the message among them as text,
    where a line shows the wire."""
    header = values.get("header")
    if header.__class__ is not RequestHeader:
        return values
    shown = {
        "api": header.api_key.name,
        "correlation_id": header.correlation_id,
        **values,
        "header": header_text(header, version),
    }
    for name in ("request", "response"):
        if name in values:
            shown[name] = wire_text(values[name], header.api_version, version)
    return shown


FLEXIBLE_SINCE = {
    "PRODUCE": 9,
    "FETCH": 12,
    "LIST_OFFSETS": 6,
    "METADATA": 9,
    "OFFSET_COMMIT": 8,
    "OFFSET_FETCH": 6,
    "FIND_COORDINATOR": 3,
    "JOIN_GROUP": 6,
    "HEARTBEAT": 4,
    "LEAVE_GROUP": 4,
    "SYNC_GROUP": 4,
    "API_VERSIONS": 3,
    "INIT_PRODUCER_ID": 2,
    "OFFSET_FOR_LEADER_EPOCH": 4,
    "ADD_PARTITIONS_TO_TXN": 3,
    "ADD_OFFSETS_TO_TXN": 3,
    "END_TXN": 3,
    "WRITE_TXN_MARKERS": 1,
    "TXN_OFFSET_COMMIT": 3,
    "CONSUMER_GROUP_HEARTBEAT": 0,
    "CONSUMER_GROUP_DESCRIBE": 0,
    "GET_TELEMETRY_SUBSCRIPTIONS": 0,
    "DESCRIBE_GROUPS": 5,
    "LIST_GROUPS": 3,
    "CREATE_TOPICS": 5,
    "DELETE_TOPICS": 4,
    "DELETE_RECORDS": 2,
    "DESCRIBE_CONFIGS": 4,
    "CREATE_PARTITIONS": 2,
    "DELETE_GROUPS": 2,
    "ELECT_LEADERS": 2,
    "DESCRIBE_CLUSTER": 0,
    "SHARE_GROUP_HEARTBEAT": 0,
    "SHARE_FETCH": 0,
    "SHARE_ACKNOWLEDGE": 0,
}
"""The first version of each API with tagged fields (KIP-482);
their requests have a header of version 2."""

NEVER = 1_000
"""OFFSET_DELETE has none to this day."""


def header_version(header: RequestHeader) -> int:
    """The version of the header itself: 2 with tagged fields, else 1."""
    return 2 if header.api_version >= FLEXIBLE_SINCE.get(header.api_key.name, NEVER) else 1


def client_response_text(
    header: RequestHeader,
    response: Any,
    *,
    received_at_ms: int,
    latency_ms: int,
    version: str,
    disconnected: bool = False,
) -> str:
    """The ClientResponse(...) of "Received FindCoordinator response ..." and "LeaveGroup response
    with ...".

    received_at_ms: epoch milliseconds. response: None when the connection was lost first.
    """
    timed_out = ", timedOut=false" if PROFILES[version].printing.timed_out else ""
    body = "null" if response is None else object_text(response, header.api_version, version)
    return (
        f"ClientResponse(receivedTimeMs={received_at_ms}, latencyMs={latency_ms}, "
        f"disconnected={value_text(disconnected)}{timed_out}, "
        f"requestHeader={header_text(header, version)}, responseBody={body})"
    )


def fetched_text(
    response: m.FetchResponse, topic_index: int, partition_index: int, version: str
) -> str:
    """One partition of an answer, as "Fetch ... returned fetch data ..." shows it.
    The indexes count from 0."""
    if PROFILES[version].printing.fetched_as_data:
        return fetched_partition_text(response, topic_index, partition_index, version)
    return old_objects.fetched_summary(
        response.responses[topic_index].partitions[partition_index], version
    )


def _produce_request_text(request: m.ProduceRequest, api_version: int) -> str:
    """`{acks=1,timeout=30000,partitionSizes=[t4-0=72]}`:
    ProduceRequest.toString(false), alike in all versions."""
    sizes = []
    for topic in request.topic_data:
        prefix = f"{topic.topic_id}:" if api_version >= PRODUCE_NAMES_TOPIC_ID_SINCE else ""
        sizes += [
            f"{prefix}{topic.name}-{part.index}={_batches_bytes(part)}"
            for part in topic.partition_data
        ]
    return f"{{acks={request.acks},timeout={request.timeout_ms},partitionSizes={list_text(sizes, ',')}}}"  # noqa: E501


def _produce_object_text(request: m.ProduceRequest, version: str) -> str:
    """ "Sent produce request to 0: ...". The closing bracket is missing in Java,
    too (ProduceRequest.toString(true))."""
    if PROFILES[version].printing.wire_as_struct:
        records = ", ".join(
            f"{topic.name}-{part.index}={old_objects.records_text(part.records)}"
            for topic in request.topic_data
            for part in topic.partition_data
        )
        records = f"{{{records}}}"
    else:
        records = list_text(
            (
                (
                    f"PartitionProduceData(index={part.index}, "
                    f"records=MemoryRecords(size={_batches_bytes(part)}, "
                    f"buffer=java.nio.HeapByteBuffer[pos=0 lim={_batches_bytes(part)} "
                    f"cap={_batches_bytes(part)}]))"
                )
                for topic in request.topic_data
                for part in topic.partition_data
            ),
            ", ",
        )
    return (
        f"(type=ProduceRequest, acks={request.acks}, timeout={request.timeout_ms}, "
        f"partitionRecords=({records}), transactionalId='{request.transactional_id or ''}'"
    )


def _batches_bytes(partition: m.ProducePartitionData) -> int:
    return sum(batch.size_bytes for batch in partition.records)
