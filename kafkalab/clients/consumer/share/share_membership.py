"""The share member's part of the membership: its heartbeats and its state
(internals.ShareMembershipManager, ShareHeartbeatRequestManager).

A share member goes through the states of a KIP-848 member. It owns its partitions with others, so
it reconciles at once, without a commit and without the application.
"""

from __future__ import annotations

from typing import Any

from kafkalab.clients.consumer.modern.heartbeat_request_manager import HeartbeatRequestManager
from kafkalab.clients.consumer.modern.membership_manager import (
    ConsumerMembershipManager,
    MemberState,
)
from kafkalab.protocol.messages import ShareGroupHeartbeatRequest
from kafkalab.sim.apps import FOREVER_MS


class ShareMembershipManager(ConsumerMembershipManager):
    """The membership of a share consumer."""

    assigns_in_poll = False
    commits_first = False


class ShareHeartbeatRequestManager(HeartbeatRequestManager):
    """The heartbeats of a share consumer."""

    unsupported = (
        "The cluster does not support the share group protocol. To use share groups, the cluster "
        "must have the share group protocol enabled."
    )

    def max_wait_ms(self, now_ms: int) -> int:
        membership = self._membership
        if membership.state in (MemberState.UNSUBSCRIBED, MemberState.FATAL):
            return FOREVER_MS
        left_ms = self.poll_deadline_ms - now_ms
        if left_ms > 0 and (self._coordinator.node is None or membership.skips_heartbeat):
            return int(self._config["retry.backoff.ms"])
        return super().max_wait_ms(now_ms)

    def _request(self) -> Any:
        membership, everything = self._membership, self._membership.state is MemberState.JOINING
        if everything:
            self._sent.clear()
        topics = tuple(sorted(membership.subscribed_topics()))
        changed = self._changed("topics", topics)
        return ShareGroupHeartbeatRequest(
            group_id=membership.group_id,
            member_id=membership.member_id,
            member_epoch=membership.epoch,
            rack_id=(self._config["client.rack"] or None) if everything else None,
            subscribed_topic_names=topics if changed else None,
        )
