"""The words of a real lab that need no broker: folders, ports, jars, arguments, refusals, errors,
lines."""

from __future__ import annotations

import random
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError, Py4JJavaError

from kafkalab import real
from kafkalab.__main__ import main as command
from kafkalab.errors import (
    CommitFailedException,
    ConsumerOffsetOutOfRangeException,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
    NoSuchName,
    OffsetOutOfRangeException,
)
from kafkalab.lab import Lab
from kafkalab.logsets.java import JavaMissing
from kafkalab.reading.sockets import Socket
from kafkalab.real import client_sockets, free_ports, home, jar_fetch, jar_sets, simulator_words
from kafkalab.real.cluster_plans import WITH_CONTROLLER, WITH_ZOOKEEPER, cluster_kind
from kafkalab.real.command import main
from kafkalab.real.java_client import JavaClient
from kafkalab.real.java_errors import JavaException, named_error, python_error
from kafkalab.real.java_process import JavaProcess, setting_text
from kafkalab.real.log_lines import ClientLog, lines_frame, requests_frame
from kafkalab.real.real_cluster import RealBroker, RealCluster
from kafkalab.real.real_lab import RealLab
from kafkalab.releases.lineage import CLIENTS, UnknownRelease

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(home.VARIABLE, str(tmp_path / "real"))
    return tmp_path / "real"


# folders and ports


def test_everything_lies_in_one_private_folder(own_folder, monkeypatch):
    run = home.new_run_folder()
    assert run.parent == own_folder / "runs" and home.jar_folder("x") == own_folder / "jars" / "x"
    assert run.stat().st_mode & 0o077 == 0 and run.parent.stat().st_mode & 0o077 == 0
    assert home.new_run_folder() != run
    monkeypatch.delenv(home.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_folder))
    assert home.real_home() == own_folder / "kafkalab" / "real"


def test_ports_are_free_and_below_those_of_outgoing_connections():
    found = free_ports.free_ports(20, random.Random(7))
    assert len(set(found)) == 20 and max(found) < 32_768
    with socket.socket() as taken:
        taken.bind((free_ports.LOOPBACK, found[0]))
        taken.listen()
        assert not free_ports.is_free(found[0]) and free_ports.is_answering(found[0])
        assert found[0] not in free_ports.free_ports(20, random.Random(7))
    assert free_ports.is_free(found[1]) and not free_ports.is_answering(found[1])


def test_two_labs_draw_different_ports():
    drawn = {tuple(free_ports.free_ports(4)) for _ in range(5)}
    assert len(drawn) == 5


# jars


def test_every_client_release_has_a_set_with_digests():
    for release in CLIENTS:
        found = jar_sets.client_set(release.name)
        assert found == jar_sets.client_set(release.recorded)
        assert any(f"kafka-clients-{release.recorded}" in jar.file for jar in found.jars)
        assert all(len(jar.sha256) == 64 and jar.bytes > 0 for jar in found.jars)
    assert any("kafka_2.13-4.4.0" in jar.file for jar in jar_sets.broker_set("4.4").jars)


def test_a_missing_set_says_what_to_run():
    wanted = jar_sets.client_set("2.8")
    assert not wanted.is_here
    with pytest.raises(real.NotSetUp, match=r"real setup --version 2\.8\.2"):
        wanted.class_path()
    with pytest.raises(real.NotSetUp, match=r"run `python -m kafkalab real setup` once"):
        jar_sets.client_set("3.9").class_path()
    assert "real setup` once" in real.what_is_missing()


def test_releases_that_cannot_be_had():
    with pytest.raises(UnknownRelease, match="choose one of"):
        jar_sets.client_set("9.9")
    with pytest.raises(UnknownRelease, match="choose one of"):
        jar_sets.broker_set("3.9")


