"""ClientQuotas: how long a client that is above its byte rate has to wait (ClientQuotaManager).

The rate is that of Kafka's metrics (Rate, SampledStat): samples of a second each, at most eleven.
Until ten seconds have passed, the time counts as ten seconds. Producers and readers have quotas of
their own. Left out: quotas of users, of share consumers, of request time and of connections;
quota.window.num and quota.window.size.seconds.
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
    """What one broker has received from each client that has a quota, or has sent to it.

    rates: client id -> bytes a second; the cluster's table, which may change at any time.
    """

    def __init__(self, rates: Mapping[str, int]) -> None:
        self._rates = rates
        self._samples: dict[str, list[SentInWindow]] = {}

    def window_bytes(self, client_id: str) -> int | None:
        """The most bytes that the client may have at once if it had none before; None without a
        quota (getMaxValueInQuotaWindow)."""
        rate = self._rates.get(client_id)
        return None if rate is None else rate * (SAMPLES - 1) * WINDOW_MS // 1_000

    def take_back(self, client_id: str, size_bytes: int) -> None:
        """Take bytes out of the count that were not sent after all (unrecordQuotaSensor)."""
        self._samples[client_id][-1].bytes -= size_bytes

    def throttle_ms(self, client_id: str, size_bytes: int, now_ms: int) -> int:
        """Count a request or an answer; returns how long its client has to wait then, 0 within the
        quota."""
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
