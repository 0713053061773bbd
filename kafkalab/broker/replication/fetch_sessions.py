"""FetchSessions: remembers the partitions of a FETCH, so that later ones name changes (KIP-227).

Kafka's classes are FetchManager, FetchSession and their contexts. A full fetch opens a session;
from then on a request names only what changed, and so does the answer. Left out: eviction. A full
cache makes no more sessions, where the real one first throws out those unused for two minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kafkalab.errors import Errors
from kafkalab.protocol.messages import ZERO_UUID, FetchPartition, FetchPartitionData, FetchRequest

NO_SESSION = 0
INITIAL_EPOCH = 0
FINAL_EPOCH = -1
_LARGEST_EPOCH = 2**31 - 1


class FetchKey(NamedTuple):
    """A partition in the words of the request: named, or (v13 and later) identified."""

    topic: str
    topic_id: str
    partition: int


class SessionPartition:
    """A partition of a session: what was asked, and what the client was last told."""

    __slots__ = ("asked", "high_watermark", "log_start_offset")

    def __init__(self, asked: FetchPartition) -> None:
        self.asked = asked
        self.high_watermark = self.log_start_offset = -1

    def has_news(self, data: FetchPartitionData) -> bool:
        """Must an incremental answer mention this? Remembers what it says.

        An error is news each time; as it comes with a high watermark of -1, so is its end.
        """
        news = bool(data.records)
        if data.high_watermark != self.high_watermark:
            news, self.high_watermark = True, data.high_watermark
        if data.log_start_offset != self.log_start_offset:
            news, self.log_start_offset = True, data.log_start_offset
        return news or data.error_code != 0


class FetchSession:
    __slots__ = ("epoch", "id", "partitions")

    def __init__(self, id: int, partitions: dict[FetchKey, SessionPartition]) -> None:
        self.id, self.epoch, self.partitions = id, 1, partitions


class FetchContext(NamedTuple):
    """How a fetch is to be answered: what to read, and in which session (None: without one).

    error: a code that answers the whole request at once, without reading.
    full: the answer lists every partition, and opens a session where `opens` says so.
    """

    partitions: dict[FetchKey, FetchPartition]
    session: FetchSession | None = None
    full: bool = True
    opens: bool = False
    error: int = 0


class FetchSessions:
    """A broker's cache of fetch sessions.

    slots: how many it holds (max.incremental.fetch.session.cache.slots).
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._sessions: dict[int, FetchSession] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def clear(self) -> None:
        self._sessions.clear()

    def context(self, request: FetchRequest) -> FetchContext:
        """Read the request's session id and epoch, and bring the session up to date."""
        if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self._sessions.pop(request.session_id, None)
            return FetchContext(_asked(request), opens=request.session_epoch == INITIAL_EPOCH)
        session = self._sessions.get(request.session_id)
        if session is None:
            return FetchContext({}, error=Errors.FETCH_SESSION_ID_NOT_FOUND.code)
        if session.epoch != request.session_epoch:
            return FetchContext({}, error=Errors.INVALID_FETCH_SESSION_EPOCH.code)
        if request.topics or request.forgotten_topics_data:
            self._update(session, request)
        if not session.partitions:
            del self._sessions[session.id]
            return FetchContext({})
        session.epoch = session.epoch % _LARGEST_EPOCH + 1
        return FetchContext(
            {key: known.asked for key, known in session.partitions.items()}, session, full=False
        )

    def answer(
        self,
        context: FetchContext,
        read: dict[FetchKey, FetchPartitionData],
        draw_id: Callable[[], int],
    ) -> tuple[int, dict[FetchKey, FetchPartitionData]]:
        """(session id, what to tell): everything for a full fetch, only the news for an incremental
        one.

        draw_id gives a positive number at random; it is asked again while the number is taken.
        """
        session = context.session
        if session is not None:
            return session.id, self._news(session, read)
        if not context.opens or not read or len(self._sessions) >= self._slots:
            return NO_SESSION, read
        session_id = draw_id()
        while session_id in self._sessions:
            session_id = draw_id()
        known = {key: SessionPartition(asked) for key, asked in context.partitions.items()}
        for key, data in read.items():
            known[key].has_news(data)
        self._sessions[session_id] = FetchSession(session_id, known)
        return session_id, read

    @staticmethod
    def _news(
        session: FetchSession, read: dict[FetchKey, FetchPartitionData]
    ) -> dict[FetchKey, FetchPartitionData]:
        news = {}
        for key, data in read.items():
            known = session.partitions.get(key)
            if known is not None and known.has_news(data):
                news[key] = data
                # whoever got records goes to the end of the line: no partition starves the others
                if data.records:
                    del session.partitions[key]
                    session.partitions[key] = known
        return news

    @staticmethod
    def _update(session: FetchSession, request: FetchRequest) -> None:
        for key, asked in _asked(request).items():
            known = session.partitions.get(key)
            if known is None:
                session.partitions[key] = SessionPartition(asked)
            else:
                known.asked = asked
        for topic in request.forgotten_topics_data:
            for partition in topic.partitions:
                session.partitions.pop(_key(topic.topic, topic.topic_id, partition), None)


def _asked(request: FetchRequest) -> dict[FetchKey, FetchPartition]:
    return {
        _key(topic.topic, topic.topic_id, part.partition): part
        for topic in request.topics
        for part in topic.partitions
    }


def _key(topic: str, topic_id: str, partition: int) -> FetchKey:
    """One key for one partition, whether the client gives the name beside the id or not."""
    return FetchKey(topic if topic_id == ZERO_UUID else "", topic_id, partition)
