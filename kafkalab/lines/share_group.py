"""Entries of the lines that a share consumer writes (KafkaShareConsumer, KIP-932), as recorded with
the released client 4.4.0."""

from __future__ import annotations

from functools import partial

from kafkalab.lines import wording
from kafkalab.lines.common import ABSTRACT_CONFIG
from kafkalab.lines.group import CHANGES
from kafkalab.lines.wording import debug, info, trace

INTERNALS = "org.apache.kafka.clients.consumer.internals."
SHARE = INTERNALS + "ShareConsumerImpl"
REQUESTS = INTERNALS + "ShareConsumeRequestManager"
SESSIONS = INTERNALS + "ShareSessionHandler"
COLLECTOR = INTERNALS + "ShareFetchCollector"
MEMBERSHIP = INTERNALS + "ShareMembershipManager"
HEARTBEATS = INTERNALS + "ShareHeartbeatRequestManager"

entry = partial(wording.entry, source="recordings of the released client 4.4.0")
since = "4.4"

# fmt: off
APPLICATION = (
    entry("SHARE_CONSUMER_CONFIG", ABSTRACT_CONFIG,
          info("ShareConsumerConfig values: \n{values}", since=since, prefixed=False)),
    entry("SHARE_CONSUMER_INITIALIZING", SHARE,
          debug("Initializing the Kafka share consumer", since=since)),
    entry("SHARE_CONSUMER_INITIALIZED", SHARE,
          debug("Kafka share consumer initialized", since=since)),
    entry("SHARE_SUBSCRIBED", SHARE, info("Subscribed to topics: {topics}", since=since)),
    entry("SHARE_POLL_SUBMITTED", SHARE, trace("In-flight event {event} submitted", since=since)),
    entry("SHARE_POLL_LEFT", SHARE,
          trace("Previous in-flight event {event} completed, clearing", since=since)),
    entry("SHARE_POLL_COMPLETED", SHARE,
          trace("In-flight event {event} completed without error, clearing", since=since)),
    entry("SHARE_CONSUMER_CLOSING", SHARE, trace("Closing the Kafka consumer", since=since)),
    entry("SHARE_FUTURE_AWAITED", SHARE,
          trace("Will wait up to {ms} ms for future {future} to complete", since=since)),
    entry("SHARE_FUTURE_WAITING", SHARE,
          trace("Waiting {ms} ms for future {future} to complete", since=since)),
    entry("SHARE_FUTURE_COMPLETED", SHARE,
          trace("Future {future} completed successfully", since=since)),
    entry("SHARE_LEFT", SHARE,
          info("Completed releasing assignment and leaving group to close consumer.",
               since=since)),
    entry("SHARE_STOP_FINDING_COORDINATOR", SHARE,
          debug("Stop finding coordinator during consumer close", since=since)),
    entry("SHARE_CONSUMER_CLOSED", SHARE,
          debug("Kafka share consumer has been closed", since=since)),
)

