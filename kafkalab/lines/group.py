"""Entries of the lines that a member of a classic group writes (AbstractCoordinator,
ConsumerCoordinator). They tell of finding the coordinator, joining, the assignment, heartbeats and
leaving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.lines.wording import RECORDED, Entry, Wording, debug, entry, info, trace, warn
from kafkalab.releases import lineage

INTERNALS = "org.apache.kafka.clients.consumer.internals."
ABSTRACT = INTERNALS + "AbstractCoordinator"
# from 3.6.2 on also for what AbstractCoordinator does
COORDINATOR = INTERNALS + "ConsumerCoordinator"
LISTENER = INTERNALS + "ConsumerRebalanceListenerInvoker"
HEARTBEAT = INTERNALS + "Heartbeat"
ASSIGNOR = INTERNALS + "AbstractPartitionAssignor"
STICKY_OLD = "org.apache.kafka.clients.consumer.StickyAssignor"
STICKY = INTERNALS + "AbstractStickyAssignor"

# fmt: off
POLL_TIMEOUT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was "
    "longer than the configured "
    "max.poll.interval.ms, which typically implies that the poll loop is spending too much time "
    "processing messages. You can address "
    "this either by increasing max.poll.interval.ms or by reducing the maximum size of batches "
    "returned in poll() with max.poll.records."
)
CHANGES = (
    "\n\tAssigned partitions:                       {partitions}"
    "\n\tCurrent owned partitions:                  {owned}"
    "\n\tAdded partitions (assigned - owned):       {added}"
    "\n\tRevoked partitions (owned - assigned):     {revoked}\n"
)


def both(name: str, say: Callable[..., Wording], template: str, source: str = RECORDED,
         **more: Any) -> Entry:
    """An entry with one text that AbstractCoordinator's logger writes until 2.8.2 and
    ConsumerCoordinator's after it."""
    return entry(name, COORDINATOR, *moved(say, template, **more), source=source)


def moved(say: Callable[..., Wording], template: str, since: str = "", until: str = "",
          **more: Any) -> tuple[Wording, ...]:
    """The two wordings of such a text: one for each of the two loggers,
    unless one of them never wrote it."""
    old = () if since in lineage.since("3.6") else (say(template, since=since, until=until or "2.8",
                                                        logger=ABSTRACT, **more),)
    new = () if until else (say(template, since=since if not old else "3.6", logger=COORDINATOR,
                                **more),)
    return old + new


FINDING = (
    both("SENDING_FIND_COORDINATOR", debug, "Sending FindCoordinator request to broker {node}"),
    both("FIND_COORDINATOR_RESPONSE", debug, "Received FindCoordinator response {response}"),
    both("COORDINATOR_DISCOVERED", info, "Discovered group coordinator {node}"),
    both("COORDINATOR_LOOKUP_FAILED", debug, "Group coordinator lookup failed: {error}"),
    entry("FIND_COORDINATOR_FAILED", ABSTRACT,
          debug("FindCoordinator request failed due to {{}}", since="2.8", until="2.8", trace=True),
          debug("FindCoordinator request failed due to {error}", since="3.6", logger=COORDINATOR),
          source="recordings of 2.8.2 (which prints the braces) and 4.4.0"),
    entry("COORDINATOR_DISCOVERY_FAILED", ABSTRACT,
          debug("Coordinator discovery failed, refreshing metadata", until="2.3"),
          debug("Coordinator discovery failed, refreshing metadata", since="2.8", until="2.8",
                trace=True),
          debug("Coordinator discovery failed, refreshing metadata", since="3.6",
                logger=COORDINATOR, trace=True)),
    entry("COORDINATOR_UNAVAILABLE", ABSTRACT,
          info("Group coordinator {node} is unavailable or invalid, will attempt rediscovery",
               until="2.3"),
          info("Group coordinator {node} is unavailable or invalid due to cause: "
               "{cause}.isDisconnected: {disconnected}. "
               "Rediscovery will be attempted.", since="2.8", until="2.8"),
          info("Group coordinator {node} is unavailable or invalid due to cause: {cause}. "
               "isDisconnected: {disconnected}. "
               "Rediscovery will be attempted.", since="3.6", logger=COORDINATOR)),
    both("COORDINATOR_DISCONNECT_REQUESTED", info,
         "Requesting disconnect from last known coordinator {node}", since="3.6"),
)

