"""The group coordinator: classic groups, KIP-848 groups and committed offsets
(coordinator.group)."""
