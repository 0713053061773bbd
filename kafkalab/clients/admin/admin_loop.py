"""The admin client's background thread (KafkaAdminClient.AdminClientRunnable).

Each pass chooses a node for the calls that wait, sends one request a connection at a time, and
polls the network. A call whose connection breaks is tried again after retry.backoff.ms, until its
own deadline. Kafka asks for METADATA through a call of its own kind; here the network client does,
at the same moments. Left out: lines, which no recording shows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any

from kafkalab.clients.admin.calls import (
    ANY,
    Call,
    CallState,
    Pause,
    Plan,
    PlannedRequest,
)
from kafkalab.clients.network.least_loaded import LONG_MS
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.network_client_utils import LoopingClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.requests import ClientResponse
from kafkalab.errors import TimeoutException, UnsupportedVersionException
from kafkalab.protocol.api_keys import api_of
from kafkalab.sim.apps import Signal

WAITED_FOR = {
    CallState.WAITING: "Timed out waiting for a node assignment.",
    CallState.ASSIGNED: "Timed out waiting to send the call.",
    CallState.IN_FLIGHT: "Aborted due to timeout.",
}
"""What clients before 2.8 say of a call that took too long, by its state."""


class AdminLoop:
    """The loop of one admin client. finished: set when the loop has ended and its sockets are
    closed."""

    def __init__(self, client: NetworkClient, config: Mapping[str, Any]) -> None:
        self.finished = Signal()
        self._client, self._clock, self._epoch_ms = client, client.clock, client.epoch_ms
        self._retry_backoff_ms: int = config["retry.backoff.ms"]
        self._retries: int = config["retries"]
        self._loop = LoopingClient(client, polls_first=False)
        self._calls: list[Call] = []
        self._closing = False

    def run(self) -> Generator[int, None, None]:
        """The loop, for Stage.loop."""
        while not self._closing or self._calls:
            yield from self._loop.poll(self._step())
        self._client.close()
        self.finished.set()

    def close(self, abort: bool) -> None:
        """The loop ends when the calls under way have ended; with `abort` they end now."""
        self._closing = True
        if abort:
            for call in list(self._calls):
                self._end(call, TimeoutException("The AdminClient thread has exited."))
        self._client.selector.wakeup()

    # plans

    def start(self, plan: Plan, deadline_ms: int) -> None:
        """Drive a plan until it returns; it completes its futures itself."""
        self._go_on(plan, deadline_ms, None)

    def _go_on(self, plan: Plan, deadline_ms: int, outcome: Any) -> None:
        try:
            wanted = (
                plan.throw(outcome) if isinstance(outcome, BaseException) else plan.send(outcome)
            )
        except StopIteration:
            return
        go_on = partial(self._go_on, plan, deadline_ms)
        if isinstance(wanted, PlannedRequest):
            api, profile = api_of(wanted.message), self._client.profile
            if not profile.knows(api):  # then there is no request, and no correlation id for it
                go_on(UnsupportedVersionException(f"{profile.release} does not know {api.name}"))
                return
            self._add(Call(wanted, deadline_ms, go_on))
        elif isinstance(wanted, Pause):
            if wanted.renew:
                self._client.metadata.request_update()
            self._clock.after(self._retry_backoff_ms, lambda: go_on(None))
        else:
            self._ask_all(list(wanted), deadline_ms, go_on)

    def _ask_all(
        self, asks: list[PlannedRequest], deadline_ms: int, go_on: Callable[[Any], object]
    ) -> None:
        """Runs plans side by side; the plan goes on with the list of outcomes, exceptions among
        them."""
        outcomes: list[Any] = [None] * len(asks)
        missing = len(asks)

        def ended(index: int, outcome: Any) -> None:
            nonlocal missing
            outcomes[index] = outcome
            missing -= 1
            if missing == 0:
                go_on(outcomes)

        if not asks:
            self._clock.after(0, lambda: go_on([]))
        for index, ask in enumerate(asks):
            self._add(Call(ask, deadline_ms, partial(ended, index)))

    def _add(self, call: Call) -> None:
        self._calls.append(call)
        self._client.selector.wakeup()

    # one pass

    def _step(self) -> int:
        """Expires, assigns and sends calls; returns how long (ms) the poll may wait."""
        now_ms = self._clock.now_ms
        wait_ms = LONG_MS
        for call in list(self._calls):
            if call.state is CallState.ENDED:
                continue
            if now_ms >= call.deadline_ms:
                self._give_up(call, now_ms)
                continue
            wait_ms = min(wait_ms, call.deadline_ms - now_ms)
            if call.state is CallState.WAITING and now_ms >= call.not_before_ms:
                self._assign(call)
            elif call.state is CallState.WAITING:
                wait_ms = min(wait_ms, call.not_before_ms - now_ms)
            if call.state is CallState.ASSIGNED:
                wait_ms = min(wait_ms, self._send(call, now_ms))
        return wait_ms

    def _assign(self, call: Call) -> None:
        node = self._node_for(call)
        if node is not None:
            call.node = node
            call.transition_to(CallState.ASSIGNED)

    def _node_for(self, call: Call) -> Node | None:
        """The node for a target; None while the metadata has none, which then is asked for. A
        bootstrap address is never the target."""
        metadata, target = self._client.metadata, call.ask.target
        if metadata.view.is_bootstrap:
            return None
        if target == ANY:
            return self._client.least_loaded_node()
        node = metadata.view.node(target) if isinstance(target, int) else metadata.view.controller
        if node is None and not metadata.update_requested:
            metadata.request_update()
        return node

    def _send(self, call: Call, now_ms: int) -> int:
        client, node = self._client, call.node
        assert node is not None, "a call is sent when it has a node"
        if client.ready(node):
            call.transition_to(CallState.IN_FLIGHT)
            timeout_ms = min(client.settings.request_timeout_ms, call.deadline_ms - now_ms)
            client.send(
                client.new_request(
                    node.connection, call.ask.message, partial(self._answered, call), timeout_ms
                )
            )
            return LONG_MS
        if client.connection_failed(node):
            call.node = None
            call.transition_to(CallState.WAITING)
            call.not_before_ms = now_ms + self._retry_backoff_ms
            client.metadata.request_update()
            return self._retry_backoff_ms
        return client.poll_delay_ms(node)

    def _answered(self, call: Call, response: ClientResponse) -> None:
        if call.state is CallState.ENDED:
            return
        if response.version_mismatch:
            api = api_of(call.ask.message).name
            self._end(call, UnsupportedVersionException(f"The node does not support {api}"))
        elif response.disconnected:
            call.tries += 1
            if call.tries > self._retries:
                self._give_up(call, self._clock.now_ms)
                return
            call.transition_to(CallState.WAITING)
            call.node, call.not_before_ms = None, self._clock.now_ms + self._retry_backoff_ms
        else:
            self._end(call, response.message)

    def _give_up(self, call: Call, now_ms: int) -> None:
        """The sentence of Call.handleTimeoutFailure; before 2.8 what the call had waited for."""
        if not self._client.profile.connecting.names_timed_out_calls:
            self._end(call, TimeoutException(WAITED_FOR[call.state]))
            return
        deadline_ms = self._epoch_ms + call.deadline_ms
        self._end(
            call,
            TimeoutException(
                f"Call(callName={call.ask.name}, deadlineMs={deadline_ms}, tries={call.tries}, "
                f"nextAllowedTryMs={self._epoch_ms + call.not_before_ms}) timed out at "
                f"{self._epoch_ms + now_ms} after {max(call.tries, 1)} attempt(s)"
            ),
        )

    def _end(self, call: Call, outcome: Any) -> None:
        self._calls.remove(call)
        call.end(outcome)
