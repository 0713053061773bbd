"""JavaAdminClient: a released org.apache.kafka.clients.admin.Admin with the words of the
simulator's, for topics, groups and logs.

Each method returns futures at once, as the simulator's do. A thread of Python's waits for Java.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from kafkalab.clients.admin import results
from kafkalab.clients.admin.futures import Outcomes
from kafkalab.clients.admin.values import (
    ClusterDescription,
    ConfigEntry,
    ConfigResource,
    ConsumerGroupDescription,
    ConsumerGroupListing,
    DeletedRecords,
    ListOffsetsResultInfo,
    MemberDescription,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    RecordsToDelete,
    TopicDescription,
    TopicListing,
    TopicPartitionInfo,
)
from kafkalab.clients.network import arguments
from kafkalab.clients.network.node import Node
from kafkalab.errors import IllegalArgumentException
from kafkalab.real.java_client import JavaClient
from kafkalab.real.java_process import items_of
from kafkalab.real.java_records import java_offsets, java_partition, offset_from, partition_from
from kafkalab.records import OffsetAndMetadata, TopicPartition
from kafkalab.sim.apps import Signal

RECORDS_TO_DELETE = "org.apache.kafka.clients.admin.RecordsToDelete"
RESOURCE_KINDS = {"topic": "TOPIC", "broker": "BROKER"}

Found = TypeVar("Found", bound=Outcomes)
LOOK_EVERY_S = 0.005


class JavaAdminClient(JavaClient):
    """An administrator of a real lab: topics, groups, offsets and logs."""

    kind = "adminclient"
    shown = "KafkaAdminClient"

    def make(self, properties: Any) -> Any:
        """The Java admin client; its thread asks for METADATA at once."""
        return self.java.jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)

    # topics and the cluster

    def create_topics(self, topics: Iterable[NewTopic]) -> results.CreateTopicsResult:
        """TopicExistsException, InvalidReplicationFactorException and their like come through the
        futures."""
        wanted = arguments.listed(
            "create_topics",
            topics,
            NewTopic,
            "topics, such as create_topics([NewTopic('orders', 3)])",
        )
        return self._each(
            results.CreateTopicsResult,
            [topic.name for topic in wanted],
            lambda: self._object.createTopics(self.java.array_list(map(self._new_topic, wanted))),
            lambda found: None,
        )

    def _new_topic(self, topic: NewTopic) -> Any:
        kind = self.java.jvm.org.apache.kafka.clients.admin.NewTopic
        if topic.replicas_assignments is not None:
            made = kind(
                topic.name,
                self.java.hash_map(
                    (number, self.java.array_list(ids))
                    for number, ids in topic.replicas_assignments.items()
                ),
            )
        elif topic.num_partitions is not None and topic.replication_factor is not None:
            made = kind(topic.name, topic.num_partitions, topic.replication_factor)
        else:
            optional = self.java.jvm.java.util.Optional
            made = kind(
                topic.name,
                optional.ofNullable(topic.num_partitions),
                optional.ofNullable(topic.replication_factor),
            )
        return made.configs(self.java.hash_map(topic.configs)) if topic.configs else made

    def delete_topics(self, topics: Iterable[str]) -> results.DeleteTopicsResult:
        """UnknownTopicOrPartitionException for a topic that does not exist."""
        names = _several(topics)
        return self._each(
            results.DeleteTopicsResult,
            names,
            lambda: self._object.deleteTopics(self.java.array_list(names)),
            lambda found: None,
            values=("topicNameValues", "values"),
        )

    def create_partitions(
        self, new_partitions: Mapping[str, NewPartitions]
    ) -> results.CreatePartitionsResult:
        """InvalidPartitionsException unless there are more than before."""
        kind = self.java.jvm.org.apache.kafka.clients.admin.NewPartitions
        return self._each(
            results.CreatePartitionsResult,
            list(new_partitions),
            lambda: self._object.createPartitions(
                self.java.hash_map(
                    (name, kind.increaseTo(wanted.total_count))
                    for name, wanted in new_partitions.items()
                )
            ),
            lambda found: None,
        )

    def list_topics(self) -> results.ListTopicsResult:
        """The topics that are not internal."""
        return self._one(
            results.ListTopicsResult,
            "topics",
            lambda: {
                str(found.name()): TopicListing(str(found.name()), "", bool(found.isInternal()))
                for found in items_of(self._object.listTopics().listings().get())
            },
        )

    def describe_topics(self, topics: Iterable[str]) -> results.DescribeTopicsResult:
        """Leader, replicas and in-sync replicas of every partition;
        UnknownTopicOrPartitionException."""
        names = _several(topics)
        return self._each(
            results.DescribeTopicsResult,
            names,
            lambda: self._object.describeTopics(self.java.array_list(names)),
            _topic_from,
            values=("topicNameValues", "values"),
        )

    def describe_cluster(self) -> results.DescribeClusterResult:
        """The nodes of the cluster, its controller and its id."""

        def read() -> ClusterDescription:
            found = self._object.describeCluster()
            return ClusterDescription(
                str(found.clusterId().get()),
                _node_from(found.controller().get()),
                tuple(node for each in items_of(found.nodes().get()) if (node := _node_from(each))),
            )

        return self._one(results.DescribeClusterResult, "cluster", read)

    def describe_configs(
        self, resources: Iterable[ConfigResource]
    ) -> results.DescribeConfigsResult:
        """The settings of topics and brokers, each with its source. Raises
        IllegalArgumentException for another kind of resource."""
        wanted = list(resources)
        strangers = [each.type for each in wanted if each.type not in RESOURCE_KINDS]
        if strangers:
            raise IllegalArgumentException(
                'describe_configs() tells the settings of a "topic" or a "broker", not of a '
                f"{strangers[0]!r}"
            )
        kinds = self.java.jvm.org.apache.kafka.common.config

        def java_resource(one: ConfigResource) -> Any:
            kind = getattr(getattr(kinds, "ConfigResource$Type"), RESOURCE_KINDS[one.type])
            return kinds.ConfigResource(kind, one.name)

        def ask() -> Any:
            asked = self.java.array_list(map(java_resource, wanted))
            return self._object.describeConfigs(asked).values()

        def read(futures: Any, one: ConfigResource) -> dict[str, ConfigEntry]:
            found = futures[java_resource(one)].get()
            return {str(each.name()): _entry_from(each) for each in items_of(found.entries())}

        return self._settled(results.DescribeConfigsResult, wanted, ask, read)

    # groups

    def list_consumer_groups(self) -> results.ListConsumerGroupsResult:
        """The groups of consumers on all brokers."""

        def read() -> dict[str, list[Any]]:
            found = self._object.listConsumerGroups().all().get()
            return {
                "valid": [
                    ConsumerGroupListing(str(one.groupId()), bool(one.isSimpleConsumerGroup()))
                    for one in items_of(found)
                ],
                "errors": [],
            }

        return self._one(results.ListConsumerGroupsResult, "groups", read)

    def describe_consumer_groups(
        self, group_ids: Iterable[str]
    ) -> results.DescribeConsumerGroupsResult:
        """State, coordinator and members of groups."""
        names = _several(group_ids)
        return self._each(
            results.DescribeConsumerGroupsResult,
            names,
            lambda: self._object.describeConsumerGroups(self.java.array_list(names)),
            self._group_from,
            values=("describedGroups",),
        )

    def _group_from(self, found: Any) -> ConsumerGroupDescription:
        new = self.java.has_method(found, "groupState")
        return ConsumerGroupDescription(
            str(found.groupId()),
            bool(found.isSimpleConsumerGroup()),
            tuple(map(_member_from, items_of(found.members()))),
            str(found.partitionAssignor()),
            str((found.groupState() if new else found.state()).toString()),
            _node_from(found.coordinator()),  # type: ignore[arg-type]  # a group has one
        )

    def list_consumer_group_offsets(self, group_id: str) -> results.ListConsumerGroupOffsetsResult:
        """What the group has committed."""

        def read() -> dict[TopicPartition, OffsetAndMetadata | None]:
            found = self._object.listConsumerGroupOffsets(group_id)
            return {
                partition_from(entry.getKey()): offset_from(entry.getValue())
                for entry in items_of(found.partitionsToOffsetAndMetadata().get().entrySet())
            }

        return self._one(results.ListConsumerGroupOffsetsResult, group_id, read)

    def alter_consumer_group_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, OffsetAndMetadata]
    ) -> results.AlterConsumerGroupOffsetsResult:
        """UnknownMemberIdException while the group has members."""
        chosen = arguments.offsets("alter_consumer_group_offsets", offsets)

        def ask() -> Any:
            return self._object.alterConsumerGroupOffsets(group_id, java_offsets(self.java, chosen))

        def read(found: Any, one: TopicPartition) -> None:
            found.partitionResult(java_partition(self.java, one)).get()

        return self._settled(results.AlterConsumerGroupOffsetsResult, chosen, ask, read)

    def delete_consumer_groups(
        self, group_ids: Iterable[str]
    ) -> results.DeleteConsumerGroupsResult:
        """GroupNotEmptyException, GroupIdNotFoundException."""
        names = _several(group_ids)
        return self._each(
            results.DeleteConsumerGroupsResult,
            names,
            lambda: self._object.deleteConsumerGroups(self.java.array_list(names)),
            lambda found: None,
            values=("deletedGroups",),
        )

    # logs

    def list_offsets(self, specs: Mapping[TopicPartition, OffsetSpec]) -> results.ListOffsetsResult:
        """Where logs begin, end, or reach a time."""
        kind = self.java.jvm.org.apache.kafka.clients.admin.OffsetSpec

        def spec_of(spec: OffsetSpec) -> Any:
            if spec == OffsetSpec.earliest():
                return kind.earliest()
            if spec == OffsetSpec.latest():
                return kind.latest()
            return kind.forTimestamp(spec.timestamp_ms)

        def ask() -> Any:
            return self._object.listOffsets(
                self.java.hash_map(
                    (java_partition(self.java, one), spec_of(spec)) for one, spec in specs.items()
                )
            )

        def read(found: Any, one: TopicPartition) -> ListOffsetsResultInfo:
            return _offset_info(found.partitionResult(java_partition(self.java, one)).get())

        return self._settled(results.ListOffsetsResult, specs, ask, read)

    def delete_records(
        self, records_to_delete: Mapping[TopicPartition, RecordsToDelete]
    ) -> results.DeleteRecordsResult:
        """Everything before an offset becomes unreadable; OffsetOutOfRangeException beyond the high
        watermark."""

        def before(wanted: RecordsToDelete) -> Any:
            return self.java.call_static(RECORDS_TO_DELETE, "beforeOffset", wanted.before_offset)

        def ask() -> Any:
            asked = self.java.hash_map(
                (java_partition(self.java, one), before(wanted))
                for one, wanted in records_to_delete.items()
            )
            return self._object.deleteRecords(asked).lowWatermarks()

        def read(found: Any, one: TopicPartition) -> DeletedRecords:
            asked = found[java_partition(self.java, one)].get()
            return DeletedRecords(int(asked.lowWatermark()))

        return self._settled(results.DeleteRecordsResult, records_to_delete, ask, read)

    def close(self, timeout_ms: int = 30_000) -> None:
        """Wait for the calls under way, at most for `timeout_ms`, then close all sockets."""
        self._close(timeout_ms)

    # helpers

    def _each(
        self,
        kind: type[Found],
        names: list[str],
        ask: Callable[[], Any],
        read: Callable[[Any], Any],
        values: tuple[str, ...] = ("values",),
    ) -> Found:
        """A future for each name; `values` are the names that releases give to Java's map of
        futures, newest first."""

        def futures() -> Any:
            asked = ask()
            method = next(name for name in values if self.java.has_method(asked, name))
            return getattr(asked, method)()

        return self._settled(kind, names, futures, lambda found, name: read(found[name].get()))

    def _one(self, kind: type[Found], key: str, read: Callable[[], Any]) -> Found:
        return self._settled(kind, [key], lambda: None, lambda found, key: read())

    def _settled(
        self,
        kind: type[Found],
        keys: Collection[Hashable],
        ask: Callable[[], Any],
        read: Callable[[Any, Any], Any],
    ) -> Found:
        """A future for each key. A thread asks Java, and reads the value of each key from what it
        got: read(found, key)."""
        outcomes = kind(keys, _wait)

        def settle() -> None:
            try:
                found = self.java.call(ask)
            except Exception as error:
                outcomes.fail_rest(error)
                return
            for key in keys:
                try:
                    outcomes[key].complete(self.java.call(read, found, key))
                except Exception as error:
                    outcomes[key].fail(error)

        threading.Thread(target=settle, daemon=True).start()
        return outcomes


def _wait(signal: Signal, timeout_ms: int | None) -> bool:
    """Wait in real time until a future is settled; False after `timeout_ms`."""
    until = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
    while not signal.is_set:
        if until is not None and time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY_S)
    return True


def _several(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise IllegalArgumentException(f"an admin client takes several at once: [{names!r}]")
    return list(names)


def _node_from(found: Any) -> Node | None:
    """Python's Node of Java's; None for none, which Java writes as a node with the id -1."""
    if found is None or int(found.id()) < 0:
        return None
    number = int(found.id())
    return Node(
        number,
        number,
        str(found.idString()),
        str(found.host()),
        int(found.port()),
        found.rack(),
        str(found.toString()),
    )


def _entry_from(found: Any) -> ConfigEntry:
    value = found.value()
    return ConfigEntry(
        str(found.name()),
        None if value is None else str(value),
        str(found.source().name()),
        bool(found.isReadOnly()),
    )


def _topic_from(found: Any) -> TopicDescription:
    return TopicDescription(
        str(found.name()),
        bool(found.isInternal()),
        tuple(
            TopicPartitionInfo(
                int(info.partition()),
                _node_from(info.leader()),
                tuple(node for each in items_of(info.replicas()) if (node := _node_from(each))),
                tuple(node for each in items_of(info.isr()) if (node := _node_from(each))),
            )
            for info in items_of(found.partitions())
        ),
        "",
    )


def _member_from(found: Any) -> MemberDescription:
    return MemberDescription(
        str(found.consumerId()),
        found.groupInstanceId().orElse(None),
        str(found.clientId()),
        str(found.host()),
        tuple(
            sorted(partition_from(one) for one in items_of(found.assignment().topicPartitions()))
        ),
    )


def _offset_info(found: Any) -> ListOffsetsResultInfo:
    epoch = found.leaderEpoch()
    return ListOffsetsResultInfo(
        int(found.offset()), int(found.timestamp()), int(epoch.get()) if epoch.isPresent() else None
    )
