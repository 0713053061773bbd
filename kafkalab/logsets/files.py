"""Finds and opens log files, by path or by URL: file://, s3://, gs://.

Arrow's file systems open a URL, with the credentials of the environment. Other schemes are Spark's
(hadoop_files.py). The end of a name tells how a file is packed: .gz, .zst, .bz2, .lz4, .xz. An
archive (.tar, .tar.gz, .tar.xz, .tgz, .zip) is read as a folder: `logs.zip!/app.log`. A path may be
a pattern: `*.log`, `{a,b}.log`. Several paths may be given at once, with a line break between them.

A log that was rotated is one log: app.log.2.gz, app.log.1, app.log. Its files are read from the
oldest on. In a folder a file with another name (`stdout`, `events.json`) is a log if its first
lines begin as records do.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import re
import sys
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from glob import glob
from typing import IO

import pyarrow as pa
from pyarrow import fs

from kafkalab.logsets.layouts import OPENING

# How the names of packed files end, and the tool that unpacks each with `-dc`.
UNPACKERS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".lz4": "lz4", ".xz": "xz"}
PACKED = tuple(UNPACKERS)
PLAIN = (".log", ".txt", ".out", ".jsonl", ".ndjson")
ARCHIVES = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".zip",
)  # fmt: skip
INSIDE = "!/"
HADOOPS = {"s3a": "s3", "s3n": "s3"}  # Hadoop's names of what Arrow calls otherwise.
URL = "://"
MAGIC_LETTERS, BRACES = set("*?[{"), re.compile(r"\{([^{}]*)\}")
LEAST_COPIED, ENDS = 1 << 10, 1 << 20  # Bytes of a file that may be a copy, and of each end of it.
# What is never a log, whatever its first lines are.
NO_LOGS = (".md", ".html", ".py", ".sh", ".java", ".jar", ".class", ".pdf", ".png", ".parquet")
SNIFFED, BEGUN = 1 << 16, 3  # So many bytes are looked at, in which so many records must begin.
_DAY = r"\d{4}-?\d\d-?\d\d(?:[-_T]\d\d(?:-?\d\d){0,2})?"
# app.log.1, app.log.2026-11-20, app.2026-11-20.0.log: the log that it belongs to is app.log.
ROTATED = re.compile(
    rf"(?P<stem>.+?)(?:[._-](?P<day>{_DAY})(?:[.-](?P<part>\d{{1,4}}))?)?"
    rf"(?P<end>{'|'.join(map(re.escape, PLAIN))})"
    rf"(?:[._-](?P<late>{_DAY}))?(?:\.(?P<number>\d{{1,4}}))?(?P<old>\.old|\.bak|\.prev|~)?",
    re.IGNORECASE,
)
# The first bytes of packed files that a name with this end would have opened.
MAGIC = {
    b"\x1f\x8b": ".gz",
    b"PK\x03\x04": ".zip",
    b"BZh": ".bz2",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"\xfd7zXZ\x00": ".xz",
}

OFFICE = (".xlsx", ".docx", ".ods", ".odt", ".pptx")
# How what is no log begins, and what to do with it.
NOT_READ = {
    rb"7z\xbc\xaf": "a 7z archive: unpack it with `7z x` first",
    rb"Rar!": "a RAR archive: unpack it with `unrar x` first",
    rb"\x1f\x9d": "packed by compress: unpack it with `uncompress` first",
    rb"%PDF-": "a PDF: save its text as a file first",
    rb"PAR1": "a Parquet file: `spark.read.parquet` reads it",
    rb"\{\\rtf": "a text with formats (RTF): save it as plain text first",
    rb"(?:[^\n]*\n){0,12}?--- \S[^\n]*\n\+\+\+ \S": "a patch: read the log that it changes",
    rb"(?:[^\n]*\n){0,400}?(?:[^\n]{60,76}=\r?\n){2}": "coded as mails are: `python -m quopri -d` "
    "decodes it",
    # psql, mysql, Markdown
    rb"(?:[^\n]*\n)?(?=[^\n]*--[+|])[-+|:= ]+\r?(?:\n|$)": "a table in lines: export it as CSV",
}


@dataclass(frozen=True)
class LogFile:
    """A log file: its name as given to the reader, and its size in bytes on disk.

    log     the name of the log that it is a part of, if that was rotated
    before  the bytes of text in the older files of that log
    """

    name: str
    size: int
    changed_ns: int = 0
    log: str = ""
    before: int = 0

    @property
    def packed(self) -> bool:
        return self.name.endswith(PACKED) or INSIDE in self.name


def files_of(paths: str | os.PathLike) -> list[LogFile]:
    """The files to read, sorted by name: each path itself, or every log below it. The older files
    of a rotated log are before the newest.

    A file that is there twice under two names is read once (copies_of). Raises FileNotFoundError
    where there is none.
    """
    return list(rotated_in_turn(_once(logs_below(paths))[0], text_bytes))


def logs_below(paths: str | os.PathLike) -> list[LogFile]:
    """The files to read, not in turn and without what is before them. Raises FileNotFoundError."""
    found = [file for path in os.fspath(paths).split("\n") for file in _below(path)[0]]
    return list(dict.fromkeys(found))


def copies_of(paths: str | os.PathLike) -> Iterator[str]:
    """A sentence for the files that are not read, for another one has the same bytes."""
    copies = _once(logs_below(paths))[1]
    for copy, first in copies[:3]:
        more = f" and {len(copies) - 3} more" if len(copies) > 3 and copy == copies[2][0] else ""
        yield f"{copy}{more}: not read, for it has the same bytes as {first}."


def _once(files: list[LogFile]) -> tuple[list[LogFile], list[tuple[str, str]]]:
    """The files without copies, and the name of each copy with that of the first such file. Only
    files of one size are opened."""
    sizes = Counter(file.size for file in files)
    seen: dict[bytes, str] = {}
    copies: list[tuple[str, str]] = []
    for file in sorted(files, key=lambda file: (len(file.name), file.name)):
        if sizes[file.size] > 1 and file.size >= LEAST_COPIED and INSIDE not in file.name:
            first = seen.setdefault(_digest(file), file.name)
            if first != file.name:
                copies.append((file.name, first))
    names = {copy for copy, _ in copies}
    return [file for file in files if file.name not in names], copies


@lru_cache(maxsize=1 << 12)
def _digest(file: LogFile) -> bytes:
    """What two files share that are equal, as far as their ends tell."""
    found = hashlib.sha256(str(file.size).encode())
    with open_plain(file.name) as stream:
        found.update(stream.read(ENDS))
        stream.seek(max(file.size - ENDS, 0))
        found.update(stream.read(ENDS))
    return found.digest()


def warn_reader(text: str) -> None:
    """Say a sentence on stderr, which is Spark's log where Spark reads."""
    print(text, file=sys.stderr, flush=True)


