"""Broker: takes requests, has machines decide, and carries out their effects.

It is the shell around the machines of this package; Kafka's counterparts are SocketServer and
KafkaApis. It makes no decision of Kafka's protocol. It serves one request of a connection at a
time, gives it to the machine for its type, and carries out the machine's effects. A request passes
threads and queues (`request_path`) and takes at least a short random time.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, cast

from kafkalab.broker.admin.administration import Administration
from kafkalab.broker.broker_config import RACK_AWARE_SELECTOR, BrokerConfig
from kafkalab.broker.client_quotas import ClientQuotas
from kafkalab.broker.cluster.cluster_state import (
    OFFSETS_TOPIC,
    TRANSACTION_TOPIC,
    ClusterState,
    Partition,
)
from kafkalab.broker.cluster.directory import Directory
from kafkalab.broker.cluster.metadata_cache import MetadataCache
from kafkalab.broker.effects import (
    Appended,
    AskBroker,
    Caller,
    CancelTimer,
    ChangeIsr,
    Disconnect,
    Effect,
    Grown,
    Halt,
    Note,
    Respond,
    SetTimer,
    TimerKey,
    ToBroker,
)
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.broker.groups.offsets_log import LedOffsetsLog
from kafkalab.broker.groups.share.dead_letters import LETTER
from kafkalab.broker.groups.share.share_fetches import SHARE_FETCH, SHARE_LOCK, ShareFetches
from kafkalab.broker.groups.share.state_writes import SHARE_WRITE
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.replication.fetch_requests import Fetches
from kafkalab.broker.replication.follower_sessions import FollowerSessions
from kafkalab.broker.replication.offset_requests import OffsetRequests
from kafkalab.broker.replication.peer_messages import PeerMessage
from kafkalab.broker.replication.replica_fetcher import ReplicaFetchers
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.replication.role_lines import UNKNOWN_EPOCH, NewRole, RoleLines
from kafkalab.broker.server_log import ServerLog
from kafkalab.broker.shell.request_path import RequestPath, TimedRequest
from kafkalab.broker.transactions.marker_writer import MarkerWriter
from kafkalab.broker.transactions.producer_ids import ProducerIds
from kafkalab.broker.transactions.transaction_coordinator import TransactionCoordinator
from kafkalab.broker.transactions.transaction_log import TransactionLog
from kafkalab.broker.transactions.transaction_verification import TransactionVerification
from kafkalab.broker.transactions.transactional_offsets import TransactionalOffsets
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.header import RequestHeader
from kafkalab.protocol.identifiers import java_uuid
from kafkalab.protocol.request_size import produce_request_bytes
from kafkalab.releases import BrokerProfile
from kafkalab.sim.journal import Journal
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler
from kafkalab.sim.timer import Timer

SLOWEST_MS = 2
"""A request is served 0 to 2 ms after its arrival. The time is drawn for each request, so the seed
decides the order of concurrent requests."""

LARGEST_INT = 2**31 - 1

LOADING_TAKES_MS = (19, 89)
"""How long a new coordinator reads its partition of the offsets topic; recorded four times."""

CREATING_TAKES_MS = (40, 240)
"""How long `__transaction_state` takes to exist for its first user; recorded: one to two refusals,
100 ms apart."""


def _close_nothing(connection_id: str) -> None:
    """Do nothing: a broker without a network has no connections."""


def _ask_nobody(broker: int, request: Any, on_reply: Callable[[Any], object]) -> None:
    """Do nothing: a broker alone has no other broker."""


class Peers(Protocol):
    """The other brokers and the controller, as a broker's shell calls them (InterBroker)."""

    def elect(self, places: list[PartitionKey], unclean: bool) -> dict[PartitionKey, Errors]:
        """Ask the controller to elect leaders; returns the result by partition."""

    def send(
        self, source: int, target: int, message: PeerMessage | None, parks: bool = False
    ) -> None:
        """Send a message of `source` to `target`."""

    def grown(self, leader: int, key: PartitionKey) -> None:
        """Have followers fetch their leader's new records."""

    def change_isr(self, leader: int, wish: ChangeIsr) -> None:
        """Ask the controller for other in-sync replicas."""


