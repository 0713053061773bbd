"""CoordinatorRequestManager: looks up the broker that coordinates the group, from the constructor
on (internals.CoordinatorRequestManager). No call waits for it."""

from __future__ import annotations

from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.modern.request_state import RequestState
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import Story, begin
from kafkalab.clients.network.node import Node
from kafkalab.errors import (
    COORDINATOR_LOST,
    DisconnectException,
    Errors,
    KafkaException,
    RetriableException,
    error_for,
)
from kafkalab.protocol.messages import FindCoordinatorRequest
from kafkalab.sim.apps import FOREVER_MS


class CoordinatorRequestManager(ConsumerPart[NetworkClientDelegate]):
    """The look-up of one group. node is the coordinator, None while it is looked up. closing: no
    more look-ups."""

    def __init__(
        self, shared: Shared[NetworkClientDelegate], group_id: str, state: RequestState
    ) -> None:
        super().__init__(shared)
        self.node: Node | None = None
        self.closing = False
        self._group_id, self._state = group_id, state

    def poll(self, now_ms: int) -> int:
        """Sends a look-up when one is needed; returns how long the next pass may wait for it."""
        if self.closing or self.node is not None:
            return FOREVER_MS
        if self._state.can_send(now_ms):
            self._state.sent(now_ms)
            begin(self._look_up())
            return FOREVER_MS
        return self._state.remaining_backoff_ms(now_ms)

    def lost_if(self, error: BaseException | Errors) -> None:
        """After a disconnect, or an answer that refuses, the coordinator is looked up again."""
        if isinstance(error, DisconnectException) or error in COORDINATOR_LOST:
            self.node = None

    def _look_up(self) -> Story:
        """FIND_COORDINATOR, asked of any broker, and its answer."""
        request = FindCoordinatorRequest(key_type=0, coordinator_keys=(self._group_id,))
        try:
            sent = yield self._client.send(None, request)
            found = sent.message.coordinator_of(self._group_id)
            error = error_for(found.error_code)
            if error is not Errors.NONE:
                raise error.exception()
        except KafkaException as refused:
            self._state.failed(self._client.clock.now_ms)
            if not isinstance(refused, RetriableException):
                self._client.keep_error(refused)
            return
        self._state.reset()
        self.node = self._client.client.node_of(
            found.node_id, found.host, found.port, None, coordinator=True
        )
        self._log(
            "ASYNC_COORDINATOR_DISCOVERED",
            coordinator=(
                f"Coordinator(key='{self._group_id}', nodeId={found.node_id}, host='{found.host}', "
                f"port={found.port}, errorCode=0, errorMessage='')"
            ),
        )
