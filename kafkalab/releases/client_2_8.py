"""Client 2.8: what differs from 2.3."""

from __future__ import annotations

from kafkalab.protocol.consumer_protocol import NULL_BYTES, ProtocolStyle
from kafkalab.releases.page import UNSEEN, ClientChange, Page

PAGE = Page(
    "2.8",
    (
        # Connecting
        ClientChange(
            "KIP-601 (2.7)",
            "Of the nodes without a connection the least loaded one is the one not tried for "
            "longest; "
            "setting up a connection has a time limit.",
            connecting={"least_loaded": "connected, then longest untried"},
            client_config={
                "socket.connection.setup.timeout.ms": 10_000,
                "socket.connection.setup.timeout.max.ms": 30_000,
            },
        ),
        ClientChange(
            "KIP-602 (2.6)",
            "All addresses of a host name are tried.",
            client_config={"client.dns.lookup": "use_all_dns_ips"},
        ),
        ClientChange(
            "source of 2.8",
            "A socket that the client closes itself has a line for each request that goes with it.",
            connecting={"tells_cancelled_by_itself": True},
        ),
        ClientChange(
            "recordings",
            "awaitReady polls before it connects, so the metadata's own pick may connect first.",
            connecting={"await_ready_polls_first": True},
        ),
        ClientChange(
            "KAFKA-10223 (2.6), KIP-588 (2.7)",
            "NOT_LEADER_OR_FOLLOWER has its new name; an old epoch does not end the producer any "
            "more.",
            connecting={"older_errors": {}},
        ),
        ClientChange(
            "recordings",
            "A JVM takes another time to start and to use each request for the first time.",
            connecting={
                "starting_ms": 500,
                "first_use_ms": {
                    "consumer connecting": (200, 450),
                    "producer connecting": (11, 305),
                    "API_VERSIONS": (12, 17),
                    "reading API_VERSIONS": (38, 69),
                    "METADATA": (1, 2),
                    "FIND_COORDINATOR": (0, 2),
                    "OFFSET_FETCH": (1, 3),
                    "FETCH": (1, 3),
                    "PRODUCE": (2, 6),
                    "INIT_PRODUCER_ID": (0, 4),
                    "SYNC_GROUP": (1, 3),
                    "LEAVE_GROUP": (1, 3),
                },
            },
        ),
        # Groups
        ClientChange(
            "KIP-429 (2.4)",
            "Members tell which partitions they own (absent user data is a null now), and "
            "CooperativeStickyAssignor moves only what must move.",
            group={
                "tells_owned_partitions": True,
                "eager_unassigns_at_prepare": True,
                "subscription_style": ProtocolStyle(version=1, user_data_if_none=NULL_BYTES),
                "assignors": ("range", "roundrobin", "sticky", "cooperative-sticky"),
            },
        ),
        ClientChange(
            "KAFKA-9033 (2.4)",
            "A consumer's default client.id names its group, and is printed.",
            group={
                "client_id_without_group": "consumer-null-{n}",
                "client_id_with_group": "consumer-{group}-{n}",
            },
            printing={"prints_given_client_id": False},
        ),
        ClientChange(
            "KAFKA-8421 (2.5)",
            "poll() no longer waits for JoinGroup: it goes on fetching.",
            group={"awaits_join_in_poll": False},
        ),
        ClientChange(
            "recordings (2.4)",
            "A first join revokes nothing, says nothing of it and calls no callback.",
            group={"revokes_even_nothing": False},
        ),
        ClientChange(
            "KIP-429, KAFKA-8179 (2.4)",
            "What a rebalance listener raises ends the poll, and close() calls "
            "onPartitionsRevoked.",
            group={"raises_listener_errors": True, "revokes_on_close": True},
        ),
        ClientChange(
            "KAFKA-10134 (2.7)",
            "Heartbeats go on during a join and begin after the JoinGroup answer.",
            group={"join_disables_heartbeats": False, "heartbeats_from_join": True},
        ),
        ClientChange(
            "KIP-447 (2.5)",
            "Offsets in a transaction carry member and generation; OffsetFetch waits for open "
            "transactions; "
            "a commit during a rebalance says so.",
            group={"requires_stable_offsets": True, "tells_commits_of_rebalances": True},
            transacting={"offsets_carry_member": True},
            producer_config={"internal.auto.downgrade.txn.commit": False},
            consumer_config={"internal.throw.on.fetch.stable.offset.unsupported": False},
            newest={"OffsetFetch": 7, "TxnOffsetCommit": 3},
        ),
        ClientChange(
            "KIP-568 (2.6)",
            "A consumer can ask for a rebalance (enforceRebalance).",
            group={"enforces_rebalances": True},
        ),
        ClientChange(
            "KAFKA-10793 (2.8)",
            "An answered FIND_COORDINATOR counts until the application's thread has looked at it.",
            group={"keeps_answered_lookup": True},
        ),
        ClientChange(
            "recordings",
            "LeaveGroup's line repeats the whole sentence about the poll time-out.",
            group={"leave_reason_in_full": True},
        ),
        ClientChange(
            "recordings",
            "commit_sync() of a member that was left out has another sentence.",
            group={
                "commit_failed_text": (
                    "Offset commit cannot be completed since the consumer is not part of an "
                    "active group for auto partition assignment; "
                    "it is likely that the consumer was kicked out of the group."
                )
            },
        ),
        ClientChange(
            "KAFKA-8355, KAFKA-8356 (2.4)",
            "range and roundrobin sort static members by instance id, before the others.",
            group={"assigns_static_first": True},
        ),
        ClientChange(
            "KAFKA-9987 (2.6)",
            "The sticky assignor has a fast way for members that want the same topics, and "
            "balances first "
            "with the partitions that had no reader.",
            group={
                "sticky_fast_path": "capacity",
                "sticky_moves_new_first": True,
                "sticky_takes_from_the_fullest": False,
            },
        ),
        ClientChange(
            "source of 2.4",
            "Members that the sticky assignor looked at before its general algorithm began have "
            "lost their past.",
            group={"sticky_reads_user_data_once": True},
        ),
        # Fetching
        ClientChange(
            "source of 2.8",
            "A leader is asked only about its own partitions.",
            fetching={"validates_all_at_each_leader": False},
        ),
        ClientChange(
            "source of 2.6",
            "A leader that does not know a position's epoch makes it follow auto.offset.reset; "
            "before, the answer's "
            "-1 was taken for an offset.",
            fetching={"resets_unknown_ends": True},
        ),
        ClientChange(
            "source of 2.8",
            "LogTruncationException names the truncated partitions; the line beside it shows "
            "offset and epoch.",
            fetching={
                "truncation_text": "Detected truncated partitions: {truncations}",
                "prints_epoch_end_object": False,
            },
        ),
        ClientChange(
            "recordings (2.4)",
            "A committed offset's epoch is compared with the metadata's before the position is "
            "set.",
            fetching={"notes_epoch_before_setting": True},
        ),
        ClientChange(
            "recordings",
            "A position prints its epoch and leader as Optional, and remembers its leader.",
            fetching={"position_style": "optional", "keeps_leader_of_position": True},
        ),
        ClientChange(
            "KAFKA-7548 (2.4)",
            "Data of a paused partition is kept.",
            fetching={"keeps_paused_data": True},
        ),
        ClientChange(
            "recordings",
            "A fetch without records has its line again; a poll without a group sends what is "
            "queued.",
            fetching={"mentions_empty_fetches": True, "transmits_after_assign": True},
        ),
        ClientChange(
            "KIP-517, KIP-429 (2.4)",
            "Time between polls and rebalances are among the metrics.",
            fetching={"counts_polls_and_rebalances": True},
        ),
        # Producing
        ClientChange(
            "KIP-480 (2.4)",
            "Records without a key stay with one partition until its batch is full; partitioners "
            "are asked again "
            "for a new batch, so RoundRobinPartitioner skips.",
            producing={
                "partitioner": "sticky",
                "asks_partitioner_again": "any",
                "round_robin_skips": True,
                "partitioner_classes": (
                    "RoundRobinPartitioner",
                    "UniformStickyPartitioner",
                    "DefaultPartitioner",
                ),
            },
        ),
        ClientChange(
            "KIP-526 (2.5)",
            "A send that waits for a topic asks for that topic's metadata; topics out of use are "
            "forgotten.",
            producing={"sends_request_topic_updates": True},
            producer_config={"metadata.max.idle.ms": 300_000},
        ),
        ClientChange(
            "KAFKA-3720 (2.6)",
            "BufferExhaustedException is a TimeoutException, raised when memory ran out.",
            producing={"has_buffer_exhausted_exception": True},
        ),
        ClientChange(
            "recordings",
            "RecordTooLargeException names the limit.",
            producing={
                "too_large_text": "The message is {size} bytes when serialized which is larger "
                "than {limit}, which is the value of "
                "the max.request.size configuration."
            },
        ),
        ClientChange(
            "recordings",
            "Errors of requests that were lost name the node.",
            producing={"names_lost_node": True},
        ),
        # Transactions
        ClientChange(
            "KIP-360 (2.5)",
            "A producer raises its own epoch after a gap, and may ask the coordinator for the "
            "next.",
            transacting={"bumps_idempotent_epoch": True, "queues_init_producer_id": True},
        ),
        ClientChange(
            "recordings",
            "A record is appended before its partition joins the transaction.",
            transacting={"partition_joins_before_append": False},
        ),
        ClientChange(
            "recordings",
            "Transactional errors have other sentences; the first connection takes another time.",
            transacting={
                "old_epoch_text": "Producer attempted to produce with an old epoch {producer}",
                "awaited_too_long_text": "Timeout expired after {limit_ms} milliseconds while "
                "awaiting {operation}",
                "transactional_connecting_ms": (125, 142),
            },
        ),
        # Configuration
        ClientChange(
            "KIP-533 (2.5)",
            "An admin client has a time limit for whole calls; the retries fit into it.",
            admin_config={
                "default.api.timeout.ms": 60_000,
                "request.timeout.ms": 30_000,
                "retries": 2_147_483_647,
            },
        ),
        ClientChange(
            "KIP-492, KIP-519, KIP-553, KIP-573, KIP-651",
            "Keys and certificates may be given as text, engines and providers "
            "may be the user's own; TLS 1.3 is on and 1.1 is off.",
            client_config={
                "security.providers": None,
                "ssl.enabled.protocols": ("TLSv1.2", "TLSv1.3"),
                "ssl.engine.factory.class": None,
                "ssl.keystore.certificate.chain": None,
                "ssl.keystore.key": None,
                "ssl.protocol": "TLSv1.3",
                "ssl.truststore.certificates": None,
            },
        ),
        ClientChange(
            "KIP-613 (2.7)",
            "Metrics may be recorded at the level TRACE.",
            checks={"metrics.recording.level": "levels with TRACE"},
        ),
        ClientChange(
            "KIP-396 (2.5), KIP-496 (2.4), KIP-460 (2.4)",
            "The admin client alters, lists and deletes offsets, and elects leaders.",
            admin_gets=(
                "alter_consumer_group_offsets",
                "list_offsets",
                "delete_consumer_group_offsets",
                "elect_leaders",
            ),
            newest={"OffsetDelete": 0, "ElectLeaders": 2},
            prints_api_as={"ElectLeaders": "ElectLeaders"},
        ),
        # Versions of requests
        ClientChange(
            "KIP-559 (2.5)",
            "JoinGroup and SyncGroup name protocol type and protocol.",
            newest={"JoinGroup": 7, "SyncGroup": 5},
        ),
        ClientChange(
            "KIP-595 (2.7)",
            "A fetch carries the last epoch, and the answer says where the logs part.",
            newest={"Fetch": 12},
            printing={"fetched_divergence": True},
        ),
        ClientChange(
            "KIP-588 (2.7)",
            "PRODUCER_FENCED tells a fenced producer from one with an old epoch.",
            newest={
                "InitProducerId": 4,
                "AddPartitionsToTxn": 3,
                "AddOffsetsToTxn": 3,
                "EndTxn": 3,
            },
        ),
        ClientChange(
            "KIP-511 (2.4), KIP-482 (2.4)",
            "ApiVersions names the client's software; requests may carry tagged fields.",
            newest={
                "ApiVersions": 3,
                "Produce": 9,
                "Heartbeat": 4,
                "LeaveGroup": 4,
                "FindCoordinator": 3,
                "OffsetCommit": 8,
            },
        ),
        ClientChange(
            "KIP-516, KIP-700",
            "Metadata tells topic ids; a cluster is described by a request of its own.",
            newest={"Metadata": 11, "DescribeCluster": 0},
        ),
        ClientChange(
            "KIP-518 (2.6)", "Groups are listed with their state.", newest={"ListGroups": 4}
        ),
        ClientChange(
            "recordings",
            "Other requests have newer versions; those between brokers are offered by no recorded "
            "broker.",
            newest={
                "ListOffsets": 6,
                "LeaderAndIsr": UNSEEN,
                "StopReplica": UNSEEN,
                "UpdateMetadata": UNSEEN,
                "ControlledShutdown": UNSEEN,
                "DescribeGroups": 5,
                "CreateTopics": 7,
                "DeleteTopics": 6,
                "DeleteRecords": 2,
                "OffsetForLeaderEpoch": 4,
                "WriteTxnMarkers": 1,
                "DescribeAcls": 2,
                "CreateAcls": 2,
                "DeleteAcls": 2,
                "DescribeConfigs": 4,
                "AlterConfigs": 2,
                "AlterReplicaLogDirs": 2,
                "DescribeLogDirs": 2,
                "SaslAuthenticate": 2,
                "CreatePartitions": 3,
                "CreateDelegationToken": 2,
                "RenewDelegationToken": 2,
                "ExpireDelegationToken": 2,
                "DescribeDelegationToken": 2,
                "DeleteGroups": 2,
                "IncrementalAlterConfigs": 1,
                "AlterPartitionReassignments": 0,
                "ListPartitionReassignments": 0,
                "DescribeClientQuotas": 1,
                "AlterClientQuotas": 1,
                "DescribeUserScramCredentials": 0,
                "AlterUserScramCredentials": 0,
                "DescribeQuorum": 0,
                "AlterPartition": UNSEEN,
                "UpdateFeatures": 0,
                "DescribeProducers": 0,
                "UnregisterBroker": 0,
            },
            prints_api_as={"AlterPartition": "AlterIsr"},
        ),
        # Texts
        ClientChange(
            "KAFKA-7609",
            "All message classes are generated, and print every field of their schema.",
            printing={
                "wire_as_struct": False,
                "struct_names": "",
                "old_objects": frozenset(),
                "null_in_quotes": False,
            },
        ),
        ClientChange(
            "KIP-584 (2.7)",
            "Recorded API versions come with the cluster's features.",
            printing={"features": True},
        ),
        ClientChange(
            "recordings",
            "Metadata is called MetadataCache, a subscription prints its identity, a generation "
            "all its fields.",
            printing={
                "cluster": "MetadataCache",
                "subscription": "identity",
                "prints_generation_object": True,
            },
        ),
        ClientChange(
            "recordings",
            "The configuration prints acks and enable.idempotence as they hold.",
            printing={"prints_acks_as_given": False},
        ),
    ),
)
