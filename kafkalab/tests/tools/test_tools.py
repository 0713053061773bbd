"""The command line tools: what they print is what the real ones printed of a cluster with the same
groups, topics and records.

`data/tools/` holds the output of kafka-consumer-groups and kafka-get-offsets of 2.3.1 and 4.1.0,
run on real brokers 2.3.1 and 4.4.0; the random part of member ids is masked. `scenario_*.json`
there has the same cluster: ten records in t4, a group of two members (one of them static) and
another of one; at 50 s all of them have left.
"""

import json
import re
from pathlib import Path

import pytest

from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.__main__ import main
from kafkalab.tests.shares import few
from kafkalab.tools.consumer_groups import described

RECORDED = Path(__file__).resolve().parents[3] / "data" / "tools"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MASK = "0" * 36


def golden(release):
    for block in (RECORDED / f"{release}.txt").read_text(encoding="utf-8").split("$ ")[1:]:
        command, _, printed = block.partition("\n")
        yield command.split(), printed


CASES = [
    (release, command, printed)
    for release in ("2.3", "4.4")
    for command, printed in golden(release)
]


@pytest.fixture
def tool(capsys):
    def run(release, *argv):
        code = main([argv[0], "--scenario", str(RECORDED / f"scenario_{release}.json"), *argv[1:]])
        found = capsys.readouterr()
        return code, UUID.sub(MASK, found.out), found.err

    return run


@pytest.mark.parametrize(
    ("release", "command", "printed"),
    few(CASES, 12),
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_tool_prints_what_the_real_one_prints(tool, release, command, printed):
    code, out, _ = tool(release, *command)
    assert (out, code) == (printed, 0)


def test_a_group_without_members_is_remarked_upon(tool):
    _, _, err = tool("4.4", "kafka-consumer-groups", "--at", "50000", "--describe", "--group", "g")
    assert err == "\nConsumer group 'g' has no active members.\n"


def test_a_lab_can_be_described_without_a_scenario(tool):
    """described: what the tool prints, its remark on top, for a lab at hand."""
    lab = Lab(brokers=1, seed=1, broker_version="4.4")
    lab.create_topic("orders", partitions=2)
    consumer = KafkaConsumer(lab, {"group.id": "billing"}, name="m1")
    consumer.assign([TopicPartition("orders", 1)])
    consumer.commit_sync({TopicPartition("orders", 1): OffsetAndMetadata(0)})
    remark, heading, row = filter(None, described(lab, "billing").splitlines())
    assert remark == "Consumer group 'billing' has no active members."
    assert heading.split()[:6] == [
        "GROUP",
        "TOPIC",
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
    ]
    assert row.split() == ["billing", "orders", "1", "0", "0", "0", "-", "-", "-"]
    with pytest.raises(ValueError, match="Consumer group 'nobody' does not exist"):
        described(lab, "nobody")


def test_lag_grows_while_nobody_commits_and_time_can_be_turned_back(tool):
    def lags(at):
        _, out, _ = tool(
            "4.4", "kafka-consumer-groups", "--at", str(at), "--describe", "--group", "other"
        )
        return [line.split()[3:6] for line in out.splitlines()[2:]]

    # read, but not yet committed
    assert lags(20_000) == [["-", "4", "-"], ["-", "2", "-"], ["-", "4", "-"]]
    assert lags(25_000) == [["4", "4", "0"], ["2", "2", "0"], ["4", "4", "0"]]


def test_topics_are_described_in_both_layouts(tool):
    assert tool("2.3", "kafka-topics", "--at", "1", "--describe", "--topic", "orders")[1] == (
        "Topic:orders\tPartitionCount:1\tReplicationFactor:1\tConfigs:\n"
        "\tTopic: orders\tPartition: 0\tLeader: 0\tReplicas: 0\tIsr: 0\n"
    )
    out = tool("4.4", "kafka-topics", "--at", "1", "--describe", "--topic", "t4")[1].splitlines()
    assert re.fullmatch(
        r"Topic: t4\tTopicId: \S{22}\tPartitionCount: 3\tReplicationFactor: 2\tConfigs: "
        r"min.insync.replicas=1",
        out[0],
    )
    assert (
        out[1]
        == "\tTopic: t4\tPartition: 0\tLeader: 1\tReplicas: 1,0\tIsr: 1,0\tElr: \tLastKnownElr: "
    )
    assert tool("4.4", "kafka-topics", "--at", "1", "--list", "--exclude-internal")[1].split() == [
        "orders",
        "t4",
    ]


def test_a_dumped_log_shows_batches_and_records(tool):
    code, out, _ = tool(
        "4.4", "kafka-dump-log", "--at", "2500", "--topic-partition", "t4-0", "--print-data-log"
    )
    lines = out.splitlines()
    assert code == 0 and lines[:2] == [
        "Dumping t4-0/00000000000000000000.log",
        "Log starting offset: 0",
    ]
    assert re.match(r"baseOffset: 0 lastOffset: \d count: \d baseSequence: 0 ", lines[2])
    assert [line.split("key: ")[1] for line in lines if line.startswith("|")] == [
        "k2 payload: v2",
        "k5 payload: v5",
    ]


def test_a_rolled_log_is_dumped_segment_by_segment(tmp_path, capsys):
    scenario = json.loads((RECORDED / "scenario_4.4.json").read_text(encoding="utf-8"))
    scenario["broker_config"]["log.segment.bytes"] = 1_048_576
    for event in scenario["events"]:
        if event["do"] == "send":
            event["value"] = "300000 bytes"
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario), encoding="utf-8")
    assert (
        main(
            ["kafka-dump-log", "--scenario", str(file), "--at", "2900", "--topic-partition", "t4-1"]
        )
        == 0
    )
    out = capsys.readouterr().out
    bases = [int(base) for base in re.findall(r"Dumping t4-1/(\d{20}).log", out)]
    assert len(bases) == 2 and bases[0] == 0
    assert [int(base) for base in re.findall(r"Log starting offset: (\d+)", out)] == bases
    assert re.findall(r"baseOffset: (\d+) .*? position: 0 ", out) == [str(base) for base in bases]


