"""The transaction coordinator and its log; markers, verification and offsets
(coordinator.transaction)."""
