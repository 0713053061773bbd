"""RealCluster: real Kafka brokers on this machine, one process each, and what they need.

That is a KRaft controller, or ZooKeeper for brokers 2.3 (`cluster_plans`). Nothing listens beyond
the loopback address. Java's classes are kafka.Kafka and kafka.tools.StorageTool.
"""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kafkalab.errors import IllegalArgumentException, IllegalStateException, KafkaException
from kafkalab.real.cluster_plans import (
    LOOPBACK_NAME,
    ProcessPlan,
    broker_defaults,
    cluster_kind,
)
from kafkalab.real.free_ports import free_ports, is_answering
from kafkalab.real.jar_sets import NotSetUp, broker_set, client_set
from kafkalab.real.java_process import JavaProcess, items_of, java_args, setting_text
from kafkalab.real.keeper import Keeper, KeptProcessError
from kafkalab.releases.lineage import CLIENT_NAMES

MOST_BROKERS = 3
"""More brokers do not fit into the memory and time of a usual laptop."""
STARTS_WITHIN_S = 180
AWAKE_EVERY_S = 0.5
TRIES = 3
"""How often other ports are tried when somebody else was faster."""
PORT_TAKEN = "Address already in use"


class RealCluster:
    """Brokers 0, 1, ... and their controller or ZooKeeper. `hands` is the lab's own JVM, which
    formats and asks.

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
        self._kind = cluster_kind(version)
        self.ports: dict[int, int] = {}
        self.up: set[int] = set()
        self._plans: dict[str, ProcessPlan] = {}
        self._head_port = 0
        self._crashed_s: dict[int, float] = {}
        self._paused: dict[int, threading.Timer | None] = {}
        self._advertised: dict[int, int] = {}
        self._read_from: dict[Path, int] = {}
        tell(f"starting Java for {count} brokers")
        self.hands = self._begin_hands()
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
        self._forget_pause(broker)
        self._crashed_s[broker] = time.monotonic()
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
        if broker in self._crashed_s:
            may_s = self._crashed_s.pop(broker) + self._kind.forgets_ms / 1000
            time.sleep(max(0.0, may_s - time.monotonic()))
        self._start(f"broker-{broker}")
        self.up.add(broker)
        self._wait_for({broker})

    def advertise(self, broker: int, port: int) -> None:
        """Start a broker again, with another port in `advertised.listeners` than it listens on."""
        if broker in self.up:
            self.stop(broker)
        self._advertised[broker] = port
        self._write_settings(f"broker-{broker}")
        self.restart(broker)

    def advertise_own(self) -> None:
        """Let each broker that advertises another port advertise its own again."""
        for broker in list(self._advertised):
            self.advertise(broker, self.ports[broker])
            del self._advertised[broker]

    def pause(self, broker: int, ms: int | None) -> None:
        """Let a broker's process stand still (SIGSTOP), for `ms` or until `resume`."""
        self._forget_pause(broker)
        self.admin()
        self.keeper.signal(f"broker-{broker}", signal.SIGSTOP)
        is_first = not self._paused
        timer = self._paused[broker] = None if ms is None else self._timer(broker, ms)
        if timer is not None:
            timer.start()
        if is_first:
            threading.Thread(target=self._keep_admin_awake, daemon=True).start()

    def _keep_admin_awake(self) -> None:
        """Ask a broker that runs for its settings twice a second, while another one is paused.

        An admin client sleeps until an answer comes or the whole call is over, and looks at
        request.timeout.ms only when it wakes. So without this a question to a paused broker takes a
        minute, and not a second (KafkaAdminClient: KafkaClient#poll(timeout=60000)).
        """
        java, admin = self.hands, self.admin()

        def ask(broker: int) -> None:
            kinds = java.jvm.org.apache.kafka.common.config
            kind = getattr(kinds, "ConfigResource$Type").BROKER
            admin.describeConfigs(java.array_list([kinds.ConfigResource(kind, str(broker))]))

        while self._paused:
            for broker in sorted(self.up - set(self._paused))[:1]:
                try:
                    java.call(ask, broker)
                except (IllegalStateException, KafkaException):  # the lab has ended
                    return
            time.sleep(AWAKE_EVERY_S)

    def resume(self, broker: int) -> None:
        """Let a paused process go on (SIGCONT)."""
        self._forget_pause(broker)
        self.keeper.signal(f"broker-{broker}", signal.SIGCONT)

    def resume_all(self) -> None:
        """Let every paused process go on."""
        for broker in list(self._paused):
            self.resume(broker)

    def _timer(self, broker: int, ms: int) -> threading.Timer:
        def go_on() -> None:
            with contextlib.suppress(KeptProcessError):  # the lab has ended
                self.resume(broker)

        timer = threading.Timer(ms / 1000, go_on)
        timer.daemon = True
        return timer

    def _forget_pause(self, broker: int) -> None:
        timer = self._paused.pop(broker, None)
        if timer is not None:
            timer.cancel()

    # all of them

    def _begin_hands(self) -> JavaProcess:
        """The lab's own JVM: the brokers' jars, which format disks, or else the newest client's."""
        jars = self._class_path
        if not self._kind.formats:
            jars = client_set(CLIENT_NAMES[-1]).class_path()
        logging = self._kind.logging(self.keeper.folder / "lab")
        return JavaProcess(self.keeper, "lab", jars, logging)

    def _start_all(self) -> None:
        self._head_port, *ports = free_ports(self.count + 1)
        self.ports = dict(enumerate(ports))
        cluster_id = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        plans = self._kind.plans(self.ports, self._head_port, self._racks)
        self._plans = {plan.name: plan for plan in plans}
        for name in self._plans:
            self._write_settings(name)
            if self._kind.formats:
                self._format(name, cluster_id)
        for name in self._plans:
            self._start(name)
            if name == self._kind.head and self._kind.head_first:
                self._wait_for(set())
        self.up = set(self.ports)
        self._wait_for(self.up)

    def _write_settings(self, name: str) -> None:
        """Write the settings of one process: the lab's, then the caller's, then its own."""
        folder = self.keeper.folder / name
        folder.mkdir(exist_ok=True)
        lab = {**broker_defaults(self.count), **self._settings}
        given = self._plans[name].all_settings(lab, folder / "data")
        for broker, port in self._advertised.items():
            if name == f"broker-{broker}":
                given["advertised.listeners"] = f"PLAINTEXT://{LOOPBACK_NAME}:{port}"
        text = "".join(f"{key}={setting_text(value)}\n" for key, value in given.items())
        self._file(name).write_text(text, encoding="utf-8")

    def _file(self, name: str) -> Path:
        return self.keeper.folder / name / "server.properties"

    def _format(self, name: str, cluster_id: str) -> None:
        """Format the disk of one process, as kafka-storage.sh does."""
        java = self.hands
        words = java.jvm.java.io.ByteArrayOutputStream()
        # one word: an id may begin with a hyphen
        the_id, file = f"--cluster-id={cluster_id}", str(self._file(name))
        given_args = ["format", the_id, "-c", file, "--ignore-formatted"]
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
        folder = self.keeper.folder / name
        options = self._kind.logging(folder)
        for path in _words_of(folder):
            self._read_from[path] = path.stat().st_size if path.exists() else 0
        main = (self._plans[name].main, str(self._file(name)))
        args = java_args(self._class_path, main, options)
        self.keeper.start(name, args, folder / "stdout.log")

    def _wait_for(self, brokers: set[int]) -> None:
        """Wait until these brokers listen and the cluster lists them; with none of them until the
        head answers."""
        until = time.monotonic() + STARTS_WITHIN_S
        ports = {f"broker-{broker}": self.ports[broker] for broker in brokers}
        missing = set(ports.items()) or {(self._kind.head, self._head_port)}
        while missing:
            missing = {each for each in missing if not is_answering(each[1])}
            for name in (self._kind.head, *(name for name, _ in missing)):
                if self.keeper.code(name) is not None:
                    self._explain(name)
            if time.monotonic() > until:
                raise NotSetUp(
                    f"The brokers did not start within {STARTS_WITHIN_S} s: the machine is busy, "
                    "or has too little memory."
                )
            time.sleep(0.1)
        if not brokers:
            return
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
        hold up what the lab tells. See `_keep_admin_awake`.
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
        said = "".join(
            path.read_bytes()[self._read_from.get(path, 0) :].decode("utf-8", errors="replace")
            for path in _words_of(self.keeper.folder / name)
            if path.exists()
        )
        if PORT_TAKEN in said:
            raise _PortTaken(name)
        fatal = [line for line in said.splitlines() if "Exception" in line]
        raise NotSetUp(f"{name} ended at once. It said: {(fatal or [said[-300:]])[0]}")

    def _kill_all(self) -> None:
        for name in self._plans:
            with contextlib.suppress(KeptProcessError):  # it was not started yet
                self.keeper.kill(name)


