"""How many requests does the simulator move in a second of real time, and how much of that is Kafka?

Ours: consumers polling an idle topic on three brokers, journal and lines on, so that nearly all that moves are fetches and
heartbeats, each a request and an answer. The peers move as many messages over as many clients and do nothing else: a bare heap of callbacks
with two hops a request (what our scheduler could reach with no Kafka in it), and SimPy with one process a client.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable

import simpy

from bench import Row
from kafkalab import KafkaConsumer, Lab

CONSUMERS = 6
SIMULATED_MS = 120_000
HOP_MS = 1


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    """How long `work` took, in seconds of real time, and what it returned."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def simulate() -> Lab:
    """Consumers poll for two simulated minutes; returns the lab with all it has written down."""
    lab = Lab(brokers=3, seed=7)
    lab.create_topic("orders", partitions=CONSUMERS)

    def poll_for_ever(lab: Lab, number: int) -> None:
        consumer = KafkaConsumer(lab, {"bootstrap.servers": "localhost:9092", "group.id": f"g{number % 2}"}, name=f"c{number}")
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=1_000)

    for number in range(CONSUMERS):
        lab.spawn(poll_for_ever, number)
    lab.run_for(ms=SIMULATED_MS)
    return lab


def move_on_a_bare_heap(requests: int) -> None:
    """The same number of requests as callbacks in a heap: to the server, back, and the next one."""
    heap: list[tuple[int, int, Callable[[int, int], None], int]] = []
    order = left = 0

    def after(now_ms: int, callback: Callable[[int, int], None], client: int) -> None:
        nonlocal order
        order += 1
        heapq.heappush(heap, (now_ms + HOP_MS, order, callback, client))

    def arrive_at_server(now_ms: int, client: int) -> None:
        after(now_ms, arrive_at_client, client)

    def arrive_at_client(now_ms: int, client: int) -> None:
        nonlocal left
        left -= 1
        after(now_ms, arrive_at_server, client)

    left = requests
    for client in range(CONSUMERS):
        after(0, arrive_at_server, client)
    while left > 0:
        now_ms, _, callback, client = heapq.heappop(heap)
        callback(now_ms, client)


def move_with_simpy(requests: int) -> None:
    """The same number of requests through SimPy: a process a client, a store a broker, one timeout a hop."""
    environment = simpy.Environment()
    brokers = [simpy.Store(environment) for _ in range(3)]

    def serve(queue: simpy.Store):
        while True:
            answer = yield queue.get()
            yield environment.timeout(HOP_MS)
            answer.succeed()

    def ask(client: int, share: int):
        for _ in range(share):
            answer = environment.event()
            yield environment.timeout(HOP_MS)
            yield brokers[client % len(brokers)].put(answer)
            yield answer

    for queue in brokers:
        environment.process(serve(queue))
    clients = [environment.process(ask(client, requests // CONSUMERS)) for client in range(CONSUMERS)]
    environment.run(until=simpy.AllOf(environment, clients))


def run() -> list[Row]:
    took_s, lab = seconds(simulate)
    requests = len(lab.table("request.sent"))
    lines_each = len(lab.table("line")) / requests
    ours = requests / took_s
    rows = []
    for name, peer in (("a bare heap with two hops, no Kafka", move_on_a_bare_heap), ("SimPy moving the same messages", move_with_simpy)):
        peer_s, _ = seconds(lambda: peer(requests))
        theirs = requests / peer_s
        rows.append(Row(name=f"simulator, {lines_each:.0f} lines a request, against {name}", ours=ours, peer=theirs, ratio=ours / theirs, unit="requests/s"))
    return rows
