"""Controller: watches the brokers' sessions, elects leaders, and writes the in-sync replicas
that leaders ask for.

Kafka's classes are KafkaController with its state machines (ZooKeeper) and QuorumController with
ReplicationControlManager (KRaft). The machine works on the ClusterState. Its inputs are brokers
that fall silent or come back, and leaders that ask for another ISR; it changes the state and
returns the partitions that it changed. Heartbeats are no events: the time of the last one is
computed from the broker's phase. Left out: reassignment, and a failure of the controller; the
quorum and ZooKeeper are always available.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.broker_control_state import MOVES, BrokerControlState
from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition
from kafkalab.broker.cluster.elections import (
    Election,
    controlled_shutdown_election,
    eligible_election,
    offline_election,
    preferred_election,
)
from kafkalab.broker.effects import CancelTimer, Effect, Note, SetTimer, TimerKey
from kafkalab.broker.steps import Refusal
from kafkalab.errors import Errors
from kafkalab.releases import BrokerProfile

UNFENCED, FENCED, STOPPING = BrokerControlState
ITS_SESSION_ENDED, IT_STOPPED = "its session ended", "it stopped"
STARTED_ANEW = "it started anew"
"""Why a broker is gone: for a moment only, where its new process came before its old session
ended."""


class PartitionChange(NamedTuple):
    """A changed partition, with its leader and leader epoch from before.

    is_reminder: nothing has changed, but its leader may ask for an ISR again.
    """

    partition: Partition
    leader_before: int
    epoch_before: int
    is_reminder: bool = False


class Controller:
    """The cluster's controller (ReplicationControlManager).

    draw_ms: draw_ms(broker, what, lowest, highest) draws from that broker's random stream. changes:
    the changes since the last take_changes().
    """

    def __init__(
        self,
        profile: BrokerProfile,
        config: BrokerConfig,
        cluster: ClusterState,
        draw_ms: Callable[[int, str, int, int], int],
    ) -> None:
        self.states = dict.fromkeys(cluster.brokers, UNFENCED)
        self.changes: list[PartitionChange] = []
        self._profile, self._config, self._cluster = profile, config, cluster
        self._draw_ms = draw_ms
        self._unclean: set[int] = set()
        self._old_sessions: set[int] = set()
        self._session_ms = (
            config.broker_session_timeout_ms
            if profile.is_kraft
            else config.zookeeper_session_timeout_ms
        )
        # ZooKeeper's client sends at least one message in each third of its session; a KRaft broker
        # sends a heartbeat at its interval
        self._beat_ms = (
            config.broker_heartbeat_interval_ms if profile.is_kraft else self._session_ms // 3
        )

    def take_changes(self) -> list[PartitionChange]:
        changes, self.changes = self.changes, []
        return changes

    # -- heartbeats and sessions

    def silent(self, broker: int, now_ms: int) -> list[Effect]:
        """A broker has fallen silent: its session ends that long after its last heartbeat."""
        if self.states[broker] is FENCED:
            return []
        phase_ms = self._draw_ms(broker, "heartbeats", 0, self._beat_ms - 1)
        last_ms = now_ms - (now_ms - phase_ms) % self._beat_ms
        late_ms = self._draw_ms(broker, "session", *self._profile.noticed_late_ms)
        return [
            SetTimer(
                ("session", broker), last_ms + self._session_ms + late_ms + self._profile.move_ms
            )
        ]

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        if key[0] == "rebalance":
            return self._rebalance(now_ms)
        self._old_sessions.discard(key[1])
        return self.gone(key[1], now_ms, ITS_SESSION_ENDED)

    def resumed(self, broker: int, now_ms: int) -> list[Effect]:
        """A silent broker sends heartbeats again; its process is the same as before."""
        if self.states[broker] is FENCED:
            return self._unfence(broker, now_ms)
        return [CancelTimer(("session", broker))]

    def gone(self, broker: int, now_ms: int, why: str) -> list[Effect]:
        """A broker has left the cluster: other replicas lead its partitions."""
        if self.states[broker] is FENCED:
            return []
        self._move(broker, FENCED)
        self._cluster.set_alive(broker, False)
        if self._cluster.controller_id == broker and any(self._cluster.alive.values()):
            self._cluster.controller_id = next(id for id, up in self._cluster.alive.items() if up)
        effects: list[Effect] = [
            CancelTimer(("session", broker)),
            Note.of("broker.fenced", broker=broker, why=why),
        ]
        for partition in self._partitions():
            if partition.leader == broker or broker in partition.isr:
                effects += self._without(partition, broker)
        return effects + self._arm_rebalance(now_ms)

    def stopped(self, broker: int, now_ms: int) -> list[Effect]:
        """A broker has ended in the orderly way. ZooKeeper's session is closed with it.

        A KRaft controller fences the broker at once, and has still heard of it a moment ago: the
        heartbeat that let it stop. So its old session ends broker.session.timeout.ms later, and no
        new process may register before (recorded with 4.4.0: refused 9.0 to 10.1 s).
        """
        if self.states[broker] is FENCED:
            return []
        effects = self.gone(broker, now_ms, IT_STOPPED)
        if self._profile.is_kraft:
            self._old_sessions.add(broker)
            late_ms = self._draw_ms(broker, "old session", *self._profile.noticed_late_ms)
            effects.append(SetTimer(("session", broker), now_ms + self._session_ms + late_ms))
        return effects

    def registered(self, broker: int, clean: bool, now_ms: int) -> list[Effect]:
        """A broker's process has started. When its old session has not ended yet, it counts as gone
        first (KIP-380)."""
        effects = (
            self.gone(broker, now_ms, STARTED_ANEW) if self.states[broker] is not FENCED else []
        )
        # it may have lost records, so it is no longer eligible (KIP-966)
        if not clean and self._profile.eligible_leader_replicas:
            for partition in self._partitions():
                if broker in partition.elr:
                    effects += self._apply(
                        partition, self._eligible(partition, partition.isr, {broker})
                    )
        return effects + self._unfence(broker, now_ms)

    def may_register(self, broker: int) -> bool:
        """Whether a process may register under this id. KRaft refuses it until the old session has
        ended (DUPLICATE_BROKER_REGISTRATION)."""
        is_gone = self.states[broker] is FENCED and not self.has_old_session(broker)
        return not self._profile.is_kraft or is_gone

    def has_old_session(self, broker: int) -> bool:
        """Whether a broker has stopped in the orderly way and its session has not ended yet."""
        return broker in self._old_sessions

    # -- controlled shutdown

    def shuts_down(self, broker: int, now_ms: int) -> list[Effect]:
        """Start a controlled shutdown: the broker's leaderships move to other replicas in sync,
        where there are any."""
        if self.states[broker] is not UNFENCED:
            return []
        self._move(broker, STOPPING)
        effects: list[Effect] = []
        live = self._live()
        stopping = [id for id, state in self.states.items() if state is STOPPING]
        for partition in self._partitions():
            if partition.leader == broker and len(partition.replicas) > 1:
                if self._profile.eligible_leader_replicas:
                    election = self._eligible(
                        partition, tuple(id for id in partition.isr if id != broker)
                    )
                else:
                    election = controlled_shutdown_election(
                        partition.replicas, partition.isr, live, stopping
                    )
                if election.leader != NO_LEADER:
                    effects += self._apply(partition, election)
            elif broker in partition.isr and len(partition.isr) > 1:
                effects += self._without(partition, broker)
        return effects + self._arm_rebalance(now_ms)

    # -- requests of leaders

    def alter_isr(
        self, leader: int, leader_epoch: int, topic: str, index: int, isr: tuple[int, ...]
    ) -> list[Effect]:
        """Change the ISR as its leader asks (ALTER_PARTITION). A stale epoch is refused, and so is
        a member that is not registered."""
        partition = self._cluster.partition(topic, index)
        if (
            partition is None
            or partition.leader != leader
            or partition.leader_epoch != leader_epoch
        ):
            return []
        isr = tuple(id for id in isr if self.states[id] is UNFENCED or id == leader)
        if self._profile.eligible_leader_replicas:
            return self._apply(partition, self._eligible(partition, isr))
        return self._apply(partition, Election(leader, isr))

    # -- inside

    def _partitions(self) -> Iterable[Partition]:
        for topic in self._cluster.topics.values():
            yield from topic.partitions

    def _live(self) -> list[int]:
        return [id for id, state in self.states.items() if state in (UNFENCED, STOPPING)]

    def _is_unclean(self, partition: Partition) -> bool:
        allowed: bool = self._cluster.topics[partition.topic].setting(
            "unclean.leader.election.enable", self._config.unclean_leader_election_enable
        )
        return allowed

    def _without(self, partition: Partition, broker: int) -> list[Effect]:
        """Take a broker out of leadership and ISR."""
        isr = tuple(id for id in partition.isr if id != broker)
        if self._profile.eligible_leader_replicas:
            return self._apply(partition, self._eligible(partition, isr))
        if partition.leader == broker:
            election = offline_election(
                partition.replicas, partition.isr, self._live(), self._is_unclean(partition)
            )
            return self._apply(partition, election)
        if len(partition.isr) > 1:
            return self._apply(partition, Election(partition.leader, isr), by_controller=True)
        return []

    def _eligible(
        self, partition: Partition, isr: tuple[int, ...], unclean_shutdown: Iterable[int] = ()
    ) -> Election:
        before = Election(
            partition.leader, partition.isr, elr=partition.elr, last_known=partition.last_known
        )
        wanted = self._cluster.topics[partition.topic].setting(
            "min.insync.replicas", self._config.min_insync_replicas
        )
        return eligible_election(
            partition.replicas,
            before,
            isr,
            [id for id, state in self.states.items() if state is UNFENCED],
            min(wanted, len(partition.replicas)),
            self._is_unclean(partition),
            tuple(unclean_shutdown),
        )

    def _apply(
        self, partition: Partition, election: Election, by_controller: bool = False
    ) -> list[Effect]:
        """Write an election's result into the partition's state, where it differs."""
        before = partition.leader, partition.leader_epoch
        isr, elr, last_known = election.isr, election.elr, election.last_known
        if (election.leader, isr, elr, last_known) == (
            partition.leader,
            partition.isr,
            partition.elr,
            partition.last_known,
        ):
            return []
        if election.leader != partition.leader or (
            by_controller and self._profile.shrink_raises_epoch
        ):
            partition.leader_epoch += 1
        isr_before = partition.isr
        partition.partition_epoch += 1
        partition.leader = election.leader
        partition.isr = isr
        partition.elr = elr
        partition.last_known = last_known
        effects: list[Effect] = []
        name = {"topic": partition.topic, "partition": partition.index}
        if partition.leader != before[0]:
            effects.append(
                Note.of(
                    "election",
                    **name,
                    leader=partition.leader,
                    before=before[0],
                    unclean=election.unclean,
                    leader_epoch=partition.leader_epoch,
                    isr=list(isr),
                    elr=list(elr),
                )
            )
        elif isr != isr_before:
            effects.append(
                Note.of(
                    "isr",
                    **name,
                    leader=partition.leader,
                    isr=list(isr),
                    before=list(isr_before),
                    elr=list(elr),
                    what="shrinks" if len(isr) < len(isr_before) else "expands",
                )
            )
        self._cluster.changed(partition)
        self.changes.append(PartitionChange(partition, *before))
        return effects

    def _unfence(self, broker: int, now_ms: int) -> list[Effect]:
        self._move(broker, UNFENCED)
        self._cluster.set_alive(broker, True)
        if not self._cluster.alive[self._cluster.controller_id]:
            self._cluster.controller_id = broker
        effects: list[Effect] = [
            CancelTimer(("session", broker)),
            Note.of("broker.unfenced", broker=broker),
        ]
        for partition in self._partitions():
            if partition.leader == NO_LEADER and broker in partition.replicas:
                if self._profile.eligible_leader_replicas:
                    election = self._eligible(partition, partition.isr)
                else:
                    election = offline_election(
                        partition.replicas, partition.isr, self._live(), self._is_unclean(partition)
                    )
                if election.leader != NO_LEADER:
                    effects += self._apply(partition, election)
            elif broker in partition.replicas and broker not in partition.isr:
                # its leader may have asked for this ISR before, and been refused
                self.changes.append(
                    PartitionChange(partition, partition.leader, partition.leader_epoch, True)
                )
        return effects + self._arm_rebalance(now_ms)

    def _arm_rebalance(self, now_ms: int) -> list[Effect]:
        """Set the timer of the preferred leader balancer, where a preferred leader can get a
        partition back."""
        if not self._config.auto_leader_rebalance_enable or all(
            partition.leader == partition.replicas[0] for partition in self._partitions()
        ):
            return []
        interval_ms = self._config.leader_imbalance_check_interval_seconds * 1_000
        return [SetTimer(("rebalance",), (now_ms // interval_ms + 1) * interval_ms)]

    def _rebalance(self, now_ms: int) -> list[Effect]:
        """Balance leaders (auto.leader.rebalance.enable): a broker gets its preferred partitions
        back when others lead more than a tenth of them.

        KRaft gives back each partition that it can, for any share
        (ReplicationControlManager.maybeBalancePartitionLeaders).
        """
        effects: list[Effect] = []
        live = [id for id, state in self.states.items() if state is UNFENCED]
        preferred: dict[int, list[Partition]] = {}
        for partition in self._partitions():
            preferred.setdefault(partition.replicas[0], []).append(partition)
        for partitions in preferred.values():
            astray = [
                partition for partition in partitions if partition.leader != partition.replicas[0]
            ]
            if not self._profile.is_kraft and 100 * len(
                astray
            ) <= self._config.leader_imbalance_per_broker_percentage * len(partitions):
                continue
            for partition in astray:
                leader = preferred_election(partition.replicas, partition.isr, live)
                if leader != NO_LEADER:
                    effects += self._apply(
                        partition, Election(leader, partition.isr, elr=partition.elr)
                    )
        return effects + self._arm_rebalance(now_ms)

    def elect(self, topic: str, index: int, unclean: bool) -> list[Effect]:
        """Elect a leader for an administrator (KIP-460): the preferred one; in an unclean election
        any live replica, where there is no leader."""
        partition = self._cluster.partition(topic, index)
        if partition is None:
            raise Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION)
        live = [id for id, state in self.states.items() if state is UNFENCED]
        if partition.leader in live if unclean else partition.leader == partition.replicas[0]:
            raise Refusal(Errors.ELECTION_NOT_NEEDED)
        if unclean:
            election = offline_election(partition.replicas, partition.isr, live, True)
            if election.leader == NO_LEADER:
                raise Refusal(Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE)
            return self._apply(partition, election)
        leader = preferred_election(partition.replicas, partition.isr, live)
        if leader == NO_LEADER:
            raise Refusal(Errors.PREFERRED_LEADER_NOT_AVAILABLE)
        return self._apply(partition, Election(leader, partition.isr, elr=partition.elr))

    def _move(self, broker: int, state: BrokerControlState) -> None:
        self.states[broker] = MOVES.step(self.states[broker], state, "broker", broker)
        self._cluster.stopping = {id for id, state in self.states.items() if state is STOPPING}
