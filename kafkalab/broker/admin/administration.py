"""Administration: serves the requests of an administrator about topics, leaders, brokers and
settings.

In Kafka these are handlers of KafkaApis. The controller does the work (AdminManager up to 2.x,
ReplicationControlManager and ConfigurationControlManager in KRaft) and writes the error messages
(`admin_texts`). A 2.3 broker that is not the controller refuses, a 4.4 broker passes the request on
(KIP-590). Here every broker changes the one `ClusterState`, at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.broker import admin_texts as texts
from kafkalab.broker.broker_config import DOTTED, BrokerConfig, broker_config
from kafkalab.broker.cluster.cluster_state import ClusterState, is_legal_topic
from kafkalab.broker.effects import Caller, Effect
from kafkalab.broker.log import topic_config
from kafkalab.broker.log.topic_config_values import conflict
from kafkalab.broker.steps import Refusal, answers
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.releases import BrokerProfile

TOPIC, BROKER = 2, 4
"""Resource types (ConfigResource.Type)."""

PREFERRED, UNCLEAN = 0, 1
"""Types of elections (ElectionType)."""

DEFAULT, STATIC_BROKER = 5, 4
"""Where a setting comes from (DescribeConfigsResponse.ConfigSource)."""


class Administration:
    """Serves one broker's administrative requests (KafkaApis).

    is_controller: whether this broker changes topics itself. elect: asks the controller to elect
    leaders."""

    def __init__(
        self,
        node_id: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        config: BrokerConfig,
        elect: Callable[[list[tuple[str, int]], bool], Mapping[tuple[str, int], Errors]],
    ) -> None:
        self._node_id = node_id
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._words, self._elect = profile.controller_words, elect

    @property
    def is_controller(self) -> bool:
        return self._profile.forwards_to_controller or self._cluster.controller_id == self._node_id

    def handlers(self) -> dict[type, Callable[[Any, Caller, int], list[Effect]]]:
        """Type of request -> the method that handles it."""
        return {
            m.CreateTopicsRequest: self.create_topics,
            m.DeleteTopicsRequest: self.delete_topics,
            m.CreatePartitionsRequest: self.create_partitions,
            m.DescribeClusterRequest: self.describe_cluster,
            m.DescribeConfigsRequest: self.describe_configs,
            m.ElectLeadersRequest: self.elect_leaders,
        }

    # -- topics

    @answers(m.CreateTopicsResponse)
    def create_topics(
        self, request: m.CreateTopicsRequest, caller: Caller, now_ms: int
    ) -> m.CreateTopicsResponse:
        results = []
        for topic in request.topics:
            try:
                result = self._create(topic, request.validate_only)
            except Refusal as refusal:
                result = m.CreatableTopicResult(
                    name=topic.name,
                    error_code=refusal.error.code,
                    error_message=refusal.message,
                )
            results.append(result)
        return m.CreateTopicsResponse(topics=tuple(results))

    def _size_of(self, topic: m.CreatableTopic) -> tuple[int, int]:
        """How many partitions, and how many replicas of each."""
        if topic.assignments:
            return len(topic.assignments), len(topic.assignments[0].broker_ids)
        partitions = (
            self._config.num_partitions if topic.num_partitions == -1 else topic.num_partitions
        )
        replicas = (
            self._config.default_replication_factor
            if topic.replication_factor == -1
            else topic.replication_factor
        )
        return partitions, replicas

    def _check_new(self, topic: m.CreatableTopic) -> None:
        """Refuse a topic that cannot be created."""
        self._check_controller()
        if not is_legal_topic(topic.name):
            raise Refusal(
                Errors.INVALID_TOPIC_EXCEPTION,
                texts.ILLEGAL_NAMES[self._words.illegal_name](topic.name),
            )
        if topic.name in self._cluster.topics:
            raise Refusal(Errors.TOPIC_ALREADY_EXISTS, f"Topic '{topic.name}' already exists.")
        collides = texts.colliding(topic.name, self._cluster.topics)
        if collides is not None:
            raise Refusal(
                Errors.INVALID_TOPIC_EXCEPTION,
                self._words.collision.format(topic=topic.name, other=collides),
            )
        for config in topic.configs:
            refusal = topic_config.refusal(config.name, config.value)
            if refusal is not None:
                raise Refusal(Errors.INVALID_CONFIG, refusal)
        contradiction = conflict({one.name: one.value for one in topic.configs})
        if contradiction is not None:
            raise Refusal(Errors.INVALID_CONFIG, contradiction)
        partitions, replicas = self._size_of(topic)
        if replicas < 1:
            raise Refusal(Errors.INVALID_REPLICATION_FACTOR, self._words.no_replicas)
        if partitions < 1:
            raise Refusal(Errors.INVALID_PARTITIONS, self._words.no_partitions)
        brokers = self._cluster.brokers
        if topic.assignments:
            numbers = sorted(one.partition_index for one in topic.assignments)
            if numbers != list(range(len(numbers))):
                raise Refusal(Errors.INVALID_REPLICA_ASSIGNMENT, texts.GAP_IN_ASSIGNMENT)
            self._check_assignment([one.broker_ids for one in topic.assignments])
        if replicas > len(brokers):
            raise Refusal(
                Errors.INVALID_REPLICATION_FACTOR,
                self._words.too_many_replicas.format(replicas=replicas, brokers=len(brokers)),
            )

    def _check_assignment(self, assignments: list[tuple[int, ...]]) -> None:
        """Check a manual assignment: it names existing brokers, each once, and equally many for
        each partition."""
        if len({len(brokers) for brokers in assignments}) > 1:
            raise Refusal(
                Errors.INVALID_REPLICA_ASSIGNMENT,
                "All partitions should have the same number of replicas.",
            )
        for brokers in assignments:
            if not brokers:
                raise Refusal(Errors.INVALID_REPLICA_ASSIGNMENT, self._words.empty_assignment)
            twice = next((broker for broker in brokers if brokers.count(broker) > 1), None)
            if twice is not None:
                raise Refusal(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    self._words.duplicate_replica.format(broker=twice),
                )
            unknown = next(
                (broker for broker in brokers if broker not in self._cluster.brokers), None
            )
            if unknown is not None:
                raise Refusal(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    self._words.unknown_replica.format(broker=unknown),
                )

    def _create(self, topic: m.CreatableTopic, validate_only: bool) -> m.CreatableTopicResult:
        self._check_new(topic)
        if validate_only:
            return m.CreatableTopicResult(name=topic.name)
        partitions, replicas = self._size_of(topic)
        placed = [
            one.broker_ids for one in sorted(topic.assignments, key=lambda one: one.partition_index)
        ] or None
        self._cluster.create_topic(
            topic.name,
            partitions,
            replicas,
            placed and [brokers[0] for brokers in placed],
            replicas=placed,
            config={one.name: one.value for one in topic.configs},
        )
        return m.CreatableTopicResult(
            name=topic.name,
            topic_id=self._cluster.topics[topic.name].topic_id,
            num_partitions=partitions,
            replication_factor=replicas,
        )

    @answers(m.DeleteTopicsResponse)
    def delete_topics(
        self, request: m.DeleteTopicsRequest, caller: Caller, now_ms: int
    ) -> m.DeleteTopicsResponse:
        """Delete topics. Requests up to v5 name them in topic_names, from v6 on in topics, by name
        or by id."""
        asked = request.topics or tuple(
            m.DeleteTopicState(name=name) for name in request.topic_names
        )
        responses = []
        for one in asked:
            name = one.name if one.name is not None else self._cluster.name_of(one.topic_id)
            try:
                result = m.DeletableTopicResult(name=name, topic_id=self._delete(name))
            except Refusal as refusal:
                result = m.DeletableTopicResult(
                    name=name,
                    topic_id=one.topic_id,
                    error_code=refusal.error.code,
                    error_message=refusal.message,
                )
            responses.append(result)
        return m.DeleteTopicsResponse(responses=tuple(responses))

    def _delete(self, name: str | None) -> str:
        """Delete a topic; returns its id. None stands for an id that no topic has."""
        self._check_controller()
        if name is None:
            raise Refusal.with_message(Errors.UNKNOWN_TOPIC_ID)
        if name not in self._cluster.topics:
            raise Refusal.with_message(Errors.UNKNOWN_TOPIC_OR_PARTITION)
        topic_id = self._cluster.topics[name].topic_id
        self._cluster.delete_topic(name)
        return topic_id

    @answers(m.CreatePartitionsResponse)
    def create_partitions(
        self, request: m.CreatePartitionsRequest, caller: Caller, now_ms: int
    ) -> m.CreatePartitionsResponse:
        results = []
        for topic in request.topics:
            try:
                self._check_wider(topic)
                if not request.validate_only:
                    assignments = (
                        [one.broker_ids for one in topic.assignments] if topic.assignments else None
                    )
                    self._cluster.add_partitions(topic.name, topic.count, assignments)
                result = m.CreatePartitionsTopicResult(name=topic.name)
            except Refusal as refusal:
                result = m.CreatePartitionsTopicResult(
                    name=topic.name,
                    error_code=refusal.error.code,
                    error_message=refusal.message,
                )
            results.append(result)
        return m.CreatePartitionsResponse(results=tuple(results))

    def _check_wider(self, topic: m.CreatePartitionsTopic) -> None:
        """Refuse a number of partitions that a topic cannot have."""
        self._check_controller()
        found = self._cluster.topics.get(topic.name)
        if found is None:
            raise Refusal(
                Errors.UNKNOWN_TOPIC_OR_PARTITION,
                self._words.no_such_topic.format(topic=topic.name),
            )
        before = len(found.partitions)
        if topic.count <= before:
            words = (
                self._words.same_partitions
                if topic.count == before
                else self._words.fewer_partitions
            )
            raise Refusal(
                Errors.INVALID_PARTITIONS,
                words.format(topic=topic.name, before=before, count=topic.count),
            )
        if topic.assignments is not None:
            if len(topic.assignments) != topic.count - before:
                raise Refusal(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    f"Increasing the number of partitions by {topic.count - before} but "
                    f"{len(topic.assignments)} assignments provided.",
                )
            self._check_assignment([one.broker_ids for one in topic.assignments])

    @answers(m.ElectLeadersResponse)
    def elect_leaders(
        self, request: m.ElectLeadersRequest, caller: Caller, now_ms: int
    ) -> m.ElectLeadersResponse:
        """Elect leaders (KIP-460). A request about all partitions gets no row for those that need
        no election."""
        self._check_controller()
        asked_of = request.topic_partitions
        places = (
            [
                (topic.name, one.index)
                for topic in self._cluster.topics.values()
                for one in topic.partitions
            ]
            if asked_of is None
            else [(asked.topic, number) for asked in asked_of for number in asked.partitions]
        )
        results: dict[str, list[m.ElectPartitionResult]] = {}
        for (topic, number), error in self._elect(places, request.election_type == UNCLEAN).items():
            if not (asked_of is None and error is Errors.ELECTION_NOT_NEEDED):
                results.setdefault(topic, []).append(
                    m.ElectPartitionResult(
                        partition_id=number, error_code=error.code, error_message=error.message
                    )
                )
        return m.ElectLeadersResponse(
            replica_election_results=tuple(
                m.ReplicaElectionResult(topic=topic, partition_result=tuple(found))
                for topic, found in results.items()
            )
        )

    def _check_controller(self) -> None:
        """Only the controller changes topics, under ZooKeeper."""
        if not self.is_controller:
            raise Refusal(Errors.NOT_CONTROLLER)

    # -- looking

    @answers(m.DescribeClusterResponse)
    def describe_cluster(
        self, request: m.DescribeClusterRequest, caller: Caller, now_ms: int
    ) -> m.DescribeClusterResponse:
        cluster = self._cluster
        brokers = tuple(
            m.DescribeClusterBroker(
                broker_id=node.id, host=node.host, port=node.port, rack=node.rack
            )
            for node in cluster.brokers.values()
            if cluster.alive[node.id]
        )
        return m.DescribeClusterResponse(
            cluster_id=cluster.cluster_id,
            controller_id=cluster.controller_id,
            brokers=brokers,
        )

    @answers(m.DescribeConfigsResponse)
    def describe_configs(
        self, request: m.DescribeConfigsRequest, caller: Caller, now_ms: int
    ) -> m.DescribeConfigsResponse:
        """List the modelled settings of a broker, or of a topic."""
        return m.DescribeConfigsResponse(
            results=tuple(self._configs_of(asked) for asked in request.resources)
        )

    def _configs_of(self, asked: m.DescribeConfigsResource) -> m.DescribeConfigsResult:
        kind, name = asked.resource_type, asked.resource_name
        defaults = broker_config(release=self._profile.name)
        if kind == TOPIC and name in self._cluster.topics:
            own = self._cluster.topics[name].config
            configs = [
                self._shown(key, value, source)
                for key, value, source in topic_config.topic_settings(own, self._config, defaults)
            ]
        elif kind == BROKER and name == str(self._node_id):
            configs = [
                self._shown(
                    key,
                    getattr(self._config, field),
                    DEFAULT
                    if getattr(self._config, field) == getattr(defaults, field)
                    else STATIC_BROKER,
                    read_only=True,
                )
                for key, field in sorted(DOTTED.items())
            ]
        else:
            refusal = self._config_refusal(kind, name)
            return m.DescribeConfigsResult(
                error_code=refusal.error.code,
                error_message=refusal.message,
                resource_type=kind,
                resource_name=name,
            )
        chosen = tuple(
            one
            for one in configs
            if asked.configuration_keys is None or one.name in asked.configuration_keys
        )
        return m.DescribeConfigsResult(resource_type=kind, resource_name=name, configs=chosen)

    def _config_refusal(self, kind: int, name: str) -> Refusal:
        if kind == TOPIC:
            return Refusal.with_message(Errors.UNKNOWN_TOPIC_OR_PARTITION)
        if kind == BROKER:
            return Refusal(
                Errors.INVALID_REQUEST,
                f"Unexpected broker id, expected {self._node_id} or empty string, but received "
                f"{name}",
            )
        return Refusal(Errors.INVALID_REQUEST, f"Unsupported resource type: {kind}")

    @staticmethod
    def _shown(
        name: str, value: object, source: int, *, read_only: bool = False
    ) -> m.DescribeConfigsResourceResult:
        return m.DescribeConfigsResourceResult(
            name=name,
            value=_config_text(value),
            read_only=read_only,
            is_default=source == DEFAULT,
            config_source=source,
        )


def _config_text(value: object) -> str | None:
    """A setting's value as Kafka writes it (ConfigDef.convertToString)."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
