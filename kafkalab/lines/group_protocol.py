"""What does a consumer with group.protocol=consumer write (KIP-848)? Kept for 4.0.2 and 4.4.0.

Most of 4.0.2's numbers come from takes that are not kept in full: the list of lines made from them is the source.
"""

from __future__ import annotations

from functools import partial

from kafkalab.lines import wording
from kafkalab.lines.group import CHANGES
from kafkalab.lines.group import POLL_TIMEOUT
from kafkalab.lines.wording import debug, info, trace, warn

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

entry = partial(wording.entry, source="recordings of 4.4.0, and the findings' list of lines for 4.0.2")


def since_4_0(say, template: str, in_4_0: int, in_4_4: int):
    return say(template, f"- - - - - - {in_4_0} {in_4_4}")


def only_4_4(say, template: str, line: int):
    return say(template, f"- - - - - - - {line}")


# fmt: off
APPLICATION = (
    entry("ASYNC_CONSUMER_INITIALIZING", ASYNC, since_4_0(debug, "Initializing the Kafka consumer", 320, 482)),
    entry("ASYNC_CONSUMER_INITIALIZED", ASYNC, since_4_0(debug, "Kafka consumer initialized", 425, 595)),
    entry("ASYNC_SUBSCRIBED", ASYNC, since_4_0(info, "Subscribed to topic(s): {topics}", 1973, 2310)),
    entry("ASYNC_POLL_SUBMITTED", ASYNC, only_4_4(trace, "Inflight event {event} submitted", 1006)),
    entry("ASYNC_POLL_UNFILLED", ASYNC,
          only_4_4(trace, "Previous inflight event {event} completed without filling the buffer, clearing", 1047)),
    entry("ASYNC_POLL_EXPIRED", ASYNC, only_4_4(trace, "Previous inflight event {event} expired without completing, clearing", 1061)),
    entry("ASYNC_POLL_COMPLETED", ASYNC, only_4_4(trace, "Inflight event {event} completed without error, clearing", 1077)),
    entry("ASYNC_POLLING_FOR_FETCHES", ASYNC, since_4_0(trace, "Polling for fetches with timeout {timeout_ms}", 1677, 2014)),
    entry("POSITIONS_EVENT_EXPIRED", REAPER, debug(
        "Event CheckAndUpdatePositionsEvent{{type=CHECK_AND_UPDATE_POSITIONS, id={id}, enqueuedMs={enqueued_ms}, future={future}, "
        "deadlineMs={deadline_ms}}} completed exceptionally since its expiration of {deadline_ms} passed {late_ms} ms ago", "- - - - - - 93 -"),
          source="a recording of the released client 4.0.2"),
    entry("ASYNC_CONSUMER_CLOSING", ASYNC, since_4_0(trace, "Closing the Kafka consumer", 1337, 1642)),
    entry("ASYNC_COMMIT_ON_CLOSE", ASYNC, since_4_0(debug, "Sending synchronous auto-commit on closing", 1452, 1773)),
    entry("ASYNC_LEAVING", ASYNC, since_4_0(debug, "Leaving the consumer group during consumer close", 1431, 1752)),
    entry("ASYNC_LEFT", ASYNC, since_4_0(info, "Completed leaving the group", 1434, 1755)),
    entry("ASYNC_STOP_FINDING_COORDINATOR", ASYNC, since_4_0(debug, "Stop finding coordinator during consumer close", 1446, 1767)),
    entry("ASYNC_CONSUMER_CLOSED", ASYNC, since_4_0(debug, "Kafka consumer has been closed", 1375, 1683)),
)

