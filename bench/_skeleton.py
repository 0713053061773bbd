"""The least a simulator can be, three times: what the messages of a lab cost when nobody knows
Kafka.

The bare one is a heap of callbacks and two hops a request: a client makes a frozen header and a
frozen request, a server a frozen response. No versions, no journal, no lines, nothing looked up.
SimPy's has a process a client and a process a server, and one timeout a hop. The third is the bare
one that writes into a journal of ours.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import simpy

from kafkalab.clients.network.log_context import LogContext
from kafkalab.sim.garbage import COLLECTOR
from kafkalab.sim.journal import Journal
from kafkalab.sim.scheduler import Scheduler

HOP_MS = 1
SERVERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    api: str
    version: int
    client: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """As many fields as a Kafka request has in the middle."""

    session: int = 0
    epoch: int = -1
    max_wait_ms: int = 500
    min_bytes: int = 1
    max_bytes: int = 52428800
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    throttle_ms: int = 0
    error: int = 0
    session: int = 0
    parts: tuple[Part, ...] = ()


class BareHeap:
    """`move(requests)` over `clients` clients; `answered` counts."""

    def __init__(self, clients: int) -> None:
        self.answered = 0
        self._heap: list[tuple[int, int, Callable, tuple]] = []
        self._order = self._sent = 0
        self._clients = clients

    def move(self, requests: int) -> None:
        for client in range(self._clients):
            self._ask(0, f"client-{client}")
        while self.answered < requests:
            now_ms, _, callback, args = heapq.heappop(self._heap)
            callback(now_ms, *args)

    def _after(self, at_ms: int, callback: Callable, *args: object) -> None:
        self._order += 1
        heapq.heappush(self._heap, (at_ms, self._order, callback, args))

    def _ask(self, now_ms: int, client: str) -> None:
        self._sent += 1
        header = Header(api="FETCH", version=13, client=client, number=self._sent)
        request = Request(
            session=7,
            epoch=self._sent,
            parts=(Part(topic="orders", partition=self._sent % 6, offset=self._sent),),
        )
        self._after(now_ms + HOP_MS, self._serve, header, request)

    def _serve(self, now_ms: int, header: Header, request: Request) -> None:
        part = request.parts[0]
        response = Response(
            session=request.session,
            parts=(Part(topic=part.topic, partition=part.partition, offset=part.offset + 1),),
        )
        self._after(now_ms + HOP_MS, self._hear, header, response)

    def _hear(self, now_ms: int, header: Header, response: Response) -> None:
        self.answered += 1
        self._ask(now_ms, header.client)


class WritingHeap(BareHeap):
    """The same, and for each answer it keeps as many lines and events as a lab does.

    Each has three values. No simulator that keeps them in Python can be faster than this."""

    def __init__(self, clients: int, lines: int, others: int) -> None:
        super().__init__(clients)
        self._journal = Journal(Scheduler())
        self._say = LogContext(
            self._journal, "shop", "shop", "[Consumer clientId=shop, groupId=null] ", "3.9"
        )
        self._lines, self._others = range(lines), range(others)

    def _hear(self, now_ms: int, header: Header, response: Response) -> None:
        for _ in self._lines:
            self._say("RECEIVED_RESPONSE", header=header, response=response, node_id="1")
        for _ in self._others:
            self._journal.note(
                "response.received",
                header.client,
                api=header.api,
                correlation_id=header.number,
                node_id="1",
            )
        super()._hear(now_ms, header, response)


def move_and_write(requests: int, clients: int, lines: int, others: int) -> None:
    rests = COLLECTOR.rest()  # as in a lab
    try:
        WritingHeap(clients, lines, others).move(requests)
    finally:
        if rests:
            COLLECTOR.resume()


def move_on_a_bare_heap(requests: int, clients: int) -> None:
    BareHeap(clients).move(requests)


def move_with_simpy(requests: int, clients: int) -> None:
    """The same number of requests through SimPy, with the same messages."""
    environment = simpy.Environment()
    servers = [simpy.Store(environment) for _ in range(SERVERS)]

    def serve(queue: simpy.Store):
        while True:
            header, request, answer = yield queue.get()
            part = request.parts[0]
            yield environment.timeout(HOP_MS)
            answer.succeed(
                Response(
                    session=7,
                    parts=(Part(topic=part.topic, partition=part.partition, offset=header.number),),
                )
            )

    def ask(client: int, share: int):
        for number in range(share):
            answer = environment.event()
            header = Header(api="FETCH", version=13, client=f"client-{client}", number=number)
            request = Request(
                session=7,
                epoch=number,
                parts=(Part(topic="orders", partition=number % 6, offset=number),),
            )
            yield environment.timeout(HOP_MS)
            yield servers[client % SERVERS].put((header, request, answer))
            yield answer

    for queue in servers:
        environment.process(serve(queue))
    asking = [
        environment.process(ask(client, max(1, requests // clients))) for client in range(clients)
    ]
    environment.run(until=simpy.AllOf(environment, asking))
