"""IdleExpiry: finds the socket that was idle for too long
(org.apache.kafka.common.network.Selector.IdleExpiryManager).

A client asks at the end of a poll. It gets one socket at most: the least recently used one, when
that was idle for longer than connections.max.idle.ms. The time of its next check is remembered, so
a poll before that time costs one comparison. A negative limit means that no socket expires.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkalab.protocol.frozen import record
from kafkalab.sim.apps import FOREVER_MS


class IdleExpiry:
    """The last use of each socket of one client. limit_ms: connections.max.idle.ms, -1 for never;
    now_ms: when the client begins."""

    __slots__ = ("_limit_ms", "_next_check_ms", "_used_ms")

    def __init__(self, limit_ms: int, now_ms: int) -> None:
        self._limit_ms = limit_ms
        self._next_check_ms = now_ms + limit_ms if limit_ms >= 0 else FOREVER_MS
        self._used_ms: dict[str, int] = {}  # least recently used first

    def used(self, id: str, now_ms: int) -> None:
        """The socket was connected, written to or read."""
        self._used_ms.pop(id, None)
        self._used_ms[id] = now_ms

    def forget(self, id: str) -> None:
        self._used_ms.pop(id, None)

    def limit_is(self, at_ms: int) -> bool:
        """Whether `at_ms` is the limit of the least recently used socket."""
        if at_ms < self._next_check_ms or self._limit_ms < 0:
            return False
        oldest = next(iter(self._used_ms), None)
        return oldest is not None and self._used_ms[oldest] + self._limit_ms == at_ms

    def expired(self, now_ms: int) -> str | None:
        """The socket to close now, None if there is none. The caller closes and forgets it."""
        if now_ms <= self._next_check_ms or self._limit_ms < 0:
            return None
        oldest = next(iter(self._used_ms), None)
        if oldest is None:
            self._next_check_ms = now_ms + self._limit_ms
            return None
        self._next_check_ms = self._used_ms[oldest] + self._limit_ms
        return oldest if now_ms > self._next_check_ms else None


@record
class ConnectionView:
    """What a learner's idle closer knows of one connection.

    id            broker id; negative for a bootstrap address
    last_used_ms  when it was last connected, written to or read
    """

    id: int
    last_used_ms: int


class LearnersExpiry(IdleExpiry):
    """Asks a learner's rule in each poll which connection is to be closed now.

    choose(connections, now_ms, limit_ms) returns one of the connections, its id, or None for none.
    `expired` raises ValueError where it returns anything else.
    """

    __slots__ = ("_choose",)

    def __init__(self, limit_ms: int, now_ms: int, choose: Closer) -> None:
        super().__init__(limit_ms, now_ms)
        self._choose = choose

    def expired(self, now_ms: int) -> str | None:
        """The socket that the rule closes now."""
        if not self._used_ms:
            return None
        views = [
            ConnectionView(int(id), used_ms)
            for id, used_ms in sorted(self._used_ms.items(), key=lambda each: int(each[0]))
        ]
        self._next_check_ms = min(self._used_ms.values()) + self._limit_ms
        chosen = self._choose(views, now_ms, self._limit_ms)
        if chosen is None:
            return None
        id = getattr(chosen, "id", chosen)
        if isinstance(id, bool) or str(id) not in self._used_ms:
            raise ValueError(
                f"idle_closer returned {chosen!r}, which is none of the connections it was given"
            )
        return str(id)


Closer = Callable[[Sequence[ConnectionView], int, int], ConnectionView | int | None]
