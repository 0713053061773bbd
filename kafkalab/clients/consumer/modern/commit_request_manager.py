"""CommitRequestManager: fetches and commits offsets for a member of the new protocol
(internals.CommitRequestManager).

Commits and look-ups wait here until the coordinator is known, and carry the member's id and epoch:
the coordinator refuses those of an earlier epoch. The auto commit runs in the background, but only
when the application has polled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkalab.clients.consumer.modern.coordinator_request_manager import CoordinatorRequestManager
from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import Offsets, set_committed
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, task
from kafkalab.errors import (
    CommitFailedException,
    Errors,
    KafkaException,
    RetriableCommitFailedException,
    RetriableException,
    StaleMemberEpochException,
    TimeoutException,
    error_for,
)
from kafkalab.lines.java_values import list_text, offsets_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.connection_messages import ZERO_UUID
from kafkalab.records import OffsetAndMetadata, TopicPartition, by_topic
from kafkalab.sim.apps import FOREVER_MS

if TYPE_CHECKING:
    from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback

PASSED_ON = (
    Errors.GROUP_AUTHORIZATION_FAILED,
    Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_COORDINATOR,
    Errors.REQUEST_TIMED_OUT,
    Errors.OFFSET_METADATA_TOO_LARGE,
    Errors.INVALID_COMMIT_OFFSET_SIZE,
    Errors.COORDINATOR_LOAD_IN_PROGRESS,
    Errors.UNKNOWN_TOPIC_OR_PARTITION,
    Errors.UNKNOWN_TOPIC_ID,
    Errors.TOPIC_AUTHORIZATION_FAILED,
)
"""Errors of a commit that the application receives unchanged
(OffsetCommitRequestState.onResponse)."""


MAY_PASS = (RetriableException, StaleMemberEpochException)
"""With these a look-up is asked again: the member's epoch has grown while it was under way."""


