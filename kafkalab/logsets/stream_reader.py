"""Reads growing log files as a Spark stream (DataSourceStreamReader): new bytes with complete
records.

The last line of a record may still be missing. So the last record of a file waits until another
begins after it, or until the file has not changed for some seconds. A line without its break waits
until it has one, or until its file was rotated. The offset of the stream holds each text of a log:
the bytes read of it, and how it is known under another name (followed_files.py). A packed file is
read whole when it appears, unless it was read before it was packed. `read(start, end)` is the
batch source's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from kafkalab.logsets.files import LogFile, warn_reader
from kafkalab.logsets.followed_files import (
    MOST_TRIES,
    SAME,
    SHORTER,
    UNKNOWN,
    WAIT_S,
    Followed,
    FollowedText,
    HeldFile,
    WasCut,
    found_again,
    held_files,
    logs_under,
    settled_names,
    tell_lost,
)
from kafkalab.logsets.ranges import TASK_BYTES, Range, blocks_from, last_record
from kafkalab.logsets.record_batches import record_batches_of, written_as
from kafkalab.logsets.refusals import one_sentence
from kafkalab.logsets.shipment import Carried

LOOK_BACK = 1 << 20  # Bytes at the end of a file that are searched for the last record.
FIRST_BYTES = 1 << 16  # They show the layout.


@dataclass
class FollowedPiece(InputPartition):
    """One worker's task: a range of a text that is followed."""

    known: Followed
    piece: Range


