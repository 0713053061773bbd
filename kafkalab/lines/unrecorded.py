"""Which lines do the clients have that no recording shows? They have no known line number, so no version writes them here.

The simulator may reach such a statement; naming it keeps the place where the line belongs, once a recording brings it.
"""

from __future__ import annotations

from kafkalab.lines.wording import Entry

SOURCE = "the statement is in Kafka's source; no recording has it, so its line number is not known and nobody writes it"

ENTRIES = tuple(Entry(name, (), SOURCE) for name in (
    "METADATA_GIVE_UP", "API_VERSIONS_REFUSED", "DISCONNECTING_REQUEST_TIMEOUT", "DISCONNECTING_SETUP_TIMEOUT",
    "UNSUBSCRIBED", "SUBSCRIBED_TO_PATTERN", "LEADER_UNAVAILABLE_FOR_OFFSET", "LIST_OFFSETS_PARTITION_ERROR",
    "FETCH_LEADER_MISSING", "FETCH_STALE", "FETCH_NOT_NEXT", "TRUNCATION_DETECTED", "FETCH_SESSION_ERROR",
    "FETCH_SESSION_CLOSE_SKIPPED", "END_TXN_NOT_SENT", "ABORTABLE_ERROR_SKIPPED",
    "LISTENER_FAILED", "HEARTBEAT_IGNORED", "ASSIGNMENT_SKIPPED", "HEARTBEAT_FENCED", "AUTO_COMMIT_FAILED", "AUTO_COMMIT_SYNC_FAILED",
))
