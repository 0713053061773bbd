"""Times a rebalance of 1,000 members over 10,000 partitions, with each assignor.

A group of the lab's broker, and 1,000 members that speak the protocol over the lab's network and
are nothing else: no polls, no heartbeats, no fetches. What is timed is one rebalance of the whole
group, real time from the first JOIN_GROUP sent to the last SYNC_GROUP answered: the requests and
their way, the coordinator, the members' subscriptions as bytes, the leader's reading of them, its
assignor, its verdict as bytes, each member's reading of its share. It is the second one, so that
every member owns partitions and says so. The peer is the second that the issue allows.
"""

from __future__ import annotations

import time
from typing import Any

from bench import Row, compared
from kafkalab import PROFILES, Lab
from kafkalab.clients.consumer.assignors import ASSIGNORS, PartitionAssignor
from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.consumer_protocol import (
    Subscription,
    assignment_bytes,
    parse_assignment,
    parse_subscription,
    subscription_bytes,
)
from kafkalab.protocol.header import RequestHeader
from kafkalab.protocol.messages import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    SyncGroupRequest,
    SyncGroupRequestAssignment,
)
from kafkalab.records import TopicPartition, by_topic
from kafkalab.sim.network import Connection

MEMBERS, TOPICS, PARTITIONS = 1_000, 10, 1_000
VERSION = "3.9"
STYLE = PROFILES[VERSION].group.subscription_style
API_VERSIONS = {"JOIN_GROUP": 9, "SYNC_GROUP": 5}
ALLOWED_S = 1.0
LONG_MS = 300_000


class MemberSubscription:
    """One member, its connection and its assignor; the leader divides for all."""

    def __init__(self, lab: Lab, name: str, assignor: str, counts: dict[str, int]) -> None:
        self.name = name
        self.assignor = PartitionAssignor(assignor, PROFILES[VERSION], lambda name, **values: None)
        self.counts = counts
        self.member_id, self.generation, self.is_synced = "", -1, False
        self.owned: dict[str, tuple[int, ...]] = {}
        self._number = 0
        self.connection = lab.network.connect(name, "localhost", 9092, self)

    def join(self) -> None:
        self.is_synced = False
        metadata = subscription_bytes(
            STYLE,
            Subscription(
                topics=tuple(self.counts),
                owned=self.owned,
                generation_id=self.generation,
                user_data=self.assignor.subscription_user_data(),
            ),
        )
        self._send(
            JoinGroupRequest(
                group_id="shop",
                session_timeout_ms=LONG_MS,
                rebalance_timeout_ms=LONG_MS,
                member_id=self.member_id,
                protocol_type="consumer",
                protocols=(JoinGroupRequestProtocol(name=self.assignor.name, metadata=metadata),),
            )
        )

    def connected(self, connection: Connection) -> None:
        self.join()

    def refused(self, connection: Connection) -> None:
        raise ConnectionError(f"the broker refused {self.name}")

    def broken(self, connection: Connection) -> None:
        raise ConnectionError(f"the broker hung up on {self.name}")

    def received(self, connection: Connection, message: Any) -> None:
        if isinstance(message, JoinGroupResponse):
            self.member_id = message.member_id
            if message.error_code:  # MEMBER_ID_REQUIRED: once more, with the id
                self.join()
                return
            self.generation = message.generation_id
            verdict = self._divide(message) if message.leader == message.member_id else ()
            self._send(
                SyncGroupRequest(
                    group_id="shop",
                    generation_id=message.generation_id,
                    member_id=self.member_id,
                    protocol_type="consumer",
                    protocol_name=message.protocol_name,
                    assignments=verdict,
                )
            )
        else:
            self.owned, self.is_synced = parse_assignment(message.assignment), True
            mine = [
                TopicPartition(topic, number)
                for topic, numbers in self.owned.items()
                for number in numbers
            ]
            self.assignor.on_assignment(mine, self.generation)

    def _divide(self, joined: JoinGroupResponse) -> tuple[SyncGroupRequestAssignment, ...]:
        subscriptions = {
            member.member_id: parse_subscription(member.metadata) for member in joined.members
        }
        assignment = self.assignor.assign(self.counts, subscriptions, {})
        return tuple(
            SyncGroupRequestAssignment(
                member_id=member, assignment=assignment_bytes(STYLE, by_topic(partitions))
            )
            for member, partitions in assignment.items()
        )

    def _send(self, message: Any) -> None:
        self._number += 1
        api = api_of(message)
        header = RequestHeader(
            api_key=api,
            api_version=API_VERSIONS[api.name],
            client_id=self.name,
            correlation_id=self._number,
        )
        self.connection.send((None, header, message))


def rebalance_seconds(assignor: str) -> float:
    """Real time of a rebalance of the whole group. AssertionError when somebody got nothing,
    or anything was given twice."""
    lab = Lab(brokers=1, seed=7)
    counts = {f"topic-{number}": PARTITIONS for number in range(TOPICS)}
    for topic, partitions in counts.items():
        lab.create_topic(topic, partitions)
    members = [MemberSubscription(lab, f"m{number}", assignor, counts) for number in range(MEMBERS)]

    def is_over() -> bool:
        return all(member.is_synced for member in members)

    assert lab.run_until(is_over, timeout_ms=LONG_MS), "the group never formed"
    for member in members:
        member.is_synced = False
    started = time.perf_counter()
    for member in members:
        member.join()
    assert lab.run_until(is_over, timeout_ms=LONG_MS), "the group never rebalanced"
    took_s = time.perf_counter() - started
    given = [
        (topic, number)
        for member in members
        for topic, numbers in member.owned.items()
        for number in numbers
    ]
    assert len(given) == len(set(given)) == TOPICS * PARTITIONS and all(
        member.owned for member in members
    )
    return took_s


def run() -> list[Row]:
    rows = []
    for assignor in ASSIGNORS:
        took_s = min(rebalance_seconds(assignor) for _ in range(2))
        name = (
            f"rebalance of {MEMBERS:,} members over {TOPICS * PARTITIONS:,} partitions, "
            f"{assignor} / the second allowed (less is better)"
        )
        rows.append(compared(name, took_s, ALLOWED_S, "s"))
    return rows
