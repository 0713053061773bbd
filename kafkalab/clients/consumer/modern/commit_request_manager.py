"""CommitRequestManager: fetches and commits offsets for a member of the new protocol
(internals.CommitRequestManager).

Commits and look-ups wait here until the coordinator is known, and carry the member's id and epoch:
the coordinator refuses those of an earlier epoch. The auto commit runs in the background, but only
when the application has polled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.clients.consumer.modern.coordinator_request_manager import CoordinatorRequestManager
from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import Offsets
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.consumer.reading.subscription_state import FetchPosition, SubscriptionState
from kafkalab.clients.network.log_context import LogContext
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
from kafkalab.records import OffsetAndMetadata, TopicPartition
from kafkalab.sim.apps import FOREVER_MS

if TYPE_CHECKING:
    from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback
    from kafkalab.releases import Profile

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


class CommitRequestManager:
    """The manager of one consumer. on_commit is called with the committed offsets."""

    def __init__(
        self,
        group_id: str,
        member_id: str,
        config: Mapping[str, Any],
        profile: Profile,
        coordinator: CoordinatorRequestManager,
        network: NetworkClientDelegate,
        subscriptions: SubscriptionState,
        log: LogContext,
    ) -> None:
        self._group_id, self._member_id = group_id, member_id
        self._epoch: int | None = None
        self._config = config
        self._profile = profile
        self._coordinator = coordinator
        self._network = network
        self._subscriptions, self._log = subscriptions, log
        self._enabled = config["enable.auto.commit"]
        self._interval_ms = config["auto.commit.interval.ms"]
        self._polled_ms = network.clock.now_ms
        self._due_ms = self._polled_ms + self._interval_ms
        self._auto_under_way = False
        self.on_commit: Callable[[Offsets], None] = lambda offsets: None
        self._waiting: list[tuple[int, Callable[[], None]]] = []
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
        ready = [send for at_ms, send in self._waiting if at_ms <= now_ms]
        self._waiting = [(at_ms, send) for at_ms, send in self._waiting if at_ms > now_ms]
        for send in ready:
            send()
        return min((at_ms - now_ms for at_ms, _ in self._waiting), default=FOREVER_MS)

    # auto commit

    def commit_if_due(self, now_ms: int) -> None:
        """The application polls at this time: commits the positions of records it has processed,
        when a commit is due (updateTimerAndMaybeCommit)."""
        self._polled_ms = now_ms
        if not self._enabled or now_ms < self._due_ms or self._auto_under_way:
            return
        self._auto_under_way = True
        self.restart()
        offsets = self._subscriptions.all_consumed()

        def ended(done: RequestFuture) -> None:
            self._auto_under_way = False
            if done.failed:
                if isinstance(done.error, RetriableException):
                    self._due_ms = min(
                        self._due_ms, self._network.clock.now_ms + self._config["retry.backoff.ms"]
                    )
                return
            self._log("ASYNC_AUTO_COMMIT_ASYNC_COMPLETED", offsets="null" if offsets else "{}")
            if offsets:
                self._log("ASYNC_AUTO_COMMIT_COMPLETED", offsets=offsets_text(offsets))

        self._committing(offsets).on_done(ended)

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
            offsets, self._network.clock.now_ms + self._config["max.poll.interval.ms"]
        )
        if offsets:
            # Java's own listener was added later than the reconciliation's, so it runs after it.
            self._after(
                future,
                lambda: self._log("ASYNC_AUTO_COMMIT_COMPLETED", offsets=offsets_text(offsets)),
            )
        return future

    def _after(self, future: RequestFuture, say: Callable[[], None]) -> None:
        future.on_done(lambda done: None if done.failed else self._waiting.append((0, say)))

    # the interface of CommittedOffsets in the classic protocol

    def fetch(
        self, partitions: list[TopicPartition], timer: CallTimer
    ) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The committed offsets; None when the timer ended first. Raises the coordinator's lasting
        errors."""
        future = self.look_up(tuple(partitions), timer.deadline_ms)
        self._network.client.selector.wakeup()
        if not self._network.poll_until(future, timer):
            return None
        if future.failed:
            raise future.failure
        found: dict[TopicPartition, OffsetAndMetadata | None] = future.value
        return found

    def commit_sync(self, offsets: Offsets, timer: CallTimer) -> bool:
        """Commits and waits; False when the timer ended first."""
        future = self._committing(offsets, timer.deadline_ms)
        self._network.client.selector.wakeup()
        if not self._network.poll_until(future, timer):
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

        def ended(done: RequestFuture) -> None:
            error = done.error
            if isinstance(error, RetriableException):
                error = RetriableCommitFailedException(
                    "Offset commit failed with a retriable exception. You should retry committing "
                    "the latest consumed offsets."
                )
            if callback is not None:
                told = callback

                def tell() -> None:
                    told(offsets, error)

                later(tell)

        self._committing(offsets).on_done(ended)
        self._network.client.selector.wakeup()

    def set_positions(self, initializing: list[TopicPartition], deadline_ms: int) -> RequestFuture:
        """Partitions just assigned go on at the group's offsets; those without a commit stay as
        they are."""
        future = RequestFuture()
        self._log("ASYNC_REFRESHING_COMMITTED", partitions=list_text(initializing))

        def found(done: RequestFuture) -> None:
            if done.failed:
                future.fail(done.failure)
                return
            metadata = self._network.client.metadata
            view = metadata.view
            for tp, committed in done.value.items():
                if committed is None or tp not in self._subscriptions.partitions:
                    continue
                known, leader = view.partitions.get(tp), view.leader(tp)
                position = FetchPosition(
                    committed.offset, committed.leader_epoch, leader, known.epoch if known else None
                )
                metadata.note_leader_epoch(tp, committed.leader_epoch)
                self._log(
                    "SETTING_COMMITTED_OFFSET",
                    partition=tp,
                    position=position.text(self._profile.fetching.position_style),
                    offset=committed.offset,
                    leader=leader,
                )
                self._subscriptions.seek_unvalidated(tp, position)
            future.complete()

        self.look_up(tuple(initializing), deadline_ms).on_done(found)
        return future

    # requests

    def look_up(self, partitions: tuple[TopicPartition, ...], deadline_ms: int) -> RequestFuture:
        """OFFSET_FETCH. A request for the same partitions that is under way already is waited
        for."""
        if self._looking_up is not None and self._looking_up[0] == partitions:
            return self._looking_up[1]
        self._log("ASYNC_OFFSET_FETCH_ENQUEUED", partitions=list_text(partitions))
        future = RequestFuture()
        self._looking_up = (partitions, future)
        future.on_done(lambda _: self._forget_look_up(future))
        self._waiting.append((0, lambda: self._send_look_up(partitions, deadline_ms, future)))
        return future

    def _forget_look_up(self, future: RequestFuture) -> None:
        if self._looking_up is not None and self._looking_up[1] is future:
            self._looking_up = None

    def _send_look_up(
        self, partitions: tuple[TopicPartition, ...], deadline_ms: int, future: RequestFuture
    ) -> None:
        numbers: dict[str, list[int]] = {}
        for tp in partitions:
            numbers.setdefault(tp.topic, []).append(tp.partition)
        topics = tuple(
            m.OffsetFetchRequestTopics(
                name=topic, topic_id=self._id(topic), partition_indexes=tuple(found)
            )
            for topic, found in numbers.items()
        )
        group = m.OffsetFetchRequestGroup(
            group_id=self._group_id,
            member_id=None if self._epoch is None else self._member_id,
            member_epoch=-1 if self._epoch is None else self._epoch,
            topics=topics,
        )

        def answered(sent: RequestFuture) -> None:
            error = sent.error
            if error is None:
                answer = sent.value.message.groups[0]
                failed = (
                    [
                        p.error_code
                        for topic in answer.topics
                        for p in topic.partitions
                        if p.error_code
                    ]
                    if not answer.error_code
                    else [answer.error_code]
                )
                if not failed:
                    future.complete(self._committed_of(partitions, answer))
                    return
                known = error_for(failed[0])
                self._coordinator.lost_if(known)
                error = known.exception()
            else:
                self._coordinator.lost_if(error)
            self._again_or_fail(
                error,
                deadline_ms,
                future,
                lambda: self._send_look_up(partitions, deadline_ms, future),
                when_stale=True,
            )

        self._network.send(
            self._coordinator.node, m.OffsetFetchRequest(groups=(group,), require_stable=True)
        ).on_done(answered)

    def _committed_of(
        self, partitions: tuple[TopicPartition, ...], answer: Any
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        names = self._network.client.metadata.topic_names
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
        future = RequestFuture()
        if not offsets:
            future.complete()
            return future
        self._log("ASYNC_OFFSET_COMMIT_ENQUEUED", offsets=offsets_text(offsets))
        self._waiting.append((0, lambda: self._send_commit(offsets, deadline_ms, future)))
        return future

    def _send_commit(
        self, offsets: Offsets, deadline_ms: int | None, future: RequestFuture
    ) -> None:
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

        def answered(sent: RequestFuture) -> None:
            error = sent.error
            if error is None:
                places = (p for topic in sent.value.message.topics for p in topic.partitions)
                # Java ends with the first partition that was refused
                refused = next((p.error_code for p in places if p.error_code), None)
                if refused is None:
                    for tp, offset in offsets.items():
                        self._log("ASYNC_OFFSET_COMMITTED", offset=offset.offset, partition=tp)
                    self.on_commit(offsets)
                    future.complete()
                    return
                known = error_for(refused)
                self._coordinator.lost_if(known)
                error = self._refused(known, request)
            else:
                self._coordinator.lost_if(error)
            self._again_or_fail(
                error, deadline_ms, future, lambda: self._send_commit(offsets, deadline_ms, future)
            )

        self._network.send(self._coordinator.node, request).on_done(answered)

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

    def _again_or_fail(
        self,
        error: BaseException,
        deadline_ms: int | None,
        future: RequestFuture,
        again: Callable[[], None],
        when_stale: bool = False,
    ) -> None:
        """Try a request again until its deadline, if its error can pass. when_stale: the error
        STALE_MEMBER_EPOCH passes, too, while the member has an epoch."""
        now_ms = self._network.clock.now_ms
        stale = isinstance(error, StaleMemberEpochException) and self._epoch is not None
        passes = isinstance(error, RetriableException) or (when_stale and stale)
        if deadline_ms is None or not passes:
            future.fail(error)
        elif now_ms >= deadline_ms:
            future.fail(TimeoutException("Timeout expired before the request could be completed"))
        else:
            self._waiting.append((now_ms + self._config["retry.backoff.ms"], again))

    def _id(self, topic: str) -> str:
        return self._network.client.metadata.topic_ids.get(topic, ZERO_UUID)
