"""Computes an assignment with one of the four assignors: topics and members in, assignment out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.assignors.member_subscriptions import (
    DEFAULT_GENERATION,
    Assignment,
    MemberSubscription,
    PartitionRacks,
    PartitionsPerTopic,
    Say,
)
from kafkalab.clients.consumer.assignors.ownership_claims import topics_equal
from kafkalab.clients.consumer.assignors.range_and_round_robin import (
    range_assign,
    round_robin_assign,
)
from kafkalab.clients.consumer.assignors.sticky_assignors import (
    forgetting,
    sticky_assign,
    withhold,
)
from kafkalab.clients.network.hash_order import ids_in_hash_order

if TYPE_CHECKING:
    from kafkalab.releases import Profile

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
"""The assignors' names in a JoinGroup request."""


def assign(
    name: str,
    profile: Profile,
    partitions_of: Mapping[str, int | PartitionRacks],
    members: Mapping[str, MemberSubscription],
    say: Say = lambda name, **values: None,
    newest_generation: int = DEFAULT_GENERATION,
) -> Assignment:
    """Divides the partitions of the topics the members want.

    name           one of ASSIGNORS
    profile        of the leader's version (`versions.PROFILES`)
    partitions_of  topic -> how many partitions it has, or for each partition the racks of its
                   replicas
    members        member id -> MemberSubscription
    say            how to write a line: say("STICKY_FINAL", assignment=...), with values, not texts
    newest_generation  the highest generation this leader saw in earlier rounds

    A topic that does not exist is left out. Raises ValueError for an unknown name and for
    cooperative-sticky before 2.4 (KIP-429); IllegalStateException where one of Java's sticky
    assignors fails on contradictory claims.
    """
    members = {member: members[member] for member in ids_in_hash_order(members)}
    cluster = PartitionsPerTopic(partitions_of, members)
    if name == "range":
        return range_assign(
            cluster, members, profile.group.assigns_static_first, profile.group.assigns_by_rack
        )
    if name == "roundrobin":
        return round_robin_assign(cluster, members, profile.group.assigns_static_first)
    if name not in ASSIGNORS:
        raise ValueError(f"there is no assignor {name!r}; there are {', '.join(ASSIGNORS)}")
    cooperative = name == "cooperative-sticky"
    if cooperative and not profile.group.tells_owned_partitions:
        raise ValueError(
            f"clients {profile.name} have no cooperative-sticky assignor: it came with 2.4 "
            "(KIP-429)"
        )
    remembered = (
        members
        if cooperative
        else {member: _in_user_data(described) for member, described in members.items()}
    )
    if profile.group.sticky_reads_user_data_once and not topics_equal(members)[0]:
        remembered = forgetting(remembered, cooperative)
    assignment, transferred = sticky_assign(cluster, remembered, profile, say, newest_generation)
    return withhold(assignment, members, transferred) if cooperative else assignment


def _in_user_data(member: MemberSubscription) -> MemberSubscription:
    """The subscription as sticky reads it: a member without user data has no generation there,
    though its subscription may have one (KIP-792)."""
    sent = member.generation if member.sent_generation is None else member.sent_generation
    return (
        member
        if member.owned is not None
        else replace(member, generation=None, sent_generation=sent)
    )
