"""ApiVersionsExchange: learns which API versions each broker speaks
(NetworkClient.handleInitiateApiVersionRequests, handleApiVersionsResponse).

The first request on every new connection is ApiVersions (KIP-35). Nothing is known of the broker
then, so it has the newest version of this client. A broker that does not know that version answers
UNSUPPORTED_VERSION with the versions of ApiVersions it has; the client asks again in the newest of
those, or in version 0 when the broker did not list them (KIP-511).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkalab.clients.network.hash_order import ids_in_hash_order
from kafkalab.clients.network.log_context import Later
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.request_sender import RequestSender
from kafkalab.errors import Errors
from kafkalab.lines.cluster_text import api_versions_text, features_text
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.messages import ApiVersionsRequest
from kafkalab.releases.api_versions import usable_versions


class ApiVersionsExchange:
    """One client's knowledge of what its connections speak.

    to_ask  connection id -> the event that makes it ask
    known  connection id -> API -> the version requests have there; filled once ApiVersions has
           answered
    finalized_features  what the cluster has agreed to run, name -> level, as of features_epoch
                        (KIP-584)
    """

    def __init__(self, client: RequestSender) -> None:
        self.known: dict[str, Mapping[ApiKeys, int]] = {}
        self.features_epoch = -1
        self.finalized_features: Mapping[str, int] = {}
        self._client = client
        self.to_ask: dict[str, int] = {}
        self._lowered: dict[str, int] = {}

    def due(self, connection: str, because: int) -> None:
        """This connection is to be asked; `because` is the event that makes it so."""
        self.to_ask[connection] = because

    def ask(self) -> None:
        """Ask every connection that is due."""
        client = self._client
        for connection in ids_in_hash_order(self.to_ask):
            with client.log.journal.because(self.to_ask[connection]):
                client.log("FETCHING_API_VERSIONS", node_id=connection)
                client.send(
                    client.new_request(
                        connection, self._request(client.node_tried(connection)), internal=True
                    )
                )
        self.to_ask.clear()

    def version_to_ask(self, connection: str) -> int:
        """The version of the ApiVersions request."""
        return self._lowered.get(connection, self._client.profile.api_versions_version)

    def answered(self, connection: str, asked_version: int, message: Any, event_id: int) -> bool:
        """Reads the answer; False when client and broker share no version and the connection has to
        close."""
        if message.error_code == Errors.NONE.code:
            self._record(connection, message)
            return True
        if message.error_code != Errors.UNSUPPORTED_VERSION.code or asked_version == 0:
            self._client.log("API_VERSIONS_REFUSED", node_id=connection)
            return False
        offered = [
            span.max_version for span in message.api_keys if span.api_key == ApiKeys.API_VERSIONS.id
        ]
        self._lowered[connection] = offered[0] if offered else 0
        self.due(connection, event_id)
        return True

    def disconnected(self, connection: str) -> None:
        """Forgets all answers: another broker version may answer next time."""
        for table in (self.known, self.to_ask, self._lowered):
            table.pop(connection, None)

    def _request(self, node: Node) -> ApiVersionsRequest:
        client = self._client
        known = client.settings.cluster_check and not node.is_bootstrap
        return ApiVersionsRequest(
            client_software_name="apache-kafka-java",
            client_software_version=client.profile.release,
            cluster_id=client.metadata.view.cluster_id if known else None,
            node_id=node.broker if known and node.broker is not None else -1,
        )

    def _record(self, connection: str, message: Any) -> None:
        name = self._client.profile.name
        self.known[connection] = usable_versions(
            name, message, topic_ids=self._client.settings.topic_ids
        )
        if message.finalized_features_epoch > self.features_epoch:
            self.features_epoch = message.finalized_features_epoch
            self.finalized_features = {
                feature.name: feature.max_version_level for feature in message.finalized_features
            }
        self._client.states.ready(connection)
        self._client.log(
            "API_VERSIONS_RECORDED",
            node_id=connection,
            versions=Later(api_versions_text, message.api_keys, name),
            features=Later(features_text, message, name),
        )
