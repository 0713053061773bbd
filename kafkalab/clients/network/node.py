"""One broker as a client knows it (org.apache.kafka.common.Node)."""

from __future__ import annotations

from kafkalab.protocol.frozen import record

COORDINATOR_IDS = 2_000_000_000
"""No broker has an id above this one."""


@record
class Node:
    """A broker by the id under which this client keeps its socket.

    id          broker id; -1, -2, ... for bootstrap addresses (Cluster.bootstrap); the
                coordinator's socket has an id of its own
    broker      the broker's real id; None while only its address is known
    connection  the id's text, the key of every map in NetworkClient; differs from str(id) only
                where a version says so
    text        as Java prints it, e.g. `localhost:9092 (id: -1 rack: null)`
    """

    id: int
    broker: int | None
    connection: str
    host: str
    port: int
    rack: str | None
    text: str

    @property
    def is_bootstrap(self) -> bool:
        return self.id < 0

    @property
    def is_coordinator(self) -> bool:
        """The id of a coordinator's socket: 2147483647 - broker, however the version prints it."""
        return self.id > COORDINATOR_IDS

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__
