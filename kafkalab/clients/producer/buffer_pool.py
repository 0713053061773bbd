"""BufferPool: the memory that waiting records may take (internals.BufferPool).

Each batch takes batch.size bytes from buffer.memory, or more if one record is larger, from the
moment it is opened until its outcome is known. When no memory is left, send() waits here, first
come first served, at most max.block.ms. Nothing else slows down an application that writes faster
than the brokers take it.
"""

from __future__ import annotations

from collections import deque

from kafkalab.errors import IllegalArgumentException
from kafkalab.sim.apps import Signal


class Waiter:
    """A caller that waits for memory. It gathers what is given back until it has enough.

    signal     set when it has everything, or the pool was closed
    """

    __slots__ = ("held_bytes", "signal", "size_bytes")

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        self.held_bytes = 0
        self.signal = Signal()

    @property
    def has_enough(self) -> bool:
        return self.held_bytes >= self.size_bytes


class BufferPool:
    """The pool. total_bytes: buffer.memory; poolable_bytes: batch.size, the one size of buffer that
    is kept for the next batch.

    available_bytes  not in use
    waiters          callers that wait for memory, in order
    closed           no caller gets memory any more
    """

    def __init__(self, total_bytes: int, poolable_bytes: int) -> None:
        self.total_bytes, self.poolable_bytes = total_bytes, poolable_bytes
        self.available_bytes = total_bytes
        self.waiters: deque[Waiter] = deque()
        self.closed = False

    def allocate(self, size_bytes: int) -> Waiter | None:
        """Takes memory. None: there was enough. Otherwise wait for the Waiter's signal, or
        `abandon` it.

        Raises IllegalArgumentException for more than the whole pool.
        """
        if size_bytes > self.total_bytes:
            raise IllegalArgumentException(
                f"Attempt to allocate {size_bytes} bytes, but there is a hard limit of "
                f"{self.total_bytes} on memory allocations."
            )
        if self.available_bytes >= size_bytes:
            self.available_bytes -= size_bytes
            return None
        waiter = Waiter(size_bytes)
        self.waiters.append(waiter)
        return waiter

    def deallocate(self, size_bytes: int) -> None:
        """Gives memory back; the first waiter gets it."""
        self.available_bytes += size_bytes
        self._serve()

    def abandon(self, waiter: Waiter) -> None:
        """The waiter's time is over: the memory it had gathered goes to the next one."""
        if waiter in self.waiters:
            self.waiters.remove(waiter)
            self.available_bytes += waiter.held_bytes
            self._serve()

    def close(self) -> None:
        """Wakes all waiters; they find `closed` set."""
        self.closed = True
        waiters, self.waiters = self.waiters, deque()
        for waiter in waiters:
            self.available_bytes += waiter.held_bytes
            waiter.held_bytes = 0
            waiter.signal.set()

    def _serve(self) -> None:
        while self.waiters and self.available_bytes:
            first = self.waiters[0]
            got = min(first.size_bytes - first.held_bytes, self.available_bytes)
            first.held_bytes += got
            self.available_bytes -= got
            if first.has_enough:
                self.waiters.popleft()
                first.signal.set()
