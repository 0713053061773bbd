"""RequestPath: computes a request's time in the threads and queues of a broker.

Kafka's classes are SocketServer (Acceptor, Processor), RequestChannel and KafkaRequestHandlerPool.
The acceptor assigns new connections to the network threads in turn. A network thread reads a
request and puts it into the shared queue. An I/O thread takes it from there, does the work, and
puts the answer into the queue of that network thread, which alone writes to the socket. A request
that waits for records, followers or members is in a purgatory and uses no thread.

Each thread's time is kept in microseconds, so that many short requests add up. A short step is no
event. The time that a request uses a thread is an assumption of the lab, the same for all releases.
Left out: quotas, a control plane listener, and that a network thread stops reading and writing
while the request queue is full; such requests count as unread instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

READ_US = 15
"""The time in which a network thread reads a request or writes an answer, in microseconds."""

WORK_US: Mapping[str, int] = MappingProxyType({"PRODUCE": 120, "FETCH": 80})
"""API -> an I/O thread's time for one request, in microseconds."""
OTHER_WORK_US = 50


class InPath(NamedTuple):
    """A request in the broker: the times of its steps, in microseconds.

    A network thread has read it; an I/O thread begins and ends it."""

    client: str
    api: str
    correlation_id: int
    network_thread: int
    io_thread: int
    read_us: int
    begun_us: int
    ended_us: int


class RequestPath:
    """The threads and queues of one broker (SocketServer, KafkaRequestHandlerPool).

    longest_queue  how many requests waited at most
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
    )

    def __init__(self, network_threads: int, io_threads: int, queue_size: int) -> None:
        self.longest_queue = 0
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
        thread, self._next_thread = (
            self._next_thread,
            (self._next_thread + 1) % len(self._network_us),
        )
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
    ) -> tuple[int, int]:
        """Take an arrived request; returns (when an I/O thread begins with it, when its work is
        done), in ms. more_ms: additional work, such as compressing again."""
        now_us = 1_000 * now_ms
        read_us = max(self._network_us[network_thread], now_us) + READ_US
        self._network_us[network_thread] = read_us
        threads = self._io_us
        free_us = min(threads)
        thread = threads.index(free_us)
        begun_us = free_us if free_us > read_us else read_us
        ended_us = (
            begun_us + (self._slow_us.get(api) or WORK_US.get(api, OTHER_WORK_US)) + 1_000 * more_ms
        )
        threads[thread] = ended_us
        if (
            ended_us > now_us + 1_000
        ):  # it can be seen in the story: many requests at once, or slow work
            self._forget(now_us)
            self._in_path.append(
                InPath(
                    client, api, correlation_id, network_thread, thread, read_us, begun_us, ended_us
                )
            )
            if read_us < begun_us:
                self._waiting_us.append(begun_us)
                self.longest_queue = max(self.longest_queue, len(self._waiting_us))
        return begun_us // 1_000, ended_us // 1_000

    def answer(self, network_thread: int, now_ms: int, client: str = "", api: str = "") -> int:
        """Take a ready answer; returns when its network thread has written it, in ms."""
        now_us = 1_000 * now_ms
        written_us = max(self._network_us[network_thread], now_us) + READ_US
        self._network_us[network_thread] = written_us
        if written_us > now_us + 1_000:
            self._answers.append((written_us, network_thread, client, api))
        return written_us // 1_000

    def table(self, now_ms: int) -> list[dict[str, object]]:
        """List the requests that wait or are worked on, one row each, to print or to draw.

        place: "socket" (unread, the queue is full), "request queue", "I/O thread n" or "response
        queue n".
        """
        now_us = 1_000 * now_ms
        self._forget(now_us)
        rows, queued = [], 0
        for one in self._in_path:
            if one.begun_us <= now_us:
                place = f"I/O thread {one.io_thread}"
            elif queued < self._queue_size:
                place, queued = "request queue", queued + 1
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
        while self._waiting_us and self._waiting_us[0] <= now_us:
            self._waiting_us.popleft()
