"""ReplicaManager: checks batches and appends them to a broker's replicas, reads them, and has high
watermarks moved.

Kafka's class is ReplicaManager. `replica_fetcher` copies a leader's records, `follower_sessions`
answers followers, and `delayed_produce` holds requests with acks=all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition
from kafkalab.broker.effects import (
    Appended,
    Caller,
    ChangeIsr,
    Effect,
    Grown,
    Note,
    SetTimer,
    TimerKey,
)
from kafkalab.broker.log.disk import DISK_FAILED, Disk
from kafkalab.broker.log.learners_verdict import Rule, learners_verdict
from kafkalab.broker.log.log_manager import LogManager
from kafkalab.broker.log.log_settings import LogSettings
from kafkalab.broker.log.partition_log import PartitionKey, PartitionLog
from kafkalab.broker.log.recompression import US_PER_MS, kept, work_on
from kafkalab.broker.log.topic_config import log_settings
from kafkalab.broker.replication.delayed_produce import DelayedProduces
from kafkalab.broker.replication.learners_completion import (
    CompletionRule,
    WaitingRequest,
    WatchedPartition,
    may_complete,
)
from kafkalab.broker.replication.learners_watermark import Rule as WatermarkRule
from kafkalab.broker.replication.replica import Replica, enough_in_sync, verdict_of_ack
from kafkalab.broker.server_log import ServerLog, silent_log
from kafkalab.broker.steps import Afterwards, Refusal, Step
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors, KafkaStorageException, error_for
from kafkalab.protocol import messages as m
from kafkalab.releases import BrokerProfile
from kafkalab.sim.invariants import SWITCH, check

ACKS = (0, 1, -1)
MAX_LONG = 2**63 - 1
TIMES_REFUSED = "One or more records have been rejected due to invalid timestamp"
LEADERSHIP_ERRORS = frozenset({Errors.NOT_LEADER_OR_FOLLOWER.code, Errors.FENCED_LEADER_EPOCH.code})
"""Errors whose answer names the present leader (KIP-951)."""


def append_note(
    topic: str, partition: int, stored: m.RecordBatch, control: str = "", **more: int
) -> Note:
    """What the journal keeps of a batch that a leader has appended, with `more` of its fields. Of a
    transaction's marker it keeps the name, `control`, and no record."""
    return Note.of(
        "record.appended",
        topic=topic,
        partition=partition,
        base_offset=stored.base_offset,
        last_offset=stored.last_offset,
        producer_id=stored.producer_id,
        producer_epoch=stored.producer_epoch,
        **more,
        size_bytes=stored.size_bytes,
        records=() if control else stored.records,
        **({"control": control} if control else {}),
    )


