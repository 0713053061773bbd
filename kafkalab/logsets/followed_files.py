"""Knows a growing log's files by their text, so that a stream reads each line once.

A writer rotates its log: it renames app.log to app.log.1, or copies it there and cuts the old file,
or begins a file with another day in its name. Later the older ones are packed. The name of a text
changes, and its first bytes and the last ones that were read do not. So these tell which text a
file holds. A text that is gone with lines that nobody read is told in the log, never passed over.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import pyarrow as pa
from pyarrow import fs

from kafkalab.logsets.files import (
    INSIDE,
    URL,
    LogFile,
    damaged,
    is_pattern,
    logs_below,
    open_plain,
    open_unpacked,
    rotation_of,
    unpacked,
    warn_reader,
    where,
)

FIRST, LAST = (
    (64, 256, 1024, 4096),
    256,
)  # Bytes at a text's begin, and before a place, that tell it.
# A file is renamed while its folder is listed: it is looked for again, longer while names change.
TRIES, CALM, MOST_TRIES, WAIT_S = 5, 3, 100, 0.1
SAME, SHORTER, OTHER, UNKNOWN = "same", "shorter", "other", "unknown"

Mark = tuple[int, str]
"""So many bytes of a text, and their digest."""


@dataclass(frozen=True)
class Followed:
    """A text of a log that is followed, as a stream's offset holds it.

    log     the log that it is a part of
    file    the name that its file had at last
    read    the bytes of it that were read
    size    the bytes that its file had at last
    before  the bytes of the log's older texts: the offsets of its rows go on after them
    first, last  what its first bytes are, and the last ones before `read`; none of a text that is
                 gone, which only holds the place of the next one
    newest  whether its writer may go on writing to it
    """

    log: str
    file: str
    read: int = 0
    size: int = 0
    before: int = 0
    first: tuple[Mark, ...] = ()
    last: Mark = (0, "")
    newest: bool = True

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Followed:
        """Of the values in an offset, which went through JSON."""
        first = tuple((count, digest) for count, digest in values["first"])
        count, digest = values["last"]
        return cls(**{**values, "first": first, "last": (count, digest)})

    def values(self) -> dict[str, Any]:
        """What an offset holds of it."""
        return {
            **asdict(self),
            "first": [list(mark) for mark in self.first],
            "last": list(self.last),
        }

    def at(self, read: int, held: HeldFile, newest: bool) -> Followed:
        """The same text, read so far, in the file that holds it now."""
        last = min(LAST, read)
        return replace(
            self,
            file=held.name,
            read=read,
            size=held.size,
            first=tuple(
                (count, _digest(held.at(0, count))) for count in FIRST if count <= held.size
            ),
            last=(last, _digest(held.at(read - last, last))),
            newest=newest,
        )

    def _mark(self, head: bytes) -> Mark | None:
        return max((mark for mark in self.first if mark[0] <= len(head)), default=None)

    def begins_as(self, head: bytes) -> bool:
        """Whether this text may be in a file with these first bytes."""
        mark = self._mark(head)
        return mark is not None and _digest(head[: mark[0]]) == mark[1]

    def likeness(self, held: HeldFile) -> str:
        """Whether a file holds this text, or only the begin of it, or another one."""
        mark = self._mark(held.head)
        if mark is None:
            return UNKNOWN if self.first else OTHER
        if _digest(held.head[: mark[0]]) != mark[1]:
            return OTHER
        if held.size < self.read:
            return SHORTER
        begin = self.read - self.last[0]
        return SAME if _digest(held.at(begin, self.last[0])) == self.last[1] else OTHER


class WasCut(OSError):
    """A file has fewer bytes than it had when it was opened."""


class HeldFile:
    """A log file that is open. It holds its text also when the file gets another name."""

    def __init__(self, file: LogFile) -> None:
        self.name, self.packed = file.name, file.packed
        self.changed_s = file.changed_ns / 1e9
        self._place = 0
        self._file = open_plain(file.name.partition(INSIDE)[0])
        self._stream = self._file
        if file.packed:
            self._unpack_anew()
        elif not isinstance(self._file, pa.NativeFile):
            found = os.fstat(self._file.fileno())
            self.size, self.changed_s = found.st_size, found.st_mtime_ns / 1e9
        self.head = self._take(FIRST[-1])

    @cached_property
    def size(self) -> int:
        """The bytes of its text, unpacked. Raises ValueError for a packed file that is damaged."""
        if isinstance(self._stream, pa.NativeFile) and not self.packed:
            return self._stream.size()
        while self._take(1 << 22):
            pass
        return self._place

    def at(self, place: int, count: int) -> bytes:
        """So many bytes from a place on, or all up to the end. Raises WasCut."""
        count = max(min(count, self.size - place), 0)
        if not self.packed:
            self._stream.seek(place)
            text = self._stream.read(count)
        else:
            text = self.head[place : place + count]
            place += len(text)
            if place < self._place and len(text) < count:
                self._unpack_anew()  # a packed text is read from its begin on only
            while len(text) < count and self._place < place:
                if not self._take(min(1 << 22, place - self._place)):
                    break
            text += self._take(count - len(text))
        if len(text) < count:
            raise WasCut(f"{self.name} was cut while it was read.")
        return text

    def _unpack_anew(self) -> None:
        """Unpack from the begin on: of the file that was opened, which may have another name."""
        self._file.seek(0)
        self._place = 0
        in_archive = INSIDE in self.name
        self._stream = open_unpacked(self.name) if in_archive else unpacked(self._file, self.name)

    def _take(self, count: int) -> bytes:
        parts = []
        try:
            while count and (text := self._stream.read(count)):
                parts.append(text)
                count -= len(text)
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            if not self.packed:
                raise
            raise ValueError(damaged(self.name)) from error
        self._place += sum(map(len, parts))
        return b"".join(parts)

    def is_begin_of(self, other: HeldFile) -> bool:
        """Whether another file has all of this one's text, as far as few bytes can tell."""
        if self.size > other.size:
            return False
        first, last = min(FIRST[-1], self.size), min(LAST, self.size)
        end = self.size - last
        return self.at(0, first) == other.at(0, first) and self.at(end, last) == other.at(end, last)

    def close(self) -> None:
        self._file.close()


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def logs_under(paths: str) -> dict[str, list[LogFile]]:
    """The files of each log under these paths, the oldest first, by the log's name.

    To a file that was named itself come those that it was rotated into. Nothing need be there yet.
    """
    found: dict[str, LogFile] = {}
    for path in paths.split("\n"):
        named = list(_listed(path))
        found |= {file.name: file for file in named}
        if any(file.name == path for file in named) or is_pattern(path) or not named:
            of_logs = {rotation_of(file.name)[0] for file in named} or {rotation_of(path)[0]}
            found |= {file.name: file for log in of_logs for file in rotated_files(log)}
    logs: dict[str, list[LogFile]] = {}
    for file in found.values():
        logs.setdefault(rotation_of(file.name)[0], []).append(file)
    for files in logs.values():
        files.sort(key=lambda file: rotation_of(file.name)[1], reverse=True)
    return dict(sorted(logs.items()))


