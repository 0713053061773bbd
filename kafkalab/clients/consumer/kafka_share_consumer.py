"""KafkaShareConsumer: the consumer of a share group, which takes records one by one
(org.apache.kafka.clients.consumer.KafkaShareConsumer, KIP-932).

It has no positions, no seek and no assignment to ask for. A poll acquires records for a time; the
application says of each what became of it. This file checks arguments, journals calls and refuses
other threads; `share/share_consumer.py` does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.consumer.reading.consumer_interceptors import ConsumerInterceptors
from kafkalab.clients.consumer.reading.consumer_setup import ConsumerSetup
from kafkalab.clients.consumer.share.acknowledgements import AcknowledgeType
from kafkalab.clients.consumer.share.share_consume_request_manager import Results
from kafkalab.clients.consumer.share.share_consumer import ShareConsumerImpl
from kafkalab.clients.consumer.thread_guard import GuardedCall, OneThread
from kafkalab.clients.network import arguments
from kafkalab.clients.network.client_lab import ClientLab
from kafkalab.config import ShareConsumerConfig
from kafkalab.errors import (
    IllegalArgumentException,
    IllegalStateException,
)
from kafkalab.records import ConsumerRecord, ConsumerRecords


class KafkaShareConsumer:
    """A share consumer of `lab`'s cluster; clients and brokers must be 4.4.

    config   dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version  the client version to be; the lab's when left out
    name     the client's name in the journal; client.id when left out
             (with a number while an open client of its kind has that name)
    """

    def __init__(
        self,
        lab: ClientLab,
        config: Mapping[str, Any] | None = None,
        *,
        version: str | None = None,
        name: str | None = None,
    ) -> None:
        arguments.lab("KafkaShareConsumer", lab)
        arguments.config_mapping("KafkaShareConsumer", config)
        self._lab = lab
        self.profile = profile = lab.profile(version)
        given = {"bootstrap.servers": lab.first_address, **(config or {})}
        self.config = ShareConsumerConfig.for_version(profile.name, given)
        group = self.config["group.id"]
        number = lab.next_number("consumer", name)
        pattern = profile.group.client_id_with_group
        self.client_id: str = self.config["client.id"] or pattern.format(n=number, group=group)
        self.name = lab.client_name("consumer", name, self.client_id)
        self._thread = OneThread(lab.stage, profile.fetching.names_both_threads)
        self.is_closed = False
        event = lab.call(self.name, "new KafkaShareConsumer", given)
        setup = ConsumerSetup(
            lab,
            "consumer",
            self.name,
            self.client_id,
            profile,
            self.config,
            ConsumerInterceptors(()),
        )
        with lab.journal.because(event):
            self._impl = ShareConsumerImpl(setup)
        lab.add_client("consumer", self.name, lambda: self.is_closed)

    def subscribe(self, topics: Iterable[str]) -> None:
        """Subscribes to topics by name; a later poll joins the group. A subscription to no topics
        is `unsubscribe()`. Raises IllegalArgumentException for an empty name."""
        arguments.topic_list(topics)
        topics = tuple(topics)
        if not topics:
            self.unsubscribe()
            return
        if not all(isinstance(topic, str) and topic.strip() for topic in topics):
            raise IllegalArgumentException(
                "Topic collection to subscribe to cannot contain null or empty topic"
            )
        waits = self._lab.clock.work is not None  # Java tells of it when the thread has seen it.
        with self._calling("subscribe", topics=list(topics)):
            if not waits:
                self._impl.log("SHARE_SUBSCRIBED", topics=", ".join(topics))
            new = set(topics) - set(self._impl.subscriptions.topics)
            self._impl.subscriptions.subscribe(topics, None)
            if new:
                self._impl.client.metadata.request_update_for_new_topics()
        self._impl.subscription_changed()
        if waits:
            self._impl.log("SHARE_SUBSCRIBED", topics=", ".join(topics))

    def unsubscribe(self) -> None:
        """Gives back what it holds, leaves the group and forgets the subscription."""
        with self._calling("unsubscribe"):
            self._impl.unsubscribe()

    def subscription(self) -> list[str]:
        """The topics it has subscribed to."""
        self._check_open()
        return list(self._impl.subscriptions.topics)

    def poll(self, timeout_ms: int = 0) -> ConsumerRecords:
        """Records that this member has acquired, within `timeout_ms`. Each has a `delivery_count`.

        With share.acknowledgement.mode=implicit it accepts what the last poll returned. With
        explicit it raises IllegalStateException where something of that was not acknowledged. Also
        raises IllegalStateException without a subscription, and WakeupException after wakeup().
        """
        self._check_open()
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException(
                f"poll() waits a whole number of milliseconds, not negative: {timeout_ms!r} is none"
            )
        if not self._impl.subscriptions.is_subscribed:
            raise IllegalStateException("Consumer is not subscribed to any topics.")
        with self._calling("poll", timeout_ms=timeout_ms):
            records = self._impl.poll(self._impl.network.timer(timeout_ms))
            for one in records:
                self._lab.journal.append(
                    "record.acquired",
                    self.name,
                    topic=one.topic,
                    partition=one.partition,
                    offset=one.offset,
                    delivery_count=one.delivery_count,
                )
            return ConsumerRecords(records)

    def acknowledge(
        self, record: ConsumerRecord, type: AcknowledgeType | str = AcknowledgeType.ACCEPT
    ) -> None:
        """Says what became of a record: AcknowledgeType.ACCEPT, RELEASE, REJECT or RENEW, or its
        name. The next poll, commit or close sends it.

        Raises IllegalStateException with implicit acknowledgement, and for a record that it does
        not hold.
        """
        if not isinstance(type, AcknowledgeType):
            if str(type).upper() not in AcknowledgeType.__members__:
                raise IllegalArgumentException(
                    f"acknowledge() takes accept, release, reject or renew, not {type!r}"
                )
            type = AcknowledgeType[str(type).upper()]
        if not isinstance(record, ConsumerRecord):
            raise IllegalArgumentException(
                f"acknowledge() takes a record that poll() returned, not {record!r}"
            )
        with self._calling("acknowledge", record=repr(record), type=type.name):
            self._impl.acknowledge(record, type)

    def commit_sync(self, timeout_ms: int | None = None) -> Results:
        """Sends the acknowledgements and waits. Returns for each partition None, or why they were
        refused: InvalidRecordStateException when the lock had ended. Raises TimeoutException."""
        limit_ms = self.config["default.api.timeout.ms"] if timeout_ms is None else timeout_ms
        with self._calling("commit_sync"):
            return self._impl.commit_sync(self._impl.network.timer(limit_ms))

    def commit_async(self) -> None:
        """Sends the acknowledgements and does not wait; the callback tells the results."""
        with self._calling("commit_async"):
            self._impl.commit_async()

    def set_acknowledgement_commit_callback(
        self, callback: Callable[[Results], object] | None
    ) -> None:
        """callback(results) is called inside a later call, for each partition whose
        acknowledgements were answered."""
        self._check_open()
        self._impl.on_commit(callback)

    def acquisition_lock_timeout_ms(self) -> int | None:
        """How long the brokers lock records; None before the first fetch (KIP-1222)."""
        self._check_open()
        return self._impl.lock_ms

    def wakeup(self) -> None:
        """Called by another app: the call that waits in this consumer, or its next one, raises
        WakeupException."""
        with self._lab.journal.because(self._lab.call(self.name, "wakeup", {})):
            self._impl.wakeup()

    def close(self, timeout_ms: int = 30_000) -> None:
        """Sends the acknowledgements, gives back the other records, leaves the group. A second call
        does nothing. Raises IllegalArgumentException for a negative time."""
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if self.is_closed:
            return
        with self._calling("close"):
            self._impl.close(timeout_ms)
            self.is_closed = True
            self._lab.journal.append("closed", self.name)

    def _check_open(self) -> None:
        if self.is_closed:
            raise IllegalStateException("This consumer has already been closed.")

    def _calling(self, what: str, **args: Any) -> GuardedCall:
        self._check_open()
        self._thread.acquire()
        return self._thread.during(self._lab.journal.because(self._lab.call(self.name, what, args)))

    def __repr__(self) -> str:
        return f"KafkaShareConsumer({self.client_id!r}, {self.profile.release})"
