"""Where does the network meet a broker? The end of a broker's connections, and the handle for a broker's faults.

`lab.broker(0)` is one of these: `lab.broker(0).crash()`. What a broker does with a request is `kafkalab.broker`'s; here bytes
become requests and answers become bytes, and a process can die. Kafka's counterpart is SocketServer.
"""

from __future__ import annotations

from typing import Any

from kafkalab.broker.broker import Broker
from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster import BrokerNode, ClusterState
from kafkalab.broker.profiles import BrokerProfile
from kafkalab.broker_channel import BrokerChannel, OnReply
from kafkalab.protocol.api_keys import api_of
from kafkalab.sim.journal import Journal
from kafkalab.sim.network import Connection, Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler


class BrokerEnd:
    """One broker on the network, listening from the start.

    name     who it is in the journal: broker-0, broker-1, ...
    machine  the Broker that answers
    """

    def __init__(self, node: BrokerNode, profile: BrokerProfile, config: BrokerConfig, cluster: ClusterState, clock: Scheduler,
                 network: Network, journal: Journal, streams: Streams) -> None:
        self.node = node
        self.name = f"broker-{node.id}"
        self.machine = Broker(node.id, node.host, node.port, profile, cluster, clock, self._respond, journal, streams,
                              close=self._close, config=config, ask=self._ask)
        self._channels: dict[int, BrokerChannel] = {}
        self._cluster, self._release = cluster, profile.name
        self._clock, self._network, self._journal = clock, network, journal
        self._connections: dict[str, Connection] = {}
        self._delays_ms: dict[str, int] = {}
        network.listen(node.host, node.port, self)

    # faults

    def delay(self, api: str, ms: int) -> None:
        """Answer requests of one API (`"API_VERSIONS"`) `ms` milliseconds later than usual, from now on; 0 ends it."""
        self._delays_ms[api] = ms

    def crash(self) -> None:
        """The process dies: its sockets break, new ones are refused, and what it kept in memory only is gone."""
        self._network.stop_listening(self.node.host, self.node.port)
        self._connections.clear()
        for channel in self._channels.values():
            channel.forget()
        self.machine.crash()
        self._journal.append("broker.down", self.name, broker=self.node.id, how="crash")

    def restart(self) -> None:
        """The process starts again with what was on its disk; one that was still running ends first."""
        self.crash()
        self._network.listen(self.node.host, self.node.port, self)
        self._journal.append("broker.up", self.name, broker=self.node.id)
        self.machine.start()

    # what the network says

    def received(self, connection: Connection, message: Any) -> None:
        _, header, request = message
        self._connections[connection.id] = connection
        self.machine.receive(connection.id, header, request)

    def broken(self, connection: Connection) -> None:
        self._connections.pop(connection.id, None)
        self.machine.disconnected(connection.id)

    # what the broker says

    def _respond(self, connection_id: str, correlation_id: int, response: Any) -> None:
        connection = self._connections.get(connection_id)
        if connection is None:
            return
        delay_ms = self._delays_ms.get(api_of(response).name, 0) if self._delays_ms else 0
        if delay_ms:
            self._clock.after(delay_ms, lambda: connection.reply(response))
        else:
            connection.reply(response)

    def _ask(self, broker: int, request: Any, on_reply: OnReply) -> None:
        if broker not in self._channels:
            self._channels[broker] = BrokerChannel(self._network, self.name, self._cluster.brokers[broker], self._release)
        self._channels[broker].ask(request, on_reply)

    def _close(self, connection_id: str) -> None:
        connection = self._connections.pop(connection_id, None)
        if connection is not None:
            connection.close_by_server()
