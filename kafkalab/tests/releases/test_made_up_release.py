"""A release that does not exist, 4.5, is added to a copy of kafkalab: for a client three files and
a few lines are enough to play it, for a broker a row and a page."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab.releases import source_lines

PACKAGE = Path(__file__).resolve().parents[2]
LINEAGE, WORDINGS, PAGE = (
    "releases/lineage.py",
    "lines/clients/producer.txt",
    "releases/pages/client_4_5.txt",
)

PAGE_TEXT = """# Client 4.5: what differs from 4.4.

KIP-9999 | A batch waits ten milliseconds for company.
    producer linger.ms = 10
"""
LAST_ROW = '    Release("4.4", "4.4.0", "1156b2752aaa28ea"),\n'
NEW_ROW = '    Release("4.5", "4.5.0", "0123456789abcdef"),\n'
OLD_WORDING = "    DEBUG | Kafka producer started\n"
NEW_WORDINGS = (
    "    DEBUG ..4.4 | Kafka producer started\n    DEBUG 4.5.. | Kafka producer is ready\n"
)

PLAY = """
import json
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, changes
lab = Lab(brokers=3, seed=7, version="4.5")
lab.create_topic("orders", partitions=3)
producer = KafkaProducer(lab, {"client.id": "shop"})
consumers = [KafkaConsumer(lab, {"group.id": protocol, "group.protocol": protocol, "auto.offset.reset": "earliest"})
             for protocol in ("classic", "consumer")]
for consumer in consumers:
    consumer.subscribe(["orders"])
producer.send(ProducerRecord("orders", value="tea")).get()
read = [sum(len(list(consumer.poll(500))) for _ in range(20)) for consumer in consumers]
transactional = KafkaProducer(lab, {"transactional.id": "t"})
transactional.init_transactions()
print(json.dumps({"linger.ms": producer.config["linger.ms"], "read": read, "lines": list(lab.lines(client="shop").text),
                  "changes": changes("4.4", "4.5").attrs["text"]}))
"""  # noqa: E501

BROKER_PAGE = "releases/pages/broker_4_5.txt"
BROKER_PAGE_TEXT = """# Broker 4.5: what differs from 4.4.

KIP-9999 | A group begins later.
    broker group.initial.rebalance.delay.ms = 5000
"""
LAST_BROKER, NEW_BROKER = '    Release("4.4", "4.4.0"),\n', '    Release("4.5", "4.5.0"),\n'

PLAY_BROKER = """
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.broker.broker_config import broker_config
assert broker_config(release="4.5").group_initial_rebalance_delay_ms == 5000
assert broker_config(release="4.4").group_initial_rebalance_delay_ms == 3000
lab = Lab(brokers=3, seed=7, version="4.4", broker_version="4.5")
lab.create_topic("orders", partitions=3)
KafkaProducer(lab).send(ProducerRecord("orders", value="tea")).get()
consumer = KafkaConsumer(lab, {"group.id": "shop", "auto.offset.reset": "earliest"})
consumer.subscribe(["orders"])
print(len(list(consumer.poll(10_000))), lab.now_ms > 5_000)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the package without its tests."""
    folder = tmp_path_factory.mktemp("made_up") / "kafkalab"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.md"))
    return folder


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (
        f"{old!r} stands {text.count(old)} times there: mend this test's example"
    )
    return text.replace(old, new)


def add_4_5(folder: Path) -> None:
    """What a person types who adds release 4.5, with one other default and one other wording."""
    (folder / PAGE).write_text(PAGE_TEXT, encoding="utf-8")
    for name, old, new in (
        (LINEAGE, LAST_ROW, LAST_ROW + NEW_ROW),
        (WORDINGS, OLD_WORDING, NEW_WORDINGS),
    ):
        file = folder / name
        file.write_text(edited(file.read_text(encoding="utf-8"), old, new), encoding="utf-8")


def play(folder: Path, story: str = PLAY) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", story],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder.parent), "PYTHONDONTWRITEBYTECODE": "1"},
    )


def changed_lines(before: Path, after: Path) -> dict[str, int]:
    """File -> how many of its lines are new or other ones."""
    found = {}
    for file in sorted([*after.rglob("*.py"), *after.rglob("*.txt")]):
        name = file.relative_to(after).as_posix()
        old = (
            (before / name).read_text(encoding="utf-8").splitlines()
            if (before / name).exists()
            else []
        )
        new = file.read_text(encoding="utf-8").splitlines()
        count = (
            sum(line.startswith("+ ") and line.strip() != "+" for line in difflib.ndiff(old, new))
            if old != new
            else 0
        )
        if count:
            found[name] = count
    return found


def test_a_new_release_is_three_files_and_a_few_lines(copy):
    add_4_5(copy)
    counted = changed_lines(PACKAGE, copy)
    assert set(counted) == {PAGE, LINEAGE, WORDINGS}
    assert sum(counted.values()) <= 6, counted
    played = play(copy)
    assert played.returncode == 0, played.stderr[-2000:]
    told = json.loads(played.stdout)
    assert told["linger.ms"] == 10
    assert told["read"] == [1, 1]
    (started,) = [line for line in told["lines"] if "Kafka producer is ready" in line]
    number = source_lines.line_table("4.4")["PRODUCER_STARTED"].line
    assert started.endswith(f"(org.apache.kafka.clients.producer.KafkaProducer:{number})\n"), (
        "not the line number of the release before"
    )
    assert any("Kafka version: 4.5.0" in line for line in told["lines"])
    assert "\tlinger.ms = 10\n" in "\n".join(told["lines"])
    assert told["changes"].splitlines() == [
        "4.5  KIP-9999: A batch waits ten milliseconds for company.",
        "    producer config        linger.ms: 5 -> 10",
        "4.5  recordings: 0 lines are new, 0 are gone, 1 have other words.",
        (
            "    lines                  wordings: "
            f"{told['changes'].split('wordings: ')[1].split(' ')[0]} lines -> "
            f"{told['changes'].split('wordings: ')[1].split(' ')[0]} lines"
        ),
    ]


@pytest.mark.corpus
def test_a_new_broker_is_a_row_and_a_page(copy):
    (copy / BROKER_PAGE).write_text(BROKER_PAGE_TEXT, encoding="utf-8")
    lineage = (copy / LINEAGE).read_text(encoding="utf-8")
    changed = edited(lineage, LAST_BROKER, LAST_BROKER + NEW_BROKER)
    try:
        (copy / LINEAGE).write_text(changed, encoding="utf-8")
        played = play(copy, PLAY_BROKER)
    finally:
        (copy / LINEAGE).write_text(lineage, encoding="utf-8")
    assert played.returncode == 0, played.stderr[-2000:]
    assert played.stdout == "1 True\n"


def test_a_release_without_a_page_is_named(copy):
    lineage = (copy / LINEAGE).read_text(encoding="utf-8")
    (copy / LINEAGE).write_text(
        edited(lineage, LAST_ROW, LAST_ROW + NEW_ROW) if NEW_ROW not in lineage else lineage,
        encoding="utf-8",
    )
    (copy / PAGE).unlink(missing_ok=True)
    played = play(copy)
    assert played.returncode != 0
    assert f"release 4.5 is in the lineage and has no page: write kafkalab/{PAGE}" in played.stderr
