"""What does a member of a classic group write? Finding the coordinator, joining, the assignment, heartbeats, leaving."""

from __future__ import annotations

from kafkalab.lines.wording import RECORDED, debug, entry, info, trace, warn

INTERNALS = "org.apache.kafka.clients.consumer.internals."
ABSTRACT = INTERNALS + "AbstractCoordinator"
COORDINATOR = INTERNALS + "ConsumerCoordinator"  # from 3.6.2 on also for what AbstractCoordinator does
LISTENER = INTERNALS + "ConsumerRebalanceListenerInvoker"
HEARTBEAT = INTERNALS + "Heartbeat"
ASSIGNOR = INTERNALS + "AbstractPartitionAssignor"
STICKY_OLD = "org.apache.kafka.clients.consumer.StickyAssignor"
STICKY = INTERNALS + "AbstractStickyAssignor"

# fmt: off
POLL_TIMEOUT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured "
    "max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing messages. You can address "
    "this either by increasing max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with max.poll.records."
)
CHANGES = (
    "\n\tAssigned partitions:                       {partitions}"
    "\n\tCurrent owned partitions:                  {owned}"
    "\n\tAdded partitions (assigned - owned):       {added}"
    "\n\tRevoked partitions (owned - assigned):     {revoked}\n"
)


def both(name: str, say, template: str, row: str, source: str = RECORDED, **more):
    """One text that AbstractCoordinator's logger writes through 2.8.2 and ConsumerCoordinator's after it."""
    columns = row.split()
    old, new = " ".join(columns[:4] + ["-"] * 4), " ".join(["-"] * 4 + columns[4:])
    wordings = [say(template, old, logger=ABSTRACT, **more), say(template, new, logger=COORDINATOR, **more)]
    return entry(name, COORDINATOR, *(w for w in wordings if w.at), source=source)


FINDING = (
    both("SENDING_FIND_COORDINATOR", debug, "Sending FindCoordinator request to broker {node}", "628 649 699 822 874 905 905 913"),
    both("FIND_COORDINATOR_RESPONSE", debug, "Received FindCoordinator response {response}", "639 660 713 836 887 918 918 926"),
    both("COORDINATOR_DISCOVERED", info, "Discovered group coordinator {node}", "654 675 728 850 906 937 937 941"),
    both("COORDINATOR_LOOKUP_FAILED", debug, "Group coordinator lookup failed: {error}", "662 ~ 736 858 914 945 ~ 949"),
    entry("FIND_COORDINATOR_FAILED", ABSTRACT,
          debug("FindCoordinator request failed due to {{}}", "- - - 865 - - - -", trace=True),
          debug("FindCoordinator request failed due to {error}", "- - - - 921 952 952 956", logger=COORDINATOR),
          source="recordings of 2.8.2 (which prints the braces) and 4.4.0"),
    entry("COORDINATOR_DISCOVERY_FAILED", ABSTRACT,
          debug("Coordinator discovery failed, refreshing metadata", "240 ~ 258 - - - - -"),
          debug("Coordinator discovery failed, refreshing metadata", "- - - 256 - - - -", trace=True),
          debug("Coordinator discovery failed, refreshing metadata", "- - - - 276 301 ~ 309", logger=COORDINATOR, trace=True)),
    entry("COORDINATOR_UNAVAILABLE", ABSTRACT,
          info("Group coordinator {node} is unavailable or invalid, will attempt rediscovery", "706 ~ 780 - - - - -"),
          info("Group coordinator {node} is unavailable or invalid due to cause: {cause}.isDisconnected: {disconnected}. "
               "Rediscovery will be attempted.", "- - - 913 - - - -"),
          info("Group coordinator {node} is unavailable or invalid due to cause: {cause}. isDisconnected: {disconnected}. "
               "Rediscovery will be attempted.", "- - - - 969 1000 ~ 1004", logger=COORDINATOR)),
    both("COORDINATOR_DISCONNECT_REQUESTED", info, "Requesting disconnect from last known coordinator {node}", "- - - - 982 1013 ~ 1017"),
)

