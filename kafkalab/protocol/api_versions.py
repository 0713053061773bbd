"""Holds the API versions of each client and broker release, and chooses the version of a request.

Kafka's classes are `ApiVersionsResponse` and `NodeApiVersions`. The first request on a connection
asks for the broker's versions (KIP-35). Every later request has the newest version that both sides
know. The numbers come from real clients (2.1.1, 2.2.2, 2.3.0, 2.8.2, 3.6.2, 3.9.2, 4.0.2, 4.4.0) on
real brokers (2.3.1, 4.4.0): the broker's answer, and the versions that the client then called
usable.
"""
from kafkalab.protocol.frozen import record

from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.messages import ApiVersion, ApiVersionsResponse, FinalizedFeatureKey, SupportedFeatureKey

UNSEEN = 1_000
"""A client's newest version of an API that no recorded broker offers.

It is above every broker's.
"""

TABLE = """
id broker      client                         name
    2.3   4.4  2.1 2.2 2.3 2.8 3.6 3.9 4.0 4.4
 0  0-7  0-13    7   7   7   9   9  11  12  13  Produce
 1 0-11  4-18   10  10  11  12  15  17  17  18  Fetch
 2  0-5  1-11    4   5   5   6   8   9  10  11  ListOffsets
 3  0-8  0-13    7   7   8  11  12  12  13  13  Metadata
 4  0-2     -    1   2   2   ?   ?   ?   -   -  LeaderAndIsr
 5  0-1     -    0   1   1   ?   ?   ?   -   -  StopReplica
 6  0-5     -    4   5   5   ?   ?   ?   -   -  UpdateMetadata
 7  0-2     -    1   2   2   ?   ?   ?   -   -  ControlledShutdown
 8  0-7  2-10    6   6   7   8   9   9   9  10  OffsetCommit
 9  0-5  1-10    5   5   5   7   8   9   9  10  OffsetFetch
10  0-2   0-6    2   2   2   3   4   6   6   6  FindCoordinator
11  0-5   0-9    3   4   5   7   9   9   9   9  JoinGroup
12  0-3   0-4    2   2   3   4   4   4   4   4  Heartbeat
13  0-2   0-5    2   2   2   4   5   5   5   5  LeaveGroup
14  0-3   0-5    2   2   3   5   5   5   5   5  SyncGroup
15  0-3   0-6    2   2   3   5   5   5   6   6  DescribeGroups
16  0-2   0-5    2   2   2   4   4   5   5   5  ListGroups
17  0-1   0-1    1   1   1   1   1   1   1   1  SaslHandshake
18  0-2   0-5    2   2   2   3   3   4   4   5  ApiVersions
19  0-3   2-7    3   3   3   7   7   7   7   7  CreateTopics
20  0-3   1-6    3   3   3   6   6   6   6   6  DeleteTopics
21  0-1   0-2    1   1   1   2   2   2   2   2  DeleteRecords
22  0-1   0-5    1   1   1   4   4   5   5   5  InitProducerId
23  0-3   2-4    2   2   3   4   4   4   4   4  OffsetForLeaderEpoch
24  0-1   0-5    1   1   1   3   4   5   5   5  AddPartitionsToTxn
25  0-1   0-4    1   1   1   3   3   4   4   4  AddOffsetsToTxn
26  0-1   0-5    1   1   1   3   3   4   5   5  EndTxn
27    0   1-2    0   0   0   1   1   1   1   2  WriteTxnMarkers
28  0-2   0-6    2   2   2   3   3   4   5   6  TxnOffsetCommit
29  0-1   1-3    1   1   1   2   3   3   3   3  DescribeAcls
30  0-1   1-3    1   1   1   2   3   3   3   3  CreateAcls
31  0-1   1-3    1   1   1   2   3   3   3   3  DeleteAcls
32  0-2   1-4    2   2   2   4   4   4   4   4  DescribeConfigs
33  0-1   0-2    1   1   1   2   2   2   2   2  AlterConfigs
34  0-1   1-2    1   1   1   2   2   2   2   2  AlterReplicaLogDirs
35  0-1   1-5    1   1   1   2   4   4   4   5  DescribeLogDirs
36  0-1   0-2    0   1   1   2   2   2   2   2  SaslAuthenticate
37  0-1   0-3    1   1   1   3   3   3   3   3  CreatePartitions
38  0-1   1-3    1   1   1   2   3   3   3   3  CreateDelegationToken
39  0-1   1-2    1   1   1   2   2   2   2   2  RenewDelegationToken
40  0-1   1-2    1   1   1   2   2   2   2   2  ExpireDelegationToken
41  0-1   1-3    1   1   1   2   3   3   3   3  DescribeDelegationToken
42  0-1   0-3    1   1   1   2   2   2   2   3  DeleteGroups
43    0   0-2    -   0   0   2   2   2   2   2  ElectLeaders
44    0   0-1    -   -   0   1   1   1   1   1  IncrementalAlterConfigs
45    -   0-1    -   -   -   0   0   0   0   1  AlterPartitionReassignments
46    -     0    -   -   -   0   0   0   0   0  ListPartitionReassignments
47    -     0    -   -   -   0   0   0   0   0  OffsetDelete
48    -   0-1    -   -   -   1   1   1   1   1  DescribeClientQuotas
49    -   0-1    -   -   -   1   1   1   1   1  AlterClientQuotas
50    -     0    -   -   -   0   0   0   0   0  DescribeUserScramCredentials
51    -     0    -   -   -   0   0   0   0   0  AlterUserScramCredentials
55    -   0-2    -   -   -   0   1   2   2   2  DescribeQuorum
56    -     -    -   -   -   ?   ?   ?   -   -  AlterPartition
57    -   0-2    -   -   -   0   1   1   2   2  UpdateFeatures
58    -     -    -   -   -   -   ?   ?   -   -  Envelope
60    -   0-2    -   -   -   0   0   1   2   2  DescribeCluster
61    -     0    -   -   -   0   0   0   0   0  DescribeProducers
64    -     0    -   -   -   0   0   0   0   0  UnregisterBroker
65    -     0    -   -   -   -   0   0   0   0  DescribeTransactions
66    -   0-2    -   -   -   -   0   1   1   2  ListTransactions
67    -     -    -   -   -   -   ?   ?   -   -  AllocateProducerIds
68    -   0-1    -   -   -   -   0   0   1   1  ConsumerGroupHeartbeat
69    -   0-1    -   -   -   -   -   0   1   1  ConsumerGroupDescribe
71    -     -    -   -   -   -   -   ?   ?   ?  GetTelemetrySubscriptions
72    -     -    -   -   -   -   -   ?   ?   ?  PushTelemetry
74    -   0-1    -   -   -   -   -   0   0   1  ListClientMetricsResources
75    -     0    -   -   -   -   -   0   0   0  DescribeTopicPartitions
76    -     1    -   -   -   -   -   0   0   1  ShareGroupHeartbeat
77    -     1    -   -   -   -   -   0   0   1  ShareGroupDescribe
78    -   1-2    -   -   -   -   -   0   0   2  ShareFetch
79    -   1-2    -   -   -   -   -   0   0   2  ShareAcknowledge
80    -   0-1    -   -   -   -   -   0   0   1  AddRaftVoter
81    -     0    -   -   -   -   -   0   0   0  RemoveRaftVoter
83    -     0    -   -   -   -   -   0   0   0  InitializeShareGroupState
84    -     0    -   -   -   -   -   0   0   0  ReadShareGroupState
85    -   0-1    -   -   -   -   -   0   0   1  WriteShareGroupState
86    -     0    -   -   -   -   -   0   0   0  DeleteShareGroupState
87    -   0-1    -   -   -   -   -   0   0   1  ReadShareGroupStateSummary
88    -   0-1    -   -   -   -   -   -   -   1  StreamsGroupHeartbeat
89    -   0-1    -   -   -   -   -   -   -   1  StreamsGroupDescribe
90    -   0-1    -   -   -   -   -   -   -   1  DescribeShareGroupOffsets
91    -     0    -   -   -   -   -   -   -   0  AlterShareGroupOffsets
92    -     0    -   -   -   -   -   -   -   0  DeleteShareGroupOffsets
93    -     0    -   -   -   -   -   -   -   0  StreamsGroupTopologyDescriptionUpdate
94    -     0    -   -   -   -   -   -   -   0  UnregisterController
"""
"""One row an API. broker: oldest to newest version it offers. client: the newest version it knows. - not there, ? not seen."""