JOINING = (
    both("HEARTBEAT_THREAD_STARTED", debug, "Heartbeat thread started"),
    entry("ON_JOIN_PREPARE", COORDINATOR,
          debug("Executing onJoinPrepare with generation {generation} and memberId {member_id}",
                since="2.8")),
    entry("PENDING_REVOCATION", COORDINATOR,
          debug("Marking assigned partitions pending for revocation: {partitions}", since="3.6")),
    both("DISABLING_HEARTBEAT", debug, "Disabling heartbeat thread"),
    both("JOINING_GROUP", info, "(Re-)joining group"),
    entry("JOINING_WITH_SUBSCRIPTION", COORDINATOR,
          debug("Joining group with current subscription: {topics}", since="2.3")),
    both("SENDING_JOIN_GROUP", debug, "Sending JoinGroup ({request}) to coordinator {node}"),
    entry("MEMBER_ID_REQUIRED", ABSTRACT,
          debug("JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED Will set the member "
                "id as {member_id} and then rejoin. "
                "Sent generation was  {generation}", since="2.8", until="2.8"),
          debug("JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED. Will set the member "
                "id as {member_id} and then rejoin. "
                "Sent generation was {generation}", since="3.6", logger=COORDINATOR)),
    both("REQUEST_JOINING", info, "Request joining group due to: {reason}", since="3.6"),
    both("JOIN_GROUP_RESPONSE", debug, "Received successful JoinGroup response: {response}"),
    both("ENABLING_HEARTBEAT", debug, "Enabling heartbeat thread"),
    both("JOINED_GROUP", info, "Successfully joined group with generation {generation}"),
)

ASSIGNING = (
    entry("PERFORMING_ASSIGNMENT", COORDINATOR,
          debug("Performing assignment using strategy {strategy} with subscriptions "
                "{subscriptions}")),
    entry("ASSIGNMENT_TOPIC_SKIPPED", ASSIGNOR,
          debug("Skipping assignment for topic {topic} since no metadata is available",
                prefixed=False)),
    entry("STICKY_MOVE", STICKY_OLD,
          debug("{partition} can be moved from consumer {member_id} to consumer {new_member_id} "
                "for a more balanced assignment.",
                until="2.3", prefixed=False)),
    entry("STICKY_ALL_SUBSCRIBED_ALIKE", STICKY,
          debug("Detected that all consumers were subscribed to same set of topics, invoking the "
                "optimized assignment algorithm",
                since="2.8", prefixed=False)),
    entry("STICKY_CONSTRAINED", STICKY,
          debug("Performing constrained assign with partitionsPerTopic: {partitions}, "
                "currentAssignment: {assignment}, rackInfo {racks}.",
                since="3.6", prefixed=False)),
    entry("STICKY_REASSIGNED", STICKY,
          debug("After reassigning previously owned partitions, unfilled members: {members}, "
                "unassigned partitions: {partitions}, "
                "current assignment: {assignment}", since="3.6", prefixed=False)),
    entry("STICKY_FINAL", STICKY,
          info("Final assignment of partitions to consumers: \n{assignment}", since="2.8",
               prefixed=False)),
    entry("TOPICS_NOT_ASSIGNED", COORDINATOR,
          warn("The following subscribed topics are not assigned to any members: {topics} ",
               until="2.3")),
    entry("FINISHED_ASSIGNMENT", COORDINATOR,
          debug("Finished assignment for group: {assignment}", until="2.3"),
          info("Finished assignment for group at generation {generation}: {assignment}",
               since="2.8")),
    entry("SENDING_LEADER_SYNC", ABSTRACT,
          debug("Sending leader SyncGroup to coordinator {node}: {request}", until="2.3"),
          debug("Sending leader SyncGroup to coordinator {node} at generation {generation}: "
                "{request}", since="2.8", until="2.8"),
          debug("Sending leader SyncGroup to coordinator {node}: {request}", since="3.6",
                logger=COORDINATOR)),
    entry("SENDING_FOLLOWER_SYNC", ABSTRACT,
          debug("Sending follower SyncGroup to coordinator {node}: {request}", until="2.3"),
          debug("Sending follower SyncGroup to coordinator {node} at generation {generation}: "
                "{request}", since="2.8", until="2.8"),
          debug("Sending follower SyncGroup to coordinator {node}: {request}", since="3.6",
                logger=COORDINATOR)),
    both("SYNC_GROUP_RESPONSE", debug, "Received successful SyncGroup response: {response}",
         since="2.8"),
    both("SYNCED_GROUP", info, "Successfully synced group in generation {generation}", since="2.8"),
    entry("ON_JOIN_COMPLETE", COORDINATOR,
          debug("Executing onJoinComplete with generation {generation} and memberId {member_id}",
                since="2.8")),
    entry("UPDATING_ASSIGNMENT", COORDINATOR,
          info("Updating assignment with" + CHANGES, since="2.8"),
          source="recordings of the cooperative assignor; eager members do not write it"),
    entry("REVOKE_AND_REJOIN", COORDINATOR,
          info("Need to revoke partitions {partitions} and re-join the group", since="2.8",
               until="2.8")),
    entry("NOTIFYING_ASSIGNOR", COORDINATOR,
          info("Notifying assignor about the new Assignment(partitions={partitions})",
               since="2.8")),
)

