"""Lab: a simulated cluster, its clients and one clock, ready to be used in a cell. Brokers and
clients meet only here.

    lab = Lab(brokers=3, seed=7, version="2.3")
    lab.create_topic("t4", partitions=3)
    consumer = KafkaConsumer(lab, {"group.id": "test"})
    consumer.subscribe(["t4"])
    consumer.poll(timeout_ms=6_000)
    lab.lines().tail()
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kafkalab.broker.broker_config import BrokerConfig, broker_config
from kafkalab.broker.cluster.cluster_state import BrokerNode, ClusterState, is_legal_topic
from kafkalab.broker.groups.share.group_settings import checked_group_settings
from kafkalab.broker.log.topic_config_values import checked
from kafkalab.broker.server_log import ServerLog
from kafkalab.broker.shell.broker_end import BrokerEnd
from kafkalab.broker.shell.interbroker import InterBroker
from kafkalab.errors import (
    IllegalArgumentException,
    IllegalStateException,
    InvalidConfigurationException,
    NoSuchName,
    name_hint,
)
from kafkalab.lines.layout import Row, text_of, time_text
from kafkalab.lines.pace import LineCosts
from kafkalab.lines.recorded_gaps import RecordedGaps
from kafkalab.protocol.api_keys import api_of
from kafkalab.reading import frames
from kafkalab.reading.history import History
from kafkalab.reading.sockets import Socket, sockets_of
from kafkalab.releases import Profile, broker_profile, profile_of
from kafkalab.releases.lineage import DEFAULT_BROKER, DEFAULT_CLIENT
from kafkalab.sim.apps import LONGEST_GIVEN_MS, App, Signal, Stage
from kafkalab.sim.chain import Chain
from kafkalab.sim.garbage import COLLECTOR
from kafkalab.sim.journal import Event, Journal
from kafkalab.sim.network import LOCAL_NETWORK, ONE_MACHINE, Link, Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler
from kafkalab.sim.work_time import WorkTime

if TYPE_CHECKING:
    import pandas

DEFAULT_EPOCH = "2026-01-05 09:00:00"
FIRST_PORT = 9092

ONE_BROKER = "lab.broker(0) is the handle of broker 0, with crash(), restart() and delay()"
INSTEAD = {
    "brokers": f'{ONE_BROKER}; lab.at(lab.now_ms)["brokers"] tells of all.',
    "kill_broker": f'{ONE_BROKER}: lab.broker(0).crash(). lab.kill("shop") ends a client.',
    "crash": f'{ONE_BROKER}: lab.broker(0).crash(). lab.kill("shop") ends a client.',
    "restart": f"{ONE_BROKER}.",
    "delay": f"{ONE_BROKER}.",
    "topics": (
        'lab.describe_topic("orders") tells of one topic, lab.at(lab.now_ms)["topics"] of all.'
    ),
    "groups": 'lab.describe_group("shop") tells of one group, lab.at(lab.now_ms)["groups"] of all.',
    "events": "lab.journal.events are the events, lab.table() is a table of them.",
    "now": "lab.now_ms is the time, in milliseconds.",
    "time": "lab.now_ms is the time, in milliseconds.",
    "run": "lab.run_for(1_000) lets a second pass, lab.run_until(done) waits for something.",
    "server_log": "lab.broker_lines(0) is a table of what broker 0 wrote.",
    "log": (
        'lab.lines("shop") is a table of what a client wrote, lab.log_text("shop") its log file.'
    ),
}
"""What a learner may look for in a lab, and what there is instead."""


class Lab:
    """A simulated cluster.

    brokers         how many, or a mapping id -> "host:port"; ids 0, 1, ... at localhost:9092, 9093,
                    ... otherwise
    seed            one number, or {client name: number, "": for everything else}; same seed, same
                    bytes
    version         the client version where a client names none; broker_version likewise for the
                    brokers
    broker_config   dotted broker settings; `chance_of_producer_ids` besides (see
                    kafkalab.broker.broker_config)
    epoch           what the clock of the lines shows at now_ms = 0: "2026-01-05 09:00:00" (UTC), or
                    epoch milliseconds
    racks           the rack of each broker, id -> name (broker.rack); a broker left out has none.
                    Topics are placed as without racks
    cold            clients run in a JVM just started: what they do for the first time takes as long
                    as in the recordings
    gaps            how long real clients work between two lines
                    (`kafkalab.lines.recorded_gaps`). Clients take that time, and all runs on one
                    machine, as in the recordings. None: work takes no time

    Raises IllegalArgumentException for a version or a broker setting that is not simulated, and for
    a setting that Kafka has not got.
    """

    def __init__(
        self,
        brokers: int | Mapping[int, str] = 3,
        seed: int | Mapping[str, int] = 0,
        version: str = DEFAULT_CLIENT,
        broker_version: str = DEFAULT_BROKER,
        broker_config: Mapping[str, Any] | None = None,
        epoch: str | int = DEFAULT_EPOCH,
        cold: bool = False,
        racks: Mapping[int, str] | None = None,
        gaps: RecordedGaps | None = None,
    ) -> None:
        profile_of(version)  # An unknown version is refused here, not at the first client.
        if not isinstance(brokers, (int, Mapping)) or isinstance(brokers, bool):
            raise IllegalArgumentException(
                f"brokers says how many there are, Lab(brokers=3), or where they are, "
                f'Lab(brokers={{0: "localhost:9092"}}), not {brokers!r}'
            )
        if not brokers or (isinstance(brokers, int) and brokers < 1):
            raise IllegalArgumentException(f"a lab needs at least one broker, not {brokers}")
        COLLECTOR.look_for_dead_labs()
        self.clock = Scheduler()
        self.journal = Journal(self.clock)
        self._history = History(self.journal)
        self.streams = Streams(seed)
        if gaps is not None:
            costs = LineCosts(gaps, self.streams.stream)
            self.clock.work = WorkTime(self.clock, self.journal.kept, costs, self.streams.stream)
        self.stage = Stage(self.clock, self._given_up)
        self.network = Network(
            self.clock,
            self.streams,
            **(LOCAL_NETWORK if gaps is None else ONE_MACHINE),
            name_of=_api_name,
            on_fault=lambda client, server, what, fields: self.journal.append(
                "fault", client, what=what, server=server, **fields
            ),
        )
        self.epoch_ms = epoch if isinstance(epoch, int) else _epoch_ms(epoch)
        self.version = version
        self.cold = cold
        profile = broker_profile(broker_version)
        settings = _broker_settings(broker_config, broker_version)
        self._settings = settings
        nodes = _nodes(brokers, racks or {})
        self.cluster = ClusterState(
            nodes,
            self.streams.stream("/cluster"),
            offsets_partitions=settings.offsets_topic_num_partitions,
            offsets_replication_factor=settings.offsets_topic_replication_factor,
            transaction_partitions=settings.transaction_state_log_num_partitions,
            transaction_replication_factor=settings.transaction_state_log_replication_factor,
            transaction_min_isr=settings.transaction_state_log_min_isr,
            tell=lambda kind, fields: self.journal.append(kind, "cluster", **fields),
            now_ms=lambda: self.clock.now_ms,
        )
        self._smallest_segment_bytes = profile.smallest_segment_bytes
        self._profile = profile
        self._peers = InterBroker(
            profile,
            settings,
            self.cluster,
            self.clock,
            self.journal,
            self.streams,
            self.network,
            self.epoch_ms,
        )
        self._ends = {
            node.id: BrokerEnd(
                node,
                profile,
                settings,
                self.cluster,
                self.clock,
                self.network,
                self.journal,
                self.streams,
                self._peers,
            )
            for node in nodes
        }
        self._numbers: dict[str, int] = {}
        self._names: set[str] = set()
        self._is_closed: dict[tuple[str, str], Callable[[], bool]] = {}
        self._killed: dict[str, int] = {}
        self._creates_topics = settings.auto_create_topics_enable
        self._new_topics: set[str] = set()

    # time

    @property
    def now_ms(self) -> int:
        return self.clock.now_ms

    def run_for(self, ms: int) -> None:
        """Let `ms` milliseconds pass; inside an app the same as `sleep`.
        An exception in a spawned app surfaces here."""
        self.stage.wait(Signal(), self.now_ms + _whole_ms(ms))

    def run_until(self, done: Callable[[], bool], timeout_ms: int = 600_000) -> bool:
        """Step until `done()`, at most `timeout_ms`; returns whether it is true.

        A timeout of more than a year means: as long as it takes. Raises IllegalStateException when
        that is more than an hour.
        """
        if not self.stage.run_until(done, self.stage.deadline_after(timeout_ms)):
            if timeout_ms > LONGEST_GIVEN_MS:
                raise self._given_up("what run_until() waits for")
            return False
        return True

    def step(self) -> bool:
        """Let the next thing happen; False when nothing is left."""
        return self.clock.step()

    def sleep(self, ms: int) -> None:
        """Inside an app: work for `ms` milliseconds. The other parts of the lab go on at the same
        time."""
        self.stage.wait(Signal(), self.now_ms + _whole_ms(ms))

    def spawn(self, function: Callable[..., object], *args: object, name: str | None = None) -> App:
        """Run `function(lab, *args)`, a plain blocking function, beside this one."""
        return self.stage.spawn(
            name or str(getattr(function, "__name__", "app")), function, self, *args
        )

    def kill(self, client: str) -> None:
        """`kill -9` of a client's process, and of the app of that name: nothing is closed or said
        any more, its sockets are reset. The client's methods raise IllegalStateException from now
        on."""
        with self.journal.because(self.journal.append("fault", client, what="kill -9")):
            for socket in self.sockets(client):
                if socket.closed_at_ms is None:
                    self.journal.append(
                        "socket.closed",
                        client,
                        socket=socket.event_id,
                        node_id=socket.node_id,
                        how="killed",
                    )
        self._killed[client] = self.now_ms
        self.network.kill(client)
        self.stage.kill(client)

    def close(self) -> None:
        """End all apps. A lab that is dropped needs no closing, but its apps do."""
        self.stage.close()

    def _given_up(self, what: str) -> IllegalStateException:
        """The error of a call that would never end: what it waited for, and what is down."""
        down = [id for id, end in self._ends.items() if not end.is_up]
        still = [
            id
            for id, end in self._ends.items()
            if end.is_up and end.machine.paused_until_ms > self.now_ms
        ]
        gone = [f"{_brokers_text(down)} down"] if down else []
        gone += [f"{_brokers_text(still)} standing still"] if still else []
        gone += [
            f"the link of {client} to {server} is cut"
            for client, server in self.network.cut_links()
        ]
        return IllegalStateException(
            f"{what} does not come: the call has waited for an hour of the lab's time or longer, "
            f"or nothing is left to happen, and {', and '.join(gone) or 'no broker is down'}. A "
            "Java client may wait for ever here. Give the call a timeout, or mend what is gone "
            "first."
        )

    # the cluster

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        replication_factor: int = 1,
        leaders: Sequence[int] | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """A topic from the start. leaders: the broker that leads each partition; otherwise they
        take turns.

        config: topic configs by their Kafka names, `{"min.insync.replicas": 2}`. Raises
        IllegalArgumentException for a topic that exists, or more replicas than brokers;
        InvalidConfigurationException for a config that Kafka does not take or that is not
        simulated.
        """
        self.cluster.create_topic(
            name,
            partitions,
            replication_factor,
            leaders,
            config=checked(config, self._smallest_segment_bytes),
        )

    def alter_topic(self, name: str, changes: Mapping[str, Any]) -> None:
        """Give a topic other settings of its own, such as {"retention.ms": 60_000}; None takes one
        away (kafka-configs --alter --entity-type topics).

        Raises IllegalArgumentException for an unknown topic, InvalidConfigurationException as
        `create_topic` does.
        """
        if name not in self.cluster.topics:
            raise IllegalArgumentException(
                f"there is no topic {name!r}; there are: {', '.join(self.cluster.topics) or 'none'}"
            )
        texts = checked(
            {key: value for key, value in changes.items() if value is not None},
            self._smallest_segment_bytes,
        )
        gone = {key: None for key, value in changes.items() if value is None}
        self.cluster.alter_topic(name, {**texts, **gone})

    def place_coordinator(self, group: str, broker: int) -> None:
        """Let `broker` coordinate `group`, as if its partition of
        __consumer_offsets had always been led there."""
        self.cluster.place_coordinator(group, broker)

    def configure_group(self, group: str, settings: Mapping[str, Any]) -> None:
        """Give a share group settings of its own, by their Kafka names, such as
        {"share.auto.offset.reset": "earliest"} (kafka-configs --entity-type groups).

        They hold for partitions that the group has not read yet. Raises
        InvalidConfigurationException for a setting that the lab does not have, or a value that the
        brokers do not allow.
        """
        checked = checked_group_settings(settings, self._settings)
        self.cluster.group_settings.setdefault(group, {}).update(checked)

    def limit_client(
        self,
        client_id: str,
        producer_byte_rate: int | None = None,
        consumer_byte_rate: int | None = None,
    ) -> None:
        """Give a client its quotas: so many bytes a second at each broker, as PRODUCE requests and
        as answers to FETCH on the wire (kafka-configs --entity-type clients). None is no quota.

        A client above its quota is told how long to wait, and the broker reads nothing from it
        during this time (KIP-219). Raises InvalidConfigurationException for a rate below 1.
        """
        tables = self.cluster.client_quotas, self.cluster.reader_quotas
        names = "producer_byte_rate", "consumer_byte_rate"
        rates = producer_byte_rate, consumer_byte_rate
        for name, rate in zip(names, rates):
            if rate is not None and (type(rate) is not int or rate < 1):
                raise InvalidConfigurationException(
                    f"{name} is a whole number of bytes a second, at least 1, or None, not {rate!r}"
                )
        for table, rate in zip(tables, rates):
            if rate is None:
                table.pop(client_id, None)
            else:
                table[client_id] = rate

    def find_coordinators_by(self, rule: Callable[[str], int]) -> None:
        """Let the brokers answer FIND_COORDINATOR by `rule`, function(group) -> number of a
        partition of __consumer_offsets.

        Only this answer changes. The groups stay where Kafka keeps them, so a broker that is named
        wrongly answers NOT_COORDINATOR. What is not the number of a partition makes the brokers
        answer COORDINATOR_NOT_AVAILABLE.
        """
        self.cluster.told_partition_of = rule

    def place_transaction_coordinator(self, transactional_id: str, broker: int) -> None:
        """Let `broker` coordinate a transactional id, as if its partition of __transaction_state
        had always been led there."""
        self.cluster.place_transaction_coordinator(transactional_id, broker)

    def transaction_coordinator_of(self, transactional_id: str) -> int:
        """The id of the broker that coordinates `transactional_id`."""
        return self.cluster.transaction_coordinator_of(transactional_id)

    def coordinator_of(self, group: str) -> int:
        """The id of the broker that coordinates `group`."""
        return self.cluster.coordinator_of(group)

    def leader(self, topic: str, partition: int) -> int:
        """The id of the broker that leads the partition."""
        return self.cluster.leader(topic, partition)

    def broker(self, id: int) -> BrokerEnd:
        """The handle for one broker's faults: `lab.broker(2).crash()`, `.restart()`,
        `.delay("FETCH", ms=50)`.

        Raises IllegalArgumentException for an unknown id.
        """
        if id not in self._ends:
            raise IllegalArgumentException(
                f"there is no broker {id!r} in this lab; its brokers are "
                f"{', '.join(map(str, self._ends))}"
            )
        return self._ends[id]

    def link(self, broker: int, client: str) -> Link:
        """One client's way to one broker, for faults on it: `lab.link(0, "shop").cut()`, `.heal()`,
        `.set_latency(ms=20)`, `.cut_before_request("PRODUCE")`, `.cut_before_reply("PRODUCE")`.

        A broker is a client of another broker whose partitions it follows:
        `lab.link(0, "broker-1").set_latency(ms=200)` makes broker 1 a slow follower of broker 0.
        """
        return self.network.link(client, f"broker-{broker}")

    def partition(self, *sides: Sequence[int]) -> None:
        """Break the network among brokers: no broker of one side reaches one of another, until
        `heal()`.

        `lab.partition([0], [1, 2])`. A broker on no side reaches all. The controller quorum (or
        ZooKeeper) is with the larger side, the first where they are equal. Clients still reach
        every broker. Raises IllegalArgumentException for an unknown broker, one on two sides, or
        fewer than two sides.
        """
        named = [broker for side in sides for broker in side]
        for broker in named:
            self.broker(broker)
        if len(sides) < 2 or not all(sides) or len(set(named)) < len(named):
            raise IllegalArgumentException(
                "a partition has two sides or more, none empty, and no broker on two of them, not "
                f"{sides!r}"
            )
        self.journal.append("fault", "lab", what="partition", sides=[list(side) for side in sides])
        self._peers.separate(sides)

    def heal(self) -> None:
        """End the partition of the network: brokers reach one another and the controller again."""
        self.journal.append("fault", "lab", what="heal")
        self._peers.join()

    @property
    def first_address(self) -> str:
        """`localhost:9092`: the bootstrap.servers of a client that sets none."""
        node = next(iter(self._ends.values())).node
        return f"{node.host}:{node.port}"

    # what clients ask of their lab

    def warn_of_new_topic(self, topic: str) -> None:
        """A producer sends to a topic for the first time. If the brokers have to create the topic,
        Python warns, because the name may be a typing error. Nothing is journalled."""
        if (
            topic not in self.cluster.topics
            and self._creates_topics
            and topic not in self._new_topics
            and is_legal_topic(topic)
        ):
            self._new_topics.add(topic)
            own = [name for name in self.cluster.topics if not name.startswith("__")]
            warnings.warn(
                f"There is no topic {topic!r} yet, so this send makes the brokers create it, with "
                f"their defaults.{name_hint(topic, own)}",
                stacklevel=3,
            )

    def profile(self, version: str | None) -> Profile:
        """The Profile of a client version, of the lab's where None. Raises
        IllegalArgumentException for one that is not simulated."""
        return profile_of(version or self.version)[0]

    def next_number(self, kind: str, name: str | None) -> int:
        """The N in a default client id. Each name counts for itself,
        as each recorded client had a JVM of its own."""
        key = f"{kind}/{name or ''}"
        self._numbers[key] = self._numbers.get(key, 0) + 1
        return self._numbers[key]

    def unused_name(self, wanted: str) -> str:
        """`wanted`, or with a number behind it: two clients may have one client id,
        but the journal tells them apart."""
        name, n = wanted, 2
        while name in self._names:
            name, n = f"{wanted}-{n}", n + 1
        self._names.add(name)
        return name

    def client_name(self, kind: str, name: str | None, client_id: str) -> str:
        """The name of a new client: `name`, or its client id.

        It gets a number where another client has the client id, or where an open client of its kind
        has the name. A consumer and a producer with one name are one program.
        """
        wanted = name or client_id
        is_closed = self._is_closed.get((kind, wanted))
        if is_closed is not None and not is_closed() and wanted not in self._killed:
            self._names.add(wanted)
        elif name is not None:
            return name
        return self.unused_name(wanted)

    def add_client(self, kind: str, name: str, is_closed: Callable[[], bool]) -> None:
        """Remember a client, so that no other of its kind is taken for it while it is open."""
        self._is_closed[kind, name] = is_closed

    def call(self, who: str, name: str, args: Mapping[str, Any]) -> int:
        """Journal what the application did, the first cause of what follows, and return the event's
        id.

        Raises IllegalStateException for a process that was killed.
        """
        if who in self._killed:
            raise IllegalStateException(
                f"The process of {who} was killed at {self._killed[who]} ms; start another one "
                "under a new name."
            )
        if name.startswith("new "):
            args = {key: _without_address(value) for key, value in args.items()}
        clock = self.clock
        before, clock.cause = clock.cause, None
        event_id = self.journal.note("call", who, name=name, args=args)
        clock.cause = before
        return event_id

    # what happened

    def lines(self, client: str | None = None, broker: int | None = None) -> pandas.DataFrame:
        """The lines clients wrote, as a pandas DataFrame; `text` is what a Java client's log file
        would hold. With broker=0 the lines of that broker: see `broker_lines`.

        Raises IllegalArgumentException for a client or a broker that is not in this lab, and where
        both are named.
        """
        if broker is not None:
            if client is not None:
                raise IllegalArgumentException(
                    "lines() takes a client or a broker, lab.lines(broker=0), not both"
                )
            return self.broker_lines(broker)
        if client is not None:
            self.check_client(client)
        return frames.lines(self.line_events(client), self.epoch_ms)

    def broker_lines(self, broker: int) -> pandas.DataFrame:
        """The lines that one broker wrote into its server.log, as `lines` has those of clients:
        at_ms, time, level, logger, event, message, text, and cause: the id of the event that
        caused it, for `why`.

        Only steps that the simulator takes are there, on levels INFO and WARN: groups that
        rebalance, their members and coordinators, transactional ids, leaders and in-sync replicas,
        segments that are rolled and deleted, logs that are cleaned, offsets that expire. A real
        log has many more lines, about starting, settings and sockets. A time that a step takes on
        a real disk is 0 here. Writing the lines changes nothing else in a lab.

        Raises IllegalArgumentException for an unknown broker.
        """
        log = self.broker(broker).machine.server_log
        told = ((line.name, line.cause, line.row(self.epoch_ms)) for line in log.lines())
        return frames.server_lines(told, self.epoch_ms)

    def controller_lines(self) -> pandas.DataFrame:
        """The lines of the KRaft controller, as `broker_lines` has those of a broker: topics,
        changes of leaders and in-sync replicas (on level DEBUG), brokers that are fenced,
        unfenced, stop in the orderly way and come again.

        Raises IllegalArgumentException with a broker of 2.3: there one of the brokers is the
        controller.
        """
        log = self._controllers_log()
        told = ((line.name, line.cause, line.row(self.epoch_ms)) for line in log.lines())
        return frames.server_lines(told, self.epoch_ms)

    def controller_log_text(self) -> str:
        """The KRaft controller's controller.log as text. Raises as `controller_lines` does."""
        log = self._controllers_log()
        return "".join(text_of(line.row(self.epoch_ms)) for line in log.lines())

    def _controllers_log(self) -> ServerLog:
        if not self._profile.is_kraft:
            raise IllegalArgumentException(
                f"with brokers {self._profile.name} one broker is the controller: broker_lines("
                f"{self.cluster.controller_id}) has its lines"
            )
        return self._peers.controller_log

    def broker_log_text(self, broker: int) -> str:
        """One broker's server.log as text, in the default layout `[%d] %p %m (%c)`."""
        return "".join(map(text_of, self.server_rows(broker)))

    def server_rows(self, broker: int) -> list[Row]:
        """One broker's server.log as typed rows. Raises IllegalArgumentException as `broker`
        does."""
        log = self.broker(broker).machine.server_log
        return [line.row(self.epoch_ms) for line in log.lines()]

    def log_text(self, client: str) -> str:
        """One client's whole log file, as log4j would have written it."""
        return "".join(map(text_of, self.client_rows(client)))

    def client_rows(self, client: str) -> list[Row]:
        """The rows of `log_text`."""
        return [frames.line_row(event, self.epoch_ms) for event in self.line_events(client)]

    def line_events(self, client: str | None = None) -> list[Event]:
        """The lines of one client, or of all, as events of the journal, in the order of a log."""
        told = [event for event in self.journal.of("line") if client is None or event.who == client]
        work = self.clock.work
        if work is not None:
            told.sort(key=lambda event: work.moment_of(event.id))
        return told

    def line_text(self, event: Event) -> str:
        """An event of kind "line" as log4j would have written it."""
        return frames.line_text(event, self.epoch_ms)

    def time_text(self, at_ms: int) -> str:
        """What the lines' clock shows at virtual time `at_ms`."""
        return time_text(self.epoch_ms + at_ms)

    def table(self, kind: str | None = None) -> pandas.DataFrame:
        """The journal as a pandas DataFrame: id, at_ms, kind, who, cause and the fields of the
        events.

        A kind that did not happen yet gives an empty table. Raises IllegalArgumentException for a
        kind that no journal has.
        """
        return frames.events(self.journal, kind)

    def at(self, ms: int) -> dict[str, Any]:
        """The whole state at virtual time `ms` as plain data: brokers, topics, partitions, groups,
        clients, transactions, producers; and share groups, from the first one on.

        Read from the journal alone (kafkalab.reading.history), so it can look at any moment that
        has passed; a later one is as it is now. Raises IllegalArgumentException for a time that is
        not a whole number of milliseconds, 0 or later.
        """
        return self._history.at(ms)

    def describe_group(self, group: str, at_ms: int | None = None) -> pandas.DataFrame:
        """A row for each partition of a group, as kafka-consumer-groups --describe has it:
        committed offset, end, lag, and whose it is.

        at_ms: when; now when left out. Raises IllegalArgumentException for a group that was not
        there then.
        """
        return frames.group(self.at(self.now_ms if at_ms is None else at_ms), group)

    def describe_topic(self, topic: str, at_ms: int | None = None) -> pandas.DataFrame:
        """A row for each partition of a topic: leader, epoch, replicas, in-sync replicas, and where
        its log begins and ends.

        at_ms: when; now when left out. Raises IllegalArgumentException for a topic that was not
        there then.
        """
        return frames.topic(self.at(self.now_ms if at_ms is None else at_ms), topic)

    def sockets(self, client: str | None = None) -> list[Socket]:
        """Every connection that was tried, in the order of trying."""
        return sockets_of(self.journal, client)

    def why(self, event: Event | int | Socket) -> Chain:
        """The chain of causes of an event (itself or its id) or of a socket's opening, oldest
        first.

        Raises IndexError for an unknown id, IllegalArgumentException for anything else.
        """
        if not isinstance(event, (Event, int, Socket)):
            raise IllegalArgumentException(
                "why() takes a socket, an event or its id, such as lab.why(lab.sockets()[0]), not "
                f"{event!r}"
            )
        return self.journal.why(event.event_id if isinstance(event, Socket) else event)

    def check_client(self, client: str) -> None:
        """Raises IllegalArgumentException, with a sentence, for a client that did nothing in this
        lab."""
        if client in self._names or any(kept[2] == client for kept in self.journal.kept):
            return
        known = dict.fromkeys(
            event.who for event in self.journal.of("call") if event.name.startswith("new ")
        )
        raise IllegalArgumentException(
            f"no client {client!r} has done anything in this lab.{name_hint(client, known)}"
        )

    def __getattr__(self, name: str) -> Any:
        """Called for an unknown name only; says which names there are. Raises NoSuchName."""
        if name.startswith("_"):
            raise AttributeError(f"a Lab has no {name!r}")
        if name in INSTEAD:
            raise NoSuchName(f"a Lab has no {name!r}: {INSTEAD[name]}")
        raise NoSuchName(
            "a Lab has no "
            f"{name!r}.{name_hint(name, (each for each in dir(type(self)) if not each.startswith('_')))}"  # noqa: E501
        )

    def __repr__(self) -> str:
        return (
            f"Lab({len(self._ends)} brokers, {self.now_ms} ms, {len(self.journal.events)} events)"
        )


