"""Holds the differences between the Kafka tools of two releases, one row per release.

The rows come from the real tools' output. No code compares release names. The tools of 2.3.1 were
run on a 2.3.1 broker, those of 4.1.0 on a 4.4.0 broker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafkalab.tools import group_tables as groups
from kafkalab.reading.history.group_rows import MemberRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The output of Kafka's tools in one release.

    members, state      lay out --members and --state
    lists_states        --list accepts --state and --type (KIP-518, KIP-848)
    tells_epoch         --offsets --verbose prints leader epochs
    by_number           a member's partitions are in ascending order
    says_not_found      the message for an unknown group
    delete_cause        the cause in the message of a refused deletion
    resets_as_named     a reset keeps the order of the named partitions, not a hash map's order
    topic_line          kafka-topics' line about a topic
    tells_elr           each partition has its eligible leader replicas (KIP-966)
    sets_min_isr        the cluster sets min.insync.replicas for every topic, as KIP-966 requires
    says_created        the message after --create
    offsets_as_text     kafka-get-offsets sorts its lines as text
    no_topic            the message for a topic that has no offsets
    log_dirs_first      a log dir's JSON begins with its name, and the whole output with a version
    dump_*              words of kafka-dump-log
    tells_transactions  brokers support LIST_TRANSACTIONS (KIP-664)
    """

    members: Callable[[str, Sequence[MemberRow], bool], str]
    state: Callable[[str, Mapping[str, Any], str, bool], str]
    tells_epoch: bool
    by_number: bool
    lists_states: bool
    says_not_found: str
    delete_cause: str
    resets_as_named: bool
    topic_line: str
    tells_elr: bool
    sets_min_isr: bool
    says_created: str
    offsets_as_text: bool
    no_topic: str
    log_dirs_first: bool
    dump_first: str
    dump_horizon: str
    dump_no_compression: str
    dump_key_size: str
    dump_value_size: str
    tells_transactions: bool


RELEASES = {
    "2.3": Release(
        members=groups.members_table_2_3,
        state=groups.state_table_2_3,
        tells_epoch=False,
        by_number=True,
        lists_states=False,
        says_not_found="Error: Consumer group '{group}' does not exist.",
        delete_cause="java.util.concurrent.ExecutionException: {error}",
        resets_as_named=True,
        topic_line="Topic:{name}\tPartitionCount:{partitions}\tReplicationFactor:{replicas}\tConfigs:{configs}\n",
        tells_elr=False,
        sets_min_isr=False,
        says_created="",
        offsets_as_text=False,
        no_topic="Topic {topic} does not exist",
        log_dirs_first=True,
        dump_first="Starting offset",
        dump_horizon="",
        dump_no_compression="NONE",
        dump_key_size="keysize",
        dump_value_size="valuesize",
        tells_transactions=False,
    ),
    "4.4": Release(
        members=groups.members_table_4,
        state=groups.state_table_4,
        tells_epoch=True,
        by_number=False,
        lists_states=True,
        says_not_found="Error: Executing consumer group command failed due to "
                       "org.apache.kafka.common.errors.GroupIdNotFoundException: Group {group} not found.",
        delete_cause="{error}",
        resets_as_named=False,
        topic_line="Topic: {name}\tTopicId: {id}\tPartitionCount: {partitions}\tReplicationFactor: {replicas}\tConfigs: {configs}\n",
        tells_elr=True,
        sets_min_isr=True,
        says_created="Created topic {topic}.\n",
        offsets_as_text=True,
        no_topic="Could not match any topic-partitions with the specified filters",
        log_dirs_first=False,
        dump_first="Log starting offset",
        dump_horizon=" deleteHorizonMs: OptionalLong.empty",
        dump_no_compression="none",
        dump_key_size="keySize",
        dump_value_size="valueSize",
        tells_transactions=True,
    ),
}
"""Release of the brokers -> the tools of that release."""
