"""Disk: a broker's disk, to which all its logs are written; it can be full, slow or without power.

A log whose disk cannot write raises KafkaStorageException. A broker of the lab has one log
directory; the process halts when it fails (LogDirFailureChannel,
ReplicaManager.handleLogDirFailure).

Kafka does not flush what it appends (log.flush.interval.messages is never reached): bytes are in
the operating system's page cache and survive the process. A loss of power loses them.
"""

from __future__ import annotations

from kafkalab.broker.effects import Effect, Halt, SetTimer
from kafkalab.errors import KafkaStorageException

DISK_FAILED = Halt("all log directories have failed")
"""With one log directory a failed write ends the process (LogManager.handleLogDirFailure)."""

CHECKPOINT_EVERY_MS = 5_000
"""replica.high.watermark.checkpoint.interval.ms: how often a broker with replicas writes the
checkpoint file."""

DIRTY_MS, WRITEBACK_EVERY_MS = 30_000, 5_000
"""Linux writes a page to the disk when it has been dirty for so long (vm.dirty_expire_centisecs),
and checks this so often (vm.dirty_writeback_centisecs)."""


def is_written(appended_ms: int, now_ms: int) -> bool:
    """Whether the operating system has written to the disk what was appended at that time."""
    due_ms = appended_ms + DIRTY_MS
    return now_ms >= due_ms + -due_ms % WRITEBACK_EVERY_MS


class Disk:
    """One broker's disk (LogDirFailureChannel reports its failure).

    is_full: no byte can be written. append_ms: the milliseconds that are added to each append.
    """

    __slots__ = ("append_ms", "is_full")

    def __init__(self) -> None:
        self.is_full = False
        self.append_ms = 0

    def fill(self, now_ms: int) -> list[Effect]:
        """Fill the disk: no append succeeds from now on, and no checkpoint of high watermarks."""
        self.is_full = True
        return [
            SetTimer(("checkpoint",), (now_ms // CHECKPOINT_EVERY_MS + 1) * CHECKPOINT_EVERY_MS)
        ]

    def free(self) -> None:
        """Free space: writes succeed again."""
        self.is_full = False

    def slow(self, append_ms: int) -> None:
        """Each append takes `append_ms` milliseconds longer from now on; 0 ends it."""
        self.append_ms = append_ms

    def write(self) -> None:
        """Record an append. Raises KafkaStorageException where the disk is full."""
        if self.is_full:
            raise KafkaStorageException("No space left on device")

    def start(self, now_ms: int) -> list[Effect]:
        """Start the process on this disk; a full disk stays full."""
        return self.fill(now_ms) if self.is_full else []

    def checkpoint(self, has_replicas: bool) -> list[Effect]:
        """Write the high watermarks of all replicas (ReplicaManager.checkpointHighWatermarks)."""
        return [DISK_FAILED] if self.is_full and has_replicas else []
