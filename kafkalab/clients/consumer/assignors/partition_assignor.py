"""PartitionAssignor: an assignor with a memory, as one consumer holds it
(ConsumerPartitionAssignor; PartitionAssignor until 2.3).

It remembers its last assignment, writes it into its next subscription, and reads it in those of
others. Kafka's methods are subscriptionUserData, onAssignment and assign.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.assignors import user_data
from kafkalab.clients.consumer.assignors.assignment import assign
from kafkalab.clients.consumer.assignors.member_subscriptions import (
    DEFAULT_GENERATION,
    Assignment,
    MemberSubscription,
    PartitionRacks,
    Say,
)
from kafkalab.protocol.consumer_protocol import Subscription
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class PartitionAssignor:
    """One of a consumer's assignors.

    name         its name in JoinGroup
    cooperative  its members keep their partitions while they join (KIP-429)
    """

    def __init__(self, name: str, profile: Profile, say: Say) -> None:
        self.name = name
        self.cooperative = name == "cooperative-sticky"
        self._profile, self._say = profile, say
        self._assigned: tuple[TopicPartition, ...] | None = None
        self._generation = self._newest = DEFAULT_GENERATION

    def subscription_user_data(self) -> bytes | None:
        """The user data of this member's subscription; None for none."""
        if self.cooperative:
            return user_data.cooperative_user_data(self._generation)
        if self.name != "sticky" or self._assigned is None:
            return None
        return user_data.sticky_user_data(
            self._assigned,
            self._generation if self._profile.group.sticky_knows_generations else None,
        )

    def on_assignment(self, partitions: Iterable[TopicPartition], generation: int) -> None:
        self._assigned, self._generation = tuple(partitions), generation

    def assign(
        self,
        partitions_of: Mapping[str, int | PartitionRacks],
        subscriptions: Mapping[str, Subscription],
        instance_ids: Mapping[str, str | None],
    ) -> Assignment:
        """The leader's assignment. partitions_of: see `assign`. instance_ids: member ->
        group.instance.id of the static ones."""
        members = {
            m: self._member(subscription, instance_ids.get(m))
            for m, subscription in subscriptions.items()
        }
        assignment = assign(
            self.name, self._profile, partitions_of, members, self._say, self._newest
        )
        self._newest = max(
            [self._newest, *(m.generation for m in members.values() if m.generation is not None)]
        )
        return assignment

    def _member(self, subscription: Subscription, instance_id: str | None) -> MemberSubscription:
        owned = None if subscription.owned is None else _listed(subscription.owned)
        sent = None if subscription.generation_id < 0 else subscription.generation_id
        generation = sent
        if self.name == "sticky":
            owned, generation = user_data.parse_sticky_user_data(subscription.user_data)
            if not self._profile.group.sticky_knows_generations:
                generation = None
        elif self.cooperative and sent is None:
            generation = user_data.parse_cooperative_user_data(subscription.user_data)
        return MemberSubscription(
            topics=subscription.topics,
            owned=owned,
            generation=generation,
            sent_generation=DEFAULT_GENERATION if sent is None else sent,
            instance_id=instance_id,
            rack_id=subscription.rack_id,
        )


def _listed(owned: Mapping[str, Iterable[int]]) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(topic, number) for topic, numbers in owned.items() for number in numbers
    )
