"""LearnersAssignor: a learner's function or object in the place of an assignor
(ConsumerPartitionAssignor).

    def all_to_the_first(partitions, subscriptions):
        first = min(subscriptions)
        return {first: [(topic, number) for topic in subscriptions[first]
                        for number in range(partitions[topic])]}

    KafkaConsumer(lab, {"group.id": "billing", "partition.assignment.strategy": all_to_the_first})

partitions is {topic: how many}, subscriptions {member id: [topic, ...]}; the result is {member id:
[(topic, number), ...]}. As in Kafka, no check ensures that every partition has exactly one owner.
The name in JoinGroup is the object's `name`, else the function's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.consumer.assignors.member_subscriptions import Assignment, PartitionRacks
from kafkalab.clients.network.hash_order import ids_in_hash_order
from kafkalab.protocol.consumer_protocol import Subscription
from kafkalab.records import TopicPartition


class LearnersAssignor:
    """Replaces a PartitionAssignor. It remembers nothing and is eager."""

    cooperative = False

    def __init__(self, name: str, given: Any) -> None:
        self.name = name
        rule = given() if isinstance(given, type) else given
        self._assign: Callable[[dict[str, Any], dict[str, Any]], Mapping[str, Any]] = (
            rule.assign if hasattr(rule, "assign") else rule
        )

    def subscription_user_data(self) -> bytes | None:
        return None

    def on_assignment(self, partitions: Iterable[TopicPartition], generation: int) -> None:
        pass

    def assign(
        self,
        partitions_of: Mapping[str, int | PartitionRacks],
        subscriptions: Mapping[str, Subscription],
        instance_ids: Mapping[str, str | None],
    ) -> Assignment:
        """Calls the rule. Raises ValueError for a result that no consumer could use; the leader's
        poll() raises it, too."""
        counts = {
            topic: known if isinstance(known, int) else len(known)
            for topic, known in partitions_of.items()
        }
        wanted = {topic for subscription in subscriptions.values() for topic in subscription.topics}
        said = self._assign(
            {topic: counts[topic] for topic in sorted(wanted & set(counts))},
            {member: list(subscription.topics) for member, subscription in subscriptions.items()},
        )
        if not isinstance(said, Mapping):
            raise ValueError(
                f"{self.name} gives a dict, {{member id: [(topic, number), ...]}}, not {said!r}"
            )
        if unknown := [member for member in said if member not in subscriptions]:
            raise ValueError(
                f"{self.name} gives partitions to {unknown[0]!r}, which is no member; there are "
                f"{', '.join(sorted(subscriptions))}"
            )
        return {
            member: [
                self._checked(each, member, counts, subscriptions[member].topics)
                for each in said.get(member) or ()
            ]
            for member in ids_in_hash_order(subscriptions)
        }

    def _checked(
        self, each: Any, member: str, counts: Mapping[str, int], topics: tuple[str, ...]
    ) -> TopicPartition:
        pair = (each.topic, each.partition) if isinstance(each, TopicPartition) else each
        if not (
            isinstance(pair, (tuple, list))
            and len(pair) == 2
            and isinstance(pair[0], str)
            and type(pair[1]) is int
        ):
            raise ValueError(
                f"{self.name} gives each member a list of pairs (topic, number), not {each!r}"
            )
        topic, number = pair
        if topic not in topics:
            raise ValueError(
                f"{self.name} gives {topic}-{number} to {member}, which did not subscribe to "
                f"{topic}"
            )
        if not 0 <= number < counts.get(topic, 0):
            raise ValueError(
                f"{self.name} gives away {topic}-{number}; {topic} has {counts.get(topic, 0)} "
                "partitions"
            )
        return TopicPartition(topic, number)
