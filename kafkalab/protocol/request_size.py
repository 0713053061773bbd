"""Computes how many bytes a PRODUCE request has on the wire, its header included.

The layouts are RequestHeader.json and ProduceRequest.json. From v9 on lengths are varints and every
struct ends in a section of tagged fields (KIP-482); from v13 on a topic is named by its id.
"""

from kafkalab.protocol.buffer_sizes import compact_string_bytes, unsigned_varint_bytes
from kafkalab.protocol.header import RequestHeader
from kafkalab.protocol.record_messages import ProduceRequest

FLEXIBLE, NAMED_BY_ID = 9, 13
"""The first versions with varints, and with ids of topics."""


def produce_request_bytes(header: RequestHeader, request: ProduceRequest) -> int:
    """The bytes of header and body, without the four bytes that tell this size."""
    flexible = header.api_version >= FLEXIBLE
    tags = 1 if flexible else 0

    def text(value: str | None) -> int:
        if flexible:
            return compact_string_bytes(value)
        return 2 + len((value or "").encode("utf-8"))

    def length(count: int) -> int:
        return unsigned_varint_bytes(count + 1) if flexible else 4

    size = 2 + 2 + 4 + 2 + len(header.client_id.encode("utf-8")) + tags
    size += text(request.transactional_id) + 2 + 4 + length(len(request.topic_data)) + tags
    for topic in request.topic_data:
        size += 16 if header.api_version >= NAMED_BY_ID else text(topic.name)
        size += length(len(topic.partition_data)) + tags
        for partition in topic.partition_data:
            records = sum(batch.size_bytes for batch in partition.records)
            size += 4 + length(records) + records + tags
    return size
