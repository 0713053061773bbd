"""Plans of the admin client about topics and the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kafkalab.clients.admin.calls import ANY, CONTROLLER, Pause, Plan, PlannedRequest
from kafkalab.clients.admin.futures import Outcomes
from kafkalab.clients.admin.values import (
    ClusterDescription,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    TopicDescription,
    TopicListing,
    TopicPartitionInfo,
)
from kafkalab.clients.network.metadata import topic_name
from kafkalab.clients.network.node import Node
from kafkalab.errors import Errors, InvalidTopicException, UnsupportedVersionException, error_for
from kafkalab.protocol import messages as m
from kafkalab.records import TopicPartition, by_topic

RESOURCE_TYPES = {"topic": 2, "broker": 4}
SOURCES = {
    1: "DYNAMIC_TOPIC_CONFIG",
    2: "DYNAMIC_BROKER_CONFIG",
    3: "DYNAMIC_DEFAULT_BROKER_CONFIG",
    4: "STATIC_BROKER_CONFIG",
    5: "DEFAULT_CONFIG",
}
NO_NAME = "The given topic name '{}' cannot be represented in a request."


def at_controller(
    name: str,
    outcomes: Outcomes,
    message_of: Callable[[list[Any]], Any],
    results_of: Callable[[Any], Mapping[str, tuple[int, str | None, Any]]],
) -> Plan:
    """Asks the controller about every topic, and asks again for those it refused because it is no
    controller.

    results_of: the answer as topic -> (error code, message, value).
    """
    missing = list(outcomes.futures)
    for topic in [topic for topic in missing if not isinstance(topic, str) or not topic]:
        outcomes[topic].fail(InvalidTopicException(NO_NAME.format(topic)))
        missing.remove(topic)
    while missing:
        try:
            answer = yield PlannedRequest(name, CONTROLLER, message_of(missing))
        except Exception as error:
            outcomes.fail_rest(error)
            return
        again = []
        for topic, (code, message, value) in results_of(answer).items():
            refusal = error_for(code)
            if refusal is Errors.NOT_CONTROLLER:
                again.append(topic)
            elif refusal is Errors.NONE:
                outcomes[topic].complete(value)
            else:
                outcomes[topic].fail(refusal.exception(message))
        missing = again
        if missing:
            yield Pause(renew=True)


def create_topics(
    topics: Sequence[NewTopic], outcomes: Outcomes, validate_only: bool, timeout_ms: int
) -> Plan:
    asked = {topic.name: topic for topic in topics}

    def message(names: list[str]) -> m.CreateTopicsRequest:
        return m.CreateTopicsRequest(
            topics=tuple(_creatable(asked[name]) for name in names),
            timeout_ms=timeout_ms,
            validate_only=validate_only,
        )

    return at_controller(
        "createTopics",
        outcomes,
        message,
        lambda answer: {
            one.name: (one.error_code, one.error_message, one) for one in answer.topics
        },
    )


def _creatable(topic: NewTopic) -> m.CreatableTopic:
    assignments = tuple(
        m.CreatableReplicaAssignment(partition_index=index, broker_ids=tuple(brokers))
        for index, brokers in (topic.replicas_assignments or {}).items()
    )
    configs = tuple(
        m.CreatableTopicConfig(name=name, value=str(value)) for name, value in topic.configs.items()
    )
    return m.CreatableTopic(
        name=topic.name,
        num_partitions=-1 if topic.num_partitions is None else topic.num_partitions,
        replication_factor=-1 if topic.replication_factor is None else topic.replication_factor,
        assignments=assignments,
        configs=configs,
    )


def delete_topics(outcomes: Outcomes, timeout_ms: int) -> Plan:
    def message(names: list[str]) -> m.DeleteTopicsRequest:
        return m.DeleteTopicsRequest(
            topics=tuple(m.DeleteTopicState(name=name) for name in names), timeout_ms=timeout_ms
        )

    return at_controller(
        "deleteTopics",
        outcomes,
        message,
        lambda answer: {
            one.name: (one.error_code, one.error_message, None) for one in answer.responses
        },
    )


def create_partitions(
    wanted: Mapping[str, NewPartitions], outcomes: Outcomes, validate_only: bool, timeout_ms: int
) -> Plan:
    def message(names: list[str]) -> m.CreatePartitionsRequest:
        return m.CreatePartitionsRequest(
            topics=tuple(_widened(name, wanted[name]) for name in names),
            timeout_ms=timeout_ms,
            validate_only=validate_only,
        )

    return at_controller(
        "createPartitions",
        outcomes,
        message,
        lambda answer: {
            one.name: (one.error_code, one.error_message, None) for one in answer.results
        },
    )


def _widened(name: str, new: NewPartitions) -> m.CreatePartitionsTopic:
    assignments = (
        None
        if new.new_assignments is None
        else tuple(
            m.CreatePartitionsAssignment(broker_ids=tuple(brokers))
            for brokers in new.new_assignments
        )
    )
    return m.CreatePartitionsTopic(name=name, count=new.total_count, assignments=assignments)


def list_topics(outcomes: Outcomes, list_internal: bool) -> Plan:
    """METADATA of all topics, from any broker."""
    try:
        answer = yield PlannedRequest("listTopics", ANY, m.MetadataRequest(topics=None))
    except Exception as raised:
        outcomes.fail_rest(raised)
        return
    outcomes["topics"].complete(
        {
            topic.name: TopicListing(topic.name, topic.topic_id, topic.is_internal)
            for topic in answer.topics
            if list_internal or not topic.is_internal
        }
    )


def describe_topics(outcomes: Outcomes, node_of: Callable[..., Node]) -> Plan:
    names = []
    for name, future in outcomes.futures.items():
        if isinstance(name, str) and name:
            names.append(name)
        else:
            future.fail(InvalidTopicException(NO_NAME.format(name)))
    if not names:
        return
    request = m.MetadataRequest(
        topics=tuple(m.MetadataRequestTopic(name=name) for name in names),
        allow_auto_topic_creation=False,
    )
    try:
        answer = yield PlannedRequest("describeTopics", ANY, request)
    except Exception as raised:
        outcomes.fail_rest(raised)
        return
    nodes = {
        broker.node_id: node_of(broker.node_id, broker.host, broker.port, broker.rack)
        for broker in answer.brokers
    }
    for topic in answer.topics:
        error = error_for(topic.error_code)
        if error is Errors.NONE:
            outcomes[topic.name].complete(_description(topic, nodes, node_of))
        else:
            outcomes[topic.name].fail(error.exception())


def _description(
    topic: m.MetadataResponseTopic, nodes: Mapping[int, Node], node_of: Callable[..., Node]
) -> TopicDescription:
    def node(id: int) -> Node:
        # a broker that is down is known by its id only
        return nodes.get(id) or node_of(id, "", -1, None)

    partitions = tuple(
        TopicPartitionInfo(
            p.partition_index,
            nodes.get(p.leader_id),
            tuple(map(node, p.replica_nodes)),
            tuple(map(node, p.isr_nodes)),
        )
        for p in sorted(topic.partitions, key=lambda p: p.partition_index)
    )
    return TopicDescription(topic_name(topic), topic.is_internal, partitions, topic.topic_id)


def describe_cluster(outcomes: Outcomes, node_of: Callable[..., Node]) -> Plan:
    """DESCRIBE_CLUSTER (KIP-700), or METADATA where the client or its broker does not have that
    API."""
    try:
        try:
            answer = yield PlannedRequest("describeCluster", ANY, m.DescribeClusterRequest())
            brokers = [(b.broker_id, b) for b in answer.brokers]
        except UnsupportedVersionException:
            answer = yield PlannedRequest("describeCluster", ANY, m.MetadataRequest(topics=()))
            brokers = [(b.node_id, b) for b in answer.brokers]
    except Exception as raised:
        outcomes.fail_rest(raised)
        return
    nodes = {id: node_of(id, b.host, b.port, b.rack) for id, b in brokers}
    outcomes["cluster"].complete(
        ClusterDescription(
            answer.cluster_id, nodes.get(answer.controller_id), tuple(nodes.values())
        )
    )


def describe_configs(outcomes: Outcomes) -> Plan:
    """A broker describes itself; any broker describes topics."""
    targets: dict[str | int, list[ConfigResource]] = {}
    for resource in outcomes.futures:
        target = int(resource.name) if resource.type == "broker" and resource.name else ANY
        targets.setdefault(target, []).append(resource)
    for target, resources in targets.items():
        request = m.DescribeConfigsRequest(
            resources=tuple(
                m.DescribeConfigsResource(
                    resource_type=RESOURCE_TYPES[r.type], resource_name=r.name
                )
                for r in resources
            )
        )
        try:
            answer = yield PlannedRequest("describeConfigs", target, request)
        except Exception as error:
            for resource in resources:
                outcomes[resource].fail(error)
            continue
        for resource, result in zip(resources, answer.results):
            refusal = error_for(result.error_code)
            if refusal is Errors.NONE:
                outcomes[resource].complete(
                    {
                        one.name: ConfigEntry(
                            one.name,
                            one.value,
                            SOURCES.get(one.config_source, "UNKNOWN"),
                            one.read_only,
                        )
                        for one in result.configs
                    }
                )
            else:
                outcomes[resource].fail(refusal.exception(result.error_message))


def elect_leaders(
    outcomes: Outcomes, unclean: bool, partitions: Sequence[TopicPartition] | None, timeout_ms: int
) -> Plan:
    """Asks the controller; the outcome is partition -> error, None where it has the leader that was
    wanted."""
    wanted = (
        None
        if partitions is None
        else tuple(
            m.ElectTopicPartitions(topic=topic, partitions=numbers)
            for topic, numbers in by_topic(partitions).items()
        )
    )
    try:
        while True:
            answer = yield PlannedRequest(
                "electLeaders",
                CONTROLLER,
                m.ElectLeadersRequest(
                    election_type=int(unclean), topic_partitions=wanted, timeout_ms=timeout_ms
                ),
            )
            if error_for(answer.error_code) is not Errors.NOT_CONTROLLER:
                break
            yield Pause(renew=True)
        if answer.error_code:
            raise error_for(answer.error_code).exception()
    except Exception as raised:
        outcomes.fail_rest(raised)
        return
    outcomes["partitions"].complete(
        {
            TopicPartition(topic.topic, one.partition_id): error_for(one.error_code).exception(
                one.error_message
            )
            if one.error_code
            else None
            for topic in answer.replica_election_results
            for one in topic.partition_result
        }
    )
