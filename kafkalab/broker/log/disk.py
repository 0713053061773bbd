"""Disk: the one place through which a broker's logs are written; it can be full, slow or without
power.

A log whose disk cannot write raises KafkaStorageException. A broker of the lab has one log
directory, and the process halts when that fails (LogDirFailureChannel,
ReplicaManager.handleLogDirFailure).

Kafka does not flush what it appends (log.flush.interval.messages is never reached): bytes lie in
the operating system's page cache, and survive the process. Without power they are lost.
"""

from __future__ import annotations

from kafkalab.broker.effects import Effect, Halt, SetTimer
from kafkalab.errors import KafkaStorageException

DISK_FAILED = Halt("all log directories have failed")

CHECKPOINT_EVERY_MS = 5_000
"""replica.high.watermark.checkpoint.interval.ms:
a broker with replicas writes this file as well."""

DIRTY_MS, WRITEBACK_EVERY_MS = 30_000, 5_000
"""Linux writes a page that is dirty for so long (vm.dirty_expire_centisecs), and looks so often
(vm.dirty_writeback_centisecs)."""


def is_written(appended_ms: int, now_ms: int) -> bool:
    """Whether the operating system has brought to the disk what was appended at that time."""
    due_ms = appended_ms + DIRTY_MS
    return now_ms >= due_ms + -due_ms % WRITEBACK_EVERY_MS


class Disk:
    """One broker's disk.

    is_full: no byte can be written any more.
    append_ms: how much longer than usual each append takes.
    """

    __slots__ = ("append_ms", "is_full")

    def __init__(self) -> None:
        self.is_full = False
        self.append_ms = 0

    def fill(self, now_ms: int) -> list[Effect]:
        """Nothing can be written from now on; the next checkpoint of high watermarks fails, too."""
        self.is_full = True
        return [
            SetTimer(("checkpoint",), (now_ms // CHECKPOINT_EVERY_MS + 1) * CHECKPOINT_EVERY_MS)
        ]

    def free(self) -> None:
        """There is room again."""
        self.is_full = False

    def slow(self, append_ms: int) -> None:
        """Each append takes `append_ms` milliseconds longer from now on; 0 ends it."""
        self.append_ms = append_ms

    def write(self) -> None:
        """Something is appended. Raises KafkaStorageException where the disk is full."""
        if self.is_full:
            raise KafkaStorageException("No space left on device")

    def start(self, now_ms: int) -> list[Effect]:
        """The process is up again on the disk as it is."""
        return self.fill(now_ms) if self.is_full else []

    def checkpoint(self, has_replicas: bool) -> list[Effect]:
        """Write the high watermarks of all replicas (ReplicaManager.checkpointHighWatermarks)."""
        return [DISK_FAILED] if self.is_full and has_replicas else []