# The partitions are in brackets in 2.1, bare from 2.2 to 4.0, and in brackets again in 4.4:
# `{partitions}` holds them as printed.
CALLBACKS = (
    entry("REVOKING_PARTITIONS", COORDINATOR,
          info("Revoking previously assigned partitions {partitions}", until="2.3"),
          info("Revoke previously assigned partitions {partitions}", since="2.8", until="3.6"),
          info("Revoke previously assigned partitions {partitions}", since="3.9", logger=LISTENER)),
    entry("ASSIGNED_PARTITIONS", COORDINATOR,
          info("Setting newly assigned partitions {partitions}", until="2.1"),
          info("Setting newly assigned partitions: {partitions}", since="2.2", until="2.3"),
          info("Adding newly assigned partitions: {partitions}", since="2.8", until="3.6"),
          info("Adding newly assigned partitions: {partitions}", since="3.9", logger=LISTENER)),
    entry("LOSING_PARTITIONS", COORDINATOR,
          info("Lost previously assigned partitions {partitions}", since="2.8", until="3.6"),
          info("Lost previously assigned partitions {partitions}", since="3.9", logger=LISTENER)),
    entry("GIVING_AWAY_AS_LOST", COORDINATOR,
          info("Giving away all assigned partitions as lost since generation has been "
               "reset,indicating that consumer is no longer part "
               "of the group", since="2.8", until="2.8"),
          info("Giving away all assigned partitions as lost since generation/memberID has been "
               "reset,indicating that consumer is in old "
               "state or no longer part of the group", since="3.6")),
)

HEARTBEATS = (
    entry("HEARTBEAT_TIMER", HEARTBEAT,
          trace("[Heartbeat groupID={group}] Sending heartbeat request with {remaining_ms}ms "
                "remaining on timer",
                since="2.8", prefixed=False)),
    entry("SENDING_HEARTBEAT", ABSTRACT,
          debug("Sending Heartbeat request to coordinator {node}", until="2.3"),
          debug("Sending Heartbeat request with generation {generation} and member id {member_id} "
                "to coordinator {node}",
                since="2.8", until="2.8"),
          debug("Sending Heartbeat request with generation {generation} and member id {member_id} "
                "to coordinator {node}",
                since="3.6", logger=COORDINATOR)),
    both("HEARTBEAT_RESPONSE", debug, "Received successful Heartbeat response"),
    both("HEARTBEAT_REBALANCING", info, "Attempt to heartbeat failed since group is rebalancing",
         until="2.8"),
    both("HEARTBEAT_COORDINATOR_INVALID", info,
         "Attempt to heartbeat failed since coordinator {node} is either not started or not valid.",
         until="2.3"),
    entry("HEARTBEAT_FAILED", HEARTBEAT,
          trace("[Heartbeat groupID={group}] Heartbeat failed, reset the timer to "
                "{remaining_ms}ms remaining",
                since="2.8", prefixed=False)),
    entry("POLL_TIMEOUT_EXPIRED", ABSTRACT,
          warn("This member will leave the group because " + POLL_TIMEOUT, until="2.3"),
          warn(POLL_TIMEOUT, since="3.6", logger=COORDINATOR)),
)

LEAVING = (
    entry("ON_LEAVE_PREPARE", COORDINATOR,
          debug("Executing onLeavePrepare with generation {generation} and memberId {member_id}",
                since="2.8", until="2.8"),
          debug("Executing onLeavePrepare with generation {generation}", since="3.6")),
    entry("SENDING_LEAVE_GROUP", ABSTRACT,
          info("Sending LeaveGroup request to coordinator {node}", until="2.1"),
          info("Member {member_id} sending LeaveGroup request to coordinator {node}", since="2.2",
               until="2.3"),
          info("Member {member_id} sending LeaveGroup request to coordinator {node} due to "
               "{reason}", since="2.8", until="2.8"),
          info("Member {member_id} sending LeaveGroup request to coordinator {node} due to "
               "{reason}", since="3.6",
               logger=COORDINATOR)),
    entry("RESET_GENERATION_ON_LEAVE", ABSTRACT,
          debug("Resetting generation due to consumer pro-actively leaving the group", since="2.8",
                until="2.8"),
          info("Resetting generation and member id due to: consumer pro-actively leaving the group",
               since="3.6", logger=COORDINATOR)),
    entry("LEAVE_GROUP_RESPONSE", ABSTRACT,
          debug("LeaveGroup request returned successfully", until="2.3"),
          debug("LeaveGroup response with {generation} returned successfully: {response}",
                since="2.8", until="2.8"),
          debug("LeaveGroup response with {generation} returned successfully: {response}",
                since="3.6",
                logger=COORDINATOR)),
    both("HEARTBEAT_THREAD_CLOSED", debug, "Heartbeat thread has closed"),
)
# fmt: on

ENTRIES = FINDING + JOINING + ASSIGNING + CALLBACKS + HEARTBEATS + LEAVING
