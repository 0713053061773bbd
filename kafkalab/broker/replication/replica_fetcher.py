"""ReplicaFetchers: copies leaders' logs to followers, by one fetcher for each leader's broker.

Kafka's classes are ReplicaFetcherThread and ReplicaFetcherManager. A new follower first finds the
part of its log that the leader has, too. Until 2.6 it requests the end of its last epoch (KIP-101,
KIP-279). Later each fetch carries its last epoch, and the answer names the offset where the logs
differ (KIP-595). Then it copies. A fetch without records is parked at the leader; no event happens
until the leader has an answer.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Effect, Note, SetTimer, TimerKey, ToBroker
from kafkalab.broker.log.disk import DISK_FAILED, Disk
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.replication.follower_state import MOVES, FollowState
from kafkalab.broker.replication.peer_messages import (
    EpochRequest,
    EpochResponse,
    FetchedPart,
    FollowerFetch,
    FollowerFetchResponse,
    Position,
)
from kafkalab.broker.replication.replica import Replica
from kafkalab.errors import Errors, KafkaStorageException
from kafkalab.moves import moves_of

UNDEFINED = -1


class FetcherState(enum.Enum):
    """The state of the fetcher for one leader's broker (AbstractFetcherThread).

    IDLE          nothing is followed there
    ASKED         a request is on its way or parked there
    BACKING_OFF   the broker cannot be reached; another try follows (replica.fetch.backoff.ms)
    """

    IDLE = "idle"
    ASKED = "asked"
    BACKING_OFF = "backing off"


FETCHER_MOVES = moves_of(
    FetcherState,
    "IDLE -> ASKED",
    "ASKED -> IDLE ASKED BACKING_OFF",
    "BACKING_OFF -> IDLE ASKED",
)


class ReplicaFetcher:
    """The fetcher for one leader's broker (ReplicaFetcherThread).

    source       the leaders' broker
    number       of the last request; an answer to an earlier one is ignored
    partitions   the followed partitions and their states
    moved        partitions that the next fetch has to name
    full         the next fetch begins a session and names all partitions
    broken_ms    when the connection last broke
    """

    __slots__ = ("broken_ms", "dropped", "full", "moved", "number", "partitions", "source", "state")

    def __init__(self, source: int) -> None:
        self.source = source
        self.state = FetcherState.IDLE
        self.number = 0
        self.partitions: dict[PartitionKey, FollowState] = {}
        self.moved: dict[PartitionKey, None] = {}
        self.dropped: dict[PartitionKey, None] = {}
        self.full = True
        self.broken_ms = 0

    def turn(self, key: PartitionKey, state: FollowState) -> None:
        """Move a followed partition to another state."""
        self.partitions[key] = MOVES.step(self.partitions[key], state, key)

    def move_to(self, state: FetcherState) -> None:
        self.state = FETCHER_MOVES.step(self.state, state, "fetcher of", self.source)


def _nothing_follows(key: PartitionKey, now_ms: int) -> list[Effect]:
    """Do nothing when a log has grown."""
    return []


def _nobody_waits(key: PartitionKey) -> list[Effect]:
    """Do nothing when a high watermark has risen."""
    return []


class ReplicaFetchers:
    """All fetchers of one broker (ReplicaFetcherManager).

    replica: gives the broker's own replica of a partition; it begins an empty one where there is
        none.
    asks_for_epochs: the release asks before it fetches (BrokerProfile.asks_for_epochs).
    grown: grown(key, now_ms) is called for each log that got records. disk: the disk of the
        broker's logs. risen: risen(key) is called when a follower's high watermark has risen, for
        consumers that read there.
    """

    def __init__(
        self,
        config: BrokerConfig,
        asks_for_epochs: bool,
        replica: Callable[[PartitionKey], Replica],
        grown: Callable[[PartitionKey, int], list[Effect]] = _nothing_follows,
        disk: Disk | None = None,
        risen: Callable[[PartitionKey], list[Effect]] = _nobody_waits,
    ) -> None:
        self.by_source: dict[int, ReplicaFetcher] = {}
        self._config = config
        self._asks_for_epochs = asks_for_epochs
        self._replica, self._grown, self._disk = replica, grown, disk or Disk()
        self._risen = risen
        self._source_of: dict[PartitionKey, int] = {}

    # -- what is followed

    def follow(self, keys: Iterable[PartitionKey], source: int, now_ms: int) -> list[Effect]:
        """Begin to follow partitions at `source`; those followed elsewhere are left there."""
        effects: list[Effect] = []
        fetcher = self._fetcher(source)
        for key in keys:
            effects += self.unfollow((key,), now_ms)
            log = self._replica(key).log
            truncates = (
                self._asks_for_epochs and log.last_epoch != UNDEFINED and log.log_end_offset > 0
            )
            fetcher.partitions[key] = FollowState.TRUNCATING if truncates else FollowState.FETCHING
            fetcher.moved[key] = None
            fetcher.dropped.pop(key, None)
            self._source_of[key] = source
        if fetcher.state is FetcherState.IDLE:
            effects += self._ask(fetcher)
        elif fetcher.state is FetcherState.ASKED:
            # the parked fetch returns first; the next one names the new partitions
            effects.append(ToBroker(source, None))
        return effects

    def join(self, key: PartitionKey, source: int) -> bool:
        """Follow a partition whose log equals the leader's, by adding it to the parked fetch.

        Returns whether that worked; it does not while the leader's broker cannot be reached.
        """
        fetcher = self._fetcher(source)
        if fetcher.state is FetcherState.BACKING_OFF or self._source_of.get(key, source) != source:
            return False
        fetcher.partitions[key] = FollowState.FETCHING
        fetcher.dropped.pop(key, None)  # a topic of that name may have been deleted
        self._source_of[key] = source
        if fetcher.state is FetcherState.IDLE:
            fetcher.move_to(FetcherState.ASKED)
            fetcher.full = False
        return True

    def idle_at(self, source: int) -> int | None:
        """The number of the last request of an idle fetcher, 0 before the first; None for a fetcher
        that is not idle."""
        fetcher = self._fetcher(source)
        return fetcher.number if fetcher.state is FetcherState.IDLE else None

    def unfollow(self, keys: Iterable[PartitionKey], now_ms: int) -> list[Effect]:
        """Stop following; the next fetch drops the partitions from the session."""
        for key in keys:
            source = self._source_of.pop(key, None)
            if source is not None:
                fetcher = self.by_source[source]
                del fetcher.partitions[key]
                fetcher.moved.pop(key, None)
                fetcher.dropped[key] = None
        return []

    def follows(self, key: PartitionKey, source: int) -> bool:
        """Whether that partition is copied from there, now or as soon as the broker can be
        reached."""
        return self._source_of.get(key) == source

    def forget(self) -> None:
        """Drop all fetchers: the process has died."""
        self.by_source.clear()
        self._source_of.clear()

    # -- answers

    def handle_response(
        self, source: int, message: FollowerFetchResponse | EpochResponse, now_ms: int
    ) -> list[Effect]:
        fetcher = self.by_source.get(source)
        if (
            fetcher is None
            or fetcher.state is not FetcherState.ASKED
            or message.number != fetcher.number
        ):
            return []
        if isinstance(message, EpochResponse):
            return self._truncated(fetcher, message, now_ms) + self._ask(fetcher)
        effects: list[Effect] = []
        brought, appends = False, 0
        for key, part in message.parts.items():
            if key in fetcher.partitions:
                appends += bool(part.batches)
                brought = (
                    brought or bool(part.batches) or part.error != 0 or part.diverging is not None
                )
                effects += self._take(fetcher, key, part, now_ms)
        # the fetcher has one thread, which is busy with writing
        if appends and self._disk.append_ms:
            written_ms = now_ms + appends * self._disk.append_ms
            return [*effects, SetTimer(("written", source, fetcher.number), written_ms)]
        return effects + self._ask(fetcher, parks=not brought)

    def broken(self, source: int, now_ms: int) -> list[Effect]:
        """The connection broke: back off, then begin a new session.

        Tries that fail are no events. `retry` is called when the broker can be reached again."""
        fetcher = self.by_source.get(source)
        if fetcher is None or fetcher.state is not FetcherState.ASKED:
            return []
        fetcher.move_to(FetcherState.BACKING_OFF)
        fetcher.full = True
        fetcher.dropped.clear()
        fetcher.moved = dict.fromkeys(fetcher.partitions)
        fetcher.broken_ms = now_ms
        return []

    def retry(self, source: int, now_ms: int) -> list[Effect]:
        """The broker can be reached again: set the timer to the next try of its backoff."""
        fetcher = self.by_source.get(source)
        if fetcher is None or fetcher.state is not FetcherState.BACKING_OFF:
            return []
        backoff_ms = self._config.replica_fetch_backoff_ms
        return [
            SetTimer(
                ("fetcher", source), now_ms + backoff_ms - (now_ms - fetcher.broken_ms) % backoff_ms
            )
        ]

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        """("fetcher", source): the backoff has passed. ("delayed", source, topic, partition): the
        partition's backoff has passed. ("written", source, number): a slow disk has written the
        records of that request.
        """
        fetcher = self.by_source.get(key[1])
        if fetcher is None:
            return []
        if key[0] == "written":
            is_waited_for = fetcher.state is FetcherState.ASKED and key[2] == fetcher.number
            return self._ask(fetcher) if is_waited_for else []
        if key[0] == "fetcher":
            return self._ask(fetcher) if fetcher.state is FetcherState.BACKING_OFF else []
        partition = key[2], key[3]
        if fetcher.partitions.get(partition) is not FollowState.DELAYED:
            return []
        return self.follow((partition,), fetcher.source, now_ms)

    # -- inside

    def _fetcher(self, source: int) -> ReplicaFetcher:
        fetcher = self.by_source.get(source)
        if fetcher is None:
            fetcher = self.by_source[source] = ReplicaFetcher(source)
        return fetcher

    def _ask(self, fetcher: ReplicaFetcher, parks: bool = False) -> list[Effect]:
        """Send the next request. parks: the leader has no answer yet, so the request's arrival is
        no event."""
        if not fetcher.partitions:
            if fetcher.state is not FetcherState.IDLE:
                fetcher.move_to(FetcherState.IDLE)
            fetcher.full = True
            return []
        fetcher.move_to(FetcherState.ASKED)
        fetcher.number += 1
        truncating = [
            key for key, state in fetcher.partitions.items() if state is FollowState.TRUNCATING
        ]
        if truncating:
            return [
                ToBroker(
                    fetcher.source,
                    EpochRequest(
                        fetcher.number,
                        {
                            key: (
                                self._replica(key).partition.leader_epoch,
                                self._replica(key).log.last_epoch,
                            )
                            for key in truncating
                        },
                    ),
                )
            ]
        wanted = fetcher.partitions if fetcher.full else fetcher.moved
        positions = {
            key: self._position(key)
            for key in wanted
            if fetcher.partitions.get(key) is FollowState.FETCHING
        }
        message = FollowerFetch(fetcher.number, fetcher.full, positions, tuple(fetcher.dropped))
        parks = parks and not positions and not fetcher.dropped
        fetcher.full = False
        fetcher.moved.clear()
        fetcher.dropped.clear()
        return [ToBroker(fetcher.source, message, parks)]

    def _position(self, key: PartitionKey) -> Position:
        replica = self._replica(key)
        return Position(
            replica.log.log_end_offset,
            UNDEFINED if self._asks_for_epochs else replica.log.last_epoch,
            replica.partition.leader_epoch,
        )

    def _take(
        self, fetcher: ReplicaFetcher, key: PartitionKey, part: FetchedPart, now_ms: int
    ) -> list[Effect]:
        """Copy one partition's records and high watermark."""
        replica, log = self._replica(key), self._replica(key).log
        if part.error == Errors.OFFSET_OUT_OF_RANGE.code:
            fetcher.moved[key] = None
            return self._begin_elsewhere(replica, key, part)
        if part.error:
            fetcher.turn(key, FollowState.DELAYED)
            return [
                SetTimer(
                    ("delayed", fetcher.source, *key),
                    now_ms + self._config.replica_fetch_backoff_ms,
                )
            ]
        if part.leader_epoch != replica.partition.leader_epoch:
            return []  # an answer from before the last election
        if part.diverging is not None:
            fetcher.moved[key] = None
            return self._cut(
                replica, key, self._cut_at(replica, *part.diverging)[0], fetcher.source
            )
        first = log.log_end_offset
        try:
            for epoch, batch in part.batches:
                log.copy(batch, epoch, copied_ms=now_ms)
        except KafkaStorageException:
            return [DISK_FAILED]
        watermark = min(part.high_watermark, log.log_end_offset)
        log.begin_at_least(part.log_start_offset)
        effects: list[Effect] = []
        if part.batches:
            effects += self._grown(key, now_ms)
            fetcher.moved[key] = None
            effects.append(
                Note.of(
                    "replica.fetched",
                    topic=key[0],
                    partition=key[1],
                    leader=fetcher.source,
                    from_offset=first,
                    log_end_offset=log.log_end_offset,
                    high_watermark=watermark,
                )
            )
        if watermark > log.high_watermark:
            log.high_watermark = watermark
            if not part.batches:
                effects.append(
                    Note.of(
                        "replica.watermark",
                        topic=key[0],
                        partition=key[1],
                        leader=fetcher.source,
                        high_watermark=watermark,
                    )
                )
            effects += self._risen(key)
        return effects

    def _truncated(
        self, fetcher: ReplicaFetcher, answer: EpochResponse, now_ms: int
    ) -> list[Effect]:
        effects: list[Effect] = []
        for key, (error, epoch, end) in answer.ends.items():
            if fetcher.partitions.get(key) is not FollowState.TRUNCATING:
                continue
            if error:
                fetcher.turn(key, FollowState.DELAYED)
                effects.append(
                    SetTimer(
                        ("delayed", fetcher.source, *key),
                        now_ms + self._config.replica_fetch_backoff_ms,
                    )
                )
                continue
            replica = self._replica(key)
            offset, is_final = self._cut_at(replica, epoch, end)
            effects += self._cut(replica, key, offset, fetcher.source)
            if is_final:
                fetcher.turn(key, FollowState.FETCHING)
                fetcher.moved[key] = None
        return effects

    def _cut_at(self, replica: Replica, epoch: int, end: int) -> tuple[int, bool]:
        """(where to cut, whether that settles it): AbstractFetcherThread.getOffsetTruncationState,
        KIP-279."""
        log = replica.log
        if end == UNDEFINED:
            # the leader has no epoch that old: only the committed records are sure
            return log.high_watermark, True
        own_epoch, own_end = log.end_of_epoch(epoch)
        if own_end == UNDEFINED:
            return min(end, log.log_end_offset), True
        if own_epoch != epoch:
            # this log does not have the leader's epoch: request the end of its own
            return min(own_end, log.log_end_offset), False
        return min(own_end, end, log.log_end_offset), True

    def _cut(self, replica: Replica, key: PartitionKey, offset: int, leader: int) -> list[Effect]:
        before = replica.log.log_end_offset
        if replica.log.truncate_to(offset) == 0:
            return []
        return [
            Note.of(
                "replica.truncated",
                topic=key[0],
                partition=key[1],
                leader=leader,
                from_offset=before,
                log_end_offset=replica.log.log_end_offset,
            )
        ]

    def _begin_elsewhere(
        self, replica: Replica, key: PartitionKey, part: FetchedPart
    ) -> list[Effect]:
        """The follower's log end is outside the leader's log: truncate to its end, or begin again
        at its start."""
        if replica.log.log_end_offset > part.log_end_offset:
            return self._cut(replica, key, part.log_end_offset, self._source_of[key])
        replica.log.begin_at(part.log_start_offset)
        return []
