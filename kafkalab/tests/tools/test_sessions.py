"""Compares two sessions at a terminal with recorded ones: the same commands, one after the other.

`data/tools/session_*.txt` holds what the real tools printed: those of 2.3.1 on brokers 2.3.1, those
of 4.2.0 on brokers 4.4.0 (newer tools are in no Maven repository). After a command come the lines
that were typed (<), stdout, and stderr (!). Of an error only its sentence is kept. Topic ids and
times are masked. Records have no headers in the lab: there the line with headers is written without
them. A reset's table is narrower in 4.2 than in 4.1, which the lab follows: there the words count.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import IllegalArgumentException, InvalidConfigurationException
from kafkalab.tools.command import tool

RECORDED = Path(__file__).resolve().parents[3] / "data" / "tools"
TOPIC_ID, STAMP = re.compile(r"TopicId: \S{22}"), re.compile(r"CreateTime:\d{13}")


@dataclass
class Step:
    """One command. failed: the real tool ended with exit code 1."""

    command: str
    typed: str
    printed: str
    failed: bool


def steps(release: str) -> list[Step]:
    found = []
    text = (RECORDED / f"session_{release}.txt").read_text(encoding="utf-8")
    for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *lines = block.splitlines()
        kinds = {"<": [], "!": [], "": []}
        for line in lines:
            mark = line[:1] if line[:2] in ("< ", "! ") or line in ("<", "!") else ""
            kinds[mark].append(line[2:] if mark else line)
        failed = command.endswith(" -> 1")
        shown = "\n".join(kinds["!"] + kinds[""])
        typed = "".join(f"{line}\n" for line in kinds["<"])
        found.append(Step(command.removesuffix(" -> 1"), typed, shown, failed))
    return found


def masked(text: str) -> str:
    text = STAMP.sub("CreateTime:" + "0" * 13, TOPIC_ID.sub("TopicId: " + "0" * 22, text))
    return text.removesuffix("\n")


@pytest.mark.parametrize("release", ["2.3", "4.4"])
def test_a_session_shows_what_the_real_terminal_showed(release):
    lab = Lab(
        brokers=2,
        seed=1,
        version=release,
        broker_version=release,
        broker_config={"group.initial.rebalance.delay.ms": 0},
    )
    session = steps(release)
    assert len(session) > 40 and sum(step.failed for step in session) > 8
    for step in session:
        command, typed = step.command, step.typed
        if "parse.headers=true" in command:
            assert "records have no headers here" in tool(lab, command, typed)
            command = command.replace("--reader-property parse.headers=true ", "")
            typed = typed.partition("\t")[2]
        shown = masked(tool(lab, command, typed))
        if step.failed:  # the real one prints a trace or its options after the sentence
            assert shown and shown.splitlines()[-1] in step.printed, step.command
        elif "--reset-offsets" in command:
            assert shown.split() == step.printed.split(), step.command
        else:
            assert shown == step.printed, step.command
        lab.run_for(ms=2_000)


@pytest.mark.corpus
def test_a_tool_asks_a_lab_as_it_is_now():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders")
    assert tool(lab, "kafka-topics.sh --bootstrap-server localhost:9092 \\\n --list") == "orders\n"
    for command, sentence in (
        ("kafka-topics --list --at 5", "a lab at hand is asked as it is now"),
        ("kafka-topics --list --bootstrap-server h:1", "there is no broker at h:1"),
        ("kafka-console-consumer --topic orders", "the real tool reads until you press Ctrl-C"),
        ("kafka-console-consumer --topic nope --timeout-ms 5", "there is no topic 'nope'"),
        (
            "kafka-console-consumer --topic orders --timeout-ms 5 --property print.epoch=true",
            "leader epochs of records are not kept here",
        ),
        ("kafka-console-consumer --topic orders --max-messages 1", "0 of 1 messages came"),
        ("kafka-console-producer --topic orders --property parse.headers=true", "no headers here"),
        ("kafka-configs --describe --entity-type brokers", "only topics have settings"),
        ("kafka-topics --create --topic a --replica-assignment x", "takes broker:broker"),
    ):
        shown = tool(lab, command, "tea\n")
        assert sentence in shown and "Traceback" not in shown
    with pytest.raises(IllegalArgumentException, match="there is no tool 'kafka-nope'"):
        tool(lab, "kafka-nope --list")


def test_a_console_consumer_puts_back_what_it_did_not_print():
    """Given a group, when two of three records are wanted, the third is the next one's first."""
    lab = Lab(brokers=1, seed=1, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    tool(lab, "kafka-console-producer --topic orders", "tea\nmilk\ncake\n")
    read = "kafka-console-consumer --topic orders --group till --from-beginning --max-messages"
    assert tool(lab, f"{read} 2").endswith("tea\nmilk\n")
    assert tool(lab, f"{read} 1").endswith("messages\ncake\n")


def test_a_topic_follows_its_new_settings():
    """Given records of several minutes, when retention falls to one minute, the old ones go."""
    lab = Lab(brokers=1, seed=2, broker_config={"log.retention.check.interval.ms": 10_000})
    lab.create_topic("orders", config={"segment.ms": 30_000})
    shop = KafkaProducer(lab, {})
    for _ in range(20):
        shop.send(ProducerRecord("orders", value="tea")).get()
        lab.run_for(ms=20_000)
    place, reader = TopicPartition("orders", 0), KafkaConsumer(lab, {})
    assert reader.beginning_offsets([place]) == {place: 0}
    lab.alter_topic("orders", {"retention.ms": 60_000})
    lab.run_for(ms=30_000)
    assert reader.beginning_offsets([place])[place] > 10
    lab.alter_topic("orders", {"retention.ms": None})
    assert lab.cluster.topics["orders"].config == {"segment.ms": "30000"}
    with pytest.raises(InvalidConfigurationException, match="Not a number of type LONG"):
        lab.alter_topic("orders", {"retention.ms": "soon"})
    with pytest.raises(IllegalArgumentException, match="there is no topic 'nope'; there are"):
        lab.alter_topic("nope", {})
