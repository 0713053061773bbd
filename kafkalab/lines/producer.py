"""What does a producer write? From its constructor over a record's way to close(), then idempotence and transactions."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, trace

PRODUCER = "org.apache.kafka.clients.producer."
INTERNALS = PRODUCER + "internals."
KAFKA_PRODUCER = PRODUCER + "KafkaProducer"
ACCUMULATOR = INTERNALS + "RecordAccumulator"
PARTITIONER = INTERNALS + "BuiltInPartitioner"
BATCH = INTERNALS + "ProducerBatch"
SENDER = INTERNALS + "Sender"
TRANSACTIONS = INTERNALS + "TransactionManager"
TXN_PARTITIONS = INTERNALS + "TxnPartitionMap"

STARTING = (
    entry("PRODUCER_STARTING", KAFKA_PRODUCER,
          trace("Starting the Kafka producer", "344 346 345 344 357 367 355 374")),
    entry("IDEMPOTENCE_BY_TRANSACTIONAL_ID", KAFKA_PRODUCER,
          info("Overriding the default enable.idempotence to true since transactional.id is specified.", "- - - 522 - - - -")),
    entry("RETRIES_BY_IDEMPOTENCE", KAFKA_PRODUCER,
          info("Overriding the default retries config to the recommended value of 2147483647 since the idempotent producer is enabled.",
               "539 ~ 548 - - - - -")),
    entry("ACKS_BY_IDEMPOTENCE", KAFKA_PRODUCER,
          info("Overriding the default acks to all since idempotence is enabled.", "565 ~ 574 560 - - - -")),
    entry("PRODUCER_IS_IDEMPOTENT", KAFKA_PRODUCER,
          info("Instantiated an idempotent producer.", "525 ~ 534 541 580 623 610 674")),
    entry("PRODUCER_IS_TRANSACTIONAL", KAFKA_PRODUCER,
          info("Instantiated a transactional producer.", "523 ~ 532 539 ~ 621 ~ 672")),
    entry("PRODUCER_STARTED", KAFKA_PRODUCER,
          debug("Kafka producer started", "424 426 428 435 454 471 458 518")),
    entry("SENDER_STARTING", SENDER,
          debug("Starting Kafka producer I/O thread.", "230 230 233 237 239 248 248 242")),
)

SENDING = (
    entry("METADATA_WANTED_FOR_TOPIC", KAFKA_PRODUCER,
          trace("Requesting metadata update for topic {topic}.", "976 983 993 1041 1126 1174 1098 1199")),
    entry("METADATA_WANTED_FOR_PARTITION", KAFKA_PRODUCER,
          trace("Requesting metadata update for partition {partition} of topic {topic}.", "974 981 991 1039 1124 1172 1096 1197")),
    entry("APPENDING_RECORD", KAFKA_PRODUCER,
          trace("Sending record {record} with callback {callback} to topic {topic} partition {partition}", "893 900 910 - - - - -"),
          trace("Attempting to append record {record} with callback {callback} to topic {topic} partition {partition}",
                "- - - 942 1500 1590 1576 1692")),
    entry("RETRYING_APPEND", KAFKA_PRODUCER,
          trace("Retrying append due to new batch creation for topic {topic} partition {partition}. The old partition was {old_partition}",
                "- - - 959 - - - -")),
    entry("ALLOCATING_BUFFER", ACCUMULATOR,
          trace("Allocating a new {size} byte message buffer for topic {topic} partition {partition}", "209 209 209 - - - - -"),
          trace("Allocating a new {size} byte message buffer for topic {topic} partition {partition} with remaining timeout "
                "{timeout_ms}ms", "- - - 213 338 349 339 334")),
    entry("WAKING_SENDER", KAFKA_PRODUCER,
          trace("Waking up the sender since topic {topic} partition {partition} is either full or getting a new batch",
                "903 910 920 972 1050 1098 1022 1123")),
    entry("SEND_FAILED", KAFKA_PRODUCER,
          debug("Exception occurred during message send:", "911 ~ 928 980 ~ 1106 ~ 1131", trace=True)),
    entry("FLUSHING", KAFKA_PRODUCER,
          trace("Flushing accumulated records in producer.", "1061 ~ 1075 1122 ~ 1266 ~ 1303")),
    entry("SWITCHING_PARTITION", PARTITIONER,
          trace("Switching to partition {partition} in topic {topic}", "- - - - - 110 ~ 135")),
)

SENDER_PASS = (
    entry("BATCH_NOT_BACKED_OFF", ACCUMULATOR,
          trace("For {batch}, will not backoff, shouldWaitMore {should_wait}, hasLeaderChanged {leader_changed}",
                "- - - - 807 821 807 852")),
    entry("QUEUE_LENGTHS_EQUAL", PARTITIONER,
          trace("All queue lengths are the same, not using adaptive for topic {topic}", "- - - - 293 295 295 329")),
    entry("LOAD_STATS_MISSING", PARTITIONER,
          trace("No load stats for topic {topic}, not using adaptive", "- - - - 241 243 243 275")),
    entry("TOO_FEW_PARTITIONS_FOR_ADAPTIVE", PARTITIONER,
          trace("The number of partitions is too small: available={available}, all={all}, not using adaptive for topic {topic}",
                "- - - - ~ 258 ~ 291")),
    entry("LOAD_STATS", PARTITIONER,
          trace("Partition load stats for topic {topic}: CFT={frequencies}, IDs={ids}, length={length}", "- - - - 303 305 305 349")),
    entry("NODES_READY", SENDER,
          trace("Nodes with data ready to send: {nodes}", "384 385 404 400 439 454 454 446")),
    entry("BATCH_LEADER_UPDATED", BATCH,
          trace("For {batch}, leader will be updated, currentLeaderEpoch: {epoch}, attemptsWhenLeaderLastChanged:{attempts_then}, "
                "latestLeaderEpoch: {new_epoch}, current attempt: {attempts}", "- - - - 115 119 119 119", prefixed=False)),
    entry("BATCH_LEADER_KEPT", BATCH,
          trace("For {batch}, leader wasn't updated, currentLeaderEpoch: {epoch}, attemptsWhenLeaderLastChanged:{attempts_then}, "
                "latestLeaderEpoch: {new_epoch}, current attempt: {attempts}", "- - - - 120 124 124 124", prefixed=False)),
    entry("SEQUENCE_REINITIALIZED", TRANSACTIONS,
          debug("ProducerId of partition {partition} set to {producer_id} with epoch {producer_epoch}. Reinitialize sequence at beginning.",
                "- - - 534 496 494 555 621")),
    entry("SEQUENCE_ASSIGNED", ACCUMULATOR,
          debug("Assigned producerId {producer_id} and producerEpoch {producer_epoch} to batch with base sequence {sequence} being sent "
                "to partition {partition}", "576 ~ 576 603 919 937 923 968")),
    entry("PRODUCE_SENT", SENDER,
          trace("Sent produce request to {node_id}: {request}", "794 796 797 791 891 955 942 948")),
    entry("PRODUCE_RECEIVED", SENDER,
          trace("Received produce response from node {node_id} with correlation id {correlation_id}", "549 551 577 555 600 616 616 601")),
    entry("SEQUENCE_ACKNOWLEDGED", TRANSACTIONS,
          debug("ProducerId: {producer_id}; Set last ack'd sequence number for topic-partition {partition} to {sequence}",
                "668 ~ - - - - - -", logger=SENDER),
          debug("ProducerId: {producer_id}; Set last ack'd sequence number for topic-partition {partition} to {sequence}",
                "- - 578 704 666 - - -"),
          trace("ProducerId: {producer_id}; Set last ack'd sequence number for topic-partition {partition} to {sequence}",
                "- - - - - 638 707 773")),
    entry("BATCH_PRODUCED", BATCH,
          trace("Successfully produced messages to {partition} with base offset {offset}.", "190 190 190 191 268 270 270 289",
                prefixed=False)),
    entry("BATCH_FAILED", BATCH,
          trace("Failed to produce messages to {partition} with base offset {offset}.", "192 ~ 192 193 ~ 272 ~ 291",
                prefixed=False, trace=True)),
)

CLOSING = (
    entry("PRODUCER_CLOSING", KAFKA_PRODUCER,
          info("Closing the Kafka producer with timeoutMillis = {timeout_ms} ms.", "1139 1145 1153 1204 1295 1386 1367 1481")),
    entry("SENDER_STOPPING", SENDER,
          debug("Beginning shutdown of Kafka producer I/O thread, sending remaining records.", "241 241 244 248 253 262 262 253")),
    entry("SENDER_STOPPED", SENDER,
          debug("Shutdown of Kafka producer I/O thread has completed.", "265 265 286 290 302 312 312 303")),
    entry("PRODUCER_CLOSED", KAFKA_PRODUCER,
          debug("Kafka producer has been closed", "1184 1190 1205 1256 1348 1448 1429 1543")),
)

# KIP-98; idempotent producers write these too, up to the line with the producer id.
PRODUCER_ID = (
    entry("TRANSACTION_STATE", TRANSACTIONS,
          debug("Transition from state {state_from} to {state_to}", "773 ~ 906 1092 1077 1013 1084 1168")),
    entry("TRANSACTION_ERROR_STATE", TRANSACTIONS,
          debug("Transition from state {state_from} to error state {state_to}", "771 ~ 904 1090 ~ 1011 ~ 1166", trace=True)),
    entry("INIT_PRODUCER_ID_FIRST", TRANSACTIONS,
          info("Invoking InitProducerId for the first time in order to acquire a producer ID", "- - - 338 ~ 292 ~ 336")),
    entry("INIT_PRODUCER_ID_BUMP", TRANSACTIONS,
          info("Invoking InitProducerId with current producer ID and epoch {producer} in order to bump the epoch",
               "- - - 340 ~ 294 ~ -")),
    entry("TRANSACTIONAL_REQUEST_ENQUEUED", TRANSACTIONS,
          debug("Enqueuing transactional request {request}", "801 ~ 942 1130 1122 1058 1129 1213")),
    entry("TRANSACTIONAL_REQUEST_DEQUEUED", TRANSACTIONS,
          trace("Request {request} dequeued for sending", "634 ~ 753 904 873 809 880 955")),
    entry("TRANSACTIONAL_REQUEST_SENT", SENDER,
          debug("Sending transactional request {request} to node {node}", "435 ~ 455 - - - - -"),
          debug("Sending transactional request {request} to node {node} with correlation ID {correlation_id}",
                "- - - 468 507 522 522 507")),
    entry("TRANSACTIONAL_RESPONSE", TRANSACTIONS,
          trace("Received transactional response {response} for request {request}", "906 ~ 1066 1287 1298 1234 1360 1475")),
    entry("PRODUCER_ID_SET", TRANSACTIONS,
          info("ProducerId set to {producer_id} with epoch {producer_epoch}", "373 ~ 450 543 505 503 566 632")),
    entry("PRODUCER_EPOCH_RAISED", TRANSACTIONS,
          debug("ProducerId set to {producer_id} with epoch {producer_epoch}", "- - - - - - - 634"),
          source="recordings of 4.4.0: after each END_TXN under transaction.version 2 (KIP-890)"),
    entry("SEQUENCES_REDUCED", TRANSACTIONS,
          debug("producerId: {producer_id}, send to partition {partition} failed fatally. Reducing future sequence numbers by {count}",
                "514 ~ 633 773 ~ - - -"),
          debug("producerId: {producer_id}, send to partition {partition} failed fatally. Reducing future sequence numbers by {count}",
                "- - - - - 111 ~ 111", logger=TXN_PARTITIONS)),
)

TRANSACTION = (
    entry("TRANSACTION_COORDINATOR_UNKNOWN", SENDER,
          trace("Coordinator not known for {coordinator_type}, will retry {api} after finding coordinator.", "- - - 452 ~ 506 ~ 491")),
    entry("TRANSACTION_COORDINATOR_DISCOVERED", TRANSACTIONS,
          info("Discovered {coordinator_type} coordinator {node}", "- - - 1545 ~ 1507 ~ 1762")),
    entry("TRANSACTION_V2_UPDATED", TRANSACTIONS,
          debug("Updating isTV2 enabled to {enabled} with FinalizedFeaturesEpoch {features_epoch}", "- - - - - - - 527")),
    entry("TRANSACTION_ADDING_PARTITION", TRANSACTIONS,
          debug("Begin adding new partition {partition} to transaction", "270 ~ 346 431 ~ 399 ~ -")),
    entry("TRANSACTION_PARTITIONS_ADDED", TRANSACTIONS,
          debug("Successfully added partitions {partitions} to transaction", "1069 ~ 1232 1476 ~ 1428 ~ -")),
    entry("TRANSACTION_ADDING_OFFSETS", TRANSACTIONS,
          debug("Begin adding offsets {offsets} for consumer group {group} to transaction", "256 ~ 332 413 ~ 371 ~ -"),
          debug("Begin adding offsets {offsets} for consumer group {group} to transaction with transaction protocol V2",
                "- - - - - - - 444")),
    entry("TRANSACTION_GROUP_ADDED", TRANSACTIONS,
          debug("Successfully added partition for consumer group {group} to transaction", "1222 ~ 1389 1642 ~ 1607 ~ -")),
    entry("TRANSACTION_OFFSETS_COMMITTED", TRANSACTIONS,
          debug("Received TxnOffsetCommit response for consumer group {group}: {response}", "1279 ~ 1446 1704 ~ 1672 ~ 1961")),
    entry("TRANSACTION_ABORTABLE_ERROR", TRANSACTIONS,
          info("Transiting to abortable error state due to {error}", "- - - 496 ~ 451 ~ 563")),
    entry("TRANSACTION_FATAL_ERROR", TRANSACTIONS,
          info("Transiting to fatal error state due to {error}", "- - - 501 ~ 456 ~ 568")),
    entry("TRANSACTION_ABORTED_BY_CLOSE", KAFKA_PRODUCER,
          info("Aborting incomplete transaction", "- - - 761 ~ 861 ~ 907")),
)

ENTRIES = STARTING + SENDING + SENDER_PASS + CLOSING + PRODUCER_ID + TRANSACTION