def test_transactional_ids_and_clients_that_are_two_in_one():
    """A program that copies has a consumer and a producer under one name."""
    lab = Lab(brokers=1, seed=2, version="3.9")
    lab.create_topic("out")
    KafkaConsumer(lab, {"group.id": "copier"}, name="copier").subscribe(["out"])
    producer = KafkaProducer(lab, {"transactional.id": "tx"}, name="copier")
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(ProducerRecord("out", value="v")).get()
    state = lab.at(lab.now_ms)
    assert state["clients"]["copier"]["kind"] == "consumer, producer" and state["clients"][
        "copier"
    ]["subscription"] == ["out"]
    assert state["transactions"]["tx"]["state"] == "Ongoing" and state["transactions"]["tx"][
        "partitions"
    ] == ["out-0"]
    producer.commit_transaction()
    lab.run_for(100)
    assert lab.at(lab.now_ms)["transactions"]["tx"]["state"] == "CompleteCommit"


def test_log_dirs_is_json(tool):
    _, out, _ = tool("4.4", "kafka-log-dirs", "--at", "2500", "--describe", "--topic-list", "t4")
    told = json.loads(out.splitlines()[2])
    assert [broker["broker"] for broker in told["brokers"]] == [0, 1]
    sizes = {
        one["partition"]: one["size"] for one in told["brokers"][0]["logDirs"][0]["partitions"]
    }
    assert set(sizes) == {"t4-0", "t4-1", "t4-2"} and sizes["t4-1"] >= 105