RENAMED = {
    43: {"2.1": "ElectPreferredLeaders", "2.2": "ElectPreferredLeaders", "2.3": "ElectPreferredLeaders"},  # KIP-460
    56: {"2.8": "AlterIsr"},  # KIP-841
    74: {"4.4": "ListConfigResources"},  # KIP-1142
}
"""APIs that some client releases print under another name."""

BELOW_NEWEST = {
    # ADD_PARTITIONS_TO_TXN from v4 on is for brokers (KIP-890).
    "3.6": {"OffsetCommit": 8, "AddPartitionsToTxn": 3},  # v9 was still marked unstable (KIP-848)
    "3.9": {"AddPartitionsToTxn": 3},
    "4.0": {"AddPartitionsToTxn": 3},
    "4.4": {"OffsetCommit": 9, "OffsetFetch": 9, "AddPartitionsToTxn": 3},  # v10 speaks of topic ids; only the KIP-848 consumer uses it
}
"""The versions that a classic client uses although it knows newer ones."""

SUPPORTED_FEATURES = {
    "2.3": (),
    "4.4": tuple(SupportedFeatureKey(name=name, min_version=low, max_version=high) for name, low, high in (
        ("group.version", 0, 1), ("kraft.version", 0, 1), ("metadata.version", 7, 33), ("share.version", 0, 2),
        ("streams.version", 0, 1), ("transaction.version", 0, 2), ("eligible.leader.replicas.version", 0, 1))),
}
FINALIZED_FEATURES = {
    "2.3": (),
    "4.4": tuple(FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level) for name, level in (
        ("group.version", 1), ("streams.version", 1), ("transaction.version", 2),
        ("eligible.leader.replicas.version", 1), ("share.version", 2), ("metadata.version", 33))),
}
"""Broker version -> its features in the broker's order (KIP-584).

A ZooKeeper broker of 2.3 has none.
"""