NETWORK = (
    entry("NETWORK_THREAD_STARTED", NETWORK_THREAD, since_4_0(debug, "Consumer network thread started", 99, 145)),
    entry("NETWORK_THREAD_CLOSE_SIGNALLED", NETWORK_THREAD,
          since_4_0(trace, "Signaling the consumer network thread to close in {timeout_ms}ms", 307, 381)),
    entry("NETWORK_THREAD_CLOSING", NETWORK_THREAD, since_4_0(trace, "Closing the consumer network thread", 339, 413)),
    entry("NETWORK_THREAD_CLOSED", NETWORK_THREAD, since_4_0(debug, "Closed the consumer network thread", 351, 434)),
    entry("NODE_NOT_READY", DELEGATE,
          since_4_0(debug, "Node is not ready, handle the request in the next event loop: node={node}, request={request}", 215, 241)),
    entry("REQUEST_ALREADY_IN_FLIGHT", REQUEST_STATE,
          since_4_0(trace, "An inflight request already exists for {request_state}", 80, 80)),
    entry("REQUEST_MANAGERS_CLOSING", REQUEST_MANAGERS, since_4_0(debug, "Closing RequestManagers", 128, 144)),
    entry("REQUEST_MANAGERS_CLOSED", REQUEST_MANAGERS, since_4_0(debug, "RequestManagers has been closed", 136, 150)),
    entry("COMMIT_MANAGER_CLOSE_SIGNALLED", EVENTS, since_4_0(debug, "Signal CommitRequestManager closing", 461, 487)),
    entry("MEMBERSHIP_LEAVE_SIGNALLED", EVENTS,
          since_4_0(debug, "Signal the ConsumerMembershipManager to leave the consumer group since the consumer is closing", 469, 493)),
    entry("COORDINATOR_MANAGER_CLOSE_SIGNALLED", EVENTS, since_4_0(debug, "Signal CoordinatorRequestManager closing", 476, 505)),
)

MEMBER = (
    entry("ASYNC_COORDINATOR_DISCOVERED", COORDINATOR_REQUESTS,
          since_4_0(info, "Discovered group coordinator {coordinator}", 195, 199)),
    entry("MEMBER_HEARTBEAT_INTERVAL", HEARTBEAT_REQUESTS,
          only_4_4(info, "Member {member_id} received heartbeat interval {interval_ms}ms from the group coordinator", 372)),
    entry("MEMBER_JOINS_ON_POLL", MEMBERSHIP, only_4_4(debug, "Member {member_id} will join the group on the next call to poll.", 586)),
    entry("MEMBER_STATE", MEMBERSHIP,
          since_4_0(info, "Member {member_id} with epoch {epoch} transitioned from {state_from} to {state_to}.", 244, 247)),
    entry("MEMBER_TARGET_UPDATED", MEMBERSHIP,
          debug("Target assignment updated from {assignment_from} to {assignment_to}. Member will reconcile it on the next poll.",
                "- - - - - - 361 -"),
          only_4_4(debug, "Member {member_id} updated its target assignment from {assignment_from} to {assignment_to}. "
                          "Member will reconcile it on the next poll.", 433)),
    entry("MEMBER_RECONCILING", MEMBERSHIP,
          since_4_0(info, "Reconciling assignment with local epoch {epoch}"
                          "\n\tMember:                                    {member_id}" + CHANGES, 853, 933)),
    entry("MEMBER_REVOCATION_PENDING", MEMBERSHIP,
          since_4_0(debug, "Marking partitions pending for revocation: {partitions}", 1259, 1327)),
    entry("MEMBER_COMMIT_BEFORE_RECONCILING", MEMBERSHIP,
          since_4_0(debug, "Auto-commit before reconciling new assignment completed successfully.", 886, 964)),
    entry("MEMBER_PARTITIONS_REVOKED", MEMBERSHIP, since_4_0(info, "Revoking previously assigned partitions {partitions}", 1128, 1195)),
    entry("MEMBER_ASSIGNMENT_ENQUEUED", MEMBERSHIP,
          only_4_4(debug, "The event to update the new assignment and trigger onPartitionsAssigned callback if needed has been enqueued "
                          "successfully to be sent to the app thread.", 440)),
    entry("MEMBER_RECONCILIATION_IN_PROGRESS", MEMBERSHIP,
          since_4_0(trace, "Ignoring reconciliation attempt. Another reconciliation is already in progress. Assignment {assignment} will "
                           "be handled in the next reconciliation loop.", 814, 886)),
    entry("MEMBER_RECONCILIATION_NOT_NEEDED", MEMBERSHIP,
          only_4_4(trace, "Ignoring reconciliation attempt. Target assignment is equal to the current assignment.", 881)),
    entry("MEMBER_LEAVES_WITHOUT_CALLBACKS", MEMBERSHIP,
          only_4_4(debug, "Member {member_id} attempting to leave has no rebalance callbacks, so it will clear assignments and transition "
                          "to send heartbeat to leave group.", 664)),
    entry("MEMBER_LEAVE_HEARTBEAT", MEMBERSHIP,
          since_4_0(debug, "Member {member_id} with epoch {epoch} generated the heartbeat to leave the group.", 701, 769)),
    entry("ASYNC_POLL_TIMEOUT_EXPIRED", HEARTBEAT_REQUESTS, since_4_0(warn, "C" + POLL_TIMEOUT[1:], 171, 172)),
    entry("MEMBER_STALE_HEARTBEAT", MEMBERSHIP,
          since_4_0(debug, "Member {member_id} with epoch {epoch} generated the heartbeat to leave due to expired poll timer. "
                           "It will remain stale (no heartbeat) until it rejoins the group on the next consumer poll.", 696, 764)),
    entry("MEMBER_STALE_RELEASED", MEMBERSHIP,
          since_4_0(debug, "Member {member_id} sent leave group heartbeat and released its assignment. It will remain in {state} state "
                           "until the poll timer is reset, and it will then rejoin the group", 781, 850)),
    entry("STALE_HEARTBEAT_ANSWERED", HEARTBEAT_REQUESTS,
          since_4_0(debug, "ConsumerGroupHeartbeatRequest responded successfully: {response}", 307, 338)),
    entry("POLL_INTERVAL_EXCEEDED", HEARTBEAT_REQUESTS,
          since_4_0(warn, "Time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, exceeded approximately "
                          "by {ms} ms. Member {member_id} will rejoin the group now.", 261, 292)),
    entry("MEMBER_STALE_REJOINS", MEMBERSHIP,
          since_4_0(debug, "Expired poll timer has been reset so stale member {member_id} will rejoin the group when it completes releasing "
                           "its previous assignment.", 758, 826)),
    entry("MEMBER_LEFT", MEMBERSHIP,
          since_4_0(debug, "Member {member_id} with epoch {epoch} received a successful response to the heartbeat to leave the group and "
                           "completed the leave operation. ", 218, 310)),
)

