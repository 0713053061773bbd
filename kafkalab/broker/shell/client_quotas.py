"""ClientQuotas: how long a producer that is above its byte rate has to wait (ClientQuotaManager).

The rate is that of Kafka's metrics (Rate, SampledStat): samples of a second each, at most eleven.
Until ten seconds have passed, the time counts as ten seconds. Left out: quotas of users, of
readers, of request time and of connections; quota.window.num and quota.window.size.seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SAMPLES = 11
"""quota.window.num."""
WINDOW_MS = 1_000
"""quota.window.size.seconds."""


@dataclass(slots=True)
class SentInWindow:
    """The bytes that came within a second from its begin on."""

    begin_ms: int
    bytes: int = 0


class ClientQuotas:
    """What one broker has received from each client that has a quota.

    rates: client id -> bytes a second; the cluster's table, which may change at any time.
    """

    def __init__(self, rates: Mapping[str, int]) -> None:
        self._rates = rates
        self._samples: dict[str, list[SentInWindow]] = {}

    def throttle_ms(self, client_id: str, size_bytes: int, now_ms: int) -> int:
        """Count a request; returns how long its client has to wait then, 0 within the quota."""
        rate = self._rates.get(client_id)
        if rate is None:
            self._samples.pop(client_id, None)
            return 0
        samples = self._samples.setdefault(client_id, [SentInWindow(now_ms)])
        if now_ms - samples[-1].begin_ms >= WINDOW_MS:
            samples.append(SentInWindow(now_ms))
        samples[-1].bytes += size_bytes
        while now_ms - samples[0].begin_ms >= SAMPLES * WINDOW_MS or len(samples) > SAMPLES:
            del samples[0]
        elapsed_ms = now_ms - samples[0].begin_ms
        elapsed_ms += max(0, SAMPLES - 1 - elapsed_ms // WINDOW_MS) * WINDOW_MS
        observed = 1_000 * sum(sample.bytes for sample in samples) / elapsed_ms
        return max(0, round((observed - rate) / rate * elapsed_ms))
