"""Broker 2.3: the older of the two releases, from which the other page counts its differences.

The defaults of its configs stand beside the keys, in `kafkalab.config`.
"""

from __future__ import annotations

from kafkalab.errors import Errors
from kafkalab.releases.broker_profile import FIRST_GENERATION, BrokerProfile, ControllerWords, Tools, ranges

OFFERS = {
    "Produce": (0, 7), "Fetch": (0, 11), "ListOffsets": (0, 5), "Metadata": (0, 8), "LeaderAndIsr": (0, 2),
    "StopReplica": (0, 1), "UpdateMetadata": (0, 5), "ControlledShutdown": (0, 2), "OffsetCommit": (0, 7),
    "OffsetFetch": (0, 5), "FindCoordinator": (0, 2), "JoinGroup": (0, 5), "Heartbeat": (0, 3),
    "LeaveGroup": (0, 2), "SyncGroup": (0, 3), "DescribeGroups": (0, 3), "ListGroups": (0, 2),
    "SaslHandshake": (0, 1), "ApiVersions": (0, 2), "CreateTopics": (0, 3), "DeleteTopics": (0, 3),
    "DeleteRecords": (0, 1), "InitProducerId": (0, 1), "OffsetForLeaderEpoch": (0, 3), "AddPartitionsToTxn":
    (0, 1), "AddOffsetsToTxn": (0, 1), "EndTxn": (0, 1), "WriteTxnMarkers": (0, 0), "TxnOffsetCommit": (0,
    2), "DescribeAcls": (0, 1), "CreateAcls": (0, 1), "DeleteAcls": (0, 1), "DescribeConfigs": (0, 2),
    "AlterConfigs": (0, 1), "AlterReplicaLogDirs": (0, 1), "DescribeLogDirs": (0, 1), "SaslAuthenticate":
    (0, 1), "CreatePartitions": (0, 1), "CreateDelegationToken": (0, 1), "RenewDelegationToken": (0, 1),
    "ExpireDelegationToken": (0, 1), "DescribeDelegationToken": (0, 1), "DeleteGroups": (0, 1),
    "ElectLeaders": (0, 0), "IncrementalAlterConfigs": (0, 0),
}
"""The oldest and newest version it offers of each API, read off its ApiVersions answer."""

CONTROLLER_WORDS = ControllerWords(
    illegal_name="before 3.0",
    collision="Topic '{topic}' collides with existing topics: {other}",
    no_replicas="Replication factor must be larger than 0.",
    no_partitions="Number of partitions must be larger than 0.",
    too_many_replicas="Replication factor: {replicas} larger than available brokers: {brokers}.",
    duplicate_replica="Duplicate brokers not allowed in replica assignment.",
    unknown_replica="Unknown broker(s) in replica assignment: {broker}.",
    no_such_topic="The topic '{topic}' does not exist.",
    same_partitions="Topic already has {before} partitions.",
    fewer_partitions="Topic currently has {before} partitions, which is higher than the requested {count}.",
)
TOOLS = Tools(
    members="without instance ids",
    state="without epochs",
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
)
PROFILE = BrokerProfile(
    name="2.3",
    lists_in_scala_map_order=True,
    no_error_message="NONE",
    leaderless_error=Errors.LISTENER_NOT_FOUND,
    heartbeat_while_completing=Errors.REBALANCE_IN_PROGRESS,
    initial_delay_extends=FIRST_GENERATION,
    drops_members_without_sync=False,
    expires_unsubscribed_topics=False,
    accepts_unknown_producer=False,
    producer_ids_expire_apart=False,
    fetches_producer_ids_late=False,
    aborts_timed_out_every_ms=60_000,
    fences_by_name=False,
    verifies_transactions=False,
    transaction_version=0,
    names_own_range=False,
    hints_new_leader=False,
    forwards_to_controller=False,
    replica_lag_time_max_ms=10_000,
    asks_for_epochs=True,
    watermark_waits_for_min_isr=False,
    min_isr_is_effective=False,
    smallest_segment_bytes=14,
    stamps_delete_horizon=False,
    keyless_error=Errors.CORRUPT_MESSAGE,
    is_kraft=False,
    eligible_leader_replicas=False,
    shrink_raises_epoch=True,
    noticed_late_ms=(0, 500),
    isr_change_ms=10,
    move_ms=20,
    starting_ms=(1_500, 2_600),
    unfenced_after_ms=(0, 0),
    catches_up_ms=(200, 700),
    largest_session_timeout_ms=1_800_000,
    finalized_features_epoch=-1,
    apis=ranges(OFFERS),
    supported_features=(),
    finalized_features=(),
    controller_words=CONTROLLER_WORDS,
    tools=TOOLS,
    config={"broker": {}, "topic": {}},
)
