"""The group coordinator: classic groups, KIP-848 groups,
and the offsets that both commit (coordinator.group)."""
