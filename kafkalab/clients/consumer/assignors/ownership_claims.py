"""Decides which members' claims on partitions a sticky assignor accepts (AbstractStickyAssignor).

Members may claim the same partition, in one generation or in several. There are three rules, by
version: every claim is accepted (2.1), the highest generation wins (2.3, KIP-341), each pair of
claims is compared (3.4, KAFKA-13715; 3.5, KAFKA-14639).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafkalab.clients.consumer.assignors.member_subscriptions import (
    DEFAULT_GENERATION,
    MemberSubscription,
    PartitionsPerTopic,
)
from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.records import TopicPartition


@dataclass(slots=True)
class Ownership:
    """The accepted claims of the past.

    held           member -> the partitions it may keep
    previous       partition -> its owner a generation earlier, in the order of Java's HashMap
    newest_first   Java's map of `held` puts a new member at the head of its bucket
                   (computeIfAbsent)
    disputed       partitions that several members claimed in one generation: no member keeps them
    """

    held: dict[str, list[TopicPartition]] = field(default_factory=dict)
    previous: dict[TopicPartition, str] = field(default_factory=dict)
    disputed: dict[TopicPartition, None] = field(default_factory=dict)
    newest_first: bool = False


def topics_equal(members: Mapping[str, MemberSubscription]) -> tuple[bool, tuple[str, ...]]:
    """Whether all subscribed to the same topics, and which members were compared before one
    differed.

    The class compares with the first subscription that is not empty.
    """
    measure: frozenset[str] = frozenset()
    seen: list[str] = []
    for member, described in members.items():
        if not measure:
            measure = frozenset(described.topics)
        elif len(described.topics) != len(measure) or not measure.issuperset(described.topics):
            return False, tuple(seen)
        seen.append(member)
    return True, tuple(seen)


def believed(members: Mapping[str, MemberSubscription]) -> Ownership:
    """Until 2.2: each member holds what it claims."""
    return Ownership(
        {
            member: list(described.owned)
            for member, described in members.items()
            if described.owned is not None
        }
    )


def by_generation(members: Mapping[str, MemberSubscription]) -> Ownership:
    """From 2.3 (KIP-341): the claim of the highest generation counts, the next one is remembered as
    the previous owner.

    Of two claims in one generation the first is accepted (prepopulateCurrentAssignments).
    """
    claims: dict[TopicPartition, dict[int, str]] = {}
    for member, described in members.items():
        generation = DEFAULT_GENERATION if described.generation is None else described.generation
        for partition in described.owned or ():
            claimed = claims.setdefault(partition, {})
            if described.generation is None or generation not in claimed:
                claimed[generation] = member
    found = Ownership(newest_first=True)
    for partition in partitions_in_hash_order(claims):
        newest_first = sorted(claims[partition], reverse=True)
        found.held.setdefault(claims[partition][newest_first[0]], []).append(partition)
        if len(newest_first) > 1:
            found.previous[partition] = claims[partition][newest_first[1]]
    found.previous = {
        partition: found.previous[partition]
        for partition in partitions_in_hash_order(found.previous)
    }
    return found


def newest_generation_only(
    cluster: PartitionsPerTopic, members: Mapping[str, MemberSubscription]
) -> Ownership:
    """2.6 to 3.3, members that want the same topics: a member behind the highest generation holds
    nothing (allSubscriptionsEqual).

    Of two claims in that generation neither is accepted, nor is a third.
    """
    found = Ownership()
    owner: dict[TopicPartition, str] = {}
    newest = DEFAULT_GENERATION
    current: list[str] = []
    for member, described in members.items():
        held = found.held[member] = []
        generation = described.generation
        if (generation is None and newest != DEFAULT_GENERATION) or (
            generation is not None and generation < newest
        ):
            continue
        if generation is not None and generation > newest:
            owner.clear()
            found.disputed.clear()
            for behind in current:
                found.held[behind].clear()
            newest, current = generation, []
        current.append(member)
        for partition in described.owned or ():
            if partition.topic not in cluster.counts:
                continue
            other = owner.setdefault(partition, member)
            if other == member:
                held.append(partition)
            else:
                if partition in found.held[other]:
                    found.held[other].remove(partition)
                found.disputed[partition] = None
    return found


def claim_by_claim(
    cluster: PartitionsPerTopic, members: Mapping[str, MemberSubscription], newest: int
) -> Ownership:
    """From 3.4: the claim of a higher generation wins over a lower one; equal ones cancel each
    other.

    newest  the highest generation this assignor has ever seen; a member behind it may be a previous
            owner.
    """
    found = Ownership()
    owner: dict[TopicPartition, str] = {}
    for member, described in members.items():
        held = found.held[member] = []
        generation = DEFAULT_GENERATION if described.generation is None else described.generation
        for partition in described.owned or ():
            if partition.topic not in cluster.counts:
                continue
            other = owner.get(partition)
            if other is None:
                held.append(partition)
                owner[partition] = member
                continue
            others = _sent(members[other])
            if generation < others:
                continue
            if partition in found.held[other]:
                found.held[other].remove(partition)
            owner[partition] = member
            if generation == others:
                found.disputed[partition] = None
            else:
                held.append(partition)
    best: dict[TopicPartition, int] = {}
    for member, described in members.items():
        generation = DEFAULT_GENERATION if described.generation is None else described.generation
        if generation < newest:
            for partition in described.owned or ():
                if partition not in best or generation > best[partition]:
                    best[partition], found.previous[partition] = generation, member
    return found


def _sent(member: MemberSubscription) -> int:
    sent = member.generation if member.sent_generation is None else member.sent_generation
    return DEFAULT_GENERATION if sent is None else sent
