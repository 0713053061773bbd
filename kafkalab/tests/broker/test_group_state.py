"""The table of group states against Kafka's own
(GroupMetadata.validPreviousStates, the same in ClassicGroupState)."""

import pytest

from kafkalab.broker.groups.classic.group_state import MOVES, ClassicGroupState

LEGAL = {
    ("Empty", "PreparingRebalance"),
    ("Empty", "Dead"),
    ("PreparingRebalance", "Empty"),
    ("PreparingRebalance", "CompletingRebalance"),
    ("PreparingRebalance", "Dead"),
    ("CompletingRebalance", "PreparingRebalance"),
    ("CompletingRebalance", "Stable"),
    ("CompletingRebalance", "Dead"),
    ("Stable", "PreparingRebalance"),
    ("Stable", "Dead"),
    ("Dead", "Dead"),
}


@pytest.mark.parametrize("before", ClassicGroupState)
@pytest.mark.parametrize("after", ClassicGroupState)
def test_a_group_moves_only_as_kafkas_table_says(before, after):
    assert (after in MOVES[before]) == ((before.value, after.value) in LEGAL)


def test_every_state_but_dead_can_be_left():
    assert [state for state, moves in MOVES.items() if moves <= {state}] == [ClassicGroupState.DEAD]
