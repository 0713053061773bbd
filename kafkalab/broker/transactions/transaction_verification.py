"""TransactionVerification: asks the coordinator whether a batch's transaction is open (KIP-890).

Kafka's class is AddPartitionsToTxnManager, with the verification guards of UnifiedLog. Without it
(until 3.5) a leader appends any transactional batch whose epoch and sequence fit. A batch that
arrives too late then opens a transaction that is never ended, or gets into the producer's next one.
With it the leader asks the coordinator whether the partition is in the transaction. For producers
with transaction.version 2 this request also adds the partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.effects import Caller
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import Refusal, Step, Waits, answers
from kafkalab.broker.transactions.transaction_metadata import Place
from kafkalab.broker.transactions.transactional_offsets import (
    TransactionalOffsets,
    refused_txn_commit,
)
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors, error_for
from kafkalab.protocol import messages as m
from kafkalab.records import by_topic
from kafkalab.releases import BrokerProfile

RETRY_MS, RETRIES_END_MS = 20, 100
"""add.partitions.to.txn.retry.backoff.ms and ...max.ms: how often and how long a leader asks again
while the last transaction is ending."""

UNREACHABLE = frozenset(
    {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR}
)
Refused = Mapping[Place, Errors]


class TransactionVerification:
    """Verifies PRODUCE and TXN_OFFSET_COMMIT before they are served (AddPartitionsToTxnManager)."""

    def __init__(
        self,
        profile: BrokerProfile,
        cluster: ClusterState,
        replicas: ReplicaManager,
        offsets: TransactionalOffsets,
    ) -> None:
        self._profile, self._cluster, self._replicas = profile, cluster, replicas
        self._offsets = offsets
        self._waits = Waits("verification")
        self.on_reply, self.on_timer = self._waits.on_reply, self._waits.on_timer
        self.forget = self._waits.forget

    @answers(m.ProduceResponse)
    def produce(
        self, request: m.ProduceRequest, caller: Caller, now_ms: int
    ) -> Step[m.ProduceResponse | None]:
        """Verify the partitions in which the producer has no open transaction, then append."""
        places: list[Place] = []
        producer: tuple[int, int] | None = None
        if self._profile.verifies_transactions and request.transactional_id is not None:
            for data in request.topic_data:
                topic = self._replicas.name_of(data.name, data.topic_id) or ""
                for part in data.partition_data:
                    for batch in part.records:
                        replica, _ = self._replicas.led_replica(topic, part.index)
                        if replica is not None and batch.is_transactional:
                            producer = batch.producer_id, batch.producer_epoch
                            if not replica.log.producers.has_open_transaction(*producer):
                                places.append((topic, part.index))
        refused: Refused = {}
        if places:
            assert producer is not None, "the producer was read off the first such batch"
            joins = WireChange.PRODUCE_JOINS_TRANSACTION.holds_for(caller.header)
            guards = {place: self._guard(place, producer, joins) for place in places}
            refused, now_ms = yield from self._verify(
                request, caller, producer, guards, joins, now_ms
            )
        return (yield from self._replicas.produce(request, caller, now_ms, refused))

    @answers(m.TxnOffsetCommitResponse, refused_txn_commit)
    def commit_offsets(
        self, request: m.TxnOffsetCommitRequest, caller: Caller, now_ms: int
    ) -> Step[m.TxnOffsetCommitResponse]:
        """Verify the group's partition of the offsets topic, then commit the offsets."""
        if self._profile.verifies_transactions:
            place = (OFFSETS_TOPIC, self._cluster.offsets_partition_of(request.group_id))
            producer = request.producer_id, request.producer_epoch
            joins = WireChange.TXN_OFFSETS_JOIN_TRANSACTION.holds_for(caller.header)
            refused, now_ms = yield from self._verify(
                request, caller, producer, {place: 0}, joins, now_ms
            )
            for error in refused.values():
                raise Refusal(error)
        return (yield from self._offsets.commit(request, caller, now_ms))

    def _verify(
        self,
        request: m.ProduceRequest | m.TxnOffsetCommitRequest,
        caller: Caller,
        producer: tuple[int, int],
        guards: Mapping[Place, int],
        joins: bool,
        now_ms: int,
    ) -> Step[tuple[Refused, int]]:
        """Ask the coordinator. Returns the partitions that it does not find in the transaction,
        with the producer's error for each, and the time of its answer.

        guards: partition -> the number of its log's guard, which a marker makes invalid.
        joins: whether the request adds the partitions (transaction.version 2) or only verifies
        them. It is sent again while the last transaction is ending.
        """
        assert request.transactional_id is not None, "only a transaction is verified"
        question = _question(request.transactional_id, producer, guards, joins)
        since_ms = now_ms
        while True:
            coordinator = self._cluster.transaction_coordinator_of(request.transactional_id)
            if coordinator < 0:
                found = dict.fromkeys(guards, Errors.COORDINATOR_NOT_AVAILABLE)
                break
            response, now_ms = yield self._waits.reply(coordinator, question)
            found = _errors(response)
            if (
                not joins
                or Errors.CONCURRENT_TRANSACTIONS not in found.values()
                or now_ms + RETRY_MS - since_ms > RETRIES_END_MS
            ):
                break
            _, now_ms = yield self._waits.until(now_ms + RETRY_MS)
            # the markers of the last transaction may be written now
            guards = {
                place: self._guard(place, producer, joins) if guard else 0
                for place, guard in guards.items()
            }
        refused = {}
        for place, guard in guards.items():
            error = _error_for_producer(request, caller, joins, found.get(place))
            if (
                error is Errors.NONE
                and guard
                and not self._still_guarded(place, producer[0], guard)
            ):
                error = Errors.INVALID_TXN_STATE
            if error is not Errors.NONE:
                refused[place] = error
        return refused, now_ms

    def _guard(self, place: Place, producer: tuple[int, int], joins: bool) -> int:
        """The number of a new guard of the partition; 0 where this broker does not lead it."""
        replica, _ = self._replicas.led_replica(*place)
        return (
            0
            if replica is None
            else replica.log.producers.guard(producer[0], producer[1] if joins else None)
        )

    def _still_guarded(self, place: Place, producer_id: int, guard: int) -> bool:
        """Whether the guard is valid: no marker came before the answer, or another batch has opened
        the transaction."""
        replica, _ = self._replicas.led_replica(*place)
        return replica is not None and replica.log.producers.is_guarded(producer_id, guard)