class CommitRequestManager(ConsumerPart[NetworkClientDelegate]):
    """The manager of one consumer. on_commit is called with the committed offsets."""

    def __init__(
        self,
        shared: Shared[NetworkClientDelegate],
        group_id: str,
        member_id: str,
        coordinator: CoordinatorRequestManager,
    ) -> None:
        super().__init__(shared)
        self._group_id, self._member_id = group_id, member_id
        self._epoch: int | None = None
        self._coordinator = coordinator
        self._enabled = self._config["enable.auto.commit"]
        self._interval_ms = self._config["auto.commit.interval.ms"]
        self._polled_ms = self._clock.now_ms
        self._due_ms = self._polled_ms + self._interval_ms
        self._auto_under_way = False
        self.on_commit: Callable[[Offsets], None] = lambda offsets: None
        self._waiting: list[tuple[int, RequestFuture]] = []
        self._looking_up: tuple[tuple[TopicPartition, ...], RequestFuture] | None = None

    def tell_epoch(self, epoch: int | None) -> None:
        """The member has another epoch, or none."""
        if epoch is not None:
            self._log(
                "MEMBER_EPOCH_IN_COMMITS", member_id=self._member_id, epoch=f"Optional[{epoch}]"
            )
        self._epoch = epoch

    def poll(self, now_ms: int) -> int:
        """Sends the requests that waited for the coordinator and for their backoff."""
        if self._coordinator.node is None:
            return FOREVER_MS
        ready = [turn for at_ms, turn in self._waiting if at_ms <= now_ms]
        self._waiting = [(at_ms, turn) for at_ms, turn in self._waiting if at_ms > now_ms]
        for turn in ready:
            turn.complete()
        return min((at_ms - now_ms for at_ms, _ in self._waiting), default=FOREVER_MS)

    def _turn(self, at_ms: int = 0) -> RequestFuture:
        """Done in a pass from that time on in which the coordinator is known."""
        turn = RequestFuture()
        self._waiting.append((at_ms, turn))
        return turn

    # auto commit

    def commit_if_due(self, now_ms: int) -> None:
        """The application polls at this time: commits the positions of records it has processed,
        when a commit is due (updateTimerAndMaybeCommit)."""
        self._polled_ms = now_ms
        if not self._enabled or now_ms < self._due_ms or self._auto_under_way:
            return
        self._auto_under_way = True
        self.restart()
        task(self._auto_commit(self._subscriptions.all_consumed()))

    def _auto_commit(self, offsets: Offsets) -> Story:
        try:
            yield self._committing(offsets)
        except RetriableException:
            soon_ms = self._clock.now_ms + self._retry_backoff_ms
            self._due_ms = min(self._due_ms, soon_ms)
            return
        finally:
            self._auto_under_way = False
        self._log("ASYNC_AUTO_COMMIT_ASYNC_COMPLETED", offsets="null" if offsets else "{}")
        if offsets:
            self._log("ASYNC_AUTO_COMMIT_COMPLETED", offsets=offsets_text(offsets))

    def restart(self) -> None:
        """The next commit is due a whole interval after the last poll: Java's timer knows no other
        time."""
        self._due_ms = self._polled_ms + self._interval_ms

    def until_due_ms(self, now_ms: int) -> int:
        return max(0, self._due_ms - now_ms) if self._enabled else FOREVER_MS

    def commit_before_reconciling(self) -> RequestFuture:
        """Commits before partitions are revoked, and tries again until max.poll.interval.ms has
        passed (maybeAutoCommitSyncBeforeRebalance)."""
        if not self._enabled:
            return RequestFuture.completed_with(None)
        offsets = self._subscriptions.all_consumed()
        future = self._committing(
            offsets, self._clock.now_ms + self._config["max.poll.interval.ms"]
        )
        if offsets:
            task(self._tell_committed(future, offsets))
        return future

    def _tell_committed(self, committed: RequestFuture, offsets: Offsets) -> Story:
        yield committed
        # Java's own listener was added later than the reconciliation's, so it runs after it.
        yield self._turn()
        self._log("ASYNC_AUTO_COMMIT_COMPLETED", offsets=offsets_text(offsets))

    # the interface of CommittedOffsets in the classic protocol

    def fetch(
        self, partitions: list[TopicPartition], timer: CallTimer
    ) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The committed offsets; None when the timer ended first. Raises the coordinator's lasting
        errors."""
        future = self.look_up(tuple(partitions), timer.deadline_ms)
        self._client.client.selector.wakeup()
        if not self._client.poll_until(future, timer):
            return None
        if future.failed:
            raise future.failure
        found: dict[TopicPartition, OffsetAndMetadata | None] = future.value
        return found

    def commit_sync(self, offsets: Offsets, timer: CallTimer) -> bool:
        """Commits and waits; False when the timer ended first."""
        future = self._committing(offsets, timer.deadline_ms)
        self._client.client.selector.wakeup()
        if not self._client.poll_until(future, timer):
            return False
        if isinstance(future.error, TimeoutException):
            return False
        if isinstance(future.error, StaleMemberEpochException):  # commitSyncExceptionForError
            raise CommitFailedException(
                f"OffsetCommit failed with stale member epoch. {Errors.STALE_MEMBER_EPOCH.message}"
            )
        if future.failed:
            raise future.failure
        return True

    def commit_async(
        self,
        offsets: Offsets,
        callback: CommitCallback | None,
        later: Callable[[Callable[[], BaseException | None]], object],
    ) -> None:
        """Commits without waiting; `later` runs the callback on the application's thread."""

        task(self._commit_async(offsets, callback, later))
        self._client.client.selector.wakeup()

    def _commit_async(
        self,
        offsets: Offsets,
        callback: CommitCallback | None,
        later: Callable[[Callable[[], BaseException | None]], object],
    ) -> Story:
        error: BaseException | None = None
        try:
            yield self._committing(offsets)
        except RetriableException:
            error = RetriableCommitFailedException(
                "Offset commit failed with a retriable exception. You should retry committing "
                "the latest consumed offsets."
            )
        except KafkaException as failed:
            error = failed

        def tell() -> None:
            assert callback is not None
            callback(offsets, error)

        if callback is not None:
            later(tell)

    def set_positions(self, initializing: list[TopicPartition], deadline_ms: int) -> RequestFuture:
        """Partitions just assigned go on at the group's offsets; those without a commit stay as
        they are."""
        self._log("ASYNC_REFRESHING_COMMITTED", partitions=list_text(initializing))
        return task(self._set_positions(self.look_up(tuple(initializing), deadline_ms)))

    def _set_positions(self, look_up: RequestFuture) -> Story:
        offsets = yield look_up
        set_committed(offsets, self._subscriptions, self._metadata, self._profile, self._log)

    # requests

    def look_up(self, partitions: tuple[TopicPartition, ...], deadline_ms: int) -> RequestFuture:
        """OFFSET_FETCH. A request for the same partitions that is under way already is waited
        for."""
        known = self._looking_up
        if known is not None and known[0] == partitions and not known[1].is_done:
            return known[1]
        self._log("ASYNC_OFFSET_FETCH_ENQUEUED", partitions=list_text(partitions))
        future = task(self._in_turn(lambda: self._look_up(partitions), deadline_ms, MAY_PASS))
        self._looking_up = (partitions, future)
        return future

    def _look_up(self, partitions: tuple[TopicPartition, ...]) -> Story:
        topics = tuple(
            m.OffsetFetchRequestTopics(
                name=topic, topic_id=self._id(topic), partition_indexes=numbers
            )
            for topic, numbers in by_topic(partitions).items()
        )
        group = m.OffsetFetchRequestGroup(
            group_id=self._group_id,
            member_id=None if self._epoch is None else self._member_id,
            member_epoch=-1 if self._epoch is None else self._epoch,
            topics=topics,
        )

        request = m.OffsetFetchRequest(groups=(group,), require_stable=True)
        answer = (yield from self._send(request)).groups[0]
        codes = (
            [answer.error_code]
            if answer.error_code
            else [p.error_code for topic in answer.topics for p in topic.partitions]
        )
        refused = next(filter(None, codes), None)
        if refused is not None:
            known = error_for(refused)
            self._coordinator.lost_if(known)
            raise known.exception()
        return self._committed_of(partitions, answer)

    def _committed_of(
        self, partitions: tuple[TopicPartition, ...], answer: Any
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        names = self._metadata.topic_names
        told = {
            TopicPartition(topic.name or names.get(topic.topic_id, ""), p.partition_index): p
            for topic in answer.topics
            for p in topic.partitions
        }
        found: dict[TopicPartition, OffsetAndMetadata | None] = {}
        for tp in partitions:
            p = told.get(tp)
            if p is None or p.committed_offset < 0:
                self._log("ASYNC_COMMITTED_OFFSET_MISSING", partition=tp)
                found[tp] = None
            else:
                epoch = p.committed_leader_epoch
                found[tp] = OffsetAndMetadata(
                    p.committed_offset, epoch if epoch >= 0 else None, p.metadata or ""
                )
        return found

    def _committing(self, offsets: Offsets, deadline_ms: int | None = None) -> RequestFuture:
        """OFFSET_COMMIT; with a deadline it is tried again until then."""
        if not offsets:
            return RequestFuture.completed_with(None)
        self._log("ASYNC_OFFSET_COMMIT_ENQUEUED", offsets=offsets_text(offsets))
        return task(self._in_turn(lambda: self._commit(offsets), deadline_ms))

    def _commit(self, offsets: Offsets) -> Story:
        topics: dict[str, list[m.OffsetCommitRequestPartition]] = {}
        for tp, offset in offsets.items():
            topics.setdefault(tp.topic, []).append(
                m.OffsetCommitRequestPartition(
                    partition_index=tp.partition,
                    committed_offset=offset.offset,
                    committed_metadata=offset.metadata,
                    committed_leader_epoch=-1
                    if offset.leader_epoch is None
                    else offset.leader_epoch,
                )
            )
        request = m.OffsetCommitRequest(
            group_id=self._group_id,
            generation_id_or_member_epoch=-1 if self._epoch is None else self._epoch,
            member_id="" if self._epoch is None else self._member_id,
            group_instance_id=self._config["group.instance.id"],
            topics=tuple(
                m.OffsetCommitRequestTopic(name=t, topic_id=self._id(t), partitions=tuple(ps))
                for t, ps in topics.items()
            ),
        )
        self._log.journal.append(
            "commit",
            self._log.who,
            group=self._group_id,
            offsets={str(tp): o.offset for tp, o in offsets.items()},
        )

        message = yield from self._send(request)
        places = (p for topic in message.topics for p in topic.partitions)
        # Java ends with the first partition that was refused
        refused = next((p.error_code for p in places if p.error_code), None)
        if refused is not None:
            known = error_for(refused)
            self._coordinator.lost_if(known)
            raise self._refused(known, request)
        for tp, offset in offsets.items():
            self._log("ASYNC_OFFSET_COMMITTED", offset=offset.offset, partition=tp)
        self.on_commit(offsets)

    def _refused(self, known: Errors, request: m.OffsetCommitRequest) -> BaseException:
        """The exception that the application receives for a refused commit
        (OffsetCommitRequestState.onResponse)."""
        if known is Errors.UNKNOWN_MEMBER_ID:
            self._log("ASYNC_OFFSET_COMMIT_REFUSED", error=known.name)
            return CommitFailedException(
                f"OffsetCommit failed with unknown member ID. {known.message}"
            )
        if known is Errors.STALE_MEMBER_EPOCH:
            epoch = request.generation_id_or_member_epoch
            self._log(
                "ASYNC_OFFSET_COMMIT_STALE",
                member_id=self._member_id,
                epoch="undefined" if epoch < 0 else epoch,
            )
            return known.exception()
        return (
            known.exception()
            if known in PASSED_ON
            else KafkaException(f"Unexpected error in commit: {known.message}")
        )

    def _in_turn(
        self,
        ask: Callable[[], Story],
        deadline_ms: int | None,
        passing: tuple[type[BaseException], ...] = (RetriableException,),
    ) -> Story:
        """Ask as soon as the coordinator is known; with a deadline again until then where the error
        may pass."""
        turn = self._turn()
        while True:
            yield turn
            try:
                return (yield from ask())
            except passing:
                now_ms = self._clock.now_ms
                if deadline_ms is None:
                    raise
                if now_ms >= deadline_ms:
                    raise TimeoutException(
                        "Timeout expired before the request could be completed"
                    ) from None
                turn = self._turn(now_ms + self._retry_backoff_ms)

    def _send(self, request: Any) -> Story:
        """Send a request to the coordinator; returns the message of its answer."""
        try:
            return (yield self._client.send(self._coordinator.node, request)).message
        except KafkaException as error:
            self._coordinator.lost_if(error)
            raise

    def _id(self, topic: str) -> str:
        return self._metadata.topic_ids.get(topic, ZERO_UUID)
