"""Compares kafka-share-groups with what the real tool printed of the same share group.

data/tools/share_groups_4.4.txt has three moments. Lines with ! went to stderr.
"""

import re
from pathlib import Path

import pytest

from kafkalab import KafkaProducer, KafkaShareConsumer, Lab, ProducerRecord
from kafkalab.tools.command import tool

RECORDED = Path(__file__).resolve().parents[3] / "data" / "tools" / "share_groups_4.4.txt"
MOMENTS = RECORDED.read_text(encoding="utf-8").split("== ")[1:]


def a_lab():
    lab = Lab(1, 3, "4.4", "4.4", {"group.share.min.record.lock.duration.ms": 1_000})
    lab.create_topic("jobs")
    settings = {"share.auto.offset.reset": "earliest", "share.record.lock.duration.ms": 60_000}
    lab.configure_group("workers-tools", settings)
    producer = KafkaProducer(lab, {"client.id": "feeder"})
    for number in range(8):
        producer.send(ProducerRecord("jobs", f"v{number}", key=f"k{number}")).get()
    producer.close()
    return lab


def a_worker(lab):
    config = {"group.id": "workers-tools", "client.id": "worker-1", "max.poll.records": 3}
    worker = KafkaShareConsumer(lab, {**config, "share.acknowledgement.mode": "explicit"})
    worker.subscribe(["jobs"])
    records = ()
    while not records:
        records = worker.poll(2_000)
    for record, kind in zip(records, ("release", "accept", "accept")):
        worker.acknowledge(record, kind)
    worker.commit_sync()
    return worker


def as_in_the_lab(printed):
    """The recorded output with the lab's address, and stderr first, without empty lines."""
    printed = printed.replace("localhost:21092  (0) ", "localhost:9092  (0)  ")
    lines = [line for line in printed.splitlines() if line]
    lines.sort(key=lambda line: not line.startswith("! "))
    return [line.removeprefix("! ") for line in lines]


def check(lab, moment):
    heading, *blocks = moment.split("$ ")
    assert blocks
    for block in blocks:
        command, _, printed = block.partition("\n")
        shown = tool(lab, command)
        for member in lab.cluster.share_groups.values():
            for one in member.members:
                shown = shown.replace(one, "0" * 22)
        found = [line for line in shown.splitlines() if line]
        assert found == as_in_the_lab(printed), f"{heading}: {command}"


def test_it_prints_what_the_real_tool_printed():
    lab = a_lab()
    before, working, closed = MOMENTS
    check(lab, before)
    worker = a_worker(lab)
    check(lab, working)
    worker.close()
    check(lab, closed)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("--delete --group g", "unrecognized arguments: --delete"),
        ("--list --describe", "say either --list or --describe"),
        ("--describe", "takes one of these options: [all-groups], [group]"),
        ("--describe --group g --members --state", "takes at most one of these options"),
    ],
)
def test_what_it_does_not_do_is_said_in_one_sentence(command, sentence):
    shown = tool(a_lab(), f"kafka-share-groups.sh {command}")
    assert re.search(re.escape(sentence), shown) and shown.count("\n") == 1


def test_a_broker_without_share_groups_says_so():
    lab = Lab(1, 1, "2.3", "2.3")
    assert "too old for share groups" in tool(lab, "kafka-share-groups --list")
