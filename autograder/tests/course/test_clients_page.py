"""Holds the page of other clients: its tables are what the clients do, and its cells run."""

import ast
import asyncio
import inspect
import re
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

import kafkalab
from autograder.course.sources import author_notebook
from kafkalab.extras import PACKAGES
from kafkalab.real.home import jar_folder
from kafkalab.stories import python_clients

ROOT = Path(__file__).resolve().parents[3]
BOOK = author_notebook("clients")
CELLS = [cell.source for cell in BOOK.cells if cell.cell_type == "code"]
TEXT = "\n".join(cell.source for cell in BOOK.cells if cell.cell_type == "markdown")
CLIENTS = PACKAGES["clients"].split()
COLUMNS = {"confluent-kafka": 2, "aiokafka": 3, "kafka-python": 4}
OLD_ENOUGH = {"api_version": (2, 3)}
"""kafka-python asks for a release's requests that the mock cluster does not know."""
VALUE, RECORDS = b"x" * 2_000, 1_200
"""More than one fetch brings, so that there is something to read after the first."""


def table(first: str) -> list[list[str]]:
    """The rows of the table whose head begins with this entry."""
    lines = TEXT.split(f"| {first} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[entry.strip() for entry in line.strip().strip("|").split(" | ")] for line in lines]


def code_in(entry: str) -> list[str]:
    return re.findall(r"`([^`]*)`", entry)


@pytest.fixture(scope="module")
def mock():
    """A producer that holds a mock cluster, and the addresses of its brokers."""
    for package in CLIENTS:
        pytest.importorskip(package, reason="make test installs the extra `clients`")
    from confluent_kafka import Producer

    cluster = Producer({"test.mock.num.brokers": 3, "log_level": 2})
    found = cluster.list_topics(timeout=600).brokers.values()
    cluster.list_topics("orders", timeout=600)
    yield cluster, ",".join(f"{broker.host}:{broker.port}" for broker in found)


def test_the_table_of_defaults_is_what_the_clients_say(mock):
    shown = {row[0].strip("`"): [entry.strip("`") for entry in row[1:]] for row in table("Setting")}
    read = python_clients.defaults()
    assert shown == {name: list(row) for name, row in zip(read.index, read.values, strict=True)}
    assert table("Setting")[0] and f"| Setting | {' | '.join(read.columns)} |" in TEXT


def test_the_page_names_the_versions_that_were_tried():
    tried = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    )
    for client in COLUMNS:
        assert f"{client} {'.'.join(tried[client].split('.')[:2])}" in TEXT


def names_for(client: str, brokers: str, heard: list) -> dict:
    """What the calls of one client may name. A consumer begins at the first record, so that there
    is something to read."""
    import aiokafka
    import confluent_kafka
    import kafka

    group = f"group of {client}"
    common = {"key": b"ada", "value": VALUE, "ms": 10_000, "topics": ["orders"]}
    common["heard"] = lambda *told: heard.append(told)
    common["settings"] = {"bootstrap_servers": brokers}
    if client == "confluent-kafka":
        common["settings"] = {"bootstrap.servers": brokers}

        def consumer(settings: dict) -> confluent_kafka.Consumer:
            config = {**settings, "group.id": group, "auto.offset.reset": "earliest"}
            return confluent_kafka.Consumer(config)

        own = {
            "Producer": confluent_kafka.Producer,
            "Consumer": consumer,
            "there": confluent_kafka.TopicPartition("orders", 0, 1),
            "tp": confluent_kafka.TopicPartition("orders", 0),
            "t": confluent_kafka.Producer({"bootstrap.servers": brokers, "transactional.id": "c"}),
        }
    elif client == "aiokafka":
        own = {
            "AIOKafkaProducer": aiokafka.AIOKafkaProducer,
            "AIOKafkaConsumer": partial(
                aiokafka.AIOKafkaConsumer, group_id=group, auto_offset_reset="earliest"
            ),
            "tp": aiokafka.TopicPartition("orders", 0),
            "t": aiokafka.AIOKafkaProducer(bootstrap_servers=brokers, transactional_id="a"),
        }
    else:
        own = {
            "KafkaProducer": partial(kafka.KafkaProducer, **OLD_ENOUGH),
            "KafkaConsumer": partial(
                kafka.KafkaConsumer, group_id=group, auto_offset_reset="earliest", **OLD_ENOUGH
            ),
            "OffsetAndMetadata": kafka.OffsetAndMetadata,
            "tp": kafka.TopicPartition("orders", 0),
            "t": kafka.KafkaProducer(bootstrap_servers=brokers, transactional_id="k", **OLD_ENOUGH),
        }
    own["tps"] = [own["tp"]]
    return common | own


