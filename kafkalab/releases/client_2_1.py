"""Client 2.1: the oldest release, from which every later page counts its differences.

The defaults of its configs stand beside the keys, in `kafkalab.config`.
"""

from __future__ import annotations

from kafkalab.errors import COMMIT_FAILED_REBALANCED, KnownError, NotLeaderForPartitionException, ProducerFencedException
from kafkalab.protocol.consumer_protocol import EMPTY_BYTES, ProtocolStyle
from kafkalab.releases.lineage import CLIENTS
from kafkalab.releases.page import KINDS, apis_of
from kafkalab.releases.profile import Connecting, Fetching, Group, Printing, Producing, Profile, Transacting

OLDER_ERRORS = {
    "NOT_LEADER_OR_FOLLOWER": KnownError(
        "NOT_LEADER_FOR_PARTITION", NotLeaderForPartitionException, "This server is not the leader for that topic-partition."),
    "INVALID_PRODUCER_EPOCH": KnownError(
        "INVALID_PRODUCER_EPOCH", ProducerFencedException,
        "Producer attempted an operation with an old epoch. Either there is a newer producer with the same "
        "transactionalId, or the producer's transaction has been expired by the broker."),
}
CONNECTING = Connecting(
    coordinator_connection="{opposite}",
    least_loaded="fewest unanswered",
    bootstrap_needs_update=False,
    exponential_refresh_backoff=False,
    jitter_inside_cap=False,
    names_idle_closes=False,
    warns_of_bootstrap_disconnect=False,
    telemetry_after_refusal_ms=None,
    cluster_check=False,
    tells_cancelled_by_itself=False,
    await_ready_polls_first=False,
    learns_leaders=False,
    cluster_in_hash_order=False,
    older_errors=OLDER_ERRORS,
    starting_ms=430,
    first_use_ms={
        "consumer connecting": (95, 220), "producer connecting": (110, 250), "API_VERSIONS": (1, 3),
        "reading API_VERSIONS": (2, 5), "FIND_COORDINATOR": (1, 3), "OFFSET_FETCH": (1, 4), "LIST_OFFSETS": (0, 3),
        "PRODUCE": (1, 3), "OFFSET_COMMIT": (0, 3), "writing": (3, 8),
    },
)
GROUP = Group(
    client_id_without_group="consumer-{n}",
    client_id_with_group="consumer-{n}",
    awaits_join_in_poll=True,
    prepares_with_async_commit=False,
    revokes_even_nothing=True,
    raises_listener_errors=False,
    revokes_on_close=False,
    join_disables_heartbeats=True,
    heartbeats_from_join=False,
    states_rejoin_reason=False,
    member_id_required_is_failure=False,
    eager_unassigns_at_prepare=False,
    tells_owned_partitions=False,
    requires_stable_offsets=False,
    enforces_rebalances=False,
    tells_commits_of_rebalances=False,
    keeps_answered_lookup=False,
    rests_after_lookup=False,
    leave_reason_in_full=False,
    keeps_id_of_old_generation=False,
    commit_failed_text=COMMIT_FAILED_REBALANCED,
    assignors=("range", "roundrobin", "sticky"),
    assigns_static_first=False,
    assigns_by_rack=False,
    sticky_knows_generations=False,
    sticky_fast_path="",
    sticky_takes_from_the_fullest=True,
    sticky_moves_new_first=False,
    sticky_reads_user_data_once=False,
    sticky_takes_numbers_on_trust=False,
    sticky_balance_margin=0,
    sticky_sorts_owned=False,
    subscription_style=ProtocolStyle(version=0, user_data_if_none=EMPTY_BYTES),
    plays_consumer_protocol=False,
    assigns_in_poll=False,
    heartbeat_state_class="AbstractHeartbeatRequestManager$HeartbeatRequestState",
    classic_banner=False,
)
FETCHING = Fetching(
    validates_positions=False,
    validates_all_at_each_leader=True,
    notes_epoch_before_setting=False,
    position_style="plain",
    list_offsets_with_epoch=False,
    fetches_with_epoch=False,
    keeps_leader_of_position=False,
    keeps_paused_data=False,
    rotates_partitions=True,
    closes_fetch_sessions=False,
    mentions_empty_fetches=True,
    returns_when_position_moved=False,
    spares_buffered_nodes=False,
    transmits_after_assign=False,
    counts_polls_and_rebalances=False,
    names_both_threads=False,
)
PRODUCING = Producing(
    partitioner="round robin",
    partitioner_classes=("DefaultPartitioner",),
    asks_partitioner_again="",
    round_robin_skips=False,
    ready_in_hash_order=True,
    drain_index_by_node=False,
    batches_follow_leader=False,
    halves_split_batches=False,
    names_partition_of_buffer=True,
    sends_request_topic_updates=False,
    names_partition_count=False,
    headers_read_only=True,
    has_buffer_exhausted_exception=False,
    buffer_exhausted_text="Failed to allocate memory within the configured max blocking time {limit_ms} ms.",
    too_large_text=("The message is {size} bytes when serialized which is larger than the maximum request size you have configured "
                    "with the max.request.size configuration."),
    names_lost_node=False,
    tells_timed_out_requests=False,
    fills_metadata_of_failed_send=False,
    flush_in_callback_fails=False,
    refuses_more_in_flight=False,
)
TRANSACTING = Transacting(
    queues_init_producer_id=False,
    bumps_idempotent_epoch=False,
    speaks_transaction_v2=False,
    offsets_carry_member=False,
    awaits_topic_ids_of_offsets=False,
    partition_joins_before_append=True,
    tells_failure_first=False,
    aborts_when_closed=False,
    limits_transactional_calls=False,
    refuses_calls_after_error=False,
    wrong_state_is_illegal=False,
    names_pending_call=False,
    no_transaction_for_offsets_text="Cannot send offsets to transaction either because the producer is not in an active transaction",
    send_before_init_text="Cannot perform a 'send' before completing a call to initTransactions when transactions are enabled.",
    send_outside_text="Cannot call send in state {state}",
    fenced_text="",
    old_epoch_text="",
    awaited_too_long_text="Timeout expired while initializing transactional state in {limit_ms}ms.",
    transactional_connecting_ms=(165, 205),
)
NOT_GENERATED = frozenset({
    "ListOffsetsRequest", "ListOffsetsResponse", "OffsetForLeaderEpochRequest", "OffsetForLeaderEpochResponse",
    "AddPartitionsToTxnRequest", "AddPartitionsToTxnResponse", "AddOffsetsToTxnRequest", "AddOffsetsToTxnResponse",
    "EndTxnRequest", "EndTxnResponse", "TxnOffsetCommitRequest", "TxnOffsetCommitResponse", "MetadataRequest",
    "FindCoordinatorRequest", "FindCoordinatorResponse", "JoinGroupRequest", "JoinGroupResponse", "SyncGroupRequest",
    "InitProducerIdRequest", "InitProducerIdResponse",
})
PRINTING = Printing(
    node_knows_fencing=False,
    reset_strategy="{upper}",
    prints_ids_of_changes=False,
    isolation_in_lower_case=False,
    prints_generation_object=False,
    prints_assignment_in_hash_order=True,
    brackets_partitions=True,
    prints_given_client_id=True,
    prints_acks_as_given=True,
    wire_as_struct=True,
    struct_names="hand-written",
    old_objects=NOT_GENERATED,
    null_in_quotes=False,
    header_version=False,
    timed_out=False,
    cluster="Cluster",
    features=False,
    zk_migration=False,
    fetched_as_data=False,
    fetched_replica=False,
    fetched_divergence=False,
    auto_create=False,
    subscription="topics",
    names_removed_metrics=False,
    removes_fetch_sensors=False,
    metrics_without=frozenset(),
    deprecated_io_times=False,
)
NEWEST = {
    "Produce": 7, "Fetch": 10, "ListOffsets": 4, "Metadata": 7, "LeaderAndIsr": 1, "StopReplica": 0, "UpdateMetadata": 4,
    "ControlledShutdown": 1, "OffsetCommit": 6, "OffsetFetch": 5, "FindCoordinator": 2, "JoinGroup": 3, "Heartbeat": 2,
    "LeaveGroup": 2, "SyncGroup": 2, "DescribeGroups": 2, "ListGroups": 2, "SaslHandshake": 1, "ApiVersions": 2,
    "CreateTopics": 3, "DeleteTopics": 3, "DeleteRecords": 1, "InitProducerId": 1, "OffsetForLeaderEpoch": 2,
    "AddPartitionsToTxn": 1, "AddOffsetsToTxn": 1, "EndTxn": 1, "WriteTxnMarkers": 0, "TxnOffsetCommit": 2,
    "DescribeAcls": 1, "CreateAcls": 1, "DeleteAcls": 1, "DescribeConfigs": 2, "AlterConfigs": 1, "AlterReplicaLogDirs": 1,
    "DescribeLogDirs": 1, "SaslAuthenticate": 0, "CreatePartitions": 1, "CreateDelegationToken": 1,
    "RenewDelegationToken": 1, "ExpireDelegationToken": 1, "DescribeDelegationToken": 1, "DeleteGroups": 1,
}
"""The newest version it knows of each API, read off its ApiVersions lines."""

PROFILE = Profile(
    name=CLIENTS[0].name, release=CLIENTS[0].recorded, commit_id=CLIENTS[0].commit_id,
    connecting=CONNECTING, group=GROUP, fetching=FETCHING, producing=PRODUCING, transacting=TRANSACTING, printing=PRINTING,
    apis=apis_of(NEWEST, {}, {}),
    admin_lacks={"alter_consumer_group_offsets": "KIP-396 (2.5)", "list_offsets": "KIP-396 (2.5)",
                 "delete_consumer_group_offsets": "KIP-496 (2.4)", "elect_leaders": "KIP-460 (2.4)"},
    config={kind: {} for kind in KINDS},
    checks={},
)
