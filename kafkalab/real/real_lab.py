"""RealLab: the words of the simulator's Lab on real brokers and released Java clients.

    from kafkalab.real import KafkaProducer, Lab

    lab = Lab(brokers=3)
    lab.create_topic("orders", partitions=3)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    producer.send(ProducerRecord("orders", "tea")).get()
    lab.run_for(ms=1_000)                        # a second of yours
    lab.lines("shop").tail()                     # what the Java client has written
    lab.close()

All processes end when the lab is closed, when nobody refers to it any more, and when this Python
process ends, however it ends. What only a simulator can do is refused with one sentence.
"""

from __future__ import annotations

import contextlib
import time
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkalab.errors import (
    GroupNotEmptyException,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
    ListenerNotFoundException,
    NoSuchName,
    TopicExistsException,
    name_hint,
)
from kafkalab.hashing import coordinator_partition
from kafkalab.logsets.startup import screen
from kafkalab.real import client_sockets, simulator_words
from kafkalab.real.cluster_state import SHARE, cluster_state
from kafkalab.real.cluster_tables import faults_frame, group_frame, topic_frame
from kafkalab.real.home import new_run_folder
from kafkalab.real.jar_sets import client_set
from kafkalab.real.java_process import JavaProcess, items_of, setting_text
from kafkalab.real.keeper import Keeper, KeptProcessError, sweep
from kafkalab.real.log_lines import ClientLog, lines_frame, logging_options, requests_frame
from kafkalab.real.real_apps import RealApp, real_app, sleep_real
from kafkalab.real.real_cluster import MOST_BROKERS, RealBroker, RealCluster
from kafkalab.releases.lineage import DEFAULT_CLIENT, NEWEST_BROKER

if TYPE_CHECKING:
    import pandas

    from kafkalab.reading.sockets import Socket

SIMULATED_PORT = 9092
"""`localhost:9092` is broker 0 in the simulator; here it stands for broker 0 as well."""
APP_ENDS_WITHIN_S = 5
GROUPS_END_WITHIN_S = TOPICS_END_WITHIN_S = 60
WARM_GROUP = "warm-up"
OFFSETS_TOPIC = "__consumer_offsets"
KILLED = "kill -9"
TRIES_OF_A_LOOK = 20


