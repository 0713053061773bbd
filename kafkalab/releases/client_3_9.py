"""Client 3.9: what differs from 3.6."""

from __future__ import annotations

from kafkalab.releases.page import GONE, UNSEEN, ClientChange, Page

PAGE = Page(
    "3.9",
    (
        # Connecting
        ClientChange(
            "KIP-580 (3.7)",
            "Pauses between fruitless tries grow, and are capped after the random factor.",
            connecting={"exponential_refresh_backoff": True, "jitter_inside_cap": True},
            client_config={"retry.backoff.max.ms": 1_000},
        ),
        ClientChange(
            "recordings",
            "The close of an idle connection has a line of its own.",
            connecting={"names_idle_closes": True},
        ),
        ClientChange(
            "KIP-714 (3.7)",
            "Clients ask brokers for a metrics subscription; when refused, again after five "
            "minutes.",
            connecting={"telemetry_after_refusal_ms": 300_000},
            client_config={"enable.metrics.push": True},
            admin_config={"enable.metrics.push": True},
            newest={"GetTelemetrySubscriptions": UNSEEN, "PushTelemetry": UNSEEN},
            printing={
                "names_removed_metrics": True,
                "deprecated_io_times": True,
                "metrics_without": frozenset({"txn-prepare-time-ns-total"}),
            },
        ),
        ClientChange(
            "KIP-951 (3.7)",
            "An answer that refuses a request may name the new leader, and is believed.",
            connecting={"learns_leaders": True},
        ),
        ClientChange(
            "KIP-899 (3.8)",
            "A client may begin again with bootstrap.servers when no known broker can be asked.",
            client_config={"metadata.recovery.strategy": "none"},
        ),
        # Groups
        ClientChange(
            "KIP-932 (3.9)",
            "The jar has an unfinished share consumer.",
            group={"has_early_share_consumer": True},
        ),
        ClientChange(
            "recordings",
            "A member that is handed its id does not say that its join has failed.",
            group={"member_id_required_is_failure": False},
        ),
        ClientChange(
            "KAFKA-16277, KAFKA-15170 (3.8)",
            "Owners keep their lowest partitions, and may get back what they gave up.",
            group={"sticky_sorts_owned": True},
        ),
        ClientChange(
            "KIP-848",
            'group.protocol chooses who divides the partitions; "consumer" is a preview.',
            consumer_config={"group.protocol": "classic", "group.remote.assignor": None},
            newest={"OffsetFetch": 9, "ListGroups": 5, "ConsumerGroupDescribe": 0},
            stays_below={"OffsetCommit": GONE},
        ),
        # Fetching
        ClientChange(
            "source of 3.9",
            "LogTruncationException names the divergent offsets.",
            fetching={
                "truncation_text": "Truncated partitions detected with divergent offsets "
                "{divergent}"
            },
        ),
        ClientChange(
            "KIP-1036, KAFKA-16507 (3.8)",
            "RecordDeserializationException also tells whether key or value, and brings the bytes.",
            fetching={"bad_record_tells": "all"},
        ),
        # Producing
        ClientChange(
            "recordings",
            "send() to a partition out of range names the count of partitions when it gives up.",
            producing={"names_partition_count": True},
        ),
        ClientChange(
            "KAFKA-17632 (3.9.2)",
            "RoundRobinPartitioner is asked once for a record that opens a batch.",
            producing={"round_robin_skips": False},
        ),
        ClientChange(
            "recordings",
            '"Allocating a new ..." names the partition again.',
            producing={"names_partition_of_buffer": True},
        ),
        ClientChange(
            "KIP-390 (3.8)",
            "Compression has levels.",
            producer_config={
                "compression.gzip.level": -1,
                "compression.lz4.level": 9,
                "compression.zstd.level": 3,
            },
        ),
        # Configuration and versions of requests
        ClientChange(
            "KIP-919 (3.7)",
            "An admin client may ask controllers.",
            admin_config={"bootstrap.controllers": ()},
        ),
        ClientChange(
            "KIP-1025",
            "OAuth headers may be encoded as in a URL.",
            client_config={"sasl.oauthbearer.header.urlencode": False},
        ),
        ClientChange(
            "KIP-951 (3.7), KIP-890 (3.8)",
            "Answers name new leaders; a transaction may be told to abort.",
            newest={"Produce": 11},
        ),
        ClientChange(
            "KIP-951 (3.7), KIP-853 (3.9)",
            "Answers name new leaders; followers name their directory.",
            newest={"Fetch": 17},
        ),
        ClientChange(
            "KIP-890 (3.8)",
            "A transaction may be told to abort.",
            newest={
                "InitProducerId": 5,
                "AddPartitionsToTxn": 5,
                "AddOffsetsToTxn": 4,
                "EndTxn": 4,
                "TxnOffsetCommit": 4,
            },
        ),
        ClientChange(
            "KIP-890 (3.8), KIP-932",
            "Coordinators of transactions and share groups are looked up, too.",
            newest={"FindCoordinator": 6},
        ),
        ClientChange(
            "KIP-1005 (3.9)",
            "The offset of the last record in remote storage can be listed.",
            newest={"ListOffsets": 9},
        ),
        ClientChange(
            "KAFKA-17011 (3.9)", "Features may begin at level 0.", newest={"ApiVersions": 4}
        ),
        ClientChange(
            "KIP-932",
            "Share groups are known, as an early preview.",
            newest={
                "ShareGroupHeartbeat": 0,
                "ShareGroupDescribe": 0,
                "ShareFetch": 0,
                "ShareAcknowledge": 0,
                "InitializeShareGroupState": 0,
                "ReadShareGroupState": 0,
                "WriteShareGroupState": 0,
                "DeleteShareGroupState": 0,
                "ReadShareGroupStateSummary": 0,
            },
        ),
        ClientChange(
            "recordings",
            "Other requests have newer versions.",
            newest={
                "DescribeQuorum": 2,
                "DescribeCluster": 1,
                "ListTransactions": 1,
                "ListClientMetricsResources": 0,
                "DescribeTopicPartitions": 0,
                "AddRaftVoter": 0,
                "RemoveRaftVoter": 0,
            },
        ),
        # Texts
        ClientChange(
            "recordings",
            "Lines say read_uncommitted, not READ_UNCOMMITTED.",
            printing={"isolation_in_lower_case": True},
        ),
    ),
)
