"""Says which processes a real cluster has, with which classes and settings: a plan for each.

A cluster of brokers 4.4 has a KRaft controller of its own, so that each broker can be crashed. A
cluster of brokers 2.3 has one ZooKeeper instead. Java's classes are kafka.Kafka and
org.apache.zookeeper.server.quorum.QuorumPeerMain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kafkalab.releases import broker_profile
from kafkalab.releases.lineage import BROKERS, unknown

CONTROLLER_ID = 100
KAFKA = "kafka.Kafka"
ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
LOOPBACK_NAME = "localhost"
ZOOKEEPER_FORGETS_MS = 8_000
"""A crashed broker's session ends six seconds after its last word, and ZooKeeper looks at ticks.
Before that a new process of the same id is refused."""
LOG4J_2 = """rootLogger.level=INFO
rootLogger.appenderRef.f.ref=F
appender.f.type=File
appender.f.name=F
appender.f.fileName={file}
appender.f.layout.type=PatternLayout
appender.f.layout.pattern=[%d] %p %m (%c)%n
"""
LOG4J_1 = """log4j.rootLogger=INFO, f
log4j.appender.f=org.apache.log4j.FileAppender
log4j.appender.f.File={file}
log4j.appender.f.layout=org.apache.log4j.PatternLayout
log4j.appender.f.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


@dataclass(frozen=True)
class ProcessPlan:
    """One process of a cluster.

    name      also that of its folder
    main      the Java class
    settings  what its file server.properties says, over the lab's settings of brokers
    data_key  the setting that names the folder of its data
    is_kafka  whether it takes the settings of brokers
    """

    name: str
    main: str
    settings: Mapping[str, object]
    data_key: str = "log.dirs"
    is_kafka: bool = True

    def all_settings(self, given: Mapping[str, object], data: Path) -> dict[str, object]:
        """The whole text of its settings. given: the settings of brokers."""
        return {**(given if self.is_kafka else {}), **self.settings, self.data_key: data}


@dataclass(frozen=True)
class ClusterKind:
    """How the brokers of a release are run.

    head            the process that keeps the cluster's state, by name; brokers need it
    plans           makes the plans of all processes, the head first
    formats         each disk is formatted first (kafka-storage.sh)
    head_first      brokers give up where the head does not answer yet
    forgets_ms      how long after a crash a broker of the same id may start again
    log_file        the name of the file that tells Java's logger where to write
    log_text        its text; {file} is where the lines go
    log_option      the option of Java that names it
    java_options    more options of each process
    """

    head: str
    plans: Callable[[Mapping[int, int], int, Mapping[int, str]], list[ProcessPlan]]
    formats: bool
    head_first: bool
    forgets_ms: int
    log_file: str
    log_text: str
    log_option: str
    java_options: tuple[str, ...] = field(default=())

    def logging(self, folder: Path) -> list[str]:
        """The options of a JVM that writes its lines into server.log of a folder."""
        folder.mkdir(exist_ok=True)
        file = folder / self.log_file
        file.write_text(self.log_text.format(file=folder / "server.log"), encoding="utf-8")
        return [f"{self.log_option}{file}", *self.java_options]


def kraft_plans(
    ports: Mapping[int, int], head_port: int, racks: Mapping[int, str]
) -> list[ProcessPlan]:
    """The controller, then the brokers. ports: the port of each broker."""
    shared = {
        "controller.quorum.voters": f"{CONTROLLER_ID}@{LOOPBACK_NAME}:{head_port}",
        "controller.listener.names": "CONTROLLER",
    }
    controller: dict[str, object] = {
        "process.roles": "controller",
        "node.id": CONTROLLER_ID,
        "listeners": f"CONTROLLER://{LOOPBACK_NAME}:{head_port}",
        **shared,
    }
    brokers = [
        ProcessPlan(
            f"broker-{broker}",
            KAFKA,
            {
                "process.roles": "broker",
                "node.id": broker,
                **_listeners(port),
                **_rack(racks, broker),
                **shared,
            },
        )
        for broker, port in ports.items()
    ]
    return [ProcessPlan("controller", KAFKA, controller), *brokers]


def zookeeper_plans(
    ports: Mapping[int, int], head_port: int, racks: Mapping[int, str]
) -> list[ProcessPlan]:
    """ZooKeeper, then the brokers. ports: the port of each broker."""
    zookeeper: dict[str, object] = {
        "clientPort": head_port,
        "clientPortAddress": LOOPBACK_NAME,
        "maxClientCnxns": 0,
        "tickTime": 500,
        "admin.enableServer": False,
    }
    brokers = [
        ProcessPlan(
            f"broker-{broker}",
            KAFKA,
            {
                "broker.id": broker,
                "zookeeper.connect": f"{LOOPBACK_NAME}:{head_port}",
                **_listeners(port),
                **_rack(racks, broker),
            },
        )
        for broker, port in ports.items()
    ]
    head = ProcessPlan("zookeeper", ZOOKEEPER, zookeeper, data_key="dataDir", is_kafka=False)
    return [head, *brokers]


def _listeners(port: int) -> dict[str, object]:
    address = f"PLAINTEXT://{LOOPBACK_NAME}:{port}"
    return {"listeners": address, "advertised.listeners": address}


def _rack(racks: Mapping[int, str], broker: int) -> dict[str, object]:
    return {"broker.rack": racks[broker]} if broker in racks else {}


WITH_CONTROLLER = ClusterKind(
    head="controller",
    plans=kraft_plans,
    formats=True,
    head_first=False,
    forgets_ms=0,
    log_file="log4j2.properties",
    log_text=LOG4J_2,
    log_option="-Dlog4j2.configurationFile=",
)
WITH_ZOOKEEPER = ClusterKind(
    head="zookeeper",
    plans=zookeeper_plans,
    formats=False,
    head_first=True,
    forgets_ms=ZOOKEEPER_FORGETS_MS,
    log_file="log4j.properties",
    log_text=LOG4J_1,
    log_option="-Dlog4j.configuration=file:",
    java_options=("-Dzookeeper.jmx.log4j.disable=true",),
)


def cluster_kind(version: str) -> ClusterKind:
    """How brokers of this release are run: `2.3` or `2.3.1`. Raises UnknownRelease."""
    for release in BROKERS:
        if version in (release.name, release.recorded):
            return WITH_CONTROLLER if broker_profile(release.name).is_kraft else WITH_ZOOKEEPER
    raise unknown(version, "broker")


def broker_defaults(count: int) -> dict[str, object]:
    """Kafka's defaults, but for what needs more brokers or more memory than there are."""
    replicas = min(3, count)
    in_sync = min(2, count)
    return {
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": in_sync,
        "transaction.state.log.num.partitions": 5,
        "share.coordinator.state.topic.num.partitions": 5,
        "log.cleaner.dedupe.buffer.size": 10_485_760,
    }
