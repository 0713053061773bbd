"""RequestPath: computes a request's time in the threads and queues of a broker.

Kafka's classes are SocketServer (Acceptor, Processor), RequestChannel and KafkaRequestHandlerPool.
The acceptor assigns new connections to the network threads in turn. A network thread reads a
request and puts it into the shared queue. An I/O thread takes it from there, does the work, and
puts the answer into the queue of that network thread, which alone writes to the socket. A request
that waits for records, followers or members is in a purgatory and uses no thread.

Each thread's time is kept in microseconds, so that many short requests add up. A short step is no
event. The time that a request uses a thread is an assumption of the lab, the same for all releases.
While the request queue is full, a network thread that has read a request waits for a place. It
reads and writes for no connection then (RequestChannel.sendRequest blocks).
Left out: a control plane listener; the followers' fetches and the
controller's requests, which use no thread here; the work of completing a parked request.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

READ_US = 15
"""The time in which a network thread reads a request or writes an answer, in microseconds."""

WORK_US: Mapping[str, int] = MappingProxyType({"PRODUCE": 120, "FETCH": 80})
"""API -> an I/O thread's time for one request, in microseconds."""
OTHER_WORK_US = 50


class InPath(NamedTuple):
    """A request in the broker: the times of its steps, in microseconds.

    A network thread has read it, and puts it into the queue; an I/O thread begins and ends it."""

    client: str
    api: str
    correlation_id: int
    network_thread: int
    io_thread: int
    read_us: int
    entered_us: int
    begun_us: int
    ended_us: int


class TimedRequest:
    """When a request passed each step in the broker, in microseconds (RequestChannel.Request).

    arrived_us    it reached the broker's socket; Kafka does not measure this
    read_us       a network thread has read it; Kafka's clock begins
    entered_us    it is in the request queue
    begun_us      an I/O thread takes it
    freed_us      the I/O thread is free again
    local_us      its local work is done, a random 0 to 2 ms of the lab included
    completed_us  its response is ready: later than local_us, if it was parked in a purgatory
    writing_us    its network thread begins to write the response
    sent_us       the response is written
    throttle_us   how long its client has to wait then, because of a quota
    """

    __slots__ = (
        "api",
        "arrived_us",
        "begun_us",
        "client",
        "completed_us",
        "connection_id",
        "correlation_id",
        "entered_us",
        "freed_us",
        "io_thread",
        "local_us",
        "network_thread",
        "read_us",
        "sent_us",
        "throttle_us",
        "writing_us",
    )

    def __init__(self, path: InPath, connection_id: str, arrived_ms: int) -> None:
        self.client, self.api, self.correlation_id = path.client, path.api, path.correlation_id
        self.network_thread, self.io_thread = path.network_thread, path.io_thread
        self.connection_id = connection_id
        self.arrived_us = 1_000 * arrived_ms
        self.read_us, self.entered_us = path.read_us, path.entered_us
        self.begun_us, self.freed_us = path.begun_us, path.ended_us
        self.local_us = self.completed_us = self.writing_us = self.sent_us = path.ended_us
        self.throttle_us = 0

    def row(self) -> dict[str, Any]:
        """One row of `lab.broker(0).request_times()`."""
        stages = {
            "socket_ms": self.read_us - self.arrived_us,
            "request_queue_ms": self.begun_us - self.read_us,
            "local_ms": self.local_us - self.begun_us,
            "remote_ms": self.completed_us - self.local_us,
            "response_queue_ms": self.writing_us - self.completed_us,
            "send_ms": self.sent_us - self.writing_us,
            "total_ms": self.sent_us - self.read_us,
            "throttle_ms": self.throttle_us,
        }
        return {
            "client": self.client,
            "api": self.api,
            "correlation_id": self.correlation_id,
            "connection": self.connection_id,
            "network_thread": self.network_thread,
            "io_thread": self.io_thread,
            "read_at_ms": self.read_us / 1_000,
            "blocked_ms": (self.entered_us - self.read_us) / 1_000,
            "worked_ms": (self.freed_us - self.begun_us) / 1_000,
            **{name: us / 1_000 for name, us in stages.items()},
        }