JOINING = (
    both("HEARTBEAT_THREAD_STARTED", debug, "Heartbeat thread started", "978 1018 1086 1353 1441 1482 1482 1491"),
    entry("ON_JOIN_PREPARE", COORDINATOR,
          debug("Executing onJoinPrepare with generation {generation} and memberId {member_id}", "- - - 700 765 712 712 755")),
    entry("PENDING_REVOCATION", COORDINATOR,
          debug("Marking assigned partitions pending for revocation: {partitions}", "- - - - 890 837 837 880")),
    both("DISABLING_HEARTBEAT", debug, "Disabling heartbeat thread", "955 995 1063 1330 1418 1459 ~ ~"),
    both("JOINING_GROUP", info, "(Re-)joining group", "486 491 505 540 576 605 605 613"),
    entry("JOINING_WITH_SUBSCRIPTION", COORDINATOR,
          debug("Joining group with current subscription: {topics}", "- - 181 218 249 261 261 303")),
    both("SENDING_JOIN_GROUP", debug, "Sending JoinGroup ({request}) to coordinator {node}", "494 499 517 552 589 618 618 626"),
    entry("MEMBER_ID_REQUIRED", ABSTRACT,
          debug("JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED Will set the member id as {member_id} and then rejoin. "
                "Sent generation was  {generation}", "- - - 655 - - - -"),
          debug("JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED. Will set the member id as {member_id} and then rejoin. "
                "Sent generation was {generation}", "- - - - 696 727 727 735", logger=COORDINATOR)),
    both("REQUEST_JOINING", info, "Request joining group due to: {reason}", "- - - - 1072 1103 1103 1107"),
    both("JOIN_GROUP_RESPONSE", debug, "Received successful JoinGroup response: {response}", "509 514 532 576 617 646 646 654"),
    both("ENABLING_HEARTBEAT", debug, "Enabling heartbeat thread", "946 986 1054 1321 1409 1450 1450 1473"),
    both("JOINED_GROUP", info, "Successfully joined group with generation {generation}", "450 455 469 596 637 666 666 674"),
)

