"""The methods with which an application writes in transactions (KafkaProducer's transactional
methods).

    producer = KafkaProducer(lab, {"transactional.id": "copier"})
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(record)
    producer.send_offsets_to_transaction({partition: OffsetAndMetadata(5)},
                                         consumer.group_metadata())
    producer.commit_transaction()

A ProducerFencedException means that another producer has the transactional id now: close this
producer. Do the same after the other fatal errors, such as OutOfOrderSequenceException. After a
TimeoutException of commit_transaction() or abort_transaction() call the same method again. After
any other KafkaException call abort_transaction(), and begin again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kafkalab.clients.producer.transactions.transaction_manager import TransactionManager
from kafkalab.clients.producer.transactions.txn_requests import TxnResult
from kafkalab.errors import IllegalArgumentException, IllegalStateException, TimeoutException
from kafkalab.records import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kafkalab.clients.network.client_lab import ClientLab
    from kafkalab.clients.network.log_context import LogContext
    from kafkalab.config import ProducerConfig
    from kafkalab.releases import Profile


class TransactionalMethods:
    """A mixin of KafkaProducer: its transactional methods."""

    profile: Profile
    config: ProducerConfig
    name: str
    _lab: ClientLab
    _log: LogContext
    _transactions: TransactionManager | None
    _wakeup: Callable[[], None]
    _await_topic_ids: Callable[[str, int], None]

    @property
    def is_closed(self) -> bool:
        """Whether its network thread has ended."""
        raise NotImplementedError

    def init_transactions(self) -> None:
        """Gets the producer id and epoch of this transactional id. It fences an earlier producer of
        that id, and the transaction that one left open is aborted.

        Raises IllegalStateException without transactional.id, TimeoutException when it takes longer
        than max.block.ms (call again).
        """
        manager = self._manager()
        with self._calling_transactional("init_transactions"):
            self._await(self._begun(manager.initialize_transactions))
            manager.look_for_v2(at_start=True)

    def begin_transaction(self) -> None:
        """Begins a transaction: the records sent from here on belong together. No request is sent
        yet."""
        manager = self._manager()
        with self._calling_transactional("begin_transaction"):
            manager.begin_transaction()

    def send_offsets_to_transaction(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group: ConsumerGroupMetadata | str,
    ) -> None:
        """Commits the group's offsets with the transaction. group: `consumer.group_metadata()`; the
        group id alone (all there was until 2.4, gone in 4.0) does not fence a consumer that has
        lost its partitions.

        Raises CommitFailedException when the member is not of this generation any more.
        """
        if group is None:
            raise IllegalArgumentException("Consumer group metadata could not be null")
        if isinstance(group, str) and not self.profile.transacting.takes_group_id_for_offsets:
            raise IllegalArgumentException(
                "from 4.0 on send_offsets_to_transaction takes consumer.group_metadata(), not the "
                f"text {group!r} (KAFKA-12690)"
            )
        group = ConsumerGroupMetadata(group) if isinstance(group, str) else group
        if group.generation_id > 0 and not group.member_id:
            raise IllegalArgumentException(
                f"Passed in group metadata {group} has generationId > 0 but member.id "
            )
        manager = self._manager()
        if not offsets:
            return
        with self._calling_transactional("send_offsets_to_transaction"):
            if self.profile.transacting.awaits_topic_ids_of_offsets:
                deadline_ms = self._lab.stage.deadline_after(self.config["max.block.ms"])
                for topic in dict.fromkeys(tp.topic for tp in offsets):
                    self._await_topic_ids(topic, deadline_ms)
            self._await(
                self._begun(lambda: manager.send_offsets(offsets, group)),
                limited=self.profile.transacting.queues_init_producer_id,
            )

    def commit_transaction(self) -> None:
        """Sends the waiting batches, and makes all records visible to readers of committed records.
        Raises the error of any record."""
        manager = self._manager()
        with self._calling_transactional("commit_transaction"):
            self._await(
                self._begun(manager.begin_commit),
                limited=self.profile.transacting.limits_transactional_calls,
            )

    def abort_transaction(self) -> None:
        """Drops the waiting batches; readers of committed records never see the records already
        sent."""
        manager = self._manager()
        with self._calling_transactional("abort_transaction"):
            self._log("TRANSACTION_ABORTED_BY_CLOSE")
            self._await(
                self._begun(manager.begin_abort),
                limited=self.profile.transacting.limits_transactional_calls,
            )

    def _manager(self) -> TransactionManager:
        if self._transactions is None:
            raise IllegalStateException(
                "Cannot use transactional methods without enabling transactions by setting the "
                "transactional.id configuration property"
            )
        if self.is_closed:
            raise IllegalStateException("Cannot perform operation after producer has been closed")
        return self._transactions

    def _begun(self, begin: Callable[[], TxnResult]) -> TxnResult:
        result = begin()
        self._wakeup()
        return result

    def _await(self, result: TxnResult, limited: bool = True) -> None:
        """Waits for the outcome, at most max.block.ms; a call that timed out may be repeated."""
        limit_ms = self.config["max.block.ms"]
        stage = self._lab.stage
        if not limited:
            stage.wait_for(
                result.signal,
                f"the outcome of {result.operation}",
                besides_ms=self.config["delivery.timeout.ms"],
            )
        elif not stage.wait(result.signal, stage.deadline_after(limit_ms)):
            raise TimeoutException(
                self.profile.transacting.awaited_too_long_text.format(
                    limit_ms=limit_ms, operation=result.operation
                )
            )
        result.is_acknowledged = True
        if result.error is not None:
            raise result.error

    def _calling_transactional(self, name: str) -> AbstractContextManager[None]:
        return self._lab.journal.because(self._lab.call(self.name, name, {}))
