"""How do brokers of different releases differ? One frozen profile a release, one field a behaviour.

Code asks a profile's field and never compares releases. What a *request's* version changes stands in `wire_changes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kafkalab.errors import Errors, IllegalArgumentException
from kafkalab.protocol.connection_messages import NO_OPERATIONS
from kafkalab.protocol.frozen import message

FIRST_GENERATION = "before the first generation"
FROM_EMPTY = "whenever the group was empty"


@message
class BrokerProfile:
    """One release of the broker.

    name: key into the table of `kafkalab.protocol.api_versions`.
    lists_in_scala_map_order: METADATA lists brokers and partitions in the order of Scala's LongMap (MetadataCache of
        the ZooKeeper era); a KRaft broker sorts them by number. Seen in every recorded answer.
    no_error_message: errorMessage of a FindCoordinator answer that carries no error.
    leaderless_error: METADATA's error for a partition whose leader is gone. Recorded: 72 on 2.3.1, 5 on 4.4.0.
    heartbeat_while_completing: answer to a HEARTBEAT between the end of the join phase and the leader's assignment.
        Heartbeats used to begin after the sync; clients that begin right after the join need NONE (KAFKA-10122).
    initial_delay_extends: when a member that joins meanwhile extends the initial delay: FIRST_GENERATION in the Scala
        coordinator, FROM_EMPTY in the coordinator rewritten for KIP-848.
    drops_members_without_sync: a member that joined but does not sync within the rebalance timeout is dropped (3.0,
        KAFKA-12890).
    expires_unsubscribed_topics: a group at work loses old offsets of topics nobody in it reads any more (KIP-496, 2.4).
    accepts_unknown_producer: a producer nobody remembers may begin with any sequence number (KIP-360, 2.5); before, it
        was told UNKNOWN_PRODUCER_ID.
    producer_ids_expire_apart: an idle producer's sequences are remembered for producer.id.expiration.ms, a day (3.4, KIP-854); before
        for transactional.id.expiration.ms, seven days.
    fetches_producer_ids_late: producer ids come in blocks from the controller and are asked for in the background, so
        a broker without a block answers its first INIT_PRODUCER_ID with COORDINATOR_LOAD_IN_PROGRESS (KIP-730).
    aborts_timed_out_every_ms: how often the transaction coordinator looks for transactions that took too long; a minute until
        2.4, ten seconds since (KAFKA-9144's release).
    fences_by_name: the transaction coordinator says PRODUCER_FENCED to who has been fenced, and keeps INVALID_PRODUCER_EPOCH for
        what a producer can mend by itself (KIP-588, 2.7).
    verifies_transactions: a partition's leader asks the coordinator before it takes a transaction's first batch (KIP-890, 3.6).
    transaction_version: the finalized level of that feature; from 2 on every transaction ends with a new epoch, and partitions
        and groups join it by being written to (KIP-890, 4.0).
    names_own_range: an ApiVersions request in an unknown version is refused together with the range of versions the
        broker does know (KIP-511, 2.4); before, with an empty list.
    hints_new_leader: errors about leadership name the new leader and its address (KIP-951, 3.7).
    forwards_to_controller: a broker passes an administrator's wishes on to the controller (KIP-590, 2.8); before, it sent
        the client there with NOT_CONTROLLER.
    replica_lag_time_max_ms: replica.lag.time.max.ms; thirty seconds since 2.5, ten before (KIP-537).
    asks_for_epochs: a follower asks where its last epoch ended before it fetches (KIP-101); since 2.7 the fetch itself
        carries the epoch, and the answer says where the logs part (KIP-595).
    watermark_waits_for_min_isr: the high watermark stands still while the ISR is smaller than min.insync.replicas (KIP-966).
    min_isr_is_effective: min.insync.replicas counts as no more than there are replicas.
    smallest_segment_bytes: the least that segment.bytes may be; a MiB since 4.0 (KIP-1030).
    stamps_delete_horizon: compaction notes in a batch until when its tombstones stay (KIP-534, 3.1); before, a segment's age counted.
    keyless_error: what a record without a key is told on a compacted topic (KIP-467, 2.5).
    operations_not_asked_for: authorized_operations of METADATA and DESCRIBE_GROUPS when nobody asks for them (KIP-430).
        Recorded: 0 on 2.3.1, the lowest int on 4.4.0.
    describes_assignment_twice: DESCRIBE_GROUPS gives a member's assignment in the place of its metadata as well.
        Recorded on 2.3.1.
    is_kraft: brokers beat to a controller quorum (KIP-500), which fences them; before, each holds a session of ZooKeeper.
    eligible_leader_replicas: a replica that leaves an ISR below min.insync.replicas may still be elected (KIP-966).
    shrink_raises_epoch: a replica that the controller takes out of the ISR raises the leader epoch (until 3.6, KAFKA-15021).
    noticed_late_ms: from the end of a broker's session to its loss being known everywhere, shortest and longest: ZooKeeper
        rounds sessions up to its tick, the quorum looks for stale brokers now and then. With the session's length and the
        age of the last sign of life this gives 4.9-6.4 s (2.3.1) and 7.5-9.8 s (4.4.0), as recorded.
    isr_change_ms: how long it takes to have an ISR confirmed (ZooKeeper's write; ALTER_PARTITION since 2.7, KIP-497).
    move_ms: how long the controller takes to elect and to make it known.
    starting_ms: from the start of the process to an open port, shortest and longest seen in recordings.
    unfenced_after_ms, catches_up_ms: from the open port until the controller lets the broker lead again, and from then until
        the broker itself has heard of it: until then it refuses what others already send to it. Seen in recordings: 42
        refused fetches in 0.22 s (2.3.1), 36 in 0.09 s (4.4.0).
    largest_session_timeout_ms: group.max.session.timeout.ms; five minutes until 2.2, thirty since 2.3 (KIP-389's release).
    finalized_features_epoch: what ApiVersions v3 and later reports (KIP-584); -1 where there are no features.
    """

    name: str
    lists_in_scala_map_order: bool
    no_error_message: str
    leaderless_error: Errors
    heartbeat_while_completing: Errors
    initial_delay_extends: str
    drops_members_without_sync: bool
    expires_unsubscribed_topics: bool
    accepts_unknown_producer: bool
    producer_ids_expire_apart: bool
    fetches_producer_ids_late: bool
    aborts_timed_out_every_ms: int
    fences_by_name: bool
    verifies_transactions: bool
    transaction_version: int
    names_own_range: bool
    hints_new_leader: bool
    forwards_to_controller: bool
    replica_lag_time_max_ms: int
    asks_for_epochs: bool
    watermark_waits_for_min_isr: bool
    min_isr_is_effective: bool
    smallest_segment_bytes: int
    stamps_delete_horizon: bool
    keyless_error: Errors
    operations_not_asked_for: int
    describes_assignment_twice: bool
    is_kraft: bool
    eligible_leader_replicas: bool
    shrink_raises_epoch: bool
    noticed_late_ms: tuple[int, int]
    isr_change_ms: int
    move_ms: int
    starting_ms: tuple[int, int]
    unfenced_after_ms: tuple[int, int]
    catches_up_ms: tuple[int, int]
    largest_session_timeout_ms: int
    finalized_features_epoch: int


BROKER_PROFILES: Mapping[str, BrokerProfile] = MappingProxyType({
    "2.3": BrokerProfile(
        name="2.3",
        lists_in_scala_map_order=True,
        no_error_message="NONE",
        leaderless_error=Errors.LISTENER_NOT_FOUND,
        heartbeat_while_completing=Errors.REBALANCE_IN_PROGRESS,
        initial_delay_extends=FIRST_GENERATION,
        drops_members_without_sync=False,
        expires_unsubscribed_topics=False,
        accepts_unknown_producer=False,
        producer_ids_expire_apart=False,
        fetches_producer_ids_late=False,
        aborts_timed_out_every_ms=60_000,
        fences_by_name=False,
        verifies_transactions=False,
        transaction_version=0,
        names_own_range=False,
        hints_new_leader=False,
        forwards_to_controller=False,
        replica_lag_time_max_ms=10_000,
        asks_for_epochs=True,
        watermark_waits_for_min_isr=False,
        min_isr_is_effective=False,
        smallest_segment_bytes=14,
        stamps_delete_horizon=False,
        keyless_error=Errors.CORRUPT_MESSAGE,
        operations_not_asked_for=0,
        describes_assignment_twice=True,
        is_kraft=False,
        eligible_leader_replicas=False,
        shrink_raises_epoch=True,
        noticed_late_ms=(0, 500),
        isr_change_ms=10,
        move_ms=20,
        starting_ms=(1_500, 2_600),
        unfenced_after_ms=(0, 0),
        catches_up_ms=(200, 700),
        largest_session_timeout_ms=1_800_000,
        finalized_features_epoch=-1,
    ),
    "4.4": BrokerProfile(
        name="4.4",
        lists_in_scala_map_order=False,
        no_error_message="",
        leaderless_error=Errors.LEADER_NOT_AVAILABLE,
        heartbeat_while_completing=Errors.NONE,
        initial_delay_extends=FROM_EMPTY,
        drops_members_without_sync=True,
        expires_unsubscribed_topics=True,
        accepts_unknown_producer=True,
        producer_ids_expire_apart=True,
        fetches_producer_ids_late=True,
        aborts_timed_out_every_ms=10_000,
        fences_by_name=True,
        verifies_transactions=True,
        transaction_version=2,
        names_own_range=True,
        hints_new_leader=True,
        forwards_to_controller=True,
        replica_lag_time_max_ms=30_000,
        asks_for_epochs=False,
        watermark_waits_for_min_isr=True,
        min_isr_is_effective=True,
        smallest_segment_bytes=1_048_576,
        stamps_delete_horizon=True,
        keyless_error=Errors.INVALID_RECORD,
        operations_not_asked_for=NO_OPERATIONS,
        describes_assignment_twice=False,
        is_kraft=True,
        eligible_leader_replicas=True,
        shrink_raises_epoch=False,
        noticed_late_ms=(0, 800),
        isr_change_ms=10,
        move_ms=20,
        starting_ms=(2_400, 4_900),
        unfenced_after_ms=(60, 150),
        catches_up_ms=(0, 20),
        largest_session_timeout_ms=1_800_000,
        finalized_features_epoch=500,
    ),
})


def broker_profile(release: str) -> BrokerProfile:
    """The profile of a broker release. ValueError with the known ones for any other."""
    try:
        return BROKER_PROFILES[release]
    except KeyError:
        raise IllegalArgumentException(f"no broker {release!r} here; there are {', '.join(BROKER_PROFILES)}") from None
