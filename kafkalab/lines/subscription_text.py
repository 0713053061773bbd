"""Prints a member's subscription as in "Performing assignment using strategy range with
subscriptions {...}".

Kafka's class is `ConsumerPartitionAssignor.Subscription` (`PartitionAssignor.Subscription` until
2.3).
"""

from kafkalab.lines.java_values import identity_text, list_text, value_text
from kafkalab.protocol.consumer_protocol import Subscription, subscription_bytes
from kafkalab.releases import PROFILES

CLASS = "org.apache.kafka.clients.consumer.ConsumerPartitionAssignor$Subscription"


def subscription_text(
    subscription: Subscription, version: str, group_instance_id: str | None = None
) -> str:
    """`Subscription(topics=[t4], ownedPartitions=[],
    groupInstanceId=null, generationId=-1, rackId=null)`."""
    habit = PROFILES[version].printing.subscription
    if habit == "identity":
        return identity_text(
            CLASS, subscription_bytes(PROFILES[version].group.subscription_style, subscription)
        )
    topics = f"topics={list_text(subscription.topics)}"
    if habit == "topics":
        return f"Subscription({topics})"
    size = "" if subscription.user_data is None else f", userDataSize={len(subscription.user_data)}"
    owned = list_text(
        f"{topic}-{number}"
        for topic, numbers in (subscription.owned or {}).items()
        for number in numbers
    )
    return (
        f"Subscription({topics}{size}, ownedPartitions={owned}, "
        f"groupInstanceId={value_text(group_instance_id)}, "
        f"generationId={subscription.generation_id}, rackId={value_text(subscription.rack_id)})"
    )