APPENDS: Mapping[type, Callable[[Any], int]] = MappingProxyType(
    {
        m.ProduceRequest: lambda request: sum(
            len(topic.partition_data) for topic in request.topic_data
        ),
        m.WriteTxnMarkersRequest: lambda request: sum(
            len(topic.partition_indexes) for marker in request.markers for topic in marker.topics
        ),
        m.OffsetCommitRequest: lambda request: 1,
        m.TxnOffsetCommitRequest: lambda request: 1,
        m.SyncGroupRequest: lambda request: int(bool(request.assignments)),
        m.InitProducerIdRequest: lambda request: int(request.transactional_id is not None),
        m.AddPartitionsToTxnRequest: lambda request: 1,
        m.AddOffsetsToTxnRequest: lambda request: 1,
        m.EndTxnRequest: lambda request: 1,
    }
)
"""Type of request -> how often it appends to a log. In 4.x a thread of the group coordinator waits
for the group's appends; here, as in 2.3, the I/O thread does."""


def appends_of(request: Any) -> int:
    """How many appends a request waits for."""
    count = APPENDS.get(type(request))
    return count(request) if count is not None else 0


class BrokerConnection:
    """The broker's end of a client's connection (KafkaChannel).

    client: the client whose random streams are used; the part of the connection's id before "#".
    caller: the request that is being served or parked, None when idle. Later requests wait in
    `queue`.
    network_thread: the number of the broker's network thread that reads from it and writes to it.
    timed: the steps of the request that is being served, where requests are timed.
    produced_bytes: the size of the PRODUCE that is being served, where clients have quotas.
    throttled_until_ms: until then nothing is read, because the client is above its quota.
    is_parked: the machine has taken the request, and its answer is not ready.
    is_ended: the client has closed its end. What it sent before is still served.
    is_reset: an answer went to the closed end, so that the next one cannot be written.
    """

    __slots__ = (
        "caller",
        "client",
        "id",
        "is_ended",
        "is_parked",
        "is_reset",
        "last_used_ms",
        "network_thread",
        "produced_bytes",
        "queue",
        "rng",
        "throttled_until_ms",
        "timed",
    )

    def __init__(self, id: str, rng: random.Random, network_thread: int) -> None:
        self.network_thread = network_thread
        self.id, self.client = id, id.partition("#")[0]
        self.caller: Caller | None = None
        self.queue: deque[tuple[Caller, Any, int, int]] = deque()
        self.timed: TimedRequest | None = None
        self.rng = rng
        self.last_used_ms = self.throttled_until_ms = self.produced_bytes = 0
        self.is_parked = self.is_ended = self.is_reset = False


