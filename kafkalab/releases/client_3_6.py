"""Client 3.6: what differs from 2.8."""

from __future__ import annotations

from kafkalab.protocol.consumer_protocol import NULL_BYTES, ProtocolStyle
from kafkalab.releases.page import GONE, UNSEEN, ClientChange, Page

ASSIGNORS = "org.apache.kafka.clients.consumer."

PAGE = Page(
    "3.6",
    (
        # Connecting
        ClientChange(
            "recordings",
            "The first ApiVersions request takes longer to build, its answer longer to read.",
            connecting={
                "first_use_ms": {
                    "consumer connecting": (200, 450),
                    "producer connecting": (11, 305),
                    "API_VERSIONS": (13, 29),
                    "reading API_VERSIONS": (44, 108),
                    "METADATA": (1, 2),
                    "FIND_COORDINATOR": (0, 2),
                    "OFFSET_FETCH": (1, 3),
                    "FETCH": (1, 3),
                    "PRODUCE": (2, 6),
                    "INIT_PRODUCER_ID": (0, 4),
                    "SYNC_GROUP": (1, 3),
                    "LEAVE_GROUP": (1, 3),
                }
            },
        ),
        ClientChange(
            "KIP-602 (3.0)",
            'client.dns.lookup does not take "default" any more.',
            checks={"client.dns.lookup": "lookups without default"},
        ),
        ClientChange(
            "KAFKA-14379 (3.4)",
            "A follower that cannot be reached is not read until the leader names it again.",
            fetching={"leaves_lost_replica": True},
        ),
        # Groups
        ClientChange(
            "KIP-735 (3.0)",
            "A member has 45 seconds to show that it lives.",
            consumer_config={"session.timeout.ms": 45_000},
        ),
        ClientChange(
            "KAFKA-13023 (3.0)",
            "A consumer offers the cooperative assignor, too.",
            consumer_config={
                "partition.assignment.strategy": (
                    ASSIGNORS + "RangeAssignor",
                    ASSIGNORS + "CooperativeStickyAssignor",
                )
            },
        ),
        ClientChange(
            "KAFKA-13310 (3.2)",
            "The auto commit before a rebalance is asynchronous and awaited.",
            group={"prepares_with_async_commit": True},
        ),
        ClientChange(
            "KIP-800 (3.2)",
            "Members state why they join or leave; one that is handed its id says that its join "
            "has failed.",
            group={"states_rejoin_reason": True, "member_id_required_is_failure": True},
            newest={"LeaveGroup": 5},
        ),
        ClientChange(
            "KIP-800 (3.2), KIP-814 (3.2)",
            "A join carries its reason, and a returning static leader is told not to assign.",
            newest={"JoinGroup": 9},
        ),
        ClientChange(
            "source of 3.6",
            "The heartbeat thread waits retry.backoff.ms before it asks for the coordinator again.",
            group={"rests_after_lookup": True},
        ),
        ClientChange(
            "source of 3.6",
            "A member told ILLEGAL_GENERATION joins again under the id it has.",
            group={"keeps_id_of_old_generation": True},
        ),
        ClientChange(
            "recordings",
            "LeaveGroup's line has a short reason.",
            group={"leave_reason_in_full": False},
        ),
        ClientChange(
            "KIP-881 (3.5), KIP-792 (3.4)",
            "range and sticky look at racks; a subscription carries generation and rack.",
            group={
                "assigns_by_rack": True,
                "subscription_style": ProtocolStyle(version=3, user_data_if_none=NULL_BYTES),
            },
        ),
        ClientChange(
            "KAFKA-12464 (3.0)",
            "The sticky assignor's fast way counts quotas, and keeps a claim of a number that "
            "does not exist.",
            group={"sticky_fast_path": "quota", "sticky_takes_numbers_on_trust": True},
        ),
        ClientChange(
            "source of 3.4",
            "The sticky assignor reads every member's past.",
            group={"sticky_reads_user_data_once": False},
        ),
        ClientChange(
            "KAFKA-15106 (3.6)",
            "Nobody moves for a difference of one.",
            group={"sticky_balance_margin": 1},
        ),
        # Fetching
        ClientChange(
            "KAFKA-7109 (3.5)",
            "close() ends its fetch sessions at the brokers.",
            fetching={"closes_fetch_sessions": True},
        ),
        ClientChange(
            "source of 3.2",
            "poll() returns without records, too, when a position moved over markers or aborted "
            "records.",
            fetching={"returns_when_position_moved": True},
        ),
        ClientChange(
            "KIP-695 (3.0)",
            "A consumer knows its current lag (currentLag).",
            fetching={"tells_current_lag": True},
        ),
        ClientChange(
            "source of 3.6",
            "A consumer used by two threads at once names them.",
            fetching={"names_both_threads": True},
        ),
        ClientChange(
            "KIP-334, KAFKA-12906 (3.0)",
            "RecordDeserializationException tells partition and offset of a record that cannot be "
            "read; before, only the text of a SerializationException did.",
            fetching={"bad_record_tells": "place"},
        ),
        # Producing
        ClientChange(
            "KIP-679 (3.0)",
            "A producer waits for all in-sync replicas and numbers its batches, unless told "
            "otherwise.",
            producer_config={"acks": "all", "enable.idempotence": True},
        ),
        ClientChange(
            "KIP-794 (3.3)",
            "The accumulator chooses the partition of a record without a key, by the length of "
            "the brokers' queues; "
            "only a learner's partitioner is asked again.",
            producing={
                "partitioner": "adaptive",
                "asks_partitioner_again": "custom",
                "names_partition_of_buffer": False,
            },
            producer_config={
                "partitioner.class": None,
                "partitioner.adaptive.partitioning.enable": True,
                "partitioner.availability.timeout.ms": 0,
                "partitioner.ignore.keys": False,
            },
        ),
        ClientChange(
            "KAFKA-15415 (3.6.1)",
            "A batch does not wait out its backoff when its partition has a new leader.",
            producing={"batches_follow_leader": True},
        ),
        ClientChange(
            "recordings",
            "ready() walks partitions by number, and each broker has its own place where filling "
            "begins.",
            producing={"ready_in_hash_order": False, "drain_index_by_node": True},
        ),
        ClientChange(
            "recordings",
            "Errors of send() say more: sizes of the buffer, a time-out of its own.",
            producing={
                "buffer_exhausted_text": (
                    "Failed to allocate {size} bytes within the configured max blocking time "
                    "{limit_ms} ms. Total memory: {total} bytes. "
                    "Available memory: {available} bytes. Poolable size: {poolable} bytes"
                ),
                "tells_timed_out_requests": True,
                "fills_metadata_of_failed_send": True,
            },
        ),
        ClientChange(
            "recordings",
            "A record that is appended prints open headers.",
            producing={"headers_read_only": False},
        ),
        # Transactions
        ClientChange(
            "source of 3.6",
            "A failed batch is told to its records before the transaction hears of it.",
            transacting={"tells_failure_first": True},
        ),
        ClientChange(
            "source of 3.6",
            "Calls in the wrong state, after an error or beside a pending call are refused with "
            "their reason.",
            transacting={
                "refuses_calls_after_error": True,
                "wrong_state_is_illegal": True,
                "names_pending_call": True,
            },
        ),
        ClientChange(
            "recordings",
            "Transactional errors have other sentences; the first connection takes another time.",
            transacting={
                "no_transaction_for_offsets_text": "Cannot send offsets if a transaction is not "
                "in progress (currentState= {state})",
                "send_before_init_text": "Cannot add partition {partition} to transaction before "
                "completing a call to initTransactions",
                "send_outside_text": "Cannot add partition {partition} to transaction while in "
                "state  {state}",
                "fenced_text": (
                    "Producer with transactionalId '{transactional_id}' and {producer} has been "
                    "fenced by another producer "
                    "with the same transactionalId"
                ),
                "old_epoch_text": "Producer with transactionalId '{transactional_id}' and "
                "{producer} attempted to produce with an old epoch",
                "awaited_too_long_text": "Timeout expired after {limit_ms}ms while awaiting "
                "{operation}",
                "transactional_connecting_ms": (165, 185),
            },
        ),
        ClientChange(
            "recordings",
            "A producer does not fall back to old brokers' way to commit offsets.",
            producer_config={"internal.auto.downgrade.txn.commit": GONE},
        ),
        # Configuration
        ClientChange(
            "KIP-830 (3.4)",
            "JmxReporter may be left out.",
            client_config={"auto.include.jmx.reporter": True},
        ),
        ClientChange(
            "KIP-768 (3.1)",
            "Clients log in with OAuth.",
            client_config={
                "sasl.login.connect.timeout.ms": None,
                "sasl.login.read.timeout.ms": None,
                "sasl.login.retry.backoff.max.ms": 10_000,
                "sasl.login.retry.backoff.ms": 100,
                "sasl.oauthbearer.clock.skew.seconds": 30,
                "sasl.oauthbearer.expected.audience": None,
                "sasl.oauthbearer.expected.issuer": None,
                "sasl.oauthbearer.jwks.endpoint.refresh.ms": 3_600_000,
                "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms": 10_000,
                "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms": 100,
                "sasl.oauthbearer.jwks.endpoint.url": None,
                "sasl.oauthbearer.scope.claim.name": "scope",
                "sasl.oauthbearer.sub.claim.name": "sub",
                "sasl.oauthbearer.token.endpoint.url": None,
            },
        ),
        ClientChange(
            "source of 3.6",
            "security.protocol is checked where it is read.",
            checks={"security.protocol": "security protocols"},
        ),
        # Versions of requests
        ClientChange(
            "KIP-516 (3.1), KIP-903 (3.5)",
            "Fetches name topics by id, and followers their broker's epoch.",
            newest={"Fetch": 15, "Metadata": 12},
            printing={"prints_ids_of_changes": True},
        ),
        ClientChange(
            "KIP-699 (3.0)",
            "Several coordinators are looked up at once.",
            newest={"FindCoordinator": 4},
        ),
        ClientChange(
            "KIP-709 (3.0)",
            "Offsets of several groups are fetched at once.",
            newest={"OffsetFetch": 8},
        ),
        ClientChange(
            "KIP-848",
            "Offsets may be committed with a member's epoch; clients leave that version alone, "
            "for it was not stable yet.",
            newest={"OffsetCommit": 9, "ConsumerGroupHeartbeat": 0},
            stays_below={"OffsetCommit": 8},
        ),
        ClientChange(
            "KIP-890 (3.5)",
            "Brokers ask about several transactions at once; clients stay with the older version.",
            newest={"AddPartitionsToTxn": 4},
            stays_below={"AddPartitionsToTxn": 3},
        ),
        ClientChange(
            "KIP-734 (3.0), KIP-405 (3.5)",
            "Offsets may be listed by the largest timestamp, and local ones apart.",
            newest={"ListOffsets": 8},
        ),
        ClientChange(
            "KIP-664 (3.0)",
            "Transactions can be listed and described.",
            newest={"DescribeTransactions": 0, "ListTransactions": 0},
        ),
        ClientChange(
            "recordings",
            "Other requests have newer versions.",
            newest={
                "DescribeAcls": 3,
                "CreateAcls": 3,
                "DeleteAcls": 3,
                "DescribeLogDirs": 4,
                "CreateDelegationToken": 3,
                "DescribeDelegationToken": 3,
                "DescribeQuorum": 1,
                "UpdateFeatures": 1,
                "Envelope": UNSEEN,
                "AllocateProducerIds": UNSEEN,
            },
            prints_api_as={"AlterPartition": "AlterPartition"},
        ),
        # Texts
        ClientChange(
            "KIP-866 (3.4)",
            "Recorded API versions tell whether a migration from ZooKeeper is ready.",
            printing={"zk_migration": True},
        ),
        ClientChange(
            "recordings",
            "Requests print their header's version, answers whether they timed out, metadata is "
            "called MetadataSnapshot.",
            printing={
                "header_version": True,
                "timed_out": True,
                "cluster": "MetadataSnapshot",
                "fetched_as_data": True,
                "subscription": "all",
                "reset_strategy": "{name}",
            },
        ),
        ClientChange(
            "recordings",
            "Lists of new and revoked partitions are in order.",
            printing={"prints_assignment_in_hash_order": False},
        ),
    ),
)
