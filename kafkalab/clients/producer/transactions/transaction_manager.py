"""TransactionManager: one producer's id, sequences and transaction, and which refused batches it
may send again (internals.TransactionManager).

It also keeps the queue of requests about the transaction. `txn_requests` holds each request and the
meaning of its answers; `transactional_sender`, the Sender's part, sends them one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.network.log_context import Later
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.producer.producer_batch import ProducerBatch
from kafkalab.clients.producer.transactions.transaction_manager_state import MOVES, State
from kafkalab.clients.producer.transactions.txn_partitions import (
    NO_ID,
    ProducerIdAndEpoch,
    TxnPartitions,
)
from kafkalab.clients.producer.transactions.txn_requests import (
    GROUP,
    TRANSACTION,
    AddOffsetsToTxn,
    AddPartitionsToTxn,
    EndTxn,
    FindCoordinator,
    InitProducerId,
    TxnOffsetCommit,
    TxnRequest,
    TxnResult,
)
from kafkalab.errors import (
    Errors,
    IllegalStateException,
    InvalidPidMappingException,
    InvalidProducerEpochException,
    KafkaException,
    OutOfOrderSequenceException,
    ProducerFencedException,
    UnknownProducerIdException,
    UnsupportedVersionException,
    java_text,
)
from kafkalab.lines import payload
from kafkalab.lines.java_values import value_text
from kafkalab.protocol.api_keys import ApiKeys, api_of
from kafkalab.records import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition

__all__ = ["MOVES", "State", "TransactionManager"]

LARGEST_INT = 2_147_483_647
LARGEST_EPOCH = 32_767
EPOCH_BUMP_SINCE = 3
"""INIT_PRODUCER_ID v3: the coordinator raises the epoch of a producer that has one (KIP-360)."""

FATAL = (ProducerFencedException, UnsupportedVersionException, InvalidPidMappingException)
"""From these states no new transaction can begin."""
UNACKNOWLEDGED = (
    "The client hasn't received acknowledgment for some previously sent messages and can no longer "
    "retry them. "
)


class TransactionManager:
    """The manager of one producer.

    transactional_id  None for an idempotent producer without transactions
    known_as          producer id and epoch
    last_error        the cause of an error state
    """

    def __init__(self, client: NetworkClient, config: Mapping[str, Any]) -> None:
        self.state = State.UNINITIALIZED
        self.transactional_id: str | None = config["transactional.id"]
        self.known_as = NO_ID
        self.last_error: BaseException | None = None
        self.retry_backoff_ms: int = config["retry.backoff.ms"]
        self.profile, self.client, self.log = client.profile, client, client.log
        self.partitions_in_transaction: dict[TopicPartition, None] = {}
        self.pending_offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        self.pending_partitions: dict[TopicPartition, None] = {}
        self.in_flight: TxnRequest | None = None
        self.transaction_started = False
        self._transaction_timeout_ms: int = config["transaction.timeout.ms"]
        self._partitions = TxnPartitions(client.log)
        self._new_partitions: dict[TopicPartition, None] = {}
        self._queue: list[TxnRequest] = []
        self._coordinators: dict[int, Node | None] = {GROUP: None, TRANSACTION: None}
        self._unresolved: dict[TopicPartition, int] = {}
        self._to_rewrite: dict[TopicPartition, None] = {}
        self._epoch_bump_required = False
        self._coordinator_bumps_epochs = False
        self._features_epoch = -1
        self.is_v2 = False
        self._pending_result: tuple[TxnResult, State, str] | None = None

    # the present state

    @property
    def producer_id(self) -> int:
        return self.known_as.producer_id

    @property
    def producer_epoch(self) -> int:
        return self.known_as.epoch

    @property
    def has_producer_id(self) -> bool:
        return self.known_as.producer_id >= 0

    @property
    def known_transactional_id(self) -> str:
        """transactional.id, of a producer that has one."""
        assert self.transactional_id is not None, "an idempotent producer has no transactions"
        return self.transactional_id

    @property
    def is_transactional(self) -> bool:
        return self.transactional_id is not None

    @property
    def has_fatal_error(self) -> bool:
        return self.state is State.FATAL_ERROR

    @property
    def has_abortable_error(self) -> bool:
        return self.state is State.ABORTABLE_ERROR

    @property
    def has_error(self) -> bool:
        return self.has_fatal_error or self.has_abortable_error

    @property
    def is_aborting(self) -> bool:
        return self.state is State.ABORTING_TRANSACTION

    @property
    def is_completing(self) -> bool:
        return self.state in (State.COMMITTING_TRANSACTION, State.ABORTING_TRANSACTION)

    @property
    def has_ongoing_transaction(self) -> bool:
        return self.state is State.IN_TRANSACTION or self.is_completing or self.has_abortable_error

    @property
    def has_pending_requests(self) -> bool:
        return bool(self._queue)

    @property
    def has_unresolved_sequences(self) -> bool:
        return bool(self._unresolved)

    def coordinator(self, kind: int) -> Node | None:
        return self._coordinators[kind]

    def discovered(self, kind: int, node: Node) -> None:
        self._coordinators[kind] = node

    # called by the application

    def initialize_transactions(self) -> TxnResult:
        return self._once(State.INITIALIZING, "initTransactions", self._initialize)

    def _initialize(self) -> TxnResult:
        if self.profile.transacting.refuses_calls_after_error:
            self._fail_if_in_error()
        self._move(State.INITIALIZING)
        if self.profile.transacting.queues_init_producer_id:
            self.log("INIT_PRODUCER_ID_FIRST")
        else:
            self._set_id(NO_ID)
            self._partitions.reset()
        return self._ask_for_id(NO_ID)

    def _ask_for_id(self, known_as: ProducerIdAndEpoch) -> TxnResult:
        request = InitProducerId(
            self, self.transactional_id, self._transaction_timeout_ms, known_as
        )
        self._enqueue(request)
        return request.result

    def begin_transaction(self) -> None:
        self._ensure_transactional()
        self._fail_if_pending("beginTransaction")
        self._fail_if_in_error()
        self._move(State.IN_TRANSACTION)

    def begin_commit(self) -> TxnResult:
        def begin() -> TxnResult:
            self._fail_if_in_error()
            self._move(State.COMMITTING_TRANSACTION)
            return self._begin_completing(committed=True)

        return self._once(State.COMMITTING_TRANSACTION, "commitTransaction", begin)

    def begin_abort(self) -> TxnResult:
        def begin() -> TxnResult:
            if not self.has_abortable_error:
                self._fail_if_in_error()
            self._move(State.ABORTING_TRANSACTION)
            self._new_partitions.clear()
            return self._begin_completing(committed=False)

        return self._once(State.ABORTING_TRANSACTION, "abortTransaction", begin)

    def _begin_completing(self, committed: bool) -> TxnResult:
        if self._new_partitions:
            self._enqueue(self._add_partitions())
        request = EndTxn(self, self.known_transactional_id, self.known_as, committed)
        self.look_for_v2(at_start=False)
        self._enqueue(request)
        if not self._epoch_bump_required:
            return request.result
        self.log("INIT_PRODUCER_ID_BUMP", producer=str(self.known_as))
        return self._ask_for_id(self.known_as)

    def send_offsets(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], group: ConsumerGroupMetadata
    ) -> TxnResult:
        self._ensure_transactional()
        self._fail_if_pending("sendOffsetsToTransaction")
        self._fail_if_in_error()
        if self.state is not State.IN_TRANSACTION:
            raise self.profile.transacting.wrong_state(
                self.profile.transacting.no_transaction_for_offsets_text.format(
                    state=self.state.value
                )
            )
        shown = (
            "{" + ", ".join(f"{tp}={_offset_text(offset)}" for tp, offset in offsets.items()) + "}"
        )
        self.log(
            "TRANSACTION_ADDING_OFFSETS",
            offsets=shown,
            group=str(group) if self.profile.transacting.offsets_carry_member else group.group_id,
        )
        if self.is_v2:
            self.transaction_started = True
            request: TxnRequest = self.offset_commit(offsets, group)
        else:
            request = AddOffsetsToTxn(
                self, self.known_transactional_id, self.known_as, offsets, group
            )
        self._enqueue(request)
        return request.result

    def offset_commit(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group: ConsumerGroupMetadata,
        result: TxnResult | None = None,
    ) -> TxnOffsetCommit:
        self.pending_offsets.update(offsets)
        return TxnOffsetCommit(
            self,
            self.known_transactional_id,
            self.known_as,
            dict(self.pending_offsets),
            group,
            result,
        )

    def check_send(self, tp: TopicPartition) -> None:
        """Checks that a record may be sent now. Raises what Java raises (failIfNotReadyForSend,
        maybeAddPartition)."""
        if self.profile.transacting.refuses_calls_after_error:
            self._fail_if_in_error()
            self._fail_if_pending("send")
        elif self.has_error:
            raise KafkaException(
                "Cannot perform send because at least one previous transactional or idempotent "
                "request has failed with errors."
            ) from self.last_error
        if not self.is_transactional:
            return
        if not self.has_producer_id:
            raise IllegalStateException(
                self.profile.transacting.send_before_init_text.format(partition=tp)
            )
        if self.state is not State.IN_TRANSACTION:
            raise IllegalStateException(
                self.profile.transacting.send_outside_text.format(
                    partition=tp, state=self.state.value
                )
            )

    def add_partition(self, tp: TopicPartition) -> None:
        """A record goes to this partition: the partition joins the transaction before its first
        batch is sent, or by it (transaction.version 2)."""
        if not self.is_transactional:
            return
        if self.is_v2:
            self.partitions_in_transaction[tp] = None
            self.transaction_started = True
        elif (
            tp not in self.partitions_in_transaction
            and tp not in self._new_partitions
            and tp not in self.pending_partitions
        ):
            self.log("TRANSACTION_ADDING_PARTITION", partition=tp)
            self._new_partitions[tp] = None

    def look_for_v2(self, at_start: bool) -> None:
        """Looks up whether the cluster has transaction.version 2. It does so at initTransactions
        and at each end of a transaction, so that no transaction changes its version while it runs
        (KIP-890)."""
        versions = self.client.api_versions
        if (
            not self.profile.transacting.speaks_transaction_v2
            or self._features_epoch >= versions.features_epoch
        ):
            return
        self._features_epoch = versions.features_epoch
        before = self.is_v2
        self.is_v2 = versions.finalized_features.get("transaction.version", 0) >= 2
        self.log(
            "TRANSACTION_V2_UPDATED",
            enabled=value_text(self.is_v2),
            features_epoch=self._features_epoch,
        )
        if not at_start and self.is_v2 and not before:
            self._epoch_bump_required = True

    # called by the Sender

    def next_request(self, has_incomplete_batches: bool) -> TxnRequest | None:
        """The next request to send; END_TXN waits until no batch is open."""
        if self._new_partitions:
            self._enqueue(self._add_partitions())
        if not self._queue or (self._queue[0].is_end_txn and has_incomplete_batches):
            return None
        request = self._queue.pop(0)
        if self._ends_with_error(request):
            self.log("TRANSACTIONAL_REQUEST_NOT_SENT", request=request.shown)
            return None
        if request.is_end_txn and not self.transaction_started:
            request.result.done()
            if not self.has_fatal_error:
                self.log("END_TXN_NOT_SENT")
                self.complete_transaction()
            if not self._queue:
                return None
            request = self._queue.pop(0)
        self.log("TRANSACTIONAL_REQUEST_DEQUEUED", request=request.shown)
        return request

    def _ends_with_error(self, request: TxnRequest) -> bool:
        if not self.has_error or (
            self.has_abortable_error and isinstance(request, FindCoordinator)
        ):
            return False
        assert self.last_error is not None, "an error state has its error"
        request.result.fail(self.last_error)
        return True

    def retry(self, request: TxnRequest) -> None:
        request.is_retry = True
        self._enqueue(request)

    def look_up_coordinator(self, kind: int, key: str) -> None:
        self._coordinators[kind] = None
        self._enqueue(FindCoordinator(self, kind, key))

    def coordinator_ready(self) -> None:
        """The connection to the transaction coordinator is ready: looks up whether it can raise
        epochs."""
        node = self._coordinators[TRANSACTION]
        known = self.client.api_versions.known.get(node.connection) if node is not None else None
        self._coordinator_bumps_epochs = (
            known is not None and known.get(ApiKeys.INIT_PRODUCER_ID, 0) >= EPOCH_BUMP_SINCE
        )

    def is_send_allowed(self, tp: TopicPartition) -> bool:
        return not self.has_fatal_error and (
            not self.is_transactional or tp in self.partitions_in_transaction
        )

    def may_drain(self, batch: ProducerBatch) -> bool:
        """Whether this batch, the first of its partition, may be sent now
        (RecordAccumulator.shouldStopDrainBatchesForPartition)."""
        tp = batch.partition
        if not self.is_send_allowed(tp) or not self.has_producer_id:
            return False
        entry = self._partitions.of(tp)
        if batch.base_sequence < 0:
            stale = (
                self.profile.transacting.bumps_idempotent_epoch
                and entry.in_flight
                and entry.known_as != self.known_as
            )
            return not stale and tp not in self._unresolved
        first = min((other.base_sequence for other in entry.in_flight), default=-1)
        return first < 0 or batch.base_sequence == first

    def stamp(self, batch: ProducerBatch) -> None:
        """Gives a batch its id, epoch and first sequence, once; a retry keeps them."""
        if batch.base_sequence >= 0:
            return
        tp = batch.partition
        if self.profile.transacting.bumps_idempotent_epoch:
            entry = self._partitions.of(tp)
            if entry.known_as != self.known_as and not entry.in_flight:
                entry.begin_at_zero(self.known_as)
                self.log(
                    "SEQUENCE_REINITIALIZED",
                    partition=tp,
                    producer_id=self.producer_id,
                    producer_epoch=self.producer_epoch,
                )
        self._partitions.stamp(batch, self.known_as, self.is_transactional)
        self.log(
            "SEQUENCE_ASSIGNED",
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            sequence=batch.base_sequence,
            partition=tp,
        )

    def replaced(self, batch: ProducerBatch, parts: list[ProducerBatch]) -> None:
        """A batch too large was split: its parts are in flight in its place, with its numbers."""
        self._partitions.replace(batch, parts)

    def acknowledged(self, batch: ProducerBatch, base_offset: int = -1) -> None:
        """The broker has the batch."""
        if (
            not self.profile.transacting.bumps_idempotent_epoch
            and (batch.producer_id, batch.producer_epoch) != self.known_as
        ):
            self._partitions.leave(batch)
            return
        last = self._partitions.acknowledge(batch, base_offset)
        self.log(
            "SEQUENCE_ACKNOWLEDGED",
            producer_id=batch.producer_id,
            partition=batch.partition,
            sequence=last,
        )

    def can_retry(self, error: Errors, batch: ProducerBatch, log_start_offset: int) -> bool:
        """Whether a batch that was refused with this error may be sent again
        (TransactionManager.canRetry)."""
        if not self.profile.transacting.bumps_idempotent_epoch:
            return self._can_retry_before_kip_360(error, batch, log_start_offset)
        tp = batch.partition
        entry = self._partitions.of(tp)
        if error is Errors.UNKNOWN_PRODUCER_ID:
            if log_start_offset == -1 or batch.sequence_was_reset:
                return True
            # the start of the log is deleted, and with it what the broker knew of this producer
            if entry.acknowledged_offset < log_start_offset:
                if self.is_transactional:
                    entry.begin_at_zero(self.known_as)
                else:
                    self._bump_for(tp)
                return True
            if not self.is_transactional:
                self._bump_for(tp)
                return True
        elif error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER:
            resolved = tp not in self._unresolved
            if resolved and (
                batch.sequence_was_reset or not self._partitions.comes_next(tp, batch.base_sequence)
            ):
                return True  # an earlier batch is missing, and is sent again before this one
            if not self.is_transactional:
                if resolved or batch.base_sequence == self._unresolved[tp]:
                    self._bump_for(tp)
                return True
        return error.retriable

    def _can_retry_before_kip_360(
        self, error: Errors, batch: ProducerBatch, log_start_offset: int
    ) -> bool:
        tp = batch.partition
        if error.retriable:
            return True
        if batch.producer_id != self.producer_id:
            return False
        if error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER and tp not in self._unresolved:
            return batch.sequence_was_reset or not self._partitions.comes_next(
                tp, batch.base_sequence
            )
        if error is Errors.UNKNOWN_PRODUCER_ID:
            entry = self._partitions.of(tp)
            if log_start_offset == -1 or batch.sequence_was_reset:
                return True
            if entry.acknowledged_offset < log_start_offset:
                entry.begin_at_zero(self.known_as)
                return True
        return False

    def failed(self, batch: ProducerBatch, error: BaseException, closes_gap: bool) -> None:
        """A batch has failed finally. closes_gap: the broker has refused it, so it is certainly not
        in the log (handleFailedBatch)."""
        self.on_send_error(error)
        if not self.profile.transacting.bumps_idempotent_epoch:
            if (batch.producer_id, batch.producer_epoch) != self.known_as:
                return
            if isinstance(error, OutOfOrderSequenceException) and not self.is_transactional:
                self._tell_out_of_order(batch, error)
                self._forget_id()
                return
            self._partitions.leave(batch)
            if closes_gap and batch.base_sequence >= 0:
                self._partitions.close_gap(batch)
            return
        self._partitions.leave(batch)
        if self.has_fatal_error:
            return
        if isinstance(error, OutOfOrderSequenceException) and not self.is_transactional:
            self._tell_out_of_order(batch, error)
            self._bump_for(batch.partition)
        elif isinstance(error, UnknownProducerIdException):
            self._partitions.forget(batch.partition)
            self._unresolved.pop(batch.partition, None)
        elif closes_gap and batch.base_sequence >= 0:
            if self.is_transactional:
                self._partitions.close_gap(batch)
            else:
                self._bump_for(batch.partition)

    def _tell_out_of_order(self, batch: ProducerBatch, error: BaseException) -> None:
        self.log(
            "BATCH_OUT_OF_ORDER",
            error=java_text(error),
            partition=batch.partition,
            offset=-1,
            producer_id=batch.producer_id,
            producer_epoch=batch.producer_epoch,
            sequence=batch.base_sequence,
        )

    def on_send_error(self, error: BaseException) -> None:
        """A send failed: decides the state of the transaction (maybeTransitionToErrorState)."""
        if isinstance(error, FATAL):
            self.to_fatal_error(error)
        elif self.is_transactional:
            if self._raises_epoch_itself() and not self.is_completing:
                self._epoch_bump_required = True
            self.to_abortable_error(error)

    def sequence_unresolved(self, batch: ProducerBatch) -> None:
        """A batch expired after it had been sent: it is unknown whether it is in the log."""
        tp, after = batch.partition, batch.base_sequence + len(batch.records)
        self._unresolved[tp] = max(after, self._unresolved.get(tp, 0))
        self.log("SEQUENCE_UNRESOLVED", partition=tp, sequence=self._unresolved[tp])

    def resolve_sequences(self) -> None:
        """Handles partitions with an expired batch. Once no batch is in flight, either later
        batches have shown that it arrived, or the numbers must begin again under another epoch
        (maybeResolveSequences; until 2.3 shouldResetProducerStateAfterResolvingSequences)."""
        for tp in list(self._unresolved):
            entry = self._partitions.of(tp)
            if entry.in_flight:
                continue
            if self._partitions.comes_next(tp, entry.next_sequence):
                del self._unresolved[tp]
            elif self.profile.transacting.bumps_idempotent_epoch:
                self._resolve_by_epoch(tp)
            elif not self.is_transactional:
                self._tell_lost(tp)
                self._forget_id()
                return

    def _tell_lost(self, tp: TopicPartition) -> None:
        entry = self._partitions.of(tp)
        self.log("SEQUENCES_LOST", partition=tp, last=entry.acknowledged, next=entry.next_sequence)

    def _resolve_by_epoch(self, tp: TopicPartition) -> None:
        del self._unresolved[tp]
        if not self.is_transactional:
            self._tell_lost(tp)
            self._bump_for(tp)
        elif self._coordinator_bumps_epochs or self.is_v2:
            if self._raises_epoch_itself():
                self._epoch_bump_required = True
            self.to_abortable_error(
                KafkaException(UNACKNOWLEDGED + "It is safe to abort the transaction and continue.")
            )
        else:
            self.to_fatal_error(KafkaException(UNACKNOWLEDGED + "It isn't safe to continue."))

    def bump_idempotent_epoch_if_needed(self) -> None:
        """An idempotent producer raises its epoch by itself, and asks for an id where it has none
        (KIP-360, 2.5)."""
        if self.is_transactional:
            return
        if self._epoch_bump_required:
            self._bump_idempotent_epoch()
        if self.state is not State.INITIALIZING and not self.has_producer_id:
            self._move(State.INITIALIZING)
            self._enqueue(InitProducerId(self, None, LARGEST_INT, NO_ID))

    def _bump_idempotent_epoch(self) -> None:
        if self.producer_epoch == LARGEST_EPOCH:
            self._set_id(NO_ID)
            self._move(State.UNINITIALIZED)
        else:
            self._set_id(ProducerIdAndEpoch(self.producer_id, self.producer_epoch + 1))
            self.log("PRODUCER_EPOCH_INCREMENTED", producer=str(self.known_as))
        for tp in self._to_rewrite:
            self._partitions.of(tp).begin_at_zero(self.known_as)
            self._unresolved.pop(tp, None)
        self._to_rewrite.clear()
        self._epoch_bump_required = False

    def _bump_for(self, tp: TopicPartition) -> None:
        self._epoch_bump_required = True
        self._to_rewrite[tp] = None

    def _forget_id(self) -> None:
        """Until 2.3 an idempotent producer with unresolved sequences got another id, and all its
        sequences began again (resetProducerId)."""
        self._set_id(NO_ID)
        self._partitions.reset()
        self._unresolved.clear()

    def close(self, error: KafkaException) -> None:
        """The producer is closed by force: every waiting call gets the error."""
        for request in self._queue:
            request.result.fail(error)
        if self._pending_result is not None:
            self._pending_result[0].fail(error)

    # called for answers (txn_requests)

    def initialized(self, known_as: ProducerIdAndEpoch, is_epoch_bump: bool) -> None:
        self._set_id(known_as)
        if self.is_transactional or self.profile.transacting.queues_init_producer_id:
            self._move(State.READY)
        if is_epoch_bump:
            self._begin_sequences_anew()

    def next_epoch(self, known_as: ProducerIdAndEpoch) -> None:
        """The end of a transaction has raised the epoch (KIP-890)."""
        self._set_id(known_as)
        self._begin_sequences_anew()

    def _begin_sequences_anew(self) -> None:
        self._partitions.reset()
        self._unresolved.clear()

    def complete_transaction(self) -> None:
        self._move(State.INITIALIZING if self._epoch_bump_required else State.READY)
        self._epoch_bump_required = self.transaction_started = False
        for held in (self._new_partitions, self.pending_partitions, self.partitions_in_transaction):
            held.clear()

    def to_abortable_error(self, error: BaseException) -> None:
        if self.is_aborting:
            self.log("ABORTABLE_ERROR_SKIPPED", trace=java_text(error))
            return
        self.log("TRANSACTION_ABORTABLE_ERROR", error=java_text(error))
        self._move(State.ABORTABLE_ERROR, error)

    def to_fatal_error(self, error: BaseException) -> None:
        self.log("TRANSACTION_FATAL_ERROR", error=java_text(error))
        self._move(State.FATAL_ERROR, error)
        if self._pending_result is not None:
            self._pending_result[0].fail(error)

    def to_abortable_error_if_possible(self, error: BaseException) -> None:
        if not (self._coordinator_bumps_epochs or self.is_v2):
            self.to_fatal_error(error)
            return
        if self._raises_epoch_itself():
            self._epoch_bump_required = True
        self.to_abortable_error(error)

    def _raises_epoch_itself(self) -> bool:
        return (
            self._coordinator_bumps_epochs
            and not self.is_v2
            and self.profile.transacting.bumps_idempotent_epoch
        )

    # helpers

    def client_text(self, message: Any) -> Later:
        """A request as this client's own lines print it."""
        return Later(
            payload.object_text, message, self.profile.latest(api_of(message)), self.profile.name
        )

    def _add_partitions(self) -> AddPartitionsToTxn:
        self.pending_partitions.update(self._new_partitions)
        self._new_partitions.clear()
        return AddPartitionsToTxn(
            self, self.known_transactional_id, self.known_as, list(self.pending_partitions)
        )

    def _enqueue(self, request: TxnRequest) -> None:
        self.log("TRANSACTIONAL_REQUEST_ENQUEUED", request=request.shown)
        self.add(request)

    def add(self, request: TxnRequest) -> None:
        """Puts a request into the queue, behind those of its priority."""
        place = next(
            (index for index, other in enumerate(self._queue) if other.priority > request.priority),
            len(self._queue),
        )
        self._queue.insert(place, request)

    def _set_id(self, known_as: ProducerIdAndEpoch) -> None:
        raised = self.is_transactional and self.is_v2 and known_as.producer_id == self.producer_id
        self.log(
            "PRODUCER_EPOCH_RAISED" if raised else "PRODUCER_ID_SET",
            producer_id=known_as.producer_id,
            producer_epoch=known_as.epoch,
        )
        self.known_as = known_as

    def _move(self, after: State, error: BaseException | None = None) -> None:
        """Raises what Java raises for a call in the wrong state: a KafkaException until 2.8, an
        IllegalStateException since."""
        if after not in MOVES[self.state]:
            whose = (
                ""
                if self.transactional_id is None
                else f"TransactionalId {self.transactional_id}: "
            )
            raise self.profile.transacting.wrong_state(
                f"{whose}Invalid transition attempted from state {self.state.value} to state "
                f"{after.value}"
            )
        self.last_error = error
        if error is None:
            self.log("TRANSACTION_STATE", state_from=self.state.value, state_to=after.value)
        else:
            self.log(
                "TRANSACTION_ERROR_STATE",
                state_from=self.state.value,
                state_to=after.value,
                trace=java_text(error),
            )
        self.log.note_state("transaction manager", self.state, after)
        self.state = after

    def _ensure_transactional(self) -> None:
        if not self.is_transactional:
            raise IllegalStateException(
                "Transactional method invoked on a non-transactional producer."
            )

    def _fail_if_in_error(self) -> None:
        if not self.has_error:
            return
        error, profile = self.last_error, self.profile
        whose = {"transactional_id": self.transactional_id, "producer": str(self.known_as)}
        if isinstance(error, ProducerFencedException) and profile.transacting.fenced_text:
            raise ProducerFencedException(profile.transacting.fenced_text.format(**whose))
        if isinstance(error, InvalidProducerEpochException) and profile.transacting.old_epoch_text:
            raise InvalidProducerEpochException(profile.transacting.old_epoch_text.format(**whose))
        raise KafkaException(
            "Cannot execute transactional method because we are in an error state"
        ) from error

    def _fail_if_pending(self, operation: str) -> None:
        """A call that timed out has to be repeated before any other (KAFKA-6863 in 2.3)."""
        if self._pending_result is None:
            return
        result, _, earlier = self._pending_result
        if result.is_acknowledged:
            self._pending_result = None
        elif self.profile.transacting.names_pending_call:
            raise IllegalStateException(
                f"Cannot attempt operation `{operation}` because the previous call to `{earlier}` "
                "timed out and must be retried"
            )

    def _once(self, state: State, operation: str, begin: Callable[[], TxnResult]) -> TxnResult:
        """A call that timed out and is repeated waits for the same answer
        (handleCachedTransactionRequestResult)."""
        self._ensure_transactional()
        if self._pending_result is not None:
            result, pending, earlier = self._pending_result
            if result.is_acknowledged:
                self._pending_result = None
            elif pending is state:
                return result
            else:
                raise IllegalStateException(
                    f"Cannot attempt operation `{operation}` because the previous call to "
                    f"`{earlier}` timed out and must be retried"
                )
        result = begin()
        self._pending_result = (result, state, operation)
        return result


def _offset_text(offset: OffsetAndMetadata) -> str:
    return (
        f"OffsetAndMetadata{{offset={offset.offset}, "
        f"leaderEpoch={value_text(offset.leader_epoch)}, metadata='{offset.metadata}'}}"
    )
