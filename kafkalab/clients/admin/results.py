"""The results of an admin client's methods: futures under the names Java gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.clients.admin.futures import KafkaFuture, Outcomes

if TYPE_CHECKING:
    from kafkalab.records import TopicPartition


class CreateTopicsResult(Outcomes):
    """values(): topic -> future; all()."""

    def num_partitions(self, topic: str) -> KafkaFuture:
        return self[topic].apply(lambda made: made.num_partitions)

    def replication_factor(self, topic: str) -> KafkaFuture:
        return self[topic].apply(lambda made: made.replication_factor)

    def topic_id(self, topic: str) -> KafkaFuture:
        return self[topic].apply(lambda made: made.topic_id)


class DeleteTopicsResult(Outcomes):
    def topic_name_values(self) -> dict[str, KafkaFuture]:
        return self.values()


class CreatePartitionsResult(Outcomes):
    """values(): topic -> future; all()."""


class ListTopicsResult(Outcomes):
    def names_to_listings(self) -> KafkaFuture:
        return self["topics"]

    def listings(self) -> KafkaFuture:
        return self["topics"].apply(lambda topics: list(topics.values()))

    def names(self) -> KafkaFuture:
        return self["topics"].apply(sorted)


class DescribeTopicsResult(Outcomes):
    def topic_name_values(self) -> dict[str, KafkaFuture]:
        return self.values()

    def all_topic_names(self) -> KafkaFuture:
        return self.all()


class DescribeClusterResult(Outcomes):
    def nodes(self) -> KafkaFuture:
        return self["cluster"].apply(lambda cluster: list(cluster.nodes))

    def controller(self) -> KafkaFuture:
        return self["cluster"].apply(lambda cluster: cluster.controller)

    def cluster_id(self) -> KafkaFuture:
        return self["cluster"].apply(lambda cluster: cluster.cluster_id)


class DescribeConfigsResult(Outcomes):
    """values(): resource -> future of {key: ConfigEntry}; all()."""


class ElectLeadersResult(Outcomes):
    def partitions(self) -> KafkaFuture:
        """partition -> its error, None where the election took place."""
        return self["partitions"]

    def all(self) -> KafkaFuture:
        """Fails with the first error, ElectionNotNeededException included."""
        return self["partitions"].apply(_none_or_error)


def _none_or_error(found: Mapping[Any, BaseException | None]) -> None:
    for error in found.values():
        if error is not None:
            raise error


class ListConsumerGroupsResult(Outcomes):
    def valid(self) -> KafkaFuture:
        """The groups that could be listed."""
        return self["groups"].apply(lambda found: found["valid"])

    def errors(self) -> KafkaFuture:
        """The errors of the brokers that did not list their groups."""
        return self["groups"].apply(lambda found: found["errors"])

    def all(self) -> KafkaFuture:
        """The groups, or the first error."""
        return self["groups"].apply(_all_or_error)


def _all_or_error(found: dict[str, list[Any]]) -> list[Any]:
    if found["errors"]:
        raise found["errors"][0]
    return found["valid"]


class DescribeConsumerGroupsResult(Outcomes):
    def described_groups(self) -> dict[str, KafkaFuture]:
        return self.values()


class ListConsumerGroupOffsetsResult(Outcomes):
    def partitions_to_offset_and_metadata(self, group: str | None = None) -> KafkaFuture:
        """partition -> the committed offset; None where there is none, for a partition that was
        asked for by name."""
        return self[next(iter(self.futures)) if group is None else group]


class AlterConsumerGroupOffsetsResult(Outcomes):
    def partition_result(self, partition: TopicPartition) -> KafkaFuture:
        return self[partition]


class DeleteConsumerGroupsResult(Outcomes):
    def deleted_groups(self) -> dict[str, KafkaFuture]:
        return self.values()


class DeleteConsumerGroupOffsetsResult(Outcomes):
    def partition_result(self, partition: TopicPartition) -> KafkaFuture:
        return self[partition]


class ListOffsetsResult(Outcomes):
    def partition_result(self, partition: TopicPartition) -> KafkaFuture:
        return self[partition]


class DeleteRecordsResult(Outcomes):
    def low_watermarks(self) -> dict[TopicPartition, KafkaFuture]:
        """partition -> future of DeletedRecords."""
        return self.values()