class RequestPath:
    """The threads and queues of one broker (SocketServer, KafkaRequestHandlerPool).

    longest_queue  how many requests waited at most
    timed          the answered requests with their times, where they are kept; else None
    """

    __slots__ = (
        "_answers",
        "_in_path",
        "_io_us",
        "_network_us",
        "_next_thread",
        "_queue_size",
        "_slow_us",
        "_waiting_us",
        "longest_queue",
        "timed",
    )

    def __init__(self, network_threads: int, io_threads: int, queue_size: int) -> None:
        self.longest_queue = 0
        self.timed: list[TimedRequest] | None = None
        self._queue_size = queue_size
        self._network_us = [0] * network_threads
        self._io_us = [0] * io_threads
        self._in_path: deque[InPath] = deque()
        self._answers: deque[tuple[int, int, str, str]] = deque()
        # when each waiting request will begin, in order, as threads become free
        self._waiting_us: deque[int] = deque()
        self._next_thread = 0
        self._slow_us: dict[str, int] = {}

    def accept(self) -> int:
        """The network thread of a new connection: each in turn."""
        thread = self._next_thread
        self._next_thread = (self._next_thread + 1) % len(self._network_us)
        return thread

    def keep_busy(self, api: str, ms: int) -> None:
        """Make each request of that API keep an I/O thread for `ms` milliseconds, from now on; 0
        ends it."""
        self._slow_us.pop(api, None)
        if ms:
            self._slow_us[api] = 1_000 * ms

    def arrive(
        self,
        network_thread: int,
        api: str,
        now_ms: int,
        client: str = "",
        correlation_id: int = -1,
        more_ms: int = 0,
    ) -> InPath:
        """Take an arrived request; returns its steps up to the end of the I/O thread's work.

        more_ms: additional work, such as compressing again."""
        now_us = 1_000 * now_ms
        read_us = max(self._network_us[network_thread], now_us) + READ_US
        waiting = self._waiting_us
        while waiting and waiting[0] <= now_us:
            waiting.popleft()
        entered_us = read_us
        if len(waiting) >= self._queue_size:
            # the queue has a place again when this request of it begins
            entered_us = max(read_us, waiting[-self._queue_size])
        self._network_us[network_thread] = entered_us
        threads = self._io_us
        free_us = min(threads)
        thread = threads.index(free_us)
        begun_us = max(free_us, entered_us)
        ended_us = (
            begun_us + (self._slow_us.get(api) or WORK_US.get(api, OTHER_WORK_US)) + 1_000 * more_ms
        )
        threads[thread] = ended_us
        path = InPath(
            client,
            api,
            correlation_id,
            network_thread,
            thread,
            read_us,
            entered_us,
            begun_us,
            ended_us,
        )
        if entered_us < begun_us:
            insort(waiting, begun_us)
        if ended_us > now_us + 1_000:  # many requests at once, or slow work
            self._forget(now_us)
            self._in_path.append(path)
            self.longest_queue = max(self.longest_queue, min(len(waiting), self._queue_size))
        return path

    def answer(
        self,
        network_thread: int,
        now_ms: int,
        client: str = "",
        api: str = "",
        timed: TimedRequest | None = None,
    ) -> int:
        """Take a ready answer; returns when its network thread has written it, in ms."""
        now_us = 1_000 * now_ms
        free_us = self._network_us[network_thread]
        written_us = max(free_us, now_us) + READ_US
        self._network_us[network_thread] = written_us
        if timed is not None:
            timed.completed_us = max(now_us, timed.local_us)
            timed.writing_us = max(free_us, timed.completed_us)
            timed.sent_us = timed.writing_us + READ_US
        if written_us > now_us + 1_000:
            self._answers.append((written_us, network_thread, client, api))
        return written_us // 1_000

    def table(self, now_ms: int) -> list[dict[str, object]]:
        """List the requests that wait or are worked on, one row each, to print or to draw.

        place: "socket" (unread), "network thread n" (read, but the request queue is full), "request
        queue", "I/O thread n" or "response queue n".
        """
        now_us = 1_000 * now_ms
        self._forget(now_us)
        rows = []
        for one in self._in_path:
            if one.begun_us <= now_us:
                place = f"I/O thread {one.io_thread}"
            elif one.entered_us <= now_us:
                place = "request queue"
            elif one.read_us <= now_us:
                place = f"network thread {one.network_thread}"
            else:
                place = "socket"
            rows.append(
                {
                    "place": place,
                    "client": one.client,
                    "api": one.api,
                    "correlation_id": one.correlation_id,
                    "network_thread": one.network_thread,
                    "waited_us": max(min(now_us, one.begun_us) - one.read_us, 0),
                }
            )
        rows += [
            {
                "place": f"response queue {thread}",
                "client": client,
                "api": api,
                "network_thread": thread,
            }
            for written_us, thread, client, api in self._answers
        ]
        return rows

    def forget(self) -> None:
        """Drop all requests: the process has died."""
        self._network_us = [0] * len(self._network_us)
        self._io_us = [0] * len(self._io_us)
        self._in_path.clear()
        self._answers.clear()
        self._waiting_us.clear()

    def _forget(self, now_us: int) -> None:
        """Drop the requests that have left the broker."""
        while self._in_path and self._in_path[0].ended_us <= now_us:
            self._in_path.popleft()
        while self._answers and self._answers[0][0] <= now_us:
            self._answers.popleft()
