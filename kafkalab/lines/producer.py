"""Entries of the lines that a producer writes (KafkaProducer, RecordAccumulator, Sender,
TransactionManager). They follow a record from the constructor to close(); idempotence and
transactions come last."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, error, info, trace, warn

PRODUCER = "org.apache.kafka.clients.producer."
INTERNALS = PRODUCER + "internals."
KAFKA_PRODUCER = PRODUCER + "KafkaProducer"
ACCUMULATOR = INTERNALS + "RecordAccumulator"
PARTITIONER = INTERNALS + "BuiltInPartitioner"
BATCH = INTERNALS + "ProducerBatch"
SENDER = INTERNALS + "Sender"
TRANSACTIONS = INTERNALS + "TransactionManager"
TXN_PARTITIONS = INTERNALS + "TxnPartitionMap"
TOPICS = INTERNALS + "ProducerMetadata"
INTERCEPTORS = INTERNALS + "ProducerInterceptors"
PRODUCER_CONFIG = PRODUCER + "ProducerConfig"
NOTHING_IN_FLIGHT = (
    "No inflight batches remaining for {partition}, last ack'd sequence for partition is {last}, "
    "next sequence is {next}. "
)
LINE_TABLES = (
    "line number tables of the released jars of all eight versions; no recording has the line"
)

# fmt: off
STARTING = (
    entry("NOT_IDEMPOTENT_WITHOUT_RETRIES", PRODUCER_CONFIG,
          info("Idempotence will be disabled because retries is set to 0.", since="3.6",
               prefixed=False), source=LINE_TABLES),
    entry("NOT_IDEMPOTENT_WITH_ACKS", PRODUCER_CONFIG,
          info("Idempotence will be disabled because acks is set to {acks}, not set to 'all'.",
               since="3.6", prefixed=False),
          source=LINE_TABLES),
    entry("NOT_IDEMPOTENT_WITH_MANY_IN_FLIGHT", PRODUCER_CONFIG,
          warn("Idempotence will be disabled because max.in.flight.requests.per.connection is set "
               "to {count}, which is greater than 5. "
               "Please note that in v4.0.0 and onward, this will become an error.", since="3.6",
               until="3.9", prefixed=False),
          source=LINE_TABLES),
    entry("DELIVERY_TIMEOUT_RAISED", KAFKA_PRODUCER,
          warn("delivery.timeout.ms should be equal to or larger than linger.ms + "
               "request.timeout.ms. Setting it to {timeout_ms}."), source=LINE_TABLES),
    entry("PRODUCER_STARTING", KAFKA_PRODUCER,
          trace("Starting the Kafka producer")),
    entry("IDEMPOTENCE_BY_TRANSACTIONAL_ID", KAFKA_PRODUCER,
          info("Overriding the default enable.idempotence to true since transactional.id is "
               "specified.", since="2.8", until="2.8")),
    entry("RETRIES_BY_IDEMPOTENCE", KAFKA_PRODUCER,
          info("Overriding the default retries config to the recommended value of 2147483647 "
               "since the idempotent producer is enabled.",
               until="2.3")),
    entry("ACKS_BY_IDEMPOTENCE", KAFKA_PRODUCER,
          info("Overriding the default acks to all since idempotence is enabled.", until="2.8")),
    entry("PRODUCER_IS_IDEMPOTENT", KAFKA_PRODUCER,
          info("Instantiated an idempotent producer.")),
    entry("PRODUCER_IS_TRANSACTIONAL", KAFKA_PRODUCER,
          info("Instantiated a transactional producer.")),
    entry("PRODUCER_STARTED", KAFKA_PRODUCER,
          debug("Kafka producer started")),
    entry("SENDER_STARTING", SENDER,
          debug("Starting Kafka producer I/O thread.")),
)

SENDING = (
    entry("METADATA_WANTED_FOR_TOPIC", KAFKA_PRODUCER,
          trace("Requesting metadata update for topic {topic}.")),
    entry("METADATA_WANTED_FOR_PARTITION", KAFKA_PRODUCER,
          trace("Requesting metadata update for partition {partition} of topic {topic}.")),
    entry("APPENDING_RECORD", KAFKA_PRODUCER,
          trace("Sending record {record} with callback {callback} to topic {topic} partition "
                "{partition}", until="2.3"),
          trace("Attempting to append record {record} with callback {callback} to topic {topic} "
                "partition {partition}",
                since="2.8")),
    entry("RETRYING_APPEND", KAFKA_PRODUCER,
          trace("Retrying append due to new batch creation for topic {topic} partition "
                "{partition}. The old partition was {old_partition}",
                since="2.8", until="3.9")),
    entry("ALLOCATING_BUFFER", ACCUMULATOR,
          trace("Allocating a new {size} byte message buffer for topic {topic} partition "
                "{partition}", until="2.3"),
          trace("Allocating a new {size} byte message buffer for topic {topic} partition "
                "{partition} with remaining timeout "
                "{timeout_ms}ms", since="2.8")),
    entry("WAKING_SENDER", KAFKA_PRODUCER,
          trace("Waking up the sender since topic {topic} partition {partition} is either full "
                "or getting a new batch")),
    entry("SEND_FAILED", KAFKA_PRODUCER,
          debug("Exception occurred during message send:", trace=True)),
    entry("FLUSHING", KAFKA_PRODUCER,
          trace("Flushing accumulated records in producer.")),
    entry("SWITCHING_PARTITION", PARTITIONER,
          trace("Switching to partition {partition} in topic {topic}", since="3.9")),
    entry("TWICE_THE_BATCH_SIZE", PARTITIONER,
          trace("Produced {count} bytes, exceeding twice the batch size of {size} bytes, with "
                "switching set to {enabled}",
                since="3.6"), source=LINE_TABLES),
    entry("SWITCH_MADE_UP_FOR", ACCUMULATOR,
          trace("Completed previously disabled switch for topic {topic} partition {partition}, "
                "retrying", since="3.6"),
          source=LINE_TABLES),
    entry("INTERCEPTOR_FAILED_ON_SEND", INTERCEPTORS,
          warn("Error executing interceptor onSend callback for topic: {topic}, partition: "
               "{number}",
               prefixed=False, trace=True), source=LINE_TABLES),
    entry("INTERCEPTOR_FAILED_ON_ACK", INTERCEPTORS,
          warn("Error executing interceptor onAcknowledgement callback", prefixed=False,
               trace=True),
          source=LINE_TABLES),
    entry("INTERCEPTOR_FAILED_TO_CLOSE", INTERCEPTORS,
          error("Failed to close producer interceptor ", prefixed=False, trace=True),
          source=LINE_TABLES),
    entry("TOPIC_FORGOTTEN", TOPICS,
          debug("Removing unused topic {topic} from the metadata list, expiryMs {expiry_ms} now "
                "{at_ms}", since="2.3"),
          debug("Removing unused topic {topic} from the metadata list, expiryMs {expiry_ms} now "
                "{at_ms}", until="2.2", prefixed=False,
                logger="org.apache.kafka.clients.Metadata"), source=LINE_TABLES),
)

SENDER_PASS = (
    entry("UPDATE_FOR_UNKNOWN_LEADER", SENDER,
          debug("Requesting metadata update due to unknown leader topics from the batched "
                "records: {topics}"), source=LINE_TABLES),
    entry("BATCHES_EXPIRED", SENDER,
          trace("Expired {count} batches in accumulator"), source=LINE_TABLES),
    entry("BATCH_BACKED_OFF", ACCUMULATOR, trace("For {batch}, will backoff", since="3.6"),
          source=LINE_TABLES),
    entry("BATCH_REORDERED", ACCUMULATOR,
          debug("Reordered incoming batch with sequence {sequence} for partition {partition}. It "
                "was placed in the queue at position "
                "{position}"), source=LINE_TABLES),
    entry("PRODUCE_CANCELLED", SENDER,
          trace("Cancelled request with header {header} due to node {node_id} being disconnected"),
          source=LINE_TABLES),
    entry("PRODUCE_TIMED_OUT", SENDER,
          trace("Cancelled request with header {header} due to the last request to node {node_id} "
                "timed out", since="3.6"),
          source=LINE_TABLES),
    entry("BATCH_SPLIT", SENDER,
          warn("Got error produce response in correlation id {correlation_id} on topic-partition "
               "{partition}, splitting and retrying "
               "({count} attempts left). Error: {error}"), source=LINE_TABLES),
    entry("BATCH_RETRIED", SENDER,
          warn("Got error produce response with correlation id {correlation_id} on topic-partition "
               "{partition}, retrying ({count} attempts "
               "left). Error: {error}"), source=LINE_TABLES),
    entry("PRODUCE_TO_UNKNOWN_PARTITION", SENDER,
          warn("Received unknown topic or partition error in produce request on partition "
               "{partition}. The topic-partition may not exist or "
               "the user may not have Describe access to it"), source=LINE_TABLES),
    entry("PRODUCE_WITH_OLD_METADATA", SENDER,
          warn("Received invalid metadata error in produce request on partition {partition} due to "
               "{error}. Going to request metadata update "
               "now", until="3.6"),
          warn("Received invalid metadata error in produce request on partition {partition} due to "
               "{error} Going to request metadata update "
               "now", since="3.9"), source=LINE_TABLES),
    entry("PRODUCE_ERROR_WITH_LEADER", SENDER,
          debug("For {partition}, received error {error}, with leaderIdAndEpoch {leader}",
                since="3.9"), source=LINE_TABLES),
    entry("LEADER_OF_PARTITION_UPDATED", SENDER,
          debug("For {partition} leader was updated.", since="3.9"), source=LINE_TABLES),
    entry("BATCH_ABORTED", BATCH, trace("Aborting batch for partition {partition}", prefixed=False,
                                        trace=True), source=LINE_TABLES),
    entry("BATCH_SUCCEEDED_LATE", BATCH,
          debug("ProduceResponse returned {state_to} for {partition} after batch with base offset "
                "{offset} had already been {state_from}.", prefixed=False), source=LINE_TABLES),
    entry("BATCH_STATE_KEPT", BATCH,
          debug("Ignored state transition {state_from} -> {state_to} for {partition} batch with "
                "base offset {offset}", prefixed=False), source=LINE_TABLES),
    entry("CALLBACK_FAILED", BATCH,
          error("Error executing user-provided callback on message for topic-partition "
                "'{partition}'",
                prefixed=False, trace=True), source=LINE_TABLES),
    entry("BATCH_NOT_BACKED_OFF", ACCUMULATOR,
          trace("For {batch}, will not backoff, shouldWaitMore {should_wait}, hasLeaderChanged "
                "{leader_changed}",
                since="3.6")),
    entry("QUEUE_LENGTHS_EQUAL", PARTITIONER,
          trace("All queue lengths are the same, not using adaptive for topic {topic}",
                since="3.6")),
    entry("LOAD_STATS_MISSING", PARTITIONER,
          trace("No load stats for topic {topic}, not using adaptive", since="3.6")),
    entry("TOO_FEW_PARTITIONS_FOR_ADAPTIVE", PARTITIONER,
          trace("The number of partitions is too small: available={available}, all={all}, not "
                "using adaptive for topic {topic}",
                since="3.6")),
    entry("LOAD_STATS", PARTITIONER,
          trace("Partition load stats for topic {topic}: CFT={frequencies}, IDs={ids}, "
                "length={length}", since="3.6")),
    entry("NODES_READY", SENDER,
          trace("Nodes with data ready to send: {nodes}")),
    entry("BATCH_LEADER_UPDATED", BATCH,
          trace("For {batch}, leader will be updated, currentLeaderEpoch: {epoch}, "
                "attemptsWhenLeaderLastChanged:{attempts_then}, "
                "latestLeaderEpoch: {new_epoch}, current attempt: {attempts}", since="3.6",
                prefixed=False)),
    entry("BATCH_LEADER_KEPT", BATCH,
          trace("For {batch}, leader wasn't updated, currentLeaderEpoch: {epoch}, "
                "attemptsWhenLeaderLastChanged:{attempts_then}, "
                "latestLeaderEpoch: {new_epoch}, current attempt: {attempts}", since="3.6",
                prefixed=False)),
    entry("SEQUENCE_REINITIALIZED", TRANSACTIONS,
          debug("ProducerId of partition {partition} set to {producer_id} with epoch "
                "{producer_epoch}. Reinitialize sequence at beginning.",
                since="2.8")),
    entry("SEQUENCE_ASSIGNED", ACCUMULATOR,
          debug("Assigned producerId {producer_id} and producerEpoch {producer_epoch} to batch "
                "with base sequence {sequence} being sent "
                "to partition {partition}")),
    entry("PRODUCE_SENT", SENDER,
          trace("Sent produce request to {node_id}: {request}")),
    entry("PRODUCE_RECEIVED", SENDER,
          trace("Received produce response from node {node_id} with correlation id "
                "{correlation_id}")),
    entry("SEQUENCE_ACKNOWLEDGED", TRANSACTIONS,
          debug("ProducerId: {producer_id}; Set last ack'd sequence number for topic-partition "
                "{partition} to {sequence}",
                until="2.2", logger=SENDER),
          debug("ProducerId: {producer_id}; Set last ack'd sequence number for topic-partition "
                "{partition} to {sequence}",
                since="2.3", until="3.6"),
          trace("ProducerId: {producer_id}; Set last ack'd sequence number for topic-partition "
                "{partition} to {sequence}",
                since="3.9")),
    entry("BATCH_PRODUCED", BATCH,
          trace("Successfully produced messages to {partition} with base offset {offset}.",
                prefixed=False)),
    entry("BATCH_FAILED", BATCH,
          trace("Failed to produce messages to {partition} with base offset {offset}.",
                prefixed=False, trace=True)),
)

CLOSING = (
    entry("CLOSE_IN_CALLBACK", KAFKA_PRODUCER,
          warn("Overriding close timeout {timeout_ms} ms to 0 ms in order to prevent useless "
               "blocking due to self-join. This means you have "
               "incorrectly invoked close with a non-zero timeout from the producer call-back."),
          source=LINE_TABLES),
    entry("CLOSING_BY_FORCE", KAFKA_PRODUCER,
          info("Proceeding to force close the producer since pending requests could not be "
               "completed within timeout {timeout_ms} ms."), source=LINE_TABLES),
    entry("ABORTING_TRANSACTIONAL_REQUESTS", SENDER,
          debug("Aborting incomplete transactional requests due to forced shutdown", since="2.3"),
          source=LINE_TABLES),
    entry("ABORTING_BATCHES", SENDER,
          debug("Aborting incomplete batches due to forced shutdown"), source=LINE_TABLES),
    entry("PRODUCER_CLOSING", KAFKA_PRODUCER,
          info("Closing the Kafka producer with timeoutMillis = {timeout_ms} ms.")),
    entry("SENDER_STOPPING", SENDER,
          debug("Beginning shutdown of Kafka producer I/O thread, sending remaining records.")),
    entry("SENDER_STOPPED", SENDER,
          debug("Shutdown of Kafka producer I/O thread has completed.")),
    entry("PRODUCER_CLOSED", KAFKA_PRODUCER,
          debug("Kafka producer has been closed")),
)

# KIP-98; idempotent producers write these too, up to the line with the producer id.
PRODUCER_ID = (
    entry("TRANSACTION_STATE", TRANSACTIONS,
          debug("Transition from state {state_from} to {state_to}")),
    entry("TRANSACTION_ERROR_STATE", TRANSACTIONS,
          debug("Transition from state {state_from} to error state {state_to}", trace=True)),
    entry("INIT_PRODUCER_ID_FIRST", TRANSACTIONS,
          info("Invoking InitProducerId for the first time in order to acquire a producer ID",
               since="2.8")),
    entry("INIT_PRODUCER_ID_BUMP", TRANSACTIONS,
          info("Invoking InitProducerId with current producer ID and epoch {producer} in order to "
               "bump the epoch",
               since="2.8", until="4.0")),
    entry("TRANSACTIONAL_REQUEST_ENQUEUED", TRANSACTIONS,
          debug("Enqueuing transactional request {request}")),
    entry("TRANSACTIONAL_REQUEST_DEQUEUED", TRANSACTIONS,
          trace("Request {request} dequeued for sending")),
    entry("TRANSACTIONAL_REQUEST_SENT", SENDER,
          debug("Sending transactional request {request} to node {node}", until="2.3"),
          debug("Sending transactional request {request} to node {node} with correlation ID "
                "{correlation_id}",
                since="2.8")),
    entry("TRANSACTIONAL_RESPONSE", TRANSACTIONS,
          trace("Received transactional response {response} for request {request}")),
    entry("PRODUCER_ID_SET", TRANSACTIONS,
          info("ProducerId set to {producer_id} with epoch {producer_epoch}")),
    entry("PRODUCER_EPOCH_RAISED", TRANSACTIONS,
          debug("ProducerId set to {producer_id} with epoch {producer_epoch}", since="4.4"),
          source="recordings of 4.4.0: after each END_TXN under transaction.version 2 (KIP-890)"),
    entry("SEQUENCES_REDUCED", TRANSACTIONS,
          debug("producerId: {producer_id}, send to partition {partition} failed fatally. "
                "Reducing future sequence numbers by {count}",
                until="3.6"),
          debug("producerId: {producer_id}, send to partition {partition} failed fatally. "
                "Reducing future sequence numbers by {count}",
                since="3.9", logger=TXN_PARTITIONS)),
)

TRANSACTION = (
    entry("SEQUENCE_UNRESOLVED", TRANSACTIONS,
          debug("Marking partition {partition} unresolved", until="2.3"),
          debug("Marking partition {partition} unresolved with next sequence number {sequence}",
                since="2.8"),
          source=LINE_TABLES),
    entry("SEQUENCES_LOST", TRANSACTIONS,
          info(NOTHING_IN_FLIGHT + "Going to reset producer state.", until="2.3"),
          info(NOTHING_IN_FLIGHT + "Going to bump epoch and reset sequence numbers.", since="2.8"),
          source=LINE_TABLES),
    entry("BATCH_OUT_OF_ORDER", TRANSACTIONS,
          error("The broker returned {error} for topic-partition {partition} at offset {offset}. "
                "This indicates data loss on the broker, "
                "and should be investigated.", until="2.2", logger=SENDER),
          error("The broker returned {error} for topic-partition {partition} with producerId "
                "{producer_id}, epoch {producer_epoch}, and "
                "sequence number {sequence}", since="2.3"), source=LINE_TABLES),
    entry("PRODUCER_EPOCH_INCREMENTED", TRANSACTIONS,
          debug("Incremented producer epoch, current producer ID and epoch are now {producer}",
                since="2.8"),
          source=LINE_TABLES),
    entry("TRANSACTIONAL_REQUEST_NOT_SENT", TRANSACTIONS,
          trace("Not sending transactional request {request} because we are in an error state"),
          source=LINE_TABLES),
    entry("TRANSACTIONAL_REQUEST_DISCONNECTED", TRANSACTIONS,
          debug("Disconnected from {node_id}. Will retry."), source=LINE_TABLES),
    entry("TRANSACTION_ABORTED_BY_SHUTDOWN", SENDER,
          info("Aborting incomplete transaction due to shutdown", since="2.3"), source=LINE_TABLES),
    entry("TRANSACTION_COORDINATOR_UNKNOWN", SENDER,
          trace("Coordinator not known for {coordinator_type}, will retry {api} after finding "
                "coordinator.", since="2.8")),
    entry("TRANSACTION_COORDINATOR_DISCOVERED", TRANSACTIONS,
          info("Discovered {coordinator_type} coordinator {node}", since="2.8")),
    entry("TRANSACTION_V2_UPDATED", TRANSACTIONS,
          debug("Updating isTV2 enabled to {enabled} with FinalizedFeaturesEpoch {features_epoch}",
                since="4.4")),
    entry("TRANSACTION_ADDING_PARTITION", TRANSACTIONS,
          debug("Begin adding new partition {partition} to transaction", until="4.0")),
    entry("TRANSACTION_PARTITIONS_ADDED", TRANSACTIONS,
          debug("Successfully added partitions {partitions} to transaction", until="4.0")),
    entry("TRANSACTION_ADDING_OFFSETS", TRANSACTIONS,
          debug("Begin adding offsets {offsets} for consumer group {group} to transaction",
                until="4.0"),
          debug("Begin adding offsets {offsets} for consumer group {group} to transaction with "
                "transaction protocol V2",
                since="4.4")),
    entry("TRANSACTION_GROUP_ADDED", TRANSACTIONS,
          debug("Successfully added partition for consumer group {group} to transaction",
                until="4.0")),
    entry("TRANSACTION_OFFSETS_COMMITTED", TRANSACTIONS,
          debug("Received TxnOffsetCommit response for consumer group {group}: {response}")),
    entry("TRANSACTION_ABORTABLE_ERROR", TRANSACTIONS,
          info("Transiting to abortable error state due to {error}", since="2.8")),
    entry("TRANSACTION_FATAL_ERROR", TRANSACTIONS,
          info("Transiting to fatal error state due to {error}", since="2.8")),
    entry("TRANSACTION_ABORTED_BY_CLOSE", KAFKA_PRODUCER,
          info("Aborting incomplete transaction", since="2.8")),
)
# fmt: on

ENTRIES = STARTING + SENDING + SENDER_PASS + CLOSING + PRODUCER_ID + TRANSACTION
