"""TransactionVerification: asks the coordinator whether a batch's transaction is open (KIP-890).

Kafka's class is AddPartitionsToTxnManager, with the verification guards of UnifiedLog. Without it
(until 3.5) a leader appends any transactional batch whose epoch and sequence fit. A batch that
arrives too late then opens a transaction that is never ended, or gets into the producer's next one.
With it the leader asks the coordinator whether the partition is in the transaction. For producers
with transaction.version 2 this request also adds the partition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.effects import AskBroker, Caller, Effect, SetTimer
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.transactions.transaction_metadata import Place
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors, error_for
from kafkalab.protocol import messages as m
from kafkalab.releases import BrokerProfile

RETRY_MS, RETRIES_END_MS = 20, 100
"""add.partitions.to.txn.retry.backoff.ms and ...max.ms: how often and how long a leader asks again
while the last transaction is ending."""

UNREACHABLE = frozenset(
    {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR}
)
Refused = Mapping[Place, Errors]
Serve = Callable[[Any, Caller, int, Refused], list[Effect]]


@dataclass(slots=True)
class Question:
    """A request that waits for the coordinator's answer (AddPartitionsToTxnManager's callback).

    guards  partition -> the number of its log's guard, which a marker makes invalid
    joins   whether the request adds the partitions (transaction.version 2) or only verifies them
    """

    request: Any
    caller: Caller
    serve: Serve
    asked: m.AddPartitionsToTxnTransaction
    guards: Mapping[Place, int]
    joins: bool
    since_ms: int


class TransactionVerification:
    """Verifies PRODUCE and TXN_OFFSET_COMMIT before they are served (AddPartitionsToTxnManager).

    commit_offsets: serves TXN_OFFSET_COMMIT."""

    def __init__(
        self,
        profile: BrokerProfile,
        cluster: ClusterState,
        replicas: ReplicaManager,
        commit_offsets: Serve,
    ) -> None:
        self._profile, self._cluster, self._replicas = profile, cluster, replicas
        self._commit_offsets = commit_offsets
        self._questions: dict[int, Question] = {}
        self._count = 0

    def produce(self, request: m.ProduceRequest, caller: Caller, now_ms: int) -> list[Effect]:
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
        if not places:
            return self._replicas.produce(request, caller, now_ms)
        assert producer is not None, "the producer was read off the first such batch"
        assert request.transactional_id is not None, "places are collected for an id only"
        joins = WireChange.PRODUCE_JOINS_TRANSACTION.holds_for(caller.header)
        guards = {place: self._guard(place, producer, joins) for place in places}
        return self._ask(
            request,
            caller,
            self._replicas.produce,
            request.transactional_id,
            producer,
            guards,
            joins,
            now_ms,
        )

    def commit_offsets(
        self, request: m.TxnOffsetCommitRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        """Verify the group's partition of the offsets topic, then commit the offsets."""
        if not self._profile.verifies_transactions:
            return self._commit_offsets(request, caller, now_ms, {})
        place = (OFFSETS_TOPIC, self._cluster.offsets_partition_of(request.group_id))
        return self._ask(
            request,
            caller,
            self._commit_offsets,
            request.transactional_id,
            (request.producer_id, request.producer_epoch),
            {place: 0},
            WireChange.TXN_OFFSETS_JOIN_TRANSACTION.holds_for(caller.header),
            now_ms,
        )

    def on_reply(self, tag: tuple[Any, ...], response: Any, now_ms: int) -> list[Effect]:
        question = self._questions.pop(tag[1], None)
        if question is None:
            return []  # the process has died since the request
        found: dict[Place, Errors] = {}
        if response is not None:
            (result,) = response.results_by_transaction
            found = {
                (topic.name, part.partition_index): error_for(part.partition_error_code)
                for topic in result.topic_results
                for part in topic.results_by_partition
            }
        if (
            question.joins
            and Errors.CONCURRENT_TRANSACTIONS in found.values()
            and now_ms + RETRY_MS - question.since_ms <= RETRIES_END_MS
        ):
            self._questions[tag[1]] = question
            return [SetTimer(("verification", tag[1]), now_ms + RETRY_MS)]
        return self._go_on(question, found, now_ms)

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        """Ask again, with new guards: the markers of the last transaction may be written now."""
        question = self._questions.get(key[1])
        if question is not None:
            producer = question.asked.producer_id, question.asked.producer_epoch
            question.guards = {
                place: self._guard(place, producer, question.joins) if guard else 0
                for place, guard in question.guards.items()
            }
        return self._send(key[1], now_ms)

    def forget(self) -> None:
        """Drop the waiting requests: the process has died."""
        self._questions.clear()

    def _ask(
        self,
        request: Any,
        caller: Caller,
        serve: Serve,
        transactional_id: str,
        producer: tuple[int, int],
        guards: Mapping[Place, int],
        joins: bool,
        now_ms: int,
    ) -> list[Effect]:
        topics: dict[str, list[int]] = {}
        for topic, number in guards:
            topics.setdefault(topic, []).append(number)
        asked = m.AddPartitionsToTxnTransaction(
            transactional_id=transactional_id,
            producer_id=producer[0],
            producer_epoch=producer[1],
            verify_only=not joins,
            topics=tuple(
                m.AddPartitionsToTxnTopic(name=name, partitions=tuple(numbers))
                for name, numbers in topics.items()
            ),
        )
        self._count += 1
        self._questions[self._count] = Question(
            request, caller, serve, asked, guards, joins, now_ms
        )
        return self._send(self._count, now_ms)

    def _send(self, number: int, now_ms: int) -> list[Effect]:
        question = self._questions.get(number)
        if question is None:
            return []
        coordinator = self._cluster.transaction_coordinator_of(question.asked.transactional_id)
        if coordinator < 0:
            del self._questions[number]
            return self._go_on(
                question, dict.fromkeys(question.guards, Errors.COORDINATOR_NOT_AVAILABLE), now_ms
            )
        return [
            AskBroker(
                coordinator,
                m.AddPartitionsToTxnRequest(transactions=(question.asked,)),
                ("verification", number),
            )
        ]

    def _go_on(
        self, question: Question, found: Mapping[Place, Errors], now_ms: int
    ) -> list[Effect]:
        refused = {}
        for place, guard in question.guards.items():
            error = self._error_for_producer(question, found.get(place))
            if (
                error is Errors.NONE
                and guard
                and not self._still_guarded(place, question.asked.producer_id, guard)
            ):
                error = Errors.INVALID_TXN_STATE
            if error is not Errors.NONE:
                refused[place] = error
        return question.serve(question.request, question.caller, now_ms, refused)

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

    def _error_for_producer(self, question: Question, error: Errors | None) -> Errors:
        """The producer's error for the coordinator's answer (AddPartitionsToTxnHandler,
        ReplicaManager.maybeSendPartitionsToTransactionCoordinator)."""
        is_produce = isinstance(question.request, m.ProduceRequest)
        if (
            error is None
            or error in UNREACHABLE
            or (error is Errors.CONCURRENT_TRANSACTIONS and not question.joins)
        ):
            return Errors.NOT_ENOUGH_REPLICAS if is_produce else Errors.COORDINATOR_LOAD_IN_PROGRESS
        if error is Errors.PRODUCER_FENCED:
            return Errors.INVALID_PRODUCER_EPOCH
        if error is Errors.TRANSACTION_ABORTABLE:
            named = WireChange.PRODUCE_ABORTABLE if is_produce else WireChange.TXN_OFFSETS_ABORTABLE
            return error if named.holds_for(question.caller.header) else Errors.INVALID_TXN_STATE
        return error
