"""Two pictures of a group: who owned what in each generation, and when nobody did."""

import pytest

from kafkalab import KafkaConsumer, Lab
from kafkalab.tests.views.test_views import assert_texts_inside_and_apart, words
from kafkalab.views import assignment_matrix, ownership
from kafkalab.views.assignment_matrix import GroupAssignment, group_assignments, moves
from kafkalab.views.ownership import Holding, gaps, holdings


def group(strategy=None, version="3.9", **config):
    """m1 and m2 share three partitions; m3 comes after 12 s, m2 is killed after 30 s."""
    lab = Lab(brokers=1, seed=3, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=3)
    if strategy:
        config["partition.assignment.strategy"] = strategy

    def member(lab, name):
        consumer = KafkaConsumer(lab, {"group.id": "g", "client.id": name, **config}, name=name)
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=200)

    for name in ("m1", "m2"):
        lab.spawn(member, name, name=name)
    lab.run_for(ms=12_000)
    lab.spawn(member, "m3", name="m3")
    lab.run_for(ms=18_000)
    lab.kill("m2")
    lab.run_for(ms=60_000)
    lab.close()
    return lab


@pytest.fixture(scope="module")
def eager():
    return group("RangeAssignor")


def test_the_matrix_has_a_column_for_each_generation_and_marks_what_moved(eager):
    picture = assignment_matrix(eager, "g")
    assert words(picture.text) == words("""partition generation 1 generation 2 generation 3
        orders-0 m1 m1 m1
        orders-1 m1 m2 * m1 *
        orders-2 m2 m3 * m3
        * moved: it belonged to another member before""")
    assert (
        picture.alt
        == "Assignment matrix: group g: who owns what; 3 generations, 3 times a partition moved."
    )
    assert_texts_inside_and_apart(picture)


def test_a_partition_that_is_withheld_belongs_to_nobody_and_moves_once():
    lab = group("CooperativeStickyAssignor")
    found = group_assignments(lab, "g")
    assert [each.owners["orders-2"] for each in found[:3]] == [("m1",), (), ("m3",)]
    assert (3, "orders-2") in moves(found) and (2, "orders-2") not in moves(found)


def test_the_matrix_shows_the_targets_of_the_new_protocol_by_the_clients_names():
    found = group_assignments(group(version="4.4", **{"group.protocol": "consumer"}), "g")
    assert {who for each in found for owners in each.owners.values() for who in owners} == {
        "m1",
        "m2",
        "m3",
    }
    assert len({each.generation for each in found}) == len(found) >= 3


def test_two_owners_stand_in_one_cell_and_a_new_pair_is_a_move():
    both = [
        GroupAssignment(1, 0, {"t-0": ("a", "b")}),
        GroupAssignment(2, 5, {"t-0": ("a",)}),
        GroupAssignment(3, 9, {"t-0": ()}),
    ]
    assert moves(both) == {(2, "t-0")}


def test_the_lanes_tell_who_had_a_partition_and_when_nobody_did(eager):
    picture = ownership(eager, "g")
    rows = [line.split() for line in picture.text.splitlines()[1:]]
    lane = [row[-1] for row in rows if row[0] == "orders-1"]
    assert lane == ["m1", "nobody", "m2", "nobody", "m1"]
    assert_texts_inside_and_apart(picture)
    crash = max(
        end - begin for begin, end in gaps(holdings(eager, "g"), 0, eager.now_ms)["orders-1"]
    )
    assert 42_000 < crash < 50_000, (
        "a killed member's partitions have nobody until the session timeout"
    )


def test_a_gap_begins_only_where_nobody_else_has_the_partition():
    held = [Holding("t-0", "a", 0, 10), Holding("t-0", "b", 5, 20), Holding("t-0", "a", 30, 40)]
    assert gaps(held, 0, 50) == {"t-0": [(20, 30), (40, 50)]}
    assert gaps(held, 25, 35) == {"t-0": [(25, 30)]}


def test_a_group_without_partitions_cannot_be_drawn():
    lab = Lab(brokers=1, seed=1)
    with pytest.raises(
        ValueError, match="no member of a group 'g' has been assigned partitions yet"
    ):
        assignment_matrix(lab, "g")
    with pytest.raises(ValueError, match="no consumer of a group 'g' has owned partitions yet"):
        ownership(lab, "g")
