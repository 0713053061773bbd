"""The requests of a transactional producer, and the meaning of their answers
(TransactionManager.TxnRequestHandler and its subclasses).

Each request knows its coordinator, its priority, and the step that follows each error: send again,
look up the coordinator, abort the transaction, or fail finally.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.requests import ClientResponse
from kafkalab.clients.producer.transactions.txn_partitions import ProducerIdAndEpoch
from kafkalab.errors import (
    COORDINATOR_LOST,
    ApiException,
    CommitFailedException,
    Errors,
    KafkaException,
    UnsupportedVersionException,
    error_for,
)
from kafkalab.lines import old_objects, payload
from kafkalab.lines.generated_text import part_text
from kafkalab.lines.java_values import by_partition, list_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import api_of
from kafkalab.records import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition, by_topic
from kafkalab.releases import Profile
from kafkalab.sim.apps import Signal

GROUP, TRANSACTION = 0, 1
"""FIND_COORDINATOR's key types."""
COORDINATOR_NAMES = {GROUP: "GROUP", TRANSACTION: "TRANSACTION"}

ADD_PARTITIONS_RETRY_BACKOFF_MS = 20
"""The last transaction is ending: the request for the first partition of the next one is repeated
very soon (KAFKA-5482)."""

BATCHED_LOOKUP_SINCE = 4
FENCED = (Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED)


class Priority(enum.IntEnum):
    """The order of requests: FIND_COORDINATOR is first as all need it, END_TXN comes after
    everything that belongs to the transaction."""

    FIND_COORDINATOR = 0
    INIT_PRODUCER_ID = 1
    ADD_PARTITIONS_OR_OFFSETS = 2
    END_TXN = 3
    EPOCH_BUMP = 4


class TxnResult:
    """The result that an application's call waits for (TransactionalRequestResult).

    operation        Java's name for it, in time-outs
    is_acknowledged  the application has received the outcome
    """

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.signal = Signal()
        self.error: BaseException | None = None
        self.is_acknowledged = False

    @property
    def is_completed(self) -> bool:
        return self.signal.is_set

    def done(self) -> None:
        self.signal.set()

    def fail(self, error: BaseException) -> None:
        if not self.is_completed:
            self.error = error
        self.signal.set()


class TxnRequestOwner(Protocol):
    """What the TransactionManager offers to the requests that it queues: its state, and the steps
    that follow an answer."""

    profile: Profile
    client: NetworkClient
    log: LogContext
    transactional_id: str | None
    retry_backoff_ms: int
    in_flight: TxnRequest | None
    transaction_started: bool
    partitions_in_transaction: dict[TopicPartition, None]
    pending_partitions: dict[TopicPartition, None]
    pending_offsets: dict[TopicPartition, OffsetAndMetadata]

    @property
    def known_transactional_id(self) -> str:
        """transactional.id, of a producer that has one."""

    def add(self, request: TxnRequest) -> None:
        """Queues a request."""

    def retry(self, request: TxnRequest) -> None:
        """Queues it again."""

    def client_text(self, message: Any) -> Later:
        """A request as the lines print it before it has a version."""

    def look_up_coordinator(self, kind: int, key: str) -> None:
        """Forgets a coordinator and looks it up again."""

    def discovered(self, kind: int, node: Node) -> None:
        """The coordinator is known."""

    def initialized(self, known_as: ProducerIdAndEpoch, is_epoch_bump: bool) -> None:
        """The coordinator has sent id and epoch."""

    def next_epoch(self, known_as: ProducerIdAndEpoch) -> None:
        """The end of a transaction has raised the epoch (KIP-890)."""

    def complete_transaction(self) -> None:
        """The transaction is committed or aborted."""

    def offset_commit(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group: ConsumerGroupMetadata,
        result: TxnResult,
    ) -> TxnRequest:
        """The request that commits a group's offsets within the transaction."""

    def to_fatal_error(self, error: BaseException) -> None:
        """The producer cannot go on; only close() is possible."""

    def to_abortable_error(self, error: BaseException) -> None:
        """The transaction can only be aborted."""

    def to_abortable_error_if_possible(self, error: BaseException) -> None:
        """Abortable where the broker can raise the epoch, fatal where not."""


