"""Sends any given request to a broker over the lab's network, without the checks of a Kafka
client.
"""

from __future__ import annotations

from typing import Any

from kafkalab.lab import Lab
from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.header import RequestHeader
from kafkalab.releases.api_versions import newest_known
from kafkalab.sim.network import Connection


class RawClient:
    """One connection to one broker that sends any given request.

    It uses the request versions of 2.3, which every simulated broker supports. `ask` runs the clock
    until the answer arrives. `tell` does not wait for it.
    """

    def __init__(self, lab: Lab, name: str, broker: int = 0) -> None:
        self.name = name
        self.answers: list[Any] = []
        self._lab, self._sent = lab, 0
        node = lab.broker(broker).node
        self._connection = lab.network.connect(name, node.host, node.port, self)
        lab.run_until(lambda: self._connection.open, timeout_ms=1_000)

    def tell(self, request: Any, version: int | None = None) -> int:
        """Send a request. Returns the number of answers there will be once it is answered."""
        api = api_of(request)
        header = RequestHeader(
            api_key=api,
            api_version=newest_known("2.3", api) if version is None else version,
            client_id=self.name,
            correlation_id=self._sent,
        )
        self._sent += 1
        self._connection.send((None, header, request))
        return self._sent

    def ask(self, request: Any, version: int | None = None, patience_ms: int = 100) -> Any:
        """Send a request and return the answer; None when none arrives within `patience_ms`."""
        due = self.tell(request, version)
        self._lab.run_until(lambda: len(self.answers) >= due, timeout_ms=patience_ms)
        return self.answers[due - 1] if len(self.answers) >= due else None

    # The methods that the network calls.

    def connected(self, connection: Connection) -> None: ...

    def refused(self, connection: Connection) -> None: ...

    def received(self, connection: Connection, message: Any) -> None:
        self.answers.append(message)

    def broken(self, connection: Connection) -> None: ...
