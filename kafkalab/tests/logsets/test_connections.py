"""Sockets from lines alone: small stories with a known end,
and the kernel's own count in the recordings."""

import json
from collections import defaultdict
from datetime import UTC, datetime

import pytest

from kafkalab import logsets
from kafkalab.lines.catalog import CATALOG
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.line_loader import load_lines

NETWORK_CLIENT = "org.apache.kafka.clients.NetworkClient"
SELECTOR = "org.apache.kafka.common.network.Selector"


def told(*lines: tuple[int, str], who="[Consumer clientId=c, groupId=g] ") -> str:
    """Lines at so many milliseconds past nine."""
    text = ""
    for at_ms, message in lines:
        logger = SELECTOR if message.startswith("Connection with") else NETWORK_CLIENT
        if message.startswith("Kafka "):
            logger = "org.apache.kafka.clients.consumer.KafkaConsumer"
        text += (
            f"[2026-01-05 09:{at_ms // 60_000:02d}:{at_ms // 1000 % 60:02d},{at_ms % 1000:03d}] "
            f"DEBUG {who}{message} ({logger}:1)\n"
        )
    return text


def opening(node_id: str, port: int = 9092) -> str:
    return (
        f"Initiating connection to node localhost:{port} (id: {node_id} rack: null) using address "
        "localhost/127.0.0.1"
    )


METADATA = (
    "[2026-01-05 09:00:00,004] DEBUG [Consumer clientId=c, groupId=g] Updated cluster metadata "
    "updateVersion 2 to MetadataSnapshot{clusterId='x', nodes={7=localhost:9092 (id: 7 rack: "
    "null), 8=localhost:9093 (id: 8 rack: null)}, controller=null} "
    "(org.apache.kafka.clients.Metadata:369)\n"
)
LOST = "Connection with localhost/127.0.0.1 disconnected"
# File -> its lines. Each is a story of its own; they are read in one go, for a Spark job costs more
# than a story.
STORIES = {
    "four sockets.log": told(
        (1, opening("-1")),
        (5, opening("2147483646", 9093)),
        (9, opening("0")),
        (9, opening("1", 9093)),
        (540_010, "Idle connection to node -1 disconnected."),
        (600_000, "Connection with localhost/127.0.0.1 (channelId=1) disconnected"),
        (600_001, "Node 1 disconnected."),
        (600_100, opening("1", 9093)),
        (600_101, "Connection with localhost/127.0.0.1 (channelId=1) disconnected"),
        (600_101, "Node 1 disconnected."),
        (
            600_102,
            (
                "Connection to node 1 (localhost/127.0.0.1:9093) could not be established. Node "
                "may not be available."
            ),
        ),
        (700_000, "Kafka consumer has been closed"),
    ),
    "before 3.9.log": told(
        (1, opening("-1")),
        (2, opening("0")),
        (3, opening("1", 9093)),
        (4, opening("2", 9094)),
        (9_000, LOST),
        (9_000, LOST),
        (9_001, "Node 1 disconnected."),
        (9_001, "Node 2 disconnected."),
        (540_004, "Node -1 disconnected."),
    ),
    "gave up.log": told(
        (1, opening("+2", 9094)),
        (50, "Manually disconnected from +2. Removed requests: HEARTBEAT."),
        (60, opening("+2", 9094)),
        (90, opening("+2", 9094)),  # Whatever ended the second, it was not told.
    ),
    "metadata.log": told((1, opening("-1"))) + METADATA + told((5, opening("-2", 9999))),
    "one address, two brokers.log": told(
        (1, opening("-1")), (2, opening("0")), (3, opening("1")), (4, opening("2", 9094))
    ),
    "two clients.log": (
        told((1, opening("-1")), who="[Producer clientId=p] ")
        + told((2, opening("-1")))
        + told((3, "Kafka consumer has been closed"))
        + told((4, opening("-1")))  # The same client id again: a new consumer.
    ),
    "one id.log": told(
        (0, "Kafka consumer initialized"),
        (1, opening("-1")),
        (2, "Kafka consumer initialized"),
        (3, opening("-1")),
        (5, opening("0")),
        (6, opening("0")),
        (540_010, "Idle connection to node -1 disconnected."),
        (540_020, "Idle connection to node -1 disconnected."),
        (600_000, "Kafka consumer has been closed"),
    ),
    "killed and started anew.log": told(
        (0, "Kafka consumer initialized"),
        (1, opening("-1")),
        (9, "Kafka consumer initialized"),
        (11, opening("-1")),
        (540_020, "Idle connection to node -1 disconnected."),
    ),
    "set/part-00000.log": told((1, opening("-1"))),
    "set/part-00001.log": told((9, "Node -1 disconnected.")),
    "one millisecond.log": told(
        *[(5, opening("0")), (5, "Idle connection to node 0 disconnected.")] * 20
    ),
}


