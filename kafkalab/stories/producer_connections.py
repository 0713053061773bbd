"""Follows one connection of a client through its states, and compares it with a learner's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafkalab.lab import Lab

if TYPE_CHECKING:
    import pandas


def connection_steps(
    lab: Lab, node: int, table: Mapping[str, Mapping[str, str | None]]
) -> pandas.DataFrame:
    """Each change of state of the connection to `node`, and whether `table` has such a step.

    table: {state: {event: next state}}. The states are those of Kafka's ClusterConnectionStates.
    """
    import pandas

    known = {(state, after) for state, row in table.items() for after in row.values()}
    steps = [
        {
            "ms": event.at_ms,
            "before": event.before or "DISCONNECTED",
            "after": event.after,
            "in your table": "yes"
            if (event.before or "DISCONNECTED", event.after) in known
            else "no",
        }
        for event in lab.journal.of("state")
        if event.machine == f"connection {node}"
    ]
    return pandas.DataFrame(steps, columns=["ms", "before", "after", "in your table"])