ASSIGNING = (
    entry("PERFORMING_ASSIGNMENT", COORDINATOR,
          debug("Performing assignment using strategy {strategy} with subscriptions {subscriptions}", "401 402 422 638 701 648 648 691")),
    entry("ASSIGNMENT_TOPIC_SKIPPED", ASSIGNOR,
          debug("Skipping assignment for topic {topic} since no metadata is available", "65 ~ 65 63 ~ 88 ~ 88", prefixed=False)),
    entry("STICKY_MOVE", STICKY_OLD,
          debug("{partition} can be moved from consumer {member_id} to consumer {new_member_id} for a more balanced assignment.",
                "359 ~ 436 - - - - -", prefixed=False)),
    entry("STICKY_ALL_SUBSCRIBED_ALIKE", STICKY,
          debug("Detected that all consumers were subscribed to same set of topics, invoking the optimized assignment algorithm",
                "- - - 78 102 104 ~ 104", prefixed=False)),
    entry("STICKY_CONSTRAINED", STICKY,
          debug("Performing constrained assign with partitionsPerTopic: {partitions}, currentAssignment: {assignment}, rackInfo {racks}.",
                "- - - - 629 639 ~ 639", prefixed=False)),
    entry("STICKY_REASSIGNED", STICKY,
          debug("After reassigning previously owned partitions, unfilled members: {members}, unassigned partitions: {partitions}, "
                "current assignment: {assignment}", "- - - - 638 648 ~ 648", prefixed=False)),
    entry("STICKY_FINAL", STICKY,
          info("Final assignment of partitions to consumers: \n{assignment}", "- - - 309 650 660 ~ 660", prefixed=False)),
    entry("TOPICS_NOT_ASSIGNED", COORDINATOR,
          warn("The following subscribed topics are not assigned to any members: {topics} ", "421 ~ 442 - - - - -")),
    entry("FINISHED_ASSIGNMENT", COORDINATOR,
          debug("Finished assignment for group: {assignment}", "438 439 457 - - - - -"),
          info("Finished assignment for group at generation {generation}: {assignment}", "- - - 652 717 664 664 707")),
    entry("SENDING_LEADER_SYNC", ABSTRACT,
          debug("Sending leader SyncGroup to coordinator {node}: {request}", "574 595 642 - - - - -"),
          debug("Sending leader SyncGroup to coordinator {node} at generation {generation}: {request}", "- - - 715 - - - -"),
          debug("Sending leader SyncGroup to coordinator {node}: {request}", "- - - - 762 793 793 801", logger=COORDINATOR)),
    entry("SENDING_FOLLOWER_SYNC", ABSTRACT,
          debug("Sending follower SyncGroup to coordinator {node}: {request}", "562 583 615 - - - - -"),
          debug("Sending follower SyncGroup to coordinator {node} at generation {generation}: {request}", "- - - 686 - - - -"),
          debug("Sending follower SyncGroup to coordinator {node}: {request}", "- - - - 729 760 ~ 768", logger=COORDINATOR)),
    both("SYNC_GROUP_RESPONSE", debug, "Received successful SyncGroup response: {response}", "- - - 744 796 827 827 835"),
    both("SYNCED_GROUP", info, "Successfully synced group in generation {generation}", "- - - 760 812 843 843 851"),
    entry("ON_JOIN_COMPLETE", COORDINATOR,
          debug("Executing onJoinComplete with generation {generation} and memberId {member_id}", "- - - 352 393 340 340 383")),
    entry("UPDATING_ASSIGNMENT", COORDINATOR,
          info("Updating assignment with" + CHANGES, "- - - 396 440 387 ~ 430"),
          source="recordings of the cooperative assignor; eager members do not write it"),
    entry("REVOKE_AND_REJOIN", COORDINATOR,
          info("Need to revoke partitions {partitions} and re-join the group", "- - - 414 - - - -")),
    entry("NOTIFYING_ASSIGNOR", COORDINATOR,
          info("Notifying assignor about the new Assignment(partitions={partitions})", "- - - 279 312 324 324 366")),
)

# The partitions stand in brackets in 2.1, bare from 2.2 to 4.0, and in brackets again in 4.4: `{partitions}` holds them as printed.
CALLBACKS = (
    entry("REVOKING_PARTITIONS", COORDINATOR,
          info("Revoking previously assigned partitions {partitions}", "458 459 476 - - - - -"),
          info("Revoke previously assigned partitions {partitions}", "- - - 310 343 - - -"),
          info("Revoke previously assigned partitions {partitions}", "- - - - - 80 80 83", logger=LISTENER)),
    entry("ASSIGNED_PARTITIONS", COORDINATOR,
          info("Setting newly assigned partitions {partitions}", "289 - - - - - - -"),
          info("Setting newly assigned partitions: {partitions}", "- 290 283 - - - - -"),
          info("Adding newly assigned partitions: {partitions}", "- - - 291 324 - - -"),
          info("Adding newly assigned partitions: {partitions}", "- - - - - 58 58 57", logger=LISTENER)),
    entry("LOSING_PARTITIONS", COORDINATOR,
          info("Lost previously assigned partitions {partitions}", "- - - 329 ~ - - -"),
          info("Lost previously assigned partitions {partitions}", "- - - - - 106 ~ 113", logger=LISTENER)),
    entry("GIVING_AWAY_AS_LOST", COORDINATOR,
          info("Giving away all assigned partitions as lost since generation has been reset,indicating that consumer is no longer part "
               "of the group", "- - - 717 - - - -"),
          info("Giving away all assigned partitions as lost since generation/memberID has been reset,indicating that consumer is in old "
               "state or no longer part of the group", "- - - - ~ 778 ~ 821")),
)

