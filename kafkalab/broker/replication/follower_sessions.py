"""FollowerSessions: parks and answers the followers' fetches at a leader's broker.

Kafka's parts are FetchSession for followers, DelayedFetch, and Partition.updateFollowerFetchState.
A fetch is parked for at most replica.fetch.wait.max.ms; then the follower sends the next one, which
is called a round here. Rounds without news are computed and are no events: `round_begin_ms` gives
the begin of the present one. New records are answered at once, a higher high watermark at the end
of the round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import CancelTimer, Effect, SetTimer, TimerKey, ToBroker
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.replication.peer_messages import (
    EpochRequest,
    EpochResponse,
    FetchedPart,
    FollowerFetch,
    FollowerFetchResponse,
    Position,
)
from kafkalab.errors import Errors

if TYPE_CHECKING:
    from kafkalab.broker.replication.replica import Follower, Replica
    from kafkalab.broker.replication.replica_manager import ReplicaManager

ROUND_TRIP_MS = 2
"""Added to each empty round: the time of an answer and the next request on the network."""

UNDEFINED = -1


class FollowerSession:
    """The state of one follower's broker at a leader's broker (FetchSession).

    offsets    partition -> the offset of its last fetch
    answered   partition -> the high watermark of the last answer
    news       partitions with records or a high watermark that the follower does not have
    parked_ms  when the parked fetch arrived, or will arrive; None without one
    """

    __slots__ = ("answered", "follower", "news", "number", "offsets", "parked_ms", "urgent")

    def __init__(self, follower: int) -> None:
        self.follower, self.number = follower, 0
        self.offsets: dict[PartitionKey, int] = {}
        self.answered: dict[PartitionKey, int] = {}
        self.news: dict[PartitionKey, None] = {}
        self.parked_ms: int | None = None
        self.urgent: dict[PartitionKey, FetchedPart] = {}

    def round_begin_ms(self, now_ms: int, wait_ms: int) -> int:
        """When the present round began, which is when the parked fetch was last sent."""
        assert self.parked_ms is not None, "a round begins only while a fetch waits here"
        return self.parked_ms + max(now_ms - self.parked_ms, 0) // (wait_ms + ROUND_TRIP_MS) * (
            wait_ms + ROUND_TRIP_MS
        )


class FollowerSessions:
    """All followers of the partitions that this broker leads."""

    def __init__(self, config: BrokerConfig, replicas: ReplicaManager) -> None:
        self.by_follower: dict[int, FollowerSession] = {}
        # since when no fetch comes from a follower
        self._silent_ms: dict[int, int] = {}
        self._config = config
        self._replicas = replicas
        self._wait_ms = config.replica_fetch_wait_max_ms

    def join(
        self, follower: int, key: PartitionKey, offset: int, now_ms: int, idle_at: int | None = None
    ) -> None:
        """Add a partition to the follower's parked fetch; the follower's log ends at `offset`.

        idle_at: the number of the last request of an idle follower, which parks a new one; None for
        a follower that is not idle.
        """
        session = self.by_follower.get(follower)
        if session is None or idle_at is not None:
            session = self.by_follower[follower] = FollowerSession(follower)
            session.number, session.parked_ms = idle_at or 0, now_ms
        replica = self._replicas.replica(key)
        session.offsets[key] = session.answered[key] = offset
        known = replica.followers[follower]
        known.log_end_offset = known.leader_end_then = offset

    def has(self, follower: int, key: PartitionKey) -> bool:
        session = self.by_follower.get(follower)
        return session is not None and key in session.offsets

    def handle(
        self, follower: int, message: FollowerFetch | EpochRequest, now_ms: int
    ) -> list[Effect]:
        """Serve a follower's FETCH or OFFSET_FOR_LEADER_EPOCH."""
        if isinstance(message, EpochRequest):
            return [
                ToBroker(
                    follower,
                    EpochResponse(
                        message.number,
                        {key: self._end_of(key, *asked) for key, asked in message.asked.items()},
                    ),
                )
            ]
        session = self.by_follower.get(follower)
        if session is None or message.full:
            session = self.by_follower[follower] = FollowerSession(follower)
        session.number, session.parked_ms = message.number, now_ms
        for key in message.dropped:
            _forget(session, key)
        effects: list[Effect] = []
        for key, position in message.moved.items():
            effects += self._moved(session, key, position, now_ms)
        return effects + self._answer_or_wait(session, now_ms)

    def parks(self, follower: int, message: FollowerFetch, at_ms: int) -> list[Effect]:
        """Park a fetch without changes that arrives at `at_ms`. News since the last answer is sent
        at that time."""
        session = self.by_follower.get(follower)
        if session is None:
            return []
        session.number, session.parked_ms = message.number, at_ms
        return [SetTimer(("arrival", follower), at_ms)] if session.news or session.urgent else []

    def recall(self, follower: int, now_ms: int) -> list[Effect]:
        """The follower has a new request: the parked fetch is answered at the end of its round."""
        session = self.by_follower.get(follower)
        if session is None or session.parked_ms is None:
            return []
        return [SetTimer(("round", follower), self._round_end_ms(session, now_ms))]

    def grown(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """A partition has records that followers lack: answer the parked fetches."""
        effects: list[Effect] = []
        replica = self._replicas.replica(key)
        for follower, known in replica.followers.items():
            session = self.by_follower.get(follower)
            if session is None or key not in session.offsets:
                self._count_empty_fetches(replica, follower)
                continue
            self._count_rounds(session, known, now_ms)
            session.news[key] = None
            if session.parked_ms is not None:
                effects += self._answer_or_wait(session, now_ms)
        return effects

    def watermark_moved(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """The high watermark has moved: followers get it with their next answer, at the latest at
        the end of the round."""
        effects: list[Effect] = []
        for follower in self._replicas.replica(key).followers:
            session = self.by_follower.get(follower)
            if session is not None and key in session.offsets:
                is_first = not session.news
                session.news[key] = None
                if is_first and session.parked_ms is not None:
                    effects.append(
                        SetTimer(("round", follower), self._round_end_ms(session, now_ms))
                    )
        return effects

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        """("round", follower): a round ends. ("arrival", follower): a parked fetch arrives."""
        session = self.by_follower.get(key[1])
        if session is None or session.parked_ms is None:
            return []
        if key[0] == "arrival":
            return self._answer_or_wait(session, now_ms)
        return self._answer(session)

    def falls_silent(self, follower: int, now_ms: int) -> None:
        """No fetch comes from now on: the link is cut, or the process is dead or paused."""
        self._silent_ms.setdefault(follower, now_ms)

    def speaks(self, follower: int) -> None:
        """Fetches come again."""
        self._silent_ms.pop(follower, None)

    def lost(self, follower: int, now_ms: int) -> list[Effect]:
        """Drop the session of a follower that is gone."""
        self.falls_silent(follower, now_ms)
        session = self.by_follower.pop(follower, None)
        if session is None:
            return []
        for key in session.offsets:
            known = self._replicas.replica(key).followers.get(follower)
            if known is not None:
                self._count_rounds(session, known, now_ms)
        return [CancelTimer(("round", follower)), CancelTimer(("arrival", follower))]

    def dropped(self, key: PartitionKey) -> None:
        """Remove a partition from all sessions: this broker has stopped leading it."""
        for session in self.by_follower.values():
            _forget(session, key)

    def forget(self) -> None:
        """Drop all sessions: the process has died."""
        self.by_follower.clear()
        self._silent_ms.clear()

    # -- inside

    def _count_rounds(self, session: FollowerSession, known: Follower, now_ms: int) -> None:
        """Count the empty rounds of a parked fetch: each has read up to the leader's end."""
        now_ms = min(now_ms, self._silent_ms.get(session.follower, now_ms))
        if session.parked_ms is not None and known.log_end_offset == known.leader_end_then:
            begun_ms = min(session.round_begin_ms(now_ms, self._wait_ms), now_ms)
            known.caught_up_ms = max(known.caught_up_ms, begun_ms)
            known.fetched_ms = max(known.fetched_ms, begun_ms)

    def _count_empty_fetches(self, replica: Replica, follower: int) -> None:
        """Count what is no event here: a follower fetches an empty log, too, until it is silent."""
        known = replica.followers[follower]
        if (
            known.leader_end_then < 0
            and replica.epoch_start == 0
            and follower in replica.partition.isr
        ):
            silent_ms = self._silent_ms.get(follower, known.caught_up_ms)
            known.caught_up_ms = max(known.caught_up_ms, silent_ms)

    def _moved(
        self, session: FollowerSession, key: PartitionKey, position: Position, now_ms: int
    ) -> list[Effect]:
        replica, error = self._replicas.led_replica(*key, position.current_epoch)
        if replica is None:
            _forget(session, key)
            session.urgent[key] = FetchedPart(error)
            return []
        log, epoch = replica.log, replica.partition.leader_epoch
        if position.last_epoch != UNDEFINED:
            known, end = log.end_of_epoch(position.last_epoch)
            if end != UNDEFINED and (known < position.last_epoch or end < position.offset):
                session.urgent[key] = FetchedPart(0, epoch, diverging=(known, end))
                return []
        if not log.log_start_offset <= position.offset <= log.log_end_offset:
            session.urgent[key] = FetchedPart(
                Errors.OFFSET_OUT_OF_RANGE.code,
                epoch,
                log_start_offset=log.log_start_offset,
                log_end_offset=log.log_end_offset,
            )
            return []
        session.offsets[key] = position.offset
        session.news.pop(key, None)
        effects = self._replicas.follower_fetched(
            replica, session.follower, position.offset, now_ms
        )
        if position.offset < log.log_end_offset or session.answered.get(key) != log.high_watermark:
            session.news[key] = None
        return effects

    def _answer_or_wait(self, session: FollowerSession, now_ms: int) -> list[Effect]:
        assert session.parked_ms is not None, "only a fetch that waits here can be answered"
        if session.parked_ms > now_ms:
            return [SetTimer(("arrival", session.follower), session.parked_ms)]
        if session.urgent or any(
            session.offsets[key] < self._replicas.replica(key).log.log_end_offset
            for key in session.news
        ):
            return self._answer(session)
        if session.news:
            return [SetTimer(("round", session.follower), self._round_end_ms(session, now_ms))]
        return []

    def _round_end_ms(self, session: FollowerSession, now_ms: int) -> int:
        return session.round_begin_ms(now_ms, self._wait_ms) + self._wait_ms

    def _answer(self, session: FollowerSession) -> list[Effect]:
        parts, session.urgent = session.urgent, {}
        left = self._config.replica_fetch_response_max_bytes
        for key in list(session.news):
            replica = self._replicas.replica(key)
            log, offset = replica.log, session.offsets[key]
            batches = (
                log.read(
                    offset, min(left, self._config.replica_fetch_max_bytes), at_least_one=not parts
                )
                if left > 0
                else ()
            )
            if not batches and offset < log.log_end_offset:
                continue  # the answer is full; the partition comes with the next one
            left -= sum(batch.size_bytes for batch in batches)
            parts[key] = FetchedPart(
                0,
                replica.partition.leader_epoch,
                tuple((log.epoch_at(batch.base_offset), batch) for batch in batches),
                log.high_watermark,
                log.log_start_offset,
                log.log_end_offset,
            )
            session.answered[key] = log.high_watermark
            del session.news[key]
        session.parked_ms = None
        return [
            CancelTimer(("round", session.follower)),
            ToBroker(session.follower, FollowerFetchResponse(session.number, parts)),
        ]

    def _end_of(
        self, key: PartitionKey, current_epoch: int, asked_epoch: int
    ) -> tuple[int, int, int]:
        replica, error = self._replicas.led_replica(*key, current_epoch)
        return (
            (error, UNDEFINED, UNDEFINED)
            if replica is None
            else (0, *replica.log.end_of_epoch(asked_epoch))
        )


def _forget(session: FollowerSession, key: PartitionKey) -> None:
    session.offsets.pop(key, None)
    session.answered.pop(key, None)
    session.news.pop(key, None)
    session.urgent.pop(key, None)
