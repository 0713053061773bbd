"""Entries of the lines that a consumer with group.protocol=consumer writes (AsyncKafkaConsumer,
KIP-848). They hold for 4.0.2 and 4.4.0.

Most of 4.0.2's numbers come from recordings that are not kept in full; the list of lines made from
them is the source.
"""

from __future__ import annotations

from functools import partial

from kafkalab.lines import wording
from kafkalab.lines.fetch import LINE_TABLES
from kafkalab.lines.group import CHANGES, POLL_TIMEOUT
from kafkalab.lines.wording import debug, error, info, trace, warn

INTERNALS = "org.apache.kafka.clients.consumer.internals."
ASYNC = INTERNALS + "AsyncKafkaConsumer"
NETWORK_THREAD = INTERNALS + "ConsumerNetworkThread"
DELEGATE = INTERNALS + "NetworkClientDelegate"
COORDINATOR_REQUESTS = INTERNALS + "CoordinatorRequestManager"
HEARTBEAT_REQUESTS = INTERNALS + "ConsumerHeartbeatRequestManager"
MEMBERSHIP = INTERNALS + "ConsumerMembershipManager"
COMMIT_REQUESTS = INTERNALS + "CommitRequestManager"
OFFSET_REQUESTS = INTERNALS + "OffsetsRequestManager"
REQUEST_STATE = INTERNALS + "RequestState"
REQUEST_MANAGERS = INTERNALS + "RequestManagers"
EVENTS = INTERNALS + "events.ApplicationEventProcessor"
REAPER = INTERNALS + "events.CompletableEventReaper"

entry = partial(
    wording.entry, source="recordings of 4.4.0, and the findings' list of lines for 4.0.2"
)

COMPILED = (
    "AsyncKafkaConsumer.class in kafka-clients 4.0.2 and 4.4.0: the text, and the line that its "
    "LineNumberTable gives the call"
)


# fmt: off
APPLICATION = (
    entry("ASYNC_CONSUMER_INITIALIZING", ASYNC,
          debug("Initializing the Kafka consumer", since="4.0")),
    entry("ASYNC_CONSUMER_INITIALIZED", ASYNC, debug("Kafka consumer initialized", since="4.0")),
    entry("ASYNC_SUBSCRIBED", ASYNC, info("Subscribed to topic(s): {topics}", since="4.0")),
    entry("ASYNC_POLL_SUBMITTED", ASYNC, trace("Inflight event {event} submitted", since="4.4")),
    entry("ASYNC_POLL_UNFILLED", ASYNC,
          trace("Previous inflight event {event} completed without filling the buffer, clearing",
                since="4.4")),
    entry("ASYNC_POLL_EXPIRED", ASYNC,
          trace("Previous inflight event {event} expired without completing, clearing",
                since="4.4")),
    entry("ASYNC_POLL_COMPLETED", ASYNC,
          trace("Inflight event {event} completed without error, clearing", since="4.4")),
    entry("ASYNC_SEEKING", ASYNC,
          info("Seeking to offset {offset} for partition {partition}", since="4.0"),
          source="takes of 4.0.2 and 4.4.0 with group.protocol=consumer that are not kept"),
    entry("ASYNC_POLLING_FOR_FETCHES", ASYNC,
          trace("Polling for fetches with timeout {timeout_ms}", since="4.0")),
    entry("POSITIONS_EVENT_EXPIRED", REAPER, debug(
        "Event CheckAndUpdatePositionsEvent{{type=CHECK_AND_UPDATE_POSITIONS, id={id}, "
        "enqueuedMs={enqueued_ms}, future={future}, "
        "deadlineMs={deadline_ms}}} completed exceptionally since its expiration of {deadline_ms} "
        "passed {late_ms} ms ago", since="4.0", until="4.0"),
          source="a recording of the released client 4.0.2"),
    entry("ASYNC_CONSUMER_CLOSING", ASYNC, trace("Closing the Kafka consumer", since="4.0")),
    entry("ASYNC_COMMIT_ON_CLOSE", ASYNC,
          debug("Sending synchronous auto-commit on closing", since="4.0")),
    entry("ASYNC_COMMIT_ON_CLOSE_FAILED", ASYNC,
          warn("Synchronous auto-commit failed", since="4.0", trace=True), source=COMPILED),
    entry("ASYNC_NOT_LEFT_IN_TIME", ASYNC,
          warn("Consumer attempted to leave the group but couldn't complete it within {ms} ms. It "
               "will proceed to close.", since="4.0"),
          source=COMPILED),
    entry("ASYNC_LEAVING", ASYNC,
          debug("Leaving the consumer group during consumer close", since="4.0")),
    entry("ASYNC_LEFT", ASYNC, info("Completed leaving the group", since="4.0")),
    entry("ASYNC_STOP_FINDING_COORDINATOR", ASYNC,
          debug("Stop finding coordinator during consumer close", since="4.0")),
    entry("ASYNC_CONSUMER_CLOSED", ASYNC, debug("Kafka consumer has been closed", since="4.0")),
)

