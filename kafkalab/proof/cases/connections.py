"""Answers cases of connections with whole clients on whole labs: the sockets that a client opens
and keeps.

Each case is played a few times, once a seed, because real clients choose by chance. A count that
differs from seed to seed is answered as the list of its possible values. Sockets whose order a hash
map decides are a list inside the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.config.client_config import ConsumerConfig, ProducerConfig
from kafkalab.lab import Lab
from kafkalab.proof.cases.entry import CannotAnswer, CaseEntry
from kafkalab.reading.sockets import Socket
from kafkalab.records import ProducerRecord, TopicPartition

SEEDS = range(12)
STARTED_MS = 1_000
"""A program does other things before its first send. A producer that connects by itself is
connected by then."""
SETTLED_MS = 5_000
"""A consumer has joined and reads by then; the initial rebalance delay is 3 s."""
AFTER_IDLE_MS = 550_000
"""More than connections.max.idle.ms (540 s) after the last use of a bootstrap socket."""
POLL_MS = 1_000
COUNTED = ("created", "bootstrap_created", "kept_after_idle")


def socket_counts(entry: CaseEntry) -> dict[str, Any]:
    """Play the case with every seed and say what all the runs have in common."""
    kind = str(entry.input["client"]).split()
    if kind[0] not in ("consumer", "producer"):
        raise CannotAnswer(f"a client is a consumer or a producer, not {entry.input['client']!r}")
    wants_idle = any("idle" in key or key == "kept_ids" for key in entry.ask)
    runs = [_play(entry, kind, seed) for seed in SEEDS]
    seen = [_summary(run) for run in runs]
    answer: dict[str, Any] = {
        key: _choice([one[key] for one in seen]) for key in ("created", "bootstrap_created")
    }
    answer["created_at_most"] = max(one["created"] for one in seen)
    answer["created_at_least"] = min(one["created"] for one in seen)
    answer["created_set"] = _common_set(seen)
    answer["data_created"] = seen[0]["data"]
    # A case that names its topic fixes the hash order of the addresses; without a topic the order
    # of the leaders is unknown.
    answer["created_order"] = _order(runs[0], nested="topic" not in entry.input)
    if wants_idle:
        answer |= _after_idle(_play(entry, kind, SEEDS[0], AFTER_IDLE_MS))
    return answer


def _play(entry: CaseEntry, kind: list[str], seed: int, and_then_ms: int = 0) -> list[Socket]:
    given = entry.input
    brokers = given.get("brokers", [0, 1])
    lab = Lab(
        brokers={id: f"localhost:{9092 + index}" for index, id in enumerate(brokers)},
        seed=seed,
        version=entry.version,
        cold=kind[0] == "producer",
    )
    if "api_versions_latency_ms" in given:
        for broker in brokers:
            lab.broker(broker).delay("API_VERSIONS", given["api_versions_latency_ms"])
    topic = given.get("topic", "t")
    leaders = given.get("leaders_by_partition", given.get("leaders_on"))
    if leaders is None:
        leaders = [given["leader_of_record"]] if "leader_of_record" in given else brokers
    lab.create_topic(topic, partitions=len(leaders), leaders=leaders)
    config = {key: value for key, value in given.items() if "." in key}
    config["bootstrap.servers"] = ",".join(_bootstrap(given, brokers))
    if "telemetry" in given and "enable.metrics.push" in _known_keys(entry, kind[0]):
        config["enable.metrics.push"] = given["telemetry"]
    if kind[0] == "consumer":
        _consume(lab, given, config, kind[1:], topic, len(leaders), and_then_ms)
    else:
        _produce(lab, given, config, topic, len(leaders), and_then_ms)
    return lab.sockets()


def _known_keys(entry: CaseEntry, kind: str) -> Mapping[str, Any]:
    return (ConsumerConfig if kind == "consumer" else ProducerConfig).for_version(entry.version, {})


def _bootstrap(given: Mapping[str, Any], brokers: list[int]) -> list[str]:
    """Addresses in order: the first so many brokers, or by name: `dead` or `broker1`."""
    if "bootstrap_addresses" not in given:
        return [f"localhost:{9092 + index}" for index in range(given.get("bootstrap", 1))]
    addresses = []
    for name in given["bootstrap_addresses"]:
        broker = str(name).removeprefix("broker")
        addresses.append(
            f"localhost:{9092 + brokers.index(int(broker))}"
            if broker.isdecimal() and int(broker) in brokers
            else "localhost:9000"
        )
    return addresses


def _consume(
    lab: Lab,
    given: Mapping[str, Any],
    config: dict[str, Any],
    how: list[str],
    topic: str,
    partitions: int,
    and_then_ms: int,
) -> None:
    group = str(given.get("group_id", "test"))
    if group.startswith("("):
        group = ""
    if group:
        config["group.id"] = group
    if given.get("coordinator") is not None:
        lab.place_coordinator(group, given["coordinator"])
    if "group_protocol" in given:
        config["group.protocol"] = given["group_protocol"]
    consumer = KafkaConsumer(lab, config)
    if "assign" in how:
        consumer.assign([TopicPartition(topic, index) for index in range(partitions)])
    else:
        consumer.subscribe([topic])
    if any(word in str(given.get("phase", "")) for word in ("no poll", " only")):
        lab.run_for(ms=given.get("wait_ms", SETTLED_MS))
        return
    end_ms = lab.now_ms + given.get("run_ms", SETTLED_MS) + and_then_ms
    while lab.now_ms < end_ms:
        consumer.poll(timeout_ms=min(POLL_MS, end_ms - lab.now_ms))


def _produce(
    lab: Lab,
    given: Mapping[str, Any],
    config: dict[str, Any],
    topic: str,
    partitions: int,
    and_then_ms: int,
) -> None:
    if "idempotence" in given:
        config["enable.idempotence"] = given["idempotence"]
    producer = KafkaProducer(lab, config)
    sends = given.get("sends", 0)
    if sends:
        lab.run_for(ms=given.get("before_send_ms", STARTED_MS))
    for number in range(sends):
        producer.send(ProducerRecord(topic, value="tea", partition=number % partitions)).get()
    lab.run_for(ms=given.get("wait_ms", given.get("run_ms", 2_000)) + and_then_ms)


def _summary(sockets: list[Socket]) -> dict[str, Any]:
    bootstrap = [int(s.node_id) for s in sockets if s.role == "bootstrap"]
    coordinator = [_number(s) for s in sockets if s.role == "coordinator"]
    data = sorted(dict.fromkeys(int(s.node_id) for s in sockets if s.role == "data"))
    return {
        "created": len(sockets),
        "bootstrap_created": len(bootstrap),
        "bootstrap": sorted(set(bootstrap), reverse=True),
        "others": list(dict.fromkeys(coordinator)) + data,
        "data": data,
    }


def _number(socket: Socket) -> int:
    """The id as a number; 4.4 prints a coordinator's as +N, where it was the largest int less N."""
    return (
        2**31 - 1 - int(socket.node_id) if socket.node_id.startswith("+") else int(socket.node_id)
    )


