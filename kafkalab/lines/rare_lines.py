"""Entries of lines that no recording shows; the line numbers of most come from the released jars.
Kafka's classes are NetworkClient, the coordinators and the fetchers; the lines tell of time-outs,
refusals and discarded answers."""

from __future__ import annotations

from kafkalab.lines.consumer import FETCHER, SUBSCRIPTIONS
from kafkalab.lines.fetch import ABSTRACT_FETCH, COLLECTOR, LINE_TABLES, SESSIONS
from kafkalab.lines.group import ABSTRACT, COORDINATOR, both
from kafkalab.lines.network import NETWORK_CLIENT
from kafkalab.lines.wording import Entry, debug, entry, error, info, trace, warn

INTERNALS = "org.apache.kafka.clients.consumer.internals."
OFFSETS = INTERNALS + "OffsetFetcher"  # since 3.3; before that the Fetcher
OFFSETS_UTILS = INTERNALS + "OffsetFetcherUtils"
CONSUMER = "org.apache.kafka.clients.consumer.KafkaConsumer"
CLASSIC = INTERNALS + "ClassicKafkaConsumer"  # since 3.7

SOURCE = (
    "the statement is in Kafka's source; no recording has it, so its line number is not known and "
    "nobody writes it"
)

# fmt: off
CONNECTIONS = (
    entry("METADATA_GIVE_UP", NETWORK_CLIENT,
          debug("Give up sending metadata request since no node is available"), source=LINE_TABLES),
    entry("DISCONNECTING_REQUEST_TIMEOUT", NETWORK_CLIENT,
          debug("Disconnecting from node {node_id} due to request timeout.", until="2.8"),
          info("Disconnecting from node {node_id} due to request timeout.", since="3.6"),
          source=LINE_TABLES),
    entry("DISCONNECTING_SETUP_TIMEOUT", NETWORK_CLIENT,
          debug("Disconnecting from node {node_id} due to socket connection setup timeout. The "
                "timeout value is {timeout_ms} ms.",
                since="2.8", until="2.8"),
          info("Disconnecting from node {node_id} due to socket connection setup timeout. The "
               "timeout value is {timeout_ms} ms.",
               since="3.6"), source=LINE_TABLES),
)

