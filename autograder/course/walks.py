"""What a state machine goes through: the judges' side of
questions that ask for a table of states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def states_of(
    moves: Mapping[tuple[str, str], str], start: str, walk: Iterable[str]
) -> list[str | None]:
    """The state after each event of a walk that begins in `start`. moves: (state, event) -> next
    state. An event that has no move gives None and ends the walk."""
    state, seen = start, []
    for event in walk:
        state = moves.get((state, event))
        seen.append(state)
        if state is None:
            break
    return seen
