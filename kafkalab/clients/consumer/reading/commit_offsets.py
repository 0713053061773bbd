"""Names the types of a commit, and lets consumers of both protocols go on at committed offsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.reading.subscription_state import FetchPosition, SubscriptionState
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.metadata import Metadata
from kafkalab.records import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafkalab.releases import Profile

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
CommitCallback = Callable[[Offsets, BaseException | None], object]
"""callback(offsets, error); the error is None for a commit that the coordinator has accepted."""


def set_committed(
    found: Mapping[TopicPartition, OffsetAndMetadata | None],
    subscriptions: SubscriptionState,
    metadata: Metadata,
    profile: Profile,
    log: LogContext,
) -> None:
    """Let partitions go on at their committed offsets (ConsumerUtils.refreshCommittedOffsets).
    Partitions without one, or not assigned any more, stay as they are."""
    fetching, view = profile.fetching, metadata.view
    for tp, committed in found.items():
        if committed is None or tp not in subscriptions.partitions:
            continue
        known, leader = view.partitions.get(tp), view.leader(tp)
        position = FetchPosition(
            committed.offset, committed.leader_epoch, leader, known.epoch if known else None
        )
        if fetching.notes_epoch_before_setting:
            metadata.note_leader_epoch(tp, committed.leader_epoch)
        log(
            "SETTING_COMMITTED_OFFSET",
            partition=tp,
            position=position.text(fetching.position_style),
            offset=committed.offset,
            leader=leader,
        )
        if not fetching.notes_epoch_before_setting:
            metadata.note_leader_epoch(tp, committed.leader_epoch)
        if fetching.validates_positions:
            subscriptions.seek_unvalidated(tp, position)
        else:
            subscriptions.seek(tp, position)
