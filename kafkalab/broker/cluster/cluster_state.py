"""ClusterState: topics, partitions, leaders and brokers, as brokers and the controller see them.

In Kafka this knowledge is kept in ZooKeeper or in the KRaft log and reaches each broker's
MetadataCache a little later. Here all brokers share one `ClusterState`, so every connected broker
knows a change at once (`metadata_cache`). The `controller` decides when a dead broker is noticed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kafkalab.broker.log.topic_config_values import read_setting
from kafkalab.config.names import fault_of_name
from kafkalab.errors import IllegalArgumentException
from kafkalab.hashing import coordinator_partition
from kafkalab.protocol.frozen import record
from kafkalab.protocol.identifiers import kafka_uuid
from kafkalab.sim.invariants import check

OFFSETS_TOPIC = "__consumer_offsets"
TRANSACTION_TOPIC = "__transaction_state"
INTERNAL_TOPICS = (OFFSETS_TOPIC, TRANSACTION_TOPIC)

NO_LEADER = -1
PRODUCER_ID_BLOCK = 1_000
"""Producer ids are handed to brokers in blocks of this size (ProducerIdsBlock)."""


def is_legal_topic(name: str) -> bool:
    """Whether a topic may have this name (org.apache.kafka.common.internals.Topic.validate)."""
    return isinstance(name, str) and fault_of_name(name) is None


@record
class BrokerNode:
    """A broker's address. `rack` is None where none is configured."""

    id: int
    host: str
    port: int
    rack: str | None = None


@dataclass(slots=True)
class Partition:
    """One partition's leader, epoch and replicas (PartitionRegistration). leader is -1 while there
    is none; each change of the leader raises leader_epoch.

    elr         eligible leader replicas (KIP-966)
    last_known  the last leader, kept while there is no leader and no eligible replica; -1 for none
    partition_epoch  how often the controller has changed it; Kafka's brokers print it in their logs
    since_ms    when it was created, in the lab's milliseconds
    """

    topic: str
    index: int
    leader: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader_epoch: int = 0
    elr: tuple[int, ...] = ()
    last_known: int = NO_LEADER
    partition_epoch: int = 0
    since_ms: int = 0


@record
class Topic:
    name: str
    topic_id: str
    partitions: tuple[Partition, ...]
    config: Mapping[str, str | None] = field(default_factory=dict)

    def setting(self, key: str, default: Any) -> Any:
        """The topic's own value of a config, typed; the broker's value where the topic has none."""
        text = self.config.get(key)
        return default if text is None else read_setting(key, text)

    @property
    def is_internal(self) -> bool:
        return self.name in INTERNAL_TOPICS


