"""RealCluster: real Kafka brokers on this machine, one process each, and their KRaft controller.

The controller is a process of its own, so that each broker can be crashed. Nothing listens beyond
the loopback address. Java's classes are kafka.Kafka and kafka.tools.StorageTool.
"""

from __future__ import annotations

import base64
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kafkalab.errors import IllegalArgumentException, IllegalStateException
from kafkalab.real.free_ports import free_ports, is_answering
from kafkalab.real.jar_sets import NotSetUp, broker_set
from kafkalab.real.java_process import JavaProcess, items_of, java_args, setting_text
from kafkalab.real.keeper import Keeper

CONTROLLER_ID = 100
MOST_BROKERS = 3
"""More brokers do not fit into the memory and time of a usual laptop."""
STARTS_WITHIN_S = 180
TRIES = 3
"""How often other ports are tried when somebody else was faster."""
BROKER_LOG = """rootLogger.level=INFO
rootLogger.appenderRef.f.ref=F
appender.f.type=File
appender.f.name=F
appender.f.fileName={file}
appender.f.layout.type=PatternLayout
appender.f.layout.pattern=[%d] %p %m (%c)%n
"""
PORT_TAKEN = "Address already in use"


class RealCluster:
    """Brokers 0, 1, ... and a controller. `hands` is the lab's own JVM, which formats and asks.

    settings  dotted settings of every broker, over Kafka's defaults and those a small machine needs
    racks     the rack of each broker, id -> name
    """

    def __init__(
        self,
        keeper: Keeper,
        version: str,
        count: int,
        settings: Mapping[str, Any],
        racks: Mapping[int, str],
        tell: Callable[[str], None],
    ) -> None:
        self.keeper, self.count, self._settings, self._racks = keeper, count, settings, racks
        self._class_path = broker_set(version).class_path()
        self.ports: dict[int, int] = {}
        self.up: set[int] = set()
        self._files: dict[str, Path] = {}
        tell(f"starting Java for {count} brokers")
        self.hands = JavaProcess(keeper, "lab", self._class_path, self._logging("lab"))
        for left in reversed(range(TRIES)):
            tell(f"starting {count} brokers")
            try:
                self._start_all()
                return
            except _PortTaken:
                self._kill_all()
                if not left:
                    raise NotSetUp(
                        "The brokers found no free ports: other programs take them as fast as "
                        "they are chosen."
                    ) from None

    def address(self, broker: int) -> str:
        """`localhost:20017`: where a client reaches a broker."""
        return f"localhost:{self.ports[broker]}"

    @property
    def addresses(self) -> str:
        """All brokers, as bootstrap.servers takes them."""
        return ",".join(self.address(broker) for broker in self.ports)

    def server_log(self, broker: int) -> str:
        """What a broker has logged so far."""
        path = self.keeper.folder / f"broker-{broker}" / "server.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    # one broker

    def crash(self, broker: int) -> None:
        """`kill -9` of a broker's process; its disk stays."""
        self.keeper.kill(f"broker-{broker}")
        self.up.discard(broker)

    def stop(self, broker: int) -> None:
        """End a broker in order: it gives its leaderships away first (SIGTERM)."""
        self.keeper.signal(f"broker-{broker}", signal.SIGTERM)
        self.keeper.wait(f"broker-{broker}", STARTS_WITHIN_S)
        self.up.discard(broker)

    def restart(self, broker: int) -> None:
        """Start a broker again with its disk, and wait until the cluster has it."""
        if broker in self.up:
            raise IllegalStateException(f"broker {broker} runs; crash() or stop() ends it")
        self._start(f"broker-{broker}")
        self.up.add(broker)
        self._wait_for({broker})

    def signal(self, broker: int, number: int) -> None:
        """Send a signal to a broker's process."""
        self.keeper.signal(f"broker-{broker}", number)

    # all of them

    def _start_all(self) -> None:
        controller_port, *ports = free_ports(self.count + 1)
        self.ports = dict(enumerate(ports))
        cluster_id = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        voters = {"controller.quorum.voters": f"{CONTROLLER_ID}@localhost:{controller_port}"}
        roles: dict[str, dict[str, object]] = {
            "controller": {
                "process.roles": "controller",
                "node.id": CONTROLLER_ID,
                "listeners": f"CONTROLLER://localhost:{controller_port}",
                **voters,
            }
        }
        for broker, port in self.ports.items():
            roles[f"broker-{broker}"] = {
                "process.roles": "broker",
                "node.id": broker,
                "listeners": f"PLAINTEXT://localhost:{port}",
                "advertised.listeners": f"PLAINTEXT://localhost:{port}",
                **({"broker.rack": self._racks[broker]} if broker in self._racks else {}),
                **voters,
            }
        for name, settings in roles.items():
            self._format(name, settings, cluster_id)
        for name in roles:
            self._start(name)
        self.up = set(self.ports)
        self._wait_for(self.up)

    def _format(self, name: str, settings: Mapping[str, object], cluster_id: str) -> None:
        """Write the settings of one process and format its disk, as kafka-storage.sh does."""
        folder = self.keeper.folder / name
        folder.mkdir(exist_ok=True)
        file = self._files[name] = folder / "server.properties"
        given = {
            **_defaults(self.count),
            **self._settings,
            **settings,
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "data",
        }
        text = "".join(f"{key}={setting_text(value)}\n" for key, value in given.items())
        file.write_text(text, encoding="utf-8")
        java = self.hands
        words = java.jvm.java.io.ByteArrayOutputStream()
        given_args = ["format", "-t", cluster_id, "-c", str(file), "--ignore-formatted"]
        args = java.jvm.java.lang.reflect.Array.newInstance(
            java.jvm.java.lang.Class.forName("java.lang.String"), len(given_args)
        )
        for place, arg in enumerate(given_args):
            args[place] = arg
        stream = java.jvm.java.io.PrintStream(words)
        code = java.call(java.jvm.kafka.tools.StorageTool.execute, args, stream)
        if code != 0:
            raise IllegalArgumentException(
                f"Kafka does not take these broker settings: {str(words.toString()).strip()}"
            )

    def _start(self, name: str) -> None:
        args = java_args(
            self._class_path, ("kafka.Kafka", str(self._files[name])), self._logging(name)
        )
        self.keeper.start(name, args, self.keeper.folder / name / "stdout.log")

    def _logging(self, name: str) -> list[str]:
        folder = self.keeper.folder / name
        folder.mkdir(exist_ok=True)
        file = folder / "log4j2.properties"
        file.write_text(BROKER_LOG.format(file=folder / "server.log"), encoding="utf-8")
        return [f"-Dlog4j2.configurationFile={file}"]

    def _wait_for(self, brokers: set[int]) -> None:
        """Wait until these brokers listen and the controller lists them."""
        until = time.monotonic() + STARTS_WITHIN_S
        missing = set(brokers)
        while missing:
            missing = {broker for broker in missing if not is_answering(self.ports[broker])}
            for name in ("controller", *(f"broker-{broker}" for broker in missing)):
                if self.keeper.code(name) is not None:
                    self._explain(name)
            if time.monotonic() > until:
                raise NotSetUp(
                    f"The brokers did not start within {STARTS_WITHIN_S} s: the machine is busy, "
                    "or has too little memory."
                )
            time.sleep(0.1)
        admin = self.admin()
        while not brokers <= self._listed(admin):
            if time.monotonic() > until:
                raise NotSetUp("The brokers run, and the controller does not list them.")
            time.sleep(0.1)

    def _listed(self, admin: Any) -> set[int]:
        nodes = self.hands.call(lambda: admin.describeCluster().nodes().get())
        return {int(node.id()) for node in items_of(nodes)}

    def admin(self) -> Any:
        """The Java AdminClient with which the lab itself looks at the cluster.

        It waits for one broker for a second only, and then asks another: a paused broker must not
        hold up what the lab tells.
        """
        if not hasattr(self, "_admin"):
            config = self.hands.properties(
                {"bootstrap.servers": self.addresses, "request.timeout.ms": 1_000}
            )
            kind = self.hands.jvm.org.apache.kafka.clients.admin.Admin
            self._admin = self.hands.call(kind.create, config)
        return self._admin

    def _explain(self, name: str) -> None:
        """Say why a process of the cluster ended."""
        folder = self.keeper.folder / name
        said = "".join(
            path.read_text(encoding="utf-8", errors="replace")
            for path in (folder / "server.log", folder / "stdout.log")
            if path.exists()
        )
        if PORT_TAKEN in said:
            raise _PortTaken(name)
        fatal = [line for line in said.splitlines() if "Exception" in line]
        raise NotSetUp(f"{name} ended at once. It said: {(fatal or [said[-300:]])[0]}")

    def _kill_all(self) -> None:
        for name in self._files:
            self.keeper.kill(name)