READING = (
    entry("UNSUBSCRIBED", CONSUMER,
          info("Unsubscribed all topics or patterns and assigned partitions", until="3.6"),
          info("Unsubscribed all topics or patterns and assigned partitions", since="3.9",
               logger=CLASSIC), source=LINE_TABLES),
    entry("SUBSCRIBED_TO_PATTERN", CONSUMER,
          debug("Subscribed to pattern: {pattern}", until="2.1"),
          info("Subscribed to pattern: '{pattern}'", since="2.2", until="3.6"),
          info("Subscribed to pattern: '{pattern}'", since="3.9", logger=CLASSIC),
          source=LINE_TABLES),
    entry("LEADER_UNAVAILABLE_FOR_OFFSET", FETCHER,
          debug("Leader {node} for partition {partition} is unavailable for fetching offset until "
                "reconnect backoff expires",
                until="2.8"),
          debug("Leader {node} for partition {partition} is unavailable for fetching offset until "
                "reconnect backoff expires",
                since="3.6", logger=OFFSETS), source=LINE_TABLES),
    entry("LIST_OFFSETS_PARTITION_ERROR", FETCHER,
          debug("Attempt to fetch offsets for partition {partition} failed due to {error}, "
                "retrying.", since="2.8", until="2.8"),
          debug("Attempt to fetch offsets for partition {partition} failed due to {error}, "
                "retrying.", since="3.6",
                logger=OFFSETS_UTILS), source=LINE_TABLES),
    entry("FETCH_LEADER_MISSING", FETCHER,
          debug("Requesting metadata update for partition {partition} since the position "
                "{position} is missing the current leader node",
                since="2.8", until="2.8"),
          debug("Requesting metadata update for partition {partition} since the position "
                "{position} is missing the current leader node",
                since="3.6", logger=ABSTRACT_FETCH), source=LINE_TABLES),
    entry("FETCH_STALE", FETCHER,
          debug("Discarding stale fetch response for partition {partition} since its offset "
                "{offset} does not match the expected offset "
                "{expected}", until="2.2"),
          debug("Discarding stale fetch response for partition {partition} since its offset "
                "{offset} does not match the expected offset "
                "{position}", since="2.3", until="2.8"),
          debug("Discarding stale fetch response for partition {partition} since its offset "
                "{offset} does not match the expected offset "
                "{position}", since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          debug("Discarding stale fetch response for partition {partition} since its offset "
                "{offset} does not match the expected offset "
                "{position} or the partition has been unassigned", since="3.9", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_NOT_NEXT", FETCHER,
          debug("Ignoring fetched records for {partition} at offset {offset} since the current "
                "position is {expected}",
                until="2.2"),
          debug("Ignoring fetched records for {partition} at offset {offset} since the current "
                "position is {position}",
                since="2.3", until="2.8"),
          debug("Ignoring fetched records for {partition} at offset {offset} since the current "
                "position is {position}",
                since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          debug("Ignoring fetched records for {partition} at offset {offset} since the current "
                "position is {position}",
                since="3.9", logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_NOT_ASSIGNED", FETCHER,
          debug("Not returning fetched records for partition {partition} since it is no longer "
                "assigned", until="2.8"),
          debug("Not returning fetched records for partition {partition} since it is no longer "
                "assigned", since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          debug("Not returning fetched records for partition {partition} since it is no longer "
                "assigned", since="3.9", logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_DRAINED", FETCHER,
          trace("Draining fetched records for partition {partition}", since="2.8", until="2.8"),
          trace("Draining fetched records for partition {partition}",
                since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          trace("Draining fetched records for partition {partition}",
                since="3.9", logger=COLLECTOR), source=LINE_TABLES),
    entry("TRUNCATION_DETECTED", SUBSCRIPTIONS,
          info("Truncation detected for partition {partition} at offset {position}, resetting "
               "offset to the first offset known to "
               "diverge {new_position}", since="2.3"), source=LINE_TABLES),
    entry("TRUNCATION_END_UNKNOWN", SUBSCRIPTIONS,
          info("Truncation detected for partition {partition} at offset {position}, resetting "
               "offset", since="2.8"), source=LINE_TABLES),
    entry("TRUNCATION_WITHOUT_POLICY", SUBSCRIPTIONS,
          warn("Truncation detected for partition {partition} at offset {position} (the end offset "
               "from the broker is {end}), but no "
               "reset policy is set", since="2.3"), source=LINE_TABLES),
    entry("TRUNCATION_END_UNKNOWN_WITHOUT_POLICY", SUBSCRIPTIONS,
          warn("Truncation detected for partition {partition} at offset {position}, but no reset "
               "policy is set", since="2.8"),
          source=LINE_TABLES),
    entry("FETCH_SESSION_ERROR", SESSIONS,
          info("Node {node_id} was unable to process the fetch request with "
               "(sessionId={session_id}, epoch={session_epoch}): {error}.",
               until="4.0"), source=LINE_TABLES),
    entry("FETCH_SESSION_CLOSE_SKIPPED", ABSTRACT_FETCH,
          debug("Skip sending close session request to broker {target} since it is not reachable",
                since="3.6"),
          source=LINE_TABLES),
)

GROUPS = (
    both("HEARTBEAT_IGNORED", debug,
         "Ignoring heartbeat response with error {error} during {state} state",
         since="2.8", source=LINE_TABLES),
    entry("HEARTBEAT_FENCED", ABSTRACT,
          error("Received fatal exception: group.instance.id gets fenced", since="2.3",
                until="2.3"),
          source=LINE_TABLES),
    entry("ASSIGNMENT_SKIPPED", COORDINATOR,
          info("Skipped assignment for returning static leader at generation {generation}. The "
               "static leader will continue with its existing "
               "assignment.", since="3.6"), source=LINE_TABLES),
    entry("AUTO_COMMIT_FAILED", COORDINATOR,
          warn("Asynchronous auto-commit of offsets {offsets} failed: {error}", since="2.8"),
          source=LINE_TABLES),
    entry("AUTO_COMMIT_SYNC_FAILED", COORDINATOR,
          warn("Synchronous auto-commit of offsets {offsets} failed: {error}"), source=LINE_TABLES),
)
# fmt: on

WITHOUT_NUMBER = tuple(
    Entry(name, (), SOURCE)
    for name in (
        "API_VERSIONS_REFUSED",
        "END_TXN_NOT_SENT",
        "ABORTABLE_ERROR_SKIPPED",
        "LISTENER_FAILED",
    )
)
"""Lines whose numbers are not known, so no version writes them. The simulator may reach such a
statement; the name marks the place of its line until a recording shows it."""

ENTRIES = CONNECTIONS + READING + GROUPS + WITHOUT_NUMBER
