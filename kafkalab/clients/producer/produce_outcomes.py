"""Handles the answers to PRODUCE and decides each batch's outcome (Sender.handleProduceResponse,
completeBatch, failBatch).

A written batch: its records receive their offsets. A batch too large for the broker: it is split
and sent again. A batch refused for a retriable reason, or lost with its connection: it returns to
the front of its queue, as often as retries and delivery.timeout.ms allow. Otherwise its records
receive the error.
"""

from __future__ import annotations

from kafkalab.clients.network.node import Node
from kafkalab.clients.network.requests import ClientResponse
from kafkalab.clients.producer.producer_batch import FinalState, ProducerBatch
from kafkalab.clients.producer.producer_parts import ProducerPart, ProducerShared
from kafkalab.errors import (
    ApiException,
    Errors,
    InvalidMetadataException,
    UnknownTopicOrPartitionException,
    error_for,
)
from kafkalab.lines import payload
from kafkalab.protocol.messages import PartitionProduceResponse
from kafkalab.records import TopicPartition


class ProduceOutcomes(ProducerPart):
    """Handles the answers to one producer. in_flight: batches that were sent and not answered yet,
    in that order."""

    def __init__(self, shared: ProducerShared) -> None:
        super().__init__(shared)
        self.in_flight: dict[int, ProducerBatch] = {}
        self._new_leaders: dict[TopicPartition, tuple[int, int]] = {}
        self._retries: int = self._config["retries"]
        self._delivery_timeout_ms: int = self._config["delivery.timeout.ms"]

    def answered(self, node: Node, batches: list[ProducerBatch], response: ClientResponse) -> None:
        """A PRODUCE request has ended, with or without an answer."""
        correlation_id = response.request.correlation_id
        if response.disconnected:
            answer = self._lost(node, response)
            for batch in batches:
                self._settle(batch, answer, correlation_id)
            return
        if response.version_mismatch:
            for batch in batches:
                self._settle(
                    batch,
                    PartitionProduceResponse(index=0, error_code=Errors.UNSUPPORTED_VERSION.code),
                    correlation_id,
                )
            return
        self._log("PRODUCE_RECEIVED", node_id=node.connection, correlation_id=correlation_id)
        if response.message is None:  # acks=0: the write to the socket is the only outcome
            for batch in batches:
                self._settle(batch, PartitionProduceResponse(index=0), correlation_id)
            return
        names = self._metadata.topic_names
        answers = {
            (topic.name or names.get(topic.topic_id, ""), p.index): p
            for topic in response.message.responses
            for p in topic.partition_responses
        }
        for batch in batches:
            self._settle(
                batch, answers[batch.partition.topic, batch.partition.partition], correlation_id
            )
        if self._new_leaders:
            news, self._new_leaders = self._new_leaders, {}
            nodes = [
                self._client.node_of(end.node_id, end.host, end.port, end.rack)
                for end in response.message.node_endpoints
            ]
            for tp in self._metadata.learn_leaders(news, nodes):
                self._log("LEADER_OF_PARTITION_UPDATED", partition=tp)
        self._metrics.answered(response.latency_ms)

    def _lost(self, node: Node, response: ClientResponse) -> PartitionProduceResponse:
        """The connection is lost, and with it the answer. From 3.x on a time-out has an error of
        its own."""
        timed_out = response.timed_out and self._profile.producing.tells_timed_out_requests
        self._log(
            "PRODUCE_TIMED_OUT" if timed_out else "PRODUCE_CANCELLED",
            node_id=node.connection,
            header=self._header_text(response),
        )
        error = Errors.REQUEST_TIMED_OUT if timed_out else Errors.NETWORK_EXCEPTION
        text = f"Disconnected from node {node.connection}" + (
            " due to timeout" if timed_out else ""
        )
        return PartitionProduceResponse(
            index=0,
            error_code=error.code,
            error_message=text if self._profile.producing.names_lost_node else None,
        )

    def _settle(
        self, batch: ProducerBatch, answer: PartitionProduceResponse, correlation_id: int
    ) -> None:
        """completeBatch."""
        batch.in_flight = False
        self.in_flight.pop(id(batch), None)
        error = error_for(answer.error_code)
        if error is Errors.MESSAGE_TOO_LARGE and len(batch.records) > 1 and not batch.done:
            self._split(batch, error, answer, correlation_id)
        elif error is not Errors.NONE:
            self._refused(batch, error, answer, correlation_id)
        else:
            self._complete(batch, answer.base_offset)
        self._accumulator.muted.discard(batch.partition)

    def _split(
        self,
        batch: ProducerBatch,
        error: Errors,
        answer: PartitionProduceResponse,
        correlation_id: int,
    ) -> None:
        self._log(
            "BATCH_SPLIT",
            correlation_id=correlation_id,
            partition=batch.partition,
            count=self._retries - batch.attempts,
            error=self._text_of(error, answer),
        )
        parts = self._accumulator.split(batch)
        if self._transactions is not None:
            self._transactions.replaced(batch, parts)
        self._accumulator.forget(batch)
        self._metrics.split()

    def _refused(
        self,
        batch: ProducerBatch,
        error: Errors,
        answer: PartitionProduceResponse,
        correlation_id: int,
    ) -> None:
        known = self._profile.connecting.known(error)
        if self._may_retry(batch, error, answer):
            self._log(
                "BATCH_RETRIED",
                correlation_id=correlation_id,
                partition=batch.partition,
                count=self._retries - batch.attempts - 1,
                error=self._text_of(error, answer),
            )
            self._metrics.retried(batch)
            self._accumulator.reenqueue(batch, self._clock.now_ms)
        elif error is Errors.DUPLICATE_SEQUENCE_NUMBER:
            # a batch sent twice was written once, but the broker does not remember where
            self._complete(batch, answer.base_offset)
        else:
            assert known.raises is not None, "a refusal is no success"
            told = answer.error_message or known.message
            if len(batch.records) == len(answer.record_errors) == 1:
                told = answer.record_errors[0].batch_index_error_message or told
            exception = known.raises(told)
            self.fail(batch, exception, closes_gap=batch.attempts < self._retries)
        if known.raises is not None and issubclass(known.raises, InvalidMetadataException):
            if issubclass(known.raises, UnknownTopicOrPartitionException):
                self._log("PRODUCE_TO_UNKNOWN_PARTITION", partition=batch.partition)
            else:
                text = known.raises(answer.error_message or known.message).java_text()
                self._log("PRODUCE_WITH_OLD_METADATA", partition=batch.partition, error=text)
            self._learn_leader(batch, error, answer)
            self._metadata.request_update()

    def _learn_leader(
        self, batch: ProducerBatch, error: Errors, answer: PartitionProduceResponse
    ) -> None:
        """Takes over the new leader that an answer names (KIP-951, 3.7): then the batch need not
        wait for metadata, nor for its backoff."""
        if self._profile.connecting.learns_leaders and error in (
            Errors.NOT_LEADER_OR_FOLLOWER,
            Errors.FENCED_LEADER_EPOCH,
        ):
            hint = answer.current_leader
            self._log(
                "PRODUCE_ERROR_WITH_LEADER",
                partition=batch.partition,
                error=error.name,
                leader=hint.text(),
            )
            if hint.leader_id >= 0 and hint.leader_epoch >= 0:
                self._new_leaders[batch.partition] = (hint.leader_id, hint.leader_epoch)

    def _may_retry(
        self, batch: ProducerBatch, error: Errors, answer: PartitionProduceResponse
    ) -> bool:
        """canRetry."""
        if (
            batch.has_reached(self._delivery_timeout_ms, self._clock.now_ms)
            or batch.attempts >= self._retries
            or batch.done
        ):
            return False
        if self._transactions is None:
            return error.retriable
        return self._transactions.can_retry(error, batch, answer.log_start_offset)

    def _complete(self, batch: ProducerBatch, base_offset: int) -> None:
        if self._transactions is not None:
            self._transactions.acknowledged(batch, base_offset)
        if not batch.done:
            self._plain("BATCH_PRODUCED", partition=batch.partition, offset=base_offset)
        if not self._accumulator.finish(batch, FinalState.SUCCEEDED, base_offset, None):
            assert batch.final_state is not None, "a batch that is done has its final state"
            self._plain(
                "BATCH_SUCCEEDED_LATE",
                state_to="SUCCEEDED",
                partition=batch.partition,
                offset=base_offset,
                state_from=batch.final_state.value,
            )

    def fail(self, batch: ProducerBatch, error: ApiException, closes_gap: bool) -> None:
        """failBatch. closes_gap: the broker has refused the batch, so its sequence numbers are free
        again."""
        self._metrics.failed(batch.partition.topic, len(batch.records))
        if batch.done:
            assert batch.final_state is not None, "a batch that is done has its final state"
            self._plain(
                "BATCH_STATE_KEPT",
                state_from=batch.final_state.value,
                state_to="FAILED",
                partition=batch.partition,
                offset=-1,
            )
            self._accumulator.forget(batch)
            return
        self._plain(
            "BATCH_FAILED",
            partition=batch.partition,
            offset=-1,
            error=error,
            trace=error.java_text(),
        )
        told_first = self._profile.transacting.tells_failure_first
        if self._transactions is not None and not told_first:
            self._transactions.failed(batch, error, closes_gap)
        self._accumulator.finish(batch, FinalState.FAILED, -1, error)
        if self._transactions is not None and told_first:
            self._transactions.failed(batch, error, closes_gap)

    def _text_of(self, error: Errors, answer: PartitionProduceResponse) -> str:
        name = self._profile.connecting.known(error).name
        return f"{name}. Error Message: {answer.error_message}" if answer.error_message else name

    def _header_text(self, response: ClientResponse) -> str:
        header = response.request.header
        return "" if header is None else payload.header_text(header, self._profile.name)
