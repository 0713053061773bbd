"""Writes the lines of shared parts as ShareConsumerImpl does: its classes differ, and so do their
statements."""

from __future__ import annotations

from typing import Any

from kafkalab.clients.network.log_context import LogContext

SAID_BY_OTHERS = {
    "MEMBER_HEARTBEAT_INTERVAL": "SHARE_MEMBER_HEARTBEAT_INTERVAL",
    "MEMBER_JOINS_ON_POLL": "SHARE_MEMBER_JOINS_ON_POLL",
    "MEMBER_STATE": "SHARE_MEMBER_STATE",
    "MEMBER_TARGET_UPDATED": "SHARE_MEMBER_TARGET_UPDATED",
    "MEMBER_RECONCILING": "SHARE_MEMBER_RECONCILING",
    "MEMBER_REVOCATION_PENDING": "SHARE_MEMBER_REVOCATION_PENDING",
    "MEMBER_COMMIT_BEFORE_RECONCILING": "SHARE_MEMBER_COMMIT_BEFORE_RECONCILING",
    "MEMBER_LEAVES_WITHOUT_CALLBACKS": "SHARE_MEMBER_RELEASED",
    "MEMBER_LEAVE_HEARTBEAT": "SHARE_MEMBER_LEAVE_HEARTBEAT",
    "MEMBER_LEFT": "SHARE_MEMBER_LEFT",
}
"""The entry of KIP-848's member -> the entry of a share member."""

UNRECORDED = frozenset(
    {
        "MEMBER_NO_EPOCH_IN_COMMITS",
        "MEMBER_PARTITIONS_REVOKED",
        "MEMBER_RECONCILIATION_IN_PROGRESS",
        "MEMBER_RECONCILIATION_NOT_NEEDED",
        "MEMBER_STALE_HEARTBEAT",
        "MEMBER_STALE_RELEASED",
        "MEMBER_STALE_REJOINS",
        "STALE_HEARTBEAT_ANSWERED",
        "POLL_INTERVAL_EXCEEDED",
        "ASYNC_POLL_TIMEOUT_EXPIRED",
    }
)
"""Statements that no recording of a share consumer shows: no line is written."""


class ShareLines(LogContext):
    """A LogContext that knows which class writes these statements."""

    def __call__(self, name: str, /, **values: Any) -> None:
        if name not in UNRECORDED:
            super().__call__(SAID_BY_OTHERS.get(name, name), **values)