def _words_of(folder: Path) -> tuple[Path, Path]:
    """The files into which a process writes what it has to say."""
    return folder / "server.log", folder / "stdout.log"


class _PortTaken(Exception):
    """Somebody else listens on a port that was free when it was chosen."""


class RealBroker:
    """The handle for one broker's faults: `lab.broker(2).crash()`, `.restart()`, `.stop()`,
    `.pause()`, `.resume()`, `.advertise(29092)`."""

    def __init__(self, cluster: RealCluster, broker: int, note: Callable[[str], None]) -> None:
        self._cluster, self.id, self._note = cluster, broker, note

    @property
    def is_up(self) -> bool:
        """Whether its process runs."""
        return self.id in self._cluster.up

    def crash(self) -> None:
        """Kill the process (kill -9): its sockets break, and new ones are refused."""
        self._cluster.crash(self.id)
        self._note("crash")

    def stop(self) -> None:
        """End the process in order: it gives its leaderships away first."""
        self._cluster.stop(self.id)
        self._note("stop")

    def restart(self) -> None:
        """Start the process again with its disk. Raises IllegalStateException where it runs."""
        self._note("start")
        self._cluster.restart(self.id)

    def advertise(self, port: int) -> None:
        """Start the process again, with this port in `advertised.listeners`. It listens where it
        did, and clients are sent to `localhost` and this port."""
        self._note("advertise")
        self._cluster.advertise(self.id, port)

    def pause(self, ms: int | None = None) -> None:
        """Let the process stand still, its sockets open, as in a long garbage collection (SIGSTOP).

        ms: for so long; until `resume()` when left out.
        """
        self._note("pause")
        self._cluster.pause(self.id, ms)

    def resume(self) -> None:
        """Let a paused process go on (SIGCONT)."""
        self._note("resume")
        self._cluster.resume(self.id)

    def __repr__(self) -> str:
        state = "up" if self.is_up else "down"
        return f"RealBroker({self.id}, {self._cluster.address(self.id)}, {state})"