def _question(
    transactional_id: str, producer: tuple[int, int], places: Iterable[Place], joins: bool
) -> m.AddPartitionsToTxnRequest:
    asked = m.AddPartitionsToTxnTransaction(
        transactional_id=transactional_id,
        producer_id=producer[0],
        producer_epoch=producer[1],
        verify_only=not joins,
        topics=tuple(
            m.AddPartitionsToTxnTopic(name=name, partitions=numbers)
            for name, numbers in by_topic(places).items()
        ),
    )
    return m.AddPartitionsToTxnRequest(transactions=(asked,))


def _errors(response: m.AddPartitionsToTxnResponse | None) -> dict[Place, Errors]:
    """Partition -> the coordinator's error; nothing where no answer came."""
    if response is None:
        return {}
    (result,) = response.results_by_transaction
    return {
        (topic.name, part.partition_index): error_for(part.partition_error_code)
        for topic in result.topic_results
        for part in topic.results_by_partition
    }


def _error_for_producer(
    request: m.ProduceRequest | m.TxnOffsetCommitRequest,
    caller: Caller,
    joins: bool,
    error: Errors | None,
) -> Errors:
    """The producer's error for the coordinator's answer (AddPartitionsToTxnHandler,
    ReplicaManager.maybeSendPartitionsToTransactionCoordinator)."""
    is_produce = isinstance(request, m.ProduceRequest)
    if (
        error is None
        or error in UNREACHABLE
        or (error is Errors.CONCURRENT_TRANSACTIONS and not joins)
    ):
        return Errors.NOT_ENOUGH_REPLICAS if is_produce else Errors.COORDINATOR_LOAD_IN_PROGRESS
    if error is Errors.PRODUCER_FENCED:
        return Errors.INVALID_PRODUCER_EPOCH
    if error is Errors.TRANSACTION_ABORTABLE:
        named = WireChange.PRODUCE_ABORTABLE if is_produce else WireChange.TXN_OFFSETS_ABORTABLE
        return error if named.holds_for(caller.header) else Errors.INVALID_TXN_STATE
    return error