def _choice(counts: list[int]) -> int | list[int]:
    found = sorted(set(counts))
    return found[0] if len(found) == 1 else found


def _common_set(seen: list[dict[str, Any]]) -> list[Any]:
    """Bootstrap ids, the coordinator, data. A bootstrap id that chance chose is the list of its
    possible values."""
    first = seen[0]
    bootstraps = sorted({tuple(one["bootstrap"]) for one in seen}, reverse=True)
    names: list[Any] = list(bootstraps[0])
    if len(bootstraps) > 1:
        names = (
            [f"one of {','.join(str(one[0]) for one in bootstraps)}"]
            if all(len(one) == 1 for one in bootstraps)
            else sorted({id for one in bootstraps for id in one}, reverse=True)
        )
    return [*names, *first["others"]]


def _order(sockets: list[Socket], nested: bool) -> list[Any]:
    """Ids in order of opening; leaders opened one after the other share a
    list where their order means nothing."""
    order: list[Any] = []
    for socket in sockets:
        if nested and socket.role == "data" and order and isinstance(order[-1], list):
            order[-1].append(_number(socket))
        elif nested and socket.role == "data":
            order.append([_number(socket)])
        else:
            order.append(_number(socket))
    return [one[0] if isinstance(one, list) and len(one) == 1 else one for one in order]


def _after_idle(sockets: list[Socket]) -> dict[str, Any]:
    """The sockets of the start that are still open after idle time, without those that a later
    refresh of metadata opens."""
    first = [socket for socket in sockets if socket.opened_at_ms <= SETTLED_MS]
    kept = [socket for socket in first if socket.closed_at_ms is None]
    return {
        "closed_by_idle": [_number(socket) for socket in first if socket.how == "idle"],
        "kept_after_idle": len(kept),
        "kept_ids": [_number(s) for s in kept if s.role == "bootstrap"] + _summary(kept)["others"],
    }


ANSWERS = {"connections": socket_counts}
