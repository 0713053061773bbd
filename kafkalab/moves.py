"""Moves: the table of a state machine, with a row for each state and the states that may follow.

    MOVES = moves_of(
        GroupState,
        "EMPTY -> PREPARING DEAD",
        "PREPARING -> STABLE DEAD",
        "STABLE -> PREPARING DEAD",
        "DEAD ->",
    )
    self.state = MOVES.step(self.state, GroupState.STABLE, "group", self.id)

A table is walked with `step` alone, so that no machine makes a move that its picture lacks.
"""

from __future__ import annotations

import enum
from typing import TypeVar

S = TypeVar("S", bound=enum.Enum)
NO_STATE = "(none)"
"""In a row: the state before there is one, None."""


class Moves(dict[S | None, frozenset[S]]):
    """State -> the states that may follow."""

    def step(self, before: S | None, after: S, *whose: object) -> S:
        """The state `after`, where it may follow. Raises AssertionError that names whose move it
        is."""
        if after not in self[before]:
            what = " ".join(map(str, whose)) or type(after).__name__
            raise AssertionError(f"{what}: {before} -> {after} is not in the table")
        return after

    def before(self, after: S) -> tuple[S, ...]:
        """The states that `after` may follow, in the order of the rows."""
        return tuple(state for state in self if state is not None and after in self[state])


def moves_of(states: type[S], *rows: str) -> Moves[S]:
    """The table of a machine. Raises ValueError for a row that is wrong, and for a state without
    one."""
    table: Moves[S] = Moves()
    for row in rows:
        name, arrow, after = row.partition("->")
        named = [name.strip(), *after.split()]
        unknown = [each for each in named if each not in (*states.__members__, NO_STATE)]
        if not arrow or unknown:
            raise ValueError(
                f"{row!r}: write `STATE -> STATE ...` with states of {states.__name__}"
            )
        state = None if named[0] == NO_STATE else states[named[0]]
        if state in table:
            raise ValueError(f"{row!r}: {named[0]} has two rows")
        table[state] = frozenset(states[each] for each in named[1:])
    missing = [state.name for state in states if state not in table]
    if missing:
        raise ValueError(f"{states.__name__}: write a row for {', '.join(missing)}")
    return table
