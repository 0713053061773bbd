"""Stories of chapters 02 and 03: which connections a producer and a consumer open and keep."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from kafkalab.errors import KafkaException
from kafkalab.real.proof.claim import EitherLab, Side, settled, story
from kafkalab.records import ProducerRecord, TopicPartition

IDLE_MS = 6_000
"""connections.max.idle.ms in these stories; the default is nine minutes."""
TWO = "localhost:9092,localhost:9093"
THREE = f"{TWO},localhost:9094"
CONNECTED = ("2.1", "2.2", "2.3", "2.8", "3.9", "4.4")
COORDINATOR_IDS = 2_147_483_000


def open_now(lab: EitherLab, client: str) -> int:
    """How many connections a client has open."""
    return sum(socket.closed_at_ms is None for socket in lab.sockets(client))


@story(
    "02 two brokers",
    brokers=2,
    releases=CONNECTED,
    claims={
        "before_send": "A producer has so many connections before it sends anything.",
        "opened": "Two brokers, two addresses: so many are opened in all.",
        "kept": "So many are open when the idle limit has passed.",
        "how": "The others were closed in this way.",
    },
)
def two_brokers(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    producer = side.producer(
        lab, bootstrap_servers=TWO, enable_idempotence=False, connections_max_idle_ms=IDLE_MS
    )
    lab.run_for(2_000)
    before = len(lab.sockets("shop"))
    for _ in range(20):
        for partition in (0, 1):
            producer.send(ProducerRecord("orders", "tea", partition=partition))
        lab.run_for(1_000)
    sockets = lab.sockets("shop")
    return {
        "before_send": before,
        "opened": len(sockets),
        "kept": sum(socket.closed_at_ms is None for socket in sockets),
        "how": sorted({str(socket.how) for socket in sockets if socket.closed_at_ms is not None}),
    }


@story(
    "02 three addresses",
    releases=CONNECTED[1:],
    claims={
        "opened": "Three brokers, three addresses, nothing sent: so many connections are opened.",
        "roles": "They are of these roles.",
        "first": "The client sends these requests on them, each so many times.",
    },
)
def three_addresses(side: Side) -> dict[str, Any]:
    lab = side.lab()
    side.producer(lab, bootstrap_servers=THREE, enable_idempotence=False)
    lab.run_for(3_000)
    sockets = lab.sockets("shop")
    asked = Counter(lab.table("request.sent").api)
    return {
        "opened": len(sockets),
        "roles": sorted({socket.role for socket in sockets}),
        "first": [f"{api} {count}" for api, count in sorted(asked.items())],
    }


@story(
    "02 wrong address",
    releases=("2.8", "3.9", "4.4"),
    claims={
        "written": "Broker 1 advertises a port where nobody listens; of an order to each of three "
        "brokers, so many are written.",
        "error": "The other one ends with this.",
        "address": "The client's warnings name this address, and no other one.",
        "connected": "The client gets a connection to these brokers.",
    },
)
def wrong_address(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=3)
    lab.broker(1).advertise(29092)
    limits = {"request_timeout_ms": 5_000, "delivery_timeout_ms": 10_000, "linger_ms": 0}
    producer = side.producer(lab, bootstrap_servers=THREE, enable_idempotence=False, **limits)
    written, errors = 0, []
    for partition in range(3):
        try:
            producer.send(ProducerRecord("orders", "tea", partition=partition)).get()
            written += 1
        except KafkaException as error:
            errors.append(type(error).__name__)
    lines = lab.lines("shop")
    warned = "\n".join(lines[lines.level == "WARN"].message)
    begun = "\n".join(lines.message)
    return {
        "written": written,
        "error": errors,
        "address": sorted(set(re.findall(r"to node 1 \((\S+)\) could not", warned))),
        "connected": sorted(set(re.findall(r"Completed connection to node (\d)\.", begun))),
    }


@story(
    "02 close",
    brokers=2,
    claims={
        "open_after_close": "close() leaves so many connections open.",
        "how": "They end in this way.",
        "node_ids": "These node ids were used.",
    },
)
def close(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    producer = side.producer(lab, bootstrap_servers="localhost:9092", enable_idempotence=False)
    for partition in (0, 1):
        producer.send(ProducerRecord("orders", "tea", partition=partition)).get()
    producer.close()
    lab.run_for(500)
    sockets = lab.sockets("shop")
    return {
        "open_after_close": sum(socket.closed_at_ms is None for socket in sockets),
        "how": sorted({str(socket.how) for socket in sockets}),
        "node_ids": sorted({socket.node_id for socket in sockets}),
    }


@story(
    "02 idempotence",
    brokers=1,
    claims={"requests": "With enable.idempotence the producer sends these before a record."},
)
def idempotent(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    side.producer(lab, enable_idempotence=True)
    lab.run_for(2_000)
    return {"requests": sorted(set(lab.table("request.sent").api))}


@story(
    "02 limit -1",
    brokers=2,
    broker_config={"connections.max.idle.ms": 8_000},
    claims={"closed_by": "With connections.max.idle.ms=-1 an unused connection ends in this way."},
)
def no_limit(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", leaders=[1])
    producer = side.producer(
        lab,
        bootstrap_servers="localhost:9092",
        enable_idempotence=False,
        connections_max_idle_ms=-1,
        metadata_max_age_ms=600_000,
    )
    for _ in range(16):
        producer.send(ProducerRecord("orders", "tea"))
        lab.run_for(1_000)
    return {"closed_by": sorted({str(s.how) for s in lab.sockets("shop") if s.how})}


@story(
    "03 first consumer",
    releases=CONNECTED,
    claims={
        "before_poll": "A consumer that has subscribed has so many connections before poll().",
        "opened": "Three brokers, one of them the coordinator: poll() opens so many.",
        "roles": "They are of these roles, each so many times.",
        "kept": "So many are open when the idle limit has passed.",
        "after_close": "close() leaves so many open.",
    },
)
def first_consumer(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("t4", partitions=3)
    consumer = side.consumer(lab, group_id="test", connections_max_idle_ms=IDLE_MS)
    consumer.subscribe(["t4"])
    lab.run_for(500)
    before = len(lab.sockets("reader"))
    settled(lab, [consumer], 20_000)
    sockets = lab.sockets("reader")
    roles = Counter(socket.role for socket in sockets)
    kept = sum(socket.closed_at_ms is None for socket in sockets)
    consumer.close()
    lab.run_for(500)
    return {
        "before_poll": before,
        "opened": len(sockets),
        "roles": [f"{role} {count}" for role, count in sorted(roles.items())],
        "kept": kept,
        "after_close": open_now(lab, "reader"),
    }


@story(
    "03 standalone",
    claims={
        "opened": "assign() without a group opens so many connections to three leaders.",
        "roles": "They are of these roles.",
        "asks": "It sends requests of these kinds.",
    },
)
def standalone(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("t4", partitions=3)
    consumer = side.consumer(lab, enable_auto_commit=False)
    consumer.assign([TopicPartition("t4", number) for number in range(3)])
    settled(lab, [consumer], 4_000)
    sockets = lab.sockets("reader")
    return {
        "opened": len(sockets),
        "roles": sorted({socket.role for socket in sockets}),
        "asks": sorted(set(lab.table("request.sent").api)),
    }


@story(
    "03 all leaders on one broker",
    claims={
        "opened": "All partitions led by one broker: a member of a group opens so many.",
        "data": "So many of them are for data.",
    },
)
def one_leader(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("t4", partitions=3, leaders=[1, 1, 1])
    consumer = side.consumer(lab, group_id="test")
    consumer.subscribe(["t4"])
    settled(lab, [consumer], 8_000)
    sockets = lab.sockets("reader")
    return {
        "opened": len(sockets),
        "data": sum(socket.role == "data" for socket in sockets),
    }


@story(
    "03 pause",
    claims={"open": "All partitions paused for longer than the idle limit: so many stay open."},
)
def paused(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("t4", partitions=3)
    consumer = side.consumer(lab, group_id="test", connections_max_idle_ms=IDLE_MS)
    consumer.subscribe(["t4"])
    settled(lab, [consumer], 6_000)
    consumer.pause(consumer.assignment())
    settled(lab, [consumer], 15_000)
    return {"open": open_now(lab, "reader")}


@story(
    "03 the coordinator's node id",
    releases=CONNECTED,
    brokers=2,
    claims={"broker": "2147483647 minus the node id of its connection is the coordinator."},
)
def coordinators_id(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("t4")
    consumer = side.consumer(lab, group_id="billing")
    consumer.subscribe(["t4"])
    settled(lab, [consumer], 6_000)
    found = [s.node_id for s in lab.sockets("reader") if s.role == "coordinator"]
    brokers = [int(id) if int(id) < COORDINATOR_IDS else 2_147_483_647 - int(id) for id in found]
    return {"broker": [each == lab.coordinator_of("billing") for each in brokers]}
