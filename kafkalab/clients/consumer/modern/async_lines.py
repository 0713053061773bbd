"""Writes the lines of shared parts as AsyncKafkaConsumer does: its classes differ, and so do their
statements."""

from __future__ import annotations

from typing import Any

from kafkalab.clients.network.log_context import LogContext

SAID_BY_OTHERS = {
    "SUBSCRIBED": "ASYNC_SUBSCRIBED",
    "SEEKING": "ASYNC_SEEKING",
    "SENDING_LIST_OFFSETS": "ASYNC_LIST_OFFSETS_CREATING",
    "LIST_OFFSETS_RESPONSE": "ASYNC_LIST_OFFSETS_RECEIVED",
    "LEADER_EPOCH_RECEIVED": "ASYNC_LEADER_EPOCH_RECEIVED",
}
"""The classic consumer's entry -> the entry of this consumer."""

UNRECORDED = frozenset(
    {
        "ASSIGNED_BY_USER",
        "PAUSING",
        "RESUMING",
        "SEEKING_TO_BEGINNING",
        "SEEKING_TO_END",
        "COMMITTING_OFFSETS",
        "UNSUBSCRIBED",
        "SUBSCRIBED_TO_PATTERN",
    }
)
"""Statements of AsyncKafkaConsumer that no recording shows: their line numbers are not known, so no
line is written."""


class AsyncLines(LogContext):
    """A LogContext that knows which class writes these statements."""

    def __call__(self, name: str, /, **values: Any) -> None:
        if name not in UNRECORDED:
            super().__call__(SAID_BY_OTHERS.get(name, name), **values)
