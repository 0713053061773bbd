"""Does a KRaft controller write what a real one wrote, and is its log read and told?"""

import re
from itertools import groupby
from pathlib import Path

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import IllegalArgumentException
from kafkalab.lines.catalog import SERVER_CATALOG, server_matches
from kafkalab.lines.layout import read
from kafkalab.logsets.__main__ import main

TOOLS = Path(__file__).parents[3] / "data" / "tools"
# A file, and the kind that its level does not show: with DEBUG a real controller lists the changed
# partitions in place of their number.
FILES = {
    "controller_4.4.txt": "PARTITION_CHANGED",
    "controller_debug_4.4.txt": "CONTROLLER_CHANGES_PARTITIONS",
}
# Ids, places in the metadata log and times are chance; of the changed partitions fifty are those of
# __consumer_offsets in the recording.
CHANCE = (
    (re.compile(r"(?<![\w-])[\w-]{22}(?![\w-])(?! \()"), "ID"),
    (re.compile(r"((?:at |oker )epoch |Epoch=|record |offset |become )\d+"), r"\1#"),
    (re.compile(r"changing \d+"), "changing #"),
)


@pytest.fixture(scope="module")
def lab():
    lab = Lab(brokers=3, seed=1)
    lab.create_topic("t1", partitions=2, replication_factor=3)
    lab.create_topic("t2", partitions=3, replication_factor=2)
    lab.run_for(2_000)
    lab.broker(1).crash()
    lab.run_for(14_000)
    lab.broker(1).restart()
    lab.run_for(8_000)
    lab.broker(2).stop()
    lab.run_for(12_000)
    lab.broker(2).restart()
    lab.run_for(6_000)
    lab.broker(0).pause(14_000)
    lab.run_for(24_000)
    return lab


def told(rows, hidden):
    """(kind, words without chance) of the lines that a lab writes, from the first topic on.
    hidden: a kind that is left out.

    Changes of partitions at one moment are sorted: their order is that of the topics' ids.
    """
    found = []
    for row in rows:
        ((kind, _),) = server_matches("4.4", row.logger, row.level, row.message)
        words = row.message
        for pattern, kept in CHANCE:
            words = pattern.sub(kept, words)
        if not SERVER_CATALOG[kind].only_read and kind != hidden:
            found.append((kind, words))
    begin = [kind for kind, _ in found].index("TOPIC_MADE")
    ordered = []
    for changes, run in groupby(found[begin:], key=lambda one: one[0] == "PARTITION_CHANGED"):
        lines = list(run)
        ordered += sorted(lines) if changes else lines
    return ordered


@pytest.mark.parametrize("name", FILES)
def test_each_line_of_the_real_controller_is_known_and_written_as_it_was(name):
    for row in read(TOOLS / name):
        ((kind, values),) = server_matches("4.4", row.logger, row.level, row.message)
        assert SERVER_CATALOG[kind].wording("4.4").template.format_map(values) == row.message


@pytest.mark.parametrize("name", FILES)
def test_the_lab_writes_the_lines_of_the_real_controller(name, lab, tmp_path):
    path = tmp_path / "controller.log"
    path.write_text(lab.controller_log_text())
    recorded = list(read(TOOLS / name))
    fences = [n for n, row in enumerate(recorded) if "Fencing broker 1" in row.message]
    if len(fences) > 1:
        recorded = recorded[: fences[1]]  # what follows is no part of this story
    real, ours = told(recorded, FILES[name]), told(read(path), FILES[name])
    assert ours == real
    stopped = [kind for kind, _ in ours].index("CONTROLLER_ENDS_STOP")
    assert ours[stopped + 2][0] == "BROKER_FENCED", "its old session ends, which changes nothing"