def is_pattern(path: str) -> bool:
    """Whether a path may match several files."""
    return bool(MAGIC_LETTERS & set(path))


def left_out(paths: str | os.PathLike) -> list[str]:
    """The files in these folders and archives that are not read, for their names are no logs'."""
    return [name for path in os.fspath(paths).split("\n") for name in _below(path)[1]]


def rotated_in_turn(files: list[LogFile], size_of: Callable[[LogFile], int]) -> Iterator[LogFile]:
    """The files, those of one rotated log after each other from the oldest on.

    size_of: the bytes of a file's text, after which those of the next one begin.
    """
    logs: dict[str, list[LogFile]] = {}
    for file in files:
        logs.setdefault(rotation_of(file.name)[0], []).append(file)
    for log, parts in logs.items():
        before = 0
        for file in sorted(parts, key=lambda part: rotation_of(part.name)[1], reverse=True):
            if len(parts) == 1:
                yield file
            else:
                yield replace(file, log=log, before=before)
                before += size_of(file) if file.name != log else 0


def rotation_of(name: str) -> tuple[str, tuple]:
    """The log that a file belongs to, and its age: a larger one is older, none is the newest."""
    folder, base = os.path.split(name)
    plain = _unpacked_name(base)
    found = ROTATED.fullmatch(plain)
    day = found and (found["day"] or found["late"])
    if not found or not (day or found["number"] or found["old"]):
        return os.path.join(folder, plain), ()
    # A later day is newer. Within a day logback counts up, and within a name log4j counts up the
    # older ones.
    digits = int("".join(filter(str.isdigit, day or "")).ljust(14, "0"))
    part = -int(found["part"] or (found["number"] if day else 0) or 0)
    number = 0 if day else int(found["number"] or 1)
    return os.path.join(folder, found["stem"] + found["end"]), (-digits, part, number)


