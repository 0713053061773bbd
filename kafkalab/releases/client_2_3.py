"""Client 2.3: what differs from 2.2."""

from __future__ import annotations

from kafkalab.releases.page import ClientChange, Page

PAGE = Page(
    "2.3",
    (
        ClientChange(
            "KAFKA-8376",
            "The least loaded node is one with a connection, else one with a connection being set "
            "up, else any other.",
            connecting={"least_loaded": "connected, then connecting"},
        ),
        ClientChange(
            "KIP-320",
            "A position knows its leader epoch: it is validated after a change of leader, and "
            "sent along.",
            fetching={
                "validates_positions": True,
                "list_offsets_with_epoch": True,
                "fetches_with_epoch": True,
            },
        ),
        ClientChange(
            "recordings",
            "seek() refuses a negative offset in words of its own again.",
            fetching={"names_seek_in_error": True},
        ),
        ClientChange(
            "recordings",
            "A fetch without records has no line of its own.",
            fetching={"mentions_empty_fetches": False},
        ),
        ClientChange(
            "KIP-341",
            "The sticky assignor's user data carries a generation, and of two claims the newer "
            "counts.",
            group={"sticky_knows_generations": True},
        ),
        ClientChange(
            "KAFKA-6635",
            "close() aborts a transaction that is still open.",
            transacting={"aborts_when_closed": True},
        ),
        ClientChange(
            "KAFKA-7763",
            "commit and abort wait at most max.block.ms, and say so.",
            transacting={
                "limits_transactional_calls": True,
                "awaited_too_long_text": "Timeout expired after {limit_ms}milliseconds while "
                "awaiting {operation}",
            },
        ),
        ClientChange(
            "recordings",
            "A fenced producer has a sentence of its own.",
            transacting={
                "fenced_text": "The producer has been rejected from the broker because it tried "
                "to use an old epoch with the "
                "transactionalId"
            },
        ),
        ClientChange(
            "recordings",
            "The first connection of a transactional producer takes another time.",
            transacting={"transactional_connecting_ms": (95, 118)},
        ),
        ClientChange(
            "KIP-361",
            "A consumer may forbid that asking about a topic creates it.",
            consumer_config={"allow.auto.create.topics": True},
        ),
        ClientChange(
            "KIP-345",
            "A group's member may be static, under a name of its own.",
            consumer_config={"group.instance.id": None},
            newest={"JoinGroup": 5, "SyncGroup": 3, "Heartbeat": 3, "OffsetCommit": 7},
        ),
        ClientChange(
            "KIP-392",
            "A consumer may read from a follower near it.",
            consumer_config={"client.rack": ""},
            newest={"Fetch": 11, "OffsetForLeaderEpoch": 3},
            printing={"fetched_replica": True},
        ),
        ClientChange(
            "KIP-430",
            "Answers may tell which operations are allowed.",
            newest={"Metadata": 8, "DescribeGroups": 3},
        ),
        ClientChange(
            "KIP-339",
            "Single configs of a topic or broker can be altered.",
            newest={"IncrementalAlterConfigs": 0},
        ),
        ClientChange(
            "KAFKA-7609",
            "The first message classes are generated; their missing texts print as 'null' with "
            "quotes.",
            printing={
                "struct_names": "generated",
                "null_in_quotes": True,
                "old_objects": frozenset(
                    {
                        "ListOffsetsRequest",
                        "ListOffsetsResponse",
                        "OffsetForLeaderEpochRequest",
                        "OffsetForLeaderEpochResponse",
                        "AddPartitionsToTxnRequest",
                        "AddPartitionsToTxnResponse",
                        "AddOffsetsToTxnRequest",
                        "AddOffsetsToTxnResponse",
                        "EndTxnRequest",
                        "EndTxnResponse",
                        "TxnOffsetCommitRequest",
                        "TxnOffsetCommitResponse",
                    }
                ),
            },
        ),
    ),
)
