"""Builds the parts that every client has: logs, selector, metadata, network client. No other module
connects them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network.client_settings import ClientSettings
from kafkalab.clients.network.connection_states import ClusterConnectionStates
from kafkalab.clients.network.idle_expiry import Closer
from kafkalab.clients.network.least_loaded import RULES, Rule
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.metadata import Metadata, topic_name
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.selector import PASS_MS, WORKING_PASS_MS, Selector
from kafkalab.clients.network.telemetry import TelemetryReporter
from kafkalab.errors import ConfigException
from kafkalab.lines.cluster_text import cluster_text, node_text
from kafkalab.protocol.messages import MetadataResponse, MetadataResponseBroker

if TYPE_CHECKING:
    from kafkalab.clients.network.client_lab import ClientLab
    from kafkalab.releases import Profile


def node_maker(profile: Profile) -> Callable[..., Node]:
    """Nodes as this version makes and prints them."""
    cache: dict[tuple[Any, ...], Node] = {}

    def node_of(id: int, host: str, port: int, rack: str | None, coordinator: bool = False) -> Node:
        key = (id, host, port, rack, coordinator)
        if key not in cache:
            connection = (
                profile.connecting.coordinator_connection.format(id=id, opposite=2147483647 - id)
                if coordinator
                else str(id)
            )
            number = 2147483647 - id if coordinator else id
            text = node_text(host, port, connection, profile.name, rack)
            cache[key] = Node(number, None if id < 0 else id, connection, host, port, rack, text)
        return cache[key]

    return node_of


def bootstrap_nodes(servers: Iterable[str], node_of: Callable[..., Node]) -> tuple[Node, ...]:
    """Addresses as nodes -1, -2, ... in the order given (Cluster.bootstrap). Raises ConfigException
    for an address that is not host:port."""
    nodes = []
    for index, address in enumerate(servers):
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise ConfigException(f"Invalid url in bootstrap.servers: {address}")
        nodes.append(node_of(-1 - index, host, int(port), None))
    if not nodes:
        raise ConfigException("No resolvable bootstrap urls given in bootstrap.servers")
    return tuple(nodes)


def _cluster_printer(
    profile: Profile,
) -> Callable[[MetadataResponse | None, tuple[Node, ...]], str]:
    """Returns the function that prints the known cluster as this version does; without a response
    it prints the bootstrap nodes."""

    def text_of(response: MetadataResponse | None, nodes: tuple[Node, ...]) -> str:
        if response is None:
            brokers = [
                MetadataResponseBroker(node_id=n.id, host=n.host, port=n.port, rack=n.rack)
                for n in nodes
            ]
            return cluster_text(
                profile.name, cluster_id=None, brokers=brokers, partitions=(), controller_id=None
            )
        partitions = [(topic_name(topic), p) for topic in response.topics for p in topic.partitions]
        return cluster_text(
            profile.name,
            cluster_id=response.cluster_id,
            brokers=response.brokers,
            partitions=partitions,
            controller_id=response.controller_id,
        )

    return text_of


def _rebootstraps(config: Mapping[str, Any]) -> bool:
    return str(config.get("metadata.recovery.strategy", "none")).lower() == "rebootstrap"


def network_client(
    lab: ClientLab,
    kind: str,
    who: str,
    client_id: str,
    config: Mapping[str, Any],
    profile: Profile,
    log: LogContext,
    wanted_topics: Callable[[], Iterable[str]],
    max_in_flight: int,
    auto_create: bool = True,
    least_loaded: Rule | None = None,
    idle_closer: Closer | None = None,
    topic_ids: bool = False,
) -> NetworkClient:
    """The network client of a "consumer", a "producer" or an "admin"; its metadata has no node
    before `bootstrap`.

    wanted_topics  returns the topics that METADATA is to ask for
    auto_create    whether asking may create a topic (allow.auto.create.topics)
    least_loaded   a rule in place of the version's
    idle_closer    a rule in place of the Selector's own
    topic_ids      offsets are requested by topic id
    """
    plain = LogContext(lab.journal, who, client_id, "", profile.name)
    node_of = node_maker(profile)
    idle_ms = config["connections.max.idle.ms"]
    selector = Selector(
        lab.clock,
        lab.network,
        log,
        lab.streams.stream(f"{who}/pass"),
        idle_ms,
        (config["receive.buffer.bytes"], config["send.buffer.bytes"]),
        PASS_MS[kind] if lab.clock.work is None else WORKING_PASS_MS,
        idle_closer,
    )
    states = ClusterConnectionStates.of(
        config,
        profile.connecting.jitter_inside_cap,
        lab.streams.stream(f"{who}/backoff"),
        lab.streams.stream(f"{who}/connection set-up"),
        lab.journal,
        who,
    )
    metadata = Metadata(
        log,
        lab.streams.stream(f"{who}/metadata"),
        profile,
        config["retry.backoff.ms"],
        config.get("retry.backoff.max.ms", 1000),
        config["metadata.max.age.ms"],
        wanted_topics,
        _cluster_printer(profile),
    )
    telemetry = None
    if profile.connecting.telemetry_after_refusal_ms is not None and config.get(
        "enable.metrics.push", False
    ):
        telemetry = TelemetryReporter(
            plain, profile.connecting.telemetry_after_refusal_ms, lab.epoch_ms
        )
    first_use_ms = dict(profile.connecting.first_use_ms)
    if config.get("transactional.id") is not None:
        first_use_ms["producer connecting"] = profile.transacting.transactional_connecting_ms
    settings = ClientSettings(
        kind=kind,
        client_id=client_id,
        request_timeout_ms=config["request.timeout.ms"],
        reconnect_backoff_ms=config["reconnect.backoff.ms"],
        max_in_flight=max_in_flight,
        allow_auto_topic_creation=auto_create,
        rebootstraps=_rebootstraps(config),
        rebootstrap_trigger_ms=config.get("metadata.recovery.rebootstrap.trigger.ms")
        if _rebootstraps(config)
        else None,
        cluster_check=profile.connecting.cluster_check
        and bool(config.get("metadata.cluster.check.enable", True)),
        topic_ids=topic_ids,
        first_use_ms=first_use_ms if lab.cold and lab.clock.work is None else {},
    )
    return NetworkClient(
        who,
        settings,
        profile,
        lab.clock,
        selector,
        states,
        metadata,
        telemetry,
        log,
        plain,
        lab.streams.stream(f"{who}/least loaded"),
        least_loaded or RULES[profile.connecting.least_loaded],
        node_of,
        lab.epoch_ms,
    )
