"""Client 4.0: what differs from 3.9."""

from __future__ import annotations

from kafkalab.releases.page import GONE, ClientChange, Page

PAGE = Page(
    "4.0",
    (
        # Connecting
        ClientChange(
            "KIP-1073 (4.0)",
            "A node prints and hashes whether it is fenced.",
            printing={"node_knows_fencing": True},
            newest={"DescribeCluster": 2},
        ),
        ClientChange(
            "KIP-714",
            "A client whose metrics subscription is refused does not ask again; an admin client "
            "does not ask.",
            connecting={"telemetry_after_refusal_ms": 2_147_483_647},
            admin_config={"enable.metrics.push": False},
        ),
        ClientChange(
            "KIP-899, KIP-1102 (4.0)",
            "A client begins again with bootstrap.servers when no known broker can be asked, or "
            "when "
            "none has answered a question for metadata for five minutes.",
            client_config={
                "metadata.recovery.strategy": "rebootstrap",
                "metadata.recovery.rebootstrap.trigger.ms": 300_000,
            },
            newest={"Metadata": 13},
        ),
        ClientChange(
            "recordings",
            "A JVM takes another time to start and to use each request for the first time.",
            connecting={
                "starting_ms": 600,
                "first_use_ms": {
                    "background thread": (620, 1500),
                    "consumer connecting": (200, 600),
                    "producer connecting": (13, 380),
                    "API_VERSIONS": (22, 50),
                    "reading API_VERSIONS": (51, 129),
                    "METADATA": (1, 4),
                    "FIND_COORDINATOR": (0, 9),
                    "OFFSET_FETCH": (5, 20),
                    "FETCH": (13, 72),
                    "HEARTBEAT": (3, 9),
                    "OFFSET_COMMIT": (6, 17),
                    "PRODUCE": (6, 14),
                    "INIT_PRODUCER_ID": (2, 10),
                },
            },
        ),
        # Groups and fetching
        ClientChange(
            "KIP-848 (4.0)",
            "The brokers may divide a group's partitions: group.protocol=consumer is no preview "
            "any more.",
            group={"plays_consumer_protocol": True},
            newest={"ConsumerGroupHeartbeat": 1, "ConsumerGroupDescribe": 1},
        ),
        ClientChange(
            "KAFKA-17182 (4.0)",
            "No fetch goes to a node of which records wait in the buffer.",
            fetching={"spares_buffered_nodes": True},
        ),
        ClientChange(
            "KIP-1106 (4.0)",
            "A position may be reset by a duration.",
            checks={"auto.offset.reset": "strategies and durations"},
            printing={"reset_strategy": "AutoOffsetResetStrategy{{type={name}}}"},
        ),
        # Producing
        ClientChange(
            "KIP-1030 (4.0)",
            "A batch waits five milliseconds for company.",
            producer_config={"linger.ms": 5},
        ),
        ClientChange(
            "KAFKA-18295 (4.0)",
            "No partitioner is asked again for a new batch; the old classes are gone.",
            producing={
                "asks_partitioner_again": "",
                "partitioner_classes": ("RoundRobinPartitioner",),
            },
        ),
        ClientChange(
            "source of 4.0",
            "More than five requests in flight are an error even where idempotence is only the "
            "default.",
            producing={"refuses_more_in_flight": True},
        ),
        # Transactions
        ClientChange(
            "KIP-890 (4.0)",
            "Partitions and groups join a transaction by being written to, and each transaction "
            "has its epoch.",
            transacting={"speaks_transaction_v2": True},
            newest={"Produce": 12, "EndTxn": 5, "TxnOffsetCommit": 5},
        ),
        ClientChange(
            "KAFKA-12690 (4.0)",
            "Offsets join a transaction with the consumer's group metadata; a group id alone is "
            "refused.",
            transacting={"takes_group_id_for_offsets": False},
        ),
        ClientChange(
            "recordings",
            "The first connection of a transactional producer takes longer.",
            transacting={"transactional_connecting_ms": (210, 235)},
        ),
        # Configuration and versions of requests
        ClientChange(
            "KIP-830 (4.0)",
            "JmxReporter is a reporter like others.",
            client_config={
                "metric.reporters": ("org.apache.kafka.common.metrics.JmxReporter",),
                "auto.include.jmx.reporter": GONE,
            },
        ),
        ClientChange(
            "KIP-1075 (4.0)",
            "Listing offsets in remote storage has a time limit.",
            newest={"ListOffsets": 10},
        ),
        ClientChange(
            "KIP-1043 (4.0)",
            "A group that does not exist is not found; before, it was Dead.",
            newest={"DescribeGroups": 6},
        ),
        ClientChange(
            "KIP-896, KIP-500 (4.0)",
            "Requests between brokers and a ZooKeeper controller are gone.",
            newest={
                "LeaderAndIsr": GONE,
                "StopReplica": GONE,
                "UpdateMetadata": GONE,
                "ControlledShutdown": GONE,
                "AlterPartition": GONE,
                "Envelope": GONE,
                "AllocateProducerIds": GONE,
            },
        ),
        ClientChange(
            "recordings", "UpdateFeatures has a newer version.", newest={"UpdateFeatures": 2}
        ),
        # Texts
        ClientChange(
            "KIP-773",
            "The network thread's metrics with the old names are gone.",
            printing={"deprecated_io_times": False},
        ),
    ),
)