class _PortTaken(Exception):
    """Somebody else listens on a port that was free when it was chosen."""


class RealBroker:
    """The handle for one broker's faults: `lab.broker(2).crash()`, `.restart()`, `.stop()`,
    `.pause()`, `.resume()`."""

    def __init__(self, cluster: RealCluster, broker: int) -> None:
        self._cluster, self.id = cluster, broker

    @property
    def is_up(self) -> bool:
        """Whether its process runs."""
        return self.id in self._cluster.up

    def crash(self) -> None:
        """Kill the process (kill -9): its sockets break, and new ones are refused."""
        self._cluster.crash(self.id)

    def stop(self) -> None:
        """End the process in order: it gives its leaderships away first."""
        self._cluster.stop(self.id)

    def restart(self) -> None:
        """Start the process again with its disk. Raises IllegalStateException where it runs."""
        self._cluster.restart(self.id)

    def pause(self, ms: int | None = None) -> None:
        """Let the process stand still, its sockets open, as in a long garbage collection (SIGSTOP).

        ms: for so long; until `resume()` when left out.
        """
        self._cluster.signal(self.id, signal.SIGSTOP)
        if ms is not None:
            timer = threading.Timer(ms / 1000, self.resume)
            timer.daemon = True
            timer.start()

    def resume(self) -> None:
        """Let a paused process go on (SIGCONT)."""
        self._cluster.signal(self.id, signal.SIGCONT)

    def __repr__(self) -> str:
        state = "up" if self.is_up else "down"
        return f"RealBroker({self.id}, {self._cluster.address(self.id)}, {state})"


def _defaults(count: int) -> dict[str, object]:
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
