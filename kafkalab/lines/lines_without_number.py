"""Names of lines of Kafka's clients that no recording shows. Their line numbers are not known, so
no version writes them here.

The simulator may reach such a statement. Its name marks the place of the line until a recording
shows it.
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
