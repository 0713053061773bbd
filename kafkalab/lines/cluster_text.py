"""Prints a client's view of the cluster: nodes, metadata, and the API versions of each broker.

Kafka's classes are `Node`, `Cluster`, `MetadataCache` (later `MetadataSnapshot`) and
`NodeApiVersions`. Partitions come in the order of Java's hash map; the order of nodes is the
caller's (up to 2.3 Java shuffles them each time).
"""

from collections.abc import Sequence

from kafkalab.errors import error_for
from kafkalab.lines.generated_text import part_text
from kafkalab.lines.java_values import by_partition, list_text, optional_text, value_text
from kafkalab.protocol import messages as m
from kafkalab.releases import PROFILES


def node_text(
    host: str, port: int, node_id: int | str, version: str, rack: str | None = None
) -> str:
    """`localhost:9092 (id: 0 rack: null)`. node_id as it is printed:
    a number, or "+0" for 4.4's coordinators."""
    fenced = " isFenced: false" if PROFILES[version].printing.node_knows_fencing else ""
    return f"{host}:{port} (id: {node_id} rack: {'null' if rack is None else rack}{fenced})"


def cluster_text(
    version: str,
    *,
    cluster_id: str | None,
    brokers: Sequence[m.MetadataResponseBroker],
    partitions: Sequence[tuple[str, m.MetadataResponsePartition]],
    controller_id: int | None,
) -> str:
    """The text after "Updated cluster metadata ... to ". partitions: (topic, partition) pairs;
    controller_id None: unknown."""
    held = by_partition(
        (topic, partition.partition_index, partition) for topic, partition in partitions
    )
    nodes = {
        broker.node_id: node_text(broker.host, broker.port, broker.node_id, version, broker.rack)
        for broker in brokers
    }
    controller = "null" if controller_id is None else nodes.get(controller_id, "null")
    kind = PROFILES[version].printing.cluster
    if kind in ("MetadataCache", "MetadataSnapshot"):
        by_id = ", ".join(f"{node_id}={text}" for node_id, text in nodes.items())
        listed = ", ".join(
            partition_metadata_text(topic, partition) for topic, _, partition in held
        )
        return (
            f"{kind}{{clusterId='{cluster_id}', nodes={{{by_id}}}, partitions=[{listed}], "
            f"controller={controller}}}"
        )
    listed = ", ".join(_partition(topic, partition) for topic, _, partition in held)
    text = (
        f"Cluster(id = {'null' if cluster_id is None else cluster_id}, nodes = "
        f"[{', '.join(nodes.values())}], partitions = [{listed}], controller = {controller})"
    )
    return text if kind == "Cluster" else f"MetadataCache{{cluster={text}}}"


def _partition(topic: str, partition: m.MetadataResponsePartition) -> str:
    """PartitionInfo.toString."""
    leader = "none" if partition.leader_id < 0 else partition.leader_id
    return (
        f"Partition(topic = {topic}, partition = {partition.partition_index}, leader = {leader}, "
        f"replicas = [{_ids(partition.replica_nodes)}], isr = [{_ids(partition.isr_nodes)}], "
        f"offlineReplicas = [{_ids(partition.offline_replicas)}])"
    )


def partition_metadata_text(topic: str, partition: m.MetadataResponsePartition) -> str:
    """MetadataResponse.PartitionMetadata.toString."""
    return (
        f"PartitionMetadata(error={error_for(partition.error_code).name}, "
        f"partition={topic}-{partition.partition_index}, "
        f"leader={optional_text(partition.leader_id)}, "
        f"leaderEpoch={optional_text(partition.leader_epoch)}, "
        f"replicas={_ids(partition.replica_nodes)}, isr={_ids(partition.isr_nodes)}, "
        f"offlineReplicas={_ids(partition.offline_replicas)})"
    )


def leader_text(leader: object | None, epoch: int | None) -> str:
    """Metadata.LeaderAndEpoch.toString, from 2.4 on; leader: a node that prints itself."""
    named = "Optional.empty" if leader is None else f"Optional[{leader}]"
    return f"LeaderAndEpoch{{leader={named}, epoch={'absent' if epoch is None else epoch}}}"


def _ids(node_ids: tuple[int, ...]) -> str:
    return ",".join(str(node_id) for node_id in node_ids)


def api_versions_text(offered: Sequence[m.ApiVersion], version: str) -> str:
    """`(Produce(0): 0 to 7 [usable: 7], ..., UNKNOWN(44): 0)`: NodeApiVersions.toString(false).

    UNSUPPORTED: the client knows the API, the broker does not offer it. UNKNOWN: the broker offers
    it, the client does not know it.
    """
    known = PROFILES[version].apis
    spans = {span.api_key: span for span in offered}
    texts = []
    for number in sorted(spans.keys() | known.names.keys()):
        newest = known.newest.get(known.names.get(number, ""))
        label = f"{known.names.get(number, 'UNKNOWN')}({number})"
        texts.append(f"{label}: {_span_text(spans.get(number), newest)}")
    return f"({', '.join(texts)})"


def _span_text(span: m.ApiVersion | None, newest: int | None) -> str:
    if span is None:
        return "UNSUPPORTED"
    text = f"{span.min_version}" + (
        f" to {span.max_version}" if span.max_version > span.min_version else ""
    )
    if newest is None:
        return text
    if newest < span.min_version:
        return f"{text} [unusable: node too new]"
    return f"{text} [usable: {min(newest, span.max_version)}]"


def features_text(response: m.ApiVersionsResponse, version: str) -> str:
    """`epoch: 451, finalized features: [...], supported features: [...], ZK migration ready:
    false`.

    What follows "Node 0 has finalized features " in clients that know features (KIP-584, KIP-866).
    """
    finalized = list_text(part_text(feature, version) for feature in response.finalized_features)
    supported = list_text(part_text(feature, version) for feature in response.supported_features)
    migration = (
        f", ZK migration ready: {value_text(response.zk_migration_ready)}"
        if PROFILES[version].printing.zk_migration
        else ""
    )
    return (
        f"epoch: {response.finalized_features_epoch}, finalized features: {finalized}, "
        f"supported features: {supported}{migration}"
    )
