"""Client 2.2: what differs from 2.1."""

from __future__ import annotations

from kafkalab.releases.page import ClientChange, Page

PAGE = Page(
    "2.2",
    (
        ClientChange(
            "KAFKA-7567",
            "The bootstrap cluster asks for a metadata refresh at once; before, the first send "
            "did.",
            connecting={"bootstrap_needs_update": True},
        ),
        ClientChange(
            "recordings",
            'A refused connect to a bootstrap address logs "Bootstrap broker ... disconnected".',
            connecting={"warns_of_bootstrap_disconnect": True},
        ),
        ClientChange(
            "recordings",
            "Cluster keeps its partitions in a hash map and lists them in its order.",
            connecting={"cluster_in_hash_order": True},
        ),
        ClientChange(
            "KIP-289",
            "The default group.id is null instead of the empty string: no group.",
            consumer_config={"group.id": None},
        ),
        ClientChange(
            "recordings",
            "seek() makes its OffsetAndMetadata first, so that one refuses a negative offset.",
            fetching={"names_seek_in_error": False},
        ),
        ClientChange(
            "recordings",
            "MetadataRequest prints whether topics may be created.",
            printing={"auto_create": True},
        ),
        ClientChange(
            "recordings",
            "Lists of partitions are printed without brackets; metadata calls itself a "
            "MetadataCache.",
            printing={"brackets_partitions": False, "cluster": "MetadataCache of Cluster"},
        ),
        ClientChange(
            "KIP-394", "A member first learns its id, then joins with it.", newest={"JoinGroup": 4}
        ),
        ClientChange(
            "KIP-207",
            "A leader that does not know its high watermark yet answers OFFSET_NOT_AVAILABLE.",
            newest={"ListOffsets": 5},
        ),
        ClientChange(
            "KIP-183",
            "The client knows the election of preferred leaders, under its first name.",
            newest={"ElectLeaders": 0},
            prints_api_as={"ElectLeaders": "ElectPreferredLeaders"},
        ),
        ClientChange(
            "KIP-368", "A SASL session may be authenticated again.", newest={"SaslAuthenticate": 1}
        ),
        ClientChange(
            "KIP-380",
            "Requests of the controller carry the broker's epoch.",
            newest={
                "LeaderAndIsr": 2,
                "StopReplica": 1,
                "UpdateMetadata": 5,
                "ControlledShutdown": 2,
            },
        ),
    ),
)
