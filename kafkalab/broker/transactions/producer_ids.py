"""ProducerIds: serves INIT_PRODUCER_ID of idempotent producers, from blocks of ids.

Kafka's class is ProducerIdManager. A broker gets ids in blocks of 1000 from the controller.
`transaction_coordinator` serves the requests with a transactional id.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller
from kafkalab.broker.steps import Refusal, answers
from kafkalab.errors import Errors
from kafkalab.protocol.messages import InitProducerIdRequest, InitProducerIdResponse
from kafkalab.releases import BrokerProfile

BLOCK_ARRIVES_AFTER_MS = 10
"""How long the controller takes to give a block. In the recordings a retry 100 ms later always got
an id."""


class ProducerIds:
    """One broker's producer ids (ProducerIdManager).

    has_served_before: called once, at the first request; returns whether this broker already has a
    block (BrokerConfig.chance_of_producer_ids).
    """

    def __init__(
        self,
        profile: BrokerProfile,
        cluster: ClusterState,
        has_served_before: Callable[[Caller], bool],
    ) -> None:
        self._profile = profile
        self._cluster = cluster
        self._has_served_before = has_served_before
        self._block = iter(range(0))
        self._asked_once = False
        self._arrives_at_ms: int | None = None

    @answers(InitProducerIdResponse)
    def init_producer_id(
        self, request: InitProducerIdRequest, caller: Caller, now_ms: int
    ) -> InitProducerIdResponse:
        producer_id = self.next_id(caller, now_ms)
        if producer_id is None:
            raise Refusal(Errors.COORDINATOR_LOAD_IN_PROGRESS)
        return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)

    def next_id(self, caller: Caller | None, now_ms: int) -> int | None:
        """The next id; None while a block is on its way from the controller. caller: None when the
        broker itself needs an id, without a request."""
        if not self._asked_once:
            self._asked_once = True
            if (
                not self._profile.fetches_producer_ids_late
                or caller is None
                or self._has_served_before(caller)
            ):
                self._take_block()
        producer_id = next(self._block, None)
        if producer_id is None and not self._profile.fetches_producer_ids_late:
            self._take_block()
            producer_id = next(self._block)
        elif producer_id is None:
            if self._arrives_at_ms is None:
                self._arrives_at_ms = now_ms + BLOCK_ARRIVES_AFTER_MS
            elif now_ms >= self._arrives_at_ms:
                self._take_block()
                producer_id = next(self._block)
        return producer_id

    def _take_block(self) -> None:
        self._block = iter(self._cluster.next_producer_id_block())
        self._arrives_at_ms = None