def _listed(path: str) -> Iterator[LogFile]:
    for left in reversed(range(TRIES)):
        try:
            yield from logs_below(path)
            return
        except FileNotFoundError:
            # a folder without a log so far, or a file that got another name then
            if not left or not os.path.isdir(path):
                return


def rotated_files(log: str) -> list[LogFile]:
    """The files beside this log that are parts of it, and itself."""
    folder, slash, _ = log.rpartition("/") if URL in log else (os.path.dirname(log), os.sep, "")
    system, inside = where(folder if URL in log else folder or ".")
    selector = fs.FileSelector(inside, allow_not_found=True)
    found = []
    for info in system.get_file_info(selector):
        name = f"{folder}{slash}{info.base_name}" if folder else info.base_name
        if info.type == fs.FileType.File and rotation_of(name)[0] == log:
            found.append(LogFile(name, info.size, info.mtime_ns or 0))
    return found


def held_files(files: list[LogFile], settle_s: float) -> list[HeldFile]:
    """These files, open, in their order. Files that are gone are left out, and packed ones that
    may still be written. Raises ValueError for a packed file that is damaged."""
    found = []
    for file in files:
        try:
            held = HeldFile(file)
            if held.size:
                found.append(held)
        except FileNotFoundError:
            continue
        except ValueError:
            if time.time() - file.changed_ns / 1e9 > settle_s:
                raise
    return found


def found_again(known: Followed) -> HeldFile | None:
    """The file that holds a text now, whatever its name is; None where it is gone."""
    calm = 0
    for _ in range(MOST_TRIES if known.first else 0):
        files = rotated_files(known.log)
        names = settled_names(files)
        files.sort(key=lambda file: file.name != known.file)
        for file in files:
            try:
                if not known.begins_as(_head_of(file)):
                    continue
                held = HeldFile(file)
                if known.likeness(held) == SAME:
                    return held
                held.close()
            except (OSError, ValueError):  # it is renamed, cut or packed at this moment
                continue
        # Only where nothing was renamed then, all files were looked at.
        calm = calm + 1 if names == settled_names(rotated_files(known.log)) else 0
        if calm == CALM:
            break
        time.sleep(WAIT_S)
    return None


@lru_cache(maxsize=4096)
def _head_of(file: LogFile) -> bytes:
    """The first bytes of a file that has not changed: many texts are looked for in few files."""
    held = HeldFile(file)
    held.close()
    return held.head


def settled_names(files: list[LogFile]) -> set[tuple[str, int]]:
    """Names of a log's files and when they changed, without the one that is written."""
    newest = min(files, key=lambda file: rotation_of(file.name)[1], default=None)
    return {(file.name, file.changed_ns) for file in files if file is not newest}


class FollowedText:
    """The bytes [start, stop) of a text, also when its file is renamed or cut then."""

    def __init__(self, known: Followed, start: int, stop: int) -> None:
        self.known, self.place, self.stop = known, start, stop
        self._held: HeldFile | None = None

    def read(self, count: int) -> bytes:
        """The next bytes. At the end, or where what follows is gone, there are none."""
        count = min(count, self.stop - self.place)
        for _ in range(TRIES if count > 0 else 0):
            self._held = self._held or found_again(self.known)
            if self._held is None:
                break
            try:
                text = self._held.at(self.place, count)
            except OSError:  # a copy of it has what follows
                self._held.close()
                self._held = None
                continue
            self.place += len(text)
            return text
        if count > 0:
            tell_lost(self.known, self.stop - self.place)
            self.place = self.stop
        if self._held:
            self._held.close()
        return b""


def tell_lost(known: Followed, count: int) -> None:
    """Say that bytes of a text are gone that nobody read."""
    warn_reader(
        f"{known.file}: {count:,} bytes are lost. Their file was removed or cut before they were "
        "read."
    )
