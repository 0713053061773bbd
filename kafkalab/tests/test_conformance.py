"""Is the simulator still as like the real clients as kafkalab/tests/conformance.json says?

Each scenario of data/recordings is replayed with the seeds of the table. Where a mark fell, all
seeds are searched before it counts: a change may move luck from one seed to another.
`python -m kafkalab conformance data/recordings --update` writes the table anew; look at what it did
before you keep it.
"""

import pytest

from kafkalab.proof.conformance import MARKS, command, table, workers
from kafkalab.proof.conformance.seeds import SEEDS
from kafkalab.tests.shares import few

FOLDERS = dict(command.scenarios(table.RECORDINGS))
ROWS = table.load_table()


def ends_of_each_kind(names) -> set[str]:
    """Of each kind of scenario the oldest client's first and the newest client's last."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(names):
        kinds.setdefault(name.rpartition("/")[2].partition("_")[0], []).append(name)
    return {each for alike in kinds.values() for each in (alike[0], alike[-1])}


QUICK = ends_of_each_kind(FOLDERS)


@pytest.mark.parametrize(
    "name",
    few(
        [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in FOLDERS],
        4,
        1,
    ),
)
def test_no_scenario_scores_lower_than_the_table(name):
    """Played in a process of its own, which a replay without end does not outlive."""
    (played,) = workers.conform_all(
        {name: FOLDERS[name]}, lambda name: table.seeds_of(name, ROWS), jobs=1
    )
    fallen = list(table.falls(played, ROWS))
    if fallen and name in ROWS:
        (searched,) = workers.conform_all({name: FOLDERS[name]}, lambda name: SEEDS, jobs=1)
        fallen = list(table.falls(searched, ROWS))
    assert fallen == []


def test_make_test_plays_old_and_new_clients_of_each_kind():
    kinds = {name.rpartition("/")[2].partition("_")[0] for name in FOLDERS}
    assert {name.rpartition("/")[2].partition("_")[0] for name in QUICK} == kinds
    assert len(kinds) <= len(QUICK) < len(FOLDERS) / 4


def test_the_table_has_a_row_for_each_recording_and_no_other():
    assert set(ROWS) == set(FOLDERS)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_table_says_what_is_not_equal_and_why(name):
    for client, row in ROWS[name].items():
        if not row["equal"] or any(row["marks"][mark] < 1 for mark in MARKS):
            assert len(row["why"]) > 20, client
        else:
            assert row["why"] == "", client
