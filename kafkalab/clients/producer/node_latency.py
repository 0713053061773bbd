"""NodeLatencyStats: finds brokers that do not take their data in time
(RecordAccumulator.NodeLatencyStats, KIP-794).

With partitioner.availability.timeout.ms a partition is left out of the partitioner's choice while
its leader could not take the data that was ready for it for longer than that: its connection is
broken, or its requests in flight are at their limit.
"""

from __future__ import annotations


class NodeLatency:
    """The last time each broker took data. limit_ms: partitioner.availability.timeout.ms; 0 leaves
    no partition out."""

    def __init__(self, limit_ms: int) -> None:
        self._limit_ms = limit_ms
        self._ready_ms: dict[int, int] = {}
        self._drained_ms: dict[int, int] = {}

    def note(self, node_id: int, now_ms: int, took_data: bool) -> None:
        """The Sender had data for this broker; `took_data` says whether it could take it."""
        if self._limit_ms:
            self._ready_ms[node_id] = now_ms
            if took_data or node_id not in self._drained_ms:
                self._drained_ms[node_id] = now_ms

    def is_slow(self, node_id: int) -> bool:
        return (
            self._limit_ms > 0
            and self._ready_ms.get(node_id, 0) - self._drained_ms.get(node_id, 0) > self._limit_ms
        )
