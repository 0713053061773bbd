"""Defines the requests for API versions, metadata, coordinators and telemetry, and their responses.

Field names and defaults are those of Kafka's schemas ApiVersionsRequest.json, MetadataRequest.json,
FindCoordinatorRequest.json, GetTelemetrySubscriptionsRequest.json and their responses. A field that
only some API versions carry keeps its default in the others. `kafkalab.lines.payload` holds the
fields that each version prints.
"""

from kafkalab.protocol.frozen import message

ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"
"""Kafka's text of the zero id (Uuid.ZERO_UUID): sixteen zero bytes in URL-safe base64."""

NO_OPERATIONS = -2147483648
"""The value of authorized operations that were not requested (KIP-430)."""


@message
class ApiVersionsRequest:
    """Asks a broker for its APIs and their versions (KIP-35). It is the first request on a
    connection.

    cluster_id, node_id: the cluster and broker that the client expects; v5 (KIP-1242, client 4.4)
    only.
    """

    client_software_name: str = ""
    client_software_version: str = ""
    cluster_id: str | None = None
    node_id: int = -1


@message
class ApiVersion:
    """One API of a broker, with its oldest and its newest version."""

    api_key: int
    min_version: int
    max_version: int


@message
class SupportedFeatureKey:
    """A feature that the broker's code supports (KIP-584)."""

    name: str
    min_version: int
    max_version: int


@message
class FinalizedFeatureKey:
    """A feature level that the whole cluster runs (KIP-584)."""

    name: str
    max_version_level: int
    min_version_level: int


@message
class ApiVersionsResponse:
    """A broker's APIs and features.

    finalized_features_epoch is -1 where the broker has no features.
    """

    error_code: int = 0
    api_keys: tuple[ApiVersion, ...] = ()
    throttle_time_ms: int = 0
    supported_features: tuple[SupportedFeatureKey, ...] = ()
    finalized_features_epoch: int = -1
    finalized_features: tuple[FinalizedFeatureKey, ...] = ()
    zk_migration_ready: bool = False


@message
class MetadataRequestTopic:
    """One requested topic, by name or (v10 and later) by id."""

    topic_id: str = ZERO_UUID
    name: str | None = None


@message
class MetadataRequest:
    """Asks for the brokers and for the leaders of these topics. topics=None means all, () none."""

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
    """A partition and its replicas. leader_id is -1 while the partition has no leader."""

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
    """Asks for the coordinator of a group (key_type 0) or of a transactional id (key_type 1).

    Up to v3 the field is `key`; from v4 (KIP-699) it is `coordinator_keys`. `keys` reads either.
    """

    key: str = ""
    key_type: int = 0
    coordinator_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The groups or transactional ids of the request, from whichever field carries them."""
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
    """The coordinators found: in the top-level fields up to v3, in `coordinators` from v4 on."""

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
    """Asks a broker which metrics the client is to push (KIP-714).

    With the zero id the broker chooses an id for this client instance.
    """

    client_instance_id: str = ZERO_UUID


@message
class GetTelemetrySubscriptionsResponse:
    """The response class that ApiKeys needs. No simulated broker offers this API."""

    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: str = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: tuple[int, ...] = ()
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: tuple[str, ...] = ()