def _api_name(message: Any) -> str:
    """The API of an answer, or of a request with its header before it."""
    return api_of(message[2] if type(message) is tuple else message).name


def _whole_ms(ms: int) -> int:
    if not isinstance(ms, int) or ms < 0:
        raise IllegalArgumentException(f"time passes in whole milliseconds, 0 or more, not {ms!r}")
    if ms > LONGEST_GIVEN_MS:
        raise IllegalArgumentException(
            f"at most a year passes at a time, {LONGEST_GIVEN_MS} ms, not {ms}"
        )
    return ms


def _brokers_text(ids: Sequence[int]) -> str:
    """`broker 2 is`, `brokers 0, 1 and 2 are`."""
    if len(ids) == 1:
        return f"broker {ids[0]} is"
    return f"brokers {', '.join(map(str, ids[:-1]))} and {ids[-1]} are"


def _nodes(brokers: int | Mapping[int, str], racks: Mapping[int, str]) -> list[BrokerNode]:
    addresses = (
        {id: f"localhost:{FIRST_PORT + id}" for id in range(brokers)}
        if isinstance(brokers, int)
        else brokers
    )
    strangers = [id for id in racks if id not in addresses]
    if strangers:
        raise IllegalArgumentException(
            f"racks: {_brokers_text(strangers)} not in this lab; its brokers are "
            f"{', '.join(map(str, addresses))}"
        )
    nodes = []
    for id, address in addresses.items():
        host, _, port = address.rpartition(":")
        nodes.append(BrokerNode(int(id), host, int(port), racks.get(id)))
    return nodes


def _epoch_ms(text: str) -> int:
    return int(
        datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC).timestamp() * 1000
    )


def _broker_settings(settings: Mapping[str, Any] | None, release: str) -> BrokerConfig:
    """The chance of producer ids is a setting of the simulation, not of Kafka's: it has no dots."""
    dotted = {
        name: value for name, value in (settings or {}).items() if name != "chance_of_producer_ids"
    }
    own = {
        name: value for name, value in (settings or {}).items() if name == "chance_of_producer_ids"
    }
    return broker_config(dotted, release=release, **own)


def _without_address(value: Any) -> Any:
    """A setting as the journal tells it: a learner's own function or object by the name of its
    class, since Python prints its address, which is another one in each process."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_without_address, value))
    if callable(value) or repr(value) == object.__repr__(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return value