def test_a_reset_is_carried_out_where_the_brokers_allow_it(tool):
    assert tool(
        "4.4",
        "kafka-consumer-groups",
        "--at",
        "50000",
        "--reset-offsets",
        "--group",
        "g",
        "--topic",
        "t4:0",
        "--to-earliest",
        "--execute",
    )[1] == (
        "\nGROUP                          TOPIC                          PARTITION  NEW-OFFSET     "
        "\ng                              t4                             0          0              "
        "\n"
    )


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (
            ["kafka-consumer-groups"],
            (
                "Command must include exactly one action: --list, --describe, --delete, "
                "--reset-offsets, --delete-offsets"
            ),
        ),
        (
            ["kafka-consumer-groups", "--describe"],
            "Option [describe] takes one of these options: [all-groups], [group]",
        ),
        (
            ["kafka-consumer-groups", "--describe", "--group", "g", "--members", "--state"],
            "Option [describe] takes at most one of these options: [members], [offsets], [state]",
        ),
        (["kafka-consumer-groups", "--nonsense"], "unrecognized arguments: --nonsense"),
        (
            ["kafka-consumer-groups", "--list", "--at", "-5"],
            "--at takes whole milliseconds from the scenario's start, 0 or later, not '-5'",
        ),
        (
            ["kafka-consumer-groups", "--list", "--at", "9" * 12],
            "is too late: the scenario's last step begins at",
        ),
        (
            ["kafka-consumer-groups", "--list", "--bootstrap-server", "localhost:1"],
            "there is no broker at localhost:1 in this scenario",
        ),
        (
            ["kafka-consumer-groups", "--describe", "--group", "nope", "--at", "1"],
            "GroupIdNotFoundException: Group nope not found.",
        ),
        (
            ["kafka-consumer-groups", "--reset-offsets", "--group", "g", "--topic", "t4"],
            "Option '[reset-offsets]' requires one of the following scenarios",
        ),
        (
            ["kafka-consumer-groups", "--reset-offsets", "--group", "g", "--to-earliest"],
            "One of the reset scopes should be defined: --all-topics, --topic.",
        ),
        (
            [
                "kafka-consumer-groups",
                "--reset-offsets",
                "--group",
                "g",
                "--topic",
                "t4",
                "--by-duration",
                "1h",
            ],
            "--by-duration takes PnDTnHnMnS, not '1h'",
        ),
        (
            [
                "kafka-consumer-groups",
                "--reset-offsets",
                "--group",
                "g",
                "--topic",
                "t4",
                "--to-datetime",
                "yesterday",
            ],
            "--to-datetime takes",
        ),
        (
            ["kafka-topics", "--describe", "--topic", "nope", "--at", "1"],
            "Error while executing topic command : Topic 'nope' does not exist as expected",
        ),
        (
            [
                "kafka-topics",
                "--create",
                "--topic",
                "big",
                "--replication-factor",
                "5",
                "--at",
                "1",
            ],
            "Unable to replicate the partition 5 time(s)",
        ),
        (
            ["kafka-get-offsets", "--topic", "nope", "--at", "1"],
            "Could not match any topic-partitions with the specified filters",
        ),
        (
            ["kafka-dump-log", "--topic-partition", "t9-0", "--at", "1"],
            "there is no partition t9-0 at that moment",
        ),
        (
            ["kafka-transactions", "describe", "--transactional-id", "nope", "--at", "1"],
            "failed because the ID could not be found.",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(tool, argv, sentence):
    code, out, err = tool("4.4", *argv)
    assert code == 2 and out == ""
    assert sentence in err and err.count("\n") == 1 and "Traceback" not in err


def test_a_file_that_is_no_scenario_is_refused(capsys, tmp_path):
    for name, content in (("a.json", "{"), ("b.json", "[]"), ("c.json", "\x00")):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert main(["kafka-topics", "--list", "--scenario", str(tmp_path / name)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["kafka-topics", "--list", "--scenario", str(tmp_path / "none.json")]) == 2
    assert main(["kafka-topics", "--list"]) == 2


def test_the_same_moment_prints_the_same_bytes(tool):
    first = tool(
        "4.4",
        "kafka-consumer-groups",
        "--at",
        "9700",
        "--describe",
        "--all-groups",
        "--members",
        "--verbose",
    )
    assert first == tool(
        "4.4",
        "kafka-consumer-groups",
        "--at",
        "9700",
        "--describe",
        "--all-groups",
        "--members",
        "--verbose",
    )
