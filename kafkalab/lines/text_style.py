"""How one client version writes what it sends and receives: its habits, as data.

One frozen `TextStyle` a version, told apart by name and never compared. What a field records is the habit; what a
request looks like in it is told by `payload` (messages) and `cluster_text` (nodes, metadata, version lists).
"""
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStyle:
    """The habits of one client version.

    wire_as_struct: "Sending FETCH {replica_id=-1,...}" (up to 2.3) instead of "...: FetchRequestData(replicaId=-1, ...)".
    old_objects: names of the message classes whose own toString was still written by hand.
    null_in_quotes: a missing text prints as 'null' with its quotes, a slip of the first generated classes (2.3).
    fenced_flag: a node says whether it is fenced (4.0).
    header_version: RequestHeader names its own version (3.6).
    timed_out: ClientResponse says whether the request timed out (3.6).
    cluster: how metadata introduces itself: "Cluster", "MetadataCache of Cluster", "MetadataCache", "MetadataSnapshot".
    features: recorded API versions come with the cluster's features (KIP-584).
    zk_migration: ... and with the ZooKeeper migration flag (KIP-866), gone again in 4.4.
    fetched_as_data: "returned fetch data" prints the answer's own class instead of a hand-made summary.
    fetched_replica, fetched_divergence: what the hand-made summary knows: the preferred replica (KIP-392, 2.3), the
        diverging epoch (KIP-595, 2.8).
    subscription: what a subscription says of itself: its "topics", nothing but its "identity", or "all" it holds.
    auto_create: the hand-written MetadataRequest tells whether topics may be created (2.2).
    """

    wire_as_struct: bool = False
    old_objects: frozenset[str] = frozenset()
    null_in_quotes: bool = False
    fenced_flag: bool = False
    header_version: bool = False
    timed_out: bool = False
    cluster: str = "MetadataSnapshot"
    features: bool = True
    zk_migration: bool = True
    fetched_as_data: bool = True
    fetched_replica: bool = True
    fetched_divergence: bool = True
    auto_create: bool = True
    subscription: str = "all"


# KAFKA-7609 and its siblings turned the messages into generated classes one by one; these were the last.
NOT_GENERATED_IN_2_3 = frozenset({"ListOffsetsRequest", "ListOffsetsResponse", "OffsetForLeaderEpochRequest",
                                  "OffsetForLeaderEpochResponse", "AddPartitionsToTxnRequest", "AddPartitionsToTxnResponse",
                                  "AddOffsetsToTxnRequest", "AddOffsetsToTxnResponse", "EndTxnRequest", "EndTxnResponse",
                                  "TxnOffsetCommitRequest", "TxnOffsetCommitResponse"})
NOT_GENERATED_IN_2_2 = NOT_GENERATED_IN_2_3 | {
    "MetadataRequest", "FindCoordinatorRequest", "FindCoordinatorResponse", "JoinGroupRequest", "JoinGroupResponse",
    "SyncGroupRequest", "InitProducerIdRequest", "InitProducerIdResponse"}

_STRUCT = {"wire_as_struct": True, "features": False, "zk_migration": False, "fetched_as_data": False,
           "fetched_divergence": False, "subscription": "topics"}

STYLES = {
    "2.1": TextStyle(**_STRUCT, old_objects=NOT_GENERATED_IN_2_2, cluster="Cluster", fetched_replica=False,
                     auto_create=False),
    "2.2": TextStyle(**_STRUCT, old_objects=NOT_GENERATED_IN_2_2, cluster="MetadataCache of Cluster",
                     fetched_replica=False),
    "2.3": TextStyle(**_STRUCT, old_objects=NOT_GENERATED_IN_2_3, cluster="MetadataCache of Cluster",
                     null_in_quotes=True),
    "2.8": TextStyle(cluster="MetadataCache", zk_migration=False, fetched_as_data=False, subscription="identity"),
    "3.6": TextStyle(timed_out=True, header_version=True),
    "3.9": TextStyle(timed_out=True, header_version=True),
    "4.0": TextStyle(timed_out=True, header_version=True, fenced_flag=True),
    "4.4": TextStyle(timed_out=True, header_version=True, fenced_flag=True, zk_migration=False),
}
"""The habits, by client version."""
