"""LogManager: deletes old segments and compacts logs, at the times of Kafka's periodic tasks.

Kafka's classes are LogManager (retention, every log.retention.check.interval.ms) and LogCleaner
with LogCleanerManager (one thread, every log.cleaner.backoff.ms). A run of a task that would find
nothing is no event: the time of the next useful run is computed from the logs.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Appended, Effect, Note, SetTimer, TimerKey
from kafkalab.broker.log.disk import DISK_FAILED, Disk
from kafkalab.broker.log.learners_rules import (
    CleaningRule,
    RetentionRule,
    chosen_segments,
    clean_by,
)
from kafkalab.broker.log.log_cleaner import clean, dirty_ratio, is_due
from kafkalab.broker.log.partition_log import PartitionKey, PartitionLog
from kafkalab.broker.log.segments import Segment
from kafkalab.broker.server_log import ServerLog
from kafkalab.protocol.messages import RecordBatch

LOG_DIR = "/tmp/kafka-logs"
"""The default of log.dir. The lines of a broker name it; a lab has no such folder."""

SEGMENT = (
    "LogSegment(baseOffset={offset}, size={size}, lastModifiedTime={modified_ms}, "
    "largestRecordTimestamp={largest_ms})"
)
"""What broker 4.4 prints for a segment; the catalogue's lines about one segment hold it, too."""

FIRST_LOOK_MS = 30_000
"""The first run of the tasks, after the start of a broker (LogManager.InitialTaskDelayMs)."""


