"""The rules of leader election, as functions of what the controller knows.

Kafka's classes are PartitionLeaderElectionAlgorithms (ZooKeeper) and PartitionChangeBuilder
(KRaft). A rule takes the assignment, the in-sync replicas and who may lead, and returns an
Election; nothing here knows a clock or a cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

NO_LEADER = -1


class Election(NamedTuple):
    """What an election decided.

    leader      a broker's id, -1 for nobody
    isr         the in-sync replicas from now on
    unclean     the leader was not in sync: records that others had may be gone
    elr         eligible leader replicas: out of the ISR, yet with every record that was ever
                acknowledged (KIP-966)
    last_known  who led last, remembered while nobody leads (KIP-966); -1 for nobody
    """

    leader: int
    isr: tuple[int, ...]
    unclean: bool = False
    elr: tuple[int, ...] = ()
    last_known: int = NO_LEADER


def offline_election(
    assignment: Sequence[int], isr: Sequence[int], live: Collection[int], unclean: bool
) -> Election:
    """The leader is gone: the first of the assignment that lives and is in sync; where unclean,
    else the first that lives.

    Without a leader the ISR keeps its last member, so that it is known who had everything
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
    """The first of the assignment where it lives and is in sync; -1 where not:
    the leader stays as it is."""
    first = assignment[0]
    return first if first in live and first in isr else NO_LEADER


def controlled_shutdown_election(
    assignment: Sequence[int],
    isr: Sequence[int],
    live: Collection[int],
    shutting_down: Collection[int],
) -> Election:
    """A broker stops in an orderly way: the first of the assignment that lives, is in sync and is
    not stopping itself.

    Where nobody else is in sync the broker goes on leading until its process ends: leader -1.
    """
    for replica in assignment:
        if replica in live and replica in isr and replica not in shutting_down:
            return Election(replica, tuple(member for member in isr if member not in shutting_down))
    return Election(NO_LEADER, tuple(isr))


def without(isr: Sequence[int], gone: Collection[int]) -> tuple[int, ...]:
    """The ISR without those, one after the other; its last member stays
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
    """KRaft with eligible leader replicas (KIP-966, PartitionChangeBuilder): ISR, else ELR, else
    who led last.

    before: leader, isr, elr and last_known as they are. target_isr: the ISR wanted, which may be
        empty here.
    acceptable: who may lead: alive and not stopping. unclean_shutdown: who came back from a crash
        and may lack records. A valid leader stays. A replica that leaves an ISR below
        min.insync.replicas becomes eligible: the high watermark does not move then, so it has all
        that was acknowledged.
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
