"""Finds when the lines tell of a socket, for the truth of a log set whose clients take their time.

The lab notes a socket when its clock is there. The line about it comes when the client's thread has
come so far. A reader of the lines can know only that time. Where work takes no time, both are one.
"""

from __future__ import annotations

from bisect import bisect_left

from kafkalab import Lab

OPENED = "INITIATING_CONNECTION"
NODE_ENDS = frozenset(
    {"NODE_DISCONNECTED", "IDLE_DISCONNECTED", "CONNECTION_NOT_ESTABLISHED", "DISCONNECT_REQUESTED"}
)
CLIENT_ENDS = frozenset({"CONSUMER_CLOSED", "ASYNC_CONSUMER_CLOSED", "PRODUCER_CLOSED"})


class SocketTimes:
    """The lines of one client's process, in the order of the journal."""

    def __init__(self, lab: Lab, client: str) -> None:
        self._ids: list[int] = []
        self._lines: list[tuple[int, str, str | None]] = []
        self._closed: dict[int, int] = {}
        for number, (at_ms, kind, who, _, values) in enumerate(lab.journal.kept):
            if who != client:
                continue
            if kind == "socket.closed":
                self._closed[values["socket"]] = number
            elif not isinstance(kind, str) and kind.kind == "line":
                self._ids.append(number)
                self._lines.append((at_ms, kind.name, values.get("node_id")))

    def opened_ms(self, socket: int, noted_ms: int) -> int:
        """When a line says that the socket of this number was opened; `noted_ms` where none
        does."""
        begin = bisect_left(self._ids, socket)
        return next((at for at, name, _ in self._lines[begin:] if name == OPENED), noted_ms)

    def closed_ms(self, socket: int, node_id: str, noted_ms: int | None) -> int | None:
        """When a line says that it was closed: a line about it, or the end of its client."""
        number = self._closed.get(socket)
        if number is None or noted_ms is None:
            return noted_ms
        begin, end = bisect_left(self._ids, socket), bisect_left(self._ids, number)
        about = [
            at for at, name, node in self._lines[begin:end] if name in NODE_ENDS and node == node_id
        ]
        if about:
            return about[0]
        ended = (at for at, name, _ in self._lines[end:] if name in CLIENT_ENDS)
        return next(ended, noted_ms)
