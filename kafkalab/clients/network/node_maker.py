"""Makes the nodes that a client knows: brokers, coordinators, bootstrap addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network.node import Node
from kafkalab.errors import ConfigException
from kafkalab.lines.cluster_text import node_text

if TYPE_CHECKING:
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
