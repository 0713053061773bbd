"""Every method of an administrator of the oldest releases writes lines that can be read."""

from __future__ import annotations

import inspect
import re

import pytest

from kafkalab import (
    ConfigResource,
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    NewPartitions,
    NewTopic,
    OffsetAndMetadata,
    OffsetSpec,
    ProducerRecord,
    RecordsToDelete,
    TopicPartition,
)
from kafkalab.errors import UnsupportedVersionException

T0, T1 = TopicPartition("orders", 0), TopicPartition("orders", 1)
NEW_TOPICS = [
    NewTopic("audit", 2, 3, configs={"retention.ms": 1_000}),
    NewTopic("bills", replicas_assignments={0: [1, 2]}),
    NewTopic("orders", 1, 1),
]
WIDER = {"audit": NewPartitions.increase_to(4, [[0, 1, 2], [1, 2, 0]])}
CONFIGURED = [ConfigResource("topic", "audit"), ConfigResource("broker", "0")]
CALLS = {
    "create_topics": lambda admin: admin.create_topics(NEW_TOPICS),
    "create_partitions": lambda admin: admin.create_partitions(WIDER),
    "list_topics": lambda admin: admin.list_topics(),
    "describe_topics": lambda admin: admin.describe_topics(["orders", "nope"]),
    "describe_cluster": lambda admin: admin.describe_cluster(),
    "describe_configs": lambda admin: admin.describe_configs(CONFIGURED),
    "elect_leaders": lambda admin: admin.elect_leaders("preferred", [T0]),
    "list_consumer_groups": lambda admin: admin.list_consumer_groups(),
    "describe_consumer_groups": lambda admin: admin.describe_consumer_groups(["shop", "nope"]),
    "list_consumer_group_offsets": lambda admin: admin.list_consumer_group_offsets("shop"),
    "alter_consumer_group_offsets": lambda admin: admin.alter_consumer_group_offsets(
        "shop", {T0: OffsetAndMetadata(1)}
    ),
    "delete_consumer_group_offsets": lambda admin: admin.delete_consumer_group_offsets(
        "shop", [T0]
    ),
    "delete_consumer_groups": lambda admin: admin.delete_consumer_groups(["shop"]),
    "list_offsets": lambda admin: admin.list_offsets({T0: OffsetSpec.latest()}),
    "delete_records": lambda admin: admin.delete_records(
        {T1: RecordsToDelete(99), T0: RecordsToDelete(1)}
    ),
    "delete_topics": lambda admin: admin.delete_topics(["audit", "gone"]),
}
RECORDED = {
    "create_topics": "CREATE_TOPICS",
    "create_partitions": "CREATE_PARTITIONS",
    "list_topics": "METADATA",
    "describe_topics": "METADATA",
    "describe_cluster": "METADATA",
    "list_consumer_groups": "LIST_GROUPS LIST_GROUPS LIST_GROUPS METADATA",
    "describe_consumer_groups": "DESCRIBE_GROUPS DESCRIBE_GROUPS FIND_COORDINATOR FIND_COORDINATOR",
    "list_consumer_group_offsets": "FIND_COORDINATOR OFFSET_FETCH",
    "delete_consumer_groups": "DELETE_GROUPS FIND_COORDINATOR",
    "delete_topics": "DELETE_TOPICS",
}
"""What an administrator of 2.1.1, 2.2.2 and 2.3.0 asks in such a call, in alphabetical order."""

ASKED_ALONE = {
    "API_VERSIONS", "METADATA", "FIND_COORDINATOR", "CREATE_TOPICS", "CREATE_PARTITIONS",
    "DESCRIBE_CONFIGS", "LIST_GROUPS", "DESCRIBE_GROUPS", "OFFSET_FETCH", "DELETE_GROUPS",
    "DELETE_RECORDS", "DELETE_TOPICS",
}  # fmt: skip
"""The APIs that an administrator up to 2.3 has."""

SEEN = re.compile(r"(?:Sending|receive from node \S+ for) ([A-Z_]+) (?:\{|with .* received \{)")


