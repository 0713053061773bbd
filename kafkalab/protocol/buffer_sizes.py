"""Computes the buffer sizes that a Java client prints for records and members' metadata of a
response.

A Java client cuts records and members' metadata out of the answer's buffer without copying, so what
it prints of them, `MemoryRecords(size=0, buffer=java.nio.HeapByteBuffer[pos=0 lim=0 cap=77])`,
tells how much of the answer follows. The layouts are FetchResponse.json from v12 on, the flexible
versions (KIP-482), where lengths are varints and every struct ends in a section of tagged fields
that is one byte when empty; and, before them, JoinGroupResponse.json up to v5 and
DescribeGroupsResponse.json up to v3.
"""

from kafkalab.protocol.admin_messages import DescribeGroupsResponse
from kafkalab.protocol.group_messages import JoinGroupResponse
from kafkalab.protocol.record_messages import (
    FetchableTopicResponse,
    FetchEpochEndOffset,
    FetchPartitionData,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    SnapshotId,
)
from kafkalab.protocol.share_messages import ShareFetchPartitionData, ShareFetchResponse

FIXED_PARTITION_BYTES = 4 + 2 + 8 + 8 + 8 + 4
"""Partition, error code, high watermark, last stable offset, log start offset, preferred read
replica.
"""

ABORTED_TRANSACTION_BYTES = 8 + 8 + 1
ACQUIRED_RECORDS_BYTES = 8 + 8 + 2 + 1
TAGGED_PAIR_BYTES: dict[type, int] = {
    FetchEpochEndOffset: 4 + 8 + 1,
    LeaderIdAndEpoch: 4 + 4 + 1,
    SnapshotId: 8 + 4 + 1,
}


def records_size(partition: FetchPartitionData | ShareFetchPartitionData) -> int:
    """Bytes of the partition's record batches."""
    return sum(batch.size_bytes for batch in partition.records)


def bytes_left_at_records(response: FetchResponse) -> dict[tuple[int, int], int]:
    """(topic index, partition index) -> bytes from the start of the partition's records to the
    answer's end.
    """
    left = _tagged_bytes(
        [_endpoints_bytes(response.node_endpoints)] if response.node_endpoints else []
    )
    found = {}
    for at_topic, topic in reversed(tuple(enumerate(response.responses))):
        left += 1  # The topic's own tagged fields. There are none.
        for at, partition in reversed(tuple(enumerate(topic.partitions))):
            left += _partition_tags_bytes(partition)
            found[at_topic, at] = left + records_size(partition)
            left += _partition_bytes_before_tags(partition)
        left += _topic_head_bytes(topic)
    return found


def fetch_response_bytes(response: FetchResponse) -> int:
    """The bytes of a fetch's answer as a quota counts them (FetchResponse.sizeOf).

    The layout is that of the flexible versions. Older ones have a few bytes more.
    """
    topics = sum(
        _topic_head_bytes(topic)
        + sum(_partition_bytes_before_tags(p) + _partition_tags_bytes(p) for p in topic.partitions)
        + 1
        for topic in response.responses
    )
    ends = [_endpoints_bytes(response.node_endpoints)] if response.node_endpoints else []
    fixed = 4 + 4 + 2 + 4 + unsigned_varint_bytes(len(response.responses) + 1)
    return fixed + topics + _tagged_bytes(ends)


def bytes_left_at_shared_records(response: ShareFetchResponse) -> dict[tuple[int, int], int]:
    """The same for a share fetch's answer (ShareFetchResponse.json)."""
    left = 1 + _endpoints_bytes(response.node_endpoints)
    found = {}
    for at_topic, topic in reversed(tuple(enumerate(response.responses))):
        left += 1
        for at, partition in reversed(tuple(enumerate(topic.partitions))):
            acquired = len(partition.acquired_records)
            left += 1 + unsigned_varint_bytes(acquired + 1) + acquired * ACQUIRED_RECORDS_BYTES
            size = records_size(partition)
            left += size
            found[at_topic, at] = left
            texts = (partition.error_message, partition.acknowledge_error_message)
            left += unsigned_varint_bytes(size + 1) + 4 + 2 + 2 + 9
            left += sum(map(compact_string_bytes, texts))
        left += 16 + unsigned_varint_bytes(len(topic.partitions) + 1)
    return found


def bytes_left_at_metadata(response: JoinGroupResponse, *, instance_ids: bool) -> list[int]:
    """For each member the bytes from its metadata to the answer's end.

    instance_ids: v5 and later carry them.
    """
    left, found = 0, []
    for member in reversed(response.members):
        left += len(member.metadata)
        found.append(left)
        left += 4 + _string_bytes(member.member_id)
        left += _string_bytes(member.group_instance_id) if instance_ids else 0
    return found[::-1]


def bytes_left_at_members(response: DescribeGroupsResponse, *, operations: bool) -> list[int]:
    """For each member the bytes from its metadata, then from its assignment, to the answer's end.

    operations: v3 and later end each group with its authorized operations (KIP-430).
    """
    left, found = 0, []
    for group in reversed(response.groups):
        left += 4 if operations else 0
        for member in reversed(group.members):
            left += len(member.member_assignment)
            found.append(left)
            left += 4 + len(member.member_metadata)
            found.append(left)
            left += 4 + sum(
                map(_string_bytes, (member.member_id, member.client_id, member.client_host))
            )
        head = (group.group_id, group.group_state, group.protocol_type, group.protocol_data)
        left += 4 + 2 + sum(map(_string_bytes, head))
    return found[::-1]


def _string_bytes(text: str | None) -> int:
    return 2 + len((text or "").encode("utf-8"))


def _topic_head_bytes(topic: FetchableTopicResponse) -> int:
    """The topic's id (v13 and later) or its name, and the number of its partitions."""
    name = compact_string_bytes(topic.topic) if topic.topic else 16
    return name + unsigned_varint_bytes(len(topic.partitions) + 1)


def _partition_bytes_before_tags(partition: FetchPartitionData) -> int:
    aborted = partition.aborted_transactions or ()
    size = records_size(partition)
    return (
        FIXED_PARTITION_BYTES
        + unsigned_varint_bytes(len(aborted) + 1)
        + len(aborted) * ABORTED_TRANSACTION_BYTES
        + unsigned_varint_bytes(size + 1)
        + size
    )


def _partition_tags_bytes(partition: FetchPartitionData) -> int:
    pairs = (partition.diverging_epoch, partition.current_leader, partition.snapshot_id)
    return _tagged_bytes([TAGGED_PAIR_BYTES[type(pair)] for pair in pairs if pair != type(pair)()])


def _tagged_bytes(sizes: list[int]) -> int:
    """Bytes of tagged fields: their number, then the tag, the size and the value of each."""
    return 1 + sum(1 + unsigned_varint_bytes(size) + size for size in sizes)


def _endpoints_bytes(endpoints: tuple[NodeEndpoint, ...]) -> int:
    return unsigned_varint_bytes(len(endpoints) + 1) + sum(
        4 + compact_string_bytes(node.host) + 4 + compact_string_bytes(node.rack) + 1
        for node in endpoints
    )


def compact_string_bytes(text: str | None) -> int:
    """The bytes of a compact string; None is a null."""
    encoded = len(text.encode("utf-8")) if text is not None else -1
    return unsigned_varint_bytes(encoded + 1) + max(encoded, 0)


def unsigned_varint_bytes(number: int) -> int:
    """The bytes of an unsigned varint: seven bits of the number in each."""
    return max(1, -(-number.bit_length() // 7))
