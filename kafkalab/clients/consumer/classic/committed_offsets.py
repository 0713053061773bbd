"""CommittedOffsets: fetches and commits a group's offsets (ConsumerCoordinator:
OffsetFetchResponseHandler, OffsetCommitResponseHandler).

A committed offset is the next record that the group will read in a partition. The coordinator
stores it; OFFSET_FETCH asks for it, OFFSET_COMMIT moves it. Only a member of the current generation
may move it. `auto_commit` commits on a timer. Left out: offsets inside transactions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.clients.consumer.classic.coordinator_lookup import CoordinatorLookup
from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.consumer.classic.membership import (
    NO_GENERATION,
    ClassicMemberState,
    Generation,
)
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback, Offsets, set_committed
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, task
from kafkalab.errors import (
    COMMIT_DURING_REBALANCE,
    COMMIT_FAILED_REBALANCED,
    COMMIT_OF_FENCED,
    COMMIT_OF_OLD_GENERATION,
    COMMIT_WHILE_JOINING,
    COORDINATOR_LOST,
    RETRIABLE_COMMIT,
    CommitFailedException,
    Errors,
    FencedInstanceIdException,
    KafkaException,
    RebalanceInProgressException,
    RetriableCommitFailedException,
    RetriableException,
    error_for,
)
from kafkalab.lines.java_values import list_text, offsets_text
from kafkalab.protocol import messages as m
from kafkalab.records import OffsetAndMetadata, TopicPartition, by_topic

EXPELLED = (
    Errors.UNKNOWN_MEMBER_ID,
    Errors.ILLEGAL_GENERATION,
    Errors.FENCED_INSTANCE_ID,
    Errors.REBALANCE_IN_PROGRESS,
)
"""Answers that mean: this consumer is not that member any more, or the group is in another
generation."""


class CommittedOffsets(GroupPart):
    """Asks for committed offsets and commits them, with or without waiting.

    on_commit              called with every commit the coordinator has accepted
    pending_async_commits  commits without waiting that still wait for the coordinator to be found
    """

    def __init__(self, shared: GroupShared, lookup: CoordinatorLookup) -> None:
        super().__init__(shared)
        self.pending_async_commits = 0
        self.on_commit: Callable[[Offsets], object] = lambda offsets: None
        self._lookup = lookup
        self._fetch_under_way: RequestFuture | None = None
        self._ended_commits: list[Callable[[], object]] = []
        self._fenced: BaseException | None = None

    # fetching

    def fetch(
        self, partitions: list[TopicPartition], timer: CallTimer
    ) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The committed offset of each partition, None where there is none; None as a whole when
        the timer ended first.

        Raises the coordinator's lasting errors.
        """
        while self._lookup.ensure_ready(timer):
            # a request already under way is waited for, not repeated
            # (PendingCommittedOffsetRequest)
            if self._fetch_under_way is None:
                self._fetch_under_way = task(self._ask(partitions))
            future = self._fetch_under_way
            self._client.poll_until(future, timer)
            if not future.is_done:
                return None
            if future.succeeded:
                found: dict[TopicPartition, OffsetAndMetadata | None] = future.value
                return found
            if not future.is_retriable:
                raise future.failure
            self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
            if timer.expired:
                return None
        return None

    def set_positions(self, timer: CallTimer) -> bool:
        """Partitions just assigned go on at their committed offsets; False when the timer ended
        before they were known.

        Partitions without one stay as they are: the reset policy decides
        (initWithCommittedOffsetsIfNeeded).
        """
        initializing = self._subscriptions.initializing()
        if not initializing:
            return True
        found = self.fetch(initializing, timer)
        if found is None:
            return False
        set_committed(found, self._subscriptions, self._metadata, self._profile, self._log)
        return True

    def _ask(self, partitions: list[TopicPartition]) -> Story:
        """OFFSET_FETCH; returns what `fetch` does."""
        self._log("FETCHING_COMMITTED_OFFSETS", partitions=list_text(partitions))
        topics = tuple(
            m.OffsetFetchRequestTopics(name=topic, partition_indexes=numbers)
            for topic, numbers in by_topic(partitions).items()
        )
        request = m.OffsetFetchRequest(
            groups=(m.OffsetFetchRequestGroup(group_id=self._membership.group_id, topics=topics),),
            require_stable=self._profile.group.requires_stable_offsets,
        )
        node = self._lookup.node
        assert node is not None, "offsets are asked of a known coordinator"
        try:
            sent = yield self._client.send(node, request)
        finally:
            self._fetch_under_way = None
        group = sent.message.group(self._membership.group_id)
        error = error_for(group.error_code)
        if error is not Errors.NONE:
            self._lookup.mark_lost_if(error)
            raise error.exception()
        found = {
            TopicPartition(topic.name, p.partition_index): _committed(p)
            for topic in group.topics
            for p in topic.partitions
        }
        for tp in partitions:
            if found.get(tp) is None:
                self._log("NO_COMMITTED_OFFSET", partition=tp)
        return found

    # committing

    def commit_sync(self, offsets: Offsets, timer: CallTimer) -> bool:
        """Commits and waits. Retriable errors are tried again until the timer ends, which returns
        False.

        Raises CommitFailedException when this consumer is no longer a member.
        """
        self.run_callbacks()
        if not offsets:
            return True
        while self._lookup.ensure_ready(timer):
            future = task(self._commit(offsets))
            self._client.poll_until(future, timer)
            self.run_callbacks()
            if future.succeeded:
                return True
            if future.failed and not future.is_retriable:
                raise future.failure
            if timer.expired:
                return False
            self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
        return False

    def commit_async(
        self, offsets: Offsets, callback: CommitCallback | None = None
    ) -> RequestFuture:
        """Commits without waiting, once: a late retry could overwrite a newer commit. `callback`
        runs in a later poll."""
        return task(self._commit_async(offsets, callback))

    def run_callbacks(self) -> None:
        """Calls the callbacks of ended commits, in that order; on the application's thread, as Java
        promises.

        Raises FencedInstanceIdException when one of them was refused because another member has
        this one's group.instance.id.
        """
        if self._fenced is not None:
            error, self._fenced = self._fenced, None
            raise error
        while self._ended_commits:
            self._ended_commits.pop(0)()

    def _commit_async(self, offsets: Offsets, callback: CommitCallback | None) -> Story:
        """Commits once, as soon as the coordinator is known."""
        failed: KafkaException | None = None
        try:
            if offsets:
                if self._lookup.unknown:
                    yield from self._find_coordinator()
                yield from self._commit(offsets)
        except KafkaException as error:
            failed = error
        if callback is not None:
            self._ended_commits.append(lambda: callback(offsets, _as_told(failed)))
        if isinstance(failed, FencedInstanceIdException):
            self._fenced = failed
        if failed is not None:
            raise failed

    def _find_coordinator(self) -> Story:
        self.pending_async_commits += 1
        try:
            yield self._lookup.find()
        finally:
            self.pending_async_commits -= 1
        if self._lookup.node is None:
            raise RetriableException("coordinator unknown")

    def _commit(self, offsets: Offsets) -> Story:
        """OFFSET_COMMIT of the current generation."""
        group_id = self._membership.group_id
        generation = self._membership.generation
        node = self._lookup.node
        if not self._subscriptions.auto_assigned:
            generation = NO_GENERATION
        elif self._membership.state is not ClassicMemberState.STABLE:
            self._log("COMMIT_NOT_A_MEMBER")
            if self._membership.is_rebalancing and self._profile.group.tells_commits_of_rebalances:
                raise RebalanceInProgressException(COMMIT_WHILE_JOINING)
            raise CommitFailedException(self._profile.group.commit_failed_text)
        assert node is not None, "offsets are committed at a known coordinator"
        self._log("SENDING_OFFSET_COMMIT", offsets=offsets_text(offsets), node=node)
        topics: dict[str, list[m.OffsetCommitRequestPartition]] = {}
        for tp, committed in offsets.items():
            epoch = -1 if committed.leader_epoch is None else committed.leader_epoch
            topics.setdefault(tp.topic, []).append(
                m.OffsetCommitRequestPartition(
                    partition_index=tp.partition,
                    committed_offset=committed.offset,
                    committed_leader_epoch=epoch,
                    committed_metadata=committed.metadata,
                )
            )
        request = m.OffsetCommitRequest(
            group_id=group_id,
            generation_id_or_member_epoch=generation.id,
            member_id=generation.member_id,
            group_instance_id=self._membership.instance_id,
            topics=tuple(
                m.OffsetCommitRequestTopic(name=t, partitions=tuple(ps)) for t, ps in topics.items()
            ),
        )
        self._log.journal.append(
            "commit",
            self._log.who,
            group=group_id,
            offsets={str(tp): o.offset for tp, o in offsets.items()},
        )
        sent = yield self._client.send(node, request)
        for topic in sent.message.topics:
            for p in topic.partitions:
                tp = TopicPartition(topic.name, p.partition_index)
                offset, error = offsets[tp].offset, error_for(p.error_code)
                if error is Errors.NONE:
                    self._log("COMMITTED_OFFSET", offset=offset, partition=tp)
                    continue
                # only an error that a later commit can overcome is no more than a warning
                passes = isinstance(error.exception(), RetriableException)
                self._log(
                    "COMMIT_FAILED_ON_PARTITION" if passes else "COMMIT_REFUSED_ON_PARTITION",
                    partition=tp,
                    offset=offset,
                    error=error.message,
                )
                raise self._refusal(error, generation)
        self.on_commit(offsets)

    def _refusal(self, error: Errors, sent_by: Generation) -> BaseException:
        """Handles the effect of a refused commit on the membership, and returns the exception to
        raise (OffsetCommitResponseHandler)."""
        membership = self._membership
        fenced = error is Errors.FENCED_INSTANCE_ID
        if fenced:
            self._log(
                "COMMIT_OF_INSTANCE_FENCED",
                generation=sent_by,
                instance=f"Optional[{membership.instance_id}]",
            )
        if error in EXPELLED and not self._profile.group.tells_commits_of_rebalances:
            if fenced:
                return error.exception()
            membership.expelled()
            return CommitFailedException(COMMIT_FAILED_REBALANCED)
        if error is Errors.REBALANCE_IN_PROGRESS:
            membership.request_rejoin("offset commit failed since group is already rebalancing")
            return RebalanceInProgressException(COMMIT_DURING_REBALANCE)
        if error in EXPELLED:
            unchanged = sent_by in (membership.generation, NO_GENERATION)
            if not fenced:
                self._log("COMMIT_REFUSED", generation=sent_by, error=error.message)
            if not unchanged and membership.state is ClassicMemberState.PREPARING_REBALANCE:
                return RebalanceInProgressException(
                    COMMIT_OF_FENCED if fenced else COMMIT_OF_OLD_GENERATION
                )
            if not fenced:
                membership.refused("OFFSET_COMMIT", error)
            elif unchanged:
                return error.exception()
            return CommitFailedException(COMMIT_FAILED_REBALANCED)
        if error in (*COORDINATOR_LOST, Errors.REQUEST_TIMED_OUT):
            self._lookup.mark_unknown(f"error response {error.name}", disconnected=False)
        return commit_exception(error)


