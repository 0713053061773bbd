"""Writes and reads a log set's files in a folder or at an Arrow URL (s3://, gs://, hdfs://,
file://).
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs


@dataclass(frozen=True)
class Place:
    """A folder or URL.

    It can be sent to Spark's workers, because the file system is opened at each use.
    """

    url: str

    @classmethod
    def of(cls, out: str | os.PathLike) -> "Place":
        text = os.fspath(out)
        return cls(text if "://" in text else Path(text).absolute().as_uri())

    def open(self) -> tuple[fs.FileSystem, str]:
        return fs.FileSystem.from_uri(self.url)

    def __truediv__(self, name: str) -> "Place":
        return Place(f"{self.url.rstrip('/')}/{name}")

    def names(self) -> set[str]:
        """The names in the folder; empty when it does not exist."""
        system, path = self.open()
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return {info.base_name for info in found}

    def exists(self) -> bool:
        system, path = self.open()
        return system.get_file_info(path).type != fs.FileType.NotFound

    def make(self) -> None:
        system, path = self.open()
        system.create_dir(path, recursive=True)

    def write(self, *content: bytes | pa.Buffer) -> None:
        """Write the whole file. A file with this name is always complete."""
        with self.writing() as stream:
            for piece in content:
                stream.write(piece)

    @contextlib.contextmanager
    def writing(self) -> Iterator[pa.NativeFile]:
        """A stream into the file. The file gets its name when all is written."""
        system, path = self.open()
        with system.open_output_stream(path + ".half") as stream:
            yield stream
        system.move(path + ".half", path)

    def write_json(self, value: object) -> None:
        self.write((json.dumps(value, indent=1) + "\n").encode())

    def read(self) -> bytes:
        system, path = self.open()
        with system.open_input_stream(path) as stream:
            return stream.read()

    def read_json(self) -> Any:
        return json.loads(self.read())

    def mapped(self) -> pa.Buffer:
        """A file's bytes. On this machine's disk they are mapped, not read."""
        system, path = self.open()
        if isinstance(system, fs.LocalFileSystem):
            return pa.memory_map(path).read_buffer()
        with system.open_input_file(path) as file:
            return file.read_buffer()

    def remove(self) -> None:
        """Remove the file or folder, if it exists."""
        system, path = self.open()
        kind = system.get_file_info(path).type
        if kind == fs.FileType.Directory:
            system.delete_dir(path)
        elif kind != fs.FileType.NotFound:
            system.delete_file(path)
