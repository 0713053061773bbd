"""Which broker is asked when any would do? Three rules,
on tables small enough to hold in the head."""

import pytest

from kafkalab.clients.network.least_loaded import RULES as BY_NAME
from kafkalab.clients.network.least_loaded import (
    NodeLoad,
    fewest_unanswered,
    standing_then_longest_untried,
    standing_then_preparing,
)
from kafkalab.clients.network.node import Node
from kafkalab.releases import PROFILES

OLD, MIDDLE, NEW = fewest_unanswered, standing_then_preparing, standing_then_longest_untried
RULES = (OLD, MIDDLE, NEW)


def node(id):
    return Node(id, id, str(id), "localhost", 9092 + id, None, f"node {id}")


def load(id, kind, in_flight=0, last_attempt_ms=0, refresh_due=False):
    return NodeLoad(
        node(id),
        is_ready=kind == "standing" and not refresh_due,
        can_send=kind == "standing",
        is_preparing=kind == "preparing",
        can_connect=kind == "untouched",
        is_blacked_out=kind == "backing off",
        in_flight=in_flight,
        last_attempt_ms=last_attempt_ms,
    )


def chosen(rule, *loads):
    """The id of the node that `rule` takes, and the lines it writes meanwhile."""
    said = []
    found = rule(list(loads), lambda name, **values: said.append(name))
    return None if found is None else found.id, said


@pytest.mark.parametrize("rule", RULES)
def test_an_idle_standing_socket_wins_at_once(rule):
    id, said = chosen(
        rule, load(0, "standing", in_flight=2), load(1, "standing"), load(2, "standing")
    )
    assert (id, said[-1]) == (1, "LEAST_LOADED_IDLE")


@pytest.mark.parametrize("rule", RULES)
def test_of_busy_sockets_the_one_that_waits_for_fewest_answers(rule):
    assert (
        chosen(
            rule,
            load(0, "standing", in_flight=3),
            load(1, "standing", in_flight=1),
            load(2, "standing", in_flight=2),
        )[0]
        == 1
    )


@pytest.mark.parametrize("rule", RULES)
def test_where_all_are_backing_off_there_is_none(rule):
    assert chosen(rule, load(0, "backing off"), load(1, "backing off"))[0] is None


@pytest.mark.parametrize("rule", RULES)
def test_without_nodes_there_is_none(rule):
    assert chosen(rule)[0] is None


def test_one_table_three_answers():
    """Nothing stands, nobody waits for answers, three nodes were last tried at 500,
    300 and 400 ms."""
    table = (
        load(1, "untouched", last_attempt_ms=500),
        load(2, "untouched", last_attempt_ms=300),
        load(3, "untouched", last_attempt_ms=400),
    )
    assert [chosen(rule, *table)[0] for rule in RULES] == [1, 3, 2], (
        "the first seen, the last seen, the one not tried for longest"
    )


def test_a_socket_coming_up_is_waited_for_from_2_3_on():
    """KAFKA-8275: 2.2 took it for a node like any other, so the first
    untouched one won and one more socket was opened."""
    table = (load(1, "untouched"), load(0, "preparing"), load(2, "untouched"))
    assert [chosen(rule, *table)[0] for rule in RULES] == [1, 0, 0]


def test_while_a_refresh_is_due_2_2_passes_over_what_stands():
    table = (load(0, "standing", in_flight=1, refresh_due=True), load(1, "untouched"))
    assert [chosen(rule, *table)[0] for rule in RULES] == [1, 0, 0]


def test_a_standing_socket_wins_over_one_coming_up():
    table = (load(0, "preparing"), load(1, "standing", in_flight=4))
    assert [chosen(rule, *table)[0] for rule in (MIDDLE, NEW)] == [1, 1]


def test_of_nodes_never_tried_2_7_takes_the_first_it_sees():
    assert chosen(NEW, load(2, "untouched"), load(0, "untouched"), load(1, "untouched"))[0] == 2


def test_the_rules_say_what_they_saw():
    assert chosen(NEW, load(0, "standing"))[1] == ["LEAST_LOADED_IDLE"]
    assert chosen(NEW, load(0, "standing", in_flight=1))[1] == ["LEAST_LOADED_WITH_IN_FLIGHT"]
    assert chosen(NEW, load(0, "backing off"), load(1, "preparing"))[1] == [
        "LEAST_LOADED_REMOVING",
        "LEAST_LOADED_CONNECTING",
    ]
    assert chosen(NEW, load(0, "untouched"))[1] == ["LEAST_LOADED_UNCONNECTED"]
    assert chosen(NEW, load(0, "backing off"))[1] == ["LEAST_LOADED_REMOVING", "LEAST_LOADED_NONE"]


def test_each_version_has_its_rule():
    assert {
        name: BY_NAME[profile.connecting.least_loaded] for name, profile in PROFILES.items()
    } == {
        "2.1": OLD,
        "2.2": OLD,
        "2.3": MIDDLE,
        "2.8": NEW,
        "3.6": NEW,
        "3.9": NEW,
        "4.0": NEW,
        "4.4": NEW,
    }