def test_an_older_broker_brings_zookeeper_and_its_own_scala():
    old = jar_sets.broker_set("2.3")
    files = " ".join(jar.file for jar in old.jars)
    assert old == jar_sets.broker_set("2.3.1")
    assert all(name in files for name in ("kafka_2.12-2.3.1", "zookeeper-3.5.10", "reload4j"))
    assert f"scala-library-{old.scala}" in files
    assert "scala-library" not in " ".join(jar.file for jar in jar_sets.broker_set("4.4").jars)
    with pytest.raises(real.NotSetUp, match=r"real setup --broker 2\.3\.1"):
        old.class_path()


PORTS = {0: 21_000, 1: 21_001}


def test_brokers_have_a_controller_or_zookeeper_and_listen_on_the_loopback_only(tmp_path):
    for version, head in (("4.4", "controller"), ("2.3.1", "zookeeper")):
        kind = cluster_kind(version)
        plans = kind.plans(PORTS, 21_009, {1: "b"})
        assert [plan.name for plan in plans] == [head, "broker-0", "broker-1"]
        texts = [plan.all_settings({"log.cleaner.threads": 1}, tmp_path / "data") for plan in plans]
        assert texts[2]["broker.rack"] == "b" and "broker.rack" not in texts[1]
        assert texts[1]["listeners"] == "PLAINTEXT://localhost:21000"
        assert all("localhost:21009" in str(text.values()) for text in texts[1:])
        [option, *_] = kind.logging(tmp_path / version)
        assert option.partition("=")[0] in ("-Dlog4j.configuration", "-Dlog4j2.configurationFile")
        assert str(tmp_path / version / "server.log") in (
            tmp_path / version / kind.log_file
        ).read_text(encoding="utf-8")
    assert texts[0] == {
        "clientPort": 21_009,
        "clientPortAddress": "localhost",
        "maxClientCnxns": 0,
        "tickTime": 500,
        "admin.enableServer": False,
        "dataDir": tmp_path / "data",
    }
    assert (WITH_ZOOKEEPER.formats, WITH_CONTROLLER.formats) == (False, True)
    with pytest.raises(UnknownRelease):
        cluster_kind("3.9")


def test_a_jar_with_other_bytes_is_found(tmp_path, monkeypatch):
    right = tmp_path / "a-1.jar"
    right.write_bytes(b"right")
    [row] = jar_sets.table_rows("client-1", [right])
    name, size, digest, file = row.split("\t")
    monkeypatch.setattr(
        jar_sets, "_table", lambda: {name: (jar_sets.Jar(file, int(size), digest),)}
    )
    wanted = jar_sets.JarSet("client-1", ())
    assert jar_sets.wrong_jars(wanted, tmp_path) == [] and wanted.bytes == 5
    right.write_bytes(b"wrong")
    assert "another file" in jar_sets.wrong_jars(wanted, tmp_path)[0]
    right.unlink()
    assert "missing" in jar_sets.wrong_jars(wanted, tmp_path)[0]


def test_offline_it_says_what_to_carry():
    wanted = jar_sets.client_set("3.9")
    said = jar_fetch._why_not(wanted, "java.net.UnknownHostException: repo\n")
    assert "carry" in said and "client-3.9.2 alone has" in said and "\n" not in said
    said = jar_fetch._why_not(wanted, "x\n :: unresolved dependency: a#b;1: not found\n")
    assert said.endswith("unresolved dependency: a#b;1: not found")


def test_without_java_it_says_what_to_install(monkeypatch):
    def none():
        raise JavaMissing("Spark needs Java 17 or newer and this machine has none: install a JDK.")

    monkeypatch.setattr(jar_fetch, "find_java", none)
    monkeypatch.setattr(jar_sets.JarSet, "class_path", lambda self: "")
    assert real.what_is_missing() == (
        "Real Kafka needs Java 17 or newer and this machine has none: install a JDK."
    )
    with pytest.raises(real.NotSetUp, match="install a JDK"):
        jar_fetch.java_command()


