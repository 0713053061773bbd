"""DefaultMetadataUpdater: sends METADATA requests and handles their answers
(NetworkClient.DefaultMetadataUpdater).

One request is under way at a time, always to the least loaded node. Where that node has no socket
yet, this pass only connects; the next poll tries again. `Metadata` decides when a refresh is due.
"""

from __future__ import annotations

from kafkalab.clients.network.least_loaded import LONG_MS
from kafkalab.clients.network.metadata import Metadata
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.request_sender import RequestSender
from kafkalab.clients.network.requests import ClientRequest
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.messages import MetadataRequest, MetadataRequestTopic, MetadataResponse


class DefaultMetadataUpdater:
    def __init__(self, client: RequestSender, metadata: Metadata) -> None:
        self._client, self._metadata = client, metadata
        self._in_flight = False
        self._asking_since_ms: int | None = None

    def is_due(self, now_ms: int) -> bool:
        """Whether a refresh is wanted now and none is under way (isUpdateDue)."""
        return not self._in_flight and self._metadata.time_to_next_update(now_ms) == 0

    def maybe_update(self, now_ms: int) -> int:
        """Sends a request or connects if a refresh is due; returns how long (ms) the next pass may
        wait."""
        wait_ms = self._metadata.time_to_next_update(now_ms)
        if self._in_flight:
            wait_ms = max(wait_ms, self._client.settings.request_timeout_ms)
        if wait_ms > 0:
            return wait_ms
        client, settings = self._client, self._client.settings
        if self._asking_since_ms is None:
            self._asking_since_ms = now_ms
        node = client.least_loaded_node()
        if (
            node is None
            and settings.rebootstraps
            and not any(client.states.is_ready(n.connection) for n in self._metadata.view.nodes)
        ):
            self.rebootstrap(now_ms)
            node = client.least_loaded_node()
        if node is None:
            client.log("METADATA_GIVE_UP")
            return settings.reconnect_backoff_ms
        if client.can_send(node.connection):
            self._send(node)
            return settings.request_timeout_ms
        if client.states.any_connecting(n.connection for n in self._metadata.view.nodes):
            return settings.reconnect_backoff_ms
        if client.states.can_connect(node.connection, now_ms):
            client.log("CONNECT_FOR_METADATA", node=node)
            client.connect(node, "metadata")
            return settings.reconnect_backoff_ms
        return LONG_MS

    def answered(self, request: ClientRequest, response: MetadataResponse, now_ms: int) -> None:
        """Hands a good answer to Metadata; an answer without brokers counts as a failure
        (KAFKA-7182)."""
        self._in_flight = False
        errors = {
            t.name: error_for(t.error_code)
            for t in response.topics
            if t.error_code != Errors.NONE.code
        }
        if errors:
            known = self._client.profile.connecting.known
            shown = ", ".join(f"{topic}={known(error).name}" for topic, error in errors.items())
            self._client.log(
                "METADATA_ERRORS", correlation_id=request.correlation_id, errors=f"{{{shown}}}"
            )
        if response.brokers:
            self._asking_since_ms = None
            self._metadata.update(response, now_ms, self._client.node_of)
        else:
            self._metadata.failed_update(now_ms)

    def needs_rebootstrap(self, now_ms: int) -> bool:
        """Whether a request for metadata has had no good answer for too long."""
        limit_ms = self._client.settings.rebootstrap_trigger_ms
        return (
            limit_ms is not None
            and self._asking_since_ms is not None
            and now_ms - self._asking_since_ms > limit_ms
        )

    def rebootstrap_limit_is(self, at_ms: int) -> bool:
        """Whether `at_ms` is the last millisecond in which no rebootstrap is needed."""
        limit_ms = self._client.settings.rebootstrap_trigger_ms
        return (
            limit_ms is not None
            and self._asking_since_ms is not None
            and self._asking_since_ms + limit_ms == at_ms
        )

    def rebootstrap(self, now_ms: int) -> None:
        """Begins again with the bootstrap addresses."""
        self._metadata.rebootstrap()
        self._asking_since_ms = now_ms

    def disconnected(self, now_ms: int) -> None:
        """The socket closed before the answer arrived."""
        self._in_flight = False
        self._metadata.failed_update(now_ms)

    def _send(self, node: Node) -> None:
        client = self._client
        wanted = self._metadata.wanted_topics()
        topics = (
            None if wanted is None else tuple(MetadataRequestTopic(name=topic) for topic in wanted)
        )
        message = MetadataRequest(
            topics=topics, allow_auto_topic_creation=client.settings.allow_auto_topic_creation
        )
        client.log(
            "SENDING_METADATA_REQUEST", request=client.request_text(message, node), node=node
        )
        self._in_flight = True
        client.send(client.new_request(node.connection, message, internal=True))
