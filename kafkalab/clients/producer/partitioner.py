"""The partitioners: they choose a record's partition (Partitioner, DefaultPartitioner,
RoundRobinPartitioner, UniformStickyPartitioner).

A partition the application names is always used. With a key, murmur2 decides over all partitions,
with or without a leader. Without either, the version's rule applies: round robin from a random
start (until 2.3), one partition until a new batch is opened (KIP-480, 2.4 to 3.2), and since 3.3
the rule built into the accumulator (KIP-794, `builtin_partitioner.py`). `partitioner.class`
replaces all of it.

A partitioner is any object with `partition(topic, key, key_bytes, value, value_bytes, cluster) ->
int`; a plain function of these six is enough. Until 3.9 one may also have `on_new_batch(topic,
cluster, previous)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.errors import ConfigException
from kafkalab.hashing import murmur2, to_positive

if TYPE_CHECKING:
    from kafkalab.releases import Profile

PACKAGE = "org.apache.kafka.clients.producer."


def by_key(key: bytes, partition_count: int) -> int:
    """The key's partition: (murmur2(key) & 0x7fffffff) % partition_count
    (BuiltInPartitioner.partitionForKey)."""
    return to_positive(murmur2(key)) % partition_count


class Partitioner(Protocol):
    """The interface of partitioners."""

    def partition(
        self,
        topic: str,
        key: Any,
        key_bytes: bytes | None,
        value: Any,
        value_bytes: bytes | None,
        cluster: Cluster,
    ) -> int:
        """The number of a partition of `topic`, 0 or more."""


class RoundRobin:
    """Round robin for records without a key, until 2.3: a counter a topic with a random start.
    Partitions without a leader are left out while there are others (DefaultPartitioner)."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._counters: dict[str, int] = {}

    def next(self, topic: str, cluster: Cluster) -> int:
        counter = self._counters.get(topic)
        if counter is None:
            counter = self._rng.randrange(1 << 31)
        self._counters[topic] = counter + 1
        return nth_available(counter, topic, cluster)

    def start_at(self, topic: str, counter: int) -> None:
        """Sets the start of the topic's counter to a number instead of a random one."""
        self._counters[topic] = counter


def nth_available(counter: int, topic: str, cluster: Cluster) -> int:
    """The partition a counter means: modulo the partitions that have a leader; of all where none
    has one."""
    available = cluster.available_partitions_for_topic(topic)
    if available:
        return available[to_positive(counter) % len(available)].partition
    return to_positive(counter) % cluster.partition_count_for_topic(topic)


