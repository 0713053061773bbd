"""Does the reader know brokers' lines, also those of releases between the simulated ones?"""

import pytest

from kafkalab.logsets.block import Block
from kafkalab.logsets.record_batches import record_batch_of

SCALA = "kafka.coordinator.group.GroupCoordinator"
ID = "inv-1-8b7fac41-6e84-4393-b27f-47e2ea15f110"
# The words are those of Kafka 2.8 and 3.6; the values are made up.
BETWEEN = (
    (
        "GROUP_STABILIZED",
        "Stabilized group shop generation 7 (__consumer_offsets-12) with 3 members",
    ),
    (
        "GROUP_ASSIGNMENT_RECEIVED",
        f"Assignment received from leader {ID} for group shop for generation 7. The group has 3 "
        "members, 0 of which are static.",
    ),
    (
        "GROUP_ASSIGNMENT_RECEIVED",
        "Assignment received from leader for group shop for generation 7. The group has 3 members, "
        "1 of which are static.",
    ),
    (
        "GROUP_MEMBER_ID_GIVEN",
        "Dynamic member with unknown member id joins group shop in Empty state. Created a new "
        f"member id {ID} and request the member to rejoin with this id.",
    ),
    (
        "GROUP_PREPARING_REBALANCE",
        "Preparing to rebalance group shop in state PreparingRebalance with old generation 6 "
        f"(__consumer_offsets-12) (reason: Adding new member {ID} with group instance id None; "
        "client reason: not provided)",
    ),
    ("GROUP_MEMBER_LEFT", f"Member[group.instance.id None, member.id {ID}] in group shop has left, "
     "removing it from the group"),
    ("GROUP_COORDINATOR_ELECTED", "Elected as the group coordinator for partition 12 in epoch 3"),
)  # fmt: skip


def read_one(message, logger, level="INFO"):
    text = f"[2026-01-05 09:00:00,000] {level} {message} ({logger})\n"
    names = ("event", "broker", "generation", "member_id", "problem")
    (row,) = record_batch_of(Block(text.encode()), names).to_pylist()
    return row


@pytest.mark.parametrize(("event", "text"), BETWEEN)
def test_brokers_between_the_simulated_ones_are_read(event, text):
    row = read_one(f"[GroupCoordinator 4]: {text}", SCALA)
    assert (row["event"], row["broker"], row["problem"]) == (event, 4, None)
    if "generation 7" in text:
        assert row["generation"] == 7
    if "member id inv" in text or "leader inv" in text:
        assert row["member_id"] == ID


def test_a_line_that_only_begins_as_a_known_one_is_not_taken_for_it():
    told = "[GroupCoordinator 4]: Something else about group shop (reason: unknown)"
    row = read_one(told, SCALA)
    assert (row["event"], row["problem"]) == (None, None)


def test_a_node_that_is_null_is_read():
    told = "[Consumer clientId=a, groupId=g] Attempt to heartbeat failed since coordinator null is either not started or not valid"  # noqa: E501
    row = read_one(told, "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator")
    assert (row["event"], row["broker"]) == ("HEARTBEAT_COORDINATOR_LOST", None)
