"""InterBroker: connects the brokers of a lab with each other and with their controller.

It delivers a follower's fetch to its leader, carries out the controller's decisions, and keeps
which brokers are up, paused or cut off. Kafka's counterparts are the brokers' channel managers
(ControllerChannelManager, NodeToControllerChannelManager). In a network partition the controller
quorum, or ZooKeeper, stays on the larger side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.broker_control_state import BrokerControlState
from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition
from kafkalab.broker.cluster.controller import (
    ITS_SESSION_ENDED,
    STARTED_ANEW,
    Controller,
    PartitionChange,
)
from kafkalab.broker.cluster.controller_lines import (
    CONTROLLER_NODE,
    KEPT,
    NO,
    YES,
    ControllerLines,
)
from kafkalab.broker.effects import CancelTimer, ChangeIsr, Effect, Note, SetTimer, TimerKey
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.replication.peer_messages import EpochRequest, FollowerFetch, PeerMessage
from kafkalab.broker.replication.role_lines import UNKNOWN_EPOCH, NewRole
from kafkalab.broker.server_log import ServerLog
from kafkalab.broker.shell.broker import Broker
from kafkalab.broker.steps import Refusal
from kafkalab.errors import Errors
from kafkalab.releases import BrokerProfile
from kafkalab.sim.journal import Journal
from kafkalab.sim.network import Link, Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler
from kafkalab.sim.timer import Timer


class InterBroker:
    """All brokers of a lab, their links and their controller (ControllerChannelManager)."""

    def __init__(
        self,
        profile: BrokerProfile,
        config: BrokerConfig,
        cluster: ClusterState,
        clock: Scheduler,
        journal: Journal,
        streams: Streams,
        network: Network,
        epoch_ms: int = 0,
    ) -> None:
        self.brokers: dict[int, Broker] = {}
        self.controller = Controller(profile, config, cluster, self._draw_ms)
        self._profile, self._cluster = profile, cluster
        self._clock, self._journal, self._streams, self._network = clock, journal, streams, network
        self._epoch_ms = epoch_ms
        self._up: dict[int, bool] = {}
        self._parted: list[Link] = []
        self._cut_off: set[int] = set()
        self._paused: set[int] = set()
        self._starting: set[int] = set()
        self._lives: dict[int, int] = {}
        self._breaks: dict[tuple[int, int], int] = {}
        self._took_over: dict[PartitionKey, int] = {}
        self._timers: dict[TimerKey, Timer] = {}
        self._session_ends_ms: dict[int, int] = {}
        self._controller_id, self._bounced = cluster.controller_id, ""
        self._seen_on_start: set[int] = set()
        self.controller_log = ServerLog(clock, CONTROLLER_NODE, profile.name)
        self._controller_lines = ControllerLines(
            cluster, self.controller_log, streams.stream("controller/ids")
        )
        cluster.on_event.append(self._controller_lines.told)

    def add(self, broker: Broker) -> None:
        self.brokers[broker.node_id] = broker
        self._up[broker.node_id] = True
        broker.peers = self
        broker.replicas.logs.epoch_ms = self._epoch_ms
        for other in self.brokers:
            if other != broker.node_id:
                for one, another in ((broker.node_id, other), (other, broker.node_id)):
                    self.link(one, another).on_fault.append(
                        partial(self._link_changed, one, another)
                    )

    def is_up(self, broker: int) -> bool:
        return self._up[broker]

    def in_touch(self, broker: int) -> bool:
        """Whether this broker and the controller reach each other."""
        return (
            self._up[broker]
            and broker not in self._cut_off
            and broker not in self._paused
            and broker not in self._starting
        )

    def connected(self, one: int, other: int) -> bool:
        """Whether messages between these two arrive. A paused broker gets them and answers
        later."""
        return (
            self._up[one]
            and self._up[other]
            and not self.link(one, other).is_cut
            and not self.link(other, one).is_cut
        )

    def link(self, follower: int, leader: int) -> Link:
        """The link from a follower to the leader's broker."""
        return self._network.link(f"broker-{follower}", f"broker-{leader}")

    # -- faults

    def died(self, broker: int, clean: bool = False) -> None:
        """A process has ended. After a clean stop the controller knows it at once; else the session
        has to end first."""
        if not self._up[broker]:
            return
        self._up[broker] = False
        self._break_all(broker)
        if clean:
            self._command(self.controller.stopped(broker, self._clock.now_ms))
        elif broker not in self._cut_off and broker not in self._paused:
            self._command(self.controller.silent(broker, self._clock.now_ms))
        self._paused.discard(broker)
        self._starting.discard(broker)

    def may_start_at_ms(self, broker: int) -> int:
        """The time from which the controller registers a process under this id."""
        if self.controller.may_register(broker) or ("session", broker) not in self._timers:
            return self._clock.now_ms
        return self._session_ends_ms[broker]

    def started(self, broker: int, clean: bool) -> None:
        """A process has started, with the cluster state of this time. It leads again when the
        controller has registered it and its changes have arrived."""
        self._up[broker] = True
        self._lives[broker] = self._lives.get(broker, 0) + 1
        cache = self.brokers[broker].metadata
        self._forget_deleted(broker, cache.thaw())
        cache.freeze()
        self.brokers[broker].read_roles()
        if not self._profile.is_kraft:
            self._seen_on_start.add(broker)
        cache.lead_nothing(broker)
        self._rebind(broker)
        if broker not in self._cut_off:
            self._starting.add(broker)
            self._clock.after(
                self._draw_ms(broker, "unfenced", *self._profile.unfenced_after_ms),
                self._register,
                broker,
                clean,
                self._lives[broker],
            )

    def _register(self, broker: int, clean: bool, life: int) -> None:
        if self._up[broker] and self._lives[broker] == life:
            self._controller_lines.registered(broker, clean)
            self._command(self.controller.registered(broker, clean, self._clock.now_ms))
            self.brokers[broker].server_log("BROKER_UNFENCED")
            self._clock.after(
                self._draw_ms(broker, "catches up", *self._profile.catches_up_ms),
                self._is_ready,
                broker,
                life,
            )

    def _is_ready(self, broker: int, life: int) -> None:
        if self._up[broker] and self._lives[broker] == life:
            self._starting.discard(broker)
            if self.in_touch(broker):
                self._catch_up(broker)

    def shuts_down(self, broker: int) -> None:
        """Begin a broker's controlled shutdown: its leaderships move first."""
        if self.in_touch(broker):
            effects = self.controller.shuts_down(broker, self._clock.now_ms)
            self._command(effects, stopping=broker)

    def paused(self, broker: int, until_ms: int) -> None:
        """A process is paused until `until_ms`."""
        if not self._up[broker]:
            return
        if self.in_touch(broker):
            self.brokers[broker].metadata.freeze()
            self._rebind(broker)
            self._command(self.controller.silent(broker, self._clock.now_ms))
        self._paused.add(broker)
        for other in self.brokers.values():
            other.sessions.falls_silent(broker, self._clock.now_ms)
        # the process first serves its waiting requests; the controller's changes arrive a little
        # later
        self._set_timer(SetTimer(("resumed", broker), until_ms + self._profile.move_ms))

    def separate(self, sides: Iterable[Collection[int]]) -> None:
        """Cut the links between the sides; a broker on no side still reaches all."""
        sides = [sorted(side) for side in sides]
        for side in sides:
            for one, other in (
                (one, other)
                for one in side
                for others in sides
                if others is not side
                for other in others
            ):
                if not self.link(one, other).is_cut:
                    self._parted.append(self.link(one, other))
                    self.link(one, other).cut()
        largest = max(sides, key=len)  # of sides with equal size the first
        for side in sides:
            for broker in side if side is not largest else ():
                was_in_touch = self.in_touch(broker)
                self._cut_off.add(broker)
                if was_in_touch:
                    self.brokers[broker].metadata.freeze()
                    self._rebind(broker)
                    self._command(self.controller.silent(broker, self._clock.now_ms))

    def join(self) -> None:
        """Heal the links between the sides."""
        back, self._cut_off = sorted(self._cut_off), set()
        parted, self._parted = self._parted, []
        for link in parted:
            link.heal()
        for broker in back:
            if self.in_touch(broker):
                self._in_touch_again(broker)

    def reconnect(self) -> None:
        """Let followers that were cut off try to connect again."""
        for one, follower in self.brokers.items():
            for source, leader in self.brokers.items():
                if one != source and self.connected(one, source) and one not in self._paused:
                    leader.sessions.speaks(one)
            for source in list(follower.fetchers.by_source):
                if self.connected(one, source) and one not in self._paused:
                    follower.do(follower.fetchers.retry(source, self._clock.now_ms))

    def _link_changed(self, one: int, other: int, what: str, fields: dict[str, Any]) -> None:
        if what == "cut":
            self._break(one, other)
        elif what == "heal":
            self.reconnect()
            for topic in self._cluster.topics.values():
                for partition in topic.partitions:
                    if partition.leader in (one, other):
                        self._have_followed(partition)

    # -- messages between brokers

    def send(
        self, source: int, target: int, message: PeerMessage | None, parks: bool = False
    ) -> None:
        """Deliver a message to another broker. For a broker that cannot be reached the connection
        breaks at once."""
        if not self.connected(source, target):
            self._break(source, target)
            return
        if message is None:
            self.brokers[target].do(
                self.brokers[target].sessions.recall(source, self._clock.now_ms)
            )
            return
        asks = isinstance(message, (FollowerFetch, EpochRequest))
        link = self.link(source, target) if asks else self.link(target, source)
        if parks:
            assert isinstance(message, FollowerFetch), "only a follower's fetch is parked"
            self.brokers[target].do(
                self.brokers[target].sessions.parks(
                    source, message, self._clock.now_ms + link.delay_ms()
                )
            )
            return
        breaks = self._breaks.get(_pair(source, target), 0)
        self._clock.post(
            self._clock.now_ms + link.delay_ms(),
            self._deliver,
            source,
            target,
            message,
            breaks,
        )

    def _deliver(self, source: int, target: int, message: PeerMessage, breaks: int) -> None:
        if self._breaks.get(_pair(source, target), 0) != breaks:
            return  # the connection has broken since the message was sent
        broker, now_ms = self.brokers[target], self._clock.now_ms
        if broker.paused_until_ms > now_ms:
            self._clock.post(broker.paused_until_ms, self._deliver, source, target, message, breaks)
        elif isinstance(message, (FollowerFetch, EpochRequest)):
            broker.do(broker.sessions.handle(source, message, now_ms))
        else:
            broker.do(broker.fetchers.handle_response(source, message, now_ms))

    def grown(self, leader: int, key: PartitionKey) -> None:
        """A leader has new records: its followers fetch them.

        A follower that did not fetch yet joins the leader's session, if it knows this leader and
        leader epoch. A broker that has lost its leadership without knowing it has no followers."""
        if self._cluster.partition(*key) is None:
            return  # the topic was deleted while its leader was paused
        broker, now_ms = self.brokers[leader], self._clock.now_ms
        for follower in broker.replicas.replica(key).followers:
            if (
                broker.sessions.has(follower, key)
                or not self.in_touch(follower)
                or not self.connected(leader, follower)
            ):
                continue
            own = self.brokers[follower].replicas.replica(key)
            knows_it = (own.partition.leader, own.partition.leader_epoch) == (
                leader,
                broker.replicas.replica(key).partition.leader_epoch,
            )
            fetchers = self.brokers[follower].fetchers
            idle_at = fetchers.idle_at(leader)
            if not knows_it or own.log.log_end_offset > 0:
                continue
            if fetchers.join(key, leader):
                broker.sessions.join(follower, key, 0, now_ms, idle_at)
            elif not fetchers.follows(key, leader):
                # the follower waits before it asks this leader again; then it asks for this, too
                self.brokers[follower].do(fetchers.follow((key,), leader, now_ms))
        broker.do(broker.sessions.grown(key, now_ms))

    def change_isr(self, leader: int, wish: ChangeIsr) -> None:
        """Send a leader's wish for another ISR to the controller (ALTER_PARTITION, or a write to
        ZooKeeper).

        It takes a time of its own, and a disconnected leader gets no answer."""
        epoch = (
            self.brokers[leader]
            .replicas.replica((wish.topic, wish.partition))
            .partition.leader_epoch
        )

        def arrive() -> None:
            if self.in_touch(leader):
                now = self._cluster.partition(wish.topic, wish.partition)
                isr_before = () if now is None else now.isr
                effects = self.controller.alter_isr(
                    leader, epoch, wish.topic, wish.partition, wish.isr
                )
                if now is not None and now.isr != isr_before:
                    self.brokers[leader].roles.isr_updated(now, isr_before)
                self._command(effects)
                # the topic may be deleted while the wish is on its way
                replica = self.brokers[leader].replicas.found((wish.topic, wish.partition))
                if replica is not None and replica.isr_wanted == wish.isr:
                    self.brokers[leader].do(
                        self.brokers[leader].replicas.wish_refused(replica, self._clock.now_ms)
                    )

        if self.in_touch(leader):
            self._clock.after(self._profile.isr_change_ms, arrive)

    def elect(self, places: list[PartitionKey], unclean: bool) -> dict[PartitionKey, Errors]:
        """Have the controller hold an administrator's elections."""
        effects: list[Effect] = []
        outcome: dict[PartitionKey, Errors] = {}
        for place in places:
            try:
                effects += self.controller.elect(*place, unclean)
                outcome[place] = Errors.NONE
            except Refusal as refusal:
                outcome[place] = refusal.error
        self._command(effects)
        return outcome

    # -- inside

    def _draw_ms(self, broker: int, what: str, lowest: int, highest: int) -> int:
        return self._streams.stream(f"broker-{broker}/{what}").randint(lowest, highest)

    def _command(self, effects: list[Effect], stopping: int | None = None) -> None:
        """Carry out the controller's effects, and pass its changes to every connected broker.
        stopping: the broker that has asked to stop."""
        for effect in effects:
            match effect:
                case SetTimer():
                    self._set_timer(effect)
                case CancelTimer(key):
                    timer = self._timers.pop(key, None)
                    if timer is not None:
                        timer.cancel()
                case Note():
                    self._say_brokers(effect)
                    self._journal.append(effect.kind, "controller", **effect.fields)
                case _:
                    raise TypeError(f"a controller has no such effect: {effect!r}")
        changes = self.controller.take_changes()
        notes = [effect for effect in effects if isinstance(effect, Note)]
        self._say_control(notes, changes, stopping)
        self._say_roles(changes)
        for partition, leader_before, epoch_before, _ in changes:
            self._pass_on(partition, leader_before, epoch_before)

    def _say_control(
        self, notes: list[Note], changes: list[PartitionChange], stopping: int | None
    ) -> None:
        """Let a KRaft controller write what it has decided (ReplicationControlManager)."""
        say = self._controller_lines
        partitions = [one.partition for one in changes if not one.is_reminder]
        fenced: list[int] = []
        if stopping is not None:
            say.stopping(stopping, len(partitions))
            say.registration(stopping, NO, YES)
        for note in notes:
            broker = note.fields.get("broker", CONTROLLER_NODE)
            if note.kind == "broker.fenced":
                ended = note.fields["why"] == ITS_SESSION_ENDED
                (say.fenced if ended else say.stopped)(broker, len(partitions))
                fenced.append(broker)
            elif note.kind == "broker.unfenced":
                say.unfenced(broker, len(partitions))
                say.registration(broker, KEPT, NO)
        doubtful = [
            (note.fields["topic"], note.fields["partition"])
            for note in notes
            if note.kind == "election" and note.fields["unclean"]
        ]
        say.changed(partitions, doubtful)
        for broker in fenced:  # the only record that comes after those of partitions
            say.registration(broker, YES, NO)

    def _say_roles(self, changes: list[PartitionChange]) -> None:
        """Let every connected broker write the new roles of its replicas."""
        for id, broker in self.brokers.items():
            roles = [
                NewRole(one.partition, one.leader_before, one.epoch_before)
                for one in changes
                if id in one.partition.replicas and not one.is_reminder
            ]
            if roles and self.in_touch(id):
                broker.roles.changed(roles)

    def _say_brokers(self, note: Note) -> None:
        """Let the broker that is the controller write who came and who went (ZooKeeper). A new
        controller finds it so, and a KRaft controller has a log of its own."""
        was, self._controller_id = self._controller_id, self._cluster.controller_id
        if self._profile.is_kraft or was != self._controller_id:
            return
        if note.kind not in ("broker.fenced", "broker.unfenced") or not self.in_touch(was):
            return
        came, who = note.kind == "broker.unfenced", str(note.fields["broker"])
        say = self.brokers[was].server_log
        bounced = note.fields.get("why") == STARTED_ANEW
        if not (came and self._bounced == who):
            live = ",".join(str(id) for id, alive in self._cluster.alive.items() if alive)
            what = "bounced" if bounced else "added" if came else "gone"
            say("BROKERS_CHANGED", **{"added": "", "gone": "", "bounced": "", what: who}, live=live)
        self._bounced = who if bounced else ""
        say("BROKER_CAME" if came else "BROKER_GONE", brokers=who)

    def _set_timer(self, effect: SetTimer) -> None:
        earlier = self._timers.get(effect.key)
        if earlier is not None:
            earlier.cancel()
        self._timers[effect.key] = self._clock.at(effect.at_ms, self._ring, effect.key)
        if effect.key[0] == "session":
            self._session_ends_ms[effect.key[1]] = effect.at_ms

    def _ring(self, key: TimerKey) -> None:
        del self._timers[key]
        if key[0] == "resumed":
            self._resumed(key[1])
        else:
            # it is fenced already; a real controller says so again
            if key[0] == "session" and self.controller.has_old_session(key[1]):
                self._controller_lines.fenced(key[1], 0)
            self._command(self.controller.on_timer(key, self._clock.now_ms))

    def _resumed(self, broker: int) -> None:
        if broker in self._paused and self.brokers[broker].paused_until_ms <= self._clock.now_ms:
            self._paused.discard(broker)
            if self.in_touch(broker):
                self._in_touch_again(broker)

    def _in_touch_again(self, broker: int) -> None:
        self._command(self.controller.resumed(broker, self._clock.now_ms))
        self._catch_up(broker)

    def _pass_on(self, partition: Partition, leader_before: int, epoch_before: int) -> None:
        """A partition has changed: its connected replicas take their new roles."""
        if leader_before != partition.leader:
            key = partition.topic, partition.index
            if leader_before != NO_LEADER:
                # the first leader has led from the start
                self._took_over.setdefault(key, leader_before)
            for id, broker in self.brokers.items():
                if self.in_touch(id):
                    broker.leader_changed(
                        partition, leader_before, self.brokers[self._took_over.get(key, id)]
                    )
            if partition.leader != NO_LEADER and self.in_touch(partition.leader):
                # a broker that is down did not get the change and has no groups to hand over
                self._took_over[key] = partition.leader
        for id in partition.replicas:
            if self.in_touch(id):
                self._take_role(id, partition, partition.leader_epoch != epoch_before)

    def _take_role(self, id: int, partition: Partition, is_new_epoch: bool) -> None:
        broker, now_ms = self.brokers[id], self._clock.now_ms
        key = partition.topic, partition.index
        replica = broker.replicas.found(key)
        leader = partition.leader
        if leader == id:
            replica = broker.replicas.replica(key)
            broker.do(broker.fetchers.unfollow((key,), now_ms))
            broker.do(
                broker.replicas.roles_changed(replica, now_ms)
                if is_new_epoch
                else broker.replicas.isr_changed(replica, now_ms)
            )
            return
        if not is_new_epoch:
            return
        if replica is not None:
            broker.sessions.dropped(key)
            broker.do(broker.replicas.roles_changed(replica, now_ms))
            broker.do(broker.fetchers.unfollow((key,), now_ms))
        if leader != NO_LEADER:
            self._follow(id, key, leader)

    def _follow(self, id: int, key: PartitionKey, leader: int) -> None:
        """Begin to copy from a leader, if one of the two has records or the follower has to join
        the ISR; not in a controlled shutdown."""
        if self.controller.states[id] is BrokerControlState.CONTROLLED_SHUTDOWN:
            return
        own, its = self.brokers[id].replicas.found(key), self.brokers[leader].replicas.found(key)
        has_records = (own is not None and own.log.log_end_offset) or (
            its is not None and its.log.log_end_offset
        )
        partition = self._cluster.partition(*key)
        assert partition is not None, "a partition that has a leader exists"
        if has_records or id not in partition.isr:
            self.brokers[id].do(
                self.brokers[id].fetchers.follow((key,), leader, self._clock.now_ms)
            )

    def _rebind(self, id: int) -> None:
        """Give the replicas of a disconnected broker the partitions of its frozen view."""
        broker = self.brokers[id]
        for replica in broker.replicas.all:
            partition = broker.metadata.partition(replica.partition.topic, replica.partition.index)
            assert partition is not None, "replicas of a deleted topic are removed before"
            replica.partition = partition

    def _catch_up(self, id: int) -> None:
        """Give a broker all changes that it has missed: roles, and leaders to follow."""
        broker = self.brokers[id]
        before = broker.metadata.thaw()
        self._forget_deleted(id, before)
        self._say_missed_roles(id, before)
        for topic in self._cluster.topics.values():
            if topic.is_internal:
                for partition in topic.partitions:
                    believed = before.partition(topic.name, partition.index)
                    if believed is None or (believed.leader, believed.leader_epoch) != (
                        partition.leader,
                        partition.leader_epoch,
                    ):
                        last = self._took_over.get((topic.name, partition.index), id)
                        broker.leader_changed(
                            partition,
                            believed.leader if believed else NO_LEADER,
                            self.brokers[last],
                        )
                        if partition.leader == id:
                            self._took_over[topic.name, partition.index] = id
        for replica in list(broker.replicas.all):
            believed = replica.partition
            now = self._cluster.partition(believed.topic, believed.index)
            assert now is not None, "replicas of a deleted topic are removed before"
            replica.partition = now
            replica.isr_wanted = None
            if (now.leader, now.leader_epoch) != (
                believed.leader,
                believed.leader_epoch,
            ) and believed is not now:
                self._take_role(id, now, True)
        for topic in self._cluster.topics.values():
            for partition in topic.partitions:
                key = partition.topic, partition.index
                if partition.leader == id:
                    led = broker.replicas.found(key)
                    if led is not None and led.led_epoch == partition.leader_epoch:
                        broker.do(broker.replicas.reconsider(led))
                    if led is not None and led.log.log_end_offset:
                        self._have_followed(partition)
                elif (
                    id in partition.replicas
                    and partition.leader != NO_LEADER
                    and not broker.fetchers.follows(key, partition.leader)
                ):
                    self._follow(id, key, partition.leader)
        self.reconnect()

    def _say_missed_roles(self, id: int, before: ClusterState) -> None:
        """Write the roles that a broker did not hear of. A ZooKeeper broker that has just started
        hears of all its partitions."""
        is_fresh = id in self._seen_on_start
        self._seen_on_start.discard(id)
        roles = []
        for topic in self._cluster.topics.values():
            for partition in topic.partitions:
                if id not in partition.replicas:
                    continue
                known = before.partition(topic.name, partition.index)
                if is_fresh or known is None:
                    roles.append(NewRole(partition, None, UNKNOWN_EPOCH))
                elif known.partition_epoch != partition.partition_epoch:
                    roles.append(NewRole(partition, known.leader, known.leader_epoch))
        if roles:
            self.brokers[id].roles.changed(roles)

    def _have_followed(self, partition: Partition) -> None:
        """Let the followers fetch what a leader wrote first while it was disconnected."""
        key, leader = (partition.topic, partition.index), partition.leader
        for follower in partition.replicas:
            if (
                follower != leader
                and self.in_touch(follower)
                and not self.brokers[follower].fetchers.follows(key, leader)
            ):
                self._follow(follower, key, leader)

    def _forget_deleted(self, id: int, before: ClusterState) -> None:
        """Delete the replicas of topics that were deleted while a broker was disconnected. A topic
        that was created again under the same name has another id."""
        for topic in before.topics.values():
            now = self._cluster.topics.get(topic.name)
            if now is None or now.topic_id != topic.topic_id:
                self.brokers[id].topic_deleted(topic.name)

    def _break_all(self, broker: int) -> None:
        for other in self.brokers:
            if other != broker:
                self._break(broker, other)

    def _break(self, one: int, other: int) -> None:
        """Break the connections between two brokers; each drops its session of the other."""
        pair = _pair(one, other)
        self._breaks[pair] = self._breaks.get(pair, 0) + 1
        for here, there in ((one, other), (other, one)):
            if self._up[here]:
                broker = self.brokers[here]
                broker.do(broker.sessions.lost(there, self._clock.now_ms))
                broker.do(broker.fetchers.broken(there, self._clock.now_ms))


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
