"""ShareSessions: keeps the partitions that a member fetches, so that later requests name only
changes (ShareSessionCache, KIP-932).

A session belongs to a member and to its connection: when the connection closes, the session ends,
and what the member holds is free again. Left out: the limit of sessions
(group.share.max.share.sessions).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkalab.broker.steps import Refusal
from kafkalab.errors import Errors
from kafkalab.protocol.share_messages import FINAL_EPOCH, OPENING_EPOCH

SessionKey = tuple[str, str]
"""Group id and member id."""

SharePlace = tuple[str, int]
"""Topic id and number of a partition."""


@dataclass(slots=True)
class ShareSession:
    """A member's session: the epoch of its next request, and its partitions in order."""

    connection_id: str
    epoch: int = 1
    partitions: dict[SharePlace, None] = field(default_factory=dict)


class ShareSessions:
    """All share sessions of one broker."""

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, ShareSession] = {}

    def find(self, key: SessionKey) -> ShareSession | None:
        """The member's session; None where there is none."""
        return self._sessions.get(key)

    def advance(self, key: SessionKey, epoch: int, connection_id: str) -> ShareSession:
        """The session of a request with that epoch; epoch 0 opens one. Raises Refusal for
        an epoch that is not the next one, or where there is no session."""
        if epoch == OPENING_EPOCH:
            session = self._sessions[key] = ShareSession(connection_id)
            return session
        found = self._sessions.get(key)
        if found is None:
            raise Refusal.with_message(Errors.SHARE_SESSION_NOT_FOUND)
        if epoch != FINAL_EPOCH:
            if epoch != found.epoch:
                raise Refusal.with_message(Errors.INVALID_SHARE_SESSION_EPOCH)
            found.epoch += 1
        return found

    def close(self, key: SessionKey) -> None:
        """Forget the session."""
        self._sessions.pop(key, None)

    def of_connection(self, connection_id: str) -> list[SessionKey]:
        """The members whose sessions live on this connection."""
        return [
            key for key, session in self._sessions.items() if session.connection_id == connection_id
        ]

    def clear(self) -> None:
        """Forget all sessions: the process has died."""
        self._sessions.clear()
