"""What does a member of a classic group write when the coordinator refuses what it asked? (AbstractCoordinator's answer handlers)"""

from __future__ import annotations

from kafkalab.lines.group import ABSTRACT, COORDINATOR, both
from kafkalab.lines.wording import debug, entry, info

TABLES = "line number tables of the released jars of all eight versions; few of these lines have a recording"

# fmt: off
HEARTBEATS = (
    entry("HEARTBEAT_OF_OLD_GENERATION", ABSTRACT,
          info("Attempt to heartbeat failed since generation {generation} is not current", "835 875 940 - - - - -"), source=TABLES),
    entry("HEARTBEAT_OF_STRANGER", ABSTRACT,
          info("Attempt to heartbeat failed for since member id {member_id} is not valid.", "839 879 947 - - - - -"), source=TABLES),
    both("HEARTBEAT_REFUSED", info,
         "Attempt to heartbeat with {generation} and group instance id {instance} failed due to {error}, resetting generation",
         "- - - 1139 1226 1267 1267 1273", source=TABLES),
    both("HEARTBEAT_OF_STALE_GENERATION", info,
         "Attempt to heartbeat with stale {generation} and group instance id {instance} failed due to {error}, ignoring the error",
         "- - - 1145 1233 1274 1274 1280", source=TABLES),
)

JOINING = (
    entry("JOIN_GROUP_OF_STRANGER", ABSTRACT,
          debug("Attempt to join group failed due to unknown member id.", "534 539 557 - - - - -"),
          *both("", info, "JoinGroup failed: {error} Need to re-join the group. Sent generation was {generation}",
                "- - - 611 652 683 683 691").wordings, source=TABLES),
    entry("SYNC_GROUP_OF_STRANGER", ABSTRACT,
          debug("SyncGroup failed: The coordinator is not aware of this member.", "606 627 677 - - - - -"),
          *both("", info, "SyncGroup failed: The coordinator is not aware of this member. Need to re-join the group. Sent generation was "
                "{generation}", "- - - 796 847 878 878 886").wordings, source=TABLES),
    entry("SYNC_GROUP_OF_OLD_GENERATION", ABSTRACT,
          debug("SyncGroup failed: Specified group generation id is not valid.", "606 627 677 - - - - -"),
          *both("", info, "SyncGroup failed: Specified group generation id is not valid. Need to re-join the group. Sent generation was "
                "{generation}", "- - - 796 847 878 878 886").wordings, source=TABLES),
    both("SYNC_GROUP_WRONG_COORDINATOR", info, "SyncGroup failed: {error} Marking coordinator unknown. Sent generation was {generation}",
         "- - - 804 857 888 888 896", source=TABLES),
    entry("JOIN_GROUP_WRONG_COORDINATOR", ABSTRACT,
          debug("Attempt to join group failed due to obsolete coordinator information: {error}", "540 545 563 - - - - -"),
          *both("", info, "JoinGroup failed: {error} Marking coordinator unknown. Sent generation was {generation}",
                "- - - 623 664 695 695 703").wordings, source=TABLES),
    both("JOIN_GROUP_LOADING", info, "JoinGroup failed: Coordinator {node} is loading the group.", "- - - 607 648 679 679 687", source=TABLES),
    entry("SYNC_GROUP_OVERTAKEN", ABSTRACT,
          debug("SyncGroup failed because the group began another rebalance", "602 623 670 - - - - -"),
          *both("", info, "SyncGroup failed: The group began another rebalance. Need to re-join the group. Sent generation was {generation}",
                "- - - 785 836 867 867 875").wordings, source=TABLES),
    entry("REBALANCE_FAILED", ABSTRACT, info("Rebalance failed.", "- - - 470 - - - -", trace=True), source=TABLES),
    entry("COMMIT_REFUSED", COORDINATOR,
          info("OffsetCommit failed with {generation}: {error}", "- - - 1276 1463 1394 1394 1439"), source=TABLES),
)

RESETTING = (
    entry("RESET_GENERATION", ABSTRACT,
          debug("Resetting generation after encountering {error} from {api} response and requesting re-join", "- - - 978 - - - -"),
          info("Resetting generation and member id due to: encountered {error} from {api} response", "- - - - 1025 1056 1056 1060",
               logger=COORDINATOR), source=TABLES),
    entry("RESET_GENERATION_KEEPING_ID", COORDINATOR,
          info("Resetting generation due to: encountered {error} from {api} response", "- - - - 1025 1056 1056 1060"), source=TABLES),
)
# fmt: on

ENTRIES = HEARTBEATS + JOINING + RESETTING
