"""Makes entries for the lines of a broker's server.log, with the words of each broker release.

A broker's own layout, `[%d] %p %m (%c)`, has no line numbers, so these entries have none. Kafka
puts the name of the part and the broker's id before the text; here it is part of the template.
"""

from __future__ import annotations

from kafkalab.lines.wording import Entry, Wording
from kafkalab.releases import lineage

BROKERS_RECORDED = "server.log of the brokers " + " and ".join(
    release.recorded for release in lineage.BROKERS
)
JARS = "the texts in the jars of the brokers, and Kafka's source"
OLD, NEW = lineage.BROKER_NAMES
NO_NUMBER = 0
"""The number of a line whose place in the source no layout prints."""


def server_line(name: str, *wordings: Wording, source: str = BROKERS_RECORDED) -> Entry:
    """An Entry of a broker's log. Each wording names its release and logger."""
    return Entry(name, wordings, source, lineage.BROKER_NAMES)


def zk(template: str, logger: str, level: str = "INFO", *, trace: bool = False) -> Wording:
    """A wording of the ZooKeeper broker 2.3."""
    return Wording(level, logger, template, {OLD: NO_NUMBER}, prefixed=False, trace=trace)


def kraft(template: str, logger: str, level: str = "INFO", *, trace: bool = False) -> Wording:
    """A wording of the KRaft broker 4.4."""
    return Wording(level, logger, template, {NEW: NO_NUMBER}, prefixed=False, trace=trace)


def other(template: str, logger: str, level: str = "INFO") -> Wording:
    """A wording of brokers between the two, 2.4 to 3.9. They are not simulated, only read."""
    return Wording(level, logger, template, {}, prefixed=False)


def either(template: str, logger: str, level: str = "INFO", *, trace: bool = False) -> Wording:
    """A wording that both releases have, under one logger."""
    return Wording(
        level, logger, template, {OLD: NO_NUMBER, NEW: NO_NUMBER}, prefixed=False, trace=trace
    )
