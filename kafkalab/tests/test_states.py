"""Every state machine can be printed and drawn, from the table it walks."""

from __future__ import annotations

import ast
import enum
import importlib

import pytest

from kafkalab.moves import moves_of
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
        name
        for name, tree in modules().items()
        if name.startswith("kafkalab")
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if node.targets[0].id == "MOVES"
    }
    known = {module for module, _ in MACHINES.values()}
    assert tables == known, (
        f"add {sorted(tables - known)} to kafkalab.reading.states.MACHINES, so that a notebook can "
        "draw it"
    )
    for module in known:
        assert importlib.import_module(module).MOVES


class Lamp(enum.Enum):
    OFF = "off"
    ON = "on"


def test_a_table_is_walked_by_step():
    table = moves_of(Lamp, "(none) -> OFF", "OFF -> ON", "ON ->")
    assert table == {None: {Lamp.OFF}, Lamp.OFF: {Lamp.ON}, Lamp.ON: set()}
    assert table.step(Lamp.OFF, Lamp.ON) is Lamp.ON
    assert table.before(Lamp.ON) == (Lamp.OFF,)
    with pytest.raises(AssertionError, match=r"^lamp 7: Lamp.ON -> Lamp.OFF is not in the table$"):
        table.step(Lamp.ON, Lamp.OFF, "lamp", 7)


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (("OFF -> ON",), "Lamp: write a row for ON"),
        (("OFF -> ON", "ON -> OF"), "'ON -> OF': write"),
        (("OFF -> ON", "ON"), "'ON': write"),
        (("OFF -> ON", "ON ->", "OFF ->"), "'OFF ->': OFF has two rows"),
    ],
)
def test_a_wrong_row_of_a_table_is_named(rows, error):
    with pytest.raises(ValueError, match=f"^{error}"):
        moves_of(Lamp, *rows)
