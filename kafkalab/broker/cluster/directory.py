"""Directory: serves API_VERSIONS, METADATA and FIND_COORDINATOR, by which clients find brokers.

In Kafka these are handlers of KafkaApis over the MetadataCache. Left out: authorization.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState, Partition, Topic, is_legal_topic
from kafkalab.broker.effects import Caller
from kafkalab.broker.steps import answers
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.hashing import long_map_order
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.wire_forms import as_sent
from kafkalab.releases import BrokerProfile
from kafkalab.releases.api_versions import api_versions_response

GROUP_KEY, TRANSACTION_KEY = 0, 1
"""The key_type of a FIND_COORDINATOR request: a group or a transactional id (CoordinatorType)."""

NOWHERE = (-1, "", -1)
"""Node id, host and port of a coordinator that cannot be named."""


def _at_once(caller: Caller) -> int:
    """`__transaction_state` exists, so creating it takes no time."""
    return 0


class Directory:
    """Serves the requests by which clients find brokers (KafkaApis).

    transactions_ready_after_ms: called once, at the first request about a transactional id; gives
    the milliseconds until `__transaction_state` exists, 0 where it does already."""

    def __init__(
        self,
        profile: BrokerProfile,
        cluster: ClusterState,
        config: BrokerConfig,
        transactions_ready_after_ms: Callable[[Caller], int] = _at_once,
    ) -> None:
        self._transactions_ready_after_ms = transactions_ready_after_ms
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._versions = api_versions_response(
            profile.name, finalized_features_epoch=profile.finalized_features_epoch
        )
        self._operations = profile.operations_not_asked_for
        self._known_topics: dict[str, m.MetadataResponseTopic] = {}
        self._known_revision = -1

    @cached_property
    def _spans(self) -> dict[int, tuple[int, int]]:
        # most brokers of a learner's lab are asked nothing
        return {
            span.api_key: (span.min_version, span.max_version) for span in self._versions.api_keys
        }

    def speaks(self, api: ApiKeys, version: int) -> bool:
        """Whether this broker offers that version of the API."""
        lowest, highest = self._spans.get(api.id, (0, -1))
        return lowest <= version <= highest

    # -- API_VERSIONS

    @answers(m.ApiVersionsResponse)
    def api_versions(
        self, request: m.ApiVersionsRequest, caller: Caller, now_ms: int
    ) -> m.ApiVersionsResponse:
        """List all APIs of this broker. An API_VERSIONS request of an unknown version gets its
        answer in v0 (KIP-511)."""
        if self.speaks(ApiKeys.API_VERSIONS, caller.header.api_version):
            told: m.ApiVersionsResponse = as_sent(self._versions, caller.header.api_version)
            return told
        own = tuple(
            span for span in self._versions.api_keys if span.api_key == ApiKeys.API_VERSIONS.id
        )
        return m.ApiVersionsResponse(
            error_code=Errors.UNSUPPORTED_VERSION.code,
            api_keys=own if self._profile.names_own_range else (),
        )

    # -- METADATA

    @answers(m.MetadataResponse)
    def metadata(
        self, request: m.MetadataRequest, caller: Caller, now_ms: int
    ) -> m.MetadataResponse:
        """List the live brokers and the requested topics; None requests all topics, the internal
        ones too."""
        if request.topics is None:
            topics = tuple(self._described(name) for name in self._cluster.topics)
        else:
            topics = tuple(
                self._found(asked, request.allow_auto_topic_creation) for asked in request.topics
            )
        cluster = self._cluster
        brokers = tuple(
            m.MetadataResponseBroker(
                node_id=node.id, host=node.host, port=node.port, rack=node.rack
            )
            for node in (
                cluster.brokers[id]
                for id in self._in_order(id for id, up in cluster.alive.items() if up)
            )
        )
        return m.MetadataResponse(
            brokers=brokers,
            cluster_id=cluster.cluster_id,
            controller_id=cluster.controller_id,
            topics=topics,
            cluster_authorized_operations=self._operations,
        )

    def _found(self, asked: m.MetadataRequestTopic, may_create: bool) -> m.MetadataResponseTopic:
        name = asked.name if asked.name is not None else self._cluster.name_of(asked.topic_id)
        if name is None:
            return self._refused(Errors.UNKNOWN_TOPIC_ID, topic_id=asked.topic_id)
        if name in self._cluster.topics:
            return self._described(name)
        if not is_legal_topic(name):
            return self._refused(Errors.INVALID_TOPIC_EXCEPTION, name=name)
        if may_create and self._config.auto_create_topics_enable:
            self._cluster.create_topic(
                name, self._config.num_partitions, self._config.default_replication_factor
            )
            # The new topic is not known yet, or has no leader: the client asks again.
            return self._refused(self._profile.created_topic_error, name=name)
        return self._refused(Errors.UNKNOWN_TOPIC_OR_PARTITION, name=name)

    def _refused(
        self, error: Errors, *, name: str | None = None, topic_id: str = m.ZERO_UUID
    ) -> m.MetadataResponseTopic:
        return m.MetadataResponseTopic(
            error_code=error.code,
            name=name,
            topic_id=topic_id,
            topic_authorized_operations=self._operations,
        )

    def _described(self, name: str) -> m.MetadataResponseTopic:
        """A topic's description; it is cached until the cluster changes."""
        if self._known_revision != self._cluster.revision:
            self._known_topics.clear()
            self._known_revision = self._cluster.revision
        known = self._known_topics.get(name)
        if known is None:
            known = self._known_topics[name] = self._describe(self._cluster.topics[name])
        return known

    def _describe(self, topic: Topic) -> m.MetadataResponseTopic:
        return m.MetadataResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            is_internal=topic.is_internal,
            topic_authorized_operations=self._operations,
            partitions=tuple(
                self._describe_partition(topic.partitions[index])
                for index in self._in_order(range(len(topic.partitions)))
            ),
        )

    def _describe_partition(self, partition: Partition) -> m.MetadataResponsePartition:
        alive = self._cluster.alive
        led = partition.leader >= 0 and alive[partition.leader]
        return m.MetadataResponsePartition(
            error_code=0 if led else self._profile.leaderless_error.code,
            partition_index=partition.index,
            leader_id=partition.leader if led else -1,
            leader_epoch=partition.leader_epoch,
            replica_nodes=partition.replicas,
            isr_nodes=partition.isr,
            offline_replicas=tuple(replica for replica in partition.replicas if not alive[replica]),
        )

    def _in_order(self, numbers: Iterable[int]) -> list[int]:
        return (
            long_map_order(numbers) if self._profile.lists_in_scala_map_order else sorted(numbers)
        )

    # -- FIND_COORDINATOR

    @answers(m.FindCoordinatorResponse)
    def find_coordinator(
        self, request: m.FindCoordinatorRequest, caller: Caller, now_ms: int
    ) -> m.FindCoordinatorResponse:
        """Name the coordinators of groups or of transactional ids."""
        found = tuple(
            self._coordinator(key, request.key_type, caller, now_ms) for key in request.keys
        )
        # up to v3 the answer has no error message, as recorded
        if WireChange.COORDINATORS_BY_LIST.holds_for(caller.header):
            found = tuple(
                replace(one, error_message="") if one.error_code else one for one in found
            )
            return m.FindCoordinatorResponse(coordinators=found)
        one = found[0]
        return m.FindCoordinatorResponse(
            error_code=one.error_code,
            error_message=one.error_message,
            node_id=one.node_id,
            host=one.host,
            port=one.port,
        )

    def _coordinator(self, key: str, key_type: int, caller: Caller, now_ms: int) -> m.Coordinator:
        if key_type not in (GROUP_KEY, TRANSACTION_KEY):
            return _no_coordinator(key, Errors.INVALID_REQUEST)
        if key_type == TRANSACTION_KEY and not self._has_transactions(caller, now_ms):
            return _no_coordinator(key, Errors.COORDINATOR_NOT_AVAILABLE)
        broker = (
            self._cluster.named_coordinator_of(key)
            if key_type == GROUP_KEY
            else self._cluster.transaction_coordinator_of(key)
        )
        if broker < 0 or not self._cluster.alive[broker]:
            return _no_coordinator(key, Errors.COORDINATOR_NOT_AVAILABLE)
        node = self._cluster.brokers[broker]
        return m.Coordinator(
            key=key,
            node_id=node.id,
            host=node.host,
            port=node.port,
            error_message=self._profile.no_error_message,
        )

    def _has_transactions(self, caller: Caller, now_ms: int) -> bool:
        """Whether `__transaction_state` exists. The first request creates it."""
        return self._cluster.has_transactions(
            now_ms, lambda: self._transactions_ready_after_ms(caller)
        )


def _no_coordinator(key: str, error: Errors) -> m.Coordinator:
    node_id, host, port = NOWHERE
    return m.Coordinator(
        key=key,
        node_id=node_id,
        host=host,
        port=port,
        error_code=error.code,
        error_message=error.message,
    )
