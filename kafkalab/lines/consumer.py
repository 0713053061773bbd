"""Entries of the lines that a consumer writes about its calls and positions (KafkaConsumer,
SubscriptionState). They are in order from its constructor to close()."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, trace

CONSUMER = "org.apache.kafka.clients.consumer."
INTERNALS = CONSUMER + "internals."
KAFKA_CONSUMER = CONSUMER + "KafkaConsumer"
# from 3.7 on (KIP-848), behind the KafkaConsumer facade
CLASSIC = INTERNALS + "ClassicKafkaConsumer"
ASYNC = INTERNALS + "AsyncKafkaConsumer"
SUBSCRIPTIONS = INTERNALS + "SubscriptionState"
FETCHER = INTERNALS + "Fetcher"
OFFSET_FETCHER = INTERNALS + "OffsetFetcher"
OFFSET_FETCHER_UTILS = INTERNALS + "OffsetFetcherUtils"
EPOCH_CLIENT = INTERNALS + "OffsetsForLeaderEpochClient"
EPOCH_UTILS = INTERNALS + "OffsetsForLeaderEpochUtils"
CONSUMER_NETWORK = INTERNALS + "ConsumerNetworkClient"
COORDINATOR = INTERNALS + "ConsumerCoordinator"
CONSUMER_UTILS = INTERNALS + "ConsumerUtils"

# fmt: off
BANNER = (
    "\n****************************************************************"
    "\n* The consumer rebalance protocol (KIP-848) is production-ready!"
    "\n* Set the consumer configuration group.protocol=consumer to try it out."
    "\n* See https://kafka.apache.org/documentation/#consumer_rebalance_protocol"
    "\n****************************************************************"
)

NO_RECORDS_BUT_MOVED = ("Returning empty records from `poll()` since the consumer's position has "
                        "advanced for at least one topic partition")

FACADE = (
    entry("CONSUMER_INITIALIZING", KAFKA_CONSUMER,
          debug("Initializing the Kafka consumer", until="3.6"),
          debug("Initializing the Kafka consumer", since="3.9", logger=CLASSIC)),
    entry("CONSUMER_PROTOCOL_BANNER", CLASSIC, info(BANNER, since="4.4")),
    entry("CONSUMER_INITIALIZED", KAFKA_CONSUMER,
          debug("Kafka consumer initialized", until="3.6"),
          debug("Kafka consumer initialized", since="3.9", logger=CLASSIC)),
    entry("SUBSCRIBED", KAFKA_CONSUMER,
          debug("Subscribed to topic(s): {topics}", until="2.1"),
          info("Subscribed to topic(s): {topics}", since="2.2", until="3.6"),
          info("Subscribed to topic(s): {topics}", since="3.9", logger=CLASSIC)),
    entry("ASSIGNED_BY_USER", KAFKA_CONSUMER,
          debug("Subscribed to partition(s): {partitions}", until="2.2"),
          info("Subscribed to partition(s): {partitions}", since="2.3", until="2.8"),
          info("Assigned to partition(s): {partitions}", since="3.9", logger=CLASSIC)),
    entry("POLLING_FOR_FETCHES", KAFKA_CONSUMER,
          trace("Polling for fetches with timeout {timeout_ms}", since="2.8", until="3.6"),
          trace("Polling for fetches with timeout {timeout_ms}", since="3.9", logger=CLASSIC)),
    entry("RETURNING_NO_RECORDS", KAFKA_CONSUMER,
          trace(NO_RECORDS_BUT_MOVED, since="3.6", until="3.6"),
          trace(NO_RECORDS_BUT_MOVED, since="3.9", logger=CLASSIC),
          source="line number tables of the released jars; no recording has the line"),
    entry("COMMITTING_OFFSETS", KAFKA_CONSUMER,
          debug("Committing offsets: {offsets}", until="3.6"),
          debug("Committing offsets: {offsets}", since="3.9", logger=CLASSIC)),
    entry("SEEKING", KAFKA_CONSUMER,
          debug("Seeking to offset {offset} for partition {partition}", until="2.2"),
          info("Seeking to offset {offset} for partition {partition}", since="2.3", until="3.6"),
          info("Seeking to offset {offset} for partition {partition}", since="3.9", logger=CLASSIC),
          source="recordings; 4.4.0 by the list of findings, which counts takes that are not kept"),
    entry("SEEKING_TO_BEGINNING", KAFKA_CONSUMER,
          debug("Seeking to beginning of partition {partition}", until="2.2")),
    entry("SEEKING_TO_END", KAFKA_CONSUMER,
          debug("Seeking to end of partition {partition}", until="2.2"),
          source="KafkaConsumer.class of the released jars 2.1.1 and 2.2.2, and their line tables"),
    entry("PAUSING", KAFKA_CONSUMER,
          debug("Pausing partitions {partitions}", until="3.6"),
          debug("Pausing partitions {partitions}", since="3.9", logger=CLASSIC)),
    entry("RESUMING", KAFKA_CONSUMER,
          debug("Resuming partitions {partitions}", until="3.6"),
          debug("Resuming partitions {partitions}", since="3.9", logger=CLASSIC)),
    entry("CONSUMER_CLOSING", KAFKA_CONSUMER,
          trace("Closing the Kafka consumer", until="3.6"),
          trace("Closing the Kafka consumer", since="3.9", logger=CLASSIC)),
    entry("CONSUMER_CLOSED", KAFKA_CONSUMER,
          debug("Kafka consumer has been closed", until="3.6"),
          debug("Kafka consumer has been closed", since="3.9", logger=CLASSIC)),
    entry("CONSUMER_REQUEST_CANCELLED", CONSUMER_NETWORK,
          debug("Cancelled request with header {header} due to node {node_id} being disconnected")),
)

POSITIONS = (
    entry("FETCHING_COMMITTED_OFFSETS", COORDINATOR,
          debug("Fetching committed offsets for partitions: {partitions}")),
    entry("NO_COMMITTED_OFFSET", COORDINATOR,
          debug("Found no committed offset for partition {partition}", until="2.2"),
          info("Found no committed offset for partition {partition}", since="2.3")),
    entry("SETTING_COMMITTED_OFFSET", COORDINATOR,
          debug("Setting offset for partition {partition} to the committed offset {offset}",
                until="2.2"),
          info("Setting offset for partition {partition} to the committed offset {position}",
               since="2.3", until="3.6"),
          info("Setting offset for partition {partition} to the committed offset {position}",
               since="3.9",
               logger=CONSUMER_UTILS, prefixed=False)),
    entry("SEEKING_TO_STRATEGY", SUBSCRIPTIONS,
          info("Seeking to {strategy} offset of partition {partition}", since="2.3")),
    entry("LEADER_UNKNOWN_FOR_OFFSET", FETCHER,
          debug("Leader for partition {partition} is unknown for fetching offset", since="2.3",
                until="2.3"),
          debug("Leader for partition {partition} is unknown for fetching offset {timestamp}",
                since="2.8", until="2.8"),
          debug("Leader for partition {partition} is unknown for fetching offset {timestamp}",
                since="3.6",
                logger=OFFSET_FETCHER),
          source="recordings of 2.3.0, 2.8.2, 3.9.2, 4.4.0"),
    entry("SENDING_LIST_OFFSETS", FETCHER,
          debug("Sending ListOffsetRequest {request} to broker {node}", until="2.8"),
          debug("Sending ListOffsetRequest {request} to broker {node}", since="3.6",
                logger=OFFSET_FETCHER)),
    entry("LIST_OFFSETS_RESPONSE", FETCHER,
          trace("Received ListOffsetResponse {response} from broker {node}", until="2.8"),
          trace("Received ListOffsetResponse {response} from broker {node}", since="3.6",
                logger=OFFSET_FETCHER)),
    entry("LIST_OFFSETS_HANDLED", FETCHER,
          debug("Handling ListOffsetResponse response for {partition}. Fetched offset {offset}, "
                "timestamp {timestamp}",
                until="2.8"),
          debug("Handling ListOffsetResponse response for {partition}. Fetched offset {offset}, "
                "timestamp {timestamp}",
                since="3.6", logger=OFFSET_FETCHER_UTILS)),
    entry("OFFSETS_FAILED_RETRYING", EPOCH_CLIENT,
          debug("Attempt to fetch offsets for partition {partition} failed due to {error}, "
                "retrying.", since="2.3", until="2.3")),
    entry("RESETTING_OFFSET", SUBSCRIPTIONS,
          info("Resetting offset for partition {partition} to offset {offset}.", until="2.2",
               logger=FETCHER),
          info("Resetting offset for partition {partition} to offset {offset}.", since="2.3",
               until="2.3"),
          info("Resetting offset for partition {partition} to position {position}.", since="2.8")),
    entry("LEADER_EPOCH_RECEIVED", EPOCH_CLIENT,
          trace("Received OffsetsForLeaderEpochResponse {response} from broker {node}",
                since="2.3")),
    entry("LEADER_EPOCH_HANDLING", EPOCH_CLIENT,
          debug("Handling OffsetsForLeaderEpoch response for {partition}. Got offset {offset} for "
                "epoch {epoch}", since="2.3", until="2.3"),
          debug("Handling OffsetsForLeaderEpoch response for {partition}. Got offset {offset} for "
                "epoch {epoch}.", since="2.8", until="3.6"),
          debug("Handling OffsetsForLeaderEpoch response for {partition}. Got offset {offset} for "
                "epoch {epoch}.",
                since="3.9", logger=EPOCH_UTILS, prefixed=False)),
)

COMMITS = (
    entry("AUTO_COMMIT_ASYNC", COORDINATOR,
          debug("Sending asynchronous auto-commit of offsets {offsets}")),
    entry("AUTO_COMMIT_SYNC", COORDINATOR,
          debug("Sending synchronous auto-commit of offsets {offsets}")),
    entry("SENDING_OFFSET_COMMIT", COORDINATOR,
          trace("Sending OffsetCommit request with {offsets} to coordinator {node}")),
    entry("COMMITTED_OFFSET", COORDINATOR,
          debug("Committed offset {offset} for partition {partition}")),
    entry("AUTO_COMMIT_COMPLETED", COORDINATOR,
          debug("Completed asynchronous auto-commit of offsets {offsets}")),
    entry("AUTO_COMMIT_FAILED_RETRIABLE", COORDINATOR,
          debug("Asynchronous auto-commit of offsets {offsets} failed due to retriable error: {{}}",
                until="3.6", trace=True),
          debug("Asynchronous auto-commit of offsets {offsets} failed due to retriable error.",
                since="3.9", trace=True)),
    entry("COMMIT_NOT_A_MEMBER", COORDINATOR,
          info("Failing OffsetCommit request since the consumer is not part of an active group",
               since="2.3")),
)
# fmt: on

ENTRIES = FACADE + POSITIONS + COMMITS
