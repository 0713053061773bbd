"""Entries of the lines that a classic member writes when the coordinator refuses a request
(AbstractCoordinator's response handlers)."""

from __future__ import annotations

from kafkalab.lines.group import ABSTRACT, COORDINATOR, both, moved
from kafkalab.lines.wording import debug, entry, info

TABLES = (
    "line number tables of the released jars of all eight versions; few of these lines have a "
    "recording"
)

# fmt: off
HEARTBEATS = (
    entry("HEARTBEAT_OF_OLD_GENERATION", ABSTRACT,
          info("Attempt to heartbeat failed since generation {generation} is not current",
               until="2.3"), source=TABLES),
    entry("HEARTBEAT_OF_STRANGER", ABSTRACT,
          info("Attempt to heartbeat failed for since member id {member_id} is not valid.",
               until="2.3"), source=TABLES),
    both("HEARTBEAT_REFUSED", info,
         "Attempt to heartbeat with {generation} and group instance id {instance} failed due to "
         "{error}, resetting generation",
         since="2.8", source=TABLES),
    both("HEARTBEAT_OF_STALE_GENERATION", info,
         "Attempt to heartbeat with stale {generation} and group instance id {instance} failed "
         "due to {error}, ignoring the error",
         since="2.8", source=TABLES),
)

JOINING = (
    entry("JOIN_GROUP_OF_STRANGER", ABSTRACT,
          debug("Attempt to join group failed due to unknown member id.", until="2.3"),
          *moved(info,
                 "JoinGroup failed: {error} Need to re-join the group. Sent generation was "
                 "{generation}",
                since="2.8"), source=TABLES),
    entry("SYNC_GROUP_OF_STRANGER", ABSTRACT,
          debug("SyncGroup failed: The coordinator is not aware of this member.", until="2.3"),
          *moved(info,
                 "SyncGroup failed: The coordinator is not aware of this member. Need to re-join "
                 "the group. Sent generation was "
                "{generation}", since="2.8"), source=TABLES),
    entry("SYNC_GROUP_OF_OLD_GENERATION", ABSTRACT,
          debug("SyncGroup failed: Specified group generation id is not valid.", until="2.3"),
          *moved(info,
                 "SyncGroup failed: Specified group generation id is not valid. Need to re-join "
                 "the group. Sent generation was "
                "{generation}", since="2.8"), source=TABLES),
    both("SYNC_GROUP_WRONG_COORDINATOR", info,
         "SyncGroup failed: {error} Marking coordinator unknown. Sent generation was {generation}",
         since="2.8", source=TABLES),
    entry("JOIN_GROUP_WRONG_COORDINATOR", ABSTRACT,
          debug("Attempt to join group failed due to obsolete coordinator information: {error}",
                until="2.3"),
          *moved(info,
                 "JoinGroup failed: {error} Marking coordinator unknown. Sent generation was "
                 "{generation}",
                since="2.8"), source=TABLES),
    both("JOIN_GROUP_LOADING", info, "JoinGroup failed: Coordinator {node} is loading the group.",
         since="2.8", source=TABLES),
    entry("SYNC_GROUP_OVERTAKEN", ABSTRACT,
          debug("SyncGroup failed because the group began another rebalance", until="2.3"),
          *moved(info,
                 "SyncGroup failed: The group began another rebalance. Need to re-join the group. "
                 "Sent generation was {generation}",
                since="2.8"), source=TABLES),
    entry("REBALANCE_FAILED", ABSTRACT,
          info("Rebalance failed.", since="2.8", until="2.8", trace=True), source=TABLES),
    entry("COMMIT_REFUSED", COORDINATOR,
          info("OffsetCommit failed with {generation}: {error}", since="2.8"), source=TABLES),
)

RESETTING = (
    entry("RESET_GENERATION", ABSTRACT,
          debug("Resetting generation after encountering {error} from {api} response and "
                "requesting re-join", since="2.8", until="2.8"),
          info("Resetting generation and member id due to: encountered {error} from {api} response",
               since="3.6",
               logger=COORDINATOR), source=TABLES),
    entry("RESET_GENERATION_KEEPING_ID", COORDINATOR,
          info("Resetting generation due to: encountered {error} from {api} response", since="3.6"),
          source=TABLES),
)
# fmt: on

ENTRIES = HEARTBEATS + JOINING + RESETTING
