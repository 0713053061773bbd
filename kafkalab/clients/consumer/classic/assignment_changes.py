"""Changes a member's assignment at a rebalance (ConsumerCoordinator.onJoinPrepare, onJoinComplete,
onLeavePrepare).

There are two protocols (KIP-429). EAGER: every member gives up everything, then the leader assigns
again; no member reads in between. COOPERATIVE: a member keeps its partitions and names them to the
leader. The assignment may leave some out; the member then gives these up and joins again, so that
their new owner can have them. It goes on reading the partitions that stay.

Before partitions are given up, positions are committed (with auto commit). A member that learns
late that the group went on without it has lost its partitions: others own them, and it is too late
to commit.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from kafkalab.clients.consumer.assignors import LearnersAssignor, PartitionAssignor
from kafkalab.clients.consumer.classic.auto_commit import AutoCommit
from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.consumer.classic.membership import Generation
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.rebalance_callbacks import RebalanceCallbacks
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.errors import KafkaException
from kafkalab.lines.java_values import list_text
from kafkalab.records import TopicPartition


class RebalanceProtocol(enum.Enum):
    """The protocols of a classic rebalance (ConsumerPartitionAssignor.RebalanceProtocol)."""

    EAGER = "EAGER"
    """Everything is given up before a join."""
    COOPERATIVE = "COOPERATIVE"
    """A member gives up only what the new assignment leaves out, after the join (KIP-429)."""


def protocol_of(assignors: tuple[str, ...]) -> RebalanceProtocol:
    """The protocol of a consumer: COOPERATIVE only if each of its assignors can. The default list
    of 3.0 is eager, because range is."""
    cooperative = all(name == "cooperative-sticky" for name in assignors)
    return RebalanceProtocol.COOPERATIVE if cooperative else RebalanceProtocol.EAGER


class AssignmentChanges(GroupPart):
    """The steps of one consumer; `protocol` says how much it gives up."""

    def __init__(
        self,
        shared: GroupShared,
        auto_commit: AutoCommit,
        assignors: Mapping[str, PartitionAssignor | LearnersAssignor],
    ) -> None:
        super().__init__(shared)
        self.protocol = protocol_of(self._config.assignors)
        self._auto_commit = auto_commit
        self._assignors = assignors
        self._callbacks = RebalanceCallbacks(self._profile, self._subscriptions, self._log)
        self._commit: RequestFuture | None = None
        self._ends_ms: int | None = None

    # before a join

    def before_join(self, timer: CallTimer) -> bool:
        """Commits and gives up partitions. False: not complete yet, the next poll goes on. Raises
        KafkaException when the listener failed."""
        before = self._membership.generation
        self._log("ON_JOIN_PREPARE", generation=before.id, member_id=before.member_id)
        if self._auto_commit.enabled:
            if not self._profile.group.prepares_with_async_commit:
                self._auto_commit.commit_sync(
                    self._client.timer(self._config["max.poll.interval.ms"])
                )
            elif not self._await_commit(timer):
                return False
        error = self._give_up(before)
        self._ends_ms = None
        _raise_from_listener(error)
        return True

    def _give_up(self, generation: Generation) -> BaseException | None:
        owned = self._callbacks.in_order(self._subscriptions.assigned())
        if self._profile.group.tells_owned_partitions and _is_nobody(generation):
            if not owned:
                return None
            self._log("GIVING_AWAY_AS_LOST")
            return self._after(self._callbacks.lost(owned), [])
        if self.protocol is RebalanceProtocol.COOPERATIVE:
            unwanted = [tp for tp in owned if tp.topic not in self._subscriptions.topics]
            if not unwanted:
                return None
            return self._after(
                self._callbacks.revoked(unwanted),
                [tp for tp in self._subscriptions.assigned() if tp not in unwanted],
            )
        error = self._callbacks.revoked(
            self._subscriptions.assigned() if self._profile.group.revokes_even_nothing else owned
        )
        if self._profile.group.eager_unassigns_at_prepare:
            self._subscriptions.assign_from_subscribed([])
        return error

    def _after(
        self, error: BaseException | None, kept: list[TopicPartition]
    ) -> BaseException | None:
        self._subscriptions.assign_from_subscribed(kept)
        return error

    def _await_commit(self, timer: CallTimer) -> bool:
        """Waits for the commit before a rebalance, at most the rebalance timeout over several polls
        (KAFKA-13310).

        During that time an eager member reads nothing of its partitions, so that its positions stay
        the committed ones.
        """
        if self._ends_ms is None:
            self._ends_ms = self._clock.now_ms + self._config["max.poll.interval.ms"]
        if self._commit is None:
            if self.protocol is RebalanceProtocol.EAGER:
                self._log(
                    "PENDING_REVOCATION", partitions=list_text(self._subscriptions.assigned())
                )
                self._subscriptions.mark_pending_revocation()
            self._commit = self._auto_commit.commit_async()
        future = self._commit
        self._client.poll_until(future, timer)
        if future.is_done:
            self._commit = None
            if not (future.failed and future.is_retriable):
                return True
        if self._clock.now_ms >= self._ends_ms:
            return True
        self._client.sleep(min(timer.remaining_ms, self._config["retry.backoff.ms"]))
        return False

    # after a join

    def after_join(self, assigned: list[TopicPartition]) -> None:
        """Takes over the new assignment and calls the listener. Raises KafkaException when the
        listener failed."""
        generation = self._membership.generation
        owned = self._callbacks.in_order(self._subscriptions.assigned())
        self._log("ON_JOIN_COMPLETE", generation=generation.id, member_id=generation.member_id)
        if self._does_not_match(assigned):
            return
        error = None
        if self.protocol is RebalanceProtocol.COOPERATIVE:
            added, error = self._change_over(self._callbacks.in_order(assigned), owned)
        else:
            added = self._callbacks.in_order(assigned)
            self._subscriptions.assign_from_subscribed([])
        self._auto_commit.restart()
        self._subscriptions.assign_from_subscribed(partitions_in_hash_order(assigned))
        self._log("NOTIFYING_ASSIGNOR", partitions=list_text(assigned))
        assert generation.protocol is not None, "an assignment comes from a chosen assignor"
        self._assignors[generation.protocol].on_assignment(assigned, generation.id)
        self._log.journal.append(
            "assignment",
            self._log.who,
            group=self._membership.group_id,
            generation=generation.id,
            partitions=[str(tp) for tp in assigned],
        )
        failed = self._callbacks.assigned(added)
        _raise_from_listener(error or failed)

    def _change_over(
        self, assigned: list[TopicPartition], owned: list[TopicPartition]
    ) -> tuple[list[TopicPartition], BaseException | None]:
        """COOPERATIVE: gives up what the assignment leaves out, and joins again if that was
        anything."""
        added = [tp for tp in assigned if tp not in set(owned)]
        revoked = [tp for tp in owned if tp not in set(assigned)]
        self._log(
            "UPDATING_ASSIGNMENT",
            partitions=list_text(assigned),
            owned=list_text(owned),
            added=list_text(added),
            revoked=list_text(revoked),
        )
        if not revoked:
            return added, None
        error = self._callbacks.revoked(revoked)
        self._log("REVOKE_AND_REJOIN", partitions=list_text(revoked))
        reason = "need to revoke partitions and re-join"
        self._membership.request_rejoin(
            reason,
            f"need to revoke partitions {list_text(revoked)} as indicated by the current "
            "assignment and re-join",
        )
        return added, error

    def _does_not_match(self, assigned: list[TopicPartition]) -> bool:
        """Whether the assignment has topics that are not wanted any more: then nothing is taken
        over, and the next join names the topics wanted now."""
        if all(self._subscriptions.wants(tp.topic) for tp in assigned):
            return False
        self._membership.request_rejoin(
            "received assignment does not match the current subscription",
            f"received assignment {list_text(tp.topic for tp in assigned)} does not match the "
            f"current subscription {list_text(self._subscriptions.topics)}; it is likely that the "
            "subscription has changed since we joined the group, will re-join with current "
            "subscription",
        )
        return True

    # before leaving

    def before_leaving(self) -> None:
        """Gives up partitions in close() and unsubscribe() (2.4 and later). Raises KafkaException
        when the listener failed."""
        generation = self._membership.generation_as_member
        self._log("ON_LEAVE_PREPARE", generation=generation, member_id=generation.member_id)
        dropped = self._callbacks.in_order(self._subscriptions.assigned())
        if not self._subscriptions.auto_assigned or not dropped:
            return
        lost = _is_nobody(generation) or self._membership.is_rebalancing
        error = self._callbacks.lost(dropped) if lost else self._callbacks.revoked(dropped)
        self._subscriptions.assign_from_subscribed([])
        _raise_from_listener(error)


def _is_nobody(generation: Generation) -> bool:
    return generation.id < 0 or not generation.member_id


def _raise_from_listener(error: BaseException | None) -> None:
    if error is None:
        return
    if isinstance(error, KafkaException):
        raise error
    raise KafkaException("User rebalance callback throws an error") from error
