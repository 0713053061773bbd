"""CoordinatorLookup: finds the broker that coordinates the group
(AbstractCoordinator.ensureCoordinatorReady, lookupCoordinator, markCoordinatorUnknown).

Any broker can answer FIND_COORDINATOR. The coordinator has a socket of its own, kept under an id
that no broker has, so that heartbeats do not queue behind fetches. It stays known until an answer
or a broken socket says otherwise. Lookups of several groups at once (KIP-699) are sent, but always
with one group only.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, task
from kafkalab.clients.network.connection_states import exponential_ms
from kafkalab.clients.network.node import Node
from kafkalab.errors import (
    COORDINATOR_LOST,
    Errors,
    KafkaException,
    RetriableException,
    error_for,
)
from kafkalab.lines.java_values import value_text
from kafkalab.protocol.messages import FindCoordinatorRequest


class CoordinatorLookup(GroupPart):
    """Finds the coordinator and forgets it. `node` is the coordinator last found, None when it must
    be looked up.

    on_released  called when the application's thread has looked it up, and lets other threads run
    """

    def __init__(self, shared: GroupShared) -> None:
        super().__init__(shared)
        self.node: Node | None = None
        self.on_released: Callable[[], object] = lambda: None
        self._most_ms = max(
            self._retry_backoff_ms,
            self._config.get("retry.backoff.max.ms", self._retry_backoff_ms),
        )
        self._doubles = self._profile.connecting.exponential_refresh_backoff
        self._under_way: RequestFuture | None = None
        self._is_looking = False

    @property
    def is_looking(self) -> bool:
        """Whether the application's thread is inside `ensure_ready`. Java holds the coordinator's
        monitor there, and the heartbeat thread waits."""
        return self._is_looking

    @property
    def unknown(self) -> bool:
        node = self.node
        return node is None or (
            node.connection in self._client.client.states.down and self.checked_node() is None
        )

    def checked_node(self) -> Node | None:
        """The coordinator, unless its socket has failed (checkAndGetCoordinator)."""
        if self.node is not None and self._client.is_unavailable(self.node):
            self.mark_unknown("coordinator unavailable", disconnected=True)
        return self.node

    def ensure_ready(self, timer: CallTimer) -> bool:
        """Looks the coordinator up until it is known or the timer ends. Raises lasting errors of
        FIND_COORDINATOR."""
        if not self.unknown:
            return True
        self._is_looking = True
        try:
            return self._look_up(timer)
        finally:
            self._is_looking = False
            self.on_released()

    def _look_up(self, timer: CallTimer) -> bool:
        attempts = 0
        while True:
            future = self.find()
            self._client.poll_until(future, timer)
            if not future.is_done:
                break
            if future.failed:
                self._log("COORDINATOR_DISCOVERY_FAILED", error=str(future.error))
                if not future.is_retriable:
                    self.forget_lookup()
                    raise future.failure
                if self._doubles:
                    self._rest(attempts, timer)
                    attempts += 1
                self._client.await_metadata_update(timer)
            elif self.node is not None and self._client.is_unavailable(self.node):
                self.mark_unknown("coordinator unavailable", disconnected=False)
                self._rest(attempts, timer)
                attempts += 1
            if self._profile.group.keeps_answered_lookup:
                self.forget_lookup()
            if not self.unknown or timer.expired:
                break
        return not self.unknown

    def _rest(self, attempts: int, timer: CallTimer) -> None:
        """Waits before the next request: retry.backoff.ms, which doubles since KIP-580."""
        wait_ms = (
            exponential_ms(self._rng, self._retry_backoff_ms, self._most_ms, attempts, True)
            if self._doubles
            else self._retry_backoff_ms
        )
        self._client.sleep(min(wait_ms, timer.remaining_ms))

    def forget_lookup(self) -> None:
        """The next caller that wants the coordinator sends a new request, though an answer may
        still be under way (clearFindCoordinatorFuture)."""
        self._under_way = None

    @property
    def has_asked(self) -> bool:
        """Whether there is a request whose answer was not read yet."""
        return self._under_way is not None

    def find(self) -> RequestFuture:
        """Asks the least loaded broker, unless a request is under way already."""
        if self._under_way is None:
            node = self._client.least_loaded_node()
            if node is None:
                return RequestFuture.failed_with(RetriableException("No brokers available"))
            self._log("SENDING_FIND_COORDINATOR", node=node)
            self._under_way = task(self._ask(node))
        return self._under_way

    def _ask(self, node: Node) -> Story:
        """FIND_COORDINATOR and its answer."""
        group_id = self._membership.group_id
        request = FindCoordinatorRequest(key_type=0, coordinator_keys=(group_id,))
        try:
            sent = yield self._client.send(node, request)
        except KafkaException as error:
            self._log("FIND_COORDINATOR_FAILED", error=error)
            raise
        finally:
            if not self._profile.group.keeps_answered_lookup:
                self._under_way = None
        self._log("FIND_COORDINATOR_RESPONSE", response=self._client.client.response_text(sent))
        found = sent.message.coordinator_of(group_id)
        if found.error_code != Errors.NONE.code:
            self._log("COORDINATOR_LOOKUP_FAILED", error=found.error_message)
            raise error_for(found.error_code).exception()
        self.node = self._client.client.node_of(
            found.node_id, found.host, found.port, None, coordinator=True
        )
        self._log("COORDINATOR_DISCOVERED", node=self.node)
        self._client.try_connect(self.node)
        self._heartbeat.reset_session(self._client.clock.now_ms)

    def mark_unknown(self, cause: str, disconnected: bool) -> None:
        """Forgets the coordinator. `disconnected`: its socket is closed already."""
        if self.node is None:
            return
        node, self.node = self.node, None
        self._log(
            "COORDINATOR_UNAVAILABLE", node=node, cause=cause, disconnected=value_text(disconnected)
        )
        if not disconnected:
            self._log("COORDINATOR_DISCONNECT_REQUESTED", node=node)
            self._client.disconnect_async(node)

    def mark_lost_if(self, error: Errors) -> None:
        """Forgets the coordinator where the answer says that this broker coordinates the group no
        longer."""
        if error in COORDINATOR_LOST:
            self.mark_unknown(f"error response {error.name}", disconnected=False)
