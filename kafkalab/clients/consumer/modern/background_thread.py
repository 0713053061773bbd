"""BackgroundThread: runs the passes of any consumer's background thread
(internals.ConsumerNetworkThread).

In each pass it takes the application's events, asks each manager for requests and polls the
network. It is a loop that yields until when it sleeps. KafkaConsumer and KafkaShareConsumer have
other managers and the same passes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterator

from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.network.log_context import LogContext
from kafkalab.sim.apps import Signal, Stage

LONGEST_PASS_MS = 5_000
"""ConsumerNetworkThread.MAX_POLL_TIMEOUT_MS."""


class BackgroundThread(ABC):
    """The thread of one consumer. finished is set when it has ended."""

    def __init__(
        self, network: NetworkClientDelegate, log: LogContext, max_wait_ms: int = 0
    ) -> None:
        self.finished = Signal()
        self._network, self._log = network, log
        self._events: deque[Callable[[int], None]] = deque()
        self._running = True
        self._max_wait_ms = max_wait_ms
        self._close_by_ms = 0

    # called by the application's thread

    def start(self, stage: Stage, starting_ms: tuple[int, int] = (0, 0)) -> None:
        """Starts the thread. Its first line is written before the starter's next one in each
        recorded log of 4.0 and 4.4. starting_ms: as for `run`."""
        self._log("NETWORK_THREAD_STARTED")
        stage.loop(
            self.run(starting_ms), self._network.client.selector.signal, self._log.who, told=True
        )

    def add(self, event: Callable[[int], None]) -> None:
        """The background thread calls event(now_ms) in its next pass."""
        self._events.append(event)
        self._network.client.selector.wakeup()

    def add_and_wait(self, event: Callable[[], object], stage: Stage) -> None:
        """The same for a change of the subscription: the application goes on when the thread has
        seen it (ApplicationEventHandler.addAndGet). In a lesson's lab it goes on at once."""
        done = Signal()

        def run(now_ms: int) -> None:
            event()
            done.set()

        self.add(run)
        if self._network.clock.work is not None:
            stage.wait_for(done, "a change of the subscription")

    @property
    def max_wait_ms(self) -> int:
        """How long the application may sleep, by the last pass."""
        return self._max_wait_ms

    def close(self, timeout_ms: int) -> None:
        self._log("NETWORK_THREAD_CLOSE_SIGNALLED", timeout_ms=timeout_ms)
        self._running = False
        self._close_by_ms = self._network.clock.now_ms + timeout_ms
        self._network.client.selector.wakeup()

    # the thread

    def run(self, starting_ms: tuple[int, int] = (0, 0)) -> Generator[int, None, None]:
        """The loop of the thread, whose first line its starter has written.

        starting_ms: in a JVM just started the thread is ready when the application first wants
        something of it, but neither sooner nor later than this; a real application's subscribe()
        waits for it."""
        clock, signal = self._network.clock, self._network.client.selector.signal
        soonest_ms, latest_ms = (clock.now_ms + ms for ms in starting_ms)
        while clock.now_ms < latest_ms and not (self._events and clock.now_ms >= soonest_ms):
            signal.clear()
            yield soonest_ms if clock.now_ms < soonest_ms else latest_ms
        while self._running:
            yield from self._run_once()
        self._log("NETWORK_THREAD_CLOSING")
        yield from self._clean_up()
        self.finished.set()

    def _run_once(self) -> Iterator[int]:
        events, self._events = self._events, deque()
        now_ms = self._network.clock.now_ms
        for event in events:
            event(now_ms)
        self._begin_pass()
        wait_ms = min(LONGEST_PASS_MS, *(poll(now_ms) for poll in self._managers()))
        yield from self._network.run_pass(wait_ms)
        self._max_wait_ms = self._end_pass()

    @abstractmethod
    def _begin_pass(self) -> None:
        """Continue what the application has done since the last pass."""

    @abstractmethod
    def _managers(self) -> list[Callable[[int], int]]:
        """The managers in the order of the class; each returns how long the pass may wait."""

    @abstractmethod
    def _end_pass(self) -> int:
        """Tell the application of records; returns how long it may sleep."""

    @abstractmethod
    def _clean_up(self) -> Iterator[int]:
        """End the sessions with the brokers, and the connections."""
