"""The consumer an application holds (org.apache.kafka.clients.consumer.KafkaConsumer; ClassicKafkaConsumer from 3.7).

Blocking calls with Java's names in snake_case. Creating one, subscribing and assigning open no connection; poll() does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from kafkalab.clients import app_info, arguments
from kafkalab.clients.consumer.classic_poll import ClassicPoll
from kafkalab.clients.consumer.consumer_network_client import ConsumerNetworkClient
from kafkalab.clients.consumer.consumer_metrics import ConsumerMetrics
from kafkalab.clients.consumer.consumer_queries import ConsumerQueries
from kafkalab.clients.consumer.coordinator import ConsumerCoordinator
from kafkalab.clients.consumer.fetch_collector import FetchCollector
from kafkalab.clients.consumer.fetcher import Fetcher
from kafkalab.clients.consumer.group_offsets import offsets_text
from kafkalab.clients.consumer.heartbeat_answers import Choice, javas_choice, learners_choice
from kafkalab.clients.consumer.interceptors import ConsumerInterceptors
from kafkalab.clients.consumer.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.one_thread import OneThread
from kafkalab.clients.consumer.position_validation import PositionValidation
from kafkalab.clients.consumer.subscription_state import FetchPosition, FetchState, SubscriptionState
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.wiring import bootstrap_nodes, network_client
from kafkalab.config import ConsumerConfig, dump_text
from kafkalab.errors import IllegalArgumentException, IllegalStateException, InvalidGroupIdException, TimeoutException, UnsupportedVersionException
from kafkalab.lines import metrics
from kafkalab.records import ConsumerGroupMetadata, ConsumerRecords, OffsetAndMetadata, TopicPartition

MAX_IN_FLIGHT = 100
"""Requests a consumer may have unanswered on one connection (ConsumerUtils.CONSUMER_MAX_INFLIGHT_REQUESTS_PER_CONNECTION)."""


class KafkaConsumer(ConsumerQueries):
    """A consumer of `lab`'s cluster.

    config   dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version  the client version to be ("2.3"); the lab's when left out
    name     who this is in the journal; client.id when left out
    on_heartbeat  a learner's own rule, function(name of the error) -> action, in place of Java's; see heartbeat_answers
    """

    def __new__(cls, lab, config: Mapping[str, Any] | None = None, **how: Any) -> KafkaConsumer:
        """group.protocol chooses the inside, as in Java (ConsumerDelegateCreator, KIP-848)."""
        if cls is KafkaConsumer and str((config or {}).get("group.protocol", "")).lower() == "consumer":
            from kafkalab.clients.consumer.async_.async_kafka_consumer import AsyncKafkaConsumer
            return super().__new__(AsyncKafkaConsumer)
        return super().__new__(cls)

    def __init__(self, lab, config: Mapping[str, Any] | None = None, *, version: str | None = None, name: str | None = None,
                 on_heartbeat: Choice | None = None) -> None:
        self._lab = lab
        self._choice = javas_choice if on_heartbeat is None else learners_choice(on_heartbeat)
        self.profile = profile = lab.profile(version)
        given = {"bootstrap.servers": lab.first_address, **(config or {})}
        self.config = ConsumerConfig.for_version(profile.name, given)
        group = self.config["group.id"]
        number = lab.next_number("consumer", name)
        pattern = profile.group.client_id_without_group if group is None else profile.group.client_id_with_group
        self.client_id = self.config["client.id"] or pattern.format(n=number, group=group)
        self.name = name or lab.unused_name(self.client_id)
        self._interceptors = ConsumerInterceptors(self.config["interceptor.classes"])
        self._thread = OneThread(lab.stage, profile.fetching.names_both_threads)
        event = lab.call(self.name, "new KafkaConsumer", given)
        self._metrics = ConsumerMetrics(lab.journal, self.name, self.client_id, profile, lab.now_ms, self.config["metrics.sample.window.ms"],
                                        self.config["metrics.num.samples"], joins=self.config.get("group.protocol", "classic").lower() == "classic")
        with lab.journal.because(event):
            self._build(lab, group, given)

    def _build(self, lab, group: str | None, given: Mapping[str, Any]) -> None:
        profile, config = self.profile, self.config
        instance = config.get("group.instance.id")
        prefix = f"[Consumer {'' if instance is None else f'instanceId={instance}, '}clientId={self.client_id}, groupId={'null' if group is None else group}] "
        self._log = log = LogContext(lab.journal, self.name, self.client_id, prefix, profile.name)
        if config.has_flat_backoff:
            log("RECONNECT_BACKOFF_IS_FLAT")
        log("CONSUMER_CONFIG", values=dump_text(profile.name, config, self.client_id))
        log("CONSUMER_INITIALIZING")
        self._subscriptions = SubscriptionState(config["auto.offset.reset"], partial(lab.journal.append, who=self.name),
                                                not config["exclude.internal.topics"])
        self._client = client = network_client(
            lab, "consumer", self.name, self.client_id, config, profile, log, lambda: self._subscriptions.metadata_topics(),
            MAX_IN_FLIGHT, bool(config.get("allow.auto.create.topics", True)))
        client.metadata.bootstrap(bootstrap_nodes(config["bootstrap.servers"], client.node_of), lab.clock.now_ms)
        self._network = ConsumerNetworkClient(client, lab.stage, lab.clock, config["retry.backoff.ms"])
        self._coordinator = None
        if group is not None:
            self._coordinator = ConsumerCoordinator(group, config, profile, self._network, self._subscriptions, log, lab.stage,
                                                    lab.streams.stream(f"{self.name}/coordinator lookup"), self._choice)
            self._coordinator.offsets.on_commit = self._interceptors.on_commit
            if profile.group.classic_banner:
                log("CONSUMER_PROTOCOL_BANNER")
        self._validation = PositionValidation(self._network, self._subscriptions, config, profile, log)
        self._offsets = OffsetFetcher(self._network, self._subscriptions, config, profile, log)
        self._collector = FetchCollector(self._subscriptions, config, profile, log, client.metadata.request_update)
        self._fetcher = Fetcher(self._network, self._subscriptions, self._collector, config, profile, log)
        self._poll = ClassicPoll(profile, self._network, self._coordinator, self._subscriptions, self._validation, self._offsets,
                                 self._fetcher, self._collector, log, config["retry.backoff.ms"])
        self._closed = False
        app_info.register(log, profile, lab.epoch_ms + lab.now_ms)
        log("CONSUMER_INITIALIZED")

    # what to read

    def subscribe(self, topics: Iterable[str] | re.Pattern[str], listener=None) -> None:
        """Ask for topics, by name or by a compiled pattern that names must match in full; the group decides on partitions in a
        later poll. A pattern is matched anew with each METADATA answer, so topics that come later are read as well.

        `listener` has on_partitions_assigned, on_partitions_revoked and, if it likes, on_partitions_lost (from 2.4 on, KIP-429).
        No topics at all is `unsubscribe()`. Raises IllegalArgumentException for an empty name, IllegalStateException where the consumer
        is subscribed in another way.
        """
        if isinstance(topics, str):
            raise IllegalArgumentException(f"subscribe() takes a list of topics: subscribe([{topics!r}])")
        self._need_group()
        if isinstance(topics, re.Pattern):
            self._subscribe_to_pattern(topics, listener)
            return
        topics = tuple(topics)
        if not topics:
            self.unsubscribe()
            return
        if not all(isinstance(topic, str) and topic.strip() for topic in topics):
            raise IllegalArgumentException("Topic collection to subscribe to cannot contain null or empty topic")
        with self._calling("subscribe", topics=list(topics)):
            self._subscriptions.check_kind(by_group=True)
            self._log("SUBSCRIBED", topics=", ".join(topics))
            new = set(topics) - set(self._subscriptions.topics)
            self._subscriptions.subscribe(topics, listener)
            if new:
                self._client.metadata.request_update_for_new_topics()

    def _subscribe_to_pattern(self, pattern: re.Pattern[str], listener) -> None:
        if not pattern.pattern:
            raise IllegalArgumentException("Topic pattern to subscribe to cannot be empty")
        with self._calling("subscribe", pattern=pattern.pattern):
            self._subscriptions.check_kind(by_group=True)
            self._log("SUBSCRIBED_TO_PATTERN", pattern=pattern.pattern)
            self._subscriptions.subscribe_to_pattern(pattern, listener)
            self._client.metadata.retains = self._subscriptions.retains
            self._client.metadata.request_update_for_new_topics()

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read exactly these partitions, without a group deciding. Raises IllegalArgumentException for what is no partition or has no topic."""
        partitions = arguments.partitions("assign", partitions)
        with self._calling("assign", partitions=list(map(str, partitions))):
            self._subscriptions.check_kind(by_group=False)
            self._log("ASSIGNED_BY_USER", partitions=", ".join(map(str, partitions)))
            new = {tp.topic for tp in partitions} - set(self._subscriptions.topics)
            self._subscriptions.assign_from_user(partitions)
            if new:
                self._client.metadata.request_update_for_new_topics()

    def unsubscribe(self) -> None:
        """Leave the group and forget subscription, assignment and positions; the listener hears that the partitions are revoked."""
        with self._calling("unsubscribe"):
            try:
                if self._coordinator is not None:
                    self._coordinator.before_unsubscribing()
            finally:
                self._subscriptions.unsubscribe()
                self._client.metadata.retains = None
            self._log("UNSUBSCRIBED")

    def assignment_in_hash_order(self) -> list[TopicPartition]:
        """The assignment as Java's assignment() iterates over it."""
        return self._subscriptions.assigned_in_hash_order()

    def assignment(self) -> list[TopicPartition]:
        """The partitions this consumer reads now, by topic and number; empty while it joins (KafkaConsumer.assignment)."""
        return sorted(self._subscriptions.assigned())

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch nothing more of these until `resume`; membership goes on."""
        partitions = arguments.partitions("pause", partitions)
        with self._calling("pause", partitions=list(map(str, partitions))):
            self._log("PAUSING", partitions=f"[{', '.join(map(str, partitions))}]")
            for tp in partitions:
                self._state(tp).paused = True

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch these again after `pause`, from where they stopped. Raises IllegalStateException for one that is not assigned."""
        partitions = arguments.partitions("resume", partitions)
        with self._calling("resume", partitions=list(map(str, partitions))):
            self._log("RESUMING", partitions=f"[{', '.join(map(str, partitions))}]")
            for tp in partitions:
                self._state(tp).paused = False

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read on from `offset` in the next poll; what was fetched before is dropped. Nothing is committed. Raises
        IllegalArgumentException for a negative offset, IllegalStateException for a partition that is not assigned."""
        if not isinstance(offset, int):
            raise IllegalArgumentException(f"seek() goes to the number of an offset, such as seek(TopicPartition('t', 0), 5), not to {offset!r}")
        if offset < 0:
            raise IllegalArgumentException("seek offset must not be a negative number")
        with self._calling("seek", partition=str(partition), offset=offset):
            self._state(partition)
            self._log("SEEKING", offset=offset, partition=partition)
            view = self._client.metadata.view
            known = view.partitions.get(partition)
            self._subscriptions.seek(partition, FetchPosition(offset, None, view.leader(partition), known.epoch if known else None))

    def seek_to_beginning(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Read on from the first offset there is, looked up in the next poll or `position`; all assigned where None."""
        self._seek_to(partitions, "earliest", "SEEKING_TO_BEGINNING")

    def seek_to_end(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Read on from the end: the high watermark, or with read_committed the last stable offset; all assigned where None."""
        self._seek_to(partitions, "latest", "SEEKING_TO_END")

    def _seek_to(self, partitions, strategy: str, line: str) -> None:
        with self._calling(f"seek to {strategy}"):
            for tp in self._subscriptions.assigned() if partitions is None else partitions:
                self._state(tp)
                self._log(line, partition=tp)
                self._log("SEEKING_TO_STRATEGY", partition=tp, strategy=self.profile.printing.reset_strategy_text(strategy))
                self._subscriptions.request_reset(tp, strategy)

    # reading

    def poll(self, timeout_ms: int = 0) -> ConsumerRecords:
        """Records that are here, or arrive within `timeout_ms`; also where joining, committing and callbacks happen.

        Raises IllegalStateException without a subscription or assignment, WakeupException after wakeup(), and what the brokers
        refuse for good (KafkaConsumer.poll).
        """
        self._check_may_poll(timeout_ms)
        with self._calling("poll", timeout_ms=timeout_ms):
            records = self._poll.records(self._network.timer(timeout_ms))
            return ConsumerRecords() if records is None else self._interceptors.on_consume(ConsumerRecords(records))

    def _check_may_poll(self, timeout_ms: int) -> None:
        self._check_open()
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException(f"poll() waits a whole number of milliseconds, not negative: {timeout_ms!r} is none")
        if not self._subscriptions.is_subscribed:
            raise IllegalStateException("Consumer is not subscribed to any topics or assigned any partitions")

    def wakeup(self) -> None:
        """Called by another app: the call that waits in this consumer, or its next one, raises WakeupException. The way to end a
        poll loop from outside."""
        with self._lab.journal.because(self._lab.call(self.name, "wakeup", {})):  # from any thread
            self._network.wakeup()

    def enforce_rebalance(self, reason: str | None = None) -> None:
        """Have the group rebalance in a later poll, though nothing has changed (KIP-568; `reason` is KIP-800's). Raises
        UnsupportedVersionException for a client that cannot, IllegalStateException without a group."""
        if not self.profile.group.enforces_rebalances:
            raise UnsupportedVersionException(f"A consumer {self.profile.name} has no enforceRebalance: it came with 2.6 (KIP-568). Take a newer version.")
        self._check_open()
        if self._coordinator is None:
            raise IllegalStateException("Tried to force a rebalance but consumer does not have a group.")
        with self._calling("enforce_rebalance", reason=reason):
            self._coordinator.request_rejoin(reason or "rebalance enforced by user")

    def position(self, partition: TopicPartition, timeout_ms: int | None = None) -> int:
        """The offset of the next record to be delivered; looks it up when it is not known yet, for at most `timeout_ms`
        (default.api.timeout.ms where None). Raises IllegalStateException for a partition that is not assigned, TimeoutException,
        and what `poll` raises where no reset policy helps (KafkaConsumer.position)."""
        with self._calling("position", partition=str(partition)):
            state = self._state(partition)
            limit_ms = self.config["default.api.timeout.ms"] if timeout_ms is None else timeout_ms
            timer = self._network.timer(limit_ms)
            while state.state is not FetchState.FETCHING:
                self._look_up_positions(timer)
                self._network.poll(timer)
                if timer.expired and state.state is not FetchState.FETCHING:
                    raise TimeoutException(
                        f"Timeout of {limit_ms}ms expired before the position for partition {partition} could be determined")
            return state.position.offset

    def _look_up_positions(self, timer) -> None:
        self._poll.update_positions(timer)

    # committing

    def commit_sync(self, offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None) -> None:
        """Commit positions (or `offsets`) and wait. Raises CommitFailedException when this consumer has lost its membership,
        TimeoutException when default.api.timeout.ms passes first."""
        self._need_group()
        with self._calling("commit_sync"):
            limit_ms = self.config["default.api.timeout.ms"]
            chosen = self._subscriptions.all_consumed() if offsets is None else arguments.offsets("commit_sync", offsets)
            if not self._coordinator.offsets.commit_sync(chosen, self._network.timer(limit_ms)):
                raise TimeoutException(f"Timeout of {limit_ms}ms expired before successfully committing offsets {chosen}")

    def commit_async(self, offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None, callback=None) -> None:
        """Commit without waiting and without retrying; `callback(offsets, error)` runs inside a later poll."""
        self._need_group()
        with self._calling("commit_async"):
            chosen = self._subscriptions.all_consumed() if offsets is None else arguments.offsets("commit_async", offsets)
            self._log("COMMITTING_OFFSETS", offsets=offsets_text(chosen))
            self._coordinator.offsets.commit_async(chosen, callback)
            self._network.hurry()  # it leaves now, and not with the next poll (ConsumerCoordinator.commitOffsetsAsync)

    def committed(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """What the group has committed for these: the next offset to read, None where nothing is. Asks the coordinator. Raises
        InvalidGroupIdException without a group.id, TimeoutException after default.api.timeout.ms."""
        self._need_group()
        partitions = arguments.partitions("committed", partitions)
        with self._calling("committed"):
            limit_ms = self.config["default.api.timeout.ms"]
            found = self._coordinator.offsets.fetch(partitions, self._network.timer(limit_ms))
            if found is None:
                raise TimeoutException(f"Timeout of {limit_ms}ms expired before the last committed offset could be determined")
            return found

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Who this consumer is to its group, for a producer's `send_offsets_to_transaction` (KIP-447)."""
        self._need_group()
        generation = self._coordinator.generation
        return ConsumerGroupMetadata(self.config["group.id"], generation.id, generation.member_id, self.config.get("group.instance.id"))

    # the end

    def close(self, timeout_ms: int = 30_000) -> None:
        """Commit (with auto commit), leave the group, close all sockets, in at most `timeout_ms`. Twice is harmless.

        Raises IllegalArgumentException for a negative time, and what a rebalance listener raised.
        """
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if self._closed:
            return
        with self._calling("close"):
            self._network.disable_wakeups()
            self._log("CONSUMER_CLOSING")
            timer = self._network.timer(timeout_ms)
            if self._client.telemetry:
                self._client.telemetry.initiate_close()
            if self._coordinator is not None:
                self._coordinator.close(timer)
            self._fetcher.close(timer)
            removed = metrics.removed_at_close(
                self.profile.name, "consumer", self.client_id, nodes=self._client.tried_connections(),
                fetched_from=self._fetcher.fetched_from,
                partitions=[(tp.topic, tp.partition) for tp in self._fetcher.fetched], in_group=self._coordinator is not None)
            for line in removed:
                self._log("METRIC_REMOVED", metric=line)
            if self._client.telemetry:
                self._client.telemetry.stop()
            self._client.close()
            if self._client.telemetry:
                for _ in range(2):
                    self._client.telemetry.stop()
            app_info.unregister(self._log, "consumer")
            self._interceptors.close()
            self._closed = True  # only now: a listener may still commit in on_partitions_revoked, as in Java
            self._log("CONSUMER_CLOSED")
            self._lab.journal.append("closed", self.name)

    # small things

    def _state(self, tp: TopicPartition):
        if tp not in self._subscriptions.partitions:
            raise IllegalStateException(f"No current assignment for partition {tp}")
        return self._subscriptions.partitions[tp]

    def _need_group(self) -> None:
        self._check_open()
        if self._coordinator is None:
            raise InvalidGroupIdException(
                "To use the group management or offset commit APIs, you must provide a valid group.id in the consumer configuration.")

    def _check_open(self) -> None:
        if self._closed:
            raise IllegalStateException("This consumer has already been closed.")

    def _calling(self, what: str, **args):
        """A call of the application: journalled, and by one thread at a time."""
        self._check_open()
        self._thread.acquire()
        return self._thread.during(self._lab.journal.because(self._lab.call(self.name, what, args)))

    def __repr__(self) -> str:
        return f"KafkaConsumer({self.client_id!r}, {self.profile.release})"
