"""Does the log at the leader still hold what this position was made from? (internals.OffsetsForLeaderEpochClient, KIP-320)

A position that knows the epoch of the record before it can be checked: OFFSET_FOR_LEADER_EPOCH asks the leader where that epoch
ended. An end before the position means that the log was cut off meanwhile (an unclean election): what lies behind the end is gone,
and the consumer goes back to it. A committed offset is checked before the first fetch, any other when the leader has changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.clients.consumer.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.request_future import RequestFuture
from kafkalab.clients.consumer.subscription_state import FetchPosition, FetchState, SubscriptionState
from kafkalab.clients.hash_order import leaders_in_hash_order
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.node import Node
from kafkalab.errors import Errors, LogTruncationException, error_for
from kafkalab.lines import payload
from kafkalab.protocol.messages import OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic
from kafkalab.records import OffsetAndMetadata, TopicPartition

Asked = Mapping[TopicPartition, FetchPosition]


class PositionValidation:
    """Asks leaders about positions that wait for it; nothing waits for an answer here.

    tells_requests  whether each question is written down before it is sent, as the new consumer does
    """

    def __init__(self, client: ConsumerNetwork, subscriptions: SubscriptionState, config: Mapping, profile, log: LogContext,
                 tells_requests: bool = False) -> None:
        self._client, self._subscriptions, self._config, self._profile, self._log = client, subscriptions, config, profile, log
        self._metadata, self._tells_requests = client.client.metadata, tells_requests
        self._seen_version = self._metadata.update_version
        self._truncation: LogTruncationException | None = None

    def validate_if_needed(self) -> None:
        """Look whether leaders have changed, then ask those that can be asked (validatePositionsIfNeeded).

        Raises LogTruncationException, once, for what was found lost when auto.offset.reset is none.
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
        positions = {tp: self._subscriptions.partitions[tp].position for tp in waiting}
        leaders = [position.leader for position in positions.values() if position.leader is not None]
        for leader in leaders_in_hash_order(leaders, self._profile.printing.node_knows_fencing):
            own = {tp: position for tp, position in positions.items() if position.leader is leader}
            if leader.connection not in self._client.client.api_versions.known:
                self._client.try_connect(leader)  # what it understands is not known yet
                continue
            retry_ms = self._client.clock.now_ms + self._config["request.timeout.ms"]
            for tp in own:
                self._subscriptions.partitions[tp].next_retry_ms = retry_ms
            self._ask(leader, positions if self._profile.fetching.validates_all_at_each_leader else own)

    def _ask(self, leader: Node, asked: Asked) -> None:
        topics: dict[str, list[OffsetForLeaderPartition]] = {}
        for tp, position in asked.items():
            topics.setdefault(tp.topic, []).append(OffsetForLeaderPartition(
                partition=tp.partition, current_leader_epoch=position.leader_epoch, leader_epoch=position.offset_epoch))
        request = OffsetForLeaderEpochRequest(topics=tuple(OffsetForLeaderTopic(topic=t, partitions=tuple(ps)) for t, ps in topics.items()))
        if self._tells_requests:
            version = self._profile.latest_version("OFFSET_FOR_LEADER_EPOCH", self._client.client.api_versions.known.get(leader.connection))
            self._log("ASYNC_LEADER_EPOCH_CREATING", request=payload.object_text(request, version, self._profile.name), node=leader)
        self._client.send(leader, request).on_done(lambda sent: self._answered(leader, asked, sent))

    def _answered(self, leader: Node, asked: Asked, sent: RequestFuture) -> None:
        if sent.failed:
            self._try_later(list(asked))
            return
        response = sent.value.message
        self._log("LEADER_EPOCH_RECEIVED", node=leader,
                  response=payload.object_text(response, sent.value.request.header.api_version, self._profile.name))
        failed = []
        for topic in response.topics:
            for answer in topic.partitions:
                tp, error = TopicPartition(topic.topic, answer.partition), error_for(answer.error_code)
                if error is not Errors.NONE:
                    self._log("OFFSETS_FAILED_RETRYING", partition=tp, error=self._profile.connecting.known(error).name)
                    failed.append(tp)
                    continue
                self._log("LEADER_EPOCH_HANDLING", partition=tp, offset=answer.end_offset, epoch=answer.leader_epoch)
                self._take(tp, asked[tp], answer.end_offset)
        if failed:
            self._try_later(failed)

    def _take(self, tp: TopicPartition, position: FetchPosition, end_offset: int) -> None:
        """An answer counts only for the position it was asked for (maybeCompleteValidation)."""
        state = self._subscriptions.partitions.get(tp)
        if state is None or state.state is not FetchState.AWAIT_VALIDATION or state.position != position:
            return
        if end_offset < 0 or end_offset >= position.offset:
            self._subscriptions.complete_validation(tp)
        elif self._subscriptions.default_reset == "none":
            lost = OffsetAndMetadata(end_offset)
            self._truncation = LogTruncationException(f"Detected log truncation with diverging offsets {{{tp}={lost}}}")
        else:
            self._log("TRUNCATION_DETECTED", partition=tp, offset=position.offset, end_offset=end_offset)
            self._subscriptions.seek(tp, FetchPosition(end_offset, None, position.leader, position.leader_epoch))

    def _try_later(self, partitions: list[TopicPartition]) -> None:
        retry_ms = self._client.clock.now_ms + self._config["retry.backoff.ms"]
        for tp in partitions:
            state = self._subscriptions.partitions.get(tp)
            if state is not None:
                state.next_retry_ms = retry_ms
        self._metadata.request_update()