def play(version: str) -> tuple[Lab, list[str]]:
    """Call every method once; the lab, and the methods that the release does not have."""
    lab = Lab(brokers=3, seed=3, version=version, broker_version="2.3")
    lab.create_topic("orders", partitions=3, replication_factor=3)
    producer = KafkaProducer(lab, {}, name="till")
    for number in range(6):
        producer.send(ProducerRecord("orders", key=f"k{number}", value="tea"))
    producer.close()
    consumer = KafkaConsumer(lab, {"group.id": "shop", "auto.offset.reset": "earliest"}, name="m")
    consumer.subscribe(["orders"])
    while not consumer.poll(1_000):
        pass
    consumer.commit_sync()
    admin = KafkaAdminClient(lab, {}, name="ops")
    missing = []
    for name, call in CALLS.items():
        try:
            call(admin)
        except UnsupportedVersionException:
            missing.append(name)
        lab.run_for(ms=500)
    admin.close()
    return lab, missing


def test_the_calls_below_are_all_that_an_administrator_has():
    methods = inspect.getmembers(KafkaAdminClient, inspect.isfunction)
    assert {name for name, _ in methods if not name.startswith("_")} == {*CALLS, "close"}


@pytest.mark.parametrize(
    "version",
    [
        pytest.param("2.1", marks=pytest.mark.slow),
        pytest.param("2.2", marks=pytest.mark.slow),
        "2.3",
    ],
)
def test_every_request_and_answer_of_an_old_administrator_has_a_text(version):
    lab, missing = play(version)
    assert missing == [
        "elect_leaders",
        "alter_consumer_group_offsets",
        "delete_consumer_group_offsets",
        "list_offsets",
    ]
    seen: dict[str, set[str]] = {}
    for event in lab.journal.of("line"):
        text = lab.line_text(event)
        if event.who == "ops" and (found := SEEN.search(text)):
            direction = "asked" if "Sending" in text else "answered"
            seen.setdefault(direction, set()).add(found[1])
    assert seen == {"asked": ASKED_ALONE, "answered": ASKED_ALONE}


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_a_call_asks_as_much_as_recorded_and_no_correlation_id_is_missing(version):
    lab, _ = play(version)
    asked: dict[str, list[str]] = {}
    ids = []
    call = ""
    for event in lab.journal.events:
        if event.who != "ops":
            continue
        if event.kind == "call":
            call = event.name
        elif event.kind == "request.sent":
            ids.append(event.correlation_id)
            if event.api != "API_VERSIONS":
                asked.setdefault(call, []).append(event.api)
    of_calls = {name: " ".join(sorted(asked[name])) for name in RECORDED}
    of_calls["create_topics"] = of_calls["create_topics"].removesuffix(" METADATA")  # the first
    assert of_calls == RECORDED
    assert ids == list(range(len(ids)))


def test_chosen_brokers_of_new_partitions_print_as_java_arrays():
    """Recorded: `assignment=[[Ljava.lang.Object;@7870e15b]` for one new partition, in 2.3.0."""
    lab, _ = play("2.3")
    asked = next(
        text
        for event in lab.journal.of("line")
        if "Sending CREATE_PARTITIONS" in (text := lab.line_text(event))
    )
    array = r"\[Ljava\.lang\.Object;@[0-9a-f]{1,8}"
    assert re.search(rf"new_partitions={{count=4,assignment=\[{array},{array}\]}}", asked)


def test_a_2_3_broker_answers_as_recorded_about_a_groups_members():
    """Recorded: the assignment also in the place of the metadata, and 0 for unasked operations."""
    lab, _ = play("2.3")
    told = [
        text
        for event in lab.journal.of("line")
        if event.who == "ops" and "authorized_operations=" in (text := lab.line_text(event))
    ]
    described = next(text for text in told if "DESCRIBE_GROUPS" in text and "Stable" in text)
    buffer = r"java\.nio\.HeapByteBuffer\[pos=0 lim=34 cap={}\]"  # three partitions of orders
    buffers = f"member_metadata={buffer.format(76)},member_assignment={buffer.format(38)}"
    assert re.search(rf"{buffers}}}\],authorized_operations=0}}\]}}", described)
    values = {one for text in told for one in re.findall(r"authorized_operations=(-?\d+)", text)}
    assert values == {"0"}
