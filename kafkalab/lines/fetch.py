"""Entries of the lines that a consumer writes about fetching (Fetcher, FetchSessionHandler). They
tell of fetch sessions, of requests to each leader and of their answers."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, error, info, trace, warn

INTERNALS = "org.apache.kafka.clients.consumer.internals."
SESSIONS = "org.apache.kafka.clients.FetchSessionHandler"
FETCHER = INTERNALS + "Fetcher"
ABSTRACT_FETCH = INTERNALS + "AbstractFetch"  # since 3.5
COLLECTOR = INTERNALS + "FetchCollector"  # since 3.7
LINE_TABLES = (
    "line number tables of the released jars of all eight versions; not every version has a "
    "recording of the line"
)
COMPLETED_FETCH = INTERNALS + "CompletedFetch"
FETCH_BUFFER = INTERNALS + "FetchBuffer"

# fmt: off
ASKING = (
    entry("FETCH_SKIPPED_PENDING", FETCHER,
          trace("Skipping fetch for partition {partition} because there is an in-flight request "
                "to {node}", until="2.2"),
          trace("Skipping fetch for partition {partition} because previous request to {node} has "
                "not been processed",
                since="2.3", until="2.8"),
          trace("Skipping fetch for partition {partition} because previous request to {node} has "
                "not been processed",
                since="3.6", logger=ABSTRACT_FETCH)),
    entry("FETCH_SKIPPED_BACKOFF", FETCHER,
          trace("Skipping fetch for partition {partition} because node {node} is awaiting "
                "reconnect backoff", until="2.8"),
          trace("Skipping fetch for partition {partition} because node {node} is awaiting "
                "reconnect backoff", since="3.6",
                logger=ABSTRACT_FETCH)),
    entry("FETCH_SKIPPED_BUFFERED", ABSTRACT_FETCH,
          trace("Skipping fetch for partition {partition} because its leader node {node} hosts "
                "buffered partitions",
                since="4.0"), source=LINE_TABLES),
    entry("FETCH_ADDED", FETCHER,
          debug("Added {isolation} fetch request for partition {partition} at offset {offset} to "
                "node {node}", until="2.2"),
          debug("Added {isolation} fetch request for partition {partition} at position {position} "
                "to node {node}", since="2.3", until="2.8"),
          debug("Added {isolation} fetch request for partition {partition} at position {position} "
                "to node {node}",
                since="3.6", logger=ABSTRACT_FETCH)),
    entry("FETCH_BUILT_FULL", SESSIONS,
          debug("Built full fetch (sessionId={session_id}, epoch={session_epoch}) for node "
                "{node_id} with {partitions}.")),
    entry("FETCH_BUILT_INCREMENTAL", SESSIONS,
          debug("Built incremental fetch (sessionId={session_id}, epoch={session_epoch}) for node "
                "{node_id}. "
                "Added {added}, altered {altered}, removed {removed} "
                "out of {out_of}", until="2.8"),
          debug("Built incremental fetch (sessionId={session_id}, epoch={session_epoch}) for node "
                "{node_id}. "
                "Added {added}, altered {altered}, removed {removed}, "
                "replaced {replaced} out of {out_of}", since="3.6")),
    entry("SENDING_FULL_FETCH", FETCHER,
          debug("Sending {isolation} FullFetchRequest{to_send} to broker {node}", until="2.8"),
          debug("Sending {isolation} FullFetchRequest(toSend={to_send}, "
                "canUseTopicIds={use_topic_ids}) to broker {node}",
                since="3.6", logger=ABSTRACT_FETCH)),
    entry("SENDING_INCREMENTAL_FETCH", FETCHER,
          debug("Sending {isolation} IncrementalFetchRequest(toSend={to_send}, "
                "toForget={to_forget}, implied={implied}) to broker {node}",
                until="2.8"),
          debug("Sending {isolation} IncrementalFetchRequest(toSend={to_send}, "
                "toForget={to_forget}, toReplace={to_replace}, "
                "implied={implied}, canUseTopicIds={use_topic_ids}) to broker {node}", since="3.6",
                logger=ABSTRACT_FETCH)),
    entry("FETCH_PENDING_ADDED", ABSTRACT_FETCH,
          debug("Adding pending request for node {node}", since="3.6")),
    entry("FETCH_PENDING_REMOVED", ABSTRACT_FETCH,
          debug("Removing pending request for node {node}", since="3.6", until="3.6"),
          debug("Removing pending request for fetch session: {session_id} for node: {node}",
                since="3.9")),
)

ANSWERS = (
    entry("FETCH_SESSION_CREATED", SESSIONS,
          debug("Node {node_id} sent a full fetch response that created a new incremental fetch "
                "session {session_id} "
                "with response={response}")),
    entry("FETCH_SESSION_INCREMENTAL", SESSIONS,
          debug("Node {node_id} sent an incremental fetch response for session {session_id} with "
                "response={response}{implied}",
                until="2.3"),
          debug("Node {node_id} sent an incremental fetch response with throttleTimeMs = "
                "{throttle} for session {session_id} with "
                "response={response}{implied}", since="2.8")),
    entry("FETCH_SESSION_THROTTLED", SESSIONS,
          info("Node {node_id} sent an invalid full fetch response with extra=({missing}, "
               "response=(", until="2.3"),
          debug("Node {node_id} sent a empty full fetch response to indicate that this client "
                "should be throttled for {throttle} ms.", since="2.8"),
          source="the released jars' texts and line tables"),
    entry("FETCH_SESSION_INVALID", SESSIONS,
          info("Node {node_id} sent an invalid full fetch response with {problem}", since="4.4")),
    entry("FETCH_REQUEST_FAILED", SESSIONS,
          info("Error sending fetch request (sessionId={session_id}, epoch={session_epoch}) to "
               "node {node_id}: {error}.", until="2.3"),
          info("Error sending fetch request (sessionId={session_id}, epoch={session_epoch}) to "
               "node {node_id}:", since="2.8", trace=True)),
    entry("FETCH_RETURNED", FETCHER,
          debug("Fetch {isolation} at offset {offset} for partition {partition} returned fetch "
                "data {data}", until="2.8"),
          debug("Fetch {isolation} at offset {offset} for partition {partition} returned fetch "
                "data {data}", since="3.6",
                logger=ABSTRACT_FETCH)),
    entry("FETCH_NEW_LEADER", ABSTRACT_FETCH,
          debug("For {partition}, received error {error}, with leaderIdAndEpoch {leader}",
                since="3.9"), source=LINE_TABLES),
    entry("FETCH_POSITION_TO_VALIDATE", ABSTRACT_FETCH,
          debug("For {partition}, as the leader was updated, position will be validated.",
                since="3.9"), source=LINE_TABLES),
)

READING = (
    entry("FETCH_PREPARING", FETCHER,
          trace("Preparing to read {size} bytes of data for partition {partition} with offset "
                "{offset}", until="2.2"),
          trace("Preparing to read {size} bytes of data for partition {partition} with offset "
                "{position}", since="2.3", until="2.8"),
          trace("Preparing to read {size} bytes of data for partition {partition} with offset "
                "{position}", since="3.6", until="3.6",
                logger=ABSTRACT_FETCH),
          trace("Preparing to read {size} bytes of data for partition {partition} with offset "
                "{position}", since="3.9",
                logger=COLLECTOR)),
    entry("FETCH_HIGH_WATERMARK", FETCHER,
          trace("Updating high watermark for partition {partition} to {offset}", until="2.8"),
          trace("Updating high watermark for partition {partition} to {offset}", since="3.6",
                until="3.6", logger=ABSTRACT_FETCH),
          trace("Updating high watermark for partition {partition} to {offset}", since="3.9",
                logger=COLLECTOR)),
    entry("FETCH_LOG_START", FETCHER,
          trace("Updating log start offset for partition {partition} to {offset}", until="2.8"),
          trace("Updating log start offset for partition {partition} to {offset}", since="3.6",
                until="3.6", logger=ABSTRACT_FETCH),
          trace("Updating log start offset for partition {partition} to {offset}", since="3.9",
                logger=COLLECTOR)),
    entry("FETCH_LAST_STABLE", FETCHER,
          trace("Updating last stable offset for partition {partition} to {offset}", until="2.8"),
          trace("Updating last stable offset for partition {partition} to {offset}", since="3.6",
                until="3.6", logger=ABSTRACT_FETCH),
          trace("Updating last stable offset for partition {partition} to {offset}", since="3.9",
                logger=COLLECTOR)),
    entry("FETCH_RETURNING", FETCHER,
          trace("Returning fetched records at offset {offset} for assigned partition {partition} "
                "and update position to {new_offset}",
                until="2.2"),
          trace("Returning fetched records at offset {position} for assigned partition "
                "{partition} and update position to {new_position}",
                since="2.3", until="2.3"),
          trace("Returning {count} fetched records at offset {position} for assigned partition "
                "{partition}", since="2.8", until="2.8"),
          trace("Returning {count} fetched records at offset {position} for assigned partition "
                "{partition}", since="3.6", until="3.6",
                logger=ABSTRACT_FETCH),
          trace("Returning {count} fetched records at offset {position} for assigned partition "
                "{partition}", since="3.9",
                logger=COLLECTOR)),
    entry("POSITION_UPDATED", FETCHER,
          trace("Update fetching position to {position} for partition {partition}", since="2.8",
                until="2.8"),
          trace("Updating fetch position from {position_before} to {position} for partition "
                "{partition} and returning {count} records "
                "from `poll()`", since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          trace("Updating fetch position from {position_before} to {position} for partition "
                "{partition} and returning {count} records "
                "from `poll()`", since="3.9", logger=COLLECTOR)),
    entry("ABORTED_BATCH_SKIPPED", FETCHER,
          debug("Skipping aborted record batch from partition {partition} with producerId "
                "{producer_id} "
                "and offsets {offset} to {last_offset}",
                until="2.8"),
          debug("Skipping aborted record batch from partition {partition} with producerId "
                "{producer_id} "
                "and offsets {offset} to {last_offset}",
                since="3.6", logger=COMPLETED_FETCH)),
    entry("FETCH_WITHOUT_POSITION", FETCHER,
          debug("Ignoring fetched records for partition {partition} since it is no longer "
                "fetchable", until="2.3"),
          debug("Ignoring fetched records for partition {partition} since it no longer has valid "
                "position", since="2.8", until="2.8"),
          debug("Ignoring fetched records for partition {partition} since it no longer has valid "
                "position", since="3.6", until="3.6",
                logger=ABSTRACT_FETCH),
          debug("Ignoring fetched records for partition {partition} since it no longer has valid "
                "position", since="3.9",
                logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_ERROR_REFRESH", FETCHER,
          debug("Error in fetch for partition {partition}: {error}", until="2.8"),
          debug("Error in fetch for partition {partition}: {error}", since="3.6", until="3.6",
                logger=ABSTRACT_FETCH),
          debug("Error in fetch for partition {partition}: {error}", since="3.9", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_UNKNOWN_LEADER_EPOCH", FETCHER,
          debug("Received unknown leader epoch error in fetch for partition {partition}",
                since="2.3", until="2.8"),
          debug("Received unknown leader epoch error in fetch for partition {partition}",
                since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          debug("Received unknown leader epoch error in fetch for partition {partition}",
                since="3.9", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_UNKNOWN_TOPIC", FETCHER,
          warn("Received unknown topic or partition error in fetch for partition {partition}",
               until="2.8"),
          warn("Received unknown topic or partition error in fetch for partition {partition}",
               since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          warn("Received unknown topic or partition error in fetch for partition {partition}",
               since="3.9", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_UNKNOWN_TOPIC_ID", ABSTRACT_FETCH,
          warn("Received unknown topic ID error in fetch for partition {partition}", since="3.6",
               until="3.6"),
          warn("Received unknown topic ID error in fetch for partition {partition}", since="3.9",
               logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_REPLICA_PREFERRED", FETCHER,
          debug("Updating preferred read replica for partition {partition} to {replica}, set to "
                "expire at {until}", since="2.3", until="2.8"),
          debug("Updating preferred read replica for partition {partition} to {replica}, set to "
                "expire at {until}", since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          debug("Updating preferred read replica for partition {partition} to {replica}, set to "
                "expire at {until}", since="3.9", logger=COLLECTOR)),
    entry("FETCH_REPLICA_OFFLINE", FETCHER,
          trace("Not fetching from Optional[{replica}] for partition {partition} since it is "
                "marked offline or is missing from our metadata, using the leader instead.",
                since="2.3", until="2.8"),
          trace("Not fetching from Optional[{replica}] for partition {partition} since it is "
                "marked offline or is missing from our metadata, using the leader instead.",
                since="3.6", logger=ABSTRACT_FETCH), source=LINE_TABLES),
    entry("FETCH_REPLICA_UNSET", FETCHER,
          debug("Unset the preferred read replica {replica} for partition {partition} since we "
                "got {error} when fetching {offset}", since="2.3", until="2.8"),
          debug("Unset the preferred read replica {replica} for partition {partition} since we "
                "got {error} when fetching {offset}", since="3.6", until="3.6",
                logger=ABSTRACT_FETCH),
          debug("Unset the preferred read replica {replica} for partition {partition} since we "
                "got {error} when fetching {offset}", since="3.9", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_OUT_OF_RANGE", FETCHER,
          info("Fetch offset {offset} is out of range for partition {partition}, resetting offset",
               until="2.3"),
          info("Fetch position {position} is out of range for partition {partition}, resetting "
               "offset", since="2.8", until="2.8"),
          info("Fetch position {position} is out of range for partition {partition}, resetting "
               "offset", since="3.6", until="3.6",
               logger=ABSTRACT_FETCH),
          info("Fetch position {position} is out of range for partition {partition}, resetting "
               "offset", since="3.9",
               logger=COLLECTOR)),
    entry("FETCH_OUT_OF_RANGE_NO_POLICY", FETCHER,
          info("Fetch position {position} is out of range for partition {partition}, raising error "
               "to the application since no reset "
               "policy is configured", since="2.8", until="2.8"),
          info("Fetch position {position} is out of range for partition {partition}, raising error "
               "to the application since no reset "
               "policy is configured", since="3.6", until="3.6", logger=ABSTRACT_FETCH),
          info("Fetch position {position} is out of range for partition {partition}, raising error "
               "to the application since no reset "
               "policy is configured", since="3.9", logger=COLLECTOR)),
)

UNREADABLE = (
    entry("KEY_DESERIALIZER_FAILED", COMPLETED_FETCH,
          error("Key Deserializers with error: Deserializers{{keyDeserializer={key}, "
                "valueDeserializer={value}}}", since="3.9"), source=LINE_TABLES),
    entry("VALUE_DESERIALIZER_FAILED", COMPLETED_FETCH,
          error("Value Deserializers with error: Deserializers{{keyDeserializer={key}, "
                "valueDeserializer={value}}}", since="3.9")),
)

ENDING = (
    entry("FETCH_BUFFER_RETAINED", FETCH_BUFFER,
          debug("Removing {partition} from buffered fetch data as it is not in the set of "
                "partitions to retain ({partitions})",
                since="3.9")),
    entry("FETCH_SESSION_CLOSING", SESSIONS,
          debug("Set the metadata for next fetch request to close the existing session "
                "ID={session_id}", since="3.6")),
    entry("FETCH_SESSION_CLOSED", ABSTRACT_FETCH,
          debug("Successfully sent a close message for fetch session: {session_id} to node: {node}",
                since="3.6")),
)
# fmt: on

ENTRIES = ASKING + ANSWERS + READING + UNREADABLE + ENDING
