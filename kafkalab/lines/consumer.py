"""What does a consumer write about its own calls and positions? From its constructor to close()."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, trace

CONSUMER = "org.apache.kafka.clients.consumer."
INTERNALS = CONSUMER + "internals."
KAFKA_CONSUMER = CONSUMER + "KafkaConsumer"
CLASSIC = INTERNALS + "ClassicKafkaConsumer"  # from 3.7 on (KIP-848), behind the KafkaConsumer facade
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

NO_RECORDS_BUT_MOVED = "Returning empty records from `poll()` since the consumer's position has advanced for at least one topic partition"

FACADE = (
    entry("CONSUMER_INITIALIZING", KAFKA_CONSUMER,
          debug("Initializing the Kafka consumer", "670 682 699 696 692 - - -"),
          debug("Initializing the Kafka consumer", "- - - - - 169 170 172", logger=CLASSIC)),
    entry("CONSUMER_PROTOCOL_BANNER", CLASSIC, info(BANNER, "- - - - - - - 221")),
    entry("CONSUMER_INITIALIZED", KAFKA_CONSUMER,
          debug("Kafka consumer initialized", "799 806 822 815 773 - - -"),
          debug("Kafka consumer initialized", "- - - - - 262 263 280", logger=CLASSIC)),
    entry("SUBSCRIBED", KAFKA_CONSUMER,
          debug("Subscribed to topic(s): {topics}", "927 - - - - - - -"),
          info("Subscribed to topic(s): {topics}", "- 936 964 965 912 - - -"),
          info("Subscribed to topic(s): {topics}", "- - - - - 481 501 520", logger=CLASSIC)),
    entry("ASSIGNED_BY_USER", KAFKA_CONSUMER,
          debug("Subscribed to partition(s): {partitions}", "1078 ~ - - - - - -"),
          info("Subscribed to partition(s): {partitions}", "- - 1114 1120 - - - -"),
          info("Assigned to partition(s): {partitions}", "- - - - - 579 ~ 630", logger=CLASSIC)),
    entry("POLLING_FOR_FETCHES", KAFKA_CONSUMER,
          trace("Polling for fetches with timeout {timeout_ms}", "- - - 1293 1252 - - -"),
          trace("Polling for fetches with timeout {timeout_ms}", "- - - - - 689 709 728", logger=CLASSIC)),
    entry("RETURNING_NO_RECORDS", KAFKA_CONSUMER,
          trace(NO_RECORDS_BUT_MOVED, "- - - - 1199 - - -"),
          trace(NO_RECORDS_BUT_MOVED, "- - - - - 636 656 675", logger=CLASSIC),
          source="line number tables of the released jars; no recording has the line"),
    entry("COMMITTING_OFFSETS", KAFKA_CONSUMER,
          debug("Committing offsets: {offsets}", "1478 ~ 1522 1559 ~ - - -"),
          debug("Committing offsets: {offsets}", "- - - - - 749 ~ 788", logger=CLASSIC)),
    entry("SEEKING", KAFKA_CONSUMER,
          debug("Seeking to offset {offset} for partition {partition}", "1500 ~ - - - - - -"),
          info("Seeking to offset {offset} for partition {partition}", "- - 1545 1582 ~ - - -"),
          info("Seeking to offset {offset} for partition {partition}", "- - - - - 764 ~ 803", logger=CLASSIC),
          source="recordings; 4.4.0 by the list of findings, which counts takes that are not kept"),
    entry("SEEKING_TO_BEGINNING", KAFKA_CONSUMER,
          debug("Seeking to beginning of partition {partition}", "1524 ~ - - - - - -")),
    entry("PAUSING", KAFKA_CONSUMER,
          debug("Pausing partitions {partitions}", "1824 ~ 1906 2012 ~ - - -"),
          debug("Pausing partitions {partitions}", "- - - - - 954 ~ 981", logger=CLASSIC)),
    entry("RESUMING", KAFKA_CONSUMER,
          debug("Resuming partitions {partitions}", "1844 ~ 1926 2032 ~ - - -"),
          debug("Resuming partitions {partitions}", "- - - - - 967 ~ 994", logger=CLASSIC)),
    entry("CONSUMER_CLOSING", KAFKA_CONSUMER,
          trace("Closing the Kafka consumer", "2122 2165 2204 2362 2383 - - -"),
          trace("Closing the Kafka consumer", "- - - - - 1129 1137 1145", logger=CLASSIC)),
    entry("CONSUMER_CLOSED", KAFKA_CONSUMER,
          debug("Kafka consumer has been closed", "2138 2181 2220 2379 2415 - - -"),
          debug("Kafka consumer has been closed", "- - - - - 1163 1171 1186", logger=CLASSIC)),
    entry("CONSUMER_REQUEST_CANCELLED", CONSUMER_NETWORK,
          debug("Cancelled request with header {header} due to node {node_id} being disconnected", "569 ~ 572 596 611 611 ~ 630")),
)

POSITIONS = (
    entry("FETCHING_COMMITTED_OFFSETS", COORDINATOR,
          debug("Fetching committed offsets for partitions: {partitions}", "870 874 931 1322 1510 1441 1441 1486")),
    entry("NO_COMMITTED_OFFSET", COORDINATOR,
          debug("Found no committed offset for partition {partition}", "920 924 - - - - - -"),
          info("Found no committed offset for partition {partition}", "- - 982 1388 1578 1510 1510 1579")),
    entry("SETTING_COMMITTED_OFFSET", COORDINATOR,
          debug("Setting offset for partition {partition} to the committed offset {offset}", "502 503 - - - - - -"),
          info("Setting offset for partition {partition} to the committed offset {position}", "- - 525 846 980 - - -"),
          info("Setting offset for partition {partition} to the committed offset {position}", "- - - - - 209 ~ 212",
               logger=CONSUMER_UTILS, prefixed=False)),
    entry("SEEKING_TO_STRATEGY", SUBSCRIPTIONS,
          info("Seeking to {strategy} offset of partition {partition}", "- - 519 619 ~ 715 ~ 813")),
    entry("LEADER_UNKNOWN_FOR_OFFSET", FETCHER,
          debug("Leader for partition {partition} is unknown for fetching offset", "- - 866 - - - - -"),
          debug("Leader for partition {partition} is unknown for fetching offset {timestamp}", "- - - 942 - - - -"),
          debug("Leader for partition {partition} is unknown for fetching offset {timestamp}", "- - - - 399 356 359 397",
                logger=OFFSET_FETCHER),
          source="recordings of 2.3.0, 2.8.2, 3.9.2, 4.4.0"),
    entry("SENDING_LIST_OFFSETS", FETCHER,
          debug("Sending ListOffsetRequest {request} to broker {node}", "741 743 905 983 - - - -"),
          debug("Sending ListOffsetRequest {request} to broker {node}", "- - - - 440 397 401 439", logger=OFFSET_FETCHER)),
    entry("LIST_OFFSETS_RESPONSE", FETCHER,
          trace("Received ListOffsetResponse {response} from broker {node}", "747 749 911 989 - - - -"),
          trace("Received ListOffsetResponse {response} from broker {node}", "- - - - 446 403 407 445", logger=OFFSET_FETCHER)),
    entry("LIST_OFFSETS_HANDLED", FETCHER,
          debug("Handling ListOffsetResponse response for {partition}. Fetched offset {offset}, timestamp {timestamp}",
                "797 799 961 1035 - - - -"),
          debug("Handling ListOffsetResponse response for {partition}. Fetched offset {offset}, timestamp {timestamp}",
                "- - - - 115 133 114 118", logger=OFFSET_FETCHER_UTILS)),
    entry("OFFSETS_FAILED_RETRYING", EPOCH_CLIENT,
          debug("Attempt to fetch offsets for partition {partition} failed due to {error}, retrying.", "- - 85 - - - - -")),
    entry("RESETTING_OFFSET", SUBSCRIPTIONS,
          info("Resetting offset for partition {partition} to offset {offset}.", "583 584 - - - - - -", logger=FETCHER),
          info("Resetting offset for partition {partition} to offset {offset}.", "- - 348 - - - - -"),
          info("Resetting offset for partition {partition} to position {position}.", "- - - 398 398 407 447 458")),
    entry("LEADER_EPOCH_RECEIVED", EPOCH_CLIENT,
          trace("Received OffsetsForLeaderEpochResponse {response} from broker {node}", "- - 51 51 ~ 52 ~ 52")),
    entry("LEADER_EPOCH_HANDLING", EPOCH_CLIENT,
          debug("Handling OffsetsForLeaderEpoch response for {partition}. Got offset {offset} for epoch {epoch}", "- - 77 - - - - -"),
          debug("Handling OffsetsForLeaderEpoch response for {partition}. Got offset {offset} for epoch {epoch}.", "- - - 96 ~ - - -"),
          debug("Handling OffsetsForLeaderEpoch response for {partition}. Got offset {offset} for epoch {epoch}.",
                "- - - - - 90 ~ 90", logger=EPOCH_UTILS, prefixed=False)),
)

COMMITS = (
    entry("AUTO_COMMIT_ASYNC", COORDINATOR,
          debug("Sending asynchronous auto-commit of offsets {offsets}", "696 696 727 1065 1261 1190 1190 1235")),
    entry("AUTO_COMMIT_SYNC", COORDINATOR,
          debug("Sending synchronous auto-commit of offsets {offsets}", "720 720 751 1086 1215 1143 1143 1188")),
    entry("SENDING_OFFSET_COMMIT", COORDINATOR,
          trace("Sending OffsetCommit request with {offsets} to coordinator {node}", "784 784 834 1183 1370 1301 1301 1346")),
    entry("COMMITTED_OFFSET", COORDINATOR,
          debug("Committed offset {offset} for partition {partition}", "810 810 862 1211 1398 1329 1329 1374")),
    entry("AUTO_COMMIT_COMPLETED", COORDINATOR,
          debug("Completed asynchronous auto-commit of offsets {offsets}", "710 710 741 1077 1273 1202 1202 1247")),
    entry("AUTO_COMMIT_FAILED_RETRIABLE", COORDINATOR,
          debug("Asynchronous auto-commit of offsets {offsets} failed due to retriable error: {{}}", "703 ~ 734 1070 1266 - - -", trace=True),
          debug("Asynchronous auto-commit of offsets {offsets} failed due to retriable error.", "- - - - - 1195 ~ 1240", trace=True)),
    entry("COMMIT_NOT_A_MEMBER", COORDINATOR,
          info("Failing OffsetCommit request since the consumer is not part of an active group", "- - 819 1156 ~ 1272 ~ 1317")),
)
# fmt: on

ENTRIES = FACADE + POSITIONS + COMMITS
