"""Send: holds one record between send() and its batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kafkalab.clients.producer.producer_batch import Outcome
from kafkalab.protocol.messages import WireRecord
from kafkalab.records import ProducerRecord, TopicPartition

UNKNOWN = -1
"""RecordMetadata.UNKNOWN_PARTITION: the built-in rule chooses."""


@dataclass(slots=True)
class Send:
    """One record on its way. partition: the last choice; UNKNOWN before that."""

    record: ProducerRecord
    wire: WireRecord
    outcome: Callable[[TopicPartition], Outcome]
    callback_text: str
    deadline_ms: int
    partition: int = UNKNOWN

    @property
    def where(self) -> TopicPartition:
        return TopicPartition(self.record.topic, self.partition)