@pytest.fixture(scope="module")
def sockets(spark, tmp_path_factory) -> dict[str, list[tuple]]:
    """story -> (node id, broker, class, how, opened, closed) of each socket,
    the times in milliseconds past nine."""
    folder = tmp_path_factory.mktemp("stories")
    for name, text in STORIES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    nine = datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp() * 1000
    found = logsets.connections(load_lines(spark, folder)).selectExpr(
        "*", "unix_millis(opened_at) as opened", "unix_millis(closed_at) as closed"
    )
    stories = defaultdict(list)
    for row in found.orderBy("opened", "node_id").collect():
        span = row.opened - nine, row.closed and row.closed - nine
        stories[row.file.rsplit("/", 1)[-1].removesuffix(".log")].append(
            (row.node_id, row.broker, row["class"], row.how, *span)
        )
    return stories


def test_a_consumers_four_sockets_and_how_each_ended(sockets):
    assert sockets["four sockets"] == [
        ("-1", 0, "bootstrap", "idle", 1, 540_010),
        ("2147483646", 1, "coordinator", "close", 5, 700_000),
        ("0", 0, "data", "close", 9, 700_000),
        ("1", 1, "data", "peer", 9, 600_001),
        ("1", 1, "data", "failed", 600_100, 600_101),
    ]


def test_before_3_9_a_disconnect_that_the_selector_did_not_report_was_idle(sockets):
    assert [(node_id, how) for node_id, _, _, how, _, _ in sockets["before 3.9"]] == [
        ("-1", "idle"), ("0", None), ("1", "peer"), ("2", "peer"),
    ]  # fmt: skip


def test_a_client_that_gave_up_and_tried_again(sockets):
    assert sockets["gave up"] == [
        ("+2", 2, "coordinator", "self", 1, 50),
        ("+2", 2, "coordinator", "self", 60, 90),
        ("+2", 2, "coordinator", None, 90, None),
    ]


def test_no_broker_is_named_where_two_had_the_address(sockets):
    """Two clusters in one log, or a broker with a new id: a guess would be wrong for one."""
    assert [socket[:2] for socket in sockets["one address, two brokers"]] == [
        ("-1", None), ("0", 0), ("1", 1), ("2", 2)
    ]  # fmt: skip


def test_a_bootstrap_server_is_a_broker_when_the_metadata_names_its_address(sockets):
    assert [(node_id, broker) for node_id, broker, *_ in sockets["metadata"]] == [
        ("-1", 7),
        ("-2", None),
    ]


def test_one_clients_close_ends_only_its_own_sockets(sockets):
    assert [(how, closed) for *_, how, _, closed in sockets["two clients"]] == [
        (None, None),
        ("close", 3),
        (None, None),
    ]


def test_two_clients_of_one_id_in_one_log_hold_two_sockets_to_each_node(sockets):
    assert sockets["one id"] == [
        ("-1", 0, "bootstrap", "idle", 1, 540_010),
        ("-1", 0, "bootstrap", "idle", 3, 540_020),
        ("0", 0, "data", "close", 5, 600_000),
        ("0", 0, "data", None, 6, None),
    ]


