"""Sorts partitions, nodes and strings as a Java client's HashMap iterates over them. The arithmetic
is in `kafkalab.hashing`."""

from __future__ import annotations

from collections.abc import Iterable

from kafkalab.clients.network.node import Node
from kafkalab.hashing import hash_map_order, java_string_hash, node_hash, topic_partition_hash
from kafkalab.records import TopicPartition


def partitions_in_hash_order(partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
    """As a HashMap or HashSet of TopicPartition iterates."""
    return hash_map_order(partitions, lambda tp: topic_partition_hash(tp.topic, tp.partition))


def leaders_in_hash_order(leaders: Iterable[Node], knows_fencing: bool) -> list[Node]:
    """As the map that OffsetFetcher fills with computeIfAbsent iterates: a new leader is put at the
    head of its bucket."""
    fenced = False if knows_fencing else None
    return hash_map_order(
        leaders,
        lambda node: node_hash(node.id, node.host, node.port, node.rack, fenced),
        newest_first=True,
    )


def ids_in_hash_order(ids: Iterable[str], copied: bool = False) -> list[str]:
    """As a HashMap or HashSet of strings iterates: connection ids, topics.
    copied: one made by copying another map."""
    return hash_map_order(ids, java_string_hash, copied=copied)
