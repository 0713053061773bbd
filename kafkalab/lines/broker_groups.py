"""Lists the lines that a group coordinator writes into a broker's server.log.

Broker 2.3 says them in GroupCoordinator and GroupMetadataManager (Scala), broker 4.4 in
GroupMetadataManager and CoordinatorRuntime (Java). `reason_text` gives the text in the brackets of
"Preparing to rebalance".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kafkalab.lines.server_entry import JARS, NEW, OLD, kraft, other, server_line, zk

SCALA = "kafka.coordinator.group.GroupCoordinator"
SCALA_STORE = "kafka.coordinator.group.GroupMetadataManager"
JAVA = "org.apache.kafka.coordinator.group.GroupMetadataManager"
CLASSIC = "org.apache.kafka.coordinator.group.classic.ClassicGroup"
OFFSETS = "org.apache.kafka.coordinator.group.OffsetMetadataManager"
SERVICE = "org.apache.kafka.coordinator.group.GroupCoordinatorService"
SHARD = "org.apache.kafka.coordinator.group.GroupCoordinatorShard"
RUNTIME = "org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime"

S = "[GroupCoordinator {broker_id}]: "
M = "[GroupMetadataManager brokerId={broker_id}] "
J = "[GroupCoordinator id={broker_id} topic=__consumer_offsets partition={index}] "
R = "[GroupCoordinator id={broker_id}] "

NOT_PROVIDED = "not provided"
"""What broker 4.4 prints for a client that gave no reason (JoinGroupRequest.joinReason)."""

REASONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "new member": {
            OLD: "Adding new member {member_id} with group instanceid {option}",
            NEW: "Adding new member {member_id} with group instance id {instance}; "
            "client reason: {client_reason}",
        },
        "member left": {
            OLD: "removing member {member_id} on LeaveGroup",
            NEW: "explicit `LeaveGroup` request for ({members}) members.",
        },
        "member failed": {
            OLD: "removing member {member_id} on heartbeat expiration",
            NEW: "removing member {member_id} on heartbeat expiration.",
        },
        "leader joined again": {
            OLD: "Updating metadata for member {member_id}",
            NEW: "Leader {member_id} re-joining group during {state}; "
            "client reason: {client_reason}",
        },
        "member changed": {
            OLD: "Updating metadata for member {member_id}",
            NEW: "Updating metadata for member {member_id} during {state}; "
            "client reason: {client_reason}",
        },
        "static member changed": {
            OLD: "Updating metadata for member {member_id}",
            NEW: "Group's selectedProtocol will change because static member {member_id} with "
            "instance id {instance} joined with change of protocol; client reason: {client_reason}",
        },
        "no sync": {NEW: "Removing [{member_id}] on pending sync request expiration"},
    }
)
"""Why a rebalance begins -> the words of each release."""


def reason_text(release: str, why: str, **values: str | None) -> str:
    """The words of a broker release for a reason of REASONS.

    instance: the group.instance.id or None; client_reason: what the client said, or None. Raises
    KeyError for a reason that the release does not have.
    """
    instance = values.get("instance")
    return REASONS[why][release].format_map(
        {
            **values,
            "instance": "null" if instance is None else instance,
            "option": "None" if instance is None else f"Some({instance})",
            "client_reason": values.get("client_reason") or NOT_PROVIDED,
        }
    )


ENTRIES = (
    server_line("GROUP_COORDINATOR_STARTING", zk(S + "Starting up.", SCALA),
                kraft(R + "Starting up.", SERVICE)),
    server_line("GROUP_COORDINATOR_STARTED", zk(S + "Startup complete.", SCALA),
                kraft(R + "Startup complete.", SERVICE)),
    server_line(
        "GROUP_MEMBER_ID_GIVEN",
        kraft(J + "Dynamic member with unknown member id joins group {group} in {state_to} state. "
            "Created a new member id {member_id} and requesting the member to rejoin with this id.",
            JAVA),
        other(S + "Dynamic member with unknown member id joins group {group} in {state_to} state. "
              "Created a new member id {member_id} and request the member to rejoin with this id.",
              SCALA),
    ),
    server_line(
        "GROUP_PENDING_MEMBER_JOINS",
        kraft(J + "Pending dynamic member with id {member_id} joins group {group} in {state_to} "
            "state. Adding to the group now.", JAVA),
    ),
    server_line(
        "GROUP_STATIC_MEMBER_JOINS",
        kraft(J + "Static member with groupInstanceId={instance} and unknown member id joins group "
            "{group} in {state_to} state. Created a new member id {member_id} for this member and "
            "added to the group.", JAVA),
        other(S + "Static member with groupInstanceId={instance} and unknown member id joins group "
              "{group} in {state_to} state. Created a new member id {member_id} for this member "
              "and add to the group.", SCALA),
    ),
    server_line(
        "GROUP_STATIC_MEMBER_RETURNS",
        zk(S + "Static member {option} with unknown member id rejoins, assigning new member id "
            "{member_id}, while old member {old_member} will be removed.", SCALA),
        kraft(J + "Static member with groupInstanceId={instance} and unknown member id joins group "
            "{group} in {state_to} state. Replacing previously mapped member {old_member} with "
            "this groupInstanceId.", JAVA),
        other(S + "Static member {option} of group {group} with unknown member id rejoins, "
              "assigning new member id {member_id}, while old member id {old_member} will be "
              "removed.", SCALA),
        other(S + "Static member with groupInstanceId={instance} and unknown member id joins group "
              "{group} in {state_to} state. Replacing previously mapped member {old_member} with "
              "this groupInstanceId.", SCALA),
    ),
    server_line(
        "GROUP_STATIC_MEMBER_STAYS",
        zk(S + "Static member joins during Stable stage will not trigger rebalance.", SCALA),
        kraft(J + "Static member which joins during Stable stage and doesn't affect the selected "
            "protocol will not trigger a rebalance.", JAVA),
        other(S + "Static member which joins during Stable stage and doesn't affect selectProtocol "
              "will not trigger rebalance.", SCALA),
    ),
    server_line(
        "GROUP_PREPARING_REBALANCE",
        zk(S + "Preparing to rebalance group {group} in state {state_to} with old generation "
            "{generation} (__consumer_offsets-{index}) (reason: {reason})", SCALA),
        kraft(J + "Preparing to rebalance group {group} in state {state_to} with old generation "
            "{generation} (reason: {reason}).", JAVA),
    ),
    server_line(
        "GROUP_MEMBERS_NOT_REJOINED",
        kraft(J + "Group {group} removed dynamic members who haven't joined: [{members}]", JAVA),
        source=JARS,
    ),
    server_line(
        "GROUP_LEADER_REPLACED",
        kraft(J + "Group leader [memberId: {old_member}, groupInstanceId: {instance}] failed to "
            "join before the rebalance timeout. Member {member_id} was elected as the new leader.",
            CLASSIC),
        source=JARS,
    ),
    server_line(
        "GROUP_STABILIZED",
        zk(S + "Stabilized group {group} generation {generation} (__consumer_offsets-{index})",
            SCALA),
        kraft(J + "Stabilized group {group} generation {generation} with {count} members.", JAVA),
        other(S + "Stabilized group {group} generation {generation} (__consumer_offsets-{index}) "
              "with {count} members", SCALA),
    ),
    server_line(
        "GROUP_ASSIGNMENT_RECEIVED",
        zk(S + "Assignment received from leader for group {group} for generation {generation}",
            SCALA),
        kraft(J + "Assignment received from leader {member_id} for group {group} for generation "
            "{generation}. The group has {count} members, {static_count} of which are static.",
            JAVA),
        other(S + "Assignment received from leader for group {group} for generation {generation}. "
              "The group has {count} members, {static_count} of which are static.", SCALA),
        other(S + "Assignment received from leader {member_id} for group {group} for generation "
              "{generation}. The group has {count} members, {static_count} of which are static.",
              SCALA),
    ),
    server_line(
        "GROUP_MEMBER_LEFT",
        zk(S + "Member {member_id} in group {group} has left, removing it from the group", SCALA),
        kraft(J + "[Group {group}] Member {member_id} has left group through explicit `LeaveGroup` "
            "request; client reason: {reason}", JAVA),
        other(S + "Member[group.instance.id {instance}, member.id {member_id}] in group {group} "
              "has left, removing it from the group", SCALA),
        other(S + "Member {member} has left group {group} through explicit `LeaveGroup`; client "
              "reason: {reason}", SCALA),
    ),
    server_line(
        "GROUP_MEMBER_FAILED",
        zk(S + "Member {member_id} in group {group} has failed, removing it from the group",
            SCALA),
        kraft(J + "Member {member_id} in group {group} has failed, removing it from the group.",
            JAVA),
    ),
    server_line(
        "GROUP_PENDING_MEMBER_LEFT",
        zk(S + "Pending member {member_id} is leaving group {group}.", SCALA),
        kraft(J + "[Group {group}] Pending member {member_id} has left group through explicit "
            "`LeaveGroup` request; client reason: {reason}", JAVA),
        source=JARS,
    ),
    server_line(
        "GROUP_PENDING_MEMBER_EXPIRED",
        zk(S + "Pending member {member_id} in group {group} has been removed after session "
            "timeout expiration.", SCALA),
        kraft(J + "Pending member {member_id} in group {group} has been removed after session "
            "timeout expiration.", JAVA),
        source=JARS,
    ),
    server_line(
        "GROUP_EMPTY",
        zk(S + "Group {group} with generation {generation} is now empty "
            "(__consumer_offsets-{index})", SCALA),
        kraft(J + "Group {group} with generation {generation} is now empty.", JAVA),
    ),
    server_line(
        "GROUP_DEAD",
        zk(M + "Group {group} transitioned to Dead in generation {generation}", SCALA_STORE),
        source=JARS,
    ),
    server_line(
        "GROUP_LOADED",
        zk(S + "Loading group metadata for {group} with generation {generation}", SCALA),
        kraft(J + "Loaded classic group {group} with {count} members.", JAVA),
    ),
    server_line(
        "GROUP_UNLOADED",
        zk(S + "Unloading group metadata for {group} with generation {generation}", SCALA),
        kraft(J + "[GroupId={group}] Unloading group metadata for generation {generation}.", JAVA),
        source=JARS,
    ),
    server_line(
        "GROUPS_LOADING",
        zk(M + "Scheduling loading of offsets and group metadata from __consumer_offsets-{index}",
            SCALA_STORE),
        kraft(R + "Scheduling loading of metadata from __consumer_offsets-{index} with epoch "
            "{epoch}", RUNTIME),
        other(M + "Scheduling loading of offsets and group metadata from "
              "__consumer_offsets-{index} for epoch {epoch}", SCALA_STORE),
    ),
    server_line(
        "GROUPS_READ",
        zk(M + "Finished loading offsets and group metadata from __consumer_offsets-{index} in "
            "{elapsed_ms} milliseconds.", SCALA_STORE),
        kraft(R + "Finished loading of metadata from __consumer_offsets-{index} with epoch {epoch} "
            "in {elapsed_ms}ms where {scheduler_ms}ms was spent in the scheduler. Loaded {count} "
            "records which total to {size} bytes.", RUNTIME),
        other(M + "Finished loading offsets and group metadata from __consumer_offsets-{index} in "
              "{elapsed_ms} milliseconds for epoch {epoch}, of which {scheduler_ms} milliseconds "
              "was spent in the scheduler.", SCALA_STORE),
    ),
    server_line(
        "GROUPS_UNLOADING",
        zk(M + "Scheduling unloading of offsets and group metadata from "
            "__consumer_offsets-{index}", SCALA_STORE),
        kraft(R + "Scheduling unloading of metadata for __consumer_offsets-{index} with epoch "
            "OptionalInt[{epoch}]", RUNTIME),
    ),
    server_line(
        "GROUPS_UNLOADED",
        zk(M + "Finished unloading __consumer_offsets-{index}. Removed {offsets} cached offsets "
            "and {count} cached groups.", SCALA_STORE),
        kraft(R + "Finished unloading metadata for __consumer_offsets-{index} with epoch "
            "OptionalInt[{epoch}].", RUNTIME),
        other(M + "Finished unloading __consumer_offsets-{index} for coordinator epoch {epoch}. "
              "Removed {offsets} cached offsets and {count} cached groups.", SCALA_STORE),
        source=JARS,
    ),
    server_line(
        "GROUPS_NEVER_LOADED",
        kraft(R + "Ignored unloading metadata for __consumer_offsets-{index} in epoch "
            "OptionalInt[{epoch}] since metadata was never loaded.", RUNTIME),
    ),
    server_line(
        "GROUP_SIMPLE_CREATED",
        kraft(J + "[GroupId {group}] Creating a simple consumer group via manual offset commit.",
            OFFSETS),
    ),
    server_line(
        "GROUP_OFFSETS_EXPIRED",
        zk(M + "Removed {count} expired offsets in {elapsed_ms} milliseconds.", SCALA_STORE),
    ),
    server_line(
        "GROUPS_DELETED",
        zk(S + "The following groups were deleted: {groups}. A total of {count} offsets were "
            "removed.", SCALA),
        kraft(J + "The following groups were deleted: {groups}. A total of {count} offsets were "
            "removed.", SHARD),
        source=JARS,
    ),
    server_line(
        "GROUP_COORDINATOR_ELECTED",
        other(S + "Elected as the group coordinator for partition {index} in epoch {epoch}", SCALA),
        source=JARS,
    ),
    server_line(
        "GROUP_COORDINATOR_RESIGNED",
        other(S + "Resigned as the group coordinator for partition {index} in epoch {epoch}",
              SCALA),
        source=JARS,
    ),
    # KIP-848: broker 4.4 only
    server_line(
        "CONSUMER_GROUP_MEMBER_JOINS",
        kraft(J + "[GroupId {group}] Member {member_id} joins the consumer group using the "
            "consumer protocol.", JAVA),
    ),
    server_line(
        "CONSUMER_GROUP_STATIC_JOINS",
        kraft(J + "[GroupId {group}] Static member {member_id} with instance id {instance} joins "
            "the consumer group using the consumer protocol.", JAVA),
        source=JARS,
    ),
    server_line(
        "CONSUMER_GROUP_STATIC_RETURNS",
        kraft(J + "[GroupId {group}] Static member with instance id {instance} re-joins the "
            "consumer group using the consumer protocol. Created a new member {member_id} to "
            "replace the existing member {old_member}.", JAVA),
        source=JARS,
    ),
    server_line(
        "CONSUMER_GROUP_EPOCH",
        kraft(J + "[GroupId {group}] Bumped group epoch to {generation} with metadata hash "
            "{metadata_hash}.", JAVA),
    ),
    server_line(
        "CONSUMER_GROUP_TARGET",
        kraft(J + "[GroupId {group}] Computed a new target assignment for epoch {generation} with "
            "'{assignor}' assignor in {elapsed_ms}ms.", JAVA),
    ),
    server_line(
        "CONSUMER_GROUP_MEMBER_LEFT",
        kraft(J + "[GroupId {group}] Member {member_id} left the consumer group.", JAVA),
    ),
    server_line(
        "CONSUMER_GROUP_STATIC_AWAY",
        kraft(J + "[GroupId {group}] Static member {member_id} with instance id {instance} "
            "temporarily left the consumer group.", JAVA),
        source=JARS,
    ),
    server_line(
        "CONSUMER_GROUP_STATIC_LEFT",
        kraft(J + "[GroupId {group}] Static member {member_id} with instance id {instance} left "
            "the consumer group.", JAVA),
        source=JARS,
    ),
    server_line(
        "CONSUMER_GROUP_FENCED",
        kraft(J + "[GroupId {group}] Member {member_id} fenced from the group because {reason}.",
            JAVA),
    ),
)  # fmt: skip