def test_a_killed_clients_sockets_end_when_its_next_life_opens_them_again(sockets):
    assert sockets["killed and started anew"] == [
        ("-1", None, "bootstrap", "self", 1, 11),
        ("-1", None, "bootstrap", "idle", 11, 540_020),
    ]


def test_the_parts_that_spark_wrote_are_one_log(sockets):
    assert sockets["set"] == [("-1", None, "bootstrap", "idle", 1, 9)]


def test_the_lines_of_one_millisecond_keep_their_order(sockets):
    assert [(how, opened, closed) for *_, how, opened, closed in sockets["one millisecond"]] == [
        ("idle", 5, 5)
    ] * 20


def test_the_events_are_names_of_the_catalogue():
    import sys

    assert set(sys.modules["kafkalab.logsets.connections"].EVENTS) <= set(CATALOG)


def a_broker_stands_still(events, at_ms):
    """Whether a broker is stopped by a signal then: its kernel has connections that the process
    has not accepted, and these lead to nobody yet."""
    signals = [event for event in events if event["do"] in ("kill -STOP", "kill -CONT")]
    before = [event["do"] for event in signals if event["at_ms"] <= at_ms]
    return bool(before) and before[-1] == "kill -STOP"


@pytest.mark.slow
def test_live_sockets_are_what_the_kernel_counted(spark, recordings):
    """While each real client ran, the kernel said which brokers its sockets led to.
    The lines alone have to give the same."""
    rows = logsets.connections(load_lines(spark, recordings)).where(
        "how is null or how <> 'failed'"
    )
    by_file = defaultdict(list)
    for row in rows.selectExpr(
        "file", "broker", "unix_millis(opened_at) as opened", "unix_millis(closed_at) as closed"
    ).collect():
        by_file[row.file].append(row)
    looks, wrong = 0, []
    for path in recordings.rglob("scenario.json"):
        scenario = json.loads(path.read_text())
        for look in scenario["sockets"]:
            if a_broker_stands_still(scenario["events"], look["at_ms"]):
                continue
            file, at_ms = str(path.parent / f"{look['client']}.log.gz"), look["at_ms"]
            live = sorted(
                str(row.broker)
                for row in by_file[file]
                if row.opened <= at_ms and (row.closed or at_ms + 1) > at_ms
            )
            looks += 1
            if live != sorted(map(str, look["established_to_broker"])):
                wrong.append((file, at_ms, live, look["established_to_broker"]))
    # The kernel counts established sockets, the lines those that were asked for: a look can fall
    # between the two.
    connecting = [
        look for look in wrong if any(0 <= look[1] - row.opened <= 1 for row in by_file[look[0]])
    ]
    assert looks >= 50
    assert wrong == connecting and len(wrong) <= looks / 50


@pytest.mark.corpus
def test_at_a_prompt(spark, tmp_path, capsys):
    (tmp_path / "client.log").write_text(told((1, opening("-1")), (1_500, "Node -1 disconnected.")))
    out = tmp_path / "sockets.json"
    assert main(["connections", str(tmp_path / "client.log"), "--json", str(out)]) == 0
    assert capsys.readouterr().out == f"-> {out}\n"
    assert json.loads(out.read_text()) == [
        {
            "file": str(tmp_path / "client.log"), "client_id": "c", "node_id": "-1", "broker": None,
            "class": "bootstrap",
            "opened_at": "2026-01-05 09:00:00,001", "closed_at": "2026-01-05 09:00:01,500",
            "how": "idle",
        }
    ]  # fmt: skip


def test_a_path_that_is_not_there_is_one_sentence(capsys):
    assert main(["connections", "/nowhere/at/all"]) == 2
    assert capsys.readouterr().err == "There is no file or folder /nowhere/at/all.\n"
