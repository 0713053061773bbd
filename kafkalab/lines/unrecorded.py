"""Which lines do the clients have that no recording shows? They have no known line number, so no
version writes them here.

The simulator may reach such a statement; naming it keeps the place where the line belongs, once a
recording brings it.
"""

from __future__ import annotations

from kafkalab.lines.wording import Entry

SOURCE = (
    "the statement is in Kafka's source; no recording has it, so its line number is not known and "
    "nobody writes it"
)

ENTRIES = tuple(
    Entry(name, (), SOURCE)
    for name in (
        "API_VERSIONS_REFUSED",
        "END_TXN_NOT_SENT",
        "ABORTABLE_ERROR_SKIPPED",
        "LISTENER_FAILED",
    )
)