REQUEST = (
    entry("SHARE_FETCH_MORE", REQUESTS, debug("Fetch more data", since=since)),
    entry("SHARE_PARTITION_ADDED", REQUESTS,
          debug("Added fetch request for partition {topic_id}:{partition} to node {node_id}",
                since=since)),
    entry("SHARE_PARTITION_SKIPPED", REQUESTS,
          trace("Skipping fetch for partition {partition} because previous request to {node_id} "
                "has not been processed", since=since)),
    entry("SHARE_FETCH_SKIPPED", REQUESTS,
          trace("Skipping fetch because previous request to {node_id} has not been processed",
                since=since)),
    entry("SHARE_FETCH_BUILDING", REQUESTS,
          trace("Building ShareFetch request to send to node {node_id}", since=since)),
    entry("SHARE_FETCH_COMPLETED", REQUESTS,
          debug("Completed ShareFetch request from node {node_id} successfully", since=since)),
    entry("SHARE_FETCH_RETURNED", REQUESTS,
          debug("ShareFetch for partition {topic_id}:{partition} returned fetch data {data}",
                since=since)),
    entry("SHARE_FETCH_SETTLED", REQUESTS,
          debug("Removing pending request for node {node_id} - success", since=since)),
    entry("SHARE_SYNC_ACKNOWLEDGE_ADDED", REQUESTS,
          debug("Added sync acknowledge request for partition {partition} to node {node_id}",
                since=since)),
    entry("SHARE_ASYNC_ACKNOWLEDGE_ADDED", REQUESTS,
          debug("Added async acknowledge request for partition {partition} to node {node_id}",
                since=since),
          source="ShareConsumeRequestManager.class in kafka-clients 4.4.0"),
    entry("SHARE_CLOSING_ACKNOWLEDGE_ADDED", REQUESTS,
          debug("Added closing acknowledge request for partition {partition} to node {node_id}",
                since=since)),
    entry("SHARE_ACKNOWLEDGE_BUILT", REQUESTS,
          trace("Building acknowledgements to send : {acknowledgements}", since=since)),
    entry("SHARE_ACKNOWLEDGE_SKIPPED", REQUESTS,
          trace("Skipping acknowledge request because previous request to {node_id} has not been "
                "processed, so acks are not sent", since=since)),
    entry("SHARE_ACKNOWLEDGE_COMPLETED", REQUESTS,
          debug("Completed ShareAcknowledge request from node {node_id} successfully",
                since=since)),
    entry("SHARE_ACKNOWLEDGE_SETTLED", REQUESTS,
          debug("Removing pending request for node {node_id} - success", since=since, twin=True)),
    entry("SHARE_SESSION_REMOVED", REQUESTS,
          debug("Removing node from ShareSession {node_id}", since=since)),
    entry("SHARE_FETCH_BUILT", SESSIONS,
          debug("Build ShareFetch (memberId={member_id}, epoch={epoch}) for node {node_id}. Added "
                "({added}), removed ({removed}) out of ({all})", since=since)),
    entry("SHARE_FETCH_ANSWERED", SESSIONS,
          debug("Node {node_id} sent a ShareFetch response with throttleTimeMs = 0 for session "
                "{member_id}", since=since)),
    entry("SHARE_ACKNOWLEDGE_ANSWERED", SESSIONS,
          debug("Node {node_id} sent a ShareAcknowledge response with throttleTimeMs = 0 for "
                "session {member_id}", since=since)),
    entry("SHARE_SESSION_CLOSES", SESSIONS,
          debug("Set the metadata for next ShareFetch request to close the share session "
                "memberId={member_id}", since=since)),
    entry("SHARE_FETCH_READING", COLLECTOR,
          trace("Preparing to read {bytes} bytes of data for partition {partition}",
                since=since)),
)

MEMBER = (
    entry("SHARE_MEMBER_HEARTBEAT_INTERVAL", HEARTBEATS,
          info("Member {member_id} received heartbeat interval {interval_ms}ms from the group "
               "coordinator", since=since)),
    entry("SHARE_MEMBER_JOINS_ON_POLL", MEMBERSHIP,
          debug("Member {member_id} will join the group on the next call to poll.", since=since)),
    entry("SHARE_MEMBER_STATE", MEMBERSHIP,
          info("Member {member_id} with epoch {epoch} transitioned from {state_from} to "
               "{state_to}.", since=since)),
    entry("SHARE_MEMBER_TARGET_UPDATED", MEMBERSHIP,
          debug("Member {member_id} updated its target assignment from {assignment_from} to "
                "{assignment_to}. Member will reconcile it on the next poll.", since=since)),
    entry("SHARE_MEMBER_RECONCILING", MEMBERSHIP,
          info("Reconciling assignment with local epoch {epoch}"
               "\n\tMember:                                    {member_id}" + CHANGES,
               since=since)),
    entry("SHARE_MEMBER_REVOCATION_PENDING", MEMBERSHIP,
          debug("Marking partitions pending for revocation: {partitions}", since=since)),
    entry("SHARE_MEMBER_COMMIT_BEFORE_RECONCILING", MEMBERSHIP,
          debug("Auto-commit before reconciling new assignment completed successfully.",
                since=since)),
    entry("SHARE_MEMBER_RELEASED", MEMBERSHIP,
          info("Member {member_id} completed callback to release assignment. It will proceed to "
               "clear its assignment and send a leave group heartbeat", since=since)),
    entry("SHARE_MEMBER_LEAVE_HEARTBEAT", MEMBERSHIP,
          debug("Member {member_id} with epoch {epoch} generated the heartbeat to leave the "
                "group.", since=since)),
    entry("SHARE_MEMBER_LEFT", MEMBERSHIP,
          debug("Member {member_id} with epoch {epoch} received a successful response to the "
                "heartbeat to leave the group and completed the leave operation. ",
                since=since)),
)
# fmt: on

ENTRIES = APPLICATION + REQUEST + MEMBER
