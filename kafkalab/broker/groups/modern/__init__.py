"""Groups of the KIP-848 protocol: CONSUMER_GROUP_HEARTBEAT alone (coordinator.group.modern)."""
