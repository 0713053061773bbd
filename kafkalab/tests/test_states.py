"""Every state machine can be printed and drawn, from the table it walks."""

from __future__ import annotations

import ast
import importlib

import pytest

from kafkalab.reading.states import MACHINES, states
from kafkalab.tests.test_architecture import modules
from kafkalab.tests.views.test_views import assert_texts_inside_and_apart
from kafkalab.views import state_diagram


@pytest.mark.parametrize("name", MACHINES)
def test_a_table_names_every_state_and_says_what_ends_it(name):
    table = states(name)
    assert table.moves.keys() >= {after for afters in table.moves.values() for after in afters}
    assert repr(table).count("->") == len(table.moves)


@pytest.mark.parametrize("name", MACHINES)
def test_the_diagram_has_a_box_for_each_state_and_its_text_a_row_for_each_move(name):
    table = states(name)
    picture = state_diagram(table)
    assert {text.get_text() for text in picture.figure.axes[0].texts} >= set(table.moves)
    assert len(picture.text.splitlines()) == 1 + sum(map(len, table.moves.values()))
    assert_texts_inside_and_apart(picture)


def test_moves_of_a_run_are_counted():
    picture = state_diagram(
        states("group"),
        made=[("Empty", "PreparingRebalance")] * 2 + [("PreparingRebalance", "Empty")],
    )
    assert ["Empty", "PreparingRebalance", "2"] in [
        row.split() for row in picture.text.splitlines()
    ]
    assert "2×" in {text.get_text() for text in picture.figure.axes[0].texts}


def test_a_group_may_not_fall_from_empty_to_stable():
    assert not states("group").may_move("Empty", "Stable")
    with pytest.raises(KeyError, match="it has Empty, PreparingRebalance"):
        states("group").may_move("Empty", "Gone")
    assert "transition: a member joins" in states("group").says["Stable"]


def test_an_unknown_machine_is_told_with_the_known_ones():
    with pytest.raises(
        ValueError, match="there are admin call, batch, broker registration, connection"
    ):
        states("grup")


@pytest.mark.slow
def test_every_table_of_transitions_in_the_lab_can_be_asked_for():
    tables = {
        (name, target.id)
        for name, tree in modules().items()
        if name.startswith("kafkalab")
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id in ("TRANSITIONS", "MOVES")
    }
    known = {(module, table) for module, table, _ in MACHINES.values()}
    assert tables <= known, (
        f"add {sorted(tables - known)} to kafkalab.reading.states.MACHINES, so that a notebook can "
        "draw it"
    )
    for module, table, _ in MACHINES.values():
        assert getattr(importlib.import_module(module), table)
