"""ConsumerMembershipManager: the state, the epoch and the assignment of a KIP-848 member
(internals.ConsumerMembershipManager, AbstractMembershipManager).

The broker sends a target in its answer to a heartbeat. The member reconciles it in three steps,
each of which may wait: it commits the positions of the partitions it gives up, the application
gives them up, the application takes over the new ones. Then the next heartbeat acknowledges. The
listener's methods and the change of the assignment run on the application's thread, in its next
poll.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, begin
from kafkalab.errors import KafkaException
from kafkalab.lines.java_values import list_text
from kafkalab.moves import moves_of
from kafkalab.protocol.consumer_group_messages import (
    JOINING_EPOCH,
    LEAVING_EPOCH,
    LEAVING_STATIC_EPOCH,
)
from kafkalab.protocol.messages import ConsumerGroupHeartbeatResponse
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.clients.consumer.reading.rebalance_callbacks import RebalanceCallbacks


class MemberState(enum.Enum):
    """The states of a KIP-848 member (internals.MemberState)."""

    UNSUBSCRIBED = "UNSUBSCRIBED"
    """The member has no subscription. Next: JOINING with the first poll after subscribe()."""
    JOINING = "JOINING"
    """A heartbeat with epoch 0 is due or under way. Next:
    RECONCILING with the answer's assignment, STABLE without one."""
    RECONCILING = "RECONCILING"
    """The member has a target it has not reached. Next: ACKNOWLEDGING when it has, or STABLE when
    the target is what it owns."""
    ACKNOWLEDGING = "ACKNOWLEDGING"
    """The member owns its target and must still acknowledge it. Next: STABLE when that heartbeat is
    made, RECONCILING under a newer target."""
    STABLE = "STABLE"
    """The member owns its target and only sends heartbeats. Next: RECONCILING with a new target,
    PREPARE_LEAVING."""
    FENCED = "FENCED"
    """The coordinator does not know the member any more, or not this epoch. Next: JOINING when the
    application has been called for its lost partitions."""
    PREPARE_LEAVING = "PREPARE_LEAVING"
    """The application wants to leave; its listener is called first. Next: LEAVING."""
    LEAVING = "LEAVING"
    """The heartbeat that leaves is due. Next: UNSUBSCRIBED when it is made, STALE when the member
    leaves because the application did not poll."""
    STALE = "STALE"
    """The member has left, since the application did not poll for max.poll.interval.ms. Next:
    JOINING with the next poll."""
    FATAL = "FATAL"
    """The coordinator refused the member finally. No state follows."""


MOVES = moves_of(
    MemberState,
    "UNSUBSCRIBED -> JOINING PREPARE_LEAVING FATAL",
    "JOINING -> RECONCILING STABLE FENCED PREPARE_LEAVING FATAL",
    "RECONCILING -> RECONCILING ACKNOWLEDGING STABLE FENCED PREPARE_LEAVING FATAL",
    "ACKNOWLEDGING -> RECONCILING STABLE FENCED PREPARE_LEAVING FATAL",
    "STABLE -> RECONCILING FENCED PREPARE_LEAVING FATAL",
    "FENCED -> UNSUBSCRIBED JOINING",
    "PREPARE_LEAVING -> UNSUBSCRIBED FENCED LEAVING FATAL",
    "LEAVING -> UNSUBSCRIBED FENCED STALE FATAL",
    "STALE -> JOINING",
    "FATAL ->",
)
"""MemberState.previousValidStates, the other way round."""


@dataclass(frozen=True, slots=True)
class LocalAssignment:
    """Partitions by topic id; `epoch` counts the targets this member received, -1 before the
    first."""

    epoch: int = -1
    partitions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = ", ".join(
            f"{topic}={list_text(numbers)}" for topic, numbers in self.partitions.items()
        )
        return f"LocalAssignment{{localEpoch={self.epoch}, partitions={{{shown}}}}}"


NONE = LocalAssignment()


