"""The rules of leader election, as pure functions of the controller's state.

Kafka's classes are PartitionLeaderElectionAlgorithms (ZooKeeper) and PartitionChangeBuilder
(KRaft). A rule takes the assignment, the in-sync replicas and the brokers that may lead, and
returns an Election. No rule uses a clock or a cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

NO_LEADER = -1


class Election(NamedTuple):
    """The result of an election (PartitionChangeBuilder.ElectionResult).

    leader      a broker's id, -1 for none
    isr         the in-sync replicas from now on
    unclean     the leader was not in sync: records that other replicas had may be lost
    elr         eligible leader replicas: outside the ISR, with every record that was ever
                acknowledged (KIP-966)
    last_known  the last leader, kept while there is none (KIP-966); -1 for none
    """

    leader: int
    isr: tuple[int, ...]
    unclean: bool = False
    elr: tuple[int, ...] = ()
    last_known: int = NO_LEADER


def offline_election(
    assignment: Sequence[int], isr: Sequence[int], live: Collection[int], unclean: bool
) -> Election:
    """Elect after the leader has gone: the first live replica of the assignment in sync, else,
    where unclean is allowed, the first live one.

    Without a leader the ISR keeps its last member, which is known to have every record
    (PartitionLeaderElectionAlgorithms.offlinePartitionLeaderElection, PartitionStateMachine).
    """
    for replica in assignment:
        if replica in live and replica in isr:
            return Election(replica, tuple(member for member in isr if member in live))
    if unclean:
        for replica in assignment:
            if replica in live:
                return Election(replica, (replica,), unclean=True)
    return Election(NO_LEADER, without(isr, [member for member in isr if member not in live]))


def preferred_election(assignment: Sequence[int], isr: Sequence[int], live: Collection[int]) -> int:
    """Elect the first replica of the assignment, if it is live and in sync; else -1, and the leader
    stays."""
    first = assignment[0]
    return first if first in live and first in isr else NO_LEADER


def controlled_shutdown_election(
    assignment: Sequence[int],
    isr: Sequence[int],
    live: Collection[int],
    shutting_down: Collection[int],
) -> Election:
    """Elect for a broker's controlled shutdown: the first live replica of the assignment that is in
    sync and not stopping itself.

    Without another replica in sync the leader is -1: the broker leads until its process ends.
    """
    for replica in assignment:
        if replica in live and replica in isr and replica not in shutting_down:
            return Election(replica, tuple(member for member in isr if member not in shutting_down))
    return Election(NO_LEADER, tuple(isr))


def without(isr: Sequence[int], gone: Collection[int]) -> tuple[int, ...]:
    """Remove replicas from the ISR one after the other; its last member stays
    (ReplicaStateMachine.removeReplicasFromIsr)."""
    left = list(isr)
    for member in isr:
        if member in gone and len(left) > 1:
            left.remove(member)
    return tuple(left)


def eligible_election(
    assignment: Sequence[int],
    before: Election,
    target_isr: Sequence[int],
    acceptable: Collection[int],
    min_isr: int,
    unclean: bool = False,
    unclean_shutdown: Collection[int] = (),
) -> Election:
    """Elect in KRaft with eligible leader replicas (KIP-966, PartitionChangeBuilder): from the ISR,
    else from the ELR, else the last leader.

    before: the present leader, isr, elr and last_known. target_isr: the wanted ISR, which may be
        empty here. acceptable: the brokers that may lead: alive and not stopping. unclean_shutdown:
        the brokers that came back from a crash and may have lost records. A valid leader stays. A
        replica that leaves an ISR below min.insync.replicas becomes eligible: the high watermark
        does not move then, so the replica has every acknowledged record.
    """
    isr = tuple(target_isr)
    elr: tuple[int, ...] = ()
    if len(isr) < min_isr:
        candidates = dict.fromkeys((*before.elr, *before.isr))
        elr = tuple(
            member for member in candidates if member not in isr and member not in unclean_shutdown
        )
    order = ([before.leader] if before.leader != NO_LEADER else []) + list(assignment)
    for replica in order:
        if replica in acceptable and (replica in isr or (not isr and replica in elr)):
            if replica in elr:
                return Election(
                    replica, (replica,), elr=tuple(member for member in elr if member != replica)
                )
            return Election(replica, isr, elr=elr)
    if not isr and not elr and before.last_known in acceptable:
        return Election(before.last_known, (before.last_known,), unclean=True)
    if unclean:
        for replica in assignment:
            if replica in acceptable:
                return Election(replica, (replica,), unclean=True)
    last_known = before.last_known if before.leader == NO_LEADER else before.leader
    return Election(
        NO_LEADER, isr, elr=elr, last_known=last_known if not isr else before.last_known
    )
