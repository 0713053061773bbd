"""What does a consumer write about fetching? Fetch sessions, what is asked of which leader, what comes back."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, trace, warn

INTERNALS = "org.apache.kafka.clients.consumer.internals."
SESSIONS = "org.apache.kafka.clients.FetchSessionHandler"
FETCHER = INTERNALS + "Fetcher"
ABSTRACT_FETCH = INTERNALS + "AbstractFetch"  # since 3.5
COLLECTOR = INTERNALS + "FetchCollector"  # since 3.7
LINE_TABLES = "line number tables of the released jars of all eight versions; not every version has a recording of the line"
COMPLETED_FETCH = INTERNALS + "CompletedFetch"
FETCH_BUFFER = INTERNALS + "FetchBuffer"

# fmt: off
ASKING = (
    entry("FETCH_SKIPPED_PENDING", FETCHER,
          trace("Skipping fetch for partition {partition} because there is an in-flight request to {node}", "880 883 - - - - - -"),
          trace("Skipping fetch for partition {partition} because previous request to {node} has not been processed",
                "- - 1079 1179 - - - -"),
          trace("Skipping fetch for partition {partition} because previous request to {node} has not been processed",
                "- - - - 468 439 447 464", logger=ABSTRACT_FETCH)),
    entry("FETCH_SKIPPED_BACKOFF", FETCHER,
          trace("Skipping fetch for partition {partition} because node {node} is awaiting reconnect backoff", "878 881 1076 1177 - - - -"),
          trace("Skipping fetch for partition {partition} because node {node} is awaiting reconnect backoff", "- - - - ~ 437 444 461",
                logger=ABSTRACT_FETCH)),
    entry("FETCH_SKIPPED_BUFFERED", ABSTRACT_FETCH,
          trace("Skipping fetch for partition {partition} because its leader node {node} hosts buffered partitions",
                "- - - - - - 453 470"), source=LINE_TABLES),
    entry("FETCH_ADDED", FETCHER,
          debug("Added {isolation} fetch request for partition {partition} at offset {offset} to node {node}", "898 901 - - - - - -"),
          debug("Added {isolation} fetch request for partition {partition} at position {position} to node {node}", "- - 1097 1198 - - - -"),
          debug("Added {isolation} fetch request for partition {partition} at position {position} to node {node}",
                "- - - - 484 455 469 486", logger=ABSTRACT_FETCH)),
    entry("FETCH_BUILT_FULL", SESSIONS,
          debug("Built full fetch (sessionId={session_id}, epoch={session_epoch}) for node {node_id} with {partitions}.",
                "199 200 200 211 279 280 280 280")),
    entry("FETCH_BUILT_INCREMENTAL", SESSIONS,
          debug("Built incremental fetch (sessionId={session_id}, epoch={session_epoch}) for node {node_id}. "
                "Added {added}, altered {altered}, removed {removed} "
                "out of {out_of}", "250 253 253 259 - - - -"),
          debug("Built incremental fetch (sessionId={session_id}, epoch={session_epoch}) for node {node_id}. "
                "Added {added}, altered {altered}, removed {removed}, "
                "replaced {replaced} out of {out_of}", "- - - - 356 357 357 357")),
    entry("SENDING_FULL_FETCH", FETCHER,
          debug("Sending {isolation} FullFetchRequest{to_send} to broker {node}", "218 218 246 265 - - - -"),
          debug("Sending {isolation} FullFetchRequest(toSend={to_send}, canUseTopicIds={use_topic_ids}) to broker {node}",
                "- - - - 246 309 312 322", logger=ABSTRACT_FETCH)),
    entry("SENDING_INCREMENTAL_FETCH", FETCHER,
          debug("Sending {isolation} IncrementalFetchRequest(toSend={to_send}, toForget={to_forget}, implied={implied}) to broker {node}",
                "218 218 246 265 - - - -"),
          debug("Sending {isolation} IncrementalFetchRequest(toSend={to_send}, toForget={to_forget}, toReplace={to_replace}, "
                "implied={implied}, canUseTopicIds={use_topic_ids}) to broker {node}", "- - - - 246 309 312 322", logger=ABSTRACT_FETCH)),
    entry("FETCH_PENDING_ADDED", ABSTRACT_FETCH,
          debug("Adding pending request for node {node}", "- - - - 252 315 318 328")),
    entry("FETCH_PENDING_REMOVED", ABSTRACT_FETCH,
          debug("Removing pending request for node {node}", "- - - - 199 - - -"),
          debug("Removing pending request for fetch session: {session_id} for node: {node}", "- - - - - 283 286 291")),
)

ANSWERS = (
    entry("FETCH_SESSION_CREATED", SESSIONS,
          debug("Node {node_id} sent a full fetch response that created a new incremental fetch session {session_id} "
                "with response={response}",
                "402 406 406 440 566 567 567 579")),
    entry("FETCH_SESSION_INCREMENTAL", SESSIONS,
          debug("Node {node_id} sent an incremental fetch response for session {session_id} with response={response}{implied}",
                "421 425 425 - - - - -"),
          debug("Node {node_id} sent an incremental fetch response with throttleTimeMs = {throttle} for session {session_id} with "
                "response={response}{implied}", "- - - 463 589 590 590 602")),
    entry("FETCH_SESSION_INVALID", SESSIONS,
          info("Node {node_id} sent an invalid full fetch response with {problem}", "- - - - - - - 568")),
    entry("FETCH_REQUEST_FAILED", SESSIONS,
          info("Error sending fetch request (sessionId={session_id}, epoch={session_epoch}) to node {node_id}: {error}.", "438 442 442 - - - - -"),
          info("Error sending fetch request (sessionId={session_id}, epoch={session_epoch}) to node {node_id}:", "- - - 481 ~ 618 ~ 630", trace=True)),
    entry("FETCH_RETURNED", FETCHER,
          debug("Fetch {isolation} at offset {offset} for partition {partition} returned fetch data {data}", "244 245 290 314 - - - -"),
          debug("Fetch {isolation} at offset {offset} for partition {partition} returned fetch data {data}", "- - - - 181 199 202 205",
                logger=ABSTRACT_FETCH)),
    entry("FETCH_NEW_LEADER", ABSTRACT_FETCH,
          debug("For {partition}, received error {error}, with leaderIdAndEpoch {leader}", "- - - - - 204 207 210"), source=LINE_TABLES),
    entry("FETCH_POSITION_TO_VALIDATE", ABSTRACT_FETCH,
          debug("For {partition}, as the leader was updated, position will be validated.", "- - - - - 231 234 241"), source=LINE_TABLES),
)

READING = (
    entry("FETCH_PREPARING", FETCHER,
          trace("Preparing to read {size} bytes of data for partition {partition} with offset {offset}", "934 937 - - - - - -"),
          trace("Preparing to read {size} bytes of data for partition {partition} with offset {position}", "- - 1149 1250 - - - -"),
          trace("Preparing to read {size} bytes of data for partition {partition} with offset {position}", "- - - - 543 - - -",
                logger=ABSTRACT_FETCH),
          trace("Preparing to read {size} bytes of data for partition {partition} with offset {position}", "- - - - - 260 261 266",
                logger=COLLECTOR)),
    entry("FETCH_HIGH_WATERMARK", FETCHER,
          trace("Updating high watermark for partition {partition} to {offset}", "958 961 1173 1274 - - - -"),
          trace("Updating high watermark for partition {partition} to {offset}", "- - - - 566 - - -", logger=ABSTRACT_FETCH),
          trace("Updating high watermark for partition {partition} to {offset}", "- - - - - 293 294 288", logger=COLLECTOR)),
    entry("FETCH_LOG_START", FETCHER,
          trace("Updating log start offset for partition {partition} to {offset}", "963 966 1178 1279 - - - -"),
          trace("Updating log start offset for partition {partition} to {offset}", "- - - - 571 - - -", logger=ABSTRACT_FETCH),
          trace("Updating log start offset for partition {partition} to {offset}", "- - - - - 300 301 295", logger=COLLECTOR)),
    entry("FETCH_LAST_STABLE", FETCHER,
          trace("Updating last stable offset for partition {partition} to {offset}", "968 971 1183 1284 - - - -"),
          trace("Updating last stable offset for partition {partition} to {offset}", "- - - - 576 - - -", logger=ABSTRACT_FETCH),
          trace("Updating last stable offset for partition {partition} to {offset}", "- - - - - 307 308 302", logger=COLLECTOR)),
    entry("FETCH_RETURNING", FETCHER,
          trace("Returning fetched records at offset {offset} for assigned partition {partition} and update position to {new_offset}",
                "547 548 - - - - - -"),
          trace("Returning fetched records at offset {position} for assigned partition {partition} and update position to {new_position}",
                "- - 648 - - - - -"),
          trace("Returning {count} fetched records at offset {position} for assigned partition {partition}", "- - - 688 - - - -"),
          trace("Returning {count} fetched records at offset {position} for assigned partition {partition}", "- - - - 342 - - -",
                logger=ABSTRACT_FETCH),
          trace("Returning {count} fetched records at offset {position} for assigned partition {partition}", "- - - - - 173 174 173",
                logger=COLLECTOR)),
    entry("POSITION_UPDATED", FETCHER,
          trace("Update fetching position to {position} for partition {partition}", "- - - 696 - - - -"),
          trace("Updating fetch position from {position_before} to {position} for partition {partition} and returning {count} records "
                "from `poll()`", "- - - - 352 - - -", logger=ABSTRACT_FETCH),
          trace("Updating fetch position from {position_before} to {position} for partition {partition} and returning {count} records "
                "from `poll()`", "- - - - - 183 184 183", logger=COLLECTOR)),
    entry("ABORTED_BATCH_SKIPPED", FETCHER,
          debug("Skipping aborted record batch from partition {partition} with producerId {producer_id} "
                "and offsets {offset} to {last_offset}",
                "1197 1200 1438 1567 - - - -"),
          debug("Skipping aborted record batch from partition {partition} with producerId {producer_id} "
                "and offsets {offset} to {last_offset}",
                "- - - - 199 216 ~ 218", logger=COMPLETED_FETCH)),
    entry("FETCH_WITHOUT_POSITION", FETCHER,
          debug("Ignoring fetched records for partition {partition} since it is no longer fetchable", "923 926 1138 - - - - -"),
          debug("Ignoring fetched records for partition {partition} since it no longer has valid position", "- - - 1239 - - - -"),
          debug("Ignoring fetched records for partition {partition} since it no longer has valid position", "- - - - 507 - - -",
                logger=ABSTRACT_FETCH),
          debug("Ignoring fetched records for partition {partition} since it no longer has valid position", "- - - - - 224 225 230",
                logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_ERROR_REFRESH", FETCHER,
          debug("Error in fetch for partition {partition}: {error}", "974 977 1201 1303 - - - -"),
          debug("Error in fetch for partition {partition}: {error}", "- - - - 603 - - -", logger=ABSTRACT_FETCH),
          debug("Error in fetch for partition {partition}: {error}", "- - - - - 335 336 330", logger=COLLECTOR), source=LINE_TABLES),
    entry("FETCH_UNKNOWN_LEADER_EPOCH", FETCHER,
          debug("Received unknown leader epoch error in fetch for partition {partition}", "- - 1228 1328 - - - -"),
          debug("Received unknown leader epoch error in fetch for partition {partition}", "- - - - 636 - - -", logger=ABSTRACT_FETCH),
          debug("Received unknown leader epoch error in fetch for partition {partition}", "- - - - - 377 378 372", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_UNKNOWN_TOPIC", FETCHER,
          warn("Received unknown topic or partition error in fetch for partition {partition}", "977 980 1204 1306 - - - -"),
          warn("Received unknown topic or partition error in fetch for partition {partition}", "- - - - 606 - - -", logger=ABSTRACT_FETCH),
          warn("Received unknown topic or partition error in fetch for partition {partition}", "- - - - - 338 339 333", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_UNKNOWN_TOPIC_ID", ABSTRACT_FETCH,
          warn("Received unknown topic ID error in fetch for partition {partition}", "- - - - 609 - - -"),
          warn("Received unknown topic ID error in fetch for partition {partition}", "- - - - - 341 342 336", logger=COLLECTOR),
          source=LINE_TABLES),
    entry("FETCH_OUT_OF_RANGE", FETCHER,
          info("Fetch offset {offset} is out of range for partition {partition}, resetting offset", "984 ~ 1214 - - - - -"),
          info("Fetch position {position} is out of range for partition {partition}, resetting offset", "- - - 1360 - - - -"),
          info("Fetch position {position} is out of range for partition {partition}, resetting offset", "- - - - 659 - - -",
               logger=ABSTRACT_FETCH),
          info("Fetch position {position} is out of range for partition {partition}, resetting offset", "- - - - - 360 ~ 355",
               logger=COLLECTOR)),
    entry("FETCH_OUT_OF_RANGE_NO_POLICY", FETCHER,
          info("Fetch position {position} is out of range for partition {partition}, raising error to the application since no reset "
               "policy is configured", "- - - 1363 - - - -"),
          info("Fetch position {position} is out of range for partition {partition}, raising error to the application since no reset "
               "policy is configured", "- - - - 662 - - -", logger=ABSTRACT_FETCH),
          info("Fetch position {position} is out of range for partition {partition}, raising error to the application since no reset "
               "policy is configured", "- - - - - 363 ~ 358", logger=COLLECTOR)),
)

ENDING = (
    entry("FETCH_BUFFER_RETAINED", FETCH_BUFFER,
          debug("Removing {partition} from buffered fetch data as it is not in the set of partitions to retain ({partitions})",
                "- - - - - 235 235 231")),
    entry("FETCH_SESSION_CLOSING", SESSIONS,
          debug("Set the metadata for next fetch request to close the existing session ID={session_id}", "- - - - 602 604 604 616")),
    entry("FETCH_SESSION_CLOSED", ABSTRACT_FETCH,
          debug("Successfully sent a close message for fetch session: {session_id} to node: {node}", "- - - - 740 270 273 278")),
)
# fmt: on

ENTRIES = ASKING + ANSWERS + READING + ENDING
