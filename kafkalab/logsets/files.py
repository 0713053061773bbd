"""Finds and opens log files, by path or by URL: file://, hdfs://, s3://, gs://, abfs://.

Arrow's file systems open a URL, with the credentials of the environment. The end of a name tells
how a file is packed: .gz, .zst, .bz2, .lz4. Several paths may be given at once, with a line break
between them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import fs

PACKED = (".gz", ".zst", ".bz2", ".lz4")
PLAIN = (".log", ".txt", ".out")
URL = "://"


@dataclass(frozen=True)
class LogFile:
    """A log file: its name as given to the reader, and its size in bytes on disk."""

    name: str
    size: int
    changed_ns: int = 0

    @property
    def packed(self) -> bool:
        return self.name.endswith(PACKED)


def files_of(paths: str | os.PathLike) -> list[LogFile]:
    """The files to read, sorted by name: each path itself, or every log below it.

    Raises FileNotFoundError where there is none.
    """
    return [file for path in os.fspath(paths).split("\n") for file in _below(path)]


def path_list(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> str:
    """One path or several as one text, which the data source takes."""
    return (
        os.fspath(paths)
        if isinstance(paths, str | os.PathLike)
        else "\n".join(os.fspath(path) for path in paths)
    )


def _below(path: str) -> list[LogFile]:
    system, inside = where(path)
    try:
        info = system.get_file_info(inside)
        if info.type == fs.FileType.File:
            return [LogFile(path, info.size, info.mtime_ns or 0)]
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(f"There is no file or folder {path}.")
        below = system.get_file_info(fs.FileSelector(inside, recursive=True))
    except PermissionError:
        raise PermissionError(f"{path} may not be read: its rights forbid it.") from None
    found = sorted(
        (
            LogFile(_named(path, inside, info.path), info.size, info.mtime_ns or 0)
            for info in below
            if info.type == fs.FileType.File and is_log(info.path)
        ),
        key=lambda file: file.name,
    )
    if not found:
        raise FileNotFoundError(
            f"There is no log in {path}: looked for {', '.join('*' + end for end in PLAIN)}, "
            "packed or not."
        )
    return found


def _named(path: str, inside: str, found: str) -> str:
    """The name of a file below `path`, in the form in which the path was given."""
    below = os.path.relpath(found, inside) if URL not in path else found[len(inside) :].lstrip("/")
    return f"{path.rstrip('/')}/{below}" if URL in path else os.path.join(path, below)


def is_log(name: str) -> bool:
    name = os.path.basename(name)
    for end in PACKED:
        name = name.removesuffix(end)
    return name.endswith(PLAIN) and not name.startswith((".", "_"))


def where(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or URL, and the path inside it.

    Raises ValueError for an unknown scheme.
    """
    if URL not in path:
        return fs.LocalFileSystem(), os.path.abspath(path)
    try:
        return fs.FileSystem.from_uri(path)
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
    if URL not in name:
        return pa.input_stream(name, compression="detect")
    system, inside = where(name)
    return system.open_input_stream(inside, compression="detect")


def beginning(file: LogFile, size: int = 1 << 16) -> bytes:
    """The first bytes of a file's text."""
    try:
        with open_unpacked(file.name) as stream:
            return stream.read(size)
    except PermissionError:
        raise PermissionError(f"{file.name} may not be read: its rights forbid it.") from None
    except OSError as error:
        raise ValueError(
            f"{file.name} is not what its name says: {str(error).splitlines()[0].rstrip('.')}."
        ) from None