@record
class ClientApis:
    """The APIs of one client version: number -> name, and name -> newest version."""

    names: dict[int, str]
    newest: dict[str, int]


def _read(table: str) -> tuple[dict[str, tuple[ApiVersion, ...]], dict[str, ClientApis]]:
    brokers, clients = {"2.3": [], "4.4": []}, {}
    _, versions, *rows = table.strip().splitlines()
    client_versions = versions.split()[2:]
    clients = {version: ClientApis({}, {}) for version in client_versions}
    for row in rows:
        number, *cells, name = row.split()
        for broker, span in zip(brokers, cells[:2], strict=True):
            if span != "-":
                low, _, high = span.partition("-")
                brokers[broker].append(
                    ApiVersion(api_key=int(number), min_version=int(low), max_version=int(high or low)))
        for version, newest in zip(client_versions, cells[2:], strict=True):
            if newest != "-":
                printed = RENAMED.get(int(number), {}).get(version, name)
                clients[version].names[int(number)] = printed
                clients[version].newest[printed] = UNSEEN if newest == "?" else int(newest)
    return {broker: tuple(ranges) for broker, ranges in brokers.items()}, clients


BROKER_APIS, CLIENT_APIS = _read(TABLE)
"""Broker version -> the ranges in its answer; client version -> its APIs."""


def api_versions_response(broker_version: str, *, finalized_features_epoch: int = -1) -> ApiVersionsResponse:
    """The response of a broker of `broker_version`.

    The epoch is that of the cluster's features, -1 where it has none.
    """
    return ApiVersionsResponse(
        api_keys=BROKER_APIS[broker_version],
        supported_features=SUPPORTED_FEATURES[broker_version],
        finalized_features=FINALIZED_FEATURES[broker_version],
        finalized_features_epoch=finalized_features_epoch if FINALIZED_FEATURES[broker_version] else -1)


def newest_known(client_version: str, api: ApiKeys) -> int:
    """The newest version the client knows of an API; KeyError where it does not know the API.

    A client sends API_VERSIONS in this version, because it does not know the broker's versions yet.
    """
    known = CLIENT_APIS[client_version]
    return known.newest[known.names[api.id]]


def version_to_use(client_version: str, api: ApiKeys, offered: tuple[ApiVersion, ...], *, topic_ids: bool = False) -> int | None:
    """The version of a request: the newest that both sides know.

    None where they share none. Then the request cannot be sent.

    offered: the ranges from the broker's ApiVersionsResponse.
    topic_ids: the client commits and fetches offsets by topic id, as the KIP-848 consumer does.
    """
    known = CLIENT_APIS[client_version]
    name = known.names.get(api.id)
    span = {span.api_key: span for span in offered}.get(api.id)
    if name is None or span is None:
        return None
    held_back = {} if topic_ids else BELOW_NEWEST.get(client_version, {})
    version = min(known.newest[name], span.max_version, held_back.get(name, UNSEEN))
    return version if version >= span.min_version else None


def usable_versions(client_version: str, response: ApiVersionsResponse, *, topic_ids: bool = False) -> dict[ApiKeys, int]:
    """API -> the version to send on a connection, for every simulated API that both sides know."""
    versions = {api: version_to_use(client_version, api, response.api_keys, topic_ids=topic_ids) for api in ApiKeys}
    return {api: version for api, version in versions.items() if version is not None}
