"""The two assignors with a memory: StickyAssignor and CooperativeStickyAssignor. Sticky moves as
few partitions as it can, cooperative-sticky moves them in two steps.

From 2.4 both extend AbstractStickyAssignor. The Profile says which algorithm a version has. The
algorithms are in `general_assignment` and `constrained_assignment`; `ownership_claims` decides
which claims of the past they accept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.assignors.constrained_assignment import (
    ByQuota,
    Transferred,
    by_capacity,
)
from kafkalab.clients.consumer.assignors.general_assignment import GeneralAssignment
from kafkalab.clients.consumer.assignors.member_subscriptions import (
    DEFAULT_GENERATION,
    Assignment,
    MemberSubscription,
    PartitionsPerTopic,
    Say,
)
from kafkalab.clients.consumer.assignors.ownership_claims import (
    believed,
    by_generation,
    claim_by_claim,
    newest_generation_only,
    topics_equal,
)
from kafkalab.clients.consumer.assignors.rack_info import RackInfo

if TYPE_CHECKING:
    from kafkalab.releases import Profile


def sticky_assign(
    cluster: PartitionsPerTopic,
    members: Mapping[str, MemberSubscription],
    profile: Profile,
    say: Say,
    newest_generation: int = DEFAULT_GENERATION,
) -> tuple[Assignment, Transferred | None]:
    """The assignment, and the partitions that change their owner by it; None for these where the
    general algorithm ran and did not count.

    newest_generation: the highest this assignor saw in earlier rounds.
    """
    racks = RackInfo(cluster, members, profile.group.assigns_by_rack)
    alike, _looked_at = topics_equal(members)
    if profile.group.sticky_fast_path == "":
        past = (
            by_generation(members) if profile.group.sticky_knows_generations else believed(members)
        )
    elif profile.group.sticky_fast_path == "capacity":
        if alike:
            say("STICKY_ALL_SUBSCRIBED_ALIKE")
            return by_capacity(cluster, newest_generation_only(cluster, members), say)
        past = by_generation(members)
    else:
        newest = max(
            [
                newest_generation,
                *(m.generation for m in members.values() if m.generation is not None),
            ]
        )
        past = claim_by_claim(cluster, members, newest)
        if alike:
            say("STICKY_ALL_SUBSCRIBED_ALIKE")
            builder = ByQuota(cluster, past, racks, profile, say)
            return builder.build(), builder.transferred
    return GeneralAssignment(cluster, members, past, racks, profile, say).build(), None


def forgetting(
    members: Mapping[str, MemberSubscription], cooperative: bool
) -> dict[str, MemberSubscription]:
    """The claims that 2.4 to 3.3 still have when the general algorithm begins: user data was read
    once already, and its buffer is at its end.

    Of members that were compared before one wanted other topics, sticky has forgotten everything,
    cooperative-sticky the generation.
    """
    _, looked_at = topics_equal(members)
    found = dict(members)
    for member in looked_at:
        if cooperative:
            generation = None if members[member].generation is None else DEFAULT_GENERATION
            found[member] = replace(members[member], generation=generation)
        else:
            found[member] = replace(members[member], owned=None, generation=None)
    return found


def withhold(
    assignment: Assignment,
    members: Mapping[str, MemberSubscription],
    transferred: Transferred | None,
) -> Assignment:
    """The first step of a cooperative rebalance: partitions that another member still holds are
    left out until it has revoked them (KIP-429)."""
    if transferred is None:
        owner_of = {
            tp: member for member, described in members.items() for tp in described.owned or ()
        }
        gone = {tp for tp, member in owner_of.items() if member in assignment}
        revoked = {
            tp
            for member, described in members.items()
            for tp in set(described.owned or ()).difference(assignment[member])
        } & gone
        transferred = {
            tp: member
            for member, held in assignment.items()
            for tp in held
            if tp in revoked and tp not in (members[member].owned or ())
        }
    for partition, member in transferred.items():
        if partition in assignment[member]:
            assignment[member].remove(partition)
    return assignment
