"""What do clients write that no recording shows, at a line that the released jars name? Time-outs, refusals, what is thrown away."""

from __future__ import annotations

from kafkalab.lines.consumer import FETCHER
from kafkalab.lines.fetch import ABSTRACT_FETCH, COLLECTOR, LINE_TABLES, SESSIONS
from kafkalab.lines.group import ABSTRACT, COORDINATOR, both
from kafkalab.lines.network import NETWORK_CLIENT
from kafkalab.lines.wording import debug, entry, error, info, warn

INTERNALS = "org.apache.kafka.clients.consumer.internals."
OFFSETS = INTERNALS + "OffsetFetcher"  # since 3.3; before that the Fetcher
OFFSETS_UTILS = INTERNALS + "OffsetFetcherUtils"
CONSUMER = "org.apache.kafka.clients.consumer.KafkaConsumer"
CLASSIC = INTERNALS + "ClassicKafkaConsumer"  # since 3.7

# fmt: off
CONNECTIONS = (
    entry("METADATA_GIVE_UP", NETWORK_CLIENT,
          debug("Give up sending metadata request since no node is available", "967 979 1001 1042 1087 1160 1237 1479"), source=LINE_TABLES),
    entry("DISCONNECTING_REQUEST_TIMEOUT", NETWORK_CLIENT,
          debug("Disconnecting from node {node_id} due to request timeout.", "748 752 775 798 - - - -"),
          info("Disconnecting from node {node_id} due to request timeout.", "- - - - 836 871 921 1014"), source=LINE_TABLES),
    entry("DISCONNECTING_SETUP_TIMEOUT", NETWORK_CLIENT,
          debug("Disconnecting from node {node_id} due to socket connection setup timeout. The timeout value is {timeout_ms} ms.",
                "- - - 820 - - - -"),
          info("Disconnecting from node {node_id} due to socket connection setup timeout. The timeout value is {timeout_ms} ms.",
               "- - - - 858 893 943 1036"), source=LINE_TABLES),
)

READING = (
    entry("UNSUBSCRIBED", CONSUMER,
          info("Unsubscribed all topics or patterns and assigned partitions", "1031 1042 1068 1074 1021 - - -"),
          info("Unsubscribed all topics or patterns and assigned partitions", "- - - - - 552 584 603", logger=CLASSIC), source=LINE_TABLES),
    entry("SUBSCRIBED_TO_PATTERN", CONSUMER,
          debug("Subscribed to pattern: {pattern}", "989 - - - - - - -"),
          info("Subscribed to pattern: '{pattern}'", "- 999 1027 1029 976 - - -"),
          info("Subscribed to pattern: '{pattern}'", "- - - - - 534 566 585", logger=CLASSIC), source=LINE_TABLES),
    entry("LEADER_UNAVAILABLE_FOR_OFFSET", FETCHER,
          debug("Leader {node} for partition {partition} is unavailable for fetching offset until reconnect backoff expires",
                "711 713 879 953 - - - -"),
          debug("Leader {node} for partition {partition} is unavailable for fetching offset until reconnect backoff expires",
                "- - - - 410 367 370 408", logger=OFFSETS), source=LINE_TABLES),
    entry("LIST_OFFSETS_PARTITION_ERROR", FETCHER,
          debug("Attempt to fetch offsets for partition {partition} failed due to {error}, retrying.", "- - - 1061 - - - -"),
          debug("Attempt to fetch offsets for partition {partition} failed due to {error}, retrying.", "- - - - 141 159 139 143",
                logger=OFFSETS_UTILS), source=LINE_TABLES),
    entry("FETCH_LEADER_MISSING", FETCHER,
          debug("Requesting metadata update for partition {partition} since the position {position} is missing the current leader node",
                "- - - 1165 - - - -"),
          debug("Requesting metadata update for partition {partition} since the position {position} is missing the current leader node",
                "- - - - 453 424 505 577", logger=ABSTRACT_FETCH), source=LINE_TABLES),
    entry("FETCH_STALE", FETCHER,
          debug("Discarding stale fetch response for partition {partition} since its offset {offset} does not match the expected offset "
                "{expected}", "929 932 - - - - - -"),
          debug("Discarding stale fetch response for partition {partition} since its offset {offset} does not match the expected offset "
                "{position}", "- - 1144 1245 - - - -"),
          debug("Discarding stale fetch response for partition {partition} since its offset {offset} does not match the expected offset "
                "{position}", "- - - - 537 - - -", logger=ABSTRACT_FETCH),
          debug("Discarding stale fetch response for partition {partition} since its offset {offset} does not match the expected offset "
                "{position} or the partition has been unassigned", "- - - - - 254 255 260", logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_NOT_NEXT", FETCHER,
          debug("Ignoring fetched records for {partition} at offset {offset} since the current position is {expected}",
                "564 565 - - - - - -"),
          debug("Ignoring fetched records for {partition} at offset {offset} since the current position is {position}",
                "- - 666 713 - - - -"),
          debug("Ignoring fetched records for {partition} at offset {offset} since the current position is {position}",
                "- - - - 371 - - -", logger=ABSTRACT_FETCH),
          debug("Ignoring fetched records for {partition} at offset {offset} since the current position is {position}",
                "- - - - - 202 203 208", logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_SESSION_ERROR", SESSIONS,
          info("Node {node_id} was unable to process the fetch request with (sessionId={session_id}, epoch={session_epoch}): {error}.",
               "381 385 385 403 528 529 529 -"), source=LINE_TABLES),
    entry("FETCH_SESSION_CLOSE_SKIPPED", ABSTRACT_FETCH,
          debug("Skip sending close session request to broker {target} since it is not reachable", "- - - - 730 393 394 404"),
          source=LINE_TABLES),
)

GROUPS = (
    both("HEARTBEAT_IGNORED", debug, "Ignoring heartbeat response with error {error} during {state} state",
         "- - - 1131 1218 1259 1259 1265", source=LINE_TABLES),
    entry("HEARTBEAT_FENCED", ABSTRACT, error("Received fatal exception: group.instance.id gets fenced", "- - 944 - - - - -"),
          source=LINE_TABLES),
    entry("ASSIGNMENT_SKIPPED", COORDINATOR,
          info("Skipped assignment for returning static leader at generation {generation}. The static leader will continue with its existing "
               "assignment.", "- - - - 695 642 642 685"), source=LINE_TABLES),
    entry("AUTO_COMMIT_FAILED", COORDINATOR,
          warn("Asynchronous auto-commit of offsets {offsets} failed: {error}", "- - - 1074 1270 1199 1199 1244"), source=LINE_TABLES),
    entry("AUTO_COMMIT_SYNC_FAILED", COORDINATOR,
          warn("Synchronous auto-commit of offsets {offsets} failed: {error}", "729 729 760 1095 1224 1152 1152 1197"), source=LINE_TABLES),
)
# fmt: on

ENTRIES = CONNECTIONS + READING + GROUPS