class GrowingLines(DataSourceStreamReader, SupportsTriggerAvailableNow, metaclass=Carried):
    """The stream reader of the data source `kafkalab`.

    settle_s: a file's last record is complete after so many seconds without a change of the file.
    """

    def __init__(self, path: str, names: tuple[str, ...], layout: str | None, settle_s: float):
        self.path, self.names, self.layout, self.settle_s = path, names, layout, settle_s
        self.available_now = False
        self._target: dict[str, dict] | None = None
        self._layouts: dict[str, str] = {}
        self._read_through: dict[LogFile, str] = {}
        self._told: set[str] = set()
        self._unseen: set[str] = set()  # logs with a file that could not be opened at the last look

    def initialOffset(self) -> dict:
        return {}

    def prepareForTriggerAvailableNow(self) -> None:
        self.available_now = True

    @one_sentence()
    def latestOffset(self, start: dict, limit: object) -> dict:
        if self._target is not None:
            return self._target
        now, calm = self._now(start)
        for _ in range(MOST_TRIES if self.available_now else 0):
            if calm:
                break
            time.sleep(WAIT_S)
            now, calm = self._now(start)
        if self.available_now:
            self._target = now
        return now

    def _now(self, start: dict) -> tuple[dict, bool]:
        """The offset after all that can be read now, and whether all files were seen.

        A file that is renamed or packed during the look is in no listing. So a log gets new texts
        only where its files had one name from the first look to the last: else a younger text would
        get the place of an older one.
        """
        known = {key: Followed.of(values) for key, values in start.items()}
        logs = logs_under(self.path)
        before = {log: settled_names(files) for log, files in logs.items()}
        added: dict[str, set[str]] = {}
        for log in sorted({*logs, *(text.log for text in known.values())}):
            texts = {key: text for key, text in known.items() if text.log == log}
            # The second try is for a file that was cut or renamed during the first.
            for _ in range(2):
                try:
                    fresh = self._look(log, texts, logs.get(log, []))
                    break
                except (WasCut, FileNotFoundError):
                    fresh, logs = texts, logs_under(self.path)
            for key in texts:
                del known[key]
            known |= fresh
            added[log] = set(fresh) - set(texts)
        after = logs_under(self.path)
        moved = {
            log
            for log in {*before, *after}
            if log in self._unseen or before.get(log) != settled_names(after.get(log, []))
        }
        for key in (key for log in moved for key in added.get(log, ())):
            del known[key]
            self._layouts.pop(key, None)
        return {key: text.values() for key, text in known.items()}, not moved

    def _look(
        self, log: str, texts: dict[str, Followed], files: list[LogFile]
    ) -> dict[str, Followed]:
        """The texts of one log, read as far as they can be. files: the oldest first."""
        through = {file: self._read_through.get(file) for file in files}
        unread = [file for file in files if through[file] not in texts and file.size]
        held = held_files(unread, self.settle_s)
        self._unseen.discard(log)
        if len(held) < len(unread):
            self._unseen.add(log)
        last = files[-1].name if files else ""
        places = self._places(texts, held, last)
        for key, text in texts.items():
            if key not in places and key not in through.values() and (again := found_again(text)):
                held.append(again)
                places[key] = [again]
        found: dict[str, Followed] = {}
        for key, text in texts.items():
            if key in places:
                found[key] = self._read_on(key, text, places[key], last)
            elif key in through.values():
                found[key] = text
            elif kept := self._gone(text, key == max(texts, key=_number)):
                found[key] = kept
        self._add_new(log, found, texts, places, held, last)
        sizes = {(file.name, file.size, file.changed_s): file for file in held}
        for file in files:
            here = sizes.get((file.name, file.size, file.changed_ns / 1e9))
            for key, text in found.items():
                read_through = here and here in places.get(key, ()) and text.read >= here.size
                if here and read_through and self._rests(here):
                    self._read_through[file] = key
        for each in held:
            each.close()
        return found

    def _add_new(
        self,
        log: str,
        found: dict[str, Followed],
        texts: dict[str, Followed],
        places: dict[str, list[HeldFile]],
        held: list[HeldFile],
        last: str,
    ) -> None:
        """Add to `found` and `places` the texts that no look has seen before, the oldest first."""
        taken = {id(file) for files in places.values() for file in files}
        number = max(map(_number, texts), default=-1) + 1
        for file in held:
            if id(file) in taken:
                continue
            # A copy in the making begins as the file that is copied.
            others = [each for each in held if id(each) not in taken]
            alike = [each for each in others if each is file or _are_alike(file, each)]
            before = max((text.before + text.size for text in found.values()), default=0)
            key = f"{log}#{number}"
            text = self._read_on(key, Followed(log, file.name, before=before), alike, last)
            taken |= {id(each) for each in alike}
            if not text.read:  # its only record may go on, and younger texts come after it
                break
            if text.first:
                found[key], places[key] = text, alike
                number += 1

    def _places(
        self, texts: dict[str, Followed], held: list[HeldFile], last: str
    ) -> dict[str, list[HeldFile]]:
        """The files that hold each text, copies of it among them. A copy may lack what was
        written and read before the file was cut."""
        places: dict[str, list[HeldFile]] = {}
        shorter = []
        for file in held:
            likeness = {key: text.likeness(file) for key, text in texts.items()}
            if same := [key for key, how in likeness.items() if how == SAME]:
                places.setdefault(same[-1], []).append(file)
            elif begun := [key for key, how in likeness.items() if how in (SHORTER, UNKNOWN)]:
                shorter.append((file, begun))
        for file, begun in shorter:
            copied = [
                key for key in begun if any(file.is_begin_of(each) for each in places.get(key, ()))
            ]
            sure = [key for key in begun if texts[key].likeness(file) == SHORTER]
            if copied or (sure and file.name != last):
                places.setdefault((copied or sure)[-1], []).append(file)
        return places

    def _read_on(self, key: str, text: Followed, files: list[HeldFile], last: str) -> Followed:
        """A text, read as far as the largest file that holds it has complete records."""
        file = max(files, key=lambda each: each.size)
        newest = any(each.name == last for each in files)
        read = self._readable(key, text.read, file, newest)
        same = (read, file.name, newest) == (text.read, text.file, text.newest)
        if (same and file.size == text.size) or file.size < text.read:
            return text
        return text.at(read, file, newest)

    def _rests(self, file: HeldFile) -> bool:
        return time.time() - file.changed_s > self.settle_s

    def _readable(self, key: str, start: int, file: HeldFile, newest: bool) -> int:
        """The number of bytes of a text with complete records."""
        rests = self.available_now or self._rests(file)
        if file.size <= start or (rests and (file.packed or not newest)):
            return max(file.size, start)
        if file.packed:
            return start
        begin = max(start, file.size - LOOK_BACK)
        tail = file.at(begin, file.size - begin)
        whole = tail[: tail.rfind(b"\n") + 1]
        if rests and len(whole) < len(tail):
            self._tell_half_a_line(key, file.name, len(tail) - len(whole))
        end = len(whole) if rests else last_record(whole, self._layout(key, file))
        return begin + end if end else start

    def _tell_half_a_line(self, key: str, name: str, count: int) -> None:
        if key not in self._told:
            self._told.add(key)
            warn_reader(
                f"{name} ends amid a line: its last {count:,} bytes wait for the line's break, "
                "or for the file's rotation."
            )

    def _gone(self, text: Followed, is_last: bool) -> Followed | None:
        """What to keep of a text that is gone: of a log's last one its place."""
        if text.first and (text.newest or text.size > text.read):
            warn_reader(
                f"{text.file} was removed, or cut without a copy. It was read up to byte "
                f"{text.read:,}: what was written to it after that is lost."
            )
        return replace(text, first=(), newest=False) if is_last else None

    def _layout(self, key: str, file: HeldFile) -> str:
        """The layout of a text, by its first bytes. Raises ValueError where they are wrapped."""
        if key in self._layouts:
            return self._layouts[key]
        first = file.at(0, FIRST_BYTES)
        layout, wrapping, _ = written_as(first, self.layout)
        if wrapping:
            raise ValueError(
                # Its lines have no place of their own in the file, where a batch could end.
                f"A stream reads plain logs; {file.name} is wrapped "
                f"({', '.join(name.partition(' ')[0] for name in wrapping)}). Read it with "
                "spark.read when it is whole."
            )
        if len(first) == FIRST_BYTES:
            self._layouts[key] = layout
        return layout

    @one_sentence()
    def partitions(self, start: dict, end: dict) -> list[FollowedPiece]:
        return [
            piece
            for key, values in sorted(end.items())
            for piece in self._news(key, start.get(key, {}).get("read", 0), Followed.of(values))
        ]

    def _news(self, key: str, begin: int, text: Followed) -> Iterator[FollowedPiece]:
        """The new bytes of a text, cut where records begin."""
        if begin >= text.read:
            return
        held = found_again(text)
        if held is None:
            tell_lost(text, text.read - begin)
            return
        layout = self._layout(key, held)
        whole = Range(
            text.file, begin, text.read, layout, exact=True, size=text.read,
            log=text.log, before=text.before, others=self.layout is None,
        )  # fmt: skip
        at = begin
        while at < text.read:
            after = min(at + TASK_BYTES, text.read)
            if after < text.read and not held.packed:
                tail = held.at(at, after - at)
                after = at + (last_record(tail, layout) or len(tail))
            elif held.packed:
                after = text.read
            yield FollowedPiece(text, replace(whole, start=at, stop=after))
            at = after
        held.close()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, FollowedPiece), "Spark gives back what partitions() returned"
        piece = partition.piece
        assert piece.stop is not None, "a stream's range has an end"
        text = FollowedText(partition.known, piece.start, piece.stop)
        with one_sentence():
            yield from record_batches_of(blocks_from(piece, text.read), self.names)


def _number(key: str) -> int:
    """How many texts of the log were before this one, of its key `app.log#2`."""
    return int(key.rpartition("#")[2])


def _are_alike(one: HeldFile, other: HeldFile) -> bool:
    return one.is_begin_of(other) or other.is_begin_of(one)
