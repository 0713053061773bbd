"""In which words does a controller refuse? The ZooKeeper controller and the KRaft controller each have their own.

Seen on 2.3.1 and 4.4.0 with kafka-topics; those a tool's own check hides are from AdminUtils, AdminZkClient and
ReplicationControlManager.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from kafkalab.protocol.frozen import message

LONGEST_NAME = 249
LEGAL = "ASCII alphanumerics, '.', '_' and '-'"


def _illegal_since_3(name: str) -> str:
    """Topic.detectInvalidTopic."""
    return f"Topic name is invalid: {_reason(name)}"


def _reason(name: str) -> str:
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > LONGEST_NAME:
        return f"the length of '{name}' is longer than the max allowed length {LONGEST_NAME}"
    return f"'{name}' contains one or more characters other than {LEGAL}"


def _illegal_before_3(name: str) -> str:
    """Topic.validate of 2.x."""
    if not name:
        return "Topic name is illegal, it can't be empty"
    if name in (".", ".."):
        return 'Topic name cannot be "." or ".."'
    if len(name) > LONGEST_NAME:
        return f"Topic name is illegal, it can't be longer than {LONGEST_NAME} characters, topic name: {name}"
    return f'Topic name "{name}" is illegal, it contains a character other than {LEGAL}'


@message
class Words:
    """One controller's sentences; the names in braces are filled in."""

    illegal_name: Callable[[str], str]
    collision: str
    no_replicas: str
    no_partitions: str
    too_many_replicas: str
    duplicate_replica: str
    unknown_replica: str
    no_such_topic: str
    same_partitions: str
    fewer_partitions: str


WORDS = {
    "2.3": Words(
        illegal_name=_illegal_before_3,
        collision="Topic '{topic}' collides with existing topics: {other}",
        no_replicas="Replication factor must be larger than 0.",
        no_partitions="Number of partitions must be larger than 0.",
        too_many_replicas="Replication factor: {replicas} larger than available brokers: {brokers}.",
        duplicate_replica="Duplicate brokers not allowed in replica assignment.",
        unknown_replica="Unknown broker(s) in replica assignment: {broker}.",
        no_such_topic="The topic '{topic}' does not exist.",
        same_partitions="Topic already has {before} partitions.",
        fewer_partitions="Topic currently has {before} partitions, which is higher than the requested {count}.",
    ),
    "4.4": Words(
        illegal_name=_illegal_since_3,
        collision="Topic '{topic}' collides with existing topic: {other}",
        no_replicas="Replication factor must be larger than 0, or -1 to use the default value.",
        no_partitions="Number of partitions was set to an invalid non-positive value.",
        too_many_replicas="Unable to replicate the partition {replicas} time(s): The target replication factor of {replicas} cannot be reached "
                          "because only {brokers} broker(s) are registered or some brokers have all their log directories cordoned.",
        duplicate_replica="The manual partition assignment includes the broker more than once.",
        unknown_replica="The manual partition assignment includes broker {broker}, but no such broker is registered.",
        no_such_topic="This server does not host this topic-partition.",
        same_partitions="Topic already has {before} partition(s).",
        fewer_partitions="The topic {topic} currently has {before} partition(s); {count} would not be an increase.",
    ),
}


def colliding(name: str, topics: Collection[str]) -> str | None:
    """An existing topic whose metrics could not be told from the new one's: '.' and '_' are one in a metric's name."""
    flat = name.replace(".", "_")
    return next((other for other in topics if other != name and other.replace(".", "_") == flat), None)
