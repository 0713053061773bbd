"""Metadata: what a client knows of the cluster, and when it asks again
(org.apache.kafka.clients.Metadata).

A client knows one cluster at a time: at first the bootstrap addresses as nodes -1, -2, ..., then
the content of the last good METADATA answer. Nothing connects node -1 with the broker behind it:
sockets are kept by node id, so the first socket is never used under the broker's real id
(Cluster.bootstrap).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network.connection_states import exponential_ms
from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.clients.network.node import Node
from kafkalab.errors import Errors, error_for
from kafkalab.lines.cluster_text import cluster_text, leader_text, partition_metadata_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.frozen import record
from kafkalab.records import TopicPartition
from kafkalab.sim.apps import Signal

if TYPE_CHECKING:
    from kafkalab.releases import Profile


@record
class PartitionView:
    """One partition as the last METADATA answer described it. `leader` is None when it has none."""

    topic: str
    partition: int
    leader: int | None
    epoch: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


def topic_name(topic: m.MetadataResponseTopic) -> str:
    """The name of a topic in a METADATA answer. A client asks by name, so each topic has one."""
    assert topic.name is not None, "a METADATA request by topic name is answered with names"
    return topic.name


@dataclass(frozen=True, slots=True)
class ClusterView:
    """The content of one METADATA answer, or the bootstrap addresses (`is_bootstrap`)."""

    cluster_id: str | None
    nodes: tuple[Node, ...]
    partitions: dict[TopicPartition, PartitionView]
    topics: dict[str, tuple[PartitionView, ...]]
    by_id: dict[int, Node]
    is_bootstrap: bool = False
    controller_id: int | None = None
    leaders: dict[TopicPartition, Node] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id = self.by_id
        leaders = {
            tp: by_id[view.leader] for tp, view in self.partitions.items() if view.leader in by_id
        }
        object.__setattr__(self, "leaders", leaders)

    def node(self, id: int | None) -> Node | None:
        return None if id is None else self.by_id.get(id)

    @property
    def controller(self) -> Node | None:
        return self.node(self.controller_id)

    def leader(self, partition: TopicPartition) -> Node | None:
        return self.leaders.get(partition)


class Metadata:
    """The current cluster and the refresh rule.

    A refresh is due when one was asked for or metadata.max.age.ms have passed since the last
    success. It never comes sooner than the refresh backoff after the last attempt. A newly wanted
    topic cancels the backoff (Metadata.timeToNextUpdate).

    view            the cluster as the last answer described it
    retains         for a subscription by pattern: retains(topic, is_internal) says which of all
                    topics to keep; None asks by name
    still_wants     says whether a topic that was asked for is still in use; None: all are
    new_topics      names the topics to ask for alone when only new ones are wanted (KIP-526); None:
                    always ask for all
    update_version  counts the answers; a caller that waits for an answer remembers the number
    error_topics    topics for which the last answer had an error
    topic_ids       name -> id (KIP-516); topic_names is the reverse
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        profile: Profile,
        log: LogContext,
        rng: random.Random,
        wanted_topics: Callable[[], Iterable[str]],
    ) -> None:
        self.view = ClusterView(None, (), {}, {}, {}, is_bootstrap=True)
        self._waiting: list[Signal] = []
        self.update_version = 0
        self.error_topics: dict[str, Errors] = {}
        self.topic_ids: dict[str, str] = {}
        self.topic_names: dict[str, str] = {}
        self._log, self._rng, self._profile = log, rng, profile
        self._backoff_ms: int = config["retry.backoff.ms"]
        self._backoff_max_ms: int = config.get("retry.backoff.max.ms", 1000)
        self._max_age_ms: int = config["metadata.max.age.ms"]
        self._wanted = wanted_topics
        self._transient: tuple[str, ...] = ()
        self._bootstrap: tuple[Node, ...] = ()
        self._last_refresh_ms = self._last_success_ms = 0
        self._needs_full = self._needs_new_topics = False
        # requests without an answer, and answers without changes, in a row
        self._failures = self._equivalents = 0
        self.retains: Callable[[str, bool], bool] | None = None
        self.still_wants: Callable[[str], bool] | None = None
        self.new_topics: Callable[[], list[str]] | None = None
        self._is_partial = False
        self._epochs: dict[TopicPartition, int] = {}
        # as last received, to be printed when a leader is learned
        self._told: dict[TopicPartition, m.MetadataResponsePartition] = {}
        self._backoff_drawn: tuple[int, int] | None = None
        # when the next refresh is due if nothing changes; None: something has changed
        self._due_ms: int | None = None

    def bootstrap(self, nodes: tuple[Node, ...], now_ms: int) -> None:
        self._due_ms = None
        self.view, self._bootstrap = ClusterView(None, nodes, {}, {}, {}, is_bootstrap=True), nodes
        self.update_version = 1
        self._needs_full = self._profile.connecting.bootstrap_needs_update
        if not self._needs_full:
            # Up to 2.1 the bootstrap cluster was stored as if a broker had answered: no refresh is
            # due (KAFKA-7567).
            self._last_refresh_ms = self._last_success_ms = now_ms
            brokers = [
                m.MetadataResponseBroker(node_id=n.id, host=n.host, port=n.port, rack=n.rack)
                for n in nodes
            ]
            self._tell_updated(m.MetadataResponse(brokers=tuple(brokers)))
        else:
            self._last_refresh_ms = self._last_success_ms = -(10**9)

    def _tell_updated(self, response: m.MetadataResponse) -> None:
        self._log(
            "METADATA_UPDATED",
            version=self.update_version,
            cluster=Later(_cluster_text, self._profile.name, response),
        )

    def rebootstrap(self) -> None:
        """Forgets the cluster and knows only the bootstrap addresses again (KIP-899)."""
        nodes = self._bootstrap
        self._log(
            "REBOOTSTRAPPING",
            addresses=f"[{', '.join(f'{node.host}/127.0.0.1:{node.port}' for node in nodes)}]",
        )
        self._due_ms = None
        self.view = ClusterView(None, nodes, {}, {}, {}, is_bootstrap=True)
        self.update_version += 1
        self._needs_full = True

    def age_ms(self, now_ms: int) -> int:
        """How long ago the last good answer arrived."""
        return now_ms - max(self._last_success_ms, 0)

    def updated_signal(self) -> Signal:
        """A signal that the next good answer sets."""
        signal = Signal()
        self._waiting.append(signal)
        return signal

    def request_update(self) -> int:
        """Asks for a refresh; returns the version that will be outdated when the answer has
        arrived."""
        self._needs_full = True
        self._due_ms = None
        return self.update_version

    def request_update_for_new_topics(self) -> int:
        """A topic is wanted that was not asked for before: the backoff does not apply to it."""
        self._last_refresh_ms = -(10**9)
        self._needs_new_topics = True
        self._due_ms, self._equivalents = None, 0
        return self.update_version

    @property
    def update_requested(self) -> bool:
        return self._needs_full or self._needs_new_topics

    def wanted_topics(self) -> list[str] | None:
        """The topics of the next METADATA request; None for every topic, of which `retains` keeps
        some."""
        if self.retains is not None:
            return None
        new_topics = self.new_topics
        self._is_partial = (
            new_topics is not None and self._needs_new_topics and not self._needs_full
        )
        if self._is_partial and new_topics is not None:
            return new_topics()
        return list(dict.fromkeys((*self._wanted(), *self._transient)))

    def want_for_now(self, topics: Iterable[str]) -> None:
        """Adds these topics until the next call of this method: a call asks about topics that are
        not subscribed to (ConsumerMetadata.addTransientTopics)."""
        self._transient = tuple(dict.fromkeys(topics))
        if any(topic not in self.view.topics for topic in self._transient):
            self.request_update_for_new_topics()

    def time_to_next_update(self, now_ms: int) -> int:
        due_ms = self._due_ms
        if due_ms is None:
            allowed_ms = self._last_refresh_ms + self._refresh_backoff_ms()
            due_ms = self._due_ms = (
                allowed_ms
                if self.update_requested
                else max(allowed_ms, self._last_success_ms + self._max_age_ms)
            )
        return due_ms - now_ms if due_ms > now_ms else 0

    def may_update(self, now_ms: int) -> bool:
        """Whether the refresh backoff is over (timeToAllowUpdate)."""
        return now_ms >= self._last_refresh_ms + self._refresh_backoff_ms()

    def _refresh_backoff_ms(self) -> int:
        if not self._profile.connecting.exponential_refresh_backoff:
            return self._backoff_ms
        in_a_row = max(self._failures, self._equivalents)
        if in_a_row == 0:
            return 0 if self._last_refresh_ms < 0 else self._backoff_now_ms(0)
        return self._backoff_now_ms(in_a_row - 1)

    def _backoff_now_ms(self, attempts: int) -> int:
        """The backoff, drawn once for each number of attempts, however often it is read."""
        if self._backoff_drawn is None or self._backoff_drawn[0] != attempts:
            self._backoff_drawn = (
                attempts,
                exponential_ms(self._rng, self._backoff_ms, self._backoff_max_ms, attempts, True),
            )
        return self._backoff_drawn[1]

    def failed_update(self, now_ms: int) -> None:
        self._due_ms = None
        self._last_refresh_ms = now_ms
        self._failures, self._equivalents = self._failures + 1, 0

    def update(
        self, response: m.MetadataResponse, now_ms: int, node_of: Callable[..., Node]
    ) -> None:
        """Takes over a good answer; where it is incomplete, the next refresh is requested."""
        before, self._due_ms = self.view, None
        is_partial, self._is_partial, self._needs_new_topics = self._is_partial, False, False
        self._last_refresh_ms, self._failures = now_ms, 0
        if now_ms >= self._last_success_ms + self._max_age_ms:
            # a refresh because of metadata.max.age.ms does not count as one without changes
            # (timeToAllowUpdate)
            self._equivalents = 0
        if not is_partial:
            self._needs_full, self._last_success_ms = False, now_ms
        self.update_version += 1
        self.error_topics = {}
        nodes = tuple(node_of(b.node_id, b.host, b.port, b.rack) for b in response.brokers)
        partitions: dict[TopicPartition, PartitionView] = (
            dict(before.partitions) if is_partial else {}
        )
        topics: dict[str, tuple[PartitionView, ...]] = dict(before.topics) if is_partial else {}
        known = {node.id for node in nodes}
        for topic in response.topics:
            name = topic_name(topic)
            if self.retains is not None and not self.retains(name, topic.is_internal):
                continue
            if self.still_wants is not None and not self.still_wants(name):
                continue
            if topic.error_code != Errors.NONE.code:
                error = error_for(topic.error_code)
                self.error_topics[name] = error
                if error.retriable:
                    self._log(
                        "METADATA_UPDATE_FOR_TOPIC",
                        topic=name,
                        error=self._profile.connecting.known(error).name,
                    )
                    self._needs_full = True
                continue
            self.topic_ids[name] = topic.topic_id
            self.topic_names[topic.topic_id] = name
            views = []
            for p in topic.partitions:
                tp = TopicPartition(name, p.partition_index)
                self._note_epoch(tp, p.leader_epoch, topic.topic_id)
                self._told[tp] = p
                leader = p.leader_id if p.leader_id in known else None
                view = PartitionView(
                    name,
                    p.partition_index,
                    leader,
                    p.leader_epoch,
                    tuple(p.replica_nodes),
                    tuple(p.isr_nodes),
                )
                if p.error_code != Errors.NONE.code:
                    self._log(
                        "METADATA_UPDATE_FOR_PARTITION",
                        partition=tp,
                        error=self._profile.connecting.known(error_for(p.error_code)).name,
                    )
                    self._needs_full = True
                partitions[tp] = view
                views.append(view)
            topics[name] = tuple(sorted(views, key=lambda v: v.partition))
        self.view = ClusterView(
            response.cluster_id,
            nodes,
            partitions,
            topics,
            {node.id: node for node in nodes},
            controller_id=response.controller_id,
        )
        # An answer without changes lengthens the wait for the next one (KIP-580).
        changed = (
            before.is_bootstrap
            or before.topics != self.view.topics
            or set(before.nodes) != set(nodes)
        )
        self._equivalents = 0 if changed and not self.error_topics else self._equivalents + 1
        if fatal := self._fatal_topics():
            self._log("INVALID_TOPICS", topics=", ".join(fatal))
        if before.cluster_id != response.cluster_id:
            self._log("CLUSTER_ID", cluster_id=response.cluster_id)
        self._tell_updated(response)
        for signal in self._waiting:
            signal.set()
        self._waiting.clear()

    def learn_leaders(
        self, news: Mapping[TopicPartition, tuple[int, int]], nodes: Iterable[Node]
    ) -> list[TopicPartition]:
        """Takes over new leaders from answers that refuse a request, where leader and epoch are
        newer than the known ones (updatePartitionLeadership, KIP-951). Returns the partitions that
        changed."""
        by_id = {**self.view.by_id, **{node.id: node for node in nodes}}
        partitions, learned = dict(self.view.partitions), []
        for tp, (leader, epoch) in news.items():
            known = partitions.get(tp)
            if known is None or leader not in by_id:
                continue
            if known.epoch is not None and epoch <= known.epoch:
                self._log(
                    "LEADER_NOT_NEWER",
                    partition=tp,
                    leader=f"LeaderIdAndEpoch{{leaderId={leader}, epoch={epoch}}}",
                    known=leader_text(self.view.leader(tp), known.epoch),
                )
                continue
            partitions[tp] = replace(known, leader=leader, epoch=epoch)
            self._epochs[tp] = epoch
            self._told[tp] = replace(self._told[tp], leader_id=leader, leader_epoch=epoch)
            self._log(
                "LEADER_LEARNED",
                partition=tp,
                metadata=Later(partition_metadata_text, tp.topic, self._told[tp]),
            )
            learned.append(tp)
        if not learned:
            self._log("NO_LEADER_LEARNED")
        else:
            topics = {
                topic: tuple(partitions[TopicPartition(topic, p.partition)] for p in views)
                for topic, views in self.view.topics.items()
            }
            self.view = replace(
                self.view,
                nodes=tuple(by_id.values()),
                partitions=partitions,
                topics=topics,
                by_id=by_id,
            )
        return learned

    def raise_fatal(self) -> None:
        """Raises, once, the lasting error of the last answer (maybeThrowAnyException)."""
        if fatal := self._fatal_topics():
            self.error_topics = {}
            raise next(iter(fatal.values())).exception(f"Invalid topics: [{', '.join(fatal)}]")

    def _fatal_topics(self) -> dict[str, Errors]:
        return {topic: error for topic, error in self.error_topics.items() if not error.retriable}

    def note_leader_epoch(self, tp: TopicPartition, epoch: int | None) -> None:
        """An epoch learned from an answer other than METADATA (LIST_OFFSETS)."""
        if epoch is not None and epoch >= 0:
            known = self._epochs.get(tp)
            self._log(
                "EPOCH_REPLACE_CHECK",
                epoch=known if known is not None else "null",
                new_epoch=epoch,
                partition=tp,
            )
            if known is None or epoch > known:
                self._epochs[tp] = epoch
                self._log(
                    "EPOCH_UPDATED",
                    epoch="null" if known is None else known,
                    new_epoch=epoch,
                    partition=tp,
                )
            else:
                self._log("EPOCH_KEPT", epoch=known, new_epoch=epoch, partition=tp)

    def _note_epoch(self, tp: TopicPartition, epoch: int, topic_id: str) -> None:
        known = self._epochs.get(tp)
        if epoch is None or epoch < 0:
            return
        self._log(
            "EPOCH_REPLACE_CHECK_BY_METADATA",
            epoch="null" if known is None else known,
            new_epoch=epoch,
            partition=tp,
        )
        if known is None:
            self._log(
                "EPOCH_FIRST_SEEN", epoch="null", new_epoch=epoch, partition=tp, topic_id=topic_id
            )
            self._epochs[tp] = epoch
        elif self.view.is_bootstrap:
            # a rebootstrap has forgotten the topic's id, but not the epoch
            self._log("EPOCH_RESET", new_epoch=epoch, partition=tp, topic_id=topic_id)
            self._epochs[tp] = epoch
        elif epoch >= known:
            self._log("EPOCH_SEEN_AGAIN", epoch=known, new_epoch=epoch, partition=tp)
            self._epochs[tp] = epoch


def _cluster_text(version: str, response: m.MetadataResponse) -> str:
    """The known cluster as this version prints it."""
    return cluster_text(
        version,
        cluster_id=response.cluster_id,
        brokers=response.brokers,
        partitions=[(topic_name(topic), p) for topic in response.topics for p in topic.partitions],
        controller_id=None if response.controller_id < 0 else response.controller_id,
    )
