"""Bugs planted in clients. Each is a function of a monkeypatch;
nothing of them is in the product."""

from __future__ import annotations

import importlib

from kafkalab.clients.consumer.classic.auto_commit import AutoCommit
from kafkalab.clients.consumer.classic.consumer_coordinator import ConsumerCoordinator
from kafkalab.clients.consumer.classic.heartbeat import Heartbeat
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network import network_client
from kafkalab.clients.network.connection_states import ClusterConnectionStates
from kafkalab.clients.network.idle_expiry import IdleExpiry
from kafkalab.clients.network.metadata import Metadata
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.producer import partitioner
from kafkalab.hashing import murmur2
from kafkalab.proof.cases import groups as group_answers
from kafkalab.records import OffsetAndMetadata
from kafkalab.tests.mutants.catchers import Law, Recording, Vector
from kafkalab.tests.mutants.mutant import Mutant

# The package has a function of that name.
assignors = importlib.import_module("kafkalab.clients.consumer.assignors.assignment")


def commit_before_process(patch):
    honest = SubscriptionState.all_consumed
    patch.setattr(
        SubscriptionState,
        "all_consumed",
        lambda self: {
            tp: OffsetAndMetadata(committed.offset + 1, committed.leader_epoch)
            for tp, committed in honest(self).items()
        },
    )


def idle_at_the_limit(patch):
    honest = IdleExpiry.expired
    patch.setattr(IdleExpiry, "expired", lambda self, now_ms: honest(self, now_ms + 1))


def idle_never(patch):
    patch.setattr(IdleExpiry, "expired", lambda self, now_ms: None)


def idle_newest_first(patch):
    def expired(self, now_ms):
        newest = next(reversed(self._used_ms), None)
        return (
            newest
            if newest is not None and now_ms - self._used_ms[newest] > self._limit_ms >= 0
            else None
        )

    patch.setattr(IdleExpiry, "expired", expired)


def backoff_from_two(patch):
    honest = ClusterConnectionStates.connecting

    def connecting(self, id, now_ms):
        honest(self, id, now_ms)
        self.nodes[id].failures = max(1, self.nodes[id].failures)

    patch.setattr(ClusterConnectionStates, "connecting", connecting)


def setup_timeout_never_grows(patch):
    honest = ClusterConnectionStates.disconnected

    def disconnected(self, id, now_ms):
        honest(self, id, now_ms)
        self.nodes[id].failed_attempts = 0

    patch.setattr(ClusterConnectionStates, "disconnected", disconnected)


def bootstrap_is_the_broker(patch):
    """Node -1 counts as the broker behind it, so its socket is used for data."""
    honest = network_client.node_maker

    def node_maker(profile):
        make = honest(profile)

        def node_of(id, host, port, rack, coordinator=False):
            return make(port - 9092 if id < 0 else id, host, port, rack, coordinator)

        return node_of

    patch.setattr(network_client, "node_maker", node_maker)


def coordinator_shares_the_data_socket(patch):
    honest = network_client.node_maker

    def node_maker(profile):
        make = honest(profile)
        return lambda id, host, port, rack, coordinator=False: make(id, host, port, rack)

    patch.setattr(network_client, "node_maker", node_maker)
    patch.setattr(Node, "is_coordinator", property(lambda self: False))


def ids_when_sent(patch):
    """A request gets its correlation id when it leaves, not when it is made."""
    made, sent = NetworkClient.new_request, NetworkClient.send

    def send(self, request):
        self._wire_id = getattr(self, "_wire_id", -1) + 1
        request.correlation_id = self._wire_id
        sent(self, request)

    patch.setattr(NetworkClient, "new_request", made)
    patch.setattr(NetworkClient, "send", send)


def refresh_storm(patch):
    """Metadata is asked for again as soon as it has come."""
    honest = Metadata.update

    def update(self, response, now_ms, node_of):
        honest(self, response, now_ms, node_of)
        self.request_update()

    patch.setattr(Metadata, "update", update)


def leader_assigns_twice(patch):
    honest = assignors.range_assign

    def range_assign(cluster, members, static_first, by_rack):
        assignment = honest(cluster, members, static_first, by_rack)
        first = next((partitions for partitions in assignment.values() if partitions), [])
        return {
            member: list(dict.fromkeys(partitions + first[:1])) if partitions else partitions
            for member, partitions in assignment.items()
        }

    patch.setattr(assignors, "range_assign", range_assign)


def sticky_as_range(patch):
    patch.setattr(
        group_answers,
        "assign",
        lambda name, *rest: assignors.assign("range" if "sticky" in name else name, *rest),
    )