def _unpacked_name(name: str) -> str:
    for end in PACKED:
        name = name.removesuffix(end)
    return name


def text_bytes(file: LogFile) -> int:
    """The bytes of a file's text, unpacked."""
    if not file.packed:
        return file.size
    count = 0
    with unpacking(file.name) as stream:
        while piece := stream.read(1 << 22):
            count += len(piece)
    return count


def path_list(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> str:
    """One path or several as one text, which the data source takes."""
    return (
        os.fspath(paths)
        if isinstance(paths, str | os.PathLike)
        else "\n".join(os.fspath(path) for path in paths)
    )


def _below(path: str) -> tuple[list[LogFile], list[str]]:
    """The logs of a path, and the names of the other files there."""
    if URL in path and is_pattern(path):
        return _several(path, _matching(path))
    system, inside = where(path)
    try:
        info = system.get_file_info(inside)
        if info.type == fs.FileType.File:
            if path.endswith(ARCHIVES):
                return _chosen(path, list(_members(path)))
            return [LogFile(path, info.size, info.mtime_ns or 0)], []
        if info.type == fs.FileType.NotFound:
            return _several(path, _matching(path))
        below = system.get_file_info(fs.FileSelector(inside, recursive=True))
    except PermissionError:
        raise PermissionError(f"{path} may not be read: its rights forbid it.") from None
    files = []
    seen: set[str] = set()
    for info in sorted(below, key=lambda each: (each.path.count("/"), each.path)):
        if info.type == fs.FileType.File and URL not in path:
            # A link to a folder above would show each file again and again.
            real = os.path.realpath(info.path)
            if real in seen:
                continue
            seen.add(real)
        if info.type == fs.FileType.File:
            name = _named(path, inside, info.path)
            hidden = os.path.basename(name).startswith((".", "_"))
            if name.endswith(ARCHIVES) and not hidden:
                files += list(_members(name))
            elif not hidden:
                files.append(LogFile(name, info.size, info.mtime_ns or 0))
    return _chosen(path, files)


def _several(path: str, matching: list[str]) -> tuple[list[LogFile], list[str]]:
    """The logs of several paths that a pattern matches."""
    if not matching:
        raise FileNotFoundError(f"There is no file or folder {path}.")
    both = [_below(each) for each in matching]
    return [f for files, _ in both for f in files], [n for _, names in both for n in names]


def _matching(path: str) -> list[str]:
    """The paths that a pattern matches, as Hadoop has them: `*`, `?`, `[ab]`, `{one,two}`."""
    if braces := BRACES.search(path):
        begin, end = path[: braces.start()], path[braces.end() :]
        return [
            found for part in braces[1].split(",") for found in _matching(f"{begin}{part}{end}")
        ]
    if URL not in path:
        return sorted(glob(path, recursive=True))
    steps = path.split("/")
    first = next((n for n, step in enumerate(steps) if MAGIC_LETTERS & set(step)), len(steps))
    base = "/".join(steps[:first])
    system, inside = where(base)
    if first == len(steps):
        return [path] if system.get_file_info(inside).type != fs.FileType.NotFound else []
    found = []
    for info in system.get_file_info(fs.FileSelector(inside, recursive=True, allow_not_found=True)):
        below = info.path[len(inside) :].strip("/").split("/")
        if len(below) == len(steps) - first and all(map(fnmatchcase, below, steps[first:])):
            found.append("/".join([base, *below]))
    return sorted(found)


def _chosen(path: str, files: list[LogFile]) -> tuple[list[LogFile], list[str]]:
    logs = {file.name for file in files if is_log(file.name) or _looks_like_a_log(file)}
    found = sorted((file for file in files if file.name in logs), key=lambda file: file.name)
    if not found:
        raise FileNotFoundError(
            f"There is no log in {path}: looked for {', '.join('*' + end for end in PLAIN)}, "
            "packed, rotated or not, and for files whose lines begin as those of logs do."
        )
    return found, sorted({file.name for file in files} - logs)


def _members(archive: str) -> Iterator[LogFile]:
    """The files in an archive."""
    system, inside = where(archive)
    try:
        if archive.endswith(".zip"):
            with system.open_input_file(inside) as stream, zipfile.ZipFile(stream) as zipped:
                for member in zipped.infolist():
                    if not member.is_dir():
                        yield LogFile(f"{archive}{INSIDE}{member.filename}", member.file_size)
            return
        with (
            system.open_input_stream(inside, compression=None) as stream,
            tarfile.open(fileobj=stream, mode="r|*") as tarred,
        ):
            for entry in tarred:
                if entry.isfile():
                    yield LogFile(f"{archive}{INSIDE}{entry.name}", entry.size)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise ValueError(f"{archive} is no archive that can be read: {error}.") from None


def _named(path: str, inside: str, found: str) -> str:
    """The name of a file below `path`, in the form in which the path was given."""
    below = os.path.relpath(found, inside) if URL not in path else found[len(inside) :].lstrip("/")
    return f"{path.rstrip('/')}/{below}" if URL in path else os.path.join(path, below)


def is_log(name: str) -> bool:
    name = os.path.basename(name)
    return bool(ROTATED.fullmatch(_unpacked_name(name))) and not name.startswith((".", "_"))


@lru_cache(maxsize=1 << 12)
def _looks_like_a_log(file: LogFile) -> bool:
    """Whether the first lines of a file on this machine begin as records of a log do."""
    name = _unpacked_name(os.path.basename(file.name))
    if URL in file.name or name.endswith(NO_LOGS) or not file.size:
        return False
    try:
        with open_unpacked(file.name) as stream:
            text = stream.read(SNIFFED)
    except (OSError, ValueError):
        return False
    return b"\0" not in text and len(OPENING.findall(text)) >= BEGUN


def where(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or URL, and the path inside it.

    Raises ValueError for an unknown scheme.
    """
    if URL not in path:
        return fs.LocalFileSystem(), os.path.abspath(path)
    scheme, _, rest = path.partition(URL)
    try:
        return fs.FileSystem.from_uri(f"{HADOOPS.get(scheme, scheme)}{URL}{rest}")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise ValueError(
            f"{path} cannot be opened: {str(error).splitlines()[0].rstrip('.')}."
        ) from None


def open_plain(name: str) -> io.FileIO | pa.NativeFile:
    """Open a file for random access: read(size), seek(place)."""
    if URL not in name:
        return open(name, "rb", buffering=0)
    system, inside = where(name)
    return system.open_input_file(inside)


def open_unpacked(name: str) -> pa.NativeFile:
    """Open a file from its beginning, unpacked."""
    if INSIDE in name:
        return _open_member(name)
    system, inside = where(name)
    return unpacked(system.open_input_stream(inside, compression=None), name)


def unpacked(file: IO[bytes] | io.FileIO | pa.NativeFile, name: str) -> pa.NativeFile:
    """The text of a file that is open at its begin. name: its end tells how it is packed.

    A file of Python's stays open when the text is closed.
    """
    if name.endswith(".xz"):
        return pa.PythonFile(lzma.open(file), mode="r")  # Arrow has no xz
    if isinstance(file, io.FileIO):
        file = open(file.fileno(), "rb", buffering=0, closefd=False)
    plain = file if isinstance(file, pa.NativeFile) else pa.PythonFile(file, mode="r")
    if not name.endswith(PACKED):
        return plain
    return pa.CompressedInputStream(plain, pa.Codec.detect(name).name)


@contextmanager
def unpacking(name: str) -> Iterator[pa.NativeFile]:
    """open_unpacked, with one sentence as ValueError where the file is damaged."""
    try:
        with open_unpacked(name) as stream:
            yield stream
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as error:
        if getattr(error, "errno", None) or not (name.endswith(PACKED) or INSIDE in name):
            raise
        raise ValueError(damaged(name)) from None


def _open_member(name: str) -> pa.NativeFile:
    """Open a file in an archive from its beginning, unpacked."""
    archive, _, member = name.partition(INSIDE)
    system, inside = where(archive)
    if archive.endswith(".zip"):
        try:
            stream = zipfile.ZipFile(system.open_input_file(inside)).open(member)
        except RuntimeError:
            raise ValueError(
                f"{archive} has a password: unpack it first, and read its folder."
            ) from None
    else:
        tarred = tarfile.open(
            fileobj=system.open_input_stream(inside, compression=None), mode="r|*"
        )
        entry = next(each for each in tarred if each.name == member)
        found = tarred.extractfile(entry)
        assert found is not None, "only files are members"
        stream = found
    return unpacked(stream, member)


def damaged(name: str) -> str:
    """What to say of a packed file that cannot be unpacked to its end."""
    tool = UNPACKERS.get(os.path.splitext(name)[1])
    if INSIDE in name or tool is None:
        return f"{name} is cut or damaged: unpack what there is of it, and read that."
    return (
        f"{name} is cut, damaged, or has something else behind it: `{tool} -dc {name} > part.log` "
        "unpacks what there is."
    )


def _is_packed_as_named(name: str) -> bool:
    """Whether a packed file begins as its name says."""
    end = os.path.splitext(name)[1]
    magic = next((magic for magic, each in MAGIC.items() if each == end), None)
    if INSIDE in name or magic is None:
        return False
    with open_plain(name) as file:
        return file.read(len(magic)) == magic


def beginning(file: LogFile, size: int = 1 << 16) -> bytes:
    """The first bytes of a file's text. Raises ValueError where the name hides its packing."""
    try:
        with open_unpacked(file.name) as stream:
            text = stream.read(size)
            # A log that was cut while its writer went on begins with zeros.
            while text and not text.strip(b"\0"):
                text = stream.read(size)
            if text.startswith(b"\0"):
                # One or two are left: they tell of zeros, and keep the bytes of UTF-16 in pairs.
                found = text.lstrip(b"\0")
                text = bytes(2 - (len(text) - len(found)) % 2) + found + stream.read(size)
    except PermissionError:
        raise PermissionError(f"{file.name} may not be read: its rights forbid it.") from None
    except OSError as error:
        if not _is_packed_as_named(file.name):
            raise ValueError(
                f"{file.name} is not what its name says: {str(error).splitlines()[0].rstrip('.')}. "
                "Where it is a text, give it a name that ends with .log."
            ) from None
        raise ValueError(damaged(file.name)) from None
    _refuse_what_is_packed(file.name, text)
    return text


def _refuse_what_is_packed(name: str, text: bytes) -> None:
    """Raises ValueError where the first bytes of a text show that it is none."""
    for begin, told in NOT_READ.items():
        if re.match(begin, text):
            raise ValueError(f"{name} is {told}.")
    if text[257:262] == b"ustar":
        raise ValueError(
            f"{name} is an archive of tar: give it a name that ends with .tar, .tar.gz, .tar.bz2 "
            "or .tar.xz, or unpack it first."
        )
    for magic, end in MAGIC.items():
        if text.startswith(magic) and name.endswith((end, *OFFICE)):
            office = name.endswith(OFFICE)
            raise ValueError(
                f"{name} is a spreadsheet or a document: save it as CSV or text first."
                if office
                else f"{name} is packed twice: unpack it once first."
            )
        if text.startswith(magic):
            raise ValueError(
                f"{name} is packed: give it a name that ends with {end}, or with .tar{end} where "
                "it is an archive."
            )
