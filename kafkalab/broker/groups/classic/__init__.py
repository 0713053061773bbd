"""Groups of the classic protocol: JOIN_GROUP, SYNC_GROUP, HEARTBEAT and LEAVE_GROUP
(coordinator.group.classic)."""