KNOWN_TO_COMMITS = frozenset(
    {
        Errors.GROUP_AUTHORIZATION_FAILED,
        Errors.TOPIC_AUTHORIZATION_FAILED,
        Errors.OFFSET_METADATA_TOO_LARGE,
        Errors.INVALID_COMMIT_OFFSET_SIZE,
        Errors.COORDINATOR_LOAD_IN_PROGRESS,
        Errors.UNKNOWN_TOPIC_OR_PARTITION,
        Errors.COORDINATOR_NOT_AVAILABLE,
        Errors.NOT_COORDINATOR,
        Errors.REQUEST_TIMED_OUT,
        Errors.FENCED_INSTANCE_ID,
        Errors.UNKNOWN_TOPIC_ID,
    }
)
"""Errors of an OFFSET_COMMIT answer that keep their own exception
(OffsetCommitResponseHandler, CommitRequestManager)."""


def commit_exception(error: Errors) -> KafkaException:
    """The exception for a refused commit, where membership is not in question."""
    return (
        error.exception()
        if error in KNOWN_TO_COMMITS
        else KafkaException(f"Unexpected error in commit: {error.message}")
    )


def _as_told(error: KafkaException | None) -> BaseException | None:
    """The error that a callback receives: a retriable one is wrapped, so that the application can
    tell it from a lasting one."""
    if not isinstance(error, RetriableException):
        return error
    wrapped = RetriableCommitFailedException(RETRIABLE_COMMIT)
    wrapped.__cause__ = error
    return wrapped


def _committed(answer: Any) -> OffsetAndMetadata | None:
    """One partition of an OFFSET_FETCH answer; a negative offset means that nothing was
    committed."""
    if answer.committed_offset < 0:
        return None
    epoch = answer.committed_leader_epoch
    return OffsetAndMetadata(
        answer.committed_offset, epoch if epoch >= 0 else None, answer.metadata or ""
    )
