"""InFlightRequests: the unanswered requests of each connection
(org.apache.kafka.clients.InFlightRequests). It decides whether another one may be sent.

Answers on a connection arrive in the order of its requests, so one queue for each connection is
enough. The window is max.in.flight.requests.per.connection. A request that is not written yet
blocks the next one, whatever the window is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from kafkalab.clients.network.requests import ClientRequest


class InFlightRequests:
    def __init__(self, max_per_connection: int) -> None:
        self._max = max_per_connection
        self._queues: dict[str, deque[ClientRequest]] = {}
        self._count = 0
        self._none_due_before_ms = 0  # the clock is enough until then

    def add(self, request: ClientRequest) -> None:
        queue = self._queues.get(request.connection)
        if queue is None:
            queue = self._queues[request.connection] = deque()
        queue.append(request)
        self._count += 1
        if request.sent_ms + request.timeout_ms < self._none_due_before_ms:
            self._none_due_before_ms = request.sent_ms + request.timeout_ms

    def can_send_more(self, connection: str) -> bool:
        queue = self._queues.get(connection)
        return not queue or (queue[-1].written and len(queue) < self._max)

    def complete_next(self, connection: str) -> ClientRequest:
        """The request that the answer just received belongs to: the oldest one."""
        self._count -= 1
        return self._queues[connection].popleft()

    def complete_sent(self, request: ClientRequest) -> None:
        """A request without an answer has been written."""
        self._count -= 1
        self._queues[request.connection].remove(request)

    def clear(self, connection: str) -> Iterable[ClientRequest]:
        """The connection is closed: returns its requests, which will get no answer."""
        lost = self._queues.pop(connection, ())
        self._count -= len(lost)
        return lost

    def of(self, connection: str) -> Iterable[ClientRequest]:
        return self._queues.get(connection, ())

    def count(self, connection: str | None = None) -> int:
        """Unanswered requests of one connection, or of all."""
        return self._count if connection is None else len(self._queues.get(connection, ()))

    def ends_at(self, at_ms: int) -> bool:
        """Whether `at_ms` is the limit of a connection's oldest request."""
        if at_ms < self._none_due_before_ms:
            return False
        return any(
            queue and queue[0].sent_ms + queue[0].timeout_ms == at_ms
            for queue in self._queues.values()
        )

    def timed_out(self, now_ms: int) -> list[str]:
        """Connections whose oldest request was sent longer ago than its timeout."""
        if now_ms <= self._none_due_before_ms:
            return []
        late = [
            id
            for id, queue in self._queues.items()
            if queue and now_ms - queue[0].sent_ms > queue[0].timeout_ms
        ]
        ends_ms = [
            request.sent_ms + request.timeout_ms
            for queue in self._queues.values()
            for request in queue
        ]
        self._none_due_before_ms = min(ends_ms, default=now_ms)
        return late