def test_on_windows_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr("kafkalab.real.readiness.HAS_UNIX", False)
    monkeypatch.delitem(vars(real), "Lab", raising=False)
    said = real.what_is_missing()
    assert "WSL" in said
    with pytest.raises(real.NotSetUp, match="WSL"):
        _ = real.Lab
    assert command(["real", "status"]) == 1 and capsys.readouterr().err == said + "\n"


def test_progress_says_how_much_is_here(tmp_path):
    (tmp_path / "cache" / "a").mkdir(parents=True)
    (tmp_path / "cache" / "a" / "a.jar").write_bytes(b"x" * 3_000_000)
    (tmp_path / "cache" / "a" / "b.jar.part").write_bytes(b"x" * 1_000_000)
    wanted = jar_sets.client_set("3.9")
    assert jar_fetch._progress(wanted, tmp_path).startswith("client-3.9.2: 4 MB of ")


def test_no_address_of_a_repository_is_in_the_room():
    for path in (ROOT / "kafkalab" / "real").rglob("*.py"):
        assert "://" not in path.read_text(encoding="utf-8").replace("CONTROLLER://", "").replace(
            "PLAINTEXT://", ""
        ), f"{path.name} names an address: the machine's settings know where jars are"


# arguments and refusals


@pytest.mark.parametrize("word", ["at", "step", "link", "heal", "why", "journal", "seed"])
def test_what_only_a_simulator_can_do_is_refused_with_one_sentence(word):
    lab = object.__new__(RealLab)
    with pytest.raises(NoSuchName, match=f"A real lab has no '{word}': ") as raised:
        getattr(lab, word)
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value)


def test_an_unknown_word_gets_a_hint():
    with pytest.raises(NoSuchName, match="create_topic"):
        _ = object.__new__(RealLab).create_topics


def test_every_public_word_of_the_simulator_is_here_or_refused():
    missing = [
        name
        for name in dir(Lab)
        if not name.startswith("_")
        and not hasattr(RealLab, name)
        and simulator_words.refused_word("x", name) is None
        and name not in ("alter_topic", "profile", "call", "time_text", "warn_of_new_topic")
        and name != "line_events"  # of the log sets; `lines()` is the word of both
        and name not in ("next_number", "client_name", "add_client")
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"brokers": 0}, "how many"),
        ({"brokers": 4}, "at most 3"),
        ({"brokers": {0: "localhost:9092"}}, "how many"),
        ({"seed": 7}, "chance is real"),
        ({"cold": True}, "all of them are cold"),
        ({"colour": 1}, "takes no 'colour'"),
    ],
)
def test_a_lab_with_wrong_words_does_not_start(given, says, own_folder):
    with pytest.raises(IllegalArgumentException, match=says):
        RealLab(**given)
    assert not (own_folder / "runs").exists()


def test_a_lab_without_jars_says_so_and_starts_nothing(own_folder):
    with pytest.raises(real.NotSetUp, match="real setup"):
        real.Lab()
    assert not (own_folder / "runs").exists()


def test_a_client_needs_a_real_lab_and_settings_for_java():
    with pytest.raises(IllegalArgumentException, match="needs a real lab"):
        real.KafkaProducer(Lab())
    fake = SimpleNamespace(
        start_client=None, first_address="localhost:1", version="3.9", real_servers=str
    )
    with pytest.raises(IllegalArgumentException, match="Python function needs the simulator"):
        real.KafkaProducer(fake, {"partitioner.class": lambda *_: 0})
    with pytest.raises(IllegalArgumentException, match="the released Java code decides"):
        real.KafkaProducer(fake, least_loaded=lambda nodes: nodes[0])
    with pytest.raises(IllegalArgumentException, match="takes its settings as a dict"):
        real.KafkaConsumer(fake, "group")


def test_the_addresses_of_the_simulator_stand_for_the_brokers():
    lab = object.__new__(RealLab)
    lab._cluster = SimpleNamespace(
        ports={0: 21_000, 1: 21_001}, address=lambda broker: f"localhost:{21_000 + broker}"
    )
    assert lab.real_servers("localhost:9093, localhost:9092") == "localhost:21001,localhost:21000"
    assert lab.real_servers("localhost:9099") == "localhost:9099"


