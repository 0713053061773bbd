"""Drives machines by hand: a clock that is a number, timers that are a dict,
answers that are a list."""

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import BrokerNode, ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Note, Respond, SetTimer
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.errors import Errors
from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.header import RequestHeader
from kafkalab.protocol.messages import (
    HeartbeatRequest,
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    LeaveGroupRequest,
    MemberIdentity,
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    SyncGroupRequest,
    SyncGroupRequestAssignment,
)
from kafkalab.releases import broker_profile
from kafkalab.sim.rng import Streams

RANGE = (JoinGroupRequestProtocol(name="range", metadata=b"I want orders"),)
NEWEST = {
    "JOIN_GROUP": 9,
    "SYNC_GROUP": 5,
    "HEARTBEAT": 4,
    "LEAVE_GROUP": 5,
    "OFFSET_COMMIT": 9,
    "OFFSET_FETCH": 9,
    "FETCH": 12,
    "PRODUCE": 11,
    "LIST_OFFSETS": 9,
    "METADATA": 12,
    "FIND_COORDINATOR": 4,
    "API_VERSIONS": 4,
    "INIT_PRODUCER_ID": 5,
    "CONSUMER_GROUP_HEARTBEAT": 1,
    "OFFSET_FOR_LEADER_EPOCH": 4,
}


def a_cluster(brokers=1, topics=(("orders", 4),)):
    cluster = ClusterState(
        [BrokerNode(n, "localhost", 9092 + n) for n in range(brokers)], Streams(7).stream("cluster")
    )
    for name, partitions in topics:
        cluster.create_topic(name, partitions)
    return cluster


def a_caller(request, client="inv-1", version=None):
    api = api_of(request)
    header = RequestHeader(
        api_key=api,
        api_version=NEWEST[api.name] if version is None else version,
        client_id=client,
        correlation_id=0,
    )
    return Caller(f"{client}#1", client, header)


class ByHand:
    """Carries out effects of one machine: notes what was answered,
    keeps timers until `wait` passes them."""

    def __init__(self, machine):
        self.machine = machine
        self.now_ms = 0
        self.timers = {}
        self.notes = []
        self.answers = []
        self.others = []

    def ask(self, request, client="inv-1", version=None):
        """Send a request; returns the answer, or None while it is parked."""
        caller = a_caller(request, client, version)
        before = len(self.answers)
        self.do(self.machine(request, caller, self.now_ms))
        return next((response for to, response in self.answers[before:] if to is caller), None)

    def do(self, effects):
        for effect in effects:
            match effect:
                case Respond(to, response):
                    self.answers.append((to, response))
                case SetTimer(key, at_ms):
                    self.timers[key] = at_ms
                case CancelTimer(key):
                    self.timers.pop(key, None)
                case Note(kind, fields):
                    self.notes.append((self.now_ms, kind, fields))
                case other:
                    self.others.append(other)

    def wait(self, ms):
        """Let time pass and timers ring, earliest first."""
        until = self.now_ms + ms
        while self.timers:
            key = min(self.timers, key=lambda known: (self.timers[known], str(known)))
            if self.timers[key] > until:
                break
            self.now_ms = self.timers.pop(key)
            self.do(self.on_timer(key, self.now_ms))
        self.now_ms = until

    def on_timer(self, key, now_ms):
        return self.machine.__self__.on_timer(key, now_ms)

    def answers_to(self, client):
        return [response for to, response in self.answers if to.client == client]


class GroupByHand(ByHand):
    """A group coordinator and people who join, sync, beat, commit and leave."""

    def __init__(self, release="4.4", group_id="inventory", **config):
        self.cluster = a_cluster()
        self.count = 0
        self.coordinator = GroupCoordinator(
            0, broker_profile(release), self.cluster, BrokerConfig(**config), self.number
        )
        super().__init__(self.coordinator.handle)
        self.group_id = group_id
        self.ids = {}

    def number(self, caller):
        self.count += 1
        return f"uuid{self.count}"

    @property
    def group(self):
        return self.coordinator.classic.groups[self.group_id]

    @property
    def state(self):
        return self.group.state.value

    @property
    def path(self):
        """The states the group went through, with the generation of each."""
        return [
            (fields["after"], fields["generation"])
            for _, kind, fields in self.notes
            if kind == "state"
        ]

    def join(
        self,
        client,
        protocols=RANGE,
        session_ms=10_000,
        rebalance_ms=300_000,
        instance=None,
        version=None,
    ):
        """Join as a client does: once more with the id where the coordinator asks for that."""

        def request(member_id):
            return JoinGroupRequest(
                group_id=self.group_id,
                session_timeout_ms=session_ms,
                rebalance_timeout_ms=rebalance_ms,
                member_id=member_id,
                group_instance_id=instance,
                protocols=protocols,
            )

        answer = self.ask(request(self.ids.get(client, "")), client, version)
        if answer is not None and answer.error_code == Errors.MEMBER_ID_REQUIRED.code:
            self.ids[client] = answer.member_id
            answer = self.ask(request(answer.member_id), client, version)
        if answer is not None and answer.error_code == 0:
            self.ids[client] = answer.member_id
        return answer

    def sync(self, client, assignments=None, generation=None):
        given = tuple(
            SyncGroupRequestAssignment(member_id=self.ids[who], assignment=what)
            for who, what in (assignments or {}).items()
        )
        return self.ask(
            SyncGroupRequest(
                group_id=self.group_id,
                member_id=self.ids[client],
                assignments=given,
                generation_id=self._generation(generation),
            ),
            client,
        )

    def beat(self, client, generation=None, instance=None):
        answer = self.ask(
            HeartbeatRequest(
                group_id=self.group_id,
                member_id=self.ids.get(client, client),
                generation_id=self._generation(generation),
                group_instance_id=instance,
            ),
            client,
        )
        return error_name(answer)

    def commit(self, client, offset=1, generation=None, topic="orders", partition=0):
        answer = self.ask(
            OffsetCommitRequest(
                group_id=self.group_id,
                member_id=self.ids.get(client, client),
                generation_id_or_member_epoch=self._generation(generation),
                topics=(
                    OffsetCommitRequestTopic(
                        name=topic,
                        partitions=(
                            OffsetCommitRequestPartition(
                                partition_index=partition, committed_offset=offset
                            ),
                        ),
                    ),
                ),
            ),
            client,
        )
        return NAME_OF[answer.topics[0].partitions[0].error_code]

    def leave(self, client):
        answer = self.ask(
            LeaveGroupRequest(
                group_id=self.group_id, members=(MemberIdentity(member_id=self.ids.pop(client)),)
            ),
            client,
        )
        return NAME_OF[answer.members[0].error_code]

    def settle(self, *clients):
        """Bring a fresh group of these clients to Stable."""
        for client in clients:
            self.join(client)
        self.wait(6_000 if len(clients) > 1 else 3_000)
        for client in clients:
            answer = self.answers_to(client)[-1]
            self.ids[client] = answer.member_id
        for client in clients:
            leads = self.ids[client] == self.group.leader
            self.sync(
                client, {who: f"part of {who}".encode() for who in clients} if leads else None
            )
        return self

    def _generation(self, generation):
        if generation is not None:
            return generation
        group = self.coordinator.classic.groups.get(self.group_id)
        return group.generation if group else -1


NAME_OF = {error.code: error.name for error in Errors}


def error_name(response):
    return NAME_OF[response.error_code]