class ReplicaManager:
    """The replicas of one broker, and the requests on them (ReplicaManager).

    produces: the purgatory of acks=all. logs: retention and compaction. disk: the disk of the logs.
    tell_isr: hears which ISR a leader asks for (`role_lines`).
    watermark_rule: a learner's rule for the high watermark of partitions that are not internal.
    verdict_rule: a learner's rule for the batches of idempotent producers; None uses the release's
    own. draw: gives a random whole number below its argument, for segment.jitter.ms.
    server_log: the broker's log; None keeps no lines.
    """

    def __init__(
        self,
        node_id: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        config: BrokerConfig,
        draw: Callable[[int], int] = lambda limit: 0,
        server_log: ServerLog | None = None,
    ) -> None:
        self._say = silent_log(profile.name) if server_log is None else server_log
        self._draw = draw
        self.node_id = node_id
        self.produces = DelayedProduces(self._ack_verdict)
        self.completion_rule: CompletionRule | None = None
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._replicas: dict[PartitionKey, Replica] = {}
        self._lag_ms = config.replica_lag_time_max_ms
        self._behind: dict[PartitionKey, None] = {}
        self.tell_isr: Callable[[Replica, tuple[int, ...]], object] = lambda replica, isr: None
        self.disk = Disk()
        self.verdict_rule: Rule | None = None
        self.watermark_rule: WatermarkRule | None = None
        self.logs = LogManager(
            config, profile.stamps_delete_horizon, self._log, self.disk, self._say
        )

    @property
    def all(self) -> Iterable[Replica]:
        """Every replica that has been used so far."""
        return self._replicas.values()

    def replica(self, key: PartitionKey) -> Replica:
        """This broker's replica of a partition; an empty one begins where there is none. Raises
        KeyError for a partition that does not exist."""
        replica = self._replicas.get(key)
        if replica is None:
            partition = self._cluster.partition(*key)
            if partition is None:
                raise KeyError(f"there is no partition {key[0]}-{key[1]}")
            replica = self._replicas[key] = Replica(
                partition, PartitionLog(*key, self._settings_of(key[0]), self.disk, self._draw)
            )
        return replica

    def _settings_of(self, name: str) -> LogSettings:
        topic = self._cluster.topics[name]
        return log_settings(topic.setting, name if topic.is_internal else "", self._config)

    def topic_altered(self, name: str, now_ms: int, runs: bool) -> list[Effect]:
        """Let the topic's logs follow its new settings (LogManager.updateTopicConfig).

        runs: whether the process is alive; a dead one sets no timers.
        """
        effects: list[Effect] = []
        for key, replica in self._replicas.items():
            if key[0] == name:
                replica.log.segments.settings = self._settings_of(name)
                effects += self.logs.altered(key, now_ms) if runs else []
        return effects

    def found(self, key: PartitionKey) -> Replica | None:
        """This broker's replica; None where it has not been used."""
        return self._replicas.get(key)

    def _log(self, key: PartitionKey) -> PartitionLog | None:
        replica = self._replicas.get(key)
        return replica.log if replica is not None else None

    def name_of(self, topic: str, topic_id: str) -> str | None:
        """The topic's name from the name or the id of a request; None where the id is unknown."""
        return topic or self._cluster.name_of(topic_id)

    def id_of(self, topic: str) -> str:
        """A topic's id; the zero id where there is no such topic."""
        found = self._cluster.topics.get(topic)
        return found.topic_id if found else m.ZERO_UUID

    def led_replica(
        self, topic: str, index: int, current_leader_epoch: int = -1
    ) -> tuple[Replica | None, int]:
        """(replica, 0) where this broker leads the partition in that epoch, else (None, error
        code).

        current_leader_epoch: the epoch that the caller knows; -1 for no check (KIP-320).
        """
        replica = self._replicas.get((topic, index))
        if replica is None:
            partition = self._cluster.partition(topic, index)
            if partition is None:
                return None, Errors.UNKNOWN_TOPIC_OR_PARTITION.code
            if self.node_id not in partition.replicas:
                return None, Errors.NOT_LEADER_OR_FOLLOWER.code
            replica = self.replica((topic, index))
        partition = replica.partition
        if current_leader_epoch != -1 and current_leader_epoch != partition.leader_epoch:
            fenced = current_leader_epoch < partition.leader_epoch
            return None, (
                Errors.FENCED_LEADER_EPOCH if fenced else Errors.UNKNOWN_LEADER_EPOCH
            ).code
        if partition.leader != self.node_id:
            return None, Errors.NOT_LEADER_OR_FOLLOWER.code
        self._lead_unused(replica)
        return replica, 0

    def led(self, topic: str, index: int) -> Replica:
        """The replica of a partition that this broker leads."""
        replica, error = self.led_replica(topic, index)
        if replica is None:
            raise Refusal(error_for(error))
        return replica

    def readable_replica(
        self, topic: str, index: int, current_leader_epoch: int = -1
    ) -> tuple[Replica | None, int]:
        """As `led_replica`, but a follower's replica will do (Partition.localLogWithEpochOrThrow
        without requireLeader, KIP-392)."""
        replica, error = self.led_replica(topic, index, current_leader_epoch)
        if replica is not None or error != Errors.NOT_LEADER_OR_FOLLOWER.code:
            return replica, error
        partition = self._cluster.partition(topic, index)
        if partition is None or self.node_id not in partition.replicas:
            return None, error
        return self.replica((topic, index)), 0

    def preferred_replica(self, replica: Replica, rack: str, offset: int) -> int:
        """The follower that a consumer in this rack should read from `offset` on; -1 for the leader
        (ReplicaManager.findPreferredReadReplica, RackAwareReplicaSelector).

        It is a live in-sync follower in the rack that has the offset: the one with the most
        records, then the one that was caught up last, then the one with the highest id. A leader in
        the rack comes first. Rounds of followers without news do not count here as caught up.
        """
        racks = {id: self._cluster.brokers[id].rack for id in replica.partition.replicas}
        if not rack or racks[self.node_id] == rack:
            return NO_LEADER
        near = [
            (follower.log_end_offset, follower.caught_up_ms, id)
            for id, follower in replica.followers.items()
            if racks[id] == rack
            and self._cluster.alive[id]
            and id in replica.partition.isr
            and replica.log.log_start_offset <= offset <= follower.log_end_offset
        ]
        return max(near)[2] if near else NO_LEADER

    def log_of(self, topic: str, index: int) -> PartitionLog | None:
        """This broker's log of the partition, as leader or follower; None where it has none."""
        replica = self._replicas.get((topic, index))
        return None if replica is None else replica.log

    def ends_to_tell(self, topic: str, index: int) -> Note | None:
        """The start and end of this broker's replica, for the journal; None where the journal has
        them already."""
        replica = self._replicas.get((topic, index))
        if replica is None:
            return None
        log = replica.log
        if not replica.knows_watermark:
            return None
        ends = (
            log.log_start_offset,
            log.log_end_offset,
            log.high_watermark,
            log.last_stable_offset,
        )
        if SWITCH.is_on:
            name, start, end, high, stable = f"{topic}-{index}", *ends
            check(
                high <= end,
                "the high watermark of {} is {} and its log ends at {}",
                name,
                high,
                end,
            )
            check(
                stable <= high,
                "the last stable offset of {} is {} and its high watermark {}",
                name,
                stable,
                high,
            )
            check(
                start <= stable,
                "the log of {} starts at {} and its last stable offset is {}",
                name,
                start,
                stable,
            )
        if ends == replica.journalled_ends:
            return None
        replica.journalled_ends = ends
        return Note.of(
            "log.ends",
            topic=topic,
            partition=index,
            log_start_offset=ends[0],
            log_end_offset=ends[1],
            high_watermark=ends[2],
            last_stable_offset=ends[3],
            size_bytes=log.size_bytes,
        )

    def forget(self, topic: str) -> list[int]:
        """Delete the replicas of a deleted topic; returns their partitions."""
        gone = [index for name, index in self._replicas if name == topic]
        for index in gone:
            del self._replicas[topic, index]
            self._behind.pop((topic, index), None)
        return gone

    def leader_hint(self, topic: str, index: int) -> m.LeaderIdAndEpoch:
        """The present leader and leader epoch (KIP-951)."""
        partition = self._cluster.partition(topic, index)
        assert partition is not None, "only a partition that exists has a leader to name"
        return m.LeaderIdAndEpoch(leader_id=partition.leader, leader_epoch=partition.leader_epoch)

    def endpoint_of(self, broker: int) -> m.NodeEndpoint:
        """The address of the leader that the answer names (KIP-951)."""
        node = self._cluster.brokers[broker]
        return m.NodeEndpoint(node_id=node.id, host=node.host, port=node.port, rack=node.rack)

    # -- PRODUCE

    def produce(
        self,
        request: m.ProduceRequest,
        caller: Caller,
        now_ms: int,
        refused: Mapping[tuple[str, int], Errors] = MappingProxyType({}),
    ) -> Step[m.ProduceResponse | None]:
        """Append every batch to its partition; each partition has its own verdict.

        refused: partitions that the coordinator does not find in the transaction
        (`transaction_verification`).
        """
        by_id = WireChange.PRODUCE_BY_TOPIC_ID.holds_for(caller.header)
        names_records = WireChange.PRODUCE_NAMES_RECORDS.holds_for(caller.header)
        hints = self._profile.hints_new_leader and WireChange.PRODUCE_HINTS_LEADER.holds_for(
            caller.header
        )
        headings, endpoints = [], {}
        answers: dict[PartitionKey, m.PartitionProduceResponse] = {}
        required: dict[PartitionKey, int] = {}
        for data in request.topic_data:
            topic = self.name_of(data.name, data.topic_id)
            keys = []
            for part in data.partition_data:
                if request.acks not in ACKS:
                    answer = _refused(part.index, Errors.INVALID_REQUIRED_ACKS.code)
                elif topic is None:
                    answer = _refused(part.index, Errors.UNKNOWN_TOPIC_ID.code)
                elif (topic, part.index) in refused:
                    answer = _refused(part.index, refused[topic, part.index].code)
                    for batch in part.records:
                        why = refused[topic, part.index].name
                        yield _not_appended(topic, part.index, batch, why, -1)
                else:
                    answer = yield from self._append(topic, part, request.acks, now_ms)
                    if answer.record_errors and not names_records:
                        answer = replace(answer, record_errors=(), error_message=None)
                    if request.acks == -1 and answer.base_offset >= 0:
                        required[topic, part.index] = answer.base_offset + len(
                            part.records[-1].records
                        )
                    if hints and answer.error_code in LEADERSHIP_ERRORS:
                        hint = self.leader_hint(topic, part.index)
                        answer = _refused(part.index, answer.error_code, hint)
                        if hint.leader_id >= 0:
                            endpoints[hint.leader_id] = self.endpoint_of(hint.leader_id)
                keys.append((topic or data.topic_id, part.index))
                answers[keys[-1]] = answer
            headings.append(
                (
                    "" if by_id else topic or "",
                    self._id_to_answer(data) if by_id else m.ZERO_UUID,
                    keys,
                )
            )

        deadline_ms = now_ms + request.timeout_ms
        final = yield self.produces.until(required, answers, deadline_ms, caller)
        if request.acks == 0:
            return None
        return m.ProduceResponse(
            node_endpoints=tuple(endpoints.values()),
            responses=tuple(
                m.TopicProduceResponse(
                    name=name,
                    topic_id=topic_id,
                    partition_responses=tuple(final[key] for key in keys),
                )
                for name, topic_id, keys in headings
            ),
        )

    def _id_to_answer(self, data: m.TopicProduceData) -> str:
        """The topic id of the request; where it has a name only, the id of that topic."""
        return data.topic_id if data.topic_id != m.ZERO_UUID else self.id_of(data.name)

    def _append(
        self, topic: str, data: m.ProducePartitionData, acks: int, now_ms: int
    ) -> Step[m.PartitionProduceResponse]:
        replica, error = self.led_replica(topic, data.index)
        if replica is None:
            return _refused(data.index, error)
        if acks == -1 and not self.has_enough_in_sync(replica):
            return _refused(
                data.index, Errors.NOT_ENOUGH_REPLICAS.code, log_start=replica.log.log_start_offset
            )
        replica.log.producers.forget_idle(
            now_ms,
            self._config.producer_id_expiration_ms
            if self._profile.producer_ids_expire_apart
            else self._config.transactional_id_expiration_ms,
            self._config.producer_id_expiration_check_interval_ms,
        )
        base_offset, has_grown = -1, False
        settings, wanted = replica.log.segments.settings, self._compression_type(topic)
        for batch in data.records:
            as_kept = kept(wanted, batch)
            if max(batch.size_bytes, as_kept.size_bytes) > settings.message_max_bytes:
                return _refused(data.index, Errors.MESSAGE_TOO_LARGE.code)
            if settings.is_compacted and any(record.key is None for record in batch.records):
                return _refused(data.index, self._profile.keyless_error.code)
            broker_time_ms = self.logs.epoch_ms + now_ms
            if settings.stamps_at_append:
                as_kept = stamped(as_kept, broker_time_ms)
            elif ahead := times_ahead(batch, broker_time_ms, self._profile.timestamp_ahead_max_ms):
                return replace(
                    _refused(
                        data.index,
                        Errors.INVALID_TIMESTAMP.code,
                        log_start=replica.log.log_start_offset,
                    ),
                    record_errors=ahead,
                    error_message=TIMES_REFUSED,
                )
            verdict = (
                replica.log.producers.judge(
                    batch, accepts_unknown=self._profile.accepts_unknown_producer
                )
                if self.verdict_rule is None
                else learners_verdict(self.verdict_rule, replica.log.producers, batch)
            )
            if verdict.error is not Errors.NONE:
                if verdict.error is Errors.INVALID_PRODUCER_EPOCH and self.verdict_rule is None:
                    self._say_fenced(replica, batch)
                yield _not_appended(topic, data.index, batch, verdict.error.name, -1)
                return _refused(
                    data.index, verdict.error.code, log_start=replica.log.log_start_offset
                )
            # a retry of a batch that is in the log: the same answer, nothing appended
            if verdict.duplicate_of is not None:
                base_offset = verdict.duplicate_of.base_offset
                yield _not_appended(topic, data.index, batch, "DUPLICATE", base_offset)
                continue
            try:
                stored = replica.log.append(as_kept, replica.partition.leader_epoch, now_ms)
            except KafkaStorageException:
                yield Afterwards([DISK_FAILED])
                return _refused(data.index, Errors.KAFKA_STORAGE_ERROR.code)
            for work in work_on(wanted, batch, as_kept):
                yield Note.of(
                    "cpu",
                    partition=f"{topic}-{data.index}",
                    work=work.work,
                    codec=work.codec,
                    bytes_in=work.bytes_in,
                    bytes_out=work.bytes_out,
                    cpu_us=work.cpu_us,
                )
            base_offset, has_grown = stored.base_offset, True
            yield append_note(topic, data.index, stored, base_sequence=stored.base_sequence)
        if has_grown:
            # the journal keeps what the append did before the answer to it
            for effect in self.appended(replica, now_ms):
                yield effect if type(effect) is Note else Afterwards([effect])
        return m.PartitionProduceResponse(
            index=data.index, base_offset=base_offset, log_start_offset=replica.log.log_start_offset
        )

    def _say_fenced(self, replica: Replica, batch: m.RecordBatch) -> None:
        """Write that a producer with an old epoch was refused, with Java's exception below."""
        known = replica.log.producers.entries[batch.producer_id]
        name = f"{replica.partition.topic}-{replica.partition.index}"
        self._say(
            "APPEND_FAILED",
            partition=name,
            trace="org.apache.kafka.common.errors.ProducerFencedException: Producer's epoch at "
            f"offset {replica.log.log_end_offset} is no longer valid in partition {name}: "
            f"{batch.producer_epoch} (request epoch), {known.epoch} (current epoch)",
        )

    def _compression_type(self, topic: str) -> str:
        wanted: str = self._cluster.topics[topic].setting(
            "compression.type", self._config.compression_type
        )
        return wanted

    def work_ms(self, request: m.ProduceRequest) -> int:
        """The CPU time for the request's compressed batches, in whole milliseconds, rounded
        down."""
        spent_us = 0
        for data in request.topic_data:
            topic = self.name_of(data.name, data.topic_id)
            if topic in self._cluster.topics:
                wanted = self._compression_type(topic)
                spent_us += sum(
                    work.cpu_us
                    for part in data.partition_data
                    for batch in part.records
                    for work in work_on(wanted, batch, batch)
                )
        return spent_us // US_PER_MS

    def append_marker(
        self, topic: str, index: int, marker: m.RecordBatch, now_ms: int
    ) -> Step[None]:
        """End a producer's transaction on a partition this broker leads
        (ReplicaManager.appendRecords, from the coordinator)."""
        assert marker.control is not None, "a marker is a control batch"
        replica = self.led(topic, index)
        verdict = replica.log.producers.judge_marker(marker)
        if verdict is not Errors.NONE:
            raise Refusal(verdict)
        try:
            stored = replica.log.append(marker, replica.partition.leader_epoch, now_ms)
        except KafkaStorageException:
            yield DISK_FAILED
            raise Refusal(Errors.KAFKA_STORAGE_ERROR) from None
        yield append_note(topic, index, stored, marker.control.name)
        yield from self.appended(replica, now_ms)

    # -- high watermark and ISR

    def appended(self, replica: Replica, now_ms: int) -> list[Effect]:
        """The effects of an append at the leader: followers can fetch it, and readers up to the
        high watermark."""
        key = replica.partition.topic, replica.partition.index
        effects = self._watermark(replica, now_ms) + self.logs.grown(key, now_ms)
        if not replica.is_alone:
            effects.append(Grown(*key))
            if key not in self._behind:
                effects += self._watch(key, now_ms)
        return effects

    def follower_fetched(
        self, replica: Replica, follower: int, offset: int, now_ms: int
    ) -> list[Effect]:
        """A follower has all records before `offset`: move the high watermark, and let the follower
        join the ISR if it can."""
        known = replica.followers.get(follower)
        if known is None:
            return []
        known.fetched(offset, replica.log.log_end_offset, now_ms)
        effects: list[Effect] = []
        if self._cluster.may_join_isr(follower) and replica.may_join(follower):
            effects += self._ask_for(
                replica,
                tuple(
                    id
                    for id in replica.partition.replicas
                    if id == follower or id in replica.partition.isr
                ),
            )
        return effects + self._watermark(replica, now_ms)

    def isr_changed(self, replica: Replica, now_ms: int) -> list[Effect]:
        """The controller has confirmed another ISR of a partition that this broker still leads, or
        a replica is back.

        A follower without records to fetch sends no event here, so it is checked now whether it may
        join.
        """
        self._lead_unused(replica)
        replica.isr_wanted = None
        for id, follower in replica.followers.items():
            # the high watermark does not wait for a broker that may be down
            if id not in replica.partition.isr:
                follower.caught_up_ms = min(follower.caught_up_ms, now_ms - self._lag_ms - 1)
        key = replica.partition.topic, replica.partition.index
        return (
            self.reconsider(replica)
            + self._watermark(replica, now_ms)
            + self.produces.look_again(key)
        )

    def wish_refused(self, replica: Replica, now_ms: int) -> list[Effect]:
        """The controller has refused the requested ISR: its new member does not hold back the high
        watermark any more."""
        replica.isr_wanted = None
        return self._watermark(replica, now_ms) + self.produces.look_again(
            (replica.partition.topic, replica.partition.index)
        )

    def reconsider(self, replica: Replica) -> list[Effect]:
        """Ask the controller to admit followers that are ready for the ISR.

        A follower with all records has its fetch parked here; in Kafka each of its rounds checks
        this. A follower that lacks records will fetch."""
        ready = [
            id
            for id, follower in replica.followers.items()
            if self._cluster.may_join_isr(id)
            and follower.log_end_offset == replica.log.log_end_offset
            and replica.may_join(id)
        ]
        if not ready:
            return []
        return self._ask_for(
            replica,
            tuple(
                id
                for id in replica.partition.replicas
                if id in ready or id in replica.partition.isr
            ),
        )

    def check_laggards(self, now_ms: int) -> list[Effect]:
        """Remove followers from the ISR that have been behind for too long (maybeShrinkIsr).

        It runs every half of replica.lag.time.max.ms, while a follower may be behind."""
        effects: list[Effect] = []
        for key in list(self._behind):
            replica = self._replicas[key]
            if replica.partition.leader != self.node_id or all(
                follower.log_end_offset == replica.log.log_end_offset
                for id, follower in replica.followers.items()
                if id in replica.partition.isr
            ):
                del self._behind[key]
                continue
            gone = replica.laggards(now_ms, self._lag_ms)
            if gone and replica.isr_wanted is None:
                effects += self._ask_for(
                    replica, tuple(id for id in replica.partition.isr if id not in gone)
                )
        if self._behind:
            effects.append(SetTimer(("isr",), now_ms + self._lag_ms // 2))
        return effects

    def roles_changed(self, replica: Replica, now_ms: int) -> list[Effect]:
        """Take the role that a new leader or leader epoch gives this broker
        (becomeLeaderOrFollower)."""
        key = replica.partition.topic, replica.partition.index
        if replica.partition.leader == self.node_id:
            replica.lead(now_ms)
            self._behind[key] = None
            effects: list[Effect] = (
                [SetTimer(("isr",), now_ms + self._lag_ms // 2)] if replica.followers else []
            )
            effects += self._watermark(replica, now_ms)
            ends = self.ends_to_tell(*key)
            if ends is not None:
                effects.append(ends)
        else:
            replica.follow()
            # parked fetches are answered with the error that names the new leader
            effects = [Appended(*key)]
        return effects + self.produces.look_again(key)

    def process_died(self) -> None:
        """Drop the state of followers and the waiting produces: the process has died. Logs are on
        the disk."""
        self.produces.forget()
        self.logs.forget()
        self._behind.clear()
        for replica in self._replicas.values():
            replica.follow()

    def flush(self) -> None:
        """Flush every log, as in an orderly stop (LogManager.shutdown)."""
        for replica in self._replicas.values():
            replica.log.flush()

    def lose_power(self, now_ms: int) -> list[Effect]:
        """Drop the records that were not on the disk: the machine has lost power."""
        notes: list[Effect] = []
        for (topic, index), replica in self._replicas.items():
            before = replica.log.log_end_offset
            if replica.log.lose_power(now_ms):
                notes.append(
                    Note.of(
                        "replica.truncated",
                        topic=topic,
                        partition=index,
                        leader=NO_LEADER,
                        from_offset=before,
                        log_end_offset=replica.log.log_end_offset,
                    )
                )
        return notes

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        if key[0] == "checkpoint":
            return self.disk.checkpoint(bool(self._replicas))
        if key[0] in ("retention", "cleaner"):
            return self.logs.on_timer(key, now_ms)
        return (
            self.check_laggards(now_ms) if key[0] == "isr" else self.produces.on_timer(key, now_ms)
        )

    def _lead_unused(self, replica: Replica) -> None:
        # the simulator makes a replica at its first use; in Kafka it leads from the creation on
        if replica.led_epoch != replica.partition.leader_epoch:
            replica.lead(replica.partition.since_ms)

    def _watermark(self, replica: Replica, now_ms: int) -> list[Effect]:
        waits_for = self._min_isr(replica) if self._profile.watermark_waits_for_min_isr else 0
        topic = self._cluster.topics[replica.partition.topic]
        rule = None if topic.is_internal else self.watermark_rule
        if not replica.advance(now_ms, self._lag_ms, self._cluster.may_join_isr, waits_for, rule):
            return []
        key = replica.partition.topic, replica.partition.index
        return [*self.produces.look_again(key), Appended(*key)]

    def _watch(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """Set the timer of check_laggards to its next period, counted from the broker's start."""
        begins = not self._behind
        self._behind[key] = None
        half_ms = self._lag_ms // 2
        return [SetTimer(("isr",), (now_ms // half_ms + 1) * half_ms)] if begins else []

    def _ask_for(self, replica: Replica, isr: tuple[int, ...]) -> list[Effect]:
        replica.isr_wanted = isr
        self.tell_isr(replica, isr)
        return [ChangeIsr(replica.partition.topic, replica.partition.index, isr)]

    def has_enough_in_sync(self, replica: Replica) -> bool:
        """Whether records with acks=all may be appended (min.insync.replicas)."""
        return enough_in_sync(replica.partition.isr, self._min_isr(replica))

    def _min_isr(self, replica: Replica) -> int:
        return self.min_isr_of(replica.partition)

    def min_isr_of(self, partition: Partition) -> int:
        """How many replicas have to be in sync for acks=all (min.insync.replicas)."""
        wanted: int = self._cluster.topics[partition.topic].setting(
            "min.insync.replicas", self._config.min_insync_replicas
        )
        return (
            min(wanted, len(partition.replicas)) if self._profile.min_isr_is_effective else wanted
        )

    def complete_by(self, rule: CompletionRule) -> None:
        """Let a rule of a learner decide which waiting PRODUCE and FETCH may be completed."""
        self.completion_rule = rule
        self.produces.rule = self._may_acknowledge

    def _may_acknowledge(self, required: Mapping[PartitionKey, int]) -> bool:
        assert self.completion_rule is not None, "the produces ask only where there is a rule"
        state = {}
        for key in required:
            replica, _error = self.led_replica(*key)
            state[place_of(key)] = (
                WatchedPartition(is_leader=False)
                if replica is None
                else WatchedPartition(True, replica.log.log_end_offset, replica.log.high_watermark)
            )
        needs = {place_of(key): offset for key, offset in required.items()}
        return may_complete(self.completion_rule, WaitingRequest("PRODUCE", needs), state)

    def _ack_verdict(self, key: PartitionKey, required: int) -> Errors | None:
        replica, _error = self.led_replica(*key)
        if replica is None:
            return Errors.NOT_LEADER_OR_FOLLOWER
        return verdict_of_ack(
            replica.log.high_watermark, required, len(replica.partition.isr), self._min_isr(replica)
        )


def place_of(key: PartitionKey) -> str:
    """A partition's name for a learner, "orders-0"."""
    return f"{key[0]}-{key[1]}"


def times_ahead(
    batch: m.RecordBatch, now_ms: int, ahead_ms: int
) -> tuple[m.BatchIndexAndErrorMessage, ...]:
    """The records of a batch whose times are later than this, with the words about each
    (LogValidator.checkRecordTimestamp)."""
    last_ms = now_ms + ahead_ms
    return tuple(
        m.BatchIndexAndErrorMessage(
            batch_index=index,
            batch_index_error_message=(
                f"Timestamp {record.timestamp_ms} of message with offset {index} is out of range. "
                f"The timestamp should be within [{now_ms - MAX_LONG}, {last_ms}]"
            ),
        )
        for index, record in enumerate(batch.records)
        if record.timestamp_ms > last_ms
    )


def stamped(batch: m.RecordBatch, timestamp_ms: int) -> m.RecordBatch:
    """The batch with the broker's time instead of the producer's
    (message.timestamp.type=LogAppendTime)."""
    return replace(
        batch, records=tuple(replace(record, timestamp_ms=timestamp_ms) for record in batch.records)
    )


def _not_appended(
    topic: str, index: int, batch: m.RecordBatch, why: str, duplicate_of: int
) -> Note:
    """The note of a batch that reached its leader and was not written. why: DUPLICATE, with the
    batch's offset, or the error's name."""
    return Note.of(
        "batch.not.appended",
        topic=topic,
        partition=index,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=batch.base_sequence,
        records=batch.records,
        why=why,
        duplicate_of=duplicate_of,
    )


def _refused(
    index: int, error: int, hint: m.LeaderIdAndEpoch = m.LeaderIdAndEpoch(), log_start: int = -1
) -> m.PartitionProduceResponse:
    """The answer for a refused partition.

    log_start: given where the log refused. A producer before 2.5 compares it with its last written
    offset (UNKNOWN_PRODUCER_ID)."""
    return m.PartitionProduceResponse(
        index=index, error_code=error, log_start_offset=log_start, current_leader=hint
    )