def absolute_murmur(patch):
    patch.setattr(partitioner, "by_key", lambda key, count: abs(murmur2(key)) % count)
    from kafkalab.proof.cases import hashes

    patch.setattr(hashes, "by_key", lambda key, count: abs(murmur2(key)) % count)


def commits_in_the_background(patch):
    """enable.auto.commit as the articles tell it: a timer of its own commits, poll or not."""
    honest = AutoCommit.restart

    def restart(self):
        honest(self)
        self._clock.at(self._due_ms, self.commit_if_due)

    patch.setattr(AutoCommit, "restart", restart)


def polls_not_watched(patch):
    """Only the session counts, as before KIP-62 gave heartbeats a thread:
    one that hangs in its work stays a member."""
    honest = Heartbeat.__init__
    patch.setattr(
        Heartbeat,
        "__init__",
        lambda self, session_timeout_ms, interval_ms, max_poll_interval_ms, retry_backoff_ms: (
            honest(self, session_timeout_ms, interval_ms, 2**31, retry_backoff_ms)
        ),
    )


def leaves_in_silence(patch):
    """The membership is given up here; the coordinator finds out when the session ends."""

    def leave_in_thread(self, reason):
        self._forget_membership()
        yield from ()

    patch.setattr(ConsumerCoordinator, "_leave_in_thread", leave_in_thread)


def lag_by_high_watermark(patch):
    honest = SubscriptionState.lag
    patch.setattr(
        SubscriptionState,
        "lag",
        lambda self, tp, isolation_level: honest(self, tp, "read_uncommitted"),
    )


MUTANTS = (
    Mutant(
        "commit before process",
        "a commit names one record more than was handed out",
        commit_before_process,
        Law("groups", "commits stay below"),
    ),
    Mutant(
        "idle at the limit",
        "a socket is closed when it was silent for exactly connections.max.idle.ms",
        idle_at_the_limit,
        Vector("idle_expiry"),
    ),
    Mutant(
        "idle never",
        "connections.max.idle.ms is ignored",
        idle_never,
        Vector("connections"),
        quick=False,
    ),
    Mutant(
        "idle newest first",
        "the socket used last is closed instead of the one used least",
        idle_newest_first,
        Vector("idle_expiry"),
    ),
    Mutant(
        "backoff from two",
        "the first pause before a reconnect is already doubled",
        backoff_from_two,
        Vector("reconnect_backoff"),
    ),
    Mutant(
        "set-up time-out never grows",
        "each attempt to connect may take as long as the first",
        setup_timeout_never_grows,
        Vector("connection_setup_timeout"),
    ),
    Mutant(
        "bootstrap is the broker",
        "node -1 counts as the broker behind it",
        bootstrap_is_the_broker,
        Vector("connections"),
        quick=False,
    ),
    Mutant(
        "coordinator shares the data socket",
        "the coordinator has no connection id of its own",
        coordinator_shares_the_data_socket,
        Vector("connections"),
        quick=False,
    ),
    Mutant(
        "ids when sent",
        "a correlation id is drawn when a request leaves",
        ids_when_sent,
        Vector("wire_sequence"),
    ),
    Mutant(
        "refresh storm",
        "metadata is asked for again as soon as it has come",
        refresh_storm,
        Recording("4.4.0/3.9.2/producer_defaults"),
    ),
    Mutant(
        "leader assigns twice",
        "one partition is given to two members",
        leader_assigns_twice,
        Law("groups", "one owner"),
    ),
    Mutant(
        "sticky as range",
        "both sticky assignors divide like range",
        sticky_as_range,
        Vector("assignor"),
    ),
    Mutant(
        "absolute murmur2",
        "a key's hash is made positive by abs()",
        absolute_murmur,
        Vector("murmur2"),
    ),
    Mutant(
        "commits in the background",
        "auto commit needs no poll",
        commits_in_the_background,
        Vector("auto_commit"),
    ),
    Mutant(
        "polls not watched",
        "max.poll.interval.ms is ignored: who hangs in its work stays a member",
        polls_not_watched,
        Law("slow readers", "who does not poll leaves"),
    ),
    Mutant(
        "leaves in silence",
        "who was too long away from poll() sends no LEAVE_GROUP",
        leaves_in_silence,
        Law("slow readers", "who does not poll leaves"),
    ),
    Mutant(
        "lag by high watermark",
        "read_committed lag is measured to the high watermark",
        lag_by_high_watermark,
        Vector("lag_lead"),
    ),
)
