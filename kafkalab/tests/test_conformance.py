"""Is the simulator still as like the real clients as kafkalab/tests/conformance.json says?

Each scenario of data/recordings is replayed with the seeds of the table. Where a mark fell, all
seeds are searched before it counts: a change may move luck from one seed to another.
`python -m kafkalab conformance data/recordings --update` writes the table anew; look at what it did
before you keep it.
"""

import os

import pytest

from kafkalab.proof.conformance import MARKS, command, table, workers
from kafkalab.proof.conformance.seeds import SEEDS

FOLDERS = dict(command.scenarios(table.RECORDINGS))
ROWS = table.load_table()


@pytest.fixture(scope="module")
def played():
    return {
        result.scenario: result
        for result in workers.conform_all(
            FOLDERS, lambda name: table.seeds_of(name, ROWS), os.cpu_count()
        )
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_no_scenario_scores_lower_than_the_table(name, played):
    fallen = list(table.falls(played[name], ROWS))
    if fallen and name in ROWS:
        (searched,) = workers.conform_all({name: FOLDERS[name]}, lambda name: SEEDS, jobs=1)
        fallen = list(table.falls(searched, ROWS))
    assert fallen == []


def test_the_table_has_a_row_for_each_recording_and_no_other():
    assert set(ROWS) == set(FOLDERS)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_table_says_what_is_not_equal_and_why(name):
    for client, row in ROWS[name].items():
        if not row["equal"] or any(row["marks"][mark] < 1 for mark in MARKS):
            assert len(row["why"]) > 20, client
        else:
            assert row["why"] == "", client
