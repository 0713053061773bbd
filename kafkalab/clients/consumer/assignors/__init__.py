"""The four assignors, with which a group's leader divides partitions among members, in each
version's form.

`assign` does all of it as a function of plain values. A consumer that takes part in rebalances
holds a `PartitionAssignor`, which remembers its last assignment
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