def test_each_change_of_a_leader_or_an_isr_is_a_line_on_debug(lab):
    lines = lab.controller_lines()
    changes = lines[lines.event == "PARTITION_CHANGED"]
    assert set(changes.level) == {"DEBUG"}
    events = lab.table("partition.changed")
    assert len(changes) == len(events)
    first = changes.message.iloc[1]
    assert "partition change for t1-1 with topic ID " in first
    assert first.endswith(
        "isr: [1, 2, 0] -> [2, 0], leader: 1 -> 2, leaderEpoch: 0 -> 1, partitionEpoch: 0 -> 1"
    )


def test_a_topic_that_is_deleted_has_its_lines(lab):
    other = Lab(brokers=1, seed=1)
    other.create_topic("orders")
    other.cluster.delete_topic("orders")
    assert other.controller_lines().event.tolist() == [
        "TOPIC_MADE", "PARTITION_MADE", "TOPICS_DELETED", "TOPIC_REMOVED",
    ]  # fmt: skip


def test_with_zookeeper_a_broker_is_the_controller():
    with pytest.raises(IllegalArgumentException, match=r"broker_lines\(0\) has its lines"):
        Lab(brokers=1, broker_version="2.3").controller_lines()


def test_who_comes_back_after_a_crash_is_no_eligible_leader():
    """As in the last lines of the real log: first the eligible one is struck, then it may lead, for
    it was the last leader that is known."""
    lab = Lab(brokers=2, seed=1)
    lab.create_topic("orders", replication_factor=2, config={"min.insync.replicas": "1"})
    lab.run_for(1_000)
    lab.broker(1).crash()
    lab.run_for(15_000)
    lab.broker(0).crash()
    lab.run_for(15_000)
    lab.broker(0).restart()
    lab.run_for(15_000)
    changes = [text.partition(": ")[2] for text in lab.controller_lines().message]
    real = [row.message.partition(": ")[2] for row in read(TOOLS / "controller_debug_4.4.txt")]
    for change in (
        "elr: [{0}] -> [], partitionEpoch: {1} -> {2}",
        "isr: [] -> [{0}], leader: -1 -> {0}, leaderRecoveryState: RECOVERED -> RECOVERING, "
        "leaderEpoch: {3} -> {4}, lastKnownElr: [{0}] -> [], partitionEpoch: {2} -> {5}",
    ):
        assert change.format(0, 2, 3, 1, 2, 4) in changes
        assert change.format(2, 6, 7, 4, 5, 8) in real


@pytest.mark.slow
def test_explain_tells_what_the_controller_decided(tmp_path, capsys):
    """The only replica in sync dies; another one, which lacks records, may lead."""
    lab = Lab(brokers=2, seed=1)
    lab.create_topic(
        "orders",
        replication_factor=2,
        config={"unclean.leader.election.enable": "true", "min.insync.replicas": "1"},
    )
    till = KafkaProducer(lab, {"acks": "1"}, name="till")
    till.send(ProducerRecord("orders", value="1"))
    lab.run_for(1_000)
    lab.broker(1).crash()
    lab.run_for(15_000)
    till.send(ProducerRecord("orders", value="2"))
    lab.run_for(1_000)
    lab.broker(0).crash()
    lab.run_for(15_000)
    lab.broker(1).restart()
    lab.run_for(15_000)
    (tmp_path / "controller.log").write_text(lab.controller_log_text())
    (tmp_path / "till.log").write_text(lab.log_text("till"))
    assert main(["explain", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "controller 100: " in said and "A broker was gone: 2" in said
    assert "A leader was chosen that may lack records: 1" in said
    assert "A partition had no leader: 1" in said
    changes = [
        text.partition(": ")[2] for text in lab.controller_lines().message if "change" in text
    ]
    assert (
        "isr: [0] -> [], leader: 0 -> -1, leaderEpoch: 0 -> 1, elr: [] -> [0], "
        "lastKnownElr: [] -> [0], partitionEpoch: 1 -> 2"
    ) in changes
    assert (
        "isr: [] -> [1], leader: -1 -> 1, leaderRecoveryState: RECOVERED -> RECOVERING, "
        "leaderEpoch: 1 -> 2, elr: [0] -> [], lastKnownElr: [0] -> [], partitionEpoch: 2 -> 3"
    ) in changes
