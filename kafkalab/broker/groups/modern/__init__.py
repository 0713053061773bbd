"""Groups of the KIP-848 protocol, with CONSUMER_GROUP_HEARTBEAT only (coordinator.group.modern)."""