OFFSETS = (
    entry("MEMBER_EPOCH_IN_COMMITS", COMMIT_REQUESTS,
          only_4_4(debug, "Member {member_id} will include new member epoch {epoch} in following offset commit/fetch requests.", 699)),
    entry("MEMBER_NO_EPOCH_IN_COMMITS", COMMIT_REQUESTS,
          since_4_0(info, "Member {member_id} won't include epoch in following offset commit/fetch requests because it has left the group.",
                    587, 696)),
    entry("ASYNC_OFFSET_FETCH_ENQUEUED", COMMIT_REQUESTS,
          since_4_0(debug, "Enqueuing offset fetch request for partitions: {partitions}", 1197, 1440)),
    entry("ASYNC_COMMITTED_OFFSET_MISSING", COMMIT_REQUESTS,
          since_4_0(info, "Found no committed offset for partition {partition}", 1110, 1342)),
    entry("ASYNC_OFFSET_COMMIT_ENQUEUED", COMMIT_REQUESTS,
          since_4_0(debug, "Enqueuing OffsetCommit request for offsets: {offsets}", 1175, 1414)),
    entry("ASYNC_OFFSET_COMMITTED", COMMIT_REQUESTS,
          since_4_0(debug, "OffsetCommit completed successfully for offset {offset} partition {partition}", 756, 885)),
    entry("ASYNC_AUTO_COMMIT_ASYNC_COMPLETED", COMMIT_REQUESTS,
          since_4_0(debug, "Completed asynchronous auto-commit of offsets {offsets}", 292, 317)),
    entry("ASYNC_AUTO_COMMIT_COMPLETED", COMMIT_REQUESTS, since_4_0(debug, "Completed auto-commit of offsets {offsets}", 369, 394)),
    entry("ASYNC_REFRESHING_COMMITTED", OFFSET_REQUESTS,
          since_4_0(debug, "Refreshing committed offsets for partitions {partitions}", 369, 424)),
    entry("ASYNC_LIST_OFFSETS_CREATING", OFFSET_REQUESTS,
          since_4_0(debug, "Creating ListOffset request {request} for broker {node} to reset positions", 622, 678)),
    entry("ASYNC_LIST_OFFSETS_RECEIVED", OFFSET_REQUESTS,
          since_4_0(trace, "Received ListOffsetResponse {response} from broker {node}", 639, 695)),
    entry("ASYNC_LEADER_EPOCH_CREATING", OFFSET_REQUESTS,
          since_4_0(debug, "Creating OffsetsForLeaderEpoch request request {request} to broker {node}", 788, 844)),
    entry("ASYNC_LEADER_EPOCH_RECEIVED", OFFSET_REQUESTS,
          since_4_0(trace, "Received OffsetsForLeaderEpoch response {response} from broker {node}", 804, 860)),
)
# fmt: on

ENTRIES = APPLICATION + NETWORK + MEMBER + OFFSETS