NETWORK = (
    entry("NETWORK_THREAD_STARTED", NETWORK_THREAD,
          debug("Consumer network thread started", since="4.0")),
    entry("NETWORK_THREAD_CLOSE_SIGNALLED", NETWORK_THREAD,
          trace("Signaling the consumer network thread to close in {timeout_ms}ms", since="4.0")),
    entry("NETWORK_THREAD_CLOSING", NETWORK_THREAD,
          trace("Closing the consumer network thread", since="4.0")),
    entry("NETWORK_THREAD_CLOSED", NETWORK_THREAD,
          debug("Closed the consumer network thread", since="4.0")),
    entry("NODE_NOT_READY", DELEGATE,
          debug("Node is not ready, handle the request in the next event loop: node={node}, "
                "request={request}", since="4.0")),
    entry("REQUEST_ALREADY_IN_FLIGHT", REQUEST_STATE,
          trace("An inflight request already exists for {request_state}", since="4.0")),
    entry("REQUEST_MANAGERS_CLOSING", REQUEST_MANAGERS,
          debug("Closing RequestManagers", since="4.0")),
    entry("REQUEST_MANAGERS_CLOSED", REQUEST_MANAGERS,
          debug("RequestManagers has been closed", since="4.0")),
    entry("COMMIT_MANAGER_CLOSE_SIGNALLED", EVENTS,
          debug("Signal CommitRequestManager closing", since="4.0")),
    entry("MEMBERSHIP_LEAVE_SIGNALLED", EVENTS,
          debug("Signal the ConsumerMembershipManager to leave the consumer group since the "
                "consumer is closing", since="4.0")),
    entry("COORDINATOR_MANAGER_CLOSE_SIGNALLED", EVENTS,
          debug("Signal CoordinatorRequestManager closing", since="4.0")),
)

MEMBER = (
    entry("ASYNC_COORDINATOR_DISCOVERED", COORDINATOR_REQUESTS,
          info("Discovered group coordinator {coordinator}", since="4.0")),
    entry("MEMBER_HEARTBEAT_INTERVAL", HEARTBEAT_REQUESTS,
          info("Member {member_id} received heartbeat interval {interval_ms}ms from the group "
               "coordinator", since="4.4")),
    entry("MEMBER_JOINS_ON_POLL", MEMBERSHIP,
          debug("Member {member_id} will join the group on the next call to poll.", since="4.4")),
    entry("MEMBER_STATE", MEMBERSHIP,
          info("Member {member_id} with epoch {epoch} transitioned from {state_from} to "
               "{state_to}.", since="4.0")),
    entry("MEMBER_TARGET_UPDATED", MEMBERSHIP,
          debug("Target assignment updated from {assignment_from} to {assignment_to}. Member will "
                "reconcile it on the next poll.",
                since="4.0", until="4.0"),
          debug("Member {member_id} updated its target assignment from {assignment_from} to "
                "{assignment_to}. "
                          "Member will reconcile it on the next poll.", since="4.4")),
    entry("MEMBER_RECONCILING", MEMBERSHIP,
          info("Reconciling assignment with local epoch {epoch}"
                          "\n\tMember:                                    {member_id}" + CHANGES,
               since="4.0")),
    entry("MEMBER_REVOCATION_PENDING", MEMBERSHIP,
          debug("Marking partitions pending for revocation: {partitions}", since="4.0")),
    entry("MEMBER_COMMIT_BEFORE_RECONCILING", MEMBERSHIP,
          debug("Auto-commit before reconciling new assignment completed successfully.",
                since="4.0")),
    entry("MEMBER_PARTITIONS_REVOKED", MEMBERSHIP,
          info("Revoking previously assigned partitions {partitions}", since="4.0")),
    entry("MEMBER_ASSIGNMENT_ENQUEUED", MEMBERSHIP,
          debug("The event to update the new assignment and trigger onPartitionsAssigned callback "
                "if needed has been enqueued "
                          "successfully to be sent to the app thread.", since="4.4")),
    entry("MEMBER_RECONCILIATION_IN_PROGRESS", MEMBERSHIP,
          trace("Ignoring reconciliation attempt. Another reconciliation is already in progress. "
                "Assignment {assignment} will "
                           "be handled in the next reconciliation loop.", since="4.0")),
    entry("MEMBER_RECONCILIATION_NOT_NEEDED", MEMBERSHIP,
          trace("Ignoring reconciliation attempt. Target assignment is equal to the current "
                "assignment.", since="4.4")),
    entry("MEMBER_LEAVES_WITHOUT_CALLBACKS", MEMBERSHIP,
          debug("Member {member_id} attempting to leave has no rebalance callbacks, so it will "
                "clear assignments and transition "
                          "to send heartbeat to leave group.", since="4.4")),
    entry("MEMBER_LEAVE_HEARTBEAT", MEMBERSHIP,
          debug("Member {member_id} with epoch {epoch} generated the heartbeat to leave the group.",
                since="4.0")),
    entry("ASYNC_POLL_TIMEOUT_EXPIRED", HEARTBEAT_REQUESTS,
          warn("C" + POLL_TIMEOUT[1:], since="4.0")),
    entry("MEMBER_STALE_HEARTBEAT", MEMBERSHIP,
          debug("Member {member_id} with epoch {epoch} generated the heartbeat to leave due to "
                "expired poll timer. "
                           "It will remain stale (no heartbeat) until it rejoins the group on the "
                           "next consumer poll.", since="4.0")),
    entry("MEMBER_STALE_RELEASED", MEMBERSHIP,
          debug("Member {member_id} sent leave group heartbeat and released its assignment. It "
                "will remain in {state} state "
                           "until the poll timer is reset, and it will then rejoin the group",
                since="4.0")),
    entry("STALE_HEARTBEAT_ANSWERED", HEARTBEAT_REQUESTS,
          debug("ConsumerGroupHeartbeatRequest responded successfully: {response}", since="4.0")),
    entry("POLL_INTERVAL_EXCEEDED", HEARTBEAT_REQUESTS,
          warn("Time between subsequent calls to poll() was longer than the configured "
               "max.poll.interval.ms, exceeded approximately "
                          "by {ms} ms. Member {member_id} will rejoin the group now.",
               since="4.0")),
    entry("MEMBER_STALE_REJOINS", MEMBERSHIP,
          debug("Expired poll timer has been reset so stale member {member_id} will rejoin the "
                "group when it completes releasing "
                           "its previous assignment.", since="4.0")),
    entry("MEMBER_LEFT", MEMBERSHIP,
          debug("Member {member_id} with epoch {epoch} received a successful response to the "
                "heartbeat to leave the group and "
                           "completed the leave operation. ", since="4.0")),
)

