"""BrokerEnd: connects a broker to the network, and offers its faults to a story (SocketServer).

`lab.broker(0)` gives one: `lab.broker(0).crash()`. The machines of `kafkalab.broker` serve the
requests. This class takes requests from connections, puts answers on them, and starts and stops the
process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import BrokerNode, ClusterState
from kafkalab.broker.log.learners_rules import CleaningRule, RetentionRule
from kafkalab.broker.log.learners_verdict import ArrivedBatch, KnownProducer
from kafkalab.broker.log.offset_lookup import LookUp, look_up
from kafkalab.broker.replication.learners_completion import CompletionRule
from kafkalab.broker.shell.broker import Broker
from kafkalab.broker.shell.broker_channel import BrokerChannel, OnReply
from kafkalab.broker.shell.interbroker import InterBroker
from kafkalab.protocol.api_keys import api_of
from kafkalab.releases import BrokerProfile
from kafkalab.sim.journal import Journal
from kafkalab.sim.network import Connection, Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler


class DiskFaults:
    """The faults of one broker's disk: full and slow. `BrokerEnd.power_loss` is the third one
    (LogDirFailureChannel)."""

    def __init__(
        self, machine: Broker, clock: Scheduler, journal: Journal, is_up: Callable[[], bool]
    ) -> None:
        self._machine, self._clock, self._journal, self._is_up = machine, clock, journal, is_up

    def fill(self) -> None:
        """Fill the disk: no byte can be written. The first append that fails is answered with
        KAFKA_STORAGE_ERROR (KafkaStorageException) and ends the process: a broker with one log
        directory halts when it fails. Without any append the next checkpoint of high watermarks
        fails, within five seconds. A restart does not help before `free()`."""
        self._note("fill_disk")
        effects = self._machine.disk.fill(self._clock.now_ms)
        if self._is_up():
            self._machine.do(effects)

    def free(self) -> None:
        """Free space on the disk: writes succeed again."""
        self._note("free_disk")
        self._machine.disk.free()

    def slow(self, ms: int) -> None:
        """Make each append to a log take `ms` milliseconds longer, from now on; 0 ends it.

        A request that appends keeps its I/O thread for so long (PRODUCE once a partition); a
        follower sends its next fetch when it has written. Reads come from the page cache and stay
        fast. Raises ValueError for anything but whole milliseconds from 0 on.
        """
        if not isinstance(ms, int) or isinstance(ms, bool) or ms < 0:
            raise ValueError(
                f"a slow disk takes a whole number of milliseconds, 0 or more, not {ms!r}"
            )
        self._note("slow_disk", ms=ms)
        self._machine.disk.slow(ms)

    def _note(self, what: str, **fields: object) -> None:
        self._journal.append(
            "fault", self._machine.name, what=what, broker=self._machine.node_id, **fields
        )


class BrokerEnd:
    """One broker on the network (SocketServer); it listens from the start.

    name     its name in the journal: broker-0, broker-1, ...
    machine  the Broker that answers
    profile  its release
    disk     the faults of its disk: `lab.broker(0).disk.fill()`
    """

    def __init__(
        self,
        node: BrokerNode,
        profile: BrokerProfile,
        config: BrokerConfig,
        cluster: ClusterState,
        clock: Scheduler,
        network: Network,
        journal: Journal,
        streams: Streams,
        peers: InterBroker,
    ) -> None:
        self.node = node
        self.name = f"broker-{node.id}"
        self.machine = Broker(
            node.id,
            node.host,
            node.port,
            profile,
            cluster,
            clock,
            self._respond,
            journal,
            streams,
            close=self._close,
            config=config,
            ask=self._ask,
        )
        self.disk = DiskFaults(self.machine, clock, journal, lambda: self._is_up)
        self._channels: dict[int, BrokerChannel] = {}
        self._cluster, self._release = cluster, profile.name
        self._clock, self._network, self._journal, self._peers = clock, network, journal, peers
        self.profile, self._config = profile, config
        self._is_up, self._was_clean, self._life = True, False, 0
        peers.add(self.machine)
        self.machine.on_halt = self._halt
        self._connections: dict[str, Connection] = {}
        self._delays_ms: dict[str, int] = {}
        self._answered_ms: dict[str, int] = {}
        network.listen(node.host, node.port, self)

    # faults

    def advertise(self, port: int) -> None:
        """Give clients `localhost` and this port as the broker's address from now on, as after a
        restart with another `advertised.listeners`. The broker listens where it did.

        Other brokers reach it as before, by a listener of their own. Raises ValueError for what is
        no port.
        """
        if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65_536:
            raise ValueError(f"a port is a whole number from 1 to 65535, not {port!r}")
        self._journal.append("fault", self.name, what="advertise", broker=self.node.id, port=port)
        self._cluster.brokers[self.node.id] = replace(self.node, port=port)

    def delay(self, api: str, ms: int) -> None:
        """Answer requests of one API (`"API_VERSIONS"`) `ms` milliseconds later than usual,
        from now on; 0 ends it."""
        self._journal.append("fault", self.name, what="delay", broker=self.node.id, api=api, ms=ms)
        self._delays_ms[api] = ms

    def keep_busy(self, api: str, ms: int) -> None:
        """Make each request of one API (`"PRODUCE"`) keep an I/O thread for `ms` milliseconds, from
        now on; 0 ends it. Other requests wait in the queue."""
        self._journal.append(
            "fault", self.name, what="keep_busy", broker=self.node.id, api=api, ms=ms
        )
        self.machine.path.keep_busy(api, ms)

    def judge_batches(self, rule: Callable[[KnownProducer | None, ArrivedBatch], str]) -> None:
        """Let a rule of your own decide about the batches of idempotent producers at this broker,
        from now on. It gets the leader's state of the producer id (None: no state) and the batch,
        and returns "append", "duplicate", "out of order" or "fenced"."""
        self._journal.append("fault", self.name, what="judge_batches", broker=self.node.id)
        self.machine.replicas.verdict_rule = rule

    def move_watermark(self, rule: Callable[[Mapping[int, int], tuple[int, ...]], int]) -> None:
        """Replace the rule by which this broker, as a leader, moves the high watermark.

        rule(ends, in_sync) returns an offset. `ends`: broker -> the log end that the leader knows
        of its replica; 0 before it has fetched. `in_sync`: the brokers that count, the leader among
        them. A high watermark never falls at a leader, so a lower offset changes nothing. Internal
        topics keep Kafka's rule.
        """
        self._journal.append("fault", self.name, what="move_watermark", broker=self.node.id)
        self.machine.replicas.watermark_rule = rule

    def complete_by(self, rule: CompletionRule) -> None:
        """Let a rule of your own decide which PRODUCE with acks=all and which FETCH may be
        completed at this broker, from now on.

        rule(request, state) returns True or False. The broker asks when the request arrives, and
        again when something changes in one of its partitions. What the rule never completes is
        answered when its time is over. Coordinators' own appends keep Kafka's rule.
        """
        self._journal.append("fault", self.name, what="complete_by", broker=self.node.id)
        self.machine.replicas.complete_by(rule)

    def delete_segments_by(self, rule: RetentionRule) -> None:
        """Let a rule of your own decide what retention deletes at this broker, from now on.

        At each check it gets the segments, the time, retention.ms and retention.bytes of each log
        whose policy is delete. It returns the base offsets of the segments that go."""
        self._journal.append("fault", self.name, what="delete_segments_by", broker=self.node.id)
        self.machine.replicas.logs.retention_rule = rule

    def clean_by(self, rule: CleaningRule) -> None:
        """Let a rule of your own decide what compaction keeps at this broker, from now on.

        It gets the records below the active segment, and returns the offsets of those that stay.
        Internal topics keep the rule of Kafka."""
        self._journal.append("fault", self.name, what="clean_by", broker=self.node.id)
        self.machine.replicas.logs.cleaning_rule = rule

    def request_path(self) -> list[dict[str, object]]:
        """List the requests in this broker at this time: in sockets, the request queue, I/O
        threads, response queues and purgatories.

        Each request is a row with place, client and api, for pandas.DataFrame or a picture. A
        coordinator's own appends are not requests and have no row.
        """
        machine = self.machine
        rows = machine.path.table(self._clock.now_ms)
        # a network thread reads a connection again when it has answered its last request
        rows += [
            {
                "place": "socket",
                "client": caller.client,
                "api": caller.header.api_key.title,
                "correlation_id": caller.header.correlation_id,
            }
            for caller in machine.unread()
        ]
        rows += [
            {"place": "fetch purgatory", "client": fetch.caller.client, "api": "FETCH"}
            for fetch in machine.fetches.waiting
        ]
        rows += [
            {"place": "produce purgatory", "client": produce.caller.client, "api": "PRODUCE"}
            for produce in machine.replicas.produces.waiting
            if produce.caller is not None
        ]
        return rows

    def time_requests(self) -> None:
        """Keep the times of each request that this broker answers from now on, as Kafka does with
        DEBUG for kafka.request.logger. The story stays the same."""
        if self.machine.path.timed is None:
            self.machine.path.timed = []

    def request_times(self) -> list[dict[str, Any]]:
        """List the answered requests with the time of each stage in ms, in the order of their
        answers. Empty before `time_requests()`.

        The stages have the names of Kafka's RequestMetrics: request_queue_ms is RequestQueueTimeMs,
        and so on for local, remote, response_queue and send; total_ms is their sum. throttle_ms:
        how long the client has to wait after the answer, because it is above its quota. Kafka does
        not measure socket_ms, the time before a network thread has read the request. worked_ms: how
        long it kept an I/O thread; blocked_ms: how long its network thread waited for a place in
        the request queue.
        """
        return [one.row() for one in self.machine.path.timed or ()]

    def segments(self, topic: str, partition: int) -> list[dict[str, object]]:
        """List the files of one partition's log on this broker, oldest first; the last is the
        active one. Empty where it has no records.

        largest_timestamp_ms: retention by time uses it. index_entries: the entries of its sparse
        index. is_clean: it has been compacted.
        """
        replica = self.machine.replicas.found((topic, partition))
        if replica is None:
            return []
        log = replica.log
        return [
            {
                "file": segment.file_name,
                "base_offset": segment.base_offset,
                "size_bytes": segment.size_bytes,
                "largest_timestamp_ms": segment.largest_ms,
                "index_entries": len(segment.index),
                "is_clean": segment.base_offset < log.first_dirty,
                "is_active": segment is log.segments.active,
            }
            for segment in log.segments
        ]

    def look_up(self, topic: str, partition: int, offset: int) -> LookUp | None:
        """List the steps by which this broker finds an offset in its files: segment, index entry,
        scanned batches. None where the log has no such record."""
        replica = self.machine.replicas.found((topic, partition))
        return None if replica is None else look_up(replica.log, offset)

    def crash(self) -> None:
        """Kill the process (kill -9): its sockets break, new ones are refused, and its state in
        memory is lost.

        The controller learns of it when the broker's session ends. Does nothing where the broker is
        down already.
        """
        self._end("crash", clean=False)

    def power_loss(self) -> None:
        """Cut the power of the broker's machine: the process dies, and the bytes are lost that the
        operating system had not written.

        A segment is on the disk once the next one was rolled. Of the active segment Linux writes
        the bytes older than 30 s, every 5 s. Kafka truncates the remainder when it starts
        (LogLoader) and relies on the other replicas. An orderly stop flushes the logs, so it loses
        no record. Raises
        ValueError where the broker coordinates a group of the KIP-848 protocol: the lab does not
        keep such a group's members in a log that could lose them.
        """
        if self.machine.coordinator.table.modern:
            group = next(iter(self.machine.coordinator.table.modern))
            raise ValueError(
                f"{self.name} coordinates the group {group!r} of the new consumer protocol, and "
                "what a loss of power does to such a group is not simulated: place its "
                "coordinator elsewhere, or use crash()"
            )
        self._end("power loss", clean=False)
        self.machine.do(self.machine.replicas.lose_power(self._clock.now_ms))

    def stop(self) -> None:
        """Stop the process in an orderly way: its leaderships move to replicas in sync first
        (controlled.shutdown.enable). It takes a few milliseconds of the lab's time. ZooKeeper's
        session is closed; a KRaft controller keeps the old one until it ends."""
        if not self._is_up:
            return
        life = self._life
        self._journal.append("broker.stopping", self.name, broker=self.node.id)
        if self._config.controlled_shutdown_enable:
            self._peers.shuts_down(self.node.id)

        def end() -> None:
            if self._life == life:
                self._end("stop", clean=True)

        self._clock.after(2 * self.profile.move_ms, end)

    def restart(self, takes_ms: int = 0) -> None:
        """Start the process again with its logs on the disk; a running process is killed first.

        takes_ms: the time from the start to an open port. KRaft registers a broker again only when
        its old session has ended, broker.session.timeout.ms after its last heartbeat: after a kill,
        and after an orderly stop as well.
        """
        self.crash()
        self._life += 1
        life = self._life
        self._journal.append("broker.starting", self.name, broker=self.node.id)
        self._begin_at(self._clock.now_ms + takes_ms, life)

    def pause(self, ms: int) -> None:
        """Pause the process for `ms` milliseconds, as in a long garbage collection: it answers no
        request and sends no heartbeat.

        Afterwards it serves the waiting requests. It learns the controller's decisions a little
        later, and until then acts on its old state.
        """
        if self._is_up:
            until_ms = self._clock.now_ms + ms
            self._journal.append("fault", self.name, what="pause", broker=self.node.id, ms=ms)
            self.machine.pause(until_ms)
            self._peers.paused(self.node.id, until_ms)

    def fill_disk(self) -> None:
        """The same as `disk.fill()`."""
        self.disk.fill()

    def free_disk(self) -> None:
        """The same as `disk.free()`."""
        self.disk.free()

    @property
    def is_up(self) -> bool:
        """Whether the process runs."""
        return self._is_up

    def _begin_at(self, at_ms: int, life: int) -> None:
        def begin() -> None:
            if self._life != life or self._is_up:
                return
            allowed_ms = self._peers.may_start_at_ms(self.node.id)
            if allowed_ms > self._clock.now_ms:
                self._begin_at(allowed_ms + 1, life)
                return
            self._is_up = True
            self._network.listen(self.node.host, self.node.port, self)
            self._journal.append("broker.up", self.name, broker=self.node.id)
            self.machine.start()
            self._peers.started(self.node.id, self._was_clean)

        if at_ms > self._clock.now_ms:
            self._clock.at(at_ms, begin)
        else:
            begin()

    def _halt(self, why: str) -> None:
        self._end(f"halt: {why}", clean=False)

    def _end(self, how: str, clean: bool) -> None:
        self._life += 1
        if not self._is_up:
            return
        self._is_up, self._was_clean = False, clean
        if clean:
            self.machine.replicas.flush()
        self._network.stop_listening(self.node.host, self.node.port)
        self._connections.clear()
        for channel in self._channels.values():
            channel.forget()
        self.machine.crash()
        self._journal.append("broker.down", self.name, broker=self.node.id, how=how)
        self._peers.died(self.node.id, clean)

    # called by the network

    def received(self, connection: Connection, message: Any) -> None:
        _, header, request = message
        self._connections[connection.id] = connection
        self.machine.receive(connection.id, header, request)

    def ended(self, connection: Connection) -> None:
        self.machine.ended(connection.id)

    def broken(self, connection: Connection) -> None:
        self._connections.pop(connection.id, None)
        self._answered_ms.pop(connection.id, None)
        self.machine.disconnected(connection.id)

    # called by the broker

    def _respond(self, connection_id: str, correlation_id: int, response: Any) -> None:
        connection = self._connections.get(connection_id)
        if connection is None:
            return
        at_ms = self._clock.now_ms
        # a connection's answers keep their order: an answer after a late one is late, too
        if self._delays_ms:
            at_ms = max(
                at_ms + self._delays_ms.get(api_of(response).name, 0),
                self._answered_ms.get(connection_id, 0),
            )
            self._answered_ms[connection_id] = at_ms
        if at_ms > self._clock.now_ms:
            self._clock.at(at_ms, lambda: connection.reply(response))
        else:
            connection.reply(response)

    def _ask(self, broker: int, request: Any, on_reply: OnReply) -> None:
        if broker not in self._channels:
            peer = self._peers.brokers[broker]
            self._channels[broker] = BrokerChannel(
                self._network, self.name, peer.host, peer.port, self._release
            )
        self._channels[broker].ask(request, on_reply)

    def _close(self, connection_id: str) -> None:
        connection = self._connections.pop(connection_id, None)
        self._answered_ms.pop(connection_id, None)
        if connection is not None:
            connection.close_by_server()