class StickyPartitionCache:
    """The sticky rule of 2.4 to 3.2: one random partition a topic. It changes when a new batch is
    about to be opened for it (KIP-480)."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._current: dict[str, int] = {}

    def partition(self, topic: str, cluster: Cluster) -> int:
        if topic not in self._current:
            return self.next_partition(topic, cluster, -1)
        return self._current[topic]

    def next_partition(self, topic: str, cluster: Cluster, previous: int) -> int:
        """Chooses the next sticky partition. It changes only if the new batch was for the present
        one, and then to another one where two or more have a leader."""
        current = self._current.get(topic)
        if current is not None and current != previous:
            return current
        available = cluster.available_partitions_for_topic(topic)
        if not available:
            chosen = self._rng.randrange(cluster.partition_count_for_topic(topic))
        else:
            others = [p.partition for p in available if p.partition != current] or [
                available[0].partition
            ]
            chosen = self._rng.choice(others)
        self._current[topic] = chosen
        return chosen

    def stick_to(self, topic: str, partition: int) -> None:
        """Begins with this partition instead of a random one."""
        self._current[topic] = partition


class JavaPartitioner:
    """A partitioner of Java's. Of a record it looks at the key's bytes alone."""

    def partition(
        self,
        topic: str,
        key: str | None,
        key_bytes: bytes | None,
        value: str | None,
        value_bytes: bytes | None,
        cluster: Cluster,
    ) -> int:
        return self.choose(topic, key_bytes, cluster)

    def choose(self, topic: str, key: bytes | None, cluster: Cluster) -> int:
        """The number of a partition of `topic`, 0 or more."""
        raise NotImplementedError


class RoundRobinDefaultPartitioner(JavaPartitioner):
    """DefaultPartitioner until 2.3: the key decides, else round robin."""

    def __init__(self, rng: random.Random) -> None:
        self._round = RoundRobin(rng)

    def choose(self, topic: str, key: bytes | None, cluster: Cluster) -> int:
        if key is not None:
            return by_key(key, cluster.partition_count_for_topic(topic))
        return self._round.next(topic, cluster)


class UniformStickyPartitioner(JavaPartitioner):
    """The sticky rule for every record: keys are ignored (2.4 to 3.9, KIP-480)."""

    def __init__(self, rng: random.Random) -> None:
        self._cache = StickyPartitionCache(rng)

    def choose(self, topic: str, key: bytes | None, cluster: Cluster) -> int:
        return self._cache.partition(topic, cluster)

    def on_new_batch(self, topic: str, cluster: Cluster, previous: int) -> None:
        self._cache.next_partition(topic, cluster, previous)


class StickyDefaultPartitioner(UniformStickyPartitioner):
    """DefaultPartitioner from 2.4: the key decides, else the sticky partition. Keyed records that
    open a batch there move it, too."""

    def choose(self, topic: str, key: bytes | None, cluster: Cluster) -> int:
        if key is not None:
            return by_key(key, cluster.partition_count_for_topic(topic))
        return super().choose(topic, key, cluster)


class RoundRobinPartitioner(JavaPartitioner):
    """Puts each record into the next partition, with or without key, from the first one on (2.4,
    KIP-369).

    A record that opens a batch calls the partitioner twice, so where each one does, every other
    partition is skipped (KAFKA-9965). `remembers_new_batch`: the second call gets the first result
    (KAFKA-17632); since 4.0 there is no second call.
    """

    def __init__(self, rng: random.Random, remembers_new_batch: bool = True) -> None:
        self._counters: dict[str, int] = {}
        self._remembers = remembers_new_batch
        self._previous: tuple[str, int] | None = None

    def choose(self, topic: str, key: bytes | None, cluster: Cluster) -> int:
        previous, self._previous = self._previous, None
        if previous is not None and previous[0] == topic:
            return previous[1]
        counter = self._counters.get(topic, 0)
        self._counters[topic] = counter + 1
        return nth_available(counter, topic, cluster)

    def on_new_batch(self, topic: str, cluster: Cluster, previous: int) -> None:
        if self._remembers:
            self._previous = (topic, previous)


class FunctionPartitioner:
    """Wraps a learner's function as a partitioner."""

    def __init__(self, function: Callable[..., int]) -> None:
        self.partition = function


KNOWN = {PACKAGE + name: name for name in ("RoundRobinPartitioner", "UniformStickyPartitioner")} | {
    PACKAGE + "internals.DefaultPartitioner": "DefaultPartitioner"
}
"""Full class name -> the short one. The profile lists which of them a version has."""


def partitioner_of(given: Any, profile: Profile, rng: random.Random) -> Partitioner | None:
    """The partitioner that partitioner.class means; None for the rule built into the accumulator
    (3.3 and later).

    given: a Java class name, full or short; a Python class or object with `partition`; or a
    function. Raises ConfigException.
    """
    if given is None:
        return _default(profile, rng)
    if isinstance(given, str):
        return _named(given, profile, rng)
    if isinstance(given, type):
        given = given()
    if callable(getattr(given, "partition", None)):
        partitioner: Partitioner = given
        return partitioner
    if callable(given):
        return FunctionPartitioner(given)
    raise ConfigException(
        f"Invalid value {given!r} for configuration partitioner.class: give a class or an object "
        "with partition(topic, key, key_bytes, value, value_bytes, cluster), or a function of these"
    )


def _default(profile: Profile, rng: random.Random) -> Partitioner | None:
    makers = {
        "round robin": RoundRobinDefaultPartitioner,
        "sticky": StickyDefaultPartitioner,
        "adaptive": None,
    }
    make = makers[profile.producing.partitioner]
    return None if make is None else make(rng)


def _named(given: str, profile: Profile, rng: random.Random) -> Partitioner | None:
    name = KNOWN.get(given, given)
    if name not in KNOWN.values():
        raise ConfigException(
            f"Invalid value {given} for configuration partitioner.class: Class {given} could not "
            f"be found. Known are {', '.join(sorted(KNOWN.values()))}; or give a Python class or "
            "function."
        )
    if name not in profile.producing.partitioner_classes:
        raise ConfigException(
            f"Invalid value {given} for configuration partitioner.class: Class {given} could not "
            f"be found. A client {profile.name} has "
            f"{', '.join(profile.producing.partitioner_classes) or 'none but its own'}."
        )
    if name == "DefaultPartitioner":
        return _default(profile, rng) or StickyDefaultPartitioner(rng)
    if name == "UniformStickyPartitioner":
        return UniformStickyPartitioner(rng)
    return RoundRobinPartitioner(rng, remembers_new_batch=not profile.producing.round_robin_skips)
