"""ConsumerSetup: a consumer's name, configuration and network settings, which KafkaConsumer gives
to its delegate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from kafkalab.clients.consumer.reading.consumer_interceptors import ConsumerInterceptors
from kafkalab.clients.consumer.reading.fetcher import Fetcher
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network import app_info
from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.config import ConsumerConfig, dump_text
from kafkalab.lines import metrics

MAX_IN_FLIGHT = 100
"""Requests a consumer may have unanswered on one connection
(ConsumerUtils.CONSUMER_MAX_INFLIGHT_REQUESTS_PER_CONNECTION)."""


@dataclass(frozen=True, slots=True)
class ConsumerSetup(ClientSetup):
    """The parts with which the constructors of all delegates begin, and the lines they write at
    their end (ConsumerUtils)."""

    config: ConsumerConfig
    interceptors: ConsumerInterceptors

    @property
    def group_id(self) -> str | None:
        group: str | None = self.config["group.id"]
        return group

    def log_context(self, kind: type[LogContext]) -> LogContext:
        """The log of this consumer, with group and client id before each line."""
        instance, group = self.config.get("group.instance.id"), self.group_id
        named = "" if instance is None else f"instanceId={instance}, "
        prefix = (
            f"[{self.config.log_name} {named}clientId={self.client_id}, "
            f"groupId={'null' if group is None else group}] "
        )
        return self.prefixed_log(prefix, kind)

    def tell_config(self, log: LogContext) -> None:
        if self.config.has_flat_backoff:
            log("RECONNECT_BACKOFF_IS_FLAT")
        log(self.config.log_entry, values=dump_text(self.profile.name, self.config, self.client_id))

    def subscription_state(self) -> SubscriptionState:
        return SubscriptionState(
            self.config["auto.offset.reset"],
            partial(self.lab.journal.append, who=self.name),
            not self.config["exclude.internal.topics"],
        )

    def network_client(
        self, log: LogContext, subscriptions: SubscriptionState, topic_ids: bool = False
    ) -> NetworkClient:
        """A network client that knows the bootstrap addresses.
        topic_ids: offsets are asked for by topic id."""
        client = NetworkClient(
            self,
            log,
            lambda: subscriptions.metadata_topics(),
            MAX_IN_FLIGHT,
            bool(self.config.get("allow.auto.create.topics", True)),
            topic_ids,
        )
        client.bootstrap(self.config["bootstrap.servers"])
        return client

    def removed_metrics(
        self, client: NetworkClient, fetcher: Fetcher, network_first: bool = False
    ) -> metrics.RemovedMetrics:
        """The metrics that leave with the consumer, where this version has lines about them.

        network_first: as for `removed_at_close`.
        """
        return metrics.removed_at_close(
            self.profile.name,
            "consumer",
            self.client_id,
            nodes=client.tried_connections(),
            fetched_from=fetcher.fetched_from,
            topics=fetcher.fetched_topics,
            partitions=fetcher.measured(),
            in_group=self.group_id is not None,
            network_first=network_first,
        )

    def unregister(self, log: LogContext, removed: Iterable[str] = ()) -> None:
        """Writes the last lines but one. removed: the metrics of the version."""
        app_info.unregister(log, "consumer", removed)
        self.interceptors.close()