class Broker:
    """One broker of the lab (KafkaApis).

    on_halt: on_halt(why) ends the process.
    metadata: this broker's view of the cluster. peers: the other brokers and the controller; None
        for a broker alone. paused_until_ms: the process is paused until then, as in a long garbage
        collection. respond: respond(connection_id, correlation_id, response) sends an answer.
    close: close(connection_id) closes a connection from the broker's side: one that has been idle
        too long, or that sent a request the broker cannot read. The caller does not have to call
        `disconnected` afterwards.
    ask: ask(broker, request, on_reply) sends a request to another broker; on_reply(response) gets
        None when it was lost. rng: the lab's named random streams. Random values for a client come
        from that client's streams.
    """

    def __init__(
        self,
        node_id: int,
        host: str,
        port: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        scheduler: Scheduler,
        respond: Callable[[str, int, Any], object],
        journal: Journal,
        rng: Streams,
        close: Callable[[str], object] = _close_nothing,
        config: BrokerConfig = BrokerConfig(),
        ask: Callable[[int, Any, Callable[[Any], object]], object] = _ask_nobody,
    ) -> None:
        self.node_id, self.host, self.port = node_id, host, port
        self.name = f"broker-{node_id}"
        self.profile = profile
        self.config = config
        self.path = RequestPath(
            config.num_network_threads, config.num_io_threads, config.queued_max_requests
        )
        self.peers: Peers | None = None
        self.on_halt: Callable[[str], object] = lambda why: None
        self.paused_until_ms = 0
        self.metadata = MetadataCache(cluster)
        self.quotas = ClientQuotas(cluster.client_quotas)
        # the cache passes every attribute of the ClusterState on, so the machines use it as one
        cluster = cast(ClusterState, self.metadata)
        self.directory = Directory(profile, cluster, config, self._transactions_ready_after_ms)
        self.server_log = ServerLog(scheduler, node_id, profile.name)
        self.replicas = ReplicaManager(
            node_id, profile, cluster, config, self._draw_below, self.server_log
        )
        self.roles = RoleLines(node_id, profile, cluster, self.replicas, self.server_log)
        self.replicas.tell_isr = self.roles.isr_wanted
        self.disk = self.replicas.disk
        self.offsets = OffsetRequests(self.replicas)
        self.sessions = FollowerSessions(config, self.replicas)
        self.fetchers = ReplicaFetchers(
            config,
            profile.asks_for_epochs,
            self.replicas.replica,
            self.replicas.logs.grown,
            self.disk,
            lambda key: self.fetches.look_again(*key, self._scheduler.now_ms),
        )
        self.fetches = Fetches(
            profile,
            self.replicas,
            config.max_incremental_fetch_session_cache_slots,
            config.replica_selector_class == RACK_AWARE_SELECTOR,
            self._draw_session_id,
            ClientQuotas(cluster.reader_quotas),
        )
        self.share_fetches = ShareFetches(cluster, config, self.replicas, self.server_log)
        self.coordinator = GroupCoordinator(
            node_id,
            profile,
            cluster,
            config,
            self._draw_member_uuid,
            LedOffsetsLog(self.replicas),
            self._draw_loading_ms,
            self.server_log,
        )
        self.producer_ids = ProducerIds(profile, cluster, self._has_served_before)
        self.transactions = TransactionCoordinator(
            node_id,
            profile,
            cluster,
            config,
            self.producer_ids.next_id,
            TransactionLog(self.replicas),
            self.server_log,
        )
        self.transactional_offsets = TransactionalOffsets(self.coordinator, cluster, config)
        self.verification = TransactionVerification(
            profile, cluster, self.replicas, self.transactional_offsets
        )
        self.markers = MarkerWriter(node_id, cluster, self.replicas, self.transactional_offsets)
        administration = Administration(
            node_id,
            profile,
            cluster,
            config,
            self._elect,
        )
        cluster.on_topic_deleted.append(self.topic_deleted)
        cluster.on_topic_altered.append(self.topic_altered)
        self._scheduler = scheduler
        self._ask_broker = ask
        self._respond = respond
        self._journal = journal
        self._rng = rng
        self._close = close
        self._connections: dict[str, BrokerConnection] = {}
        self._timers: dict[TimerKey, Timer] = {}
        self._handlers: dict[type, Callable[[Any, Caller, int], list[Effect]]] = {
            m.ApiVersionsRequest: self.directory.api_versions,
            m.MetadataRequest: self.directory.metadata,
            m.FindCoordinatorRequest: self.directory.find_coordinator,
            m.ProduceRequest: self.verification.produce,
            m.ListOffsetsRequest: self.offsets.list_offsets,
            m.OffsetForLeaderEpochRequest: self.offsets.offset_for_leader_epoch,
            m.FetchRequest: self.fetches.handle,
            m.ShareFetchRequest: self.share_fetches.fetch,
            m.ShareAcknowledgeRequest: self.share_fetches.acknowledge,
            m.InitProducerIdRequest: self._init_producer_id,
            m.DeleteRecordsRequest: self.offsets.delete_records,
            m.AddPartitionsToTxnRequest: self.transactions.add_partitions,
            m.AddOffsetsToTxnRequest: self.transactions.add_offsets,
            m.EndTxnRequest: self.transactions.end_txn,
            m.TxnOffsetCommitRequest: self.verification.commit_offsets,
            m.WriteTxnMarkersRequest: self.markers.handle,
            **dict.fromkeys(
                (
                    m.JoinGroupRequest,
                    m.SyncGroupRequest,
                    m.HeartbeatRequest,
                    m.LeaveGroupRequest,
                    m.OffsetCommitRequest,
                    m.OffsetFetchRequest,
                    m.ListGroupsRequest,
                    m.DescribeGroupsRequest,
                    m.DeleteGroupsRequest,
                    m.OffsetDeleteRequest,
                    m.ConsumerGroupDescribeRequest,
                    m.ConsumerGroupHeartbeatRequest,
                    m.ShareGroupHeartbeatRequest,
                ),
                self.coordinator.handle,
            ),
            **administration.handlers(),
        }
        self._on_reply = {
            "transactions": self.transactions.on_reply,
            "verification": self.verification.on_reply,
            LETTER: self.share_fetches.letters.on_reply,
        }
        self._on_timer = {
            "fetch": self.fetches.on_timer,
            SHARE_FETCH: self.share_fetches.on_timer,
            SHARE_LOCK: self.share_fetches.on_timer,
            SHARE_WRITE: self.share_fetches.on_timer,
            LETTER: self.share_fetches.letters.on_timer,
            "transactions": self.transactions.on_timer,
            "verification": self.verification.on_timer,
            "produce": self.replicas.on_timer,
            "isr": self.replicas.on_timer,
            "retention": self.replicas.on_timer,
            "cleaner": self.replicas.on_timer,
            "round": self.sessions.on_timer,
            "arrival": self.sessions.on_timer,
            "fetcher": self.fetchers.on_timer,
            "delayed": self.fetchers.on_timer,
            "written": self.fetchers.on_timer,
            "checkpoint": self.replicas.on_timer,
        }
        self._carry_out: dict[type, Callable[[Any], object]] = {
            Respond: self._answer,
            SetTimer: self._set_timer,
            CancelTimer: self._cancel_timer,
            Note: self._write,
            Appended: self._look_again,
            Grown: self._tell_followers,
            ToBroker: self._tell_broker,
            ChangeIsr: self._change_isr,
            Halt: self._halt,
            Disconnect: self._hang_up,
            AskBroker: self._ask,
        }

    # -- called by the network

    def receive(self, connection_id: str, header: RequestHeader, request: Any) -> None:
        """Take an arrived request. It is served when the one before it on this connection has been
        answered."""
        connection = self._connections.get(connection_id) or self._accept(connection_id)
        connection.last_used_ms = self._scheduler.now_ms
        caller = Caller(connection_id, connection.client, header)
        received = self._journal.note(
            "request.received",
            self.name,
            client=connection.client,
            api=header.api_key.title,
            correlation_id=header.correlation_id,
        )
        if connection.caller is not None or connection.throttled_until_ms > self._scheduler.now_ms:
            connection.queue.append((caller, request, received, self._scheduler.now_ms))
        else:
            self._begin(connection, caller, request, received, self._scheduler.now_ms)

    def unread(self) -> list[Caller]:
        """The requests that arrived on connections whose last request is not answered yet."""
        return [caller for one in self._connections.values() for caller, *_ in one.queue]

    def ended(self, connection_id: str) -> None:
        """Serve what a client sent before it closed the connection, then drop the connection, as
        Kafka's Selector does with its closing channels.

        A parked request no longer holds up the ones behind it. In Kafka it does until its answer,
        which nobody reads.
        """
        connection = self._connections.get(connection_id)
        if connection is None:
            return
        connection.is_ended = True
        if connection.is_parked:
            connection.is_reset = True
            connection.caller = connection.timed = None
            connection.is_parked = False
        self._read_on(connection)

    def disconnected(self, connection_id: str) -> None:
        """Drop a closed connection and the requests on it. A group's member stays until its session
        ends: the group coordinator does not see connections."""
        if self._connections.pop(connection_id, None) is not None:
            self._cancel_timer(CancelTimer(("idle", connection_id)))
            self.do(self.fetches.abandon(connection_id))
            self.do(self.share_fetches.abandon(connection_id, self._scheduler.now_ms))
            self.do(self.replicas.produces.abandon(connection_id))

    def crash(self) -> None:
        """Stop the process: connections, timers, parked requests, fetch sessions and followers'
        positions are lost. Logs are on the disk."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._connections.clear()
        self.paused_until_ms = 0
        self.path.forget()
        self.fetches.forget()
        self.share_fetches.forget()
        self.coordinator.process_died()
        self.transactions.forget()
        self.verification.forget()
        self.sessions.forget()
        self.fetchers.forget()
        self.replicas.process_died()

    def start(self) -> None:
        """Start the process again: read groups back, with a new session for every member, and
        transactions, whose decided ones are completed.

        With other brokers this happens when the controller makes the broker a leader again."""
        self.do(self.disk.start(self._scheduler.now_ms))
        self.coordinator.process_started()
        self.transactions.process_started()
        if self.peers is not None:
            return
        self.do(self.coordinator.load(self._scheduler.now_ms))
        self.do(self.transactions.load(self._scheduler.now_ms))

    def pause(self, until_ms: int) -> None:
        """Pause the process: requests and timers wait until `until_ms`."""
        self.paused_until_ms = max(self.paused_until_ms, until_ms)

    def leader_changed(self, partition: Partition, before: int, stored_at: Broker) -> None:
        """A partition has another leader. Groups move to the leader of their partition of the
        offsets topic, transactions to the leader of theirs.

        stored_at: the last leader, which has the records.
        """
        if partition.topic == TRANSACTION_TOPIC:
            self.do(self.transactions.leader_changed(partition.index, self._scheduler.now_ms))
        if partition.topic != OFFSETS_TOPIC:
            return
        if before == self.node_id:
            self.do(self.coordinator.resign(partition.index, self._scheduler.now_ms))
        elif self.profile.is_kraft and self._follows(partition):
            self.coordinator.stays_away(partition.index)
        if partition.leader == self.node_id:
            self.do(
                self.coordinator.take_over(
                    partition.index, stored_at.coordinator, self._scheduler.now_ms
                )
            )

    def read_roles(self) -> None:
        """The process has started and read the cluster's state: a KRaft broker says which
        partitions of the coordinators' topics it does not lead (BrokerMetadataPublisher)."""
        if not self.profile.is_kraft:
            return
        topics = self.metadata.topics
        self.roles.changed(
            [
                NewRole(partition, None, UNKNOWN_EPOCH)
                for topic in topics.values()
                for partition in topic.partitions
                if self._follows(partition)
            ]
        )
        for partition in topics[OFFSETS_TOPIC].partitions if OFFSETS_TOPIC in topics else ():
            if self._follows(partition):
                self.coordinator.stays_away(partition.index)
        for partition in (
            topics[TRANSACTION_TOPIC].partitions if TRANSACTION_TOPIC in topics else ()
        ):
            if self._follows(partition):
                self.transactions.says_its_role(partition)

    def _follows(self, partition: Partition) -> bool:
        return self.node_id in partition.replicas and partition.leader != self.node_id

    def topic_deleted(self, topic: str) -> None:
        """Delete a topic's replicas, answer its parked fetches, and remove groups' offsets in it. A
        disconnected broker does this later (`InterBroker`)."""
        if not self.metadata.is_current:
            return
        for partition in self.replicas.forget(topic):
            self.sessions.dropped((topic, partition))
            self.do(self.fetchers.unfollow(((topic, partition),), self._scheduler.now_ms))
            self.do(self.replicas.produces.look_again((topic, partition)))
            self.do(self.fetches.look_again(topic, partition, self._scheduler.now_ms))
            self.do(self.share_fetches.look_again(topic, partition, self._scheduler.now_ms))
        self.do(self.coordinator.topic_deleted(topic, self._scheduler.now_ms))

    def topic_altered(self, topic: str) -> None:
        """Let the logs of a topic follow its new settings."""
        runs = self.metadata.alive[self.node_id]
        self.do(self.replicas.topic_altered(topic, self._scheduler.now_ms, runs))

    # -- serving

    def _accept(self, connection_id: str) -> BrokerConnection:
        client = connection_id.partition("#")[0]
        connection = BrokerConnection(
            connection_id, self._rng.stream(f"{client}/served by {self.name}"), self.path.accept()
        )
        self._connections[connection_id] = connection
        self._set_timer(
            SetTimer(
                ("idle", connection_id),
                self._scheduler.now_ms + self.config.connections_max_idle_ms,
            )
        )
        return connection

    def _begin(
        self,
        connection: BrokerConnection,
        caller: Caller,
        request: Any,
        received: int,
        arrived_ms: int,
    ) -> None:
        connection.caller, connection.is_parked = caller, False
        delay_ms = int(connection.rng.random() * (SLOWEST_MS + 1))
        work_ms = self.replicas.work_ms(request) if type(request) is m.ProduceRequest else 0
        if self.disk.append_ms:
            work_ms += self.disk.append_ms * appends_of(request)
        clock, header = self._scheduler, caller.header
        before, clock.cause = clock.cause, received
        steps = self.path.arrive(
            connection.network_thread,
            header.api_key.title,
            clock.now_ms,
            caller.client,
            header.correlation_id,
            work_ms,
        )
        begun_ms, done_ms = steps.begun_us // 1_000, steps.ended_us // 1_000
        if self.path.timed is not None:
            connection.timed = TimedRequest(steps, connection.id, arrived_ms)
        if begun_ms > clock.now_ms:
            self._journal.append(
                "request.queued",
                self.name,
                client=caller.client,
                api=header.api_key.title,
                correlation_id=header.correlation_id,
                wait_ms=begun_ms - clock.now_ms,
            )
        if delay_ms or done_ms > clock.now_ms:
            clock.post(
                max(clock.now_ms + delay_ms, done_ms), self._serve, connection, caller, request
            )
        else:
            self._serve(connection, caller, request)
        clock.cause = before

    def _serve(self, connection: BrokerConnection, caller: Caller, request: Any) -> None:
        if (
            connection.caller is not caller
            or self._connections.get(connection.id) is not connection
        ):
            return  # the connection was closed while the request was in the broker's queues
        if self.paused_until_ms > self._scheduler.now_ms:
            self._scheduler.at(
                self.paused_until_ms, partial(self._serve, connection, caller, request)
            )
            return
        if connection.timed is not None:
            timed = connection.timed
            timed.local_us = max(timed.freed_us, 1_000 * self._scheduler.now_ms)
        handler = self._handlers.get(type(request))
        header = caller.header
        if handler is None or not (
            self.directory.speaks(header.api_key, header.api_version)
            or header.api_key is ApiKeys.API_VERSIONS
        ):
            # a broker closes the connection on what it cannot read
            self._drop(connection.id)
            return
        if self.metadata.client_quotas and type(request) is m.ProduceRequest:
            connection.produced_bytes = produce_request_bytes(header, request)
        connection.is_parked = True
        self.do(handler(request, caller, self._scheduler.now_ms))

    def do(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._carry_out[type(effect)](effect)

    # -- the effects

    def _answer(self, effect: Respond) -> None:
        caller = effect.to
        connection = self._connections.get(caller.connection_id)
        if connection is None or connection.caller is not caller:
            return  # the connection is closed, or the request was answered before
        now_ms = self._scheduler.now_ms
        if connection.produced_bytes:
            effect = self._throttled(effect, connection, now_ms)
        elif self.metadata.reader_quotas and type(effect.response) is m.FetchResponse:
            self._mute(effect, connection, now_ms, effect.response.throttle_time_ms)
        written_ms = self.path.answer(
            connection.network_thread,
            now_ms,
            caller.client,
            caller.header.api_key.title,
            connection.timed,
        )
        if written_ms > now_ms:
            self._scheduler.post(written_ms, self._write_answer, effect, connection)
        else:
            self._write_answer(effect, connection)

    def _write_answer(self, effect: Respond, connection: BrokerConnection) -> None:
        caller = effect.to
        if (
            connection.caller is not caller
            or self._connections.get(connection.id) is not connection
        ):
            return
        header, clock = caller.header, self._scheduler
        connection.last_used_ms = clock.now_ms
        if effect.response is not None and connection.is_reset:
            self._drop(connection.id)
            return
        if effect.response is not None:
            connection.is_reset = connection.is_ended
            before = clock.cause
            clock.cause = self._journal.note(
                "response.sent",
                self.name,
                client=caller.client,
                api=header.api_key.title,
                correlation_id=header.correlation_id,
            )
            self._respond(connection.id, header.correlation_id, effect.response)
            clock.cause = before
        if connection.timed is not None and self.path.timed is not None:
            self.path.timed.append(connection.timed)
        connection.caller = connection.timed = None
        connection.is_parked = False
        if connection.throttled_until_ms > clock.now_ms:
            clock.post(connection.throttled_until_ms, self._read_on, connection)
        else:
            self._read_on(connection)

    def _throttled(self, effect: Respond, connection: BrokerConnection, now_ms: int) -> Respond:
        """The answer to a PRODUCE. Above its quota the client is told how long it has to wait, and
        the connection is muted for this time (RequestHandlerHelper.throttle, KIP-219)."""
        size_bytes, connection.produced_bytes = connection.produced_bytes, 0
        client_id = effect.to.header.client_id
        throttle_ms = self.quotas.throttle_ms(client_id, size_bytes, now_ms)
        self._mute(effect, connection, now_ms, throttle_ms)
        if not throttle_ms or effect.response is None:
            return effect  # acks=0: the client is not told, and its next request is read late
        return Respond(effect.to, replace(effect.response, throttle_time_ms=throttle_ms))

    def _mute(
        self, effect: Respond, connection: BrokerConnection, now_ms: int, throttle_ms: int
    ) -> None:
        """Read nothing from a connection for so long; nothing happens for 0."""
        if not throttle_ms:
            return
        connection.throttled_until_ms = now_ms + throttle_ms
        if connection.timed is not None:
            connection.timed.throttle_us = 1_000 * throttle_ms
        self._journal.append(
            "request.throttled",
            self.name,
            client=connection.client,
            correlation_id=effect.to.header.correlation_id,
            throttle_ms=throttle_ms,
        )

    def _read_on(self, connection: BrokerConnection) -> None:
        """Serve the next request of a connection that is open, idle and not muted. A connection
        that its client has closed is dropped after its last request."""
        if (
            connection.caller is not None
            or connection.throttled_until_ms > self._scheduler.now_ms
            or self._connections.get(connection.id) is not connection
        ):
            return
        if connection.queue:
            self._begin(connection, *connection.queue.popleft())
        elif connection.is_ended:
            self._drop(connection.id)

    def _set_timer(self, effect: SetTimer) -> None:
        key = effect.key
        earlier = self._timers.get(key)
        if earlier is not None:
            earlier.cancel()
        self._timers[key] = self._scheduler.at(effect.at_ms, self._ring, key)

    def _cancel_timer(self, effect: CancelTimer) -> None:
        timer = self._timers.pop(effect.key, None)
        if timer is not None:
            timer.cancel()

    def _ring(self, key: TimerKey) -> None:
        if self.paused_until_ms > self._scheduler.now_ms:
            self._timers[key] = self._scheduler.at(self.paused_until_ms, partial(self._ring, key))
            return
        del self._timers[key]
        if key[0] == "idle":
            self._close_if_idle(key[1])
        else:
            self.do(
                self._on_timer.get(key[0], self.coordinator.on_timer)(key, self._scheduler.now_ms)
            )

    def _write(self, effect: Note) -> None:
        self._journal.write(effect.kind, self.name, effect.fields)

    def _look_again(self, effect: Appended) -> None:
        ends = self.replicas.ends_to_tell(effect.topic, effect.partition)
        if ends is not None:
            self._write(ends)
        place = effect.topic, effect.partition, self._scheduler.now_ms
        self.do(self.fetches.look_again(*place))
        self.do(self.share_fetches.look_again(*place))
        if self.sessions.by_follower:
            self.do(
                self.sessions.watermark_moved(
                    (effect.topic, effect.partition), self._scheduler.now_ms
                )
            )

    def _tell_followers(self, effect: Grown) -> None:
        if self.peers is not None:
            self.peers.grown(self.node_id, (effect.topic, effect.partition))

    def _elect(self, places: list[PartitionKey], unclean: bool) -> Mapping[PartitionKey, Errors]:
        assert self.peers is not None, "a broker alone has no controller that holds elections"
        return self.peers.elect(places, unclean)

    def _tell_broker(self, effect: ToBroker) -> None:
        assert self.peers is not None, "a broker alone has no other broker to write to"
        self.peers.send(self.node_id, effect.broker, effect.message, effect.parks)

    def _halt(self, effect: Halt) -> None:
        """End the process at this time, after the other effects of this step."""
        self._scheduler.after(0, self.on_halt, effect.why)

    def _change_isr(self, effect: ChangeIsr) -> None:
        assert self.peers is not None, "a broker alone has no followers in its in-sync replicas"
        self.peers.change_isr(self.node_id, effect)

    def _ask(self, effect: AskBroker) -> None:
        self._ask_broker(effect.broker, effect.request, partial(self._replied, effect.tag))

    def _replied(self, tag: tuple[Any, ...], response: Any) -> None:
        """Take another broker's answer; a paused process reads it later."""
        if self._scheduler.now_ms < self.paused_until_ms:
            self._scheduler.at(self.paused_until_ms, partial(self._replied, tag, response))
        else:
            self.do(self._on_reply[tag[0]](tag, response, self._scheduler.now_ms))

    def _hang_up(self, effect: Disconnect) -> None:
        self._drop(effect.to.connection_id)

    def _drop(self, connection_id: str) -> None:
        """Close a connection from the broker's side."""
        self.disconnected(connection_id)
        self._close(connection_id)

    def _close_if_idle(self, connection_id: str) -> None:
        """Close an idle connection (connections.max.idle.ms). The timer is set again if the
        connection was used."""
        connection = self._connections[connection_id]
        due_ms = connection.last_used_ms + self.config.connections_max_idle_ms
        if due_ms > self._scheduler.now_ms or connection.caller is not None:
            again_ms = max(due_ms, self._scheduler.now_ms + 1_000)
            self._set_timer(SetTimer(("idle", connection_id), again_ms))
        else:
            self._drop(connection_id)

    # -- random values, from the client's own streams

    def _draw_member_uuid(self, caller: Caller) -> str:
        return java_uuid(self._rng.stream(f"{caller.client}/member id"))

    def _draw_loading_ms(self) -> int:
        return self._rng.stream(f"{self.name}/loading groups").randint(*LOADING_TAKES_MS)

    def _draw_below(self, limit: int) -> int:
        return self._rng.stream(f"{self.name}/segment jitter").randrange(limit)

    def _draw_session_id(self, caller: Caller) -> int:
        return self._rng.stream(f"{caller.client}/fetch session id").randint(1, LARGEST_INT)

    def _init_producer_id(
        self, request: m.InitProducerIdRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        who = self.producer_ids if request.transactional_id is None else self.transactions
        return who.init_producer_id(request, caller, now_ms)

    def _transactions_ready_after_ms(self, caller: Caller) -> int:
        """How long the creation of `__transaction_state` takes; 0 where it exists from earlier
        clients."""
        luck = self._rng.stream(f"{caller.client}/transaction topic")
        return (
            0
            if luck.random() < self.config.chance_of_producer_ids
            else luck.randint(*CREATING_TAKES_MS)
        )

    def _has_served_before(self, caller: Caller) -> bool:
        chance = self.config.chance_of_producer_ids
        return self._rng.stream(f"{caller.client}/producer ids at {self.name}").random() < chance
