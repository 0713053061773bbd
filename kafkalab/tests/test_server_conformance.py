"""Do played brokers still write what the recorded ones wrote, as server_conformance.json says?

`python -m kafkalab conformance data/recordings --update` writes the table anew.
"""

import pytest

from kafkalab.lines.layout import Row
from kafkalab.proof.conformance import broker_log, command, table
from kafkalab.proof.conformance.broker_log import SERVER_MARKS
from kafkalab.tests.shares import share

FOLDERS = {
    name: folder
    for name, folder in command.scenarios(table.RECORDINGS)
    if broker_log.server_logs_in(folder)
}
CLIENTS, ROWS = table.load_table(), table.load_table(table.SERVER_TABLE)


def seeds_with_which_clients_are_equal(name):
    seeds = {client: row["seed"] for client, row in CLIENTS[name].items()}
    return seeds if len(set(seeds.values())) > 1 else next(iter(seeds.values()))


@pytest.mark.parametrize("name", share(FOLDERS, 6))
def test_no_broker_is_less_like_the_recorded_one_than_the_table_says(name):
    found = broker_log.conform_servers(FOLDERS[name], seeds_with_which_clients_are_equal(name))
    assert list(table.server_falls(name, found, ROWS)) == []


def test_the_server_table_has_a_row_for_each_recorded_log_and_no_other():
    recorded = {
        name: {str(broker) for broker in broker_log.server_logs_in(folder)}
        for name, folder in FOLDERS.items()
    }
    assert {name: set(row) for name, row in ROWS.items()} == recorded


def test_the_server_table_says_what_differs():
    for brokers in ROWS.values():
        for row in brokers.values():
            assert bool(row["why"]) == any(row[mark] < 1 for mark in SERVER_MARKS)


def a_row(message):
    return Row(0, "INFO", message, "kafka.coordinator.group.GroupCoordinator")


def test_a_missing_kind_costs_kinds_and_another_word_costs_words():
    told = [
        a_row("[GroupCoordinator 0]: Starting up."),
        a_row(
            "[GroupCoordinator 0]: Member a-8b7fac41-6e84-4393-b27f-47e2ea15f110 in group g has "
            "failed, removing it from the group"
        ),
    ]
    real = broker_log.story_of(told, "2.3")
    assert real.kinds == ["GROUP_COORDINATOR_STARTING", "GROUP_MEMBER_FAILED"]
    assert "a-UUID in group g" in real.words[1]
    fewer = broker_log._marked_server(real, broker_log.story_of(told[:1], "2.3"))
    assert fewer.marks["kinds"] < 1 and "kinds: missing: GROUP_MEMBER_FAILED" in fewer.differences
    other = [told[0], a_row(told[1].message.replace("group g", "group h"))]
    changed = broker_log._marked_server(real, broker_log.story_of(other, "2.3"))
    assert changed.marks == {"kinds": 1.0, "words": 0.5}


def test_lines_about_many_partitions_have_no_order():
    rows = [
        a_row(f"[GroupCoordinator 0]: Loading group metadata for {name} with generation 1")
        for name in "ab"
    ]
    assert broker_log.story_of(rows, "2.3") == broker_log.story_of(rows[::-1], "2.3")
