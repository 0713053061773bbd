"""BrokerChannel: one broker's connection to another; an answer or None for each request.

Kafka's counterpart is InterBrokerSendThread with a NetworkClient of its own. The connection is made
at the first request and is a link like any client's, so `lab.link(1, "broker-0").cut()` separates
two brokers. Left out: that client's backoffs and request time-out; the calling machine tries again
by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.header import RequestHeader
from kafkalab.releases import broker_profile
from kafkalab.sim.network import Connection, Network

OnReply = Callable[[Any], object]


class BrokerChannel:
    """The connection from one broker to another (InterBrokerSendThread).

    host, port  where the other one listens to brokers
    release     of the brokers: a request goes out in the newest version of its API that they know
    """

    def __init__(self, network: Network, asker: str, host: str, port: int, release: str) -> None:
        self._network, self._asker, self._host, self._port = network, asker, host, port
        self._newest = {span.api_key: span.max_version for span in broker_profile(release).apis}
        self._connection: Connection | None = None
        self._unsent: list[Any] = []
        self._waiting: deque[OnReply] = deque()
        self._correlation_id = 0

    def ask(self, request: Any, on_reply: OnReply) -> None:
        """Send a request; on_reply(response) is called once, with None when there is no connection
        or it is lost."""
        api = api_of(request)
        header = RequestHeader(
            api_key=api,
            api_version=self._newest[api.id],
            client_id=self._asker,
            correlation_id=self._correlation_id,
        )
        self._correlation_id += 1
        self._waiting.append(on_reply)
        message = (None, header, request)
        if self._connection is None:
            self._unsent.append(message)
            self._connection = self._network.connect(self._asker, self._host, self._port, self)
        elif self._connection.open:
            self._connection.send(message)
        else:
            self._unsent.append(message)

    def forget(self) -> None:
        """Drop the waiting requests: the sending process has died."""
        self._waiting.clear()
        self._unsent.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # called by the network

    def connected(self, connection: Connection) -> None:
        if connection is not self._connection:
            connection.close()
            return
        unsent, self._unsent = self._unsent, []
        for message in unsent:
            connection.send(message)

    def received(self, connection: Connection, message: Any) -> None:
        if connection is self._connection:
            self._waiting.popleft()(message)

    def refused(self, connection: Connection) -> None:
        self.broken(connection)

    def broken(self, connection: Connection) -> None:
        if connection is not self._connection:
            return
        self._connection = None
        self._unsent.clear()
        waiting, self._waiting = self._waiting, deque()
        for on_reply in waiting:
            on_reply(None)
