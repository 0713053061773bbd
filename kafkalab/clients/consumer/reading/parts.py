"""Shared and ConsumerPart: what all parts of one consumer have at hand.

Java's classes take the same six to ten arguments each. Here they are one value that is made once,
and a part names only what is its own.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network.log_context import LogContext
from kafkalab.sim.apps import Stage

if TYPE_CHECKING:
    from kafkalab.config import ConsumerConfig
    from kafkalab.releases import Profile

Network = TypeVar("Network", bound=ConsumerNetwork)
Seen = TypeVar("Seen", bound=ConsumerNetwork, covariant=True)


class Shared(NamedTuple, Generic[Seen]):
    """What one consumer's parts share.

    client: sends their requests. rng: the random numbers of their backoffs.
    epoch_ms: what a Java clock shows at the lab's start.
    """

    config: ConsumerConfig
    profile: Profile
    client: Seen
    subscriptions: SubscriptionState
    log: LogContext
    stage: Stage
    rng: random.Random
    epoch_ms: int


class ConsumerPart(Generic[Network]):
    """One part of a consumer."""

    def __init__(self, shared: Shared[Network]) -> None:
        self._config = shared.config
        self._profile = shared.profile
        self._client = shared.client
        self._subscriptions = shared.subscriptions
        self._log = shared.log
        self._stage = shared.stage
        self._rng = shared.rng
        self._epoch_ms = shared.epoch_ms
        self._clock = shared.client.clock
        self._metadata = shared.client.client.metadata
        self._retry_backoff_ms: int = shared.config["retry.backoff.ms"]
