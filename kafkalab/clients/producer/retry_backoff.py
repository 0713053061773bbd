"""The backoff of a batch before it is sent again (retry.backoff.ms,
org.apache.kafka.common.utils.ExponentialBackoff).

Until 3.6 it is always retry.backoff.ms; since then it doubles with each failure, up to
retry.backoff.max.ms, 20 % more or less (KIP-580).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network.connection_states import exponential_ms
from kafkalab.clients.producer.producer_batch import ProducerBatch

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class RetryBackoff:
    def __init__(self, config: Mapping[str, Any], profile: Profile, rng: random.Random) -> None:
        self._least_ms: int = config["retry.backoff.ms"]
        self._most_ms = max(self._least_ms, config.get("retry.backoff.max.ms", self._least_ms))
        self._doubles, self._rng = profile.connecting.exponential_refresh_backoff, rng

    def wait_ms(self, batch: ProducerBatch) -> int:
        """The wait after a batch's last failure. It is drawn once for each attempt, however often
        it is read; Java draws it at each read."""
        if not self._doubles:
            return self._least_ms
        if batch.backoff is None or batch.backoff[0] != batch.attempts:
            drawn = exponential_ms(
                self._rng, self._least_ms, self._most_ms, max(0, batch.attempts - 1), True
            )
            batch.backoff = (batch.attempts, drawn)
        return batch.backoff[1]
