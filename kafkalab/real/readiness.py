"""Says whether real Kafka can start on this machine, and what is missing."""

from __future__ import annotations

import os

from kafkalab.real.jar_fetch import java_command
from kafkalab.real.jar_sets import NotSetUp, broker_set, client_set
from kafkalab.releases.lineage import DEFAULT_CLIENT, NEWEST_BROKER

HAS_UNIX = os.name == "posix"
WRONG_SYSTEM = (
    "Real Kafka runs on Linux and macOS here: on Windows take WSL, or stay with the simulator."
)


def what_is_missing(version: str = DEFAULT_CLIENT, broker_version: str = NEWEST_BROKER) -> str:
    """One sentence that says why a real lab of these releases cannot start here; "" when it can.

    No JVM is started.
    """
    if not HAS_UNIX:
        return WRONG_SYSTEM
    try:
        broker_set(broker_version).class_path()
        client_set(version).class_path()
        java_command()
    except NotSetUp as missing:
        return str(missing)
    return ""