class ConsumerMembershipManager(ConsumerPart[NetworkClientDelegate]):
    """One consumer's membership of its group.

    current        what it owns and has reconciled
    commit         commit() before partitions are revoked: returns a future that is done when the
                   positions are committed
    tell_epoch     tell_epoch(epoch) is called with each new epoch, None for no membership;
                   reconciled() is called when a target is reached
    to_application to_application(call) runs call() in the application's next poll, which raises the
    exception that it returns, if any
    assigns_in_poll  whether the application's thread changes the assignment; None: the release says
    commits_first    whether positions are committed before partitions are given up
    """

    assigns_in_poll: bool | None = None
    commits_first = True

    def __init__(
        self,
        shared: Shared[NetworkClientDelegate],
        group_id: str,
        member_id: str,
        commit: Callable[[], RequestFuture],
        tell_epoch: Callable[[int | None], None],
        reconciled: Callable[[], None],
        to_application: Callable[[Callable[[], BaseException | None]], object],
        callbacks: RebalanceCallbacks,
    ) -> None:
        super().__init__(shared)
        self.group_id = group_id
        self.member_id = member_id
        self.instance_id = self._config["group.instance.id"]
        self.state = MemberState.UNSUBSCRIBED
        self.epoch = JOINING_EPOCH
        self.current = NONE
        self._target = NONE
        self._commit = commit
        self._epoch_told = tell_epoch
        self._reconciled = reconciled
        self._to_application = to_application
        self._callbacks = callbacks
        if self.assigns_in_poll is None:
            self.assigns_in_poll = self._profile.group.assigns_in_poll
        self._subscription_updated = self._reconciling = self._rejoined = False
        self._left: RequestFuture | None = None
        self._stale = False
        self._done: list[RequestFuture] = []

    # called by the heartbeats

    @property
    def skips_heartbeat(self) -> bool:
        return self.state in (
            MemberState.UNSUBSCRIBED,
            MemberState.FATAL,
            MemberState.STALE,
            MemberState.FENCED,
        )

    @property
    def heartbeats_now(self) -> bool:
        return self.state in (MemberState.ACKNOWLEDGING, MemberState.LEAVING, MemberState.JOINING)

    @property
    def is_leaving(self) -> bool:
        return self.state in (MemberState.PREPARE_LEAVING, MemberState.LEAVING)

    def subscribed_topics(self) -> tuple[str, ...]:
        return () if self.state is MemberState.LEAVING else self._subscriptions.topics

    def heartbeat_generated(self) -> None:
        """The request is made: its content is the acknowledged state from now on."""
        if self.state is MemberState.ACKNOWLEDGING:
            self.transition_to(MemberState.STABLE if self._reached() else MemberState.RECONCILING)
        elif self.state is MemberState.LEAVING:
            if self._stale:
                self._log("MEMBER_STALE_HEARTBEAT", member_id=self.member_id, epoch=self.epoch)
                self.transition_to(MemberState.STALE)
                begin(self._release())
            else:
                self._log("MEMBER_LEAVE_HEARTBEAT", member_id=self.member_id, epoch=self.epoch)
                self.transition_to(MemberState.UNSUBSCRIBED)

    def heartbeat_skipped(self) -> None:
        """Ends the membership without a request where there is no coordinator to leave."""
        if self.state is MemberState.LEAVING:
            self.transition_to(MemberState.UNSUBSCRIBED)
            self._complete_leaving()

    def heartbeat_answered(self, response: ConsumerGroupHeartbeatResponse) -> None:
        if response.member_epoch < 0:
            if self._left is not None:
                self._log("MEMBER_LEFT", member_id=self.member_id, epoch=self.epoch)
                self._complete_leaving()
            return
        if self.is_leaving or self.state in (
            MemberState.UNSUBSCRIBED,
            MemberState.FENCED,
            MemberState.STALE,
            MemberState.FATAL,
        ):
            return
        if response.member_epoch != self.epoch:
            self.epoch = response.member_epoch
            self._tell_epoch(self.epoch)
        if response.assignment is not None:
            self._take_target(
                {
                    topic.topic_id: tuple(sorted(topic.partitions))
                    for topic in response.assignment.topic_partitions
                }
            )
        elif self.state is MemberState.JOINING:
            self.transition_to(MemberState.STABLE)

    def heartbeat_failed(self, retriable: bool) -> None:
        if self.state is MemberState.UNSUBSCRIBED and self._left is not None:
            self._complete_leaving()

    def fenced(self) -> None:
        """The member is unknown, or its epoch is over: all partitions are lost, and it joins again
        once the listener was called."""
        if self.state is MemberState.UNSUBSCRIBED or self.state is MemberState.STALE:
            self._complete_leaving()
            return
        if self.state is MemberState.PREPARE_LEAVING or self.state is MemberState.LEAVING:
            self.transition_to(
                MemberState.UNSUBSCRIBED
                if self.state is MemberState.LEAVING
                else MemberState.LEAVING
            )
            self._complete_leaving()
            return
        self.transition_to(MemberState.FENCED)
        self._leave_epoch()
        begin(self._join_again())

    def fail(self) -> None:
        if self.state is not MemberState.FATAL:
            before = self.state
            if MemberState.FATAL in MOVES[before]:
                self.transition_to(MemberState.FATAL)
                self._log("MEMBER_FATAL", member_id=self.member_id, epoch=self.epoch)
            self._tell_epoch(None)
            self._complete_leaving()

    # called by the application's events

    def subscription_updated(self) -> None:
        self._subscription_updated = True

    def application_is_back(self) -> None:
        if self.state is MemberState.STALE and not self._rejoined:
            self._rejoined = True
            self._log("MEMBER_STALE_REJOINS", member_id=self.member_id)
            self._join()

    def on_poll(self) -> None:
        """A poll of the application: the member joins when there is a subscription."""
        if self._subscription_updated and self.state is MemberState.UNSUBSCRIBED:
            self._subscription_updated = False
            self._join()

    def leave(self) -> RequestFuture:
        """Gives everything up and leaves the group; done when the coordinator has answered, or when
        there is none."""
        if self.state in (
            MemberState.UNSUBSCRIBED,
            MemberState.FATAL,
            MemberState.STALE,
            MemberState.FENCED,
        ):
            return RequestFuture.completed_with(None)
        if self._left is not None:
            return self._left
        self._left = RequestFuture()
        self._stale = False
        self.transition_to(MemberState.PREPARE_LEAVING)
        self._log("MEMBER_LEAVES_WITHOUT_CALLBACKS", member_id=self.member_id)
        self._begin_leaving()
        return self._left

    def leave_stale(self) -> None:
        """The application has not polled for max.poll.interval.ms: the member leaves."""
        self._stale, self._rejoined = True, False
        self.transition_to(MemberState.PREPARE_LEAVING)
        self._begin_leaving()

    # reconciling

    def reconcile(self, may_commit: bool) -> None:
        """Brings the owned partitions to the target, one attempt at a time (maybeReconcile).

        may_commit: the application has just polled, so its positions cover only records it has
        processed
        """
        if self._reached():
            self._log("MEMBER_RECONCILIATION_NOT_NEEDED")
            return
        if self._reconciling:
            self._log("MEMBER_RECONCILIATION_IN_PROGRESS", assignment=self._target)
            return
        names = self._metadata.topic_names
        unknown = [topic_id for topic_id in self._target.partitions if topic_id not in names]
        if unknown:
            self._metadata.request_update()
            return
        if self.commits_first and self._config["enable.auto.commit"] and not may_commit:
            return
        self._reconciling = True
        target = self._target
        assigned = sorted(
            TopicPartition(names[t], n) for t, numbers in target.partitions.items() for n in numbers
        )
        owned = sorted(self._subscriptions.assigned())
        added = [tp for tp in assigned if tp not in owned]
        revoked = [tp for tp in owned if tp not in assigned]
        self._log(
            "MEMBER_RECONCILING",
            epoch=target.epoch,
            member_id=self.member_id,
            partitions=list_text(assigned),
            owned=list_text(owned),
            added=list_text(added),
            revoked=list_text(revoked),
        )
        self._pause_for_revocation(revoked)
        begin(self._reconcile(target, assigned, added, revoked))

    def _pause_for_revocation(self, revoked: list[TopicPartition]) -> None:
        self._log("MEMBER_REVOCATION_PENDING", partitions=list_text(revoked))
        for tp in revoked:
            if tp in self._subscriptions.partitions:
                self._subscriptions.partitions[tp].pending_revocation = True

    def _reconcile(
        self,
        target: LocalAssignment,
        assigned: list[TopicPartition],
        added: list[TopicPartition],
        revoked: list[TopicPartition],
    ) -> Story:
        """The three steps of an attempt; it ends where the member changes its state in between."""
        with suppress(KafkaException):
            yield self._commit()
            self._log("MEMBER_COMMIT_BEFORE_RECONCILING")
        if self._given_up():
            return
        if revoked:
            self._log("MEMBER_PARTITIONS_REVOKED", partitions=self._callbacks.text(revoked))
            self._pause_for_revocation(revoked)
            if self._subscriptions.listener is not None:
                yield self._in_application(lambda: self._callbacks.revoked(revoked))
                if self._given_up():
                    return

        def take() -> BaseException | None:
            self._subscriptions.assign_from_subscribed(assigned)
            if self._subscriptions.listener is None:
                return None
            return self._callbacks.assigned(added)

        if self.assigns_in_poll or self._subscriptions.listener is not None:
            taken = self._in_application(take)
            self._log("MEMBER_ASSIGNMENT_ENQUEUED")
            yield taken
            if self._given_up():
                return
        else:
            self._subscriptions.assign_from_subscribed(assigned)
        self._reconciling = False
        self.current = target
        self._reconciled()
        self.transition_to(MemberState.ACKNOWLEDGING)

    def _in_application(self, call: Callable[[], BaseException | None]) -> RequestFuture:
        """Runs call() in the application's next poll; the future is done in the next pass of the
        background thread after it."""
        done = RequestFuture()

        def run() -> BaseException | None:
            error = call()
            self._done.append(done)
            self._client.client.selector.wakeup()
            return error

        self._to_application(run)
        return done

    def _given_up(self) -> bool:
        """Whether the member changed its state while an attempt waited: the attempt then ends
        without effect (maybeAbortReconciliation)."""
        if self.state is not MemberState.RECONCILING:
            self._reconciling = False
            return True
        return False

    def _reached(self) -> bool:
        return self.current == self._target

    def _take_target(self, partitions: dict[str, tuple[int, ...]]) -> None:
        if self._target.epoch >= 0 and self._target.partitions == partitions:
            if self.state is MemberState.JOINING:
                self.transition_to(MemberState.RECONCILING)
            return
        before, self._target = self._target, LocalAssignment(self._target.epoch + 1, partitions)
        self._log(
            "MEMBER_TARGET_UPDATED",
            member_id=self.member_id,
            assignment_from=before,
            assignment_to=self._target,
        )
        if not self._reached():
            self.transition_to(MemberState.RECONCILING)

    # joining and leaving

    def _join(self) -> None:
        self.epoch = JOINING_EPOCH
        self._tell_epoch(None)
        self._target = self.current = NONE
        self.transition_to(MemberState.JOINING)
        self._log("MEMBER_JOINS_ON_POLL", member_id=self.member_id)

    def _begin_leaving(self) -> None:
        self._leave_epoch()
        self.transition_to(MemberState.LEAVING)

    def _leave_epoch(self) -> None:
        self.epoch = LEAVING_EPOCH if self.instance_id is None else LEAVING_STATIC_EPOCH
        self._target = self.current = NONE
        self._reconciling = False
        self._log("MEMBER_NO_EPOCH_IN_COMMITS", member_id=self.member_id)
        self._tell_epoch(None)

    def _join_again(self) -> Story:
        yield from self._lose_everything()
        if self.state is MemberState.FENCED:
            self._join()

    def _release(self) -> Story:
        yield from self._lose_everything()
        self._log("MEMBER_STALE_RELEASED", member_id=self.member_id, state=self.state.name)

    def _lose_everything(self) -> Story:
        """The partitions have other owners already. A listener is called in the application's next
        poll; without one the member does not wait."""
        self._log(
            "MEMBER_REVOCATION_PENDING",
            partitions=list_text(sorted(self._subscriptions.assigned())),
        )

        def lose() -> BaseException | None:
            lost = sorted(self._subscriptions.assigned())
            self._subscriptions.assign_from_subscribed(())
            if not lost or self._subscriptions.listener is None:
                return None
            return self._callbacks.lost(lost)

        if self._subscriptions.listener is None:
            self._subscriptions.assign_from_subscribed(())
        else:
            yield self._in_application(lose)

    def _complete_leaving(self) -> None:
        if self._left is not None:
            left, self._left = self._left, None
            left.complete()

    def run_done(self) -> None:
        """Continues on the background thread after the application's part."""
        done, self._done = self._done, []
        for future in done:
            future.complete()

    def _tell_epoch(self, epoch: int | None) -> None:
        self._log.journal.append(
            "member.epoch", self._log.who, group=self.group_id, member=self.member_id, epoch=epoch
        )
        self._epoch_told(epoch)

    def transition_to(self, after: MemberState) -> None:
        MOVES.step(self.state, after, "member", self.member_id)
        self._log(
            "MEMBER_STATE",
            member_id=self.member_id,
            epoch=self.epoch,
            state_from=self.state.value,
            state_to=after.value,
        )
        self._log.note_state(f"member of {self.group_id}", self.state, after)
        self.state = after
