"""Answers cases of hashes: the partition of a key, the coordinator of a group, its socket's id."""

from __future__ import annotations

from typing import Any

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, BrokerNode, ClusterState
from kafkalab.clients.network.node_maker import node_maker
from kafkalab.clients.producer.partitioner import by_key
from kafkalab.hashing import coordinator_partition, java_string_hash, murmur2, to_positive
from kafkalab.proof.cases.entry import CaseEntry
from kafkalab.sim.rng import Streams

COUNTS = ("1", "2", "3", "5", "6", "10", "50")
"""Numbers of partitions for which a key's place is told."""


def key_hash(entry: CaseEntry) -> dict[str, Any]:
    """murmur2 of a key, and the partition that follows."""
    given = entry.input
    key = bytes.fromhex(given["key_hex"]) if "key_hex" in given else given["key_utf8"].encode()
    counts = [str(count) for count in given.get("partitions", COUNTS)]
    return {
        "murmur2": murmur2(key),
        "to_positive": to_positive(murmur2(key)),
        "partition": {count: by_key(key, int(count)) for count in counts},
    }


def responsible_partition(entry: CaseEntry) -> dict[str, Any]:
    """String.hashCode of a group or transactional id, and its partition of the internal topic."""
    name = entry.input["group_or_txn_id"]
    return {"java_hash": java_string_hash(name)} | {
        f"partition_of_{count}": coordinator_partition(name, count)
        for count in entry.input.get("partitions", (50, 10))
    }


def coordinator(entry: CaseEntry) -> dict[str, Any]:
    """The coordinator of a group as a cluster would name it,
    whose offsets topic is led as given."""
    given = entry.input
    leaders = {int(p): leader for p, leader in given["leader_of_partition"].items()}
    count = given.get("offsets_topic_partitions", 50)
    brokers = sorted(set(leaders.values()))
    cluster = ClusterState(
        [BrokerNode(id, "localhost", 9092 + id) for id in brokers],
        Streams(0).stream("/cluster"),
        offsets_partitions=count,
        offsets_replication_factor=1,
    )
    cluster.create_topic(
        OFFSETS_TOPIC, count, 1, [leaders.get(p, brokers[0]) for p in range(count)]
    )
    broker = cluster.coordinator_of(given["group"])
    return {
        "partition": coordinator_partition(given["group"], count),
        "coordinator_broker": broker,
        "connection_node_id": _socket_id(entry, broker),
    }


def coordinator_socket(entry: CaseEntry) -> dict[str, Any]:
    """The id under which a consumer keeps its socket to the coordinator."""
    return {"node_id": _socket_id(entry, entry.input["broker_id"])}


def _socket_id(entry: CaseEntry, broker: int) -> int:
    return node_maker(entry.profile)(broker, "localhost", 9092, None, coordinator=True).id


ANSWERS = {
    "murmur2": key_hash,
    "coordinator_partition": responsible_partition,
    "coordinator_broker": coordinator,
    "coordinator_connection_id": coordinator_socket,
}