class TxnRequest:
    """One request in the queue; it stays the same object however often it is sent."""

    priority = Priority.ADD_PARTITIONS_OR_OFFSETS
    coordinator_type: int | None = TRANSACTION
    is_end_txn = False
    operation = ""

    def __init__(
        self, manager: TxnRequestOwner, message: Any, result: TxnResult | None = None
    ) -> None:
        self.manager, self.message = manager, message
        self.result = result or TxnResult(self.operation)
        self.is_retry = False

    @property
    def retry_backoff_ms(self) -> int:
        return self.manager.retry_backoff_ms

    @property
    def coordinator_key(self) -> str:
        return self.manager.known_transactional_id

    @property
    def api_name(self) -> str:
        return api_of(self.message).name

    @property
    def shown(self) -> Later:
        """The request as the lines print it: not yet in the form of a version of the API."""
        return self.manager.client_text(self.message)

    def sent(self, api_version: int) -> None:
        """It was sent in that version."""

    def completed(self, response: ClientResponse) -> None:
        """Handles its answer or its disconnect."""
        manager = self.manager
        manager.in_flight = None
        if response.disconnected:
            manager.log("TRANSACTIONAL_REQUEST_DISCONNECTED", node_id=response.request.connection)
            if self.coordinator_type is not None:
                manager.look_up_coordinator(self.coordinator_type, self.coordinator_key)
            self.again()
        elif response.version_mismatch:
            self.fatal(UnsupportedVersionException(Errors.UNSUPPORTED_VERSION.message))
        else:
            version = response.request.sent_header.api_version
            manager.log(
                "TRANSACTIONAL_RESPONSE",
                request=self.shown,
                response=Later(
                    payload.object_text, response.message, version, manager.profile.name
                ),
            )
            self.answered(response.message)

    def answered(self, message: Any) -> None:
        raise NotImplementedError

    # the steps after an answer

    def again(self) -> None:
        self.manager.retry(self)

    def fatal(self, error: BaseException) -> None:
        self.result.fail(error)
        self.manager.to_fatal_error(error)

    def abortable(self, error: BaseException) -> None:
        self.result.fail(error)
        self.manager.to_abortable_error(error)

    def raised(self, error: Errors) -> ApiException:
        """The exception this client version has for an error. Since 2.7 a coordinator's answer that
        a producer is fenced is final."""
        if error in FENCED and self.manager.profile.transacting.bumps_idempotent_epoch:
            error = Errors.PRODUCER_FENCED
        known = self.manager.profile.connecting.known(error)
        assert known.raises is not None, "a refusal is no success"
        return known.raises(known.message)

    def refused(self, error: Errors, what: str) -> None:
        """The errors that all requests to the transaction coordinator share. what: the text for an
        unexpected error."""
        if error in COORDINATOR_LOST:
            self.manager.look_up_coordinator(TRANSACTION, self.manager.known_transactional_id)
            self.again()
        elif error.retriable:
            self.again()
        elif error is Errors.UNKNOWN_PRODUCER_ID:
            self.result.fail(self.raised(error))
            self.manager.to_abortable_error_if_possible(self.raised(error))
        elif error is Errors.TRANSACTION_ABORTABLE:
            self.abortable(self.raised(error))
        elif error in (
            *FENCED,
            Errors.INVALID_TXN_STATE,
            Errors.INVALID_PRODUCER_ID_MAPPING,
            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        ):
            self.fatal(self.raised(error))
        else:
            self.fatal(KafkaException(f"{what} {error.message}"))


