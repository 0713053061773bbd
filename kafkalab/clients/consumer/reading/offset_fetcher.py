"""OffsetFetcher: looks up where partitions begin or end now (internals.OffsetFetcher; inside
Fetcher up to 2.8).

LIST_OFFSETS asks for partitions that have neither a position nor a committed offset, one request
per leader. The order of the leaders, and so of the sockets opened for them, is that of Java's hash
maps; see `kafkalab.hashing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.parts import ConsumerPart
from kafkalab.clients.consumer.reading.request_future import Story, begin, task
from kafkalab.clients.consumer.reading.subscription_state import (
    FetchPosition,
    FetchState,
)
from kafkalab.clients.network.hash_order import leaders_in_hash_order, partitions_in_hash_order
from kafkalab.clients.network.node import Node
from kafkalab.config.durations import duration_ms
from kafkalab.errors import (
    Errors,
    KafkaException,
    NoOffsetForPartitionException,
    TimeoutException,
    error_for,
)
from kafkalab.lines import payload
from kafkalab.protocol import messages as m
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.clients.consumer.reading.call_timer import CallTimer

LATEST, EARLIEST = -1, -2
TIMESTAMP_OF = {"latest": LATEST, "earliest": EARLIEST}


class OffsetFetcher(ConsumerPart[ConsumerNetwork]):
    """Looks up offsets for one consumer."""

    def reset_missing(self) -> None:
        """Partitions without a position and without a committed offset wait for a reset, or end
        the poll when the policy is none."""
        missing = self._subscriptions.initializing()
        if missing and self._subscriptions.default_reset == "none":
            raise NoOffsetForPartitionException(
                "Undefined offset with no reset policy for partitions: "
                f"[{', '.join(map(str, missing))}]"
            )
        for tp in missing:
            self._subscriptions.request_reset(tp)

    def reset_positions(self) -> None:
        """Asks the leaders, without waiting (resetPositionsIfNeeded)."""
        now_ms = self._client.clock.now_ms
        waiting = self._subscriptions.needing_reset(now_ms)
        if not waiting:
            return
        for leader, timestamps in self._by_leader(waiting).items():
            for tp in timestamps:
                self._subscriptions.partitions[tp].next_retry_ms = (
                    now_ms + self._config["request.timeout.ms"]
                )
            begin(self._reset_all(leader, timestamps))

    def _by_leader(self, partitions: list[TopicPartition]) -> dict[Node, dict[TopicPartition, int]]:
        view = self._client.client.metadata.view
        found: dict[Node, dict[TopicPartition, int]] = {}
        led = []
        for tp in partitions_in_hash_order(partitions):
            leader = view.leader(tp)
            if leader is None:
                timestamp = self._reset_timestamp(tp)
                self._log("LEADER_UNKNOWN_FOR_OFFSET", partition=tp, timestamp=timestamp)
                self._client.client.metadata.request_update()
            elif self._client.is_unavailable(leader):
                self._log("LEADER_UNAVAILABLE_FOR_OFFSET", node=leader, partition=tp)
            else:
                led.append((tp, leader))
        for leader in leaders_in_hash_order(
            (leader for _, leader in led), self._profile.printing.node_knows_fencing
        ):
            found[leader] = {tp: self._reset_timestamp(tp) for tp, other in led if other is leader}
        return found

    def _reset_timestamp(self, tp: TopicPartition) -> int:
        strategy = self._subscriptions.partitions[tp].reset_strategy
        assert strategy is not None, "a partition in AWAIT_RESET has a reset strategy"
        if strategy in TIMESTAMP_OF:
            return TIMESTAMP_OF[strategy]
        ago_ms = duration_ms(strategy.removeprefix("by_duration:"))
        assert ago_ms is not None, "the configuration has checked it"
        return self._epoch_ms + self._client.clock.now_ms - ago_ms

    def _reset_all(self, leader: Node, asked: dict[TopicPartition, int]) -> Story:
        try:
            found, failed = (yield from self._ask(leader, asked)), False
        except KafkaException:
            found, failed = {}, True
        retry_ms = self._client.clock.now_ms + self._config["retry.backoff.ms"]
        for tp in asked:
            state = self._subscriptions.partitions.get(tp)
            if state is None or state.state is not FetchState.AWAIT_RESET:
                continue
            if tp not in found:
                state.next_retry_ms = retry_ms
            elif found[tp].offset >= 0:
                self._reset(tp, found[tp])
            # by_duration and no record is so young: Java leaves the partition without a position,
            # and asks again, for a later moment, after request.timeout.ms (recorded, 4.4.0)
        if failed:
            self._client.client.metadata.request_update()

    def _ask(self, leader: Node, timestamps: dict[TopicPartition, int]) -> Story:
        topics: dict[str, list[m.ListOffsetsPartition]] = {}
        for tp, timestamp in timestamps.items():
            view = self._client.client.metadata.view.partitions[tp]
            epoch = (
                view.epoch
                if self._profile.fetching.list_offsets_with_epoch and view.epoch is not None
                else -1
            )
            asked = m.ListOffsetsPartition(
                partition_index=tp.partition, current_leader_epoch=epoch, timestamp=timestamp
            )
            topics.setdefault(tp.topic, []).append(asked)
        request = m.ListOffsetsRequest(
            isolation_level=1 if self._config["isolation.level"] == "read_committed" else 0,
            topics=tuple(
                m.ListOffsetsTopic(name=t, partitions=tuple(ps)) for t, ps in topics.items()
            ),
            timeout_ms=self._config["request.timeout.ms"],
        )
        version = self._profile.latest_version(
            "LIST_OFFSETS", self._client.client.api_versions.known.get(leader.connection)
        )
        self._log(
            "SENDING_LIST_OFFSETS",
            request=payload.object_text(request, version, self._profile.name),
            node=leader,
        )
        sent = yield self._client.send(leader, request)
        message = sent.message
        text = payload.object_text(message, sent.request.header.api_version, self._profile.name)
        self._log("LIST_OFFSETS_RESPONSE", response=text, node=leader)
        found = {}
        for topic in message.topics:
            for p in topic.partitions:
                tp = TopicPartition(topic.name, p.partition_index)
                if p.error_code == Errors.NONE.code:
                    self._log(
                        "LIST_OFFSETS_HANDLED", partition=tp, offset=p.offset, timestamp=p.timestamp
                    )
                    found[tp] = p
                else:
                    self._log(
                        "LIST_OFFSETS_PARTITION_ERROR",
                        partition=tp,
                        error=self._profile.connecting.known(error_for(p.error_code)).name,
                    )
                    self._client.client.metadata.request_update()
        return found

    def _reset(self, tp: TopicPartition, answer: m.ListOffsetsPartitionResponse) -> None:
        metadata = self._client.client.metadata
        metadata.note_leader_epoch(tp, answer.leader_epoch)
        view = metadata.view.partitions.get(tp)
        position = FetchPosition(
            answer.offset, None, metadata.view.leader(tp), view.epoch if view else None
        )
        self._log(
            "RESETTING_OFFSET",
            partition=tp,
            offset=answer.offset,
            position=position.text(self._profile.fetching.position_style),
        )
        self._subscriptions.seek(tp, position)

    def found_by_time(
        self, timestamps: Mapping[TopicPartition, int], timeout_ms: int
    ) -> dict[TopicPartition, m.ListOffsetsPartitionResponse]:
        """beginning_offsets, end_offsets, offsets_for_times: asks and waits. Raises
        TimeoutException when the leaders do not answer in time."""
        timer, metadata = self._client.timer(timeout_ms), self._client.client.metadata
        metadata.want_for_now(tp.topic for tp in timestamps)
        try:
            return self._found_until(timer, timestamps, timeout_ms)
        finally:
            metadata.want_for_now(())

    def _found_until(
        self, timer: CallTimer, timestamps: Mapping[TopicPartition, int], timeout_ms: int
    ) -> dict[TopicPartition, m.ListOffsetsPartitionResponse]:
        result: dict[TopicPartition, m.ListOffsetsPartitionResponse] = {}
        while len(result) < len(timestamps):
            view = self._client.client.metadata.view
            missing = [tp for tp in timestamps if tp not in result]
            if any(view.leader(tp) is None for tp in missing):
                self._client.await_metadata_update(timer)
            else:
                by_leader: dict[Node, dict[TopicPartition, int]] = {}
                for tp in missing:
                    leader = view.leader(tp)
                    assert leader is not None, "partitions without a leader wait for METADATA"
                    by_leader.setdefault(leader, {})[tp] = timestamps[tp]
                for future in [
                    task(self._ask(leader, asked)) for leader, asked in by_leader.items()
                ]:
                    self._client.poll_until(future, timer)
                    if future.succeeded:
                        result.update(future.value)
            if timer.expired and len(result) < len(timestamps):
                raise TimeoutException(f"Failed to get offsets by times in {timeout_ms}ms")
        return result
