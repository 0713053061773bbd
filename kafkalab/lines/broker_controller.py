"""Lists the lines that a KRaft controller writes: brokers that come and go, topics, leaders.

The controller is a process of its own here, node 100, with a log of its own: Kafka's log4j settings
put what org.apache.kafka.controller says into controller.log. A change of a leader or an ISR is one
line on level DEBUG; on INFO there is a line only where records may be lost (UNCLEAN). What
`registration` stands for is the text of a PartitionRegistration, and `change` the fields that
differ, with the value before and after an arrow.
"""

from __future__ import annotations

from kafkalab.lines.server_entry import kraft, other, server_line

CONTROL = "org.apache.kafka.controller."
REPLICATION = CONTROL + "ReplicationControlManager"
CLUSTER = CONTROL + "ClusterControlManager"
HEARTBEATS = CONTROL + "BrokerHeartbeatManager"
QUORUM = CONTROL + "QuorumController"
Q = "[QuorumController id={broker_id}] "
RECORDED = "controller.log of a KRaft controller 4.4.0 (data/tools/controller_*.txt)"
OTHERS = "other logs of KRaft controllers 4.4.0, which are not kept here"

ENTRIES = (
    server_line(
        "BROKER_FENCED",
        kraft(Q + "Fencing broker {member} at epoch {epoch} because its session has timed out.",
              REPLICATION),
        other(Q + "Fencing broker {member} because its session has timed out.", REPLICATION),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_CHANGES_PARTITIONS",
        kraft(Q + "{operation}: changing {count} partition(s)", REPLICATION),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_REGISTERS_AGAIN",
        kraft(Q + "Registering a new incarnation of broker {member}. Previous incarnation ID was "
              "{incarnation_before}; new incarnation ID is {incarnation}. Generated {count} "
              "record(s) to clean up previous incarnations. Broker epoch will become {epoch}.",
              CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_UNFENCES",
        kraft(Q + "The request from broker {member} to unfence has been granted because it has "
              "caught up with the offset of its register broker record {epoch}.", HEARTBEATS),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_LETS_STOP",
        kraft(Q + "Unfenced broker {member} has requested and been granted a controlled shutdown.",
              HEARTBEATS),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_ENDS_STOP",
        kraft(Q + "The request from broker {member} to shut down has been granted since the lowest "
              "active offset {active} is now greater than the broker's controlled shutdown offset "
              "{shutdown}.", HEARTBEATS),
        source=RECORDED,
    ),
    server_line(
        "REGISTRATION_CHANGED",
        kraft(Q + "Replayed BrokerRegistrationChangeRecord modifying the registration for broker "
              "{member}: BrokerRegistrationChangeRecord(brokerId={member}, brokerEpoch={epoch}, "
              "fenced={fenced}, inControlledShutdown={stopping}, logDirs=[], "
              "cordonedLogDirs=null)", CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "TOPIC_MADE",
        kraft(Q + "Replayed TopicRecord for topic {topic} with topic ID {topic_id}.", REPLICATION),
        source=RECORDED,
    ),
    server_line(
        "PARTITION_MADE",
        kraft(Q + "Replayed PartitionRecord for new partition {partition} with topic ID {topic_id} "
              "and PartitionRegistration({registration}).", REPLICATION),
        source=RECORDED,
    ),
    server_line(
        "TOPIC_REMOVED",
        kraft(Q + "Replayed RemoveTopicRecord for topic {topic} with ID {topic_id}.", REPLICATION),
        source=OTHERS,
    ),
    server_line(
        "PARTITION_CHANGED",
        kraft(Q + "partition change for {partition} with topic ID {topic_id}: {change}",
              REPLICATION, "DEBUG"),
        source=RECORDED,
    ),
    server_line(
        "PARTITION_CHANGED_UNCLEAN",
        kraft(Q + "UNCLEAN partition change for {partition} with topic ID {topic_id}: {change}",
              REPLICATION),
        source=RECORDED,
    ),
    # only read
    server_line(
        "CONTROLLER_ACTIVE",
        kraft(Q + "Becoming the active controller at epoch {epoch}, next write offset {offset}.",
              QUORUM),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_ACTIVATES",
        kraft(Q + "Performing controller activation. {what}", QUORUM, "WARN"),
        source=RECORDED,
    ),
    server_line(
        "REGISTRATION_REFUSED",
        kraft(Q + "registerBroker: event failed with DuplicateBrokerRegistrationException in "
              "{took} microseconds. Exception message: {reason}", QUORUM),
        source=RECORDED,
    ),
    server_line(
        "CONTROLLER_REGISTERS",
        kraft(Q + "No previous registration found for broker {member}. New incarnation ID is "
              "{incarnation}.  Generated {count} record(s) to clean up previous incarnations. New "
              "broker epoch is {epoch}.", CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "REGISTRATION_MADE",
        kraft(Q + "Replayed initial RegisterBrokerRecord for broker {member}: "
              "RegisterBrokerRecord({registration})", CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "REGISTRATION_MADE_AGAIN",
        kraft(Q + "Replayed RegisterBrokerRecord establishing a new incarnation of broker "
              "{member}: RegisterBrokerRecord({registration})", CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "REGISTRATION_DIRECTORIES",
        kraft(Q + "Replayed BrokerRegistrationChangeRecord modifying the registration for broker "
              "{member}: BrokerRegistrationChangeRecord(brokerId={member}, brokerEpoch={epoch}, "
              "fenced={fenced}, inControlledShutdown={stopping}, logDirs=[{directories}], "
              "cordonedLogDirs=[])", CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "REGISTRATION_UNCHANGED",
        kraft(Q + "Ignoring no-op registration change for BrokerRegistration({registration})",
              CLUSTER),
        source=RECORDED,
    ),
    server_line(
        "TOPICS_ASKED_FOR", kraft(Q + "CreateTopics result(s): {results}", REPLICATION),
        source=RECORDED,
    ),
    server_line(
        "TOPICS_DELETED", kraft(Q + "DeleteTopics result(s): {results}", REPLICATION),
        source=OTHERS,
    ),
)  # fmt: skip
