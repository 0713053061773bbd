"""RecordState: the states of one record in a share group, and the moves between them
(org.apache.kafka.server.share.fetch.RecordState, KIP-932)."""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


class RecordState(enum.Enum):
    """What the group knows about a record. A record after the window's end has no state yet."""

    AVAILABLE = "Available"
    """Any member may acquire it. Next: ACQUIRED with a fetch."""
    ACQUIRED = "Acquired"
    """One member holds it until its lock ends. Next: ACKNOWLEDGED with accept, ARCHIVED with
    reject, or ARCHIVING in a group with a dead-letter topic, AVAILABLE with release or when the
    lock ends."""
    ACKNOWLEDGED = "Acknowledged"
    """A member has processed it. No state follows."""
    ARCHIVING = "Archiving"
    """It is not delivered again, and its copy for the dead-letter topic is on its way (KIP-1191).
    Next: ARCHIVED, when the copy is written or has failed."""
    ARCHIVED = "Archived"
    """It is not delivered again: a member rejected it, or it had all its deliveries. No state
    follows."""


MOVES = moves_of(
    RecordState,
    "AVAILABLE -> ACQUIRED ARCHIVED",
    "ACQUIRED -> AVAILABLE ACKNOWLEDGED ARCHIVING ARCHIVED",
    "ACKNOWLEDGED ->",
    "ARCHIVING -> ARCHIVED",
    "ARCHIVED ->",
)
"""RecordState.validateTransition."""

DONE = frozenset({RecordState.ACKNOWLEDGED, RecordState.ARCHIVED})
"""The states of a record that is never delivered again."""