HEARTBEATS = (
    entry("HEARTBEAT_TIMER", HEARTBEAT,
          trace("[Heartbeat groupID={group}] Sending heartbeat request with {remaining_ms}ms remaining on timer",
                "- - - 78 78 86 86 86", prefixed=False)),
    entry("SENDING_HEARTBEAT", ABSTRACT,
          debug("Sending Heartbeat request to coordinator {node}", "809 849 910 - - - - -"),
          debug("Sending Heartbeat request with generation {generation} and member id {member_id} to coordinator {node}",
                "- - - 1091 - - - -"),
          debug("Sending Heartbeat request with generation {generation} and member id {member_id} to coordinator {node}",
                "- - - - 1179 1220 1220 1226", logger=COORDINATOR)),
    both("HEARTBEAT_RESPONSE", debug, "Received successful Heartbeat response", "822 862 927 1114 1202 1243 1243 1249"),
    both("HEARTBEAT_REBALANCING", info, "Attempt to heartbeat failed since group is rebalancing", "831 871 936 1127 - - - -"),
    both("HEARTBEAT_COORDINATOR_INVALID", info, "Attempt to heartbeat failed since coordinator {node} is either not started or not valid.",
         "826 ~ 931 - - - - -"),
    entry("HEARTBEAT_FAILED", HEARTBEAT,
          trace("[Heartbeat groupID={group}] Heartbeat failed, reset the timer to {remaining_ms}ms remaining",
                "- - - 87 ~ 95 ~ 95", prefixed=False)),
    entry("POLL_TIMEOUT_EXPIRED", ABSTRACT,
          warn("This member will leave the group because " + POLL_TIMEOUT, "1011 ~ 1119 - - - - -"),
          warn(POLL_TIMEOUT, "- - - - 1481 1148 1148 1150", logger=COORDINATOR)),
)

LEAVING = (
    entry("ON_LEAVE_PREPARE", COORDINATOR,
          debug("Executing onLeavePrepare with generation {generation} and memberId {member_id}", "- - - 766 - - - -"),
          debug("Executing onLeavePrepare with generation {generation}", "- - - - 899 846 846 889")),
    entry("SENDING_LEAVE_GROUP", ABSTRACT,
          info("Sending LeaveGroup request to coordinator {node}", "782 - - - - - - -"),
          info("Member {member_id} sending LeaveGroup request to coordinator {node}", "- 822 879 - - - - -"),
          info("Member {member_id} sending LeaveGroup request to coordinator {node} due to {reason}", "- - - 1045 - - - -"),
          info("Member {member_id} sending LeaveGroup request to coordinator {node} due to {reason}", "- - - - 1133 1174 1174 1172",
               logger=COORDINATOR)),
    entry("RESET_GENERATION_ON_LEAVE", ABSTRACT,
          debug("Resetting generation due to consumer pro-actively leaving the group", "- - - 984 - - - -"),
          info("Resetting generation and member id due to: consumer pro-actively leaving the group", "- - - - 1025 1056 1056 1060", logger=COORDINATOR)),
    entry("LEAVE_GROUP_RESPONSE", ABSTRACT,
          debug("LeaveGroup request returned successfully", "798 838 899 - - - - -"),
          debug("LeaveGroup response with {generation} returned successfully: {response}", "- - - 1080 - - - -"),
          debug("LeaveGroup response with {generation} returned successfully: {response}", "- - - - 1168 1209 1209 1215",
                logger=COORDINATOR)),
    both("HEARTBEAT_THREAD_CLOSED", debug, "Heartbeat thread has closed", "1071 1111 1182 1455 1543 1579 1579 1589"),
)
# fmt: on

ENTRIES = FINDING + JOINING + ASSIGNING + CALLBACKS + HEARTBEATS + LEAVING
