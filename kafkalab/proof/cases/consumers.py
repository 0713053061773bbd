"""Answers cases of one consumer: the times of auto commits, its lag and lead, its first
requests."""

from __future__ import annotations

from typing import Any, cast

from kafkalab.clients.consumer.classic.auto_commit import AutoCommit
from kafkalab.clients.consumer.classic.committed_offsets import CommittedOffsets
from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.consumer.reading.subscription_state import (
    FetchPosition,
    FetchState,
    PartitionState,
    SubscriptionState,
)
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.config.client_config import ConsumerConfig
from kafkalab.lab import Lab
from kafkalab.proof.cases.entry import CannotAnswer, CaseEntry
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.releases import profile_of
from kafkalab.sim.journal import Journal
from kafkalab.sim.scheduler import Scheduler

TP = TopicPartition("orders", 0)


class CommitTimes:
    """Takes the place of a consumer's committed offsets, and notes when a commit was wanted."""

    def __init__(self, clock: Scheduler) -> None:
        self.at_ms: list[int] = []
        self._clock = clock

    def commit_async(self, offsets: object, callback: object = None) -> RequestFuture:
        self.at_ms.append(self._clock.now_ms)
        return RequestFuture.completed_with(None)


def auto_commit(entry: CaseEntry) -> dict[str, Any]:
    """When enable.auto.commit commits, if poll() is called at these times."""
    given, clock = entry.input, Scheduler()
    if not {"polls_at_ms", "no_poll_for_ms"} & set(given):
        raise CannotAnswer("this case names no polls")
    clock.now_ms = given.get("timer_start", 0)
    keys = {"group.id": "inventory", "enable.auto.commit": True}
    interval_ms = given.get("auto.commit.interval.ms", given.get("interval_ms"))
    if interval_ms is not None:
        keys["auto.commit.interval.ms"] = interval_ms
    commits = CommitTimes(clock)
    log = LogContext(Journal(clock), "consumer", "consumer", "", entry.version)
    committer = AutoCommit(
        ConsumerConfig.for_version(entry.version, keys),
        cast(CommittedOffsets, commits),  # AutoCommit asks for no more than CommitTimes has
        _reading(0),
        log,
        clock,
        hurry=lambda: None,
    )
    for at_ms in given.get("polls_at_ms", ()):
        clock.at(at_ms, committer.commit_if_due)
    until_ms = max(given.get("polls_at_ms", ()), default=0) + given.get("no_poll_for_ms", 0)
    clock.run_until(lambda: False, until_ms)
    return {"commits_at": commits.at_ms}


def lag_and_lead_answer(entry: CaseEntry) -> dict[str, Any]:
    """How far a position is from both ends of what may be read."""
    given = entry.input
    subscriptions = _reading(given["position"])
    state = subscriptions.partitions[TP]
    state.high_watermark, state.log_start_offset = given["hw"], given["log_start"]
    state.last_stable_offset = given.get("lso", given["hw"])
    return {
        "lag": subscriptions.lag(TP, given.get("isolation", "read_uncommitted")),
        "lead": subscriptions.lead(TP),
    }


def _reading(position: int) -> SubscriptionState:
    subscriptions = SubscriptionState("earliest")
    subscriptions.partitions[TP] = PartitionState(
        state=FetchState.FETCHING, position=FetchPosition(position, None, None, None)
    )
    return subscriptions


def first_requests(entry: CaseEntry) -> dict[str, Any]:
    """What a client's first requests are: (socket, API, correlation id), each API once a socket,
    those of all leaders together."""
    given = entry.input
    version = profile_of(str(given.get("version", entry.version)).split(" ")[0])[0].name
    lab = Lab(brokers=2, version=version)
    lab.create_topic("orders", partitions=2, leaders=[0, 1])
    if str(given["client"]).startswith("producer"):
        addresses = 2 if "2 bootstrap" in str(given["client"]) else 1
        producer = KafkaProducer(
            lab, {"bootstrap.servers": ",".join(f"localhost:{9092 + n}" for n in range(addresses))}
        )
        producer.send(ProducerRecord("orders", value="tea")).get()
    else:
        lab.place_coordinator("inventory", 1)
        consumer = KafkaConsumer(
            lab, {"group.id": "inventory", "bootstrap.servers": "localhost:9092"}
        )
        consumer.subscribe(["orders"])
        while not any(request.api == "FETCH" for request in lab.journal.of("request.sent")):
            consumer.poll(timeout_ms=1_000)
    socket_of = {socket.event_id: socket for socket in lab.sockets()}
    sequence: dict[tuple[Any, str, int], list[int]] = {}
    times: dict[tuple[Any, str], int] = {}
    for request in lab.journal.of("request.sent"):
        socket = socket_of[request.socket]
        place = {"bootstrap": -1, "coordinator": "coord", "data": "leaders"}[socket.role]
        turn = times[socket.event_id, request.api] = (
            times.get((socket.event_id, request.api), 0) + 1
        )
        if request.api != "HEARTBEAT" and (turn == 1 or request.api == "JOIN_GROUP"):
            sequence.setdefault((place, request.api, turn), []).append(request.correlation_id)
    return {
        "sequence": [
            [place, api, ids[0] if len(ids) == 1 else ",".join(map(str, sorted(ids)))]
            for (place, api, _), ids in sequence.items()
        ]
    }


ANSWERS = {
    "wire_sequence": first_requests,
    "auto_commit": auto_commit,
    "lag_lead": lag_and_lead_answer,
}
