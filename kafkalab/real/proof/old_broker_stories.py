"""Stories that run on brokers 2.3 with ZooKeeper as well, with the clients of their time."""

from __future__ import annotations

from kafkalab.real.proof.claim import on_brokers
from kafkalab.real.proof.connection_stories import coordinators_id, first_consumer, two_brokers
from kafkalab.real.proof.group_stories import join, killed_member
from kafkalab.real.proof.offset_stories import three_numbers
from kafkalab.real.proof.replica_stories import below_the_floor, leader_crash

BROKERS = "2.3"
THEN = ("2.1", "2.2", "2.3")
OLD_AND_NEW = ("2.3", "4.4")

producer_then = on_brokers(two_brokers, BROKERS, THEN)
consumer_then = on_brokers(first_consumer, BROKERS, THEN)
node_id_then = on_brokers(coordinators_id, BROKERS, OLD_AND_NEW)
crash_then = on_brokers(leader_crash, BROKERS, OLD_AND_NEW)
floor_then = on_brokers(below_the_floor, BROKERS, OLD_AND_NEW)
join_then = on_brokers(join, BROKERS, OLD_AND_NEW)
killed_then = on_brokers(killed_member, BROKERS, OLD_AND_NEW)
offsets_then = on_brokers(three_numbers, BROKERS, OLD_AND_NEW)
