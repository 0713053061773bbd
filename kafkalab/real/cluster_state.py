"""Tells what a real cluster is like now, in the form of the simulator's `Lab.at`.

An admin client asks the brokers; the connections are those of the clients' lines. What neither
knows is left out: positions of consumers, log end offsets above the high watermark, subscriptions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kafkalab.real.cluster_tables import end_offsets
from kafkalab.real.java_process import JavaProcess, items_of
from kafkalab.real.java_records import partition_from
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.reading.sockets import Socket

Described = dict[str, Any]
SHARE = "Share"
"""GroupType.SHARE, as Java prints it."""


def cluster_state(
    java: JavaProcess,
    admin: Any,
    addresses: Mapping[int, str],
    sockets: Sequence[Socket],
    clients: Sequence[str],
) -> Described:
    """The state now: brokers, topics, partitions, groups, clients; share groups, where there are
    any.

    addresses  of each broker, up or down
    sockets    the open connections
    """
    nodes = java.call(lambda: list(items_of(admin.describeCluster().nodes().get())))
    alive = {int(node.id()) for node in nodes}
    topics = _topics(java, admin)
    partitions = _partitions(java, admin, topics)
    shares = _share_groups(java, admin)
    return {
        "brokers": {
            broker: {"address": address, "alive": broker in alive}
            for broker, address in addresses.items()
        },
        "topics": {
            name: {"partitions": len(list(items_of(described.partitions())))}
            for name, described in topics.items()
        },
        "partitions": partitions,
        "groups": _groups(java, admin),
        "clients": {name: _client(name, sockets) for name in dict.fromkeys(clients)},
        **({"share_groups": shares} if shares else {}),
    }


def _topics(java: JavaProcess, admin: Any) -> dict[str, Any]:
    names = java.call(lambda: sorted(map(str, items_of(admin.listTopics().names().get()))))
    asked = java.array_list(names)
    found = java.call(lambda: admin.describeTopics(asked).allTopicNames().get())
    return {name: found[name] for name in names}


def _partitions(java: JavaProcess, admin: Any, topics: Mapping[str, Any]) -> dict[str, Described]:
    places = {
        TopicPartition(name, int(info.partition())): info
        for name, described in topics.items()
        for info in items_of(described.partitions())
    }
    leaders = {
        place: None if info.leader() is None or info.leader().id() < 0 else int(info.leader().id())
        for place, info in places.items()
    }
    led = [place for place, leader in leaders.items() if leader is not None]
    starts, ends = (end_offsets(java, admin, led, where) for where in ("earliest", "latest"))
    return {
        str(place): {
            "leader": leaders[place],
            "replicas": [int(node.id()) for node in items_of(info.replicas())],
            "isr": [int(node.id()) for node in items_of(info.isr())],
            "log_start_offset": starts.get(place, 0),
            "log_end_offset": ends.get(place, 0),
            "high_watermark": ends.get(place, 0),
        }
        for place, info in places.items()
    }


def _groups(java: JavaProcess, admin: Any) -> dict[str, Described]:
    """Consumer groups. A member without a partition counts for all topics of its group."""
    names = java.call(
        lambda: sorted(
            str(one.groupId()) for one in items_of(admin.listConsumerGroups().all().get())
        )
    )
    asked = java.array_list(names)
    described = java.call(lambda: admin.describeConsumerGroups(asked).all().get())
    found: dict[str, Described] = {}
    for name in names:
        owned = {
            str(member.consumerId()): (
                str(member.clientId()),
                [
                    str(partition_from(one))
                    for one in items_of(member.assignment().topicPartitions())
                ],
            )
            for member in items_of(described[name].members())
        }
        topics = sorted({tp.rpartition("-")[0] for _, places in owned.values() for tp in places})
        asked_offsets = admin.listConsumerGroupOffsets(name)
        committed = java.call(asked_offsets.partitionsToOffsetAndMetadata().get)
        found[name] = {
            "members": {
                member: {"client_id": client, "subscription": topics, "assignment": sorted(places)}
                for member, (client, places) in owned.items()
            },
            "offsets": {
                str(partition_from(entry.getKey())): {"offset": int(entry.getValue().offset())}
                for entry in items_of(committed.entrySet())
                if entry.getValue() is not None
            },
        }
    return found


def _share_groups(java: JavaProcess, admin: Any) -> dict[str, Described]:
    """Share groups: where the window of each partition begins. The brokers tell nobody what is in
    the window (Admin.listShareGroupOffsets)."""
    names = java.call(
        lambda: sorted(
            str(one.groupId())
            for one in items_of(admin.listGroups().all().get())
            if str(one.type().orElse(None)) == SHARE
        )
    )
    spec = java.jvm.org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec
    found: dict[str, Described] = {}
    for name in names:
        asked = java.hash_map([(name, spec())])
        told = java.call(
            lambda asked=asked, name=name: (
                admin.listShareGroupOffsets(asked).partitionsToOffsetInfo(name).get()
            )
        )
        found[name] = {
            "partitions": {
                str(partition_from(entry.getKey())): {
                    "start_offset": int(entry.getValue().startOffset())
                }
                for entry in items_of(told.entrySet())
                if entry.getValue() is not None
            }
        }
    return found


def _client(name: str, sockets: Sequence[Socket]) -> Described:
    return {
        "config": {},
        "sockets": {
            number: {
                "node_id": str(socket.node_id),
                "broker": socket.broker,
                "role": socket.role,
                "address": "",
            }
            for number, socket in enumerate(sockets)
            if socket.client == name
        },
    }
