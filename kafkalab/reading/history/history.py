"""Rebuilds the state of a lab at a moment: applies the journal's events up to it to an empty state.

The state is plain data: dicts, lists, numbers and text. So it can be printed, compared, stored as
JSON and read by a grader. Five tables hold the effect of each event: `cluster_events`,
`group_events`, `client_events`, `transaction_events`, `share_events`. An event in none of
them changes nothing that is shown.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.errors import IllegalArgumentException
from kafkalab.reading.history.client_events import CLIENT_EVENTS
from kafkalab.reading.history.cluster_events import CLUSTER_EVENTS
from kafkalab.reading.history.group_events import GROUP_EVENTS, coordinators
from kafkalab.reading.history.share_events import SHARE_EVENTS
from kafkalab.reading.history.transaction_events import TRANSACTION_EVENTS
from kafkalab.sim.journal import Event, Journal

State = dict[str, Any]
Fold = Callable[[State, Event], None]

TABLES: tuple[Mapping[str, Fold], ...] = (
    CLUSTER_EVENTS,
    GROUP_EVENTS,
    CLIENT_EVENTS,
    TRANSACTION_EVENTS,
    SHARE_EVENTS,
)


def _folds() -> dict[str, tuple[Fold, ...]]:
    """Event kind -> the functions that apply it. Two tables may hold one kind."""
    kinds = dict.fromkeys(kind for table in TABLES for kind in table)
    return {kind: tuple(table[kind] for table in TABLES if kind in table) for kind in kinds}


FOLDS = _folds()


class History:
    """The state of a lab at any moment, rebuilt from its journal.

    A later moment continues from the last one. An earlier moment begins again with an empty state.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._next = self._read_to_ms = 0
        self._restart()

    def at(self, ms: int) -> State:
        """The state at virtual time `ms`, including the events of that millisecond.

        Raises ValueError for a time that is not a whole number of milliseconds, 0 or later.
        """
        if not isinstance(ms, int) or isinstance(ms, bool) or ms < 0:
            raise IllegalArgumentException(
                f"the time is a whole number of milliseconds, 0 or later, not {ms!r}"
            )
        if ms < self._read_to_ms:
            self._restart()
        events = self._journal.events
        while self._next < len(events) and events[self._next].at_ms <= ms:
            event = events[self._next]
            for fold in FOLDS.get(event.kind, ()):
                fold(self._state, event)
            self._next += 1
            self._read_to_ms = event.at_ms
        found = copy.deepcopy(self._state)
        found["at_ms"] = ms
        coordinators(found)
        del found["_coordinators"]
        return found

    def _restart(self) -> None:
        self._next, self._read_to_ms = 0, 0
        self._state: State = {
            "at_ms": 0,
            "cluster_id": None,
            "controller": None,
            "brokers": {},
            "topics": {},
            "partitions": {},
            "groups": {},
            "clients": {},
            "transactions": {},
            "producers": {},
            "_coordinators": {},
        }
