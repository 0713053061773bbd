"""Lists the lines about replicas in a broker's server.log: leaders, followers, in-sync replicas.

Kafka's own log4j settings put what `state.change.logger` says into a file of its own,
state-change.log, and what KafkaController says into controller.log. What a KRaft controller says is
in broker_controller.py. Some of these lines are only
read: the simulator does not take their steps, or has not got their values.
"""

from __future__ import annotations

from kafkalab.lines.server_entry import JARS, either, kraft, server_line, zk

PARTITION = "kafka.cluster.Partition"
REPLICA = "kafka.cluster.Replica"
STATE_CHANGE = "state.change.logger"
FETCHERS = "kafka.server.ReplicaFetcherManager"
MANAGER = "kafka.server.ReplicaManager"
LIFECYCLE = "org.apache.kafka.server.BrokerLifecycleManager"
CONTROLLER_OLD = "kafka.controller.KafkaController"
SERVER_OLD, SERVER_NEW = "kafka.server.KafkaServer", "kafka.server.BrokerServer"
WHOLE = "whole server.log of brokers 2.3.1, 3.9.2 and 4.4.0 (data/whole_logs)"

P = "[Partition {partition} broker={broker_id}] "
B = "[Broker id={broker_id}] "
F = "[ReplicaFetcherManager on broker {broker_id}] "
C = "[Controller id={broker_id}] "
SERVER = "[BrokerServer id={broker_id}] "

ENTRIES = (
    server_line(
        "PARTITION_LEADS",
        zk(P + "{partition} starts at Leader Epoch {epoch} from offset {offset}. Previous Leader "
            "Epoch was: {epoch_before}", PARTITION),
        kraft(B + "Leader {partition} with topic id Some({topic_id}) starts at leader epoch "
            "{epoch} from offset {offset} with partition epoch {partition_epoch}, high watermark "
            "{high_watermark}, ISR [{isr}], adding replicas [] and removing replicas [] "
            "{under_min_isr}. Previous leader {leader_before} and previous leader epoch was "
            "{epoch_before}.", STATE_CHANGE),
    ),
    server_line(
        "PARTITION_FOLLOWS",
        kraft(B + "Follower {partition} starts at leader epoch {epoch} from offset {offset} with "
            "partition epoch {partition_epoch} and high watermark {high_watermark}. Current leader "
            "is {leader}. Previous leader {leader_before} and previous leader epoch was "
            "{epoch_before}.", STATE_CHANGE),
    ),
    server_line(
        "PARTITIONS_LED",
        kraft(B + "Transitioning {count} partition(s) to local leaders.", STATE_CHANGE),
    ),
    server_line(
        "PARTITIONS_FOLLOWED",
        kraft(B + "Transitioning {count} partition(s) to local followers.", STATE_CHANGE),
    ),
    server_line(
        "FETCHER_REMOVED", either(F + "Removed fetcher for partitions Set({partitions})", FETCHERS)
    ),
    server_line(
        "FETCHER_ADDED",
        zk(F + "Added fetcher to broker BrokerEndPoint(id={leader}, host={host}:{port}) for "
            "partitions Map({partitions})", FETCHERS),
        kraft(F + "Added fetcher to broker {leader} for partitions HashMap({partitions})",
              FETCHERS),
    ),
    server_line(
        "ISR_SHRINKS",
        either(P + "Shrinking ISR from {isr_before} to {isr}. Leader: (highWatermark: "
             "{high_watermark}, endOffset: {offset}). Out of sync replicas: {laggards}.",
             PARTITION),
        source=JARS,
    ),
    server_line(
        "ISR_EXPANDS", zk(P + "Expanding ISR from {isr_before} to {isr}", PARTITION)
    ),
    server_line(
        "ISR_UPDATED",
        kraft(P + "ISR updated to {isr} {under_min_isr} and version updated to {partition_epoch}",
            PARTITION),
    ),
    server_line(
        "BROKER_UNFENCED",
        kraft("[BrokerLifecycleManager id={broker_id}] The broker has been unfenced. Transitioning "
            "from RECOVERY to RUNNING.", LIFECYCLE),
    ),
    server_line(
        "BROKERS_CHANGED",
        zk(C + "Newly added brokers: {added}, deleted brokers: {gone}, bounced brokers: "
            "{bounced}, all live brokers: {live}", CONTROLLER_OLD),
    ),
    server_line(
        "BROKER_GONE", zk(C + "Broker failure callback for {brokers}", CONTROLLER_OLD)
    ),
    server_line(
        "BROKER_CAME", zk(C + "New broker startup callback for {brokers}", CONTROLLER_OLD)
    ),
    server_line(
        "PRODUCER_EPOCH_REFUSED",
        zk("[ReplicaManager broker={broker_id}] Error processing append operation on partition "
            "{partition}", MANAGER, "ERROR", trace=True),
    ),
    # only read
    server_line(
        "BROKER_STARTS",
        zk("starting", SERVER_OLD),
        kraft(SERVER + "Transition from SHUTDOWN to STARTING", SERVER_NEW),
        source=WHOLE,
    ),
    server_line(
        "BROKER_STARTED",
        zk("[KafkaServer id={broker_id}] started", SERVER_OLD),
        kraft(SERVER + "Transition from STARTING to STARTED", SERVER_NEW),
        source=WHOLE,
    ),
    server_line(
        "BROKER_STOPS",
        zk("[KafkaServer id={broker_id}] shutting down", SERVER_OLD),
        kraft(SERVER + "Transition from STARTED to SHUTTING_DOWN", SERVER_NEW),
        source=WHOLE,
    ),
    server_line(
        "BROKER_STOPPED",
        zk("[KafkaServer id={broker_id}] shut down completed", SERVER_OLD),
        kraft(SERVER + "Transition from SHUTTING_DOWN to SHUTDOWN", SERVER_NEW),
        source=WHOLE,
    ),
    server_line(
        "PARTITION_LEADER_STAYS",
        kraft(B + "Skipped the become-leader state change for {partition} with topic id "
            "Some({topic_id}), partition registration {registration} and isNew={is_new} since it "
            "is already the leader with leader epoch {epoch}. Current high watermark "
            "{high_watermark}, ISR [{isr}], adding replicas [] and removing replicas [].",
            STATE_CHANGE),
    ),
    server_line(
        "PARTITION_FOLLOWER_STAYS",
        kraft(B + "Skipped the become-follower state change for {partition} with topic id "
            "Some({topic_id}), partition registration {registration} and isNew={is_new} since it "
            "is already a follower with leader epoch {epoch}.", STATE_CHANGE),
    ),
    server_line(
        "PARTITION_CREATED",
        kraft(B + "Creating new partition {partition} with topic id {topic_id}.", STATE_CHANGE),
    ),
    server_line(
        "PARTITION_WITHOUT_CHECKPOINT",
        either(P + "No checkpointed highwatermark is found for partition {partition}", PARTITION),
    ),
    server_line(
        "PARTITION_LOADED",
        zk("Replica loaded for partition {partition} with initial high watermark "
            "{high_watermark}", REPLICA),
        kraft(P + "Log loaded for partition {partition} with initial high watermark "
            "{high_watermark}", PARTITION),
    ),
)  # fmt: skip