def test_settings_are_written_as_java_reads_them():
    assert [setting_text(value) for value in (True, False, 5, "all", ["a", "b"])] == [
        "true",
        "false",
        "5",
        "all",
        "a,b",
    ]


def test_names_are_the_simulators():
    assert real.Lab is RealLab and issubclass(real.KafkaConsumer, JavaClient)
    with pytest.raises(AttributeError, match="it has"):
        _ = real.KafkaStreams
    assert "Lab" in dir(real)


def test_a_broker_handle_sends_signals():
    sent, told = [], []
    cluster = object.__new__(RealCluster)
    cluster.keeper = SimpleNamespace(signal=lambda *given: sent.append(given))
    cluster.up, cluster.ports, cluster._paused = {1}, {1: 1}, {}
    cluster.admin = cluster._keep_admin_awake = lambda: None
    broker = RealBroker(cluster, 1, told.append)
    broker.pause()
    broker.resume()
    assert sent == [("broker-1", 19), ("broker-1", 18)] and "up" in repr(broker)
    broker.pause(ms=60_000)
    assert cluster._paused[1].is_alive()
    cluster.resume_all()
    assert cluster._paused == {} and sent[2:] == [("broker-1", 19), ("broker-1", 18)]
    assert told == ["pause", "resume", "pause"]


# errors, lines and sockets


class Thrown:
    """What py4j gives for a Java exception."""

    _target_id = "o1"

    def __init__(self, name, message, cause=None):
        self._name, self._message, self._cause = name, message, cause

    def getClass(self):
        return SimpleNamespace(getName=lambda: self._name)

    def getMessage(self):
        return self._message

    def getCause(self):
        return self._cause


def test_an_exception_of_java_is_pythons_of_the_same_name():
    inner = Thrown("org.apache.kafka.clients.consumer.CommitFailedException", "late")
    error = python_error(Thrown("java.util.concurrent.ExecutionException", "x", inner))
    assert isinstance(error, CommitFailedException) and str(error) == "late"


def test_two_exceptions_of_one_short_name_stay_apart():
    consumers = named_error("org.apache.kafka.clients.consumer.OffsetOutOfRangeException", "a")
    brokers = named_error("org.apache.kafka.common.errors.OffsetOutOfRangeException", "b")
    assert type(consumers) is ConsumerOffsetOutOfRangeException
    assert type(brokers) is OffsetOutOfRangeException


def test_an_unknown_exception_keeps_its_name():
    error = named_error("java.lang.ArithmeticException", "/ by zero")
    assert isinstance(error, JavaException) and error.java_name == "java.lang.ArithmeticException"


def test_an_exception_that_pyspark_has_covered_is_found_again():
    java = object.__new__(JavaProcess)
    java.killed, java._shown = False, "shop"
    thrown = Thrown("org.apache.kafka.clients.consumer.CommitFailedException", "late")

    def covered():
        try:
            raise Py4JJavaError("x", thrown)
        except Py4JJavaError:
            raise Py4JError("PySpark asked the wrong JVM") from None

    with pytest.raises(CommitFailedException, match="late"):
        java.call(covered)
    with pytest.raises(KeyError):
        java.call({}.__getitem__, "an error of ours")
    java.killed = True
    with pytest.raises(IllegalStateException, match="The process of shop was killed"):
        java.call(covered)


def test_the_cause_of_a_failed_constructor_is_told():
    cause = Thrown("org.apache.kafka.common.config.ConfigException", "Invalid url")
    error = python_error(
        Thrown(KafkaException.java_name, "Failed to construct kafka producer", cause)
    )
    assert str(error) == "Failed to construct kafka producer: Invalid url"


