"""KafkaConsumer: the consumer that an application uses
(org.apache.kafka.clients.consumer.KafkaConsumer).

It has blocking calls with Java's names in snake_case. Creating one, subscribing and assigning open
no connection; poll() does. This file checks arguments, journals calls and refuses other threads; a
delegate for the group protocol does the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kafkalab.clients.consumer.classic.classic_kafka_consumer import ClassicKafkaConsumer
from kafkalab.clients.consumer.classic.heartbeat_responses import (
    Choice,
    javas_choice,
    learners_choice,
)
from kafkalab.clients.consumer.consumer_delegate import ConsumerDelegate
from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback
from kafkalab.clients.consumer.reading.consumer_interceptors import ConsumerInterceptors
from kafkalab.clients.consumer.reading.consumer_metrics import ConsumerMetrics
from kafkalab.clients.consumer.reading.consumer_setup import ConsumerSetup
from kafkalab.clients.consumer.reading.offset_fetcher import EARLIEST, LATEST
from kafkalab.clients.consumer.reading.subscription_state import (
    FetchPosition,
    PartitionState,
)
from kafkalab.clients.consumer.reading.topic_metadata_fetcher import TopicMetadataFetcher
from kafkalab.clients.consumer.thread_guard import GuardedCall, OneThread
from kafkalab.clients.network import arguments
from kafkalab.clients.network.client_lab import ClientLab
from kafkalab.clients.network.metrics import MetricValues
from kafkalab.config import ConsumerConfig
from kafkalab.errors import (
    IllegalArgumentException,
    IllegalStateException,
    InvalidGroupIdException,
    SerializationException,
    TimeoutException,
    UnsupportedVersionException,
)
from kafkalab.lines.java_values import offsets_text
from kafkalab.records import (
    ConsumerGroupMetadata,
    ConsumerRecords,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    TopicPartition,
)
from kafkalab.sim.apps import Signal

UNREADABLE_TAKES_MS = 1
"""How long a poll() takes that finds a record that it cannot read."""


class KafkaConsumer:
    """A consumer of `lab`'s cluster.

    config   dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version  the client version to be ("2.3"); the lab's when left out
    name     the client's name in the journal; client.id when left out
             (with a number while an open client of its kind has that name)
    on_heartbeat  a learner's own rule, function(name of the error) -> action, in place of Java's;
                  see heartbeat_responses
    """

    def __init__(
        self,
        lab: ClientLab,
        config: Mapping[str, Any] | None = None,
        *,
        version: str | None = None,
        name: str | None = None,
        on_heartbeat: Choice | None = None,
    ) -> None:
        arguments.lab("KafkaConsumer", lab)
        arguments.config_mapping("KafkaConsumer", config)
        self._lab = lab
        choice = javas_choice if on_heartbeat is None else learners_choice(on_heartbeat)
        self.profile = profile = lab.profile(version)
        given = {"bootstrap.servers": lab.first_address, **(config or {})}
        self.config = ConsumerConfig.for_version(profile.name, given)
        group = self.config["group.id"]
        number = lab.next_number("consumer", name)
        pattern = (
            profile.group.client_id_without_group
            if group is None
            else profile.group.client_id_with_group
        )
        self.client_id: str = self.config["client.id"] or pattern.format(n=number, group=group)
        self.name = lab.client_name("consumer", name, self.client_id)
        self._interceptors = ConsumerInterceptors(self.config["interceptor.classes"])
        self._thread = OneThread(lab.stage, profile.fetching.names_both_threads)
        self.is_closed = False
        classic = self.config.get("group.protocol", "classic").lower() == "classic"
        event = lab.call(self.name, "new KafkaConsumer", given)
        setup = ConsumerSetup(
            lab, "consumer", self.name, self.client_id, profile, self.config, self._interceptors
        )
        self._metrics = ConsumerMetrics(setup, joins=classic)
        with lab.journal.because(event):
            self._delegate = delegate = _delegate_of(setup, classic, choice)
        self._log = delegate.log
        self._subscriptions = delegate.subscriptions
        self._client = delegate.client
        self._network = delegate.network
        self._topics = TopicMetadataFetcher(self._network, self.config["retry.backoff.ms"])
        lab.add_client("consumer", self.name, lambda: self.is_closed)

    # subscription

    def subscribe(self, topics: Iterable[str] | re.Pattern[str], listener: Any = None) -> None:
        """Subscribes to topics, by name or by a compiled pattern that names must match in full; the
        group decides on partitions in a later poll. A pattern is matched again with each METADATA
        answer, so topics that are created later are read as well.

        `listener` has on_partitions_assigned, on_partitions_revoked and, optionally,
        on_partitions_lost (from 2.4 on, KIP-429). A subscription to no topics is `unsubscribe()`.
        Raises IllegalArgumentException for an empty name, IllegalStateException where the consumer
        is subscribed in another way.
        """
        arguments.topic_list(topics)
        self._need_group()
        if isinstance(topics, re.Pattern):
            self._subscribe_to_pattern(topics, listener)
            return
        topics = tuple(topics)
        if not topics:
            self.unsubscribe()
            return
        if not all(isinstance(topic, str) and topic.strip() for topic in topics):
            raise IllegalArgumentException(
                "Topic collection to subscribe to cannot contain null or empty topic"
            )
        with self._calling("subscribe", topics=list(topics)):
            self._log("SUBSCRIBED", topics=", ".join(topics))
            self._subscriptions.check_kind(by_group=True)
            new = set(topics) - set(self._subscriptions.topics)
            self._subscriptions.subscribe(topics, listener)
            if new:
                self._client.metadata.request_update_for_new_topics()
        self._delegate.subscription_changed()

    def _subscribe_to_pattern(self, pattern: re.Pattern[str], listener: Any) -> None:
        if not pattern.pattern:
            raise IllegalArgumentException("Topic pattern to subscribe to cannot be empty")
        with self._calling("subscribe", pattern=pattern.pattern):
            self._log("SUBSCRIBED_TO_PATTERN", pattern=pattern.pattern)
            self._subscriptions.check_kind(by_group=True)
            self._subscriptions.subscribe_to_pattern(pattern, listener)
            self._client.metadata.retains = self._subscriptions.retains
            self._client.metadata.request_update_for_new_topics()
        self._delegate.subscription_changed()

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read exactly these partitions, without a group deciding. Raises IllegalArgumentException
        for a value that is no partition or has no topic. No partitions at all are
        `unsubscribe()`."""
        partitions = arguments.partitions("assign", partitions)
        if not partitions:
            self.unsubscribe()
            return
        with self._calling("assign", partitions=list(map(str, partitions))):
            self._log("ASSIGNED_BY_USER", partitions=", ".join(map(str, partitions)))
            self._subscriptions.check_kind(by_group=False)
            new = {tp.topic for tp in partitions} - set(self._subscriptions.topics)
            self._subscriptions.assign_from_user(partitions)
            if new:
                self._client.metadata.request_update_for_new_topics()

    def unsubscribe(self) -> None:
        """Leaves the group and forgets subscription, assignment and positions; the listener is
        called for the revoked partitions."""
        with self._calling("unsubscribe"):
            self._delegate.unsubscribe()

    def assignment_in_hash_order(self) -> list[TopicPartition]:
        """The assignment as Java's assignment() iterates over it."""
        self._check_open()
        return self._subscriptions.assigned_in_hash_order()

    def assignment(self) -> list[TopicPartition]:
        """The partitions this consumer reads now, by topic and number;
        empty while it joins (KafkaConsumer.assignment)."""
        self._check_open()
        return sorted(self._subscriptions.assigned())

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetches nothing more of these until `resume`; membership goes on."""
        partitions = arguments.partitions("pause", partitions)
        with self._calling("pause", partitions=list(map(str, partitions))):
            self._log("PAUSING", partitions=f"[{', '.join(map(str, partitions))}]")
            for tp in partitions:
                self._state(tp).paused = True

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetches these again after `pause`, from where they stopped. Raises IllegalStateException
        for one that is not assigned."""
        partitions = arguments.partitions("resume", partitions)
        with self._calling("resume", partitions=list(map(str, partitions))):
            self._log("RESUMING", partitions=f"[{', '.join(map(str, partitions))}]")
            for tp in partitions:
                self._state(tp).paused = False

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Reads on from `offset` in the next poll; records fetched before are dropped. Nothing is
        committed. Raises IllegalArgumentException for a negative offset, IllegalStateException for
        a partition that is not assigned."""
        if not isinstance(offset, int):
            raise IllegalArgumentException(
                "seek() goes to the number of an offset, such as seek(TopicPartition('t', 0), 5), "
                f"not to {offset!r}"
            )
        if offset < 0:
            named = self.profile.fetching.names_seek_in_error
            raise IllegalArgumentException(
                "seek offset must not be a negative number" if named else "Invalid negative offset"
            )
        with self._calling("seek", partition=str(partition), offset=offset):
            self._state(partition)
            self._log("SEEKING", offset=offset, partition=partition)
            view = self._client.metadata.view
            known = view.partitions.get(partition)
            self._subscriptions.seek(
                partition,
                FetchPosition(offset, None, view.leader(partition), known.epoch if known else None),
            )

    def seek_to_beginning(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Reads on from the first offset, looked up in the next poll or `position`; all assigned
        where none is named."""
        self._seek_to(partitions, "earliest", "SEEKING_TO_BEGINNING")

    def seek_to_end(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Reads on from the end: the high watermark, or with read_committed the last stable offset;
        all assigned where none is named."""
        self._seek_to(partitions, "latest", "SEEKING_TO_END")

    def _seek_to(
        self, partitions: Iterable[TopicPartition] | None, strategy: str, line: str
    ) -> None:
        with self._calling(f"seek to {strategy}"):
            for tp in list(partitions or ()) or self._subscriptions.assigned():
                self._log(line, partition=tp)
                self._log(
                    "SEEKING_TO_STRATEGY",
                    partition=tp,
                    strategy=self.profile.printing.reset_strategy_text(strategy),
                )
                self._state(tp)
                self._subscriptions.request_reset(tp, strategy)

    # reading

    def poll(self, timeout_ms: int = 0) -> ConsumerRecords:
        """Records that are here, or arrive within `timeout_ms`; joining, committing and callbacks
        also happen inside this call.

        Raises IllegalStateException without a subscription or assignment, WakeupException after
        wakeup(), and the brokers' lasting errors (KafkaConsumer.poll).
        """
        self._check_open()
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException(
                f"poll() waits a whole number of milliseconds, not negative: {timeout_ms!r} is none"
            )
        if not self._subscriptions.is_subscribed:
            raise IllegalStateException(
                "Consumer is not subscribed to any topics or assigned any partitions"
            )
        with self._calling("poll", timeout_ms=timeout_ms):
            try:
                records = self._delegate.poll(self._network.timer(timeout_ms))
            except SerializationException:
                # The recorded polls took 1 to 4 ms. A loop that only catches must not stop time.
                self._lab.stage.wait(Signal(), self._lab.now_ms + UNREADABLE_TAKES_MS)
                raise
            return (
                ConsumerRecords()
                if records is None
                else self._interceptors.on_consume(ConsumerRecords(records))
            )

    def wakeup(self) -> None:
        """Called by another app: the call that waits in this consumer, or its next one, raises
        WakeupException. With it another app ends a poll loop."""
        with self._lab.journal.because(self._lab.call(self.name, "wakeup", {})):  # from any thread
            self._delegate.wakeup()

    def enforce_rebalance(self, reason: str | None = None) -> None:
        """Makes the group rebalance in a later poll, though nothing has changed (KIP-568; `reason`
        is KIP-800's). Raises UnsupportedVersionException for a client that cannot,
        IllegalStateException without a group."""
        if not self.profile.group.enforces_rebalances:
            raise UnsupportedVersionException(
                f"A consumer {self.profile.name} has no enforceRebalance: it came with 2.6 "
                "(KIP-568). Take a newer version."
            )
        self._check_open()
        if self.config["group.id"] is None:
            raise IllegalStateException(
                "Tried to force a rebalance but consumer does not have a group."
            )
        with self._calling("enforce_rebalance", reason=reason):
            self._delegate.enforce_rebalance(reason or "rebalance enforced by user")

    def position(self, partition: TopicPartition, timeout_ms: int | None = None) -> int:
        """The offset of the next record to be delivered; looks it up when it is not known yet, for
        at most `timeout_ms` (default.api.timeout.ms where None). Raises IllegalStateException for a
        partition that is not assigned, TimeoutException, and the errors of `poll` where no reset
        policy helps (KafkaConsumer.position)."""
        with self._calling("position", partition=str(partition)):
            if partition not in self._subscriptions.partitions:
                raise IllegalStateException(
                    "You can only check the position for partitions assigned to this consumer."
                )
            state = self._state(partition)
            limit_ms = self.config["default.api.timeout.ms"] if timeout_ms is None else timeout_ms
            timer = self._network.timer(limit_ms)
            while not state.has_valid_position:
                self._delegate.update_positions(timer)
                self._network.poll(timer)
                if timer.expired and not state.has_valid_position:
                    raise TimeoutException(
                        f"Timeout of {limit_ms}ms expired before the position for partition "
                        f"{partition} could be determined"
                    )
            return state.valid_position.offset

    # committing

    def commit_sync(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None
    ) -> None:
        """Commits positions (or `offsets`) and waits. Raises CommitFailedException when this
        consumer has lost its membership, TimeoutException when default.api.timeout.ms passes first.
        """
        self._need_group()
        with self._calling("commit_sync"):
            limit_ms = self.config["default.api.timeout.ms"]
            chosen = (
                self._subscriptions.all_consumed()
                if offsets is None
                else arguments.offsets("commit_sync", offsets)
            )
            if not self._delegate.commit_sync(chosen, self._network.timer(limit_ms)):
                names_all = offsets is not None or self.profile.group.asks_committed_of_many
                raise TimeoutException(
                    f"Timeout of {limit_ms}ms expired before successfully committing "
                    + (
                        f"offsets {offsets_text(chosen)}"
                        if names_all
                        else "the current consumed offsets"
                    )
                )

    def commit_async(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None,
        callback: CommitCallback | None = None,
    ) -> None:
        """Commits without waiting and without retrying; `callback(offsets, error)` runs inside a
        later poll."""
        self._need_group()
        with self._calling("commit_async"):
            chosen = (
                self._subscriptions.all_consumed()
                if offsets is None
                else arguments.offsets("commit_async", offsets)
            )
            self._log("COMMITTING_OFFSETS", offsets=offsets_text(chosen))
            self._delegate.commit_async(chosen, callback)

    def committed(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """The group's committed offsets of these partitions: the next offset to read, None where
        there is none. Sends a request to the coordinator. Raises InvalidGroupIdException without a
        group.id, TimeoutException after default.api.timeout.ms."""
        self._need_group()
        partitions = arguments.partitions("committed", partitions)
        with self._calling("committed"):
            limit_ms = self.config["default.api.timeout.ms"]
            found = self._delegate.committed(partitions, self._network.timer(limit_ms))
            if found is None:
                named = ", ".join(map(str, partitions))
                raise TimeoutException(
                    f"Timeout of {limit_ms}ms expired before the last committed offset for "
                    + (
                        f"partitions [{named}] could be determined. Try tuning "
                        "default.api.timeout.ms larger to relax the threshold."
                        if self.profile.group.asks_committed_of_many
                        else f"partition {named} could be determined"
                    )
                )
            return found

    def group_metadata(self) -> ConsumerGroupMetadata:
        """The member's group, generation and id, for a producer's `send_offsets_to_transaction`
        (KIP-447)."""
        self._need_group()
        return self._delegate.group_metadata()

    # offsets

    def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The log start of each partition. Raises TimeoutException."""
        return self._offsets_at(
            "beginning_offsets",
            dict.fromkeys(arguments.partitions("beginning_offsets", partitions), EARLIEST),
        )

    def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The end of each partition for this reader: the high watermark, with read_committed the
        last stable offset."""
        return self._offsets_at(
            "end_offsets", dict.fromkeys(arguments.partitions("end_offsets", partitions), LATEST)
        )

    def _offsets_at(
        self, what: str, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        with self._calling(what, partitions=list(map(str, timestamps))):
            found = self._delegate.offset_fetcher.found_by_time(
                timestamps, self.config["default.api.timeout.ms"]
            )
            return {tp: answer.offset for tp, answer in found.items()}

    def offsets_for_times(
        self, timestamps_to_search: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first record of each partition that is not older than this (epoch milliseconds); None
        where all are.

        Raises IllegalArgumentException for a negative time, TimeoutException.
        """
        arguments.mapped(
            "offsets_for_times",
            timestamps_to_search,
            int,
            "milliseconds for each TopicPartition, such as {TopicPartition('t', 0): 1000}",
            keys=TopicPartition,
        )
        for tp, time_ms in timestamps_to_search.items():
            if time_ms < 0:
                raise IllegalArgumentException(
                    f"The target time for partition {tp} is {time_ms}. The target time cannot be "
                    "negative."
                )
        with self._calling("offsets_for_times", partitions=list(map(str, timestamps_to_search))):
            found = self._delegate.offset_fetcher.found_by_time(
                timestamps_to_search, self.config["default.api.timeout.ms"]
            )
            return {
                tp: None
                if answer.offset < 0
                else OffsetAndTimestamp(answer.offset, answer.timestamp)
                for tp, answer in found.items()
            }

    def current_lag(self, partition: TopicPartition) -> int | None:
        """How many records come after this reader's position, by its last fetch; None before the
        first fetch (KIP-695, 3.0).

        Raises IllegalStateException for a partition it does not read, UnsupportedVersionException
        for a client that has no such call.
        """
        if not self.profile.fetching.tells_current_lag:
            raise UnsupportedVersionException(
                f"A consumer {self.profile.name} has no currentLag: it came with 3.0 (KIP-695). "
                "Take a newer version, or read the metric records-lag from metrics()."
            )
        self._check_open()
        self._state(partition)
        return self._subscriptions.lag(partition, self.config["isolation.level"])

    # subscription and pauses

    def subscription(self) -> list[str]:
        """The topics it has subscribed to; empty with assign()."""
        self._check_open()
        return list(self._subscriptions.topics) if self._subscriptions.auto_assigned else []

    def paused(self) -> list[TopicPartition]:
        """The partitions it does not fetch at present."""
        self._check_open()
        return sorted(tp for tp, state in self._subscriptions.partitions.items() if state.paused)

    # metrics

    def metrics(self) -> MetricValues:
        """The consumer's metrics at this moment, under Kafka's names (`consumer_metrics`)."""
        return self._metrics.values(self._lab.now_ms)

    # the cluster

    def partitions_for(self, topic: str) -> list[int]:
        """Partition numbers of a topic, [] for one that does not exist. For topics that it does not
        read, the consumer sends a METADATA request of its own, beside the client's
        (TopicMetadataFetcher). Raises TimeoutException."""
        with self._calling("partitions_for", topic=topic):
            known = self._client.metadata.view.topics.get(topic)
            if known is not None:
                return [p.partition for p in known]
            return self._topics.partitions_of(
                topic,
                self._client.settings.allow_auto_topic_creation,
                self.config["default.api.timeout.ms"],
            )

    def list_topics(self) -> dict[str, list[int]]:
        """Every topic with its partition numbers. Raises TimeoutException."""
        with self._calling("list_topics"):
            return self._topics.all_topics(self.config["default.api.timeout.ms"])

    # closing

    def close(self, timeout_ms: int = 30_000) -> None:
        """Commits (with auto commit), leaves the group, closes all sockets, in at most
        `timeout_ms`. A second call does nothing.

        Raises IllegalArgumentException for a negative time, and the error of a rebalance listener.
        """
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if self.is_closed:
            return
        with self._calling("close"):
            self._delegate.close(timeout_ms)
            # only now: a listener may still commit in on_partitions_revoked, as in Java
            self.is_closed = True
            self._lab.journal.append("closed", self.name)

    # helpers

    def _state(self, tp: TopicPartition) -> PartitionState:
        if tp not in self._subscriptions.partitions:
            raise IllegalStateException(f"No current assignment for partition {tp}")
        return self._subscriptions.partitions[tp]

    def _need_group(self) -> None:
        self._check_open()
        if self.config["group.id"] is None:
            raise InvalidGroupIdException(
                "To use the group management or offset commit APIs, you must provide a valid "
                "group.id in the consumer configuration."
            )

    def _check_open(self) -> None:
        if self.is_closed:
            raise IllegalStateException("This consumer has already been closed.")

    def _calling(self, what: str, **args: Any) -> GuardedCall:
        """A call of the application: it is journalled, and only one thread at a time may make
        one."""
        self._check_open()
        self._thread.acquire()
        return self._thread.during(self._lab.journal.because(self._lab.call(self.name, what, args)))

    def __repr__(self) -> str:
        return f"KafkaConsumer({self.client_id!r}, {self.profile.release})"


def _delegate_of(setup: ConsumerSetup, classic: bool, choice: Choice) -> ConsumerDelegate:
    """group.protocol chooses the delegate (ConsumerDelegateCreator, KIP-848)."""
    if classic:
        return ClassicKafkaConsumer(setup, choice)
    # imported here, because most labs have no such consumer
    from kafkalab.clients.consumer.modern.async_kafka_consumer import AsyncKafkaConsumer

    return AsyncKafkaConsumer(setup)
