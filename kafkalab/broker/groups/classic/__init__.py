"""Groups of the classic protocol: JOIN_GROUP, SYNC_GROUP, HEARTBEAT,
LEAVE_GROUP (coordinator.group.classic)."""
