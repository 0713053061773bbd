"""What of a transaction survives its coordinator? The log behind it: `__transaction_state`.

Kafka appends a record for each step, with acks=all, and who becomes leader of the partition reads it from the start
(TransactionStateManager, TransactionLog). Here only the latest record of each id is kept, as compaction would leave it; and it is
kept once for the whole cluster, so a new leader finds it whoever it is. What is not played is a transaction log that loses records.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafkalab.broker.transaction_metadata import TransactionMetadata


class TransactionLog:
    """The partitions of `__transaction_state`, each transactional id -> its latest record.

    ready_ms: when the topic is there for who asks for a coordinator; None until somebody does.
    """

    def __init__(self) -> None:
        self.ready_ms: int | None = None
        self._partitions: dict[int, dict[str, TransactionMetadata]] = {}
        self._epochs: dict[int, int] = {}

    def read_by(self, partition: int, leader_epoch: int) -> None:
        """A new leader reads the partition: from now on an older one cannot write there."""
        self._epochs[partition] = max(leader_epoch, self._epochs.get(partition, 0))

    def is_fenced(self, partition: int, leader_epoch: int) -> bool:
        """Has a newer leader read the partition?"""
        return leader_epoch < self._epochs.get(partition, 0)

    def append(self, partition: int, record: TransactionMetadata) -> None:
        self._partitions.setdefault(partition, {})[record.transactional_id] = record

    def delete(self, partition: int, transactional_id: str) -> None:
        """A tombstone: the id was not used for a long time."""
        self._partitions.get(partition, {}).pop(transactional_id, None)

    def find(self, partition: int, transactional_id: str) -> TransactionMetadata | None:
        return self._partitions.get(partition, {}).get(transactional_id)

    def records(self, partition: int) -> Iterator[TransactionMetadata]:
        return iter(tuple(self._partitions.get(partition, {}).values()))

    def partitions(self) -> tuple[int, ...]:
        return tuple(self._partitions)
