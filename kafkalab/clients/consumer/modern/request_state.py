"""RequestState: decides when a manager may send its next request (internals.RequestState).

It may not while a request is under way, nor before its backoff has passed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.network.log_context import LogContext
from kafkalab.lines.java_values import value_text


class RequestState:
    """One kind of request of one manager.

    owner  as the lines name it; kind: the class's name there
    more   more() is what a subclass prints of itself
    rng    draws the jitter of the backoff, 20 % up or down
    """

    def __init__(
        self,
        owner: str,
        kind: str,
        config: Mapping[str, Any],
        rng: random.Random,
        log: LogContext,
        epoch_ms: int,
    ) -> None:
        self.in_flight = False
        self._owner, self._rng, self._log, self._epoch_ms = owner, rng, log, epoch_ms
        self._initial_ms = config["retry.backoff.ms"]
        self._limit_ms = config["retry.backoff.max.ms"]
        self._kind = kind
        self.more: Callable[[], str] = lambda: ""
        self._sent_ms = self._received_ms = -1
        self._attempts = self._backoff_ms = 0

    def can_send(self, now_ms: int) -> bool:
        if self.in_flight:
            self._log("REQUEST_ALREADY_IN_FLIGHT", request_state=self._text())
            return False
        return self.remaining_backoff_ms(now_ms) == 0

    def remaining_backoff_ms(self, now_ms: int) -> int:
        return (
            0 if self._received_ms < 0 else max(0, self._backoff_ms - (now_ms - self._received_ms))
        )

    def sent(self, now_ms: int) -> None:
        self.in_flight, self._sent_ms = True, now_ms

    def succeeded(self, now_ms: int) -> None:
        self.in_flight, self._received_ms, self._attempts, self._backoff_ms = False, now_ms, 0, 0

    def failed(self, now_ms: int) -> None:
        doubled_ms = min(self._initial_ms * 2**self._attempts, self._limit_ms)
        self._backoff_ms = int(doubled_ms * (0.8 + 0.4 * self._rng.random()))
        self.in_flight, self._received_ms, self._attempts = False, now_ms, self._attempts + 1

    def reset(self) -> None:
        self.in_flight = False
        self._sent_ms = -1
        self._received_ms = -1
        self._attempts = 0
        self._backoff_ms = 0

    def _text(self) -> str:
        growth = (
            math.log2(self._limit_ms / self._initial_ms)
            if self._limit_ms > self._initial_ms
            else 0.0
        )
        since = [-1 if ms < 0 else self._epoch_ms + ms for ms in (self._sent_ms, self._received_ms)]
        return (
            f"{self._kind}{{owner='{self._owner}', "
            f"exponentialBackoff=ExponentialBackoff{{multiplier=2, expMax={growth!r}, "
            f"initialInterval={self._initial_ms}, jitter=0.2}}, lastSentMs={since[0]}, "
            f"lastReceivedMs={since[1]}, numAttempts={self._attempts}, "
            f"backoffMs={self._backoff_ms}, "
            f"requestInFlight={value_text(self.in_flight)}{self.more()}}}"
        )
