"""PositionValidation: checks that a position's records are still in the leader's log
(internals.OffsetsForLeaderEpochClient, KIP-320).

A position that knows the epoch of the record before it can be checked: OFFSET_FOR_LEADER_EPOCH asks
the leader where that epoch ended. An end before the position means that the log was cut off in
between (an unclean election): the records behind the end are lost, and the consumer goes back to
the end, whatever auto.offset.reset is, unless it is none. When a leader does not know the epoch,
auto.offset.reset decides. A committed offset is checked before the first fetch, any other when the
leader has changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import Story, begin
from kafkalab.clients.consumer.reading.subscription_state import (
    FetchPosition,
    FetchState,
)
from kafkalab.clients.network.hash_order import leaders_in_hash_order, partitions_in_hash_order
from kafkalab.clients.network.node import Node
from kafkalab.errors import (
    Errors,
    IllegalArgumentException,
    KafkaException,
    LogTruncationException,
    error_for,
)
from kafkalab.lines import payload
from kafkalab.lines.java_values import list_text, offset_text, offsets_text, optional_text
from kafkalab.protocol import messages as m
from kafkalab.records import OffsetAndMetadata, TopicPartition

UNDEFINED = -1
"""The epoch or the offset in the answer of a leader that does
not know the epoch it was asked for."""

Asked = Mapping[TopicPartition, FetchPosition]


class PositionValidation(ConsumerPart[ConsumerNetwork]):
    """Asks leaders about positions that must be validated; no call waits for an answer here.

    tells_requests  whether a line is written before each request is sent, as the new consumer does
    """

    def __init__(self, shared: Shared[ConsumerNetwork], tells_requests: bool = False) -> None:
        super().__init__(shared)
        self._tells_requests = tells_requests
        self._seen_version = self._metadata.update_version
        self._truncation: Exception | None = None

    def validate_if_needed(self) -> None:
        """Checks whether leaders have changed, then asks those that can be asked
        (validatePositionsIfNeeded).

        Raises LogTruncationException, once, for lost records when auto.offset.reset is none.
        """
        if self._truncation is not None:
            error, self._truncation = self._truncation, None
            raise error
        if not self._profile.fetching.validates_positions:
            return
        if self._metadata.update_version != self._seen_version:
            self._seen_version = self._metadata.update_version
            view = self._metadata.view
            for tp in self._subscriptions.partitions:
                if (leader := view.leader(tp)) is not None:
                    self._subscriptions.follow_leader(tp, leader, view.partitions[tp].epoch)
        if not self._subscriptions.has_all_positions():
            waiting = self._subscriptions.needing_validation(self._client.clock.now_ms)
            if waiting:
                self._ask_leaders(waiting)

    def _ask_leaders(self, waiting: list[TopicPartition]) -> None:
        positions = {tp: self._subscriptions.partitions[tp].valid_position for tp in waiting}
        leaders = [
            position.leader for position in positions.values() if position.leader is not None
        ]
        for leader in leaders_in_hash_order(leaders, self._profile.printing.node_knows_fencing):
            own = {tp: position for tp, position in positions.items() if position.leader is leader}
            if leader.connection not in self._client.client.api_versions.known:
                self._client.try_connect(leader)  # its API versions are not known yet
                continue
            retry_ms = self._client.clock.now_ms + self._config["request.timeout.ms"]
            for tp in own:
                self._subscriptions.partitions[tp].next_retry_ms = retry_ms
            everywhere = self._profile.fetching.validates_all_at_each_leader
            begin(self._ask(leader, positions if everywhere else own))

    def _ask(self, leader: Node, asked: Asked) -> Story:
        """OFFSET_FOR_LEADER_EPOCH and its answer."""
        topics: dict[str, list[m.OffsetForLeaderPartition]] = {}
        for tp, position in asked.items():
            topics.setdefault(tp.topic, []).append(
                m.OffsetForLeaderPartition(
                    partition=tp.partition,
                    current_leader_epoch=_epoch_number(position.leader_epoch),
                    leader_epoch=_epoch_number(position.offset_epoch),
                )
            )
        request = m.OffsetForLeaderEpochRequest(
            topics=tuple(
                m.OffsetForLeaderTopic(topic=t, partitions=tuple(ps)) for t, ps in topics.items()
            )
        )
        if self._tells_requests:
            version = self._profile.latest_version(
                "OFFSET_FOR_LEADER_EPOCH",
                self._client.client.api_versions.known.get(leader.connection),
            )
            self._log(
                "ASYNC_LEADER_EPOCH_CREATING",
                request=payload.object_text(request, version, self._profile.name),
                node=leader,
            )
        try:
            sent = yield self._client.send(leader, request)
        except KafkaException:
            self._try_later(list(asked))
            return
        response = sent.message
        self._log(
            "LEADER_EPOCH_RECEIVED",
            node=leader,
            response=payload.object_text(
                response, sent.request.header.api_version, self._profile.name
            ),
        )
        failed, ends = [], {}
        for topic in response.topics:
            for answer in topic.partitions:
                tp = TopicPartition(topic.topic, answer.partition)
                error = error_for(answer.error_code)
                if error is not Errors.NONE:
                    self._log(
                        "OFFSETS_FAILED_RETRYING",
                        partition=tp,
                        error=self._profile.connecting.known(error).name,
                    )
                    failed.append(tp)
                    continue
                self._log(
                    "LEADER_EPOCH_HANDLING",
                    partition=tp,
                    offset=answer.end_offset,
                    epoch=answer.leader_epoch,
                )
                ends[tp] = answer
        if failed:
            self._try_later(failed)
        lost = [
            tp for tp in partitions_in_hash_order(ends) if not self._take(tp, asked[tp], ends[tp])
        ]
        if lost and self._truncation is None:
            self._truncation = self._exception({tp: (asked[tp], ends[tp]) for tp in lost})

    def _take(self, tp: TopicPartition, position: FetchPosition, end: m.EpochEndOffset) -> bool:
        """An answer counts only for the position in its request; False where the application must
        decide (maybeCompleteValidation)."""
        state = self._subscriptions.partitions.get(tp)
        if (
            state is None
            or state.state is not FetchState.AWAIT_VALIDATION
            or state.position != position
        ):
            return True
        unknown = (
            UNDEFINED in (end.end_offset, end.leader_epoch)
            and self._profile.fetching.resets_unknown_ends
        )
        if not unknown and end.end_offset >= position.offset:
            self._subscriptions.complete_validation(tp)
            return True
        before = position.text(self._profile.fetching.position_style)
        if self._subscriptions.default_reset == "none":
            if unknown:
                self._log("TRUNCATION_END_UNKNOWN_WITHOUT_POLICY", partition=tp, position=before)
            else:
                self._log(
                    "TRUNCATION_WITHOUT_POLICY",
                    partition=tp,
                    position=before,
                    end=self._end_text(end),
                )
            return False
        if unknown:
            self._log("TRUNCATION_END_UNKNOWN", partition=tp, position=before)
            self._subscriptions.request_reset(tp)
            return True
        new = FetchPosition(
            end.end_offset, end.leader_epoch, position.leader, position.leader_epoch
        )
        self._log(
            "TRUNCATION_DETECTED",
            partition=tp,
            position=before,
            new_position=new.text(self._profile.fetching.position_style),
        )
        self._subscriptions.seek(tp, new)
        return True

    def _end_text(self, end: m.EpochEndOffset) -> str:
        if self._profile.fetching.prints_epoch_end_object:
            return (
                f"EpochEndOffset{{error=NONE, leaderEpoch={end.leader_epoch}, "
                f"endOffset={end.end_offset}}}"
            )
        return offset_text(OffsetAndMetadata(end.end_offset, end.leader_epoch))

    def _exception(
        self, lost: Mapping[TopicPartition, tuple[FetchPosition, m.EpochEndOffset]]
    ) -> Exception:
        """The exception without a reset policy: LogTruncationException, or where the leader does
        not know the epoch, and this version takes its -1 for an offset, IllegalArgumentException.
        """
        try:
            ends = {
                tp: OffsetAndMetadata(end.end_offset, end.leader_epoch)
                for tp, (_, end) in lost.items()
                if end.end_offset != UNDEFINED or not self._profile.fetching.resets_unknown_ends
            }
        except IllegalArgumentException as negative:
            return negative
        return LogTruncationException(
            self._profile.fetching.truncation_text.format(
                truncations=list_text(
                    _truncation_text(tp, position, ends.get(tp))
                    for tp, (position, _) in lost.items()
                ),
                divergent=offsets_text(ends),
                offsets=f"{{{', '.join(f'{tp}={end.offset}' for tp, end in ends.items())}}}",
            )
        )

    def _try_later(self, partitions: list[TopicPartition]) -> None:
        retry_ms = self._client.clock.now_ms + self._config["retry.backoff.ms"]
        for tp in partitions:
            state = self._subscriptions.partitions.get(tp)
            if state is not None:
                state.next_retry_ms = retry_ms
        self._metadata.request_update()


def _epoch_number(epoch: int | None) -> int:
    """An epoch as messages carry it: -1 for none (RecordBatch.NO_PARTITION_LEADER_EPOCH)."""
    return -1 if epoch is None else epoch


def _truncation_text(
    tp: TopicPartition, position: FetchPosition, end: OffsetAndMetadata | None
) -> str:
    """SubscriptionState.LogTruncation as Java prints it."""
    if end is None:
        found = "divergentOffset=unknown, divergentEpoch=unknown"
    else:
        end_epoch = optional_text(_epoch_number(end.leader_epoch))
        found = f"divergentOffset={end.offset}, divergentEpoch={end_epoch}"
    return (
        f"(partition={tp}, fetchOffset={position.offset}, "
        f"fetchEpoch={optional_text(_epoch_number(position.offset_epoch))}, {found})"
    )