class InitProducerId(TxnRequest):
    """INIT_PRODUCER_ID: asks for the id; with `known_as` for the next epoch of an id that is known
    already (KIP-360)."""

    operation = "InitProducerId"

    def __init__(
        self,
        manager: TxnRequestOwner,
        transactional_id: str | None,
        timeout_ms: int,
        known_as: ProducerIdAndEpoch,
    ) -> None:
        super().__init__(
            manager,
            m.InitProducerIdRequest(
                transactional_id=transactional_id,
                transaction_timeout_ms=timeout_ms,
                producer_id=known_as.producer_id,
                producer_epoch=known_as.epoch,
            ),
        )
        self._is_epoch_bump = known_as.producer_id >= 0
        self.priority = Priority.EPOCH_BUMP if self._is_epoch_bump else Priority.INIT_PRODUCER_ID
        self.coordinator_type = None if transactional_id is None else TRANSACTION

    def answered(self, message: m.InitProducerIdResponse) -> None:
        error = error_for(message.error_code)
        if error is Errors.NONE:
            self.manager.initialized(
                ProducerIdAndEpoch(message.producer_id, message.producer_epoch), self._is_epoch_bump
            )
            self.result.done()
        else:
            self.refused(error, "Unexpected error in InitProducerIdResponse;")


class FindCoordinator(TxnRequest):
    """FIND_COORDINATOR: looks up the coordinator of a transactional id, or of a group."""

    priority = Priority.FIND_COORDINATOR
    operation = "FindCoordinator"

    def __init__(self, manager: TxnRequestOwner, kind: int, key: str) -> None:
        super().__init__(manager, m.FindCoordinatorRequest(coordinator_keys=(key,), key_type=kind))
        self.coordinator_type = None
        self._kind, self._key = kind, key
        self._shown: m.FindCoordinatorRequest = m.FindCoordinatorRequest(key=key, key_type=kind)

    @property
    def shown(self) -> Later:
        return self.manager.client_text(self._shown)

    def sent(self, api_version: int) -> None:
        """Java's builder turns its own data into the batched form when it learns the version, and
        prints them in that form from then on."""
        if api_version >= BATCHED_LOOKUP_SINCE:
            self._shown = replace(self._shown, key="", coordinator_keys=(self._key,))

    def answered(self, message: m.FindCoordinatorResponse) -> None:
        found = message.coordinator_of(self._key)
        error, manager = error_for(found.error_code), self.manager
        if error is Errors.NONE:
            node = manager.client.node_of(found.node_id, found.host, found.port, None)
            manager.discovered(self._kind, node)
            self.result.done()
            manager.log(
                "TRANSACTION_COORDINATOR_DISCOVERED",
                coordinator_type=COORDINATOR_NAMES[self._kind].lower(),
                node=node,
            )
        elif error.retriable:
            self.again()
        elif error is Errors.TRANSACTION_ABORTABLE:
            self.abortable(self.raised(error))
        else:
            self.fatal(
                KafkaException(
                    f"Could not find a coordinator with type {COORDINATOR_NAMES[self._kind]} with "
                    f"key {self._key} due to unexpected error: {error.message}"
                )
            )