async def call(snippet: str, names: dict) -> object:
    """The value of one call of the table, awaited where it has an `await`."""
    is_statement = isinstance(ast.parse(snippet).body[0], ast.Assign)
    mode = "exec" if is_statement else "eval"
    code = compile(snippet, snippet, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, names)
    return await value if inspect.iscoroutine(value) else value


async def call_all(client: str, brokers: str) -> tuple[dict[str, object], list]:
    """What each row's last call of one client returned, and what the callback heard."""
    heard, returned = [], {}
    names = names_for(client, brokers, heard)
    for head in ("A producer", "A transaction", "A consumer"):
        for row in table(head):
            for snippet in code_in(row[COLUMNS[client]]):
                value = await call(snippet, names)
            returned[f"{head} {row[0]}"] = value
    await asyncio.sleep(0)
    if client == "aiokafka":
        await names["t"].stop()
    return returned, heard


@pytest.mark.slow
@pytest.mark.parametrize("client", COLUMNS)
def test_each_python_call_of_the_tables_does_what_its_row_says(client, mock):
    cluster, brokers = mock
    for _ in range(RECORDS):
        cluster.produce("orders", VALUE, partition=0)
    assert cluster.flush(30) == 0
    returned, heard = asyncio.run(asyncio.wait_for(call_all(client, brokers), 120))
    assert len(heard) == 1
    assert len(returned["A consumer reads many"]) > 0
    assert returned["A consumer reads one"] is not None
    position = returned["A consumer says its position"]
    place = position[0].offset if isinstance(position, list) else position
    assert isinstance(place, int) and place >= 0
    end = returned["A consumer asks where the log ends"]
    last = end[1] if isinstance(end, tuple) else next(iter(end.values()))
    assert last >= RECORDS


def java_calls() -> list[tuple[str, str]]:
    """(class, method) of each call in Java's column."""
    calls = []
    for head, name in (
        ("A producer", "KafkaProducer"),
        ("A transaction", "KafkaProducer"),
        ("A consumer", "KafkaConsumer"),
    ):
        for row in table(head):
            calls += [
                (name, method)
                for code in code_in(row[1])
                for method in re.findall(r"^[pct]\.(\w+)", code)
            ]
    return calls


def test_the_java_calls_are_javas():
    """The lab has Java's names in Python's spelling; a released jar has them as they are."""
    calls = java_calls()
    assert len(calls) > 12
    for name, method in calls:
        spelled = re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", method)
        assert callable(getattr(getattr(kafkalab, name), spelled)), method
    for jar in jar_folder("client-4.4.0").glob("kafka-clients*.jar"):
        with zipfile.ZipFile(jar) as archive:
            for name, method in calls:
                package = "producer" if name == "KafkaProducer" else "consumer"
                told = archive.read(f"org/apache/kafka/clients/{package}/{name}.class")
                assert method.encode() in told, method


def run_cells(capsys) -> str:
    """Runs the page from top to bottom; returns what it printed."""
    names = {"display": lambda frame: print(frame.to_string())}
    for cell in CELLS:
        exec(compile(cell, "the page of other clients", "exec"), names)
    return capsys.readouterr().out


def test_without_the_extra_each_cell_says_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("KAFKALAB_REAL", str(tmp_path))
    for package in CLIENTS:
        monkeypatch.setitem(sys.modules, package, None)
    said = run_cells(capsys)
    asking = sum("\nif ready():" in f"\n{cell}" for cell in CELLS)
    assert asking > 10
    assert said.count("is not installed, which the extra `clients` brings: ") == asking
    assert said.count("kafkalab real setup") == 1
    assert "the lab         [1, 2, 1, 2, 2, 2, 0, 3, 2, 3]" in said


@pytest.mark.slow
def test_the_page_shows_what_its_text_says(mock, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("KAFKALAB_REAL", str(tmp_path))
    said = run_cells(capsys)
    placed = dict(re.findall(r"^(\S[\w ]*?) +(\[[\d, ]+\])$", said, re.MULTILINE))
    assert placed["the lab"] == placed["murmur2"] == placed["murmur2_random"]
    assert placed["librdkafka"] == placed["crc32"] != placed["the lab"]
    assert said.count("True\n") == 2
    for line in (
        "after a second: []\nafter poll:     ['written']",
        "record 4: Local: Queue full",
        "not flushed 0\nflushed 5",
        "None\nby default                1\nstored by you, after work 0",
        "at once:    None\na record:   b'a bill'\nafter work: _MAX_POLL_EXCEEDED",
        "reader ['bootstrap', 'coordinator', 'data', 'data', 'data']",
        "shop   ['broker']\nreader ['broker', 'coordinator']",
        'No such configuration property: "buffer.memory"',
        "the lab:    No current assignment for partition bills-0",
        "librdkafka: Failed to seek to offset 0: Local: Unknown partition",
    ):
        assert line in said, line
