"""FetchSessions: keeps the partitions of a FETCH, so that later ones name only changes (KIP-227).

Kafka's classes are FetchManager, FetchSession and their contexts. A full fetch opens a session.
From then on request and answer name only the partitions that changed. Left out: eviction. A full
cache opens no session here; the real one first evicts those that were unused for two minutes.
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
    """A partition as the request names it: by topic name, from v13 on by topic id
    (TopicIdPartition)."""

    topic: str
    topic_id: str
    partition: int


class SessionPartition:
    """A session's partition: the client's last request for it and the last answer
    (CachedPartition)."""

    __slots__ = ("asked", "high_watermark", "log_start_offset")

    def __init__(self, asked: FetchPartition) -> None:
        self.asked = asked
        self.high_watermark = self.log_start_offset = -1

    def has_news(self, data: FetchPartitionData) -> bool:
        """Whether an incremental answer has to mention this partition; keeps the answered values.

        An error is mentioned each time, and so is a follower to read from. An error comes with a
        high watermark of -1, so its end is mentioned too.
        """
        news = self.would_have_news(data)
        self.high_watermark, self.log_start_offset = data.high_watermark, data.log_start_offset
        return news

    def would_have_news(self, data: FetchPartitionData) -> bool:
        """The same, and nothing is kept."""
        return (
            bool(data.records)
            or data.high_watermark != self.high_watermark
            or data.log_start_offset != self.log_start_offset
            or data.error_code != 0
            or data.preferred_read_replica >= 0
        )


class FetchSession:
    __slots__ = ("epoch", "id", "partitions")

    def __init__(self, id: int, partitions: dict[FetchKey, SessionPartition]) -> None:
        self.id, self.epoch, self.partitions = id, 1, partitions


class FetchContext(NamedTuple):
    """How a fetch is answered: the partitions to read, and the session, None without one
    (FetchContext).

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

    @staticmethod
    def would_answer(
        context: FetchContext, read: dict[FetchKey, FetchPartitionData]
    ) -> dict[FetchKey, FetchPartitionData]:
        """The partitions that `answer` would answer; nothing changes (getResponseSize)."""
        if context.session is None:
            return read
        known = context.session.partitions
        return {
            key: data
            for key, data in read.items()
            if key in known and known[key].would_have_news(data)
        }

    def answer(
        self,
        context: FetchContext,
        read: dict[FetchKey, FetchPartitionData],
        draw_id: Callable[[], int],
    ) -> tuple[int, dict[FetchKey, FetchPartitionData]]:
        """(session id, partitions to answer): all for a full fetch, the changed ones for an
        incremental one.

        draw_id gives a random positive number; it is called again while a session has that number.
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
                # a partition with records goes to the end of the line, so that no partition starves
                # the others
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
    """The key of a partition; it is the same with and without a topic name beside the id."""
    return FetchKey(topic if topic_id == ZERO_UUID else "", topic_id, partition)
