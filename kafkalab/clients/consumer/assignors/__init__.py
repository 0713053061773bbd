"""Who reads which partition? The leader of the group decides with one of four assignors, each as
its version had it.

`assign` is the whole of it as a function of plain values. A consumer that takes part in rebalances
holds a `PartitionAssignor`, which remembers what it was assigned
(org.apache.kafka.clients.consumer.*Assignor).
"""

from kafkalab.clients.consumer.assignors.assignment import ASSIGNORS, assign
from kafkalab.clients.consumer.assignors.learners_assignor import LearnersAssignor
from kafkalab.clients.consumer.assignors.member_subscriptions import Assignment, MemberSubscription
from kafkalab.clients.consumer.assignors.partition_assignor import PartitionAssignor

__all__ = [
    "ASSIGNORS",
    "Assignment",
    "LearnersAssignor",
    "MemberSubscription",
    "PartitionAssignor",
    "assign",
]