OFFSETS = (
    entry("MEMBER_EPOCH_IN_COMMITS", COMMIT_REQUESTS,
          debug("Member {member_id} will include new member epoch {epoch} in following offset "
                "commit/fetch requests.", since="4.4")),
    entry("MEMBER_NO_EPOCH_IN_COMMITS", COMMIT_REQUESTS,
          info("Member {member_id} won't include epoch in following offset commit/fetch requests "
               "because it has left the group.",
                    since="4.0")),
    entry("ASYNC_OFFSET_FETCH_ENQUEUED", COMMIT_REQUESTS,
          debug("Enqueuing offset fetch request for partitions: {partitions}", since="4.0")),
    entry("ASYNC_COMMITTED_OFFSET_MISSING", COMMIT_REQUESTS,
          info("Found no committed offset for partition {partition}", since="4.0")),
    entry("ASYNC_OFFSET_COMMIT_ENQUEUED", COMMIT_REQUESTS,
          debug("Enqueuing OffsetCommit request for offsets: {offsets}", since="4.0")),
    entry("ASYNC_OFFSET_COMMITTED", COMMIT_REQUESTS,
          debug("OffsetCommit completed successfully for offset {offset} partition {partition}",
                since="4.0")),
    entry("ASYNC_OFFSET_COMMIT_REFUSED", COMMIT_REQUESTS,
          error("OffsetCommit failed with {error}", since="4.0"), source=LINE_TABLES),
    entry("ASYNC_OFFSET_COMMIT_STALE", COMMIT_REQUESTS,
          error("OffsetCommit failed for member {member_id} with stale member epoch error. Last "
                "epoch sent: {epoch}", since="4.0"),
          source=LINE_TABLES),
    entry("ASYNC_AUTO_COMMIT_ASYNC_COMPLETED", COMMIT_REQUESTS,
          debug("Completed asynchronous auto-commit of offsets {offsets}", since="4.0")),
    entry("ASYNC_AUTO_COMMIT_COMPLETED", COMMIT_REQUESTS,
          debug("Completed auto-commit of offsets {offsets}", since="4.0")),
    entry("ASYNC_REFRESHING_COMMITTED", OFFSET_REQUESTS,
          debug("Refreshing committed offsets for partitions {partitions}", since="4.0")),
    entry("ASYNC_LIST_OFFSETS_CREATING", OFFSET_REQUESTS,
          debug("Creating ListOffset request {request} for broker {node} to reset positions",
                since="4.0")),
    entry("ASYNC_LIST_OFFSETS_RECEIVED", OFFSET_REQUESTS,
          trace("Received ListOffsetResponse {response} from broker {node}", since="4.0")),
    entry("ASYNC_LEADER_EPOCH_CREATING", OFFSET_REQUESTS,
          debug("Creating OffsetsForLeaderEpoch request request {request} to broker {node}",
                since="4.0")),
    entry("ASYNC_LEADER_EPOCH_RECEIVED", OFFSET_REQUESTS,
          trace("Received OffsetsForLeaderEpoch response {response} from broker {node}",
                since="4.0")),
)
# fmt: on

ENTRIES = APPLICATION + NETWORK + MEMBER + OFFSETS
