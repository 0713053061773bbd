"""The requests a client sends to find its way: which versions, which brokers, which coordinator,
which telemetry.

Field names and defaults are those of Kafka's schemas ApiVersionsRequest.json, MetadataRequest.json,
FindCoordinatorRequest.json, GetTelemetrySubscriptionsRequest.json and their responses. A field that
only some API versions carry is simply left at its default by the others; `kafkalab.lines.payload`
knows which version prints what.
"""

from kafkalab.protocol.frozen import message

ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"
"""How Kafka prints the id of nothing: sixteen zero bytes in URL-safe base64."""

NO_OPERATIONS = -2147483648
"""Authorized operations were not asked for (KIP-430)."""


@message
class ApiVersionsRequest:
    """KIP-35: which APIs do you speak? The first request on every connection.

    cluster_id, node_id: whom the client believes it talks to; v5 (KIP-1242, client 4.4) only.
    """

    client_software_name: str = ""
    client_software_version: str = ""
    cluster_id: str | None = None
    node_id: int = -1


@message
class ApiVersion:
    """One API a broker speaks, from its oldest to its newest version."""

    api_key: int
    min_version: int
    max_version: int


@message
class SupportedFeatureKey:
    """A feature the broker's code could run (KIP-584)."""

    name: str
    min_version: int
    max_version: int


@message
class FinalizedFeatureKey:
    """A feature level the whole cluster has agreed to run (KIP-584)."""

    name: str
    max_version_level: int
    min_version_level: int


@message
class ApiVersionsResponse:
    """What a broker speaks. finalized_features_epoch is -1 where the broker knows no features."""

    error_code: int = 0
    api_keys: tuple[ApiVersion, ...] = ()
    throttle_time_ms: int = 0
    supported_features: tuple[SupportedFeatureKey, ...] = ()
    finalized_features_epoch: int = -1
    finalized_features: tuple[FinalizedFeatureKey, ...] = ()
    zk_migration_ready: bool = False


@message
class MetadataRequestTopic:
    """One topic asked about, by name or (v10 and later) by id."""

    topic_id: str = ZERO_UUID
    name: str | None = None


@message
class MetadataRequest:
    """Which brokers are there, and who leads these topics? topics=None asks about all,
    () about none."""

    topics: tuple[MetadataRequestTopic, ...] | None = ()
    allow_auto_topic_creation: bool = True
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False


@message
class MetadataResponseBroker:
    node_id: int
    host: str
    port: int
    rack: str | None = None


@message
class MetadataResponsePartition:
    """leader_id is -1 while the partition has no leader."""

    error_code: int = 0
    partition_index: int = 0
    leader_id: int = -1
    leader_epoch: int = -1
    replica_nodes: tuple[int, ...] = ()
    isr_nodes: tuple[int, ...] = ()
    offline_replicas: tuple[int, ...] = ()


@message
class MetadataResponseTopic:
    error_code: int = 0
    name: str | None = None
    topic_id: str = ZERO_UUID
    is_internal: bool = False
    partitions: tuple[MetadataResponsePartition, ...] = ()
    topic_authorized_operations: int = NO_OPERATIONS


@message
class MetadataResponse:
    throttle_time_ms: int = 0
    brokers: tuple[MetadataResponseBroker, ...] = ()
    cluster_id: str | None = None
    controller_id: int = -1
    topics: tuple[MetadataResponseTopic, ...] = ()
    cluster_authorized_operations: int = NO_OPERATIONS
    error_code: int = 0


@message
class FindCoordinatorRequest:
    """Who coordinates this group (key_type 0) or this transactional id (key_type 1)?

    Up to v3 the question is `key`; from v4 (KIP-699) it is `coordinator_keys`. Ask `keys` for
    either.
    """

    key: str = ""
    key_type: int = 0
    coordinator_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The groups or transactional ids asked for, whichever field carries them."""
        return self.coordinator_keys or (self.key,)


@message
class Coordinator:
    """The answer for one key, v4 and later."""

    key: str = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    error_code: int = 0
    error_message: str | None = None


@message
class FindCoordinatorResponse:
    """Up to v3 the answer stands in the top-level fields; from v4 in `coordinators`."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    coordinators: tuple[Coordinator, ...] = ()

    def coordinator_of(self, key: str) -> Coordinator:
        """The answer for `key` in either form. KeyError where a batched answer lacks the key."""
        if not self.coordinators:
            return Coordinator(
                key=key,
                node_id=self.node_id,
                host=self.host,
                port=self.port,
                error_code=self.error_code,
                error_message=self.error_message,
            )
        return {answer.key: answer for answer in self.coordinators}[key]


@message
class GetTelemetrySubscriptionsRequest:
    """KIP-714: which metrics would you like pushed? The zero id asks
    the broker to name this client instance."""

    client_instance_id: str = ZERO_UUID


@message
class GetTelemetrySubscriptionsResponse:
    """Only for completeness of the pairing: no broker modelled here offers the API."""

    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: str = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: tuple[int, ...] = ()
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: tuple[str, ...] = ()
