"""PartitionChooser: chooses the partition of each record (KafkaProducer.partition).

The application names it, or a partitioner chooses, or the key decides. Else, since 3.3, the rule of
`builtin_partitioner.py` applies, whose choice may still move while the record is appended.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.clients.producer.builtin_partitioner import BuiltInPartitioner, StickyChoice
from kafkalab.clients.producer.partitioner import by_key, partitioner_of
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.clients.producer.record_send import Send
from kafkalab.errors import IllegalArgumentException
from kafkalab.protocol.messages import as_bytes

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class PartitionChooser:
    """Chooses for one producer.

    asks_again  the partitioner is asked again for a record that opens a batch (KIP-480)
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        profile: Profile,
        rng: random.Random,
        log: Callable[..., object],
    ) -> None:
        given = config["partitioner.class"]
        self._partitioner = partitioner_of(given, profile, rng)
        self.asks_again: bool = profile.producing.asks_again_for_new_batch(given is not None)
        self._is_adaptive = profile.producing.partitioner == "adaptive"
        self._ignores_keys: bool = config.get("partitioner.ignore.keys", False)
        self._batch_size: int = max(1, config["batch.size"])
        self._rng, self._log = rng, log
        self._builtin: dict[str, BuiltInPartitioner] = {}

    def choose(self, send: Send, cluster: Cluster) -> StickyChoice | None:
        """Chooses `send.partition`. Where the built-in rule chooses, it stays UNKNOWN, and the
        choice that may move is returned. Raises IllegalArgumentException and the errors of a
        partitioner."""
        record, wire = send.record, send.wire
        if record.partition is not None:
            send.partition = record.partition
            return None
        key_bytes = None if wire.key is None else as_bytes(wire.key)
        if self._partitioner is not None:
            value_bytes = None if wire.value is None else as_bytes(wire.value)
            number = self._partitioner.partition(
                record.topic, record.key, key_bytes, record.value, value_bytes, cluster
            )
            if not isinstance(number, int) or number < 0:
                raise IllegalArgumentException(
                    f"The partitioner generated an invalid partition number: {number}. Partition "
                    "number should always be non-negative."
                )
            send.partition = number
            return None
        if key_bytes is not None and not self._ignores_keys:
            send.partition = by_key(key_bytes, cluster.partition_count_for_topic(record.topic))
            return None
        return StickyChoice(self._of_topic(record.topic), cluster)

    def choose_again(self, send: Send, cluster: Cluster) -> StickyChoice | None:
        """Chooses for a record that opens a batch: the last chosen partition has no room."""
        on_new_batch = getattr(self._partitioner, "on_new_batch", None)
        if on_new_batch is not None:
            on_new_batch(send.record.topic, cluster, send.partition)
        return self.choose(send, cluster)

    def on_load(self, topic: str, sizes: list[int] | None, ids: list[int], count: int) -> None:
        """The lengths of a topic's queues at the Sender's check; see BuiltInPartitioner."""
        if self._is_adaptive:
            self._of_topic(topic).on_load(sizes, ids, count)

    def _of_topic(self, topic: str) -> BuiltInPartitioner:
        if topic not in self._builtin:
            self._builtin[topic] = BuiltInPartitioner(topic, self._batch_size, self._rng, self._log)
        return self._builtin[topic]