class AddPartitionsToTxn(TxnRequest):
    """ADD_PARTITIONS_TO_TXN: these partitions will be written to. Their batches are sent only after
    it."""

    operation = "AddPartitionsToTxn"

    def __init__(
        self,
        manager: TxnRequestOwner,
        transactional_id: str,
        known_as: ProducerIdAndEpoch,
        partitions: list[TopicPartition],
    ) -> None:
        ordered = by_partition((tp.topic, tp.partition, None) for tp in partitions)
        topics = by_topic((topic, number) for topic, number, _ in ordered)
        super().__init__(
            manager,
            m.AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=transactional_id,
                v3_and_below_producer_id=known_as.producer_id,
                v3_and_below_producer_epoch=known_as.epoch,
                v3_and_below_topics=tuple(
                    m.AddPartitionsToTxnTopic(name=topic, partitions=numbers)
                    for topic, numbers in topics.items()
                ),
            ),
        )
        self._soon = False

    @property
    def retry_backoff_ms(self) -> int:
        return (
            min(self.manager.retry_backoff_ms, ADD_PARTITIONS_RETRY_BACKOFF_MS)
            if self._soon
            else self.manager.retry_backoff_ms
        )

    def answered(self, message: m.AddPartitionsToTxnResponse) -> None:
        manager = self.manager
        errors = {
            TopicPartition(topic.name, part.partition_index): error_for(part.partition_error_code)
            for topic in message.results_by_topic_v3_and_below
            for part in topic.results_by_partition
        }
        self._soon = False
        failed = False
        for error in errors.values():
            if error is Errors.NONE:
                continue
            if error is Errors.CONCURRENT_TRANSACTIONS:
                self._soon = not manager.partitions_in_transaction
                self.again()
                return
            if error in (
                Errors.OPERATION_NOT_ATTEMPTED,
                Errors.TOPIC_AUTHORIZATION_FAILED,
            ) or not _is_decisive(error):
                failed = True
            else:
                self.refused(error, "Unexpected error in AddPartitionsToTxnResponse:")
                return
        for tp in errors:
            manager.pending_partitions.pop(tp, None)
        if failed:
            told = "{" + ", ".join(f"{tp}={error.name}" for tp, error in errors.items()) + "}"
            self.abortable(
                KafkaException(f"Could not add partitions to transaction due to errors: {told}")
            )
            return
        manager.log("TRANSACTION_PARTITIONS_ADDED", partitions=list_text(errors))
        manager.partitions_in_transaction.update(dict.fromkeys(errors))
        manager.transaction_started = True
        self.result.done()


def _is_decisive(error: Errors) -> bool:
    """Handles errors that concern the producer, not the one partition."""
    return error.retriable or error in (
        *FENCED,
        *COORDINATOR_LOST,
        Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        Errors.INVALID_PRODUCER_ID_MAPPING,
        Errors.INVALID_TXN_STATE,
        Errors.UNKNOWN_PRODUCER_ID,
        Errors.TRANSACTION_ABORTABLE,
    )


class EndTxn(TxnRequest):
    """END_TXN: commits or aborts."""

    priority = Priority.END_TXN
    is_end_txn = True

    def __init__(
        self,
        manager: TxnRequestOwner,
        transactional_id: str,
        known_as: ProducerIdAndEpoch,
        committed: bool,
    ) -> None:
        self.operation = f"EndTxn({str(committed).lower()})"
        super().__init__(
            manager,
            m.EndTxnRequest(
                transactional_id=transactional_id,
                producer_id=known_as.producer_id,
                producer_epoch=known_as.epoch,
                committed=committed,
            ),
        )

    def answered(self, message: m.EndTxnResponse) -> None:
        error = error_for(message.error_code)
        if error is not Errors.NONE:
            self.refused(error, "Unhandled error in EndTxnResponse:")
            return
        if message.producer_id != -1:
            self.manager.next_epoch(ProducerIdAndEpoch(message.producer_id, message.producer_epoch))
        self.manager.complete_transaction()
        self.result.done()


class AddOffsetsToTxn(TxnRequest):
    """ADD_OFFSETS_TO_TXN: a group joins the transaction; its offsets follow. (Not sent under
    transaction.version 2.)"""

    operation = "AddOffsetsToTxn"

    def __init__(
        self,
        manager: TxnRequestOwner,
        transactional_id: str,
        known_as: ProducerIdAndEpoch,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group: ConsumerGroupMetadata,
    ) -> None:
        super().__init__(
            manager,
            m.AddOffsetsToTxnRequest(
                transactional_id=transactional_id,
                producer_id=known_as.producer_id,
                producer_epoch=known_as.epoch,
                group_id=group.group_id,
            ),
        )
        self._offsets, self._group = dict(offsets), group

    def answered(self, message: m.AddOffsetsToTxnResponse) -> None:
        error, manager = error_for(message.error_code), self.manager
        if error is not Errors.NONE:
            self.refused(error, "Unexpected error in AddOffsetsToTxnResponse:")
            return
        manager.log("TRANSACTION_GROUP_ADDED", group=self._group.group_id)
        manager.add(manager.offset_commit(self._offsets, self._group, self.result))
        manager.transaction_started = True