class LogManager:
    """The retention and compaction tasks of one broker (Kafka's LogManager).

    epoch_ms  the records' clock at virtual time 0: timestamps are compared with epoch_ms + now_ms
    log_of    gives the broker's log of a partition, None where it has none
    disk      the broker's disk; compaction writes to it, too
    say       the broker's server.log
    retention_rule, cleaning_rule  a learner's rules; None for the release's own
    stamps_horizon  tombstones and markers get, at their first cleaning, the time until which they
                    stay (KIP-534)
    """

    def __init__(
        self,
        config: BrokerConfig,
        stamps_horizon: bool,
        log_of: Callable[[PartitionKey], PartitionLog | None],
        disk: Disk,
        say: ServerLog,
    ) -> None:
        self._say = say
        self.epoch_ms, self.first_look_ms = 0, FIRST_LOOK_MS
        self._config, self._stamps_horizon, self._log = config, stamps_horizon, log_of
        self._disk = disk
        self.retention_rule: RetentionRule | None = None
        self.cleaning_rule: CleaningRule | None = None
        self._segments: dict[PartitionKey, int] = {}
        self._retention_at_ms: int | None = None
        self._cleaner_at_ms: int | None = None

    def forget(self) -> None:
        """Forget the timers: the process has died."""
        self._retention_at_ms = self._cleaner_at_ms = None

    def grown(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """A log has grown: note a rolled segment and set the timers of the tasks."""
        log = self._log(key)
        assert log is not None, "a log that grew exists"
        count, before = len(log.segments), self._segments.get(key, 0)
        if (
            count == before
            and self._retention_at_ms is not None
            and log.segments.settings.retention_bytes < 0
        ):
            return []
        self._segments[key] = count
        effects: list[Effect] = []
        if count > before > 0:
            active = log.segments.active
            self._say("LOG_ROLLED", **self._place(key), offset=active.base_offset, elapsed_ms=0)
            effects.append(
                Note.of(
                    "log.rolled",
                    topic=key[0],
                    partition=key[1],
                    segment=active.file_name,
                    segments=count,
                )
            )
        return effects + self._arm_retention([key], now_ms) + self._arm_cleaner([key], now_ms)

    def start_moved(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """The log start has moved up (DELETE_RECORDS): the next retention run deletes whole
        segments below it."""
        log = self._log(key)
        assert log is not None, "records were deleted from a log that exists"
        self._segments.setdefault(key, len(log.segments))
        return self._arm_retention([key], now_ms)

    def altered(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """A log has other settings: its records may be due sooner."""
        return self._arm_retention([key], now_ms) + self._arm_cleaner([key], now_ms)

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        """Run a task; the key is ("retention",) or ("cleaner",)."""
        if key[0] == "retention":
            self._retention_at_ms = None
            effects = [
                effect for one in list(self._segments) for effect in self._delete_old(one, now_ms)
            ]
            return effects + self._arm_retention(list(self._segments), now_ms)
        self._cleaner_at_ms = None
        effects = []
        while (filthiest := self._filthiest(now_ms)) is not None:
            if self._disk.is_full:
                return [DISK_FAILED]
            effects += self.compact(filthiest, now_ms)
        return effects + self._arm_cleaner(list(self._segments), now_ms)

    # -- retention

    def _arm_retention(self, keys: list[PartitionKey], now_ms: int) -> list[Effect]:
        due_ms = min(
            (due for key in keys if (due := self._retention_due_ms(key, now_ms)) is not None),
            default=None,
        )
        if due_ms is None:
            return []
        interval_ms = self._config.log_retention_check_interval_ms
        looks = max(-(-(due_ms - self.first_look_ms) // interval_ms), 0)
        at_ms = self.first_look_ms + looks * interval_ms
        if self._retention_at_ms is not None and self._retention_at_ms <= at_ms:
            return []
        self._retention_at_ms = at_ms
        return [SetTimer(("retention",), at_ms)]

    def _retention_due_ms(self, key: PartitionKey, now_ms: int) -> int | None:
        """The time from which the oldest segment can be deleted; None for never."""
        log = self._log(key)
        if log is None or not log.size_bytes:
            return None
        if self.retention_rule is not None:
            return now_ms + 1
        settings, due = log.segments.settings, []
        if len(log.segments) > 1 and log.segments.all[1].base_offset <= log.log_start_offset:
            due.append(now_ms + 1)
        if not settings.is_deleted:
            return min(due, default=None)
        if settings.retention_bytes >= 0 and log.segments.beyond_size(
            log.size_bytes, log.log_end_offset, log.log_end_offset
        ):
            due.append(now_ms + 1)
        if settings.retention_ms >= 0:
            due.append(
                max(
                    log.segments.all[0].largest_ms + settings.retention_ms + 1 - self.epoch_ms,
                    now_ms + 1,
                )
            )
        return min(due, default=None)

    def _delete_old(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        log = self._log(key)
        if log is None:
            return []
        effects: list[Effect] = []
        ends = log.high_watermark, log.log_end_offset
        looks: list[tuple[str, Callable[[], list[Segment]]]] = [
            ("log start", lambda: log.segments.before_start(log.log_start_offset, *ends))
        ]
        settings, rule = log.segments.settings, self.retention_rule
        if settings.is_deleted and rule is not None:
            clock_ms = self.epoch_ms + now_ms
            keep = (settings.retention_ms, settings.retention_bytes)
            looks = [
                ("a rule", lambda: chosen_segments(rule, log.segments.safe(*ends), clock_ms, *keep))
            ]
        elif settings.is_deleted:
            looks += [
                ("size", lambda: log.segments.beyond_size(log.size_bytes, *ends)),
                ("time", lambda: log.segments.expired(self.epoch_ms + now_ms, *ends)),
            ]
        for why, find in looks:
            gone = find()
            if gone:
                names = [segment.file_name for segment in gone]
                size = log.size_bytes
                log.delete(gone, now_ms)
                self._say_deleted(key, log, gone, why, size)
                self._segments[key] = len(log.segments)
                effects += [
                    Note.of(
                        "log.deleted",
                        topic=key[0],
                        partition=key[1],
                        segments=names,
                        why=why,
                        log_start_offset=log.log_start_offset,
                    ),
                    Appended(*key),
                ]
        return effects

    def _place(self, key: PartitionKey) -> dict[str, str]:
        """What each line about a log names: the partition and its folder."""
        name = f"{key[0]}-{key[1]}"
        return {"partition": name, "dir": LOG_DIR, "folder": name}

    def _say_deleted(
        self, key: PartitionKey, log: PartitionLog, gone: list[Segment], why: str, size: int
    ) -> None:
        """Write that segments are deleted, and for which limit. A learner's rule has no words.

        size: the bytes of the log before.
        """
        settings = log.segments.settings
        kinds = {
            "size": ("SIZE", settings.retention_bytes),
            "time": ("TIME", settings.retention_ms),
            "log start": ("START", log.log_start_offset),
        }
        if why not in kinds:
            return
        (kind, limit), place, say = kinds[why], self._place(key), self._say
        facts = [
            {
                "offset": segment.base_offset,
                "size": segment.size_bytes,
                "modified_ms": self.epoch_ms + segment.modified_ms,
                "largest_ms": segment.largest_ms,
            }
            for segment in gone
        ]
        offsets = ",".join(str(segment.base_offset) for segment in gone)
        say(f"LOG_DELETABLE_BY_{kind}", **place, offsets=offsets, limit=limit)
        for fact in facts:
            say("LOG_SEGMENT_SCHEDULED", **place, **fact)
        if kind != "START":
            say("LOG_START_MOVED", **place, offset=log.log_start_offset)
            for fact in facts:
                size -= fact["size"]
                name = f"LOG_SEGMENT_DELETED_BY_{kind}"
                say(name, **place, **fact, limit=limit, size_after=size)
        else:
            segments = ",".join(SEGMENT.format_map(fact) for fact in facts)
            say("LOG_SEGMENTS_DELETED_BY_START", **place, limit=limit, segments=segments)

    # -- compaction

    def compact(self, key: PartitionKey, now_ms: int) -> list[Effect]:
        """Clean one log now."""
        log = self._log(key)
        assert log is not None, "only a log that exists is compacted"
        end = self._uncleanable(log, now_ms)
        settings, horizon_ms = log.segments.settings, None
        if self._stamps_horizon:
            clock_ms = self.epoch_ms + now_ms
            horizon_ms = clock_ms + settings.delete_retention_ms

            def retains(batch: RecordBatch) -> bool:
                return batch.delete_horizon_ms is None or clock_ms < batch.delete_horizon_ms
        else:
            done = [segment for segment in log.segments if segment.base_offset < log.first_dirty]
            limit_ms = done[-1].modified_ms - settings.delete_retention_ms if done else -1

            def retains(batch: RecordBatch) -> bool:
                return log.segments.of(batch.base_offset).modified_ms > limit_ms

        before, dirty = log.size_bytes, log.between(0, end)
        fresh = [one for one in log.segments if log.first_dirty <= one.base_offset < end]
        name = f"{key[0]}-{key[1]}"
        self._say("LOG_CLEANING", partition=name, thread=0)
        self._say(
            "LOG_OFFSET_MAP",
            partition=name,
            thread=0,
            count=len(fresh),
            offset=log.first_dirty,
            up_to=end,
        )
        cleaned = (
            clean(
                dirty,
                log.first_dirty,
                end,
                retains_deletes=retains,
                is_last=log.producers.is_last_of_producer,
                aborted=[
                    (txn.producer_id, txn.first_offset, txn.last_offset)
                    for txn in log.aborted.entries
                ],
                horizon_ms=horizon_ms,
            )
            if self.cleaning_rule is None or key[0].startswith("__")
            else clean_by(self.cleaning_rule, dirty, end, retains, horizon_ms)
        )
        log.replace_between(0, end, cleaned.batches, now_ms)
        log.first_dirty = cleaned.next_dirty_offset
        self._segments[key] = len(log.segments)
        stats = cleaned.stats
        return [
            Note.of(
                "log.cleaned",
                topic=key[0],
                partition=key[1],
                up_to=end,
                messages_read=stats.messages_read,
                messages_written=stats.messages_written,
                invalid=stats.invalid_messages_read,
                bytes_before=before,
                bytes_after=log.size_bytes,
            )
        ]

    def _filthiest(self, now_ms: int) -> PartitionKey | None:
        """The dirtiest log of those that are dirty enough or have waited for
        max.compaction.lag.ms."""
        best: tuple[float, PartitionKey] | None = None
        for key in self._segments:
            log = self._log(key)
            if log is not None and log.segments.settings.is_compacted and self._due(log, now_ms):
                ratio = dirty_ratio(*self._bytes(log, now_ms))
                if best is None or ratio > best[0]:
                    best = ratio, key
        return best[1] if best else None

    def _due(self, log: PartitionLog, now_ms: int) -> bool:
        clean_bytes, cleanable = self._bytes(log, now_ms)
        if is_due(clean_bytes, cleanable, log.segments.settings.min_cleanable_ratio):
            return True
        lag_ms = log.segments.settings.max_compaction_lag_ms
        oldest_ms = next(
            (
                segment.first_ms
                for segment in log.segments
                if segment.base_offset >= log.first_dirty and segment.first_ms is not None
            ),
            None,
        )
        return (
            cleanable > 0 and oldest_ms is not None and self.epoch_ms + now_ms - oldest_ms > lag_ms
        )

    def _bytes(self, log: PartitionLog, now_ms: int) -> tuple[int, int]:
        """(clean, cleanable) bytes."""
        end = self._uncleanable(log, now_ms)
        done = sum(
            segment.size_bytes for segment in log.segments if segment.base_offset < log.first_dirty
        )
        return done, sum(
            segment.size_bytes
            for segment in log.segments
            if log.first_dirty <= segment.base_offset < end
        )

    def _uncleanable(self, log: PartitionLog, now_ms: int) -> int:
        """The first offset that cannot be cleaned: in the active segment, not stable yet, or
        younger than min.compaction.lag.ms."""
        end = log.segments.active.base_offset
        stable = log.last_stable_offset
        if stable < end:
            end = log.segments.of(stable).base_offset
        lag_ms = log.segments.settings.min_compaction_lag_ms
        if lag_ms:
            for segment in log.segments:
                if (
                    segment.base_offset >= log.first_dirty
                    and segment.largest_ms > self.epoch_ms + now_ms - lag_ms
                ):
                    return max(min(end, segment.base_offset), log.first_dirty)
        return max(end, log.first_dirty)

    def _arm_cleaner(self, keys: list[PartitionKey], now_ms: int) -> list[Effect]:
        if self._cleaner_at_ms is not None or not self._config.log_cleaner_enable:
            return []
        due_ms = min(
            (due for key in keys if (due := self._cleaner_due_ms(key, now_ms)) is not None),
            default=None,
        )
        if due_ms is None:
            return []
        backoff_ms = max(self._config.log_cleaner_backoff_ms, 1)
        self._cleaner_at_ms = (due_ms // backoff_ms + 1) * backoff_ms
        return [SetTimer(("cleaner",), self._cleaner_at_ms)]

    def _cleaner_due_ms(self, key: PartitionKey, now_ms: int) -> int | None:
        """The time from which this log is dirty enough; None while it needs more records for
        that."""
        log = self._log(key)
        if log is None or not log.segments.settings.is_compacted:
            return None
        if self._due(log, now_ms):
            return now_ms
        settings = log.segments.settings
        closed = [
            segment for segment in log.segments.all[:-1] if segment.base_offset >= log.first_dirty
        ]
        if closed and settings.min_compaction_lag_ms:
            young_ms = closed[-1].largest_ms + settings.min_compaction_lag_ms - self.epoch_ms
            if young_ms > now_ms:
                return young_ms
        return None