class RealLab:
    """A real cluster.

    brokers         how many, at most three; their ids are 0, 1, 2
    version         the client release where a client names none; broker_version likewise
    broker_config   dotted settings of the brokers, as Kafka takes them
    racks           the rack of each broker, id -> name

    Raises NotSetUp where Java or the jars are missing, UnknownRelease for a release that is not
    known, IllegalArgumentException for what only the simulator can do.
    """

    knows_lines_only = True
    """What happened is known by the lines of clients; views look here."""

    def __init__(
        self,
        brokers: int = 3,
        version: str = DEFAULT_CLIENT,
        broker_version: str = NEWEST_BROKER,
        broker_config: Mapping[str, Any] | None = None,
        racks: Mapping[int, str] | None = None,
        **simulated: object,
    ) -> None:
        _check_words(brokers, simulated)
        client_set(version).class_path()  # What is missing is said here, not at the first client.
        self.version, self.broker_version = version, broker_version
        sweep()
        self._keeper = Keeper(new_run_folder())
        self._end = weakref.finalize(self, self._keeper.close)
        show = screen() or (lambda text: None)
        began = time.monotonic()

        def tell(text: str) -> None:
            show(f"Real Kafka: {text}, {time.monotonic() - began:.0f} s")

        try:
            self._cluster = RealCluster(
                self._keeper, broker_version, brokers, broker_config or {}, racks or {}, tell
            )
            tell("making the topics that groups need")
            self.coordinator_of(WARM_GROUP)  # In the simulator __consumer_offsets is there, too.
        except BaseException:
            self.close()
            raise
        tell(f"{brokers} brokers run")
        self.epoch_ms = int(time.time() * 1000)
        self._processes: dict[str, JavaProcess] = {}
        self._logs: list[ClientLog] = []
        self._apps: list[RealApp] = []
        self._owners: dict[str, str] = {}
        self._faults: list[tuple[int, str, str]] = []
        self._deleted: set[str] = set()
        self._started = 0

    # time

    @property
    def now_ms(self) -> int:
        """Real milliseconds since the brokers were ready."""
        return int(time.time() * 1000) - self.epoch_ms

    def run_for(self, ms: int) -> None:
        """Wait `ms` real milliseconds. An exception in a spawned app surfaces here."""
        sleep_real(ms)
        self._raise_failure()

    sleep = run_for

    def run_until(self, done: Callable[[], bool], timeout_ms: int = 600_000) -> bool:
        """Wait until `done()`, at most `timeout_ms`; returns whether it is true."""
        until = time.monotonic() + timeout_ms / 1000
        while not done():
            if time.monotonic() > until:
                return False
            self.run_for(20)
        return True

    def spawn(
        self, function: Callable[..., object], *args: object, name: str | None = None
    ) -> RealApp:
        """Run `function(lab, *args)` beside this cell, in a thread of its own. The clients that it
        makes are its process."""
        app = RealApp(name or str(getattr(function, "__name__", "app")), function, self, *args)
        self._apps.append(app)
        return app.start()

    def kill(self, client: str) -> None:
        """`kill -9` of a client's process, or of all processes of the app of that name. Its methods
        raise IllegalStateException from now on, and the app ends.

        Raises IllegalArgumentException for a name that nobody has.
        """
        apps = [app for app in self._apps if app.name == client]
        owned = [name for name, owner in self._owners.items() if owner == client]
        doomed = [name for name in dict.fromkeys([client, *owned]) if name in self._processes]
        if not apps and not doomed:
            self.check_client(client)
        for app in apps:
            app.end()
        for name in doomed:
            self._processes.pop(name).kill()
            self._note(name, KILLED)
        for app in apps:
            app.join(APP_ENDS_WITHIN_S)

    def clear(self) -> None:
        """Make the lab as new, which is quicker than a new one: kill all clients, start the brokers
        that are down, delete all topics that were made here, and all groups."""
        for app in self._apps:
            app.end()
        for name in list(self._processes):
            self._processes.pop(name).kill()
        self._cluster.resume_all()
        for broker in set(self._cluster.ports) - self._cluster.up:
            self._cluster.restart(broker)
        self._cluster.advertise_own()
        java, admin = self._cluster.hands, self._cluster.admin()
        names = [
            str(name)
            for name in java.call(lambda: list(items_of(admin.listTopics().names().get())))
        ]
        java.call(lambda: admin.deleteTopics(java.array_list(names)).all().get())
        self._deleted |= set(names)
        self._delete_groups()
        self._apps, self._logs, self._owners, self._faults = [], [], {}, []
        self.epoch_ms = int(time.time() * 1000)

    def _delete_groups(self) -> None:
        """Take all members out of groups, and delete them. Where that is refused, wait until the
        members' sessions end."""
        java, admin = self._cluster.hands, self._cluster.admin()
        everybody = java.jvm.org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions
        found = java.call(
            lambda: [
                (str(one.groupId()), str(one.type().orElse(None)))
                for one in items_of(admin.listGroups().all().get())
            ]
        )
        until = time.monotonic() + GROUPS_END_WITHIN_S
        for group, kind in found:
            names = java.array_list([group])
            is_share = kind == SHARE
            delete = admin.deleteShareGroups if is_share else admin.deleteConsumerGroups
            while True:
                # it has no members, or they cannot leave
                with contextlib.suppress(KafkaException, IllegalArgumentException):
                    if not is_share:
                        removed = admin.removeMembersFromConsumerGroup(group, everybody())
                        java.call(removed.all().get)
                try:
                    java.call(delete(names).all().get)
                except GroupNotEmptyException:
                    if time.monotonic() < until:
                        time.sleep(0.5)
                        continue
                except KafkaException:  # it is gone already
                    pass
                break

    def close(self) -> None:
        """End all processes and delete all files of this lab. A second call does nothing."""
        for app in getattr(self, "_apps", ()):
            app.end()
        processes = [*getattr(self, "_processes", {}).values()]
        if hasattr(self, "_cluster"):
            processes.append(self._cluster.hands)
        for java in processes:
            with contextlib.suppress(KeptProcessError):  # this lab was closed before
                # a door that waits for a callback closes only when Java is gone
                java.kill()
        self._end()

    def __enter__(self) -> RealLab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _raise_failure(self) -> None:
        if real_app() is None:
            for app in self._apps:
                if app.error is not None and not app.told:
                    app.told = True
                    raise app.error

    # the cluster

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        replication_factor: int = 1,
        leaders: Sequence[int] | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """Create a topic and wait until every broker has it. leaders: the broker that leads each
        partition; otherwise they take turns, and the brokers after the leader follow it.

        Raises IllegalArgumentException for more replicas than brokers or an unknown leader, and
        Kafka's own errors, such as TopicExistsException.
        """
        ids = list(self._cluster.ports)
        leaders = leaders or [ids[number % len(ids)] for number in range(partitions)]
        if not 1 <= replication_factor <= len(ids):
            raise IllegalArgumentException(
                f"topic {name!r} cannot have {replication_factor} replicas: there are {len(ids)} "
                "brokers"
            )
        if len(leaders) != partitions or not set(leaders) <= set(ids):
            raise IllegalArgumentException(
                f"topic {name!r} needs a leader for each of its {partitions} partitions, out of "
                f"the brokers {', '.join(map(str, ids))}, not {list(leaders)!r}"
            )
        java = self._cluster.hands
        places = java.hash_map(
            (
                number,
                java.array_list(
                    ids[(ids.index(leader) + step) % len(ids)] for step in range(replication_factor)
                ),
            )
            for number, leader in enumerate(leaders)
        )
        topic = java.jvm.org.apache.kafka.clients.admin.NewTopic(name, places)
        if config:
            topic.configs(java.hash_map({key: str(value) for key, value in config.items()}))
        admin = self._cluster.admin()
        until = time.monotonic() + TOPICS_END_WITHIN_S
        while True:
            try:
                java.call(lambda: admin.createTopics(java.array_list([topic])).all().get())
                break
            except TopicExistsException:  # brokers 2.3 take their time to delete one
                if name not in self._deleted or time.monotonic() > until:
                    raise
                time.sleep(0.2)
        self._deleted.discard(name)
        self._wait_for_topic(name, partitions)

    def _wait_for_topic(self, name: str, partitions: int) -> None:
        """A new topic is known to the controller at once, and to the brokers a little later."""
        for _ in range(200):
            try:
                leaders = [self.leader(name, number) for number in range(partitions)]
            except Exception:  # no broker that was asked knows it yet
                leaders = [None]
            if None not in leaders:
                return
            time.sleep(0.05)

    def alter_topic(self, name: str, changes: Mapping[str, Any]) -> None:
        """Change settings of a topic, {"retention.ms": 60_000}; None takes one back to its default
        (kafka-configs --alter). Raises Kafka's own errors, such as InvalidConfigurationException.
        """
        self._alter("TOPIC", name, changes)

    def configure_group(self, group: str, settings: Mapping[str, Any]) -> None:
        """Give a share group settings of its own, by their Kafka names (kafka-configs --entity-type
        groups). Raises Kafka's own errors, such as InvalidConfigurationException."""
        self._alter("GROUP", group, settings)

    def _alter(self, kind: str, name: str, changes: Mapping[str, Any]) -> None:
        java, admin = self._cluster.hands, self._cluster.admin()
        config = java.jvm.org.apache.kafka.common.config.ConfigResource
        kinds = getattr(java.jvm.org.apache.kafka.common.config, "ConfigResource$Type")
        change = java.jvm.org.apache.kafka.clients.admin.AlterConfigOp
        operations = getattr(java.jvm.org.apache.kafka.clients.admin, "AlterConfigOp$OpType")
        entry = java.jvm.org.apache.kafka.clients.admin.ConfigEntry
        wanted = java.array_list(
            change(entry(key, ""), operations.DELETE)
            if value is None
            else change(entry(key, setting_text(value)), operations.SET)
            for key, value in changes.items()
        )
        asked = java.hash_map([(config(getattr(kinds, kind), name), wanted)])
        java.call(lambda: admin.incrementalAlterConfigs(asked).all().get())

    def leader(self, topic: str, partition: int) -> int | None:
        """The id of the broker that leads the partition; None while there is none."""
        info = self._cluster_topic(topic).partitions()[partition]
        found = info.leader()
        return None if found is None or int(found.id()) < 0 else int(found.id())

    def _cluster_topic(self, topic: str) -> Any:
        java, admin = self._cluster.hands, self._cluster.admin()
        names = java.array_list([topic])
        return java.call(lambda: admin.describeTopics(names).allTopicNames().get())[topic]

    def coordinator_of(self, group: str) -> int:
        """The id of the broker that coordinates `group`: the leader of its partition of
        __consumer_offsets, which the first question for a coordinator makes."""
        java, admin = self._cluster.hands, self._cluster.admin()
        java.call(lambda: admin.listConsumerGroupOffsets(group).all().get())
        count = len(list(items_of(self._cluster_topic(OFFSETS_TOPIC).partitions())))
        found = self.leader(OFFSETS_TOPIC, coordinator_partition(group, count))
        assert found is not None, "a partition that has just answered has a leader"
        return found

    def broker(self, id: int) -> RealBroker:
        """The handle for one broker's faults: `lab.broker(2).crash()`, `.restart()`, `.pause()`.

        Raises IllegalArgumentException for an unknown id.
        """
        if id not in self._cluster.ports:
            raise IllegalArgumentException(
                f"there is no broker {id!r} in this lab; its brokers are "
                f"{', '.join(map(str, self._cluster.ports))}"
            )
        return RealBroker(self._cluster, id, lambda what: self._note(f"broker-{id}", what))

    def _note(self, who: str, what: str) -> None:
        """Write down what was done to a process, for pictures."""
        self._faults.append((self.now_ms, who, what))

    @property
    def folder(self) -> Path:
        """Where the data of the brokers and all logs lie while the lab lives."""
        return self._keeper.folder

    @property
    def first_address(self) -> str:
        """The bootstrap.servers of a client that sets none: broker 0."""
        return self._cluster.address(0)

    @property
    def addresses(self) -> str:
        """All brokers, as bootstrap.servers takes them."""
        return self._cluster.addresses

    def broker_log_text(self, broker: int) -> str:
        """What a broker has logged so far."""
        self.broker(broker)
        return self._cluster.server_log(broker)

    # what clients ask of their lab

    def real_servers(self, given: str) -> str:
        """bootstrap.servers with the real ports: `localhost:9092` is broker 0, as in the
        simulator."""
        simulated = {
            f"localhost:{SIMULATED_PORT + broker}": self._cluster.address(broker)
            for broker in self._cluster.ports
        }
        return ",".join(simulated.get(part.strip(), part.strip()) for part in given.split(","))

    def start_client(self, kind: str, version: str | None, name: str) -> JavaProcess:
        """A JVM for a client of that name, with the jars of its release. Raises NotSetUp."""
        release = client_set(version or self.version)
        self._started += 1
        log = self._keeper.folder / f"client-{self._started}.log"
        java = JavaProcess(
            self._keeper,
            f"{kind}-{self._started}",
            release.class_path(),
            logging_options(log),
            shown=name,
        )
        self._processes[name] = java
        app = real_app()
        if app is not None:
            self._owners[name] = app.name
        self._logs.append(ClientLog(name, name, log))
        return java

    def name_client(self, name: str, client_id: str) -> None:
        """Tell the lab under which client.id the client of that name writes its lines."""
        self._logs = [
            file._replace(client_id=client_id) if file.client == name else file
            for file in self._logs
        ]

    def unused_name(self, wanted: str) -> str:
        """`wanted`, or with a number behind it where another client has that name."""
        taken = {file.client for file in self._logs}
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}-{number}", number + 1
        return name

    def check_client(self, client: str) -> None:
        """Raises IllegalArgumentException, with a sentence, for a client that is not in this
        lab."""
        known = [file.client for file in self._logs]
        if client not in known:
            raise IllegalArgumentException(
                f"no client {client!r} has done anything in this lab.{name_hint(client, known)}"
            )

    # what happened

    def lines(self, client: str | None = None) -> pandas.DataFrame:
        """The lines that clients wrote, with the columns of the simulator's `lab.lines()`.

        Raises IllegalArgumentException for a client that is not in this lab.
        """
        return lines_frame(self._files(client), self.epoch_ms)

    def log_text(self, client: str) -> str:
        """One client's whole log file."""
        return "".join(
            file.path.read_text(encoding="utf-8", errors="replace")
            for file in self._files(client)
            if file.path.exists()
        )

    def table(self, kind: str) -> pandas.DataFrame:
        """`table("request.sent")`: a row for each request that the lines tell of. `table("fault")`:
        what this lab did to processes. Nothing else is known. Raises IllegalArgumentException."""
        if kind == "fault":
            return faults_frame(self._faults)
        if kind != "request.sent":
            raise IllegalArgumentException(
                "a real lab knows of requests, lab.table('request.sent'), and of what it did to "
                f"processes, lab.table('fault'), not of {kind!r}"
            )
        return requests_frame(self._logs, self.epoch_ms)

    def sockets(self, client: str | None = None) -> list[Socket]:
        """Every connection that the lines tell of by now, in the order of opening.

        Spark reads the lines, and starts at the first call. Python warns where the kernel holds
        another number of open connections.
        """
        files, asked_ms = self._files(client), self.now_ms
        found = client_sockets.sockets_from_lines(files, self.epoch_ms)
        for file in files:
            if file.client in self._processes:
                try:
                    held = self.kernel_sockets(file.client)
                except OSError:  # no /proc, or the process has gone
                    continue
                own = [socket for socket in found if socket.client == file.client]
                said = client_sockets.disagreement(own, held)
                if said:
                    warnings.warn(f"{file.client}: {said}", stacklevel=2)
        kills = {who: at_ms for at_ms, who, what in self._faults if what == KILLED}
        return client_sockets.sockets_until(found, asked_ms, kills)

    def kernel_sockets(self, client: str) -> Counter[int]:
        """broker -> the connections to it that the kernel holds for a client now. Raises OSError
        where the machine has no /proc, IllegalStateException for a client that was killed."""
        self.check_client(client)
        if client not in self._processes:
            raise IllegalStateException(f"The process of {client} was killed.")
        ports = {port: broker for broker, port in self._cluster.ports.items()}
        return client_sockets.kernel_sockets(self._processes[client].pid, ports)

    def describe_group(self, group: str) -> pandas.DataFrame:
        """A row for each partition of a group, as kafka-consumer-groups --describe has it:
        committed offset, end, lag, and whose it is.

        Raises IllegalArgumentException for a group that is not there.
        """
        return group_frame(self._cluster.hands, self._cluster.admin(), group)

    def describe_topic(self, topic: str) -> pandas.DataFrame:
        """A row for each partition of a topic: leader, replicas, in-sync replicas, and where its
        log begins and ends for a reader. Raises UnknownTopicOrPartitionException."""
        java, admin = self._cluster.hands, self._cluster.admin()
        for _ in range(TRIES_OF_A_LOOK):
            with contextlib.suppress(ListenerNotFoundException):
                return topic_frame(java, admin, topic, self._cluster_topic(topic))
            time.sleep(0.5)  # brokers 2.3 name a leader that has just gone
        return topic_frame(java, admin, topic, self._cluster_topic(topic))

    def state(self) -> dict[str, Any]:
        """What brokers, topics, partitions, groups and clients are like now, in the form of the
        simulator's `lab.at(lab.now_ms)`. What a real lab does not know is left out."""
        return cluster_state(
            self._cluster.hands,
            self._cluster.admin(),
            {broker: self._cluster.address(broker) for broker in self._cluster.ports},
            [socket for socket in self.sockets() if socket.closed_at_ms is None],
            [file.client for file in self._logs],
        )

    def _files(self, client: str | None) -> list[ClientLog]:
        if client is not None:
            self.check_client(client)
        return [file for file in self._logs if client is None or file.client == client]

    def __getattr__(self, name: str) -> Any:
        """Called for an unknown name only; says why it is not here. Raises NoSuchName."""
        if name.startswith("_"):
            raise AttributeError(f"a RealLab has no {name!r}")
        said = simulator_words.refused_word("A real lab", name)
        public = [each for each in dir(type(self)) if not each.startswith("_")]
        raise NoSuchName(said or f"A real lab has no {name!r}.{name_hint(name, public)}")

    def __repr__(self) -> str:
        return f"RealLab({len(self._cluster.ports)} brokers, {self.now_ms} ms)"


def _check_words(brokers: object, simulated: Mapping[str, object]) -> None:
    for name in simulated:
        said = simulator_words.refused_word("A real lab", name)
        raise IllegalArgumentException(said or f"A real lab takes no {name!r}.")
    if not isinstance(brokers, int) or isinstance(brokers, bool) or not brokers >= 1:
        raise IllegalArgumentException(
            f"brokers says how many there are, Lab(brokers=3), not {brokers!r}"
        )
    if brokers > MOST_BROKERS:
        raise IllegalArgumentException(
            f"a real lab has at most {MOST_BROKERS} brokers, each a process of its own; the "
            f"simulator takes {brokers}"
        )
