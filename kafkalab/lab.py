"""A cluster, its clients and one clock, ready to be used in a cell. The only place where brokers and clients meet.

    lab = Lab(brokers=3, seed=7, version="2.3")
    lab.create_topic("t4", partitions=3)
    consumer = KafkaConsumer(lab, {"group.id": "test"})
    consumer.subscribe(["t4"])
    consumer.poll(timeout_ms=6_000)
    lab.lines().tail()
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafkalab.broker.broker import Broker
from kafkalab.broker.broker_config import broker_config
from kafkalab.broker.cluster import BrokerNode, ClusterState
from kafkalab.broker.profiles import broker_profile
from kafkalab.clients.least_loaded import NodeLoad
from kafkalab.clients.log_context import LogContext
from kafkalab.lines.layout import Row, text_of, time_text
from kafkalab.sim.apps import App, Signal, Stage
from kafkalab.sim.journal import Event, Journal
from kafkalab.sim.network import Connection, Link, Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler
from kafkalab.versions import Profile, profile_of

DEFAULT_EPOCH = "2026-01-05 09:00:00"


@dataclass(frozen=True, slots=True)
class Socket:
    """One TCP connection a client tried to open.

    node_id   the id under which the client keeps it, as it prints it ("-1", "2147483645", "+2", "0")
    broker    the broker's real id; None for a bootstrap socket, whose broker the client does not know
    role      bootstrap, coordinator or data
    purpose   what made the client open it: metadata, telemetry or request
    *_at_ms   virtual time; None where it has not happened
    how       why it closed: idle, peer, self, close, failed (never stood); None while it is open
    """

    client: str
    node_id: str
    broker: int | None
    role: str
    purpose: str
    opened_at_ms: int
    connected_at_ms: int | None
    closed_at_ms: int | None
    how: str | None
    event_id: int


class BrokerEnd:
    """A broker as the network sees it; also the handle for faults: `lab.broker(0).crash()`."""

    def __init__(self, lab: Lab, node: BrokerNode, profile, config) -> None:
        self.name = f"broker-{node.id}"
        self.node = node
        self._lab = lab
        self._connections: dict[str, Connection] = {}
        self._delays: dict[str, int] = {}
        self.machine = Broker(node.id, node.host, node.port, profile, lab.cluster, lab.clock, self._respond, lab.journal, lab.streams,
                              close=self._close, config=config)

    def received(self, connection: Connection, message: Any) -> None:
        request, header, body = message
        self._connections[connection.id] = connection
        self.machine.receive(connection.id, header, body)

    def broken(self, connection: Connection) -> None:
        self._connections.pop(connection.id, None)
        self.machine.disconnected(connection.id)

    def delay(self, api: str, ms: int) -> None:
        """Answer requests of one API (`"API_VERSIONS"`) `ms` later than usual, from now on; 0 ends it."""
        self._delays[api] = ms

    def crash(self) -> None:
        """The process dies: sockets break, new ones are refused."""
        self._lab.network.stop_listening(self.node.host, self.node.port)
        self._connections.clear()
        self.machine.crash()

    def restart(self) -> None:
        self._lab.network.listen(self.node.host, self.node.port, self)
        self.machine.start()

    def _respond(self, connection_id: str, correlation_id: int, response: Any) -> None:
        connection = self._connections.get(connection_id)
        if connection is None:
            return
        from kafkalab.protocol.api_keys import api_of
        delay_ms = self._delays.get(api_of(response).name, 0) if self._delays else 0
        if delay_ms:
            self._lab.clock.after(delay_ms, lambda: connection.reply(response))
        else:
            connection.reply(response)

    def _close(self, connection_id: str) -> None:
        connection = self._connections.pop(connection_id, None)
        if connection is not None:
            connection.close_by_server()


class Lab:
    """A simulated cluster.

    brokers         how many, or a mapping id -> "host:port"; ids 0, 1, ... at localhost:9092, 9093, ... otherwise
    seed            one number, or {client name: number, "": for everything else}; same seed, same bytes
    version         the client version where a client names none; broker_version likewise for the brokers
    cold            clients run in a JVM just started: what they do for the first time takes as long as in the recordings
    broker_config   dotted broker settings; epoch  what the clock of the lines shows at now_ms = 0 (UTC)
    """

    def __init__(self, brokers: int | Mapping[int, str] = 3, seed: int | Mapping[str, int] = 0, version: str = "3.9", broker_version: str = "4.4",
                 broker_config: Mapping[str, Any] | None = None, epoch: str | int = DEFAULT_EPOCH, cold: bool = False) -> None:
        self.clock = Scheduler()
        self.journal = Journal(self.clock)
        self.streams = Streams(seed)
        self.stage = Stage(self.clock)
        self.network = Network(self.clock, self.streams)
        self.epoch_ms = epoch if isinstance(epoch, int) else _epoch_ms(epoch)
        self.version = version
        self.cold = cold
        addresses = {i: f"localhost:{9092 + i}" for i in range(brokers)} if isinstance(brokers, int) else dict(brokers)
        nodes = []
        for id, address in addresses.items():
            host, _, port = address.rpartition(":")
            nodes.append(BrokerNode(int(id), host, int(port)))
        settings = _broker_settings(broker_config)
        self.cluster = ClusterState(nodes, self.streams.stream("/cluster"), offsets_partitions=settings.offsets_topic_num_partitions,
                                    offsets_replication_factor=settings.offsets_topic_replication_factor)
        profile = broker_profile(broker_version)
        self._ends = {node.id: BrokerEnd(self, node, profile, settings) for node in nodes}
        for end in self._ends.values():
            self.network.listen(end.node.host, end.node.port, end)
        self._numbers: dict[str, int] = {}
        self._names: set[str] = set()
        self._line_events = 0

    # time

    @property
    def now_ms(self) -> int:
        return self.clock.now_ms

    def run_for(self, ms: int) -> None:
        """Let `ms` milliseconds pass. An exception in a spawned app surfaces here."""
        deadline_ms = self.now_ms + ms
        self.stage.run_until(lambda: False, deadline_ms)

    def run_until(self, done: Callable[[], bool], timeout_ms: int = 600_000) -> bool:
        """Step until `done()`, at most `timeout_ms`; says whether it came true."""
        return self.stage.run_until(done, self.now_ms + timeout_ms)

    def step(self) -> bool:
        """Let the next thing happen; False when nothing is left."""
        return self.clock.step()

    def sleep(self, ms: int) -> None:
        """Inside an app: work for `ms` milliseconds. The rest of the lab goes on meanwhile."""
        self.stage.wait(Signal(), self.now_ms + ms)

    def spawn(self, function: Callable[..., object], *args: object, name: str | None = None) -> App:
        """Run `function(lab, *args)`, a plain blocking function, beside this one."""
        return self.stage.spawn(name or getattr(function, "__name__", "app"), function, self, *args)

    def close(self) -> None:
        """End all apps. A lab that is thrown away needs no closing; its apps do."""
        self.stage.close()

    # the cluster

    def create_topic(self, name: str, partitions: int = 1, replication_factor: int = 1, leaders: Sequence[int] | None = None) -> None:
        self.cluster.create_topic(name, partitions, replication_factor, leaders)

    def place_coordinator(self, group: str, broker: int) -> None:
        """Let `broker` coordinate `group`, as if its partition of __consumer_offsets had always been led there."""
        self.cluster.place_coordinator(group, broker)

    def coordinator_of(self, group: str) -> int:
        return self.cluster.coordinator_of(group)

    def leader(self, topic: str, partition: int) -> int:
        return self.cluster.leader(topic, partition)

    def broker(self, id: int) -> BrokerEnd:
        return self._ends[id]

    def link(self, broker: int, client: str) -> Link:
        """One client's way to one broker: `lab.link(0, "shop").cut()`, `.heal()`, `.set_latency(ms=20)`."""
        return self.network.link(client, f"broker-{broker}")

    @property
    def first_address(self) -> str:
        node = next(iter(self._ends.values())).node
        return f"{node.host}:{node.port}"

    # what clients ask of their lab

    def profile(self, version: str | None) -> Profile:
        return profile_of(version or self.version)[0]

    def next_number(self, kind: str, name: str | None) -> int:
        """The N in a default client id. Each name counts for itself, as each recorded client had a JVM of its own."""
        key = f"{kind}/{name or ''}"
        self._numbers[key] = self._numbers.get(key, 0) + 1
        return self._numbers[key]

    def unused_name(self, wanted: str) -> str:
        name, n = wanted, 2
        while name in self._names:
            name, n = f"{wanted}-{n}", n + 1
        self._names.add(name)
        return name

    def call(self, who: str, name: str, args: Mapping[str, Any]) -> Event:
        """Journal what the application did: the first cause of what follows."""
        before, self.journal.cause = self.journal.cause, None
        event = self.journal.append("call", who, name=name, args=dict(args))
        self.journal.cause = before
        return event

    def app_info(self, log: LogContext, profile: Profile) -> None:
        log("KAFKA_VERSION", release=profile.release)
        log("KAFKA_COMMIT_ID", commit_id=profile.commit_id)
        log("KAFKA_START_TIME", start_ms=self.epoch_ms + self.now_ms)

    def learners_rule(self, function: Callable) -> Callable:
        """A learner's least-loaded rule as a client takes it: it sees small frozen views and returns one of them, or None."""

        def rule(loads: list[NodeLoad], log: LogContext):
            chosen = function([NodeView.of(load) for load in loads])
            if chosen is None:
                return None
            for load in loads:
                if load.node.id == getattr(chosen, "id", chosen):
                    return load.node
            raise ValueError(f"least_loaded returned {chosen!r}, which is none of the nodes it was given")

        return rule

    # what happened

    def lines(self, client: str | None = None):
        """The lines clients wrote, as a pandas DataFrame; `text` is what a Java client's log file would hold."""
        import pandas
        columns = ("at_ms", "time", "client", "client_id", "level", "logger", "line", "message", "text")
        rows = [(e.at_ms, self.time_text(e.at_ms), e.who, e.fields["client_id"], e.fields["level"], e.fields["logger"], e.fields["line"],
                 e.fields["message"], self.line_text(e)) for e in self.journal.of("line") if client is None or e.who == client]
        return pandas.DataFrame(rows, columns=columns)

    def log_text(self, client: str) -> str:
        """One client's whole log file, as log4j would have written it."""
        return "".join(self.line_text(e) for e in self.journal.of("line") if e.who == client)

    def line_text(self, event: Event) -> str:
        fields = event.fields
        return text_of(Row(self.epoch_ms + event.at_ms, fields["level"], fields["message"], fields["logger"], fields["line"], fields["trace"]))

    def time_text(self, at_ms: int) -> str:
        return time_text(self.epoch_ms + at_ms)

    def table(self, kind: str | None = None):
        """The journal as a pandas DataFrame: id, at_ms, kind, who, cause and the fields of the events."""
        import pandas
        events = self.journal.events if kind is None else list(self.journal.of(kind))
        return pandas.DataFrame([{"id": e.id, "at_ms": e.at_ms, "kind": e.kind, "who": e.who, "cause": e.cause, **e.fields} for e in events])

    def sockets(self, client: str | None = None) -> list[Socket]:
        """Every connection that was tried, in the order of trying."""
        connected, closed = {}, {}
        for e in self.journal.of("socket.connected"):
            connected[e.fields["socket"]] = e.at_ms
        for e in self.journal.of("socket.closed"):
            closed[e.fields["socket"]] = (e.at_ms, e.fields["how"])
        found = []
        for e in self.journal.of("socket.opening"):
            if client is not None and e.who != client:
                continue
            fields = e.fields
            role = "bootstrap" if fields["bootstrap"] else "coordinator" if fields["coordinator"] else "data"
            at_ms, how = closed.get(e.id, (None, None))
            found.append(Socket(e.who, fields["node_id"], fields["broker"], role, fields["purpose"], e.at_ms, connected.get(e.id), at_ms, how, e.id))
        return found

    def why(self, event: Event | int | Socket) -> Why:
        """The chain of causes of an event, a socket or (by its number) a line: oldest first."""
        if isinstance(event, Socket):
            event = event.event_id
        return Why(self.journal.why(event))

    def __repr__(self) -> str:
        return f"Lab({len(self._ends)} brokers, {self.now_ms} ms, {len(self.journal.events)} events)"


class Why(list):
    """A list of events that prints as a chain."""

    def __repr__(self) -> str:
        return "\n".join(f"{'  ' * depth}{'' if depth == 0 else '-> '}{event!r}" for depth, event in enumerate(self))


@dataclass(frozen=True, slots=True)
class NodeView:
    """What a learner's own `least_loaded` sees of one node."""

    id: int
    state: str
    in_flight: int
    can_send: bool
    can_connect: bool
    last_attempt_ms: int

    @classmethod
    def of(cls, load: NodeLoad) -> NodeView:
        state = "ready" if load.can_send or load.in_flight and not load.is_preparing else "preparing" if load.is_preparing else "disconnected"
        return cls(load.node.id, state, load.in_flight, load.can_send, load.can_connect, load.last_attempt_ms)


def _epoch_ms(text: str) -> int:
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)


def _broker_settings(settings: Mapping[str, Any] | None):
    settings = dict(settings or {})
    chance = {"chance_of_producer_ids": settings.pop("chance_of_producer_ids")} if "chance_of_producer_ids" in settings else {}
    return broker_config(settings, **chance)
