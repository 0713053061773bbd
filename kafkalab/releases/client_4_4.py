"""Client 4.4: what differs from 4.0."""

from __future__ import annotations

from kafkalab.releases.page import GONE, ClientChange, Page

PAGE = Page(
    "4.4",
    (
        # Connecting
        ClientChange(
            "KIP-1242 (4.4)",
            "ApiVersions carries the expected cluster and node.",
            connecting={"cluster_check": True},
            client_config={"metadata.cluster.check.enable": True},
            newest={"ApiVersions": 5},
        ),
        ClientChange(
            "recordings",
            "The connection to a coordinator is numbered +0 instead of 2147483647.",
            connecting={"coordinator_connection": "+{id}"},
        ),
        # Groups
        ClientChange(
            "recordings",
            "With group.protocol=consumer a poll is one event, and a new assignment waits for the "
            "next poll.",
            group={"assigns_in_poll": True, "heartbeat_state_class": "HeartbeatRequestState"},
        ),
        ClientChange(
            "recordings",
            "A member of a classic group logs that KIP-848 is ready.",
            group={"classic_banner": True},
        ),
        ClientChange(
            "KIP-848",
            "Offsets may name topics by id; only the consumer of KIP-848 does so.",
            newest={"OffsetCommit": 10, "OffsetFetch": 10},
            stays_below={"OffsetCommit": 9, "OffsetFetch": 9},
        ),
        ClientChange(
            "recordings",
            "Lists of partitions are printed in brackets.",
            printing={"brackets_partitions": True},
        ),
        # Producing and transactions
        ClientChange(
            "KAFKA-8350",
            "A batch that is still too large after splitting is halved.",
            producing={"halves_split_batches": True},
        ),
        ClientChange(
            "KIP-1118 (4.1)",
            "flush() inside a callback is refused.",
            producing={"flush_in_callback_fails": True},
        ),
        ClientChange(
            "KIP-848",
            "Offsets in a transaction name topics by id, so the producer asks for their metadata.",
            transacting={"awaits_topic_ids_of_offsets": True},
            newest={"TxnOffsetCommit": 6},
        ),
        ClientChange("KIP-516", "PRODUCE names topics by id.", newest={"Produce": 13}),
        ClientChange(
            "KIP-939",
            "Outside coordinators may take part in a transaction.",
            producer_config={"transaction.two.phase.commit.enable": False},
            printing={"metrics_without": frozenset()},
        ),
        ClientChange(
            "KIP-1123",
            "The partitioner may look at racks.",
            producer_config={"client.rack": "", "partitioner.rack.aware": False},
        ),
        # Configuration and versions of requests
        ClientChange(
            "recordings",
            "New keys: resolving bootstrap.servers, providers of values, growing batches.",
            client_config={"bootstrap.resolve.timeout.ms": 0, "config.providers": ()},
            producer_config={"buffer.memory.allocation.strategy": "full"},
        ),
        ClientChange(
            "recordings",
            "An internal switch of Kafka Streams is gone.",
            consumer_config={"internal.leave.group.on.close": GONE},
        ),
        ClientChange(
            "KIP-932",
            "Share consumers have keys and requests of their own.",
            consumer_config={
                "share.acknowledgement.mode": "implicit",
                "share.acquire.mode": "BATCH_OPTIMIZED",
            },
            newest={
                "ShareGroupHeartbeat": 1,
                "ShareGroupDescribe": 1,
                "ShareFetch": 2,
                "ShareAcknowledge": 2,
                "WriteShareGroupState": 1,
                "ReadShareGroupStateSummary": 1,
                "DescribeShareGroupOffsets": 1,
                "AlterShareGroupOffsets": 0,
                "DeleteShareGroupOffsets": 0,
            },
        ),
        ClientChange(
            "recordings",
            "New keys about the audience and the issuer of a token; two lists are empty, not null.",
            client_config={
                "sasl.oauthbearer.allow.unverified.audience": False,
                "sasl.oauthbearer.allow.unverified.issuer": False,
                "sasl.oauthbearer.expected.audience": (),
                "ssl.cipher.suites": (),
            },
        ),
        ClientChange(
            "KIP-1139 (4.1)",
            "Clients log in with signed OAuth assertions.",
            client_config={
                "sasl.oauthbearer.assertion.algorithm": "RS256",
                "sasl.oauthbearer.assertion.claim.aud": None,
                "sasl.oauthbearer.assertion.claim.exp.seconds": 300,
                "sasl.oauthbearer.assertion.claim.iss": None,
                "sasl.oauthbearer.assertion.claim.jti.include": False,
                "sasl.oauthbearer.assertion.claim.nbf.seconds": 60,
                "sasl.oauthbearer.assertion.claim.sub": None,
                "sasl.oauthbearer.assertion.file": None,
                "sasl.oauthbearer.assertion.private.key.file": None,
                "sasl.oauthbearer.assertion.private.key.passphrase": None,
                "sasl.oauthbearer.assertion.template.file": None,
                "sasl.oauthbearer.client.credentials.client.id": None,
                "sasl.oauthbearer.client.credentials.client.secret": None,
                "sasl.oauthbearer.jwt.retriever.class": (
                    "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"
                ),
                "sasl.oauthbearer.jwt.validator.class": (
                    "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator"
                ),
                "sasl.oauthbearer.scope": None,
            },
        ),
        ClientChange(
            "KIP-1142",
            "Resources with configs are listed under a broader name.",
            newest={"ListClientMetricsResources": 1},
            prints_api_as={"ListClientMetricsResources": "ListConfigResources"},
        ),
        ClientChange(
            "KIP-1071",
            "Groups of Kafka Streams have requests of their own.",
            newest={
                "StreamsGroupHeartbeat": 1,
                "StreamsGroupDescribe": 1,
                "StreamsGroupTopologyDescriptionUpdate": 0,
            },
        ),
        ClientChange(
            "recordings",
            "Other requests have newer versions.",
            newest={
                "Fetch": 18,
                "ListOffsets": 11,
                "WriteTxnMarkers": 2,
                "DescribeLogDirs": 5,
                "DeleteGroups": 3,
                "AlterPartitionReassignments": 1,
                "ListTransactions": 2,
                "AddRaftVoter": 1,
                "UnregisterController": 0,
            },
        ),
        # Texts
        ClientChange(
            "recordings",
            "Recorded API versions do not tell of a migration from ZooKeeper any more.",
            printing={"zk_migration": False},
        ),
        ClientChange(
            "recordings",
            "A closing consumer names its group's and its fetches' metrics, too.",
            printing={"removes_fetch_sensors": True},
        ),
    ),
)