class TxnOffsetCommit(TxnRequest):
    """TXN_OFFSET_COMMIT: the offsets that are valid when the transaction commits. It is sent to the
    group's coordinator."""

    operation = "TxnOffsetCommitHandler"

    def __init__(
        self,
        manager: TxnRequestOwner,
        transactional_id: str,
        known_as: ProducerIdAndEpoch,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group: ConsumerGroupMetadata,
        result: TxnResult | None,
    ) -> None:
        topics: dict[str, list[m.TxnOffsetCommitRequestPartition]] = {}
        for topic, number, offset in by_partition(
            (tp.topic, tp.partition, offset) for tp, offset in offsets.items()
        ):
            topics.setdefault(topic, []).append(
                m.TxnOffsetCommitRequestPartition(
                    partition_index=number,
                    committed_offset=offset.offset,
                    committed_leader_epoch=-1
                    if offset.leader_epoch is None
                    else offset.leader_epoch,
                    committed_metadata=offset.metadata,
                )
            )
        ids = manager.client.metadata.topic_ids
        member: dict[str, Any] = {}
        if manager.profile.transacting.offsets_carry_member:
            member = {
                "generation_id_or_member_epoch": group.generation_id,
                "member_id": group.member_id,
                "group_instance_id": group.group_instance_id,
            }
        super().__init__(
            manager,
            m.TxnOffsetCommitRequest(
                transactional_id=transactional_id,
                group_id=group.group_id,
                producer_id=known_as.producer_id,
                producer_epoch=known_as.epoch,
                topics=tuple(
                    m.TxnOffsetCommitRequestTopic(
                        name=name,
                        partitions=tuple(parts),
                        **({"topic_id": ids[name]} if name in ids else {}),
                    )
                    for name, parts in topics.items()
                ),
                **member,
            ),
            result,
        )
        self.coordinator_type = GROUP
        self._group = group

    @property
    def coordinator_key(self) -> str:
        return self._group.group_id

    def answered(self, message: m.TxnOffsetCommitResponse) -> None:
        manager = self.manager
        manager.log(
            "TRANSACTION_OFFSETS_COMMITTED",
            group=self._group.group_id,
            response=self._errors_text(message),
        )
        names, looked_up = manager.client.metadata.topic_names, False
        for topic in message.topics:
            for part in topic.partitions:
                tp = TopicPartition(
                    topic.name or names.get(topic.topic_id, ""), part.partition_index
                )
                error = error_for(part.error_code)
                if error is Errors.NONE:
                    manager.pending_offsets.pop(tp, None)
                elif error in (*COORDINATOR_LOST, Errors.REQUEST_TIMED_OUT):
                    if not looked_up:
                        looked_up = True
                        manager.look_up_coordinator(GROUP, self._group.group_id)
                elif not error.retriable:
                    self._give_up(error)
                    manager.pending_offsets.clear()
                    return
        if manager.pending_offsets:
            self.again()
        else:
            self.result.done()

    def _give_up(self, error: Errors) -> None:
        if error in (Errors.FENCED_INSTANCE_ID, Errors.TRANSACTION_ABORTABLE):
            self.abortable(self.raised(error))
        elif error in (Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION):
            self.abortable(
                CommitFailedException(
                    "Transaction offset Commit failed due to consumer group metadata mismatch: "
                    f"{error.message}"
                )
            )
        elif error in (
            *FENCED,
            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ):
            self.fatal(self.raised(error))
        else:
            self.fatal(
                KafkaException(f"Unexpected error in TxnOffsetCommitResponse: {error.message}")
            )

    def _errors_text(self, message: m.TxnOffsetCommitResponse) -> str:
        """A map of errors; 4.4 prints the answer's topics instead."""
        name = self.manager.profile.name
        if self.manager.profile.transacting.awaits_topic_ids_of_offsets:
            return list_text(part_text(topic, name) for topic in message.topics)
        return old_objects.txn_offset_errors_text(message, name)