LOG = """[2026-01-05 09:00:00,100] DEBUG [Producer clientId=shop] Initiating connection to node \
localhost:21000 (id: -1 rack: null) using address localhost/127.0.0.1 \
(org.apache.kafka.clients.NetworkClient:944)
[2026-01-05 09:00:00,105] DEBUG [Producer clientId=shop] Sending API_VERSIONS request with header \
RequestHeader(apiKey=API_VERSIONS, apiVersion=4) and timeout 30000 to node -1: {} \
(org.apache.kafka.clients.NetworkClient:944)
[2026-01-05 09:00:00,106] INFO Kafka version: 3.9.2 (org.apache.kafka.common.utils.AppInfoParser:1)
"""


def test_lines_and_requests_are_frames_of_the_simulators_shape(tmp_path):
    path = tmp_path / "client-1.log"
    path.write_text(LOG, encoding="utf-8")
    lab = Lab()
    files = [ClientLog("shop", "shop", path), ClientLog("late", "late", tmp_path / "none.log")]
    epoch_ms = 1_767_603_600_000
    lines = lines_frame(files, epoch_ms)
    assert list(lines.columns) == list(lab.lines().columns)
    assert list(lines.at_ms) == [100, 105, 106] and set(lines.client_id) == {"shop"}
    assert "".join(lines.text) == LOG
    requests = requests_frame(files, epoch_ms)
    assert requests.iloc[0].to_dict() == {
        "at_ms": 105,
        "who": "shop",
        "node_id": "-1",
        "api": "API_VERSIONS",
    }


def test_the_kernel_tells_the_open_sockets_of_a_process(tmp_path):
    handles = tmp_path / "17" / "fd"
    handles.mkdir(parents=True)
    for number, inode in enumerate(("501", "502", "503")):
        (handles / str(number)).symlink_to(f"socket:[{inode}]")
    (tmp_path / "net").mkdir()
    head = "  sl  local_address rem_address   st\n"
    row = "   0: 0100007F:9697 0100007F:{port:04X} {state} 0:0 0:0 0 0 0 {inode} 1\n"
    (tmp_path / "net" / "tcp").write_text(
        head
        + row.format(port=21_000, state="01", inode=501)
        + row.format(port=21_000, state="06", inode=502)
        + row.format(port=21_001, state="01", inode=999)
        + row.format(port=443, state="01", inode=503),
        encoding="utf-8",
    )
    ports = {21_000: 0, 21_001: 1}
    assert client_sockets.kernel_sockets(17, ports, tmp_path) == {0: 1}
    open_one = [SimpleNamespace(closed_at_ms=None), SimpleNamespace(closed_at_ms=5)]
    assert client_sockets.disagreement(open_one, {0: 1}) is None
    assert "holds 2" in client_sockets.disagreement(open_one, {0: 1, 1: 1})


# the command


def test_the_command_answers_with_a_sentence(capsys, own_folder):
    assert main(["status"]) == 0
    assert "no jars yet" in capsys.readouterr().out
    assert main(["down"]) == 0
    assert "0 labs ended" in capsys.readouterr().out
    assert main(["up"]) == 1
    assert "real setup" in capsys.readouterr().err
    assert main(["setup", "--version", "9.9"]) == 1
    assert "choose one of" in capsys.readouterr().err
    assert main(["prove", "99"]) == 1
    assert "no story proves chapter '99'" in capsys.readouterr().err
    assert main(["prove", "02"]) == 1
    assert "real setup" in capsys.readouterr().err


def test_sockets_are_those_of_the_moment_in_which_they_were_asked_for():
    late = Socket("shop", "0", 0, "data", "request", 900, 901, None, None, 2)
    closed = Socket("shop", "-1", None, "bootstrap", "metadata", 100, 101, 700, "idle", 1)
    assert client_sockets.sockets_until([closed, late], 950) == [closed, late]
    [still_open] = client_sockets.sockets_until([closed, late], 500)
    assert (still_open.closed_at_ms, still_open.how) == (None, None)
    assert client_sockets.sockets_until([closed, late], 700) == [closed]
    [_, killed] = client_sockets.sockets_until([closed, late], 990, {"shop": 980})
    assert (killed.closed_at_ms, killed.how) == (980, "killed")
