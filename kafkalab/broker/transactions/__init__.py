"""The transaction coordinator, its log, and what leaders and group coordinators do for a
transaction (coordinator.transaction)."""
