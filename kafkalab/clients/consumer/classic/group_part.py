"""GroupPart: a part of a classic consumer's membership, with what these parts share."""

from __future__ import annotations

from typing import NamedTuple

from kafkalab.clients.consumer.classic.consumer_network_client import ConsumerNetworkClient
from kafkalab.clients.consumer.classic.heartbeat import Heartbeat
from kafkalab.clients.consumer.classic.membership import Membership
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared


class GroupShared(NamedTuple):
    """What the parts of one membership share, beside what all parts of a consumer do."""

    consumer: Shared[ConsumerNetworkClient]
    membership: Membership
    heartbeat: Heartbeat


class GroupPart(ConsumerPart[ConsumerNetworkClient]):
    """One part of a membership."""

    def __init__(self, shared: GroupShared) -> None:
        super().__init__(shared.consumer)
        self._membership = shared.membership
        self._heartbeat = shared.heartbeat