class ClusterState:
    """The brokers, topics and leaders of a cluster (MetadataImage).

    rng: the random stream for the ids of cluster and topics and for the first leader of an internal
        topic.
    group_producer_epochs: (partition of the offsets topic, producer id) -> the highest epoch that
        committed offsets there.
    revision: grows with every change, so that an answer made from this state can be kept until the
        next change.
    on_topic_deleted, on_topic_altered: functions that are called with the name of a topic that is
        deleted, or has other settings.
    now_ms: gives the lab's time in milliseconds; a new partition keeps it.
    tell: tell(kind, fields) is called with each change, for the journal: "cluster",
        "topic.created", "topic.altered", "topic.deleted", "partition.changed", "broker.changed".
    stopping: the brokers in controlled shutdown.
    share_groups, share_states: share groups by id, and the stored states of share partitions by
        (group, topic, number); the machines of `groups/share` fill them.
    group_settings: group id -> its own settings (kafka-configs --entity-type groups).
    client_quotas, reader_quotas: client id -> producer_byte_rate, consumer_byte_rate (kafka-configs
        --entity-type clients).
    is_current: always True. A broker's MetadataCache has False while the broker is disconnected
        from the controller.
    """

    is_current = True

    is_current = True

    def __init__(
        self,
        brokers: Iterable[BrokerNode],
        rng: random.Random,
        *,
        offsets_partitions: int = 50,
        offsets_replication_factor: int = 3,
        transaction_partitions: int = 50,
        transaction_replication_factor: int = 3,
        transaction_min_isr: int = 2,
        tell: Callable[[str, dict[str, Any]], object] = lambda kind, fields: None,
        now_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        self.brokers = {
            broker.id: broker for broker in sorted(brokers, key=lambda broker: broker.id)
        }
        self.alive = dict.fromkeys(self.brokers, True)
        self.stopping: set[int] = set()
        self.topics: dict[str, Topic] = {}
        self.cluster_id = kafka_uuid(rng)
        self.controller_id = rng.choice(list(self.brokers))
        self.revision = 0
        self._rng = rng
        self._names_by_id: dict[str, str] = {}
        self._partition_of_group: dict[str, Partition] = {}
        self.told_partition_of: Callable[[str], object] | None = None
        self._offsets_partitions = offsets_partitions
        self._offsets_replication_factor = offsets_replication_factor
        self._transaction_partitions = transaction_partitions
        self._transaction_replication_factor = transaction_replication_factor
        self._transaction_min_isr = transaction_min_isr
        self._transactions_ready_ms: int | None = None
        self.group_producer_epochs: dict[tuple[int, int], int] = {}
        self.share_groups: dict[str, Any] = {}
        self.share_states: dict[tuple[str, str, int], Any] = {}
        self.group_settings: dict[str, dict[str, Any]] = {}
        self.client_quotas: dict[str, int] = {}
        self.reader_quotas: dict[str, int] = {}
        self._next_producer_id = 0
        self._epochs: dict[tuple[str, int], int] = {}
        self._journal, self._now_ms = tell, now_ms
        self.on_event: list[Callable[[str, Mapping[str, Any]], object]] = []
        self.on_topic_deleted: list[Callable[[str], object]] = []
        self.on_topic_altered: list[Callable[[str], object]] = []
        tell(
            "cluster",
            {
                "cluster_id": self.cluster_id,
                "controller": self.controller_id,
                "brokers": {node.id: f"{node.host}:{node.port}" for node in self.brokers.values()},
            },
        )

    def _tell(self, kind: str, fields: dict[str, Any]) -> None:
        self._journal(kind, fields)
        for listen in self.on_event:
            listen(kind, fields)

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        replication_factor: int = 1,
        leaders: Sequence[int] | None = None,
        replicas: Sequence[Sequence[int]] | None = None,
        config: Mapping[str, str | None] | None = None,
    ) -> Topic:
        """Create a topic and give its partitions to brokers in turn, the first replica leading.

        leaders: the leader of each partition, instead; the other replicas are the brokers after it.
        replicas: the brokers with a replica of each partition, instead, the leader first. config:
        the topic's own settings (`topic_config`). A broker that is down when the topic is created
        neither leads nor is in sync. ValueError where the name is illegal, the topic exists, a
        number is below 1, there are too few brokers, or a leader is not a broker.
        """
        ids = list(self.brokers)
        if not is_legal_topic(name):
            raise IllegalArgumentException(
                "a topic's name is at most 249 letters, digits, '.', '_' and '-', and not '.' or "
                f"'..': {name!r} is none"
            )
        if name in self.topics:
            raise IllegalArgumentException(f"Topic '{name}' already exists.")
        if partitions < 1:
            raise IllegalArgumentException(
                f"topic {name!r} needs at least one partition, not {partitions}"
            )
        if not 1 <= replication_factor <= len(ids):
            raise IllegalArgumentException(
                f"topic {name!r} cannot have {replication_factor} replicas: there are {len(ids)} "
                "brokers"
            )
        if leaders is None:
            leaders = [ids[index % len(ids)] for index in range(partitions)]
        if len(leaders) != partitions:
            raise IllegalArgumentException(
                f"topic {name!r} has {partitions} partitions, but {len(leaders)} leaders were named"
            )
        strangers = sorted(set(leaders) - set(ids))
        if strangers:
            raise IllegalArgumentException(
                f"topic {name!r} names leaders that are no brokers: {strangers}; brokers are {ids}"
            )
        placed = [
            self._placed(
                name, index, leader, replication_factor, replicas[index] if replicas else None
            )
            for index, leader in enumerate(leaders)
        ]
        topic = Topic(name, kafka_uuid(self._rng), tuple(placed), dict(config or {}))
        self.topics[name] = topic
        self._names_by_id[topic.topic_id] = name
        self.revision += 1
        self._tell(
            "topic.created",
            {
                "topic": name,
                "topic_id": topic.topic_id,
                "partitions": [partition_fields(one) for one in placed],
            },
        )
        return topic

    def _placed(
        self, topic: str, index: int, leader: int, count: int, replicas: Sequence[int] | None
    ) -> Partition:
        ids = list(self.brokers)
        first = ids.index(leader)
        brokers = tuple(replicas or (ids[(first + step) % len(ids)] for step in range(count)))
        isr = tuple(id for id in brokers if self.alive[id]) or brokers
        leader = isr[0] if self.alive[isr[0]] else NO_LEADER
        return Partition(topic, index, leader, brokers, isr, since_ms=self._now_ms())

    def add_partitions(
        self, name: str, count: int, replicas: Sequence[Sequence[int]] | None = None
    ) -> None:
        """Add partitions to a topic up to `count`, with as many replicas each as before. replicas:
        the brokers with a replica of each new partition."""
        topic, ids = self.topics[name], list(self.brokers)
        factor, before = len(topic.partitions[0].replicas), len(topic.partitions)
        new = []
        for index in range(before, count):
            chosen = replicas[index - before] if replicas else None
            new.append(
                self._placed(
                    name, index, chosen[0] if chosen else ids[index % len(ids)], factor, chosen
                )
            )
        self.topics[name] = replace(topic, partitions=(*topic.partitions, *new))
        for partition in new:
            self.changed(partition)

    def alter_topic(self, name: str, changes: Mapping[str, str | None]) -> None:
        """Give a topic other settings of its own; None takes one away. The brokers' logs follow at
        once, also those of a broker that is out of touch. Raises KeyError where it does not exist.
        """
        config = {
            key: value
            for key, value in {**self.topics[name].config, **changes}.items()
            if value is not None
        }
        self.topics[name] = replace(self.topics[name], config=config)
        self.revision += 1
        self._tell("topic.altered", {"topic": name, "config": config})
        for follow in self.on_topic_altered:
            follow(name)

    def delete_topic(self, name: str) -> None:
        """Delete a topic and call on_topic_deleted, at which every connected broker deletes its
        replicas. Raises KeyError where it does not exist."""
        topic = self.topics.pop(name)
        del self._names_by_id[topic.topic_id]
        self.revision += 1
        self._tell("topic.deleted", {"topic": name})
        for forget in self.on_topic_deleted:
            forget(name)

    def name_of(self, topic_id: str) -> str | None:
        """The topic with that id; None where there is none."""
        return self._names_by_id.get(topic_id)

    def partition(self, topic: str, index: int) -> Partition | None:
        """A partition; None where the topic or the number does not exist."""
        found = self.topics.get(topic)
        return found.partitions[index] if found and 0 <= index < len(found.partitions) else None

    def leader(self, topic: str, index: int) -> int:
        """The id of the leader, -1 while there is none.
        KeyError where the partition does not exist."""
        found = self.partition(topic, index)
        if found is None:
            raise KeyError(f"there is no partition {topic}-{index}")
        return found.leader

    def set_leader(self, topic: str, index: int, leader: int) -> None:
        """Make `leader` the leader (-1: no leader) and raise the leader epoch."""
        partition = self.partition(topic, index)
        if partition is None:
            raise KeyError(f"there is no partition {topic}-{index}")
        partition.leader = leader
        partition.leader_epoch += 1
        if leader != NO_LEADER and leader not in partition.replicas:
            partition.replicas = partition.isr = (leader,)
        self.changed(partition)

    def set_alive(self, broker: int, alive: bool) -> None:
        """Set whether METADATA and FIND_COORDINATOR name a broker. The controller changes its
        leaderships."""
        self.alive[broker] = alive
        self.revision += 1
        self._tell("broker.changed", {"broker": broker, "alive": alive})

    def may_join_isr(self, broker: int) -> bool:
        """Whether a broker counts as a replica that may soon be in sync: it is neither fenced nor
        in controlled shutdown (Partition.isReplicaIsrEligible).

        Under ZooKeeper the controller has stopped the replicas of a broker that shuts down, so that
        it fetches nothing that could bring it back.
        """
        return self.alive[broker] and broker not in self.stopping

    def coordinator_of(self, group: str) -> int:
        """The broker that coordinates `group`: the leader of its partition of the offsets topic; -1
        while it has none.

        The first request creates the topic, as in Kafka.
        """
        return self._offsets_partition(group).leader

    def named_coordinator_of(self, group: str) -> int:
        """The broker that FIND_COORDINATOR names: the coordinator, unless a learner's rule
        (Lab.find_coordinators_by) says otherwise."""
        coordinator = self.coordinator_of(group)
        if self.told_partition_of is None:
            return coordinator
        partitions, place = self.topics[OFFSETS_TOPIC].partitions, self.told_partition_of(group)
        return (
            partitions[place].leader
            if type(place) is int and 0 <= place < len(partitions)
            else NO_LEADER
        )

    def offsets_partition_of(self, group: str) -> int:
        """The number of the partition of the offsets topic that holds the group."""
        return self._offsets_partition(group).index

    def transaction_coordinator_of(self, transactional_id: str) -> int:
        """The broker that coordinates a transactional id: the leader of its partition of
        `__transaction_state`; -1 while it has none. The first request creates the topic."""
        return self.transaction_partition(transactional_id).leader

    def place_transaction_coordinator(self, transactional_id: str, broker: int) -> None:
        """Let `broker` lead the partition that holds the transactional id; see
        place_coordinator."""
        self._place(self.transaction_partition(transactional_id), broker)

    def has_transactions(self, now_ms: int, creating_takes_ms: Callable[[], int]) -> bool:
        """Whether `__transaction_state` exists. The first request for a coordinator creates it,
        which takes that long."""
        if self._transactions_ready_ms is None:
            self._transactions_ready_ms = now_ms + creating_takes_ms()
        return now_ms >= self._transactions_ready_ms

    def transaction_partition(self, transactional_id: str) -> Partition:
        """The partition of `__transaction_state` that holds the id."""
        topic = self.topics.get(TRANSACTION_TOPIC) or self._create_internal_topic(
            TRANSACTION_TOPIC,
            self._transaction_partitions,
            self._transaction_replication_factor,
            self._transaction_min_isr,
        )
        return topic.partitions[coordinator_partition(transactional_id, len(topic.partitions))]

    def place_coordinator(self, group: str, broker: int) -> None:
        """Let `broker` lead the partition that holds `group`. The other groups on that partition
        move with it.

        It is meant for the start of a story: the leader epoch stays the same.
        """
        self._place(self._offsets_partition(group), broker)

    def _place(self, partition: Partition, broker: int) -> None:
        if broker not in self.brokers:
            raise IllegalArgumentException(
                f"there is no broker {broker}; brokers are {list(self.brokers)}"
            )
        ids = list(self.brokers)
        first = ids.index(broker)
        partition.leader = broker
        partition.replicas = partition.isr = tuple(
            ids[(first + step) % len(ids)] for step in range(len(partition.replicas))
        )
        self.changed(partition)

    def changed(self, partition: Partition) -> None:
        """Record that a partition's leader, epoch, replicas or in-sync replicas have changed, so
        cached answers are stale."""
        self.revision += 1
        self._check(partition)
        self._tell(
            "partition.changed",
            {"topic": partition.topic, "partition": partition.index, **partition_fields(partition)},
        )

    def _check(self, partition: Partition) -> None:
        """Check that the leader is in the ISR, the ISR is a subset of the replicas, and the leader
        epoch never falls."""
        key = self.topics[partition.topic].topic_id, partition.index
        name, epoch = f"{partition.topic}-{partition.index}", self._epochs.get(key, -1)
        check(
            set(partition.isr) <= set(partition.replicas),
            "{} are in sync for {}, and its replicas are {}",
            partition.isr,
            name,
            partition.replicas,
        )
        check(
            partition.leader in (NO_LEADER, *partition.isr),
            "broker {} leads {} and is not in sync: {}",
            partition.leader,
            name,
            partition.isr,
        )
        check(
            partition.leader_epoch >= epoch,
            "the leader epoch of {} falls from {} to {}",
            name,
            epoch,
            partition.leader_epoch,
        )
        self._epochs[key] = partition.leader_epoch

    def forget_places(self) -> None:
        """Clear the cache of coordinators' partitions, after this state was copied."""
        self._partition_of_group = {}

    def next_producer_id_block(self) -> range:
        """The next block of producer ids, as the controller hands it to a broker."""
        first = self._next_producer_id
        self._next_producer_id += PRODUCER_ID_BLOCK
        return range(first, first + PRODUCER_ID_BLOCK)

    def _offsets_partition(self, group: str) -> Partition:
        found = self._partition_of_group.get(group)
        if found is None:
            topic = self.topics.get(OFFSETS_TOPIC) or self._create_internal_topic(
                OFFSETS_TOPIC, self._offsets_partitions, self._offsets_replication_factor
            )
            found = topic.partitions[coordinator_partition(group, len(topic.partitions))]
            self._partition_of_group[group] = found
        return found

    def _create_internal_topic(
        self, name: str, partitions: int, replication_factor: int, min_isr: int = 1
    ) -> Topic:
        ids = list(self.brokers)
        # Kafka, too, assigns leaders in turn, beginning with a random broker
        first = self._rng.randrange(len(ids))
        leaders = [ids[(first + index) % len(ids)] for index in range(partitions)]
        # Kafka cannot create the topic with fewer brokers than replicas; here a lab of one broker
        # has groups, too.
        copies = min(replication_factor, len(ids))
        return self.create_topic(
            name,
            partitions,
            copies,
            leaders,
            config={"min.insync.replicas": str(min(min_isr, copies))}
            if min_isr > 1 and copies > 1
            else None,
        )


def partition_fields(partition: Partition) -> dict[str, Any]:
    """A partition's leader, epoch and replicas as fields of a journal event."""
    return {
        "leader": partition.leader,
        "leader_epoch": partition.leader_epoch,
        "replicas": list(partition.replicas),
        "isr": list(partition.isr),
        "elr": list(partition.elr),
        "last_known_elr": [] if partition.last_known == NO_LEADER else [partition.last_known],
    }
