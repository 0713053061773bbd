"""Open what a notebook came wrapped in: archives, also one in the other, and compressed files.

All is read in memory and nothing is unpacked to the disk. What it may cost is bounded over all
layers together.
"""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath

from autograder.handed_in.repair import (
    HAND_IN,
    MOST_BYTES,
    MOST_FILES,
    Refused,
    TooMuch,
    Unreadable,
)

SECOND_BEST = (
    ".py",
    ".ipy",
    ".html",
    ".htm",
    ".json",
    ".txt",
    ".md",
    ".rmd",
    ".gz",
    ".tgz",
    ".tar",
    ".bz2",
    ".tbz2",
    ".xz",
    ".txz",
    "",
)
MOST_LAYERS = 5
SMALLER = (
    (b"\x1f\x8b", "gz", gzip.open),
    (b"BZh", "bz2", bz2.open),
    (b"\xfd7zXZ\0", "xz", lzma.open),
)


def rank(name: str) -> int | None:
    """How likely a file of this name is the notebook: 0 a notebook or a zip file, 1 what is looked
    into where there is none of these, None for a file that is not looked into."""
    name = name.lower()
    if ".ipynb" in name or name.endswith(".zip"):
        return 0
    return 1 if PurePosixPath(name).suffix in SECOND_BEST else None


def is_hidden(name: str) -> bool:
    """Whether a system put it there, and nobody who hands in: "__MACOSX/._03.ipynb"."""
    return any(part.startswith((".", "__")) and part != "." for part in re.split(r"[/\\]", name))


def notebooks_in(name: str, raw: bytes, before: int = 0) -> list[tuple[str, bytes]]:
    """The notebooks in a file, (name inside, bytes): the file itself, or what is in it where it
    wraps another. `before`: how many bytes were unpacked of the same submission already; together
    they may be MOST_BYTES. Unreadable or Refused, with a sentence."""
    return _Unpacking(MOST_BYTES - before).of(name, raw)


class _Unpacking:
    """One file, and how many bytes may still come out of it."""

    def __init__(self, left: int):
        self.left, self.layers, self.files = left, 0, 0

    def of(self, name: str, raw: bytes) -> list[tuple[str, bytes]]:
        opened = self._opened(name, raw)
        if opened is None:
            return [(name, raw)]
        self.layers, self.files = self.layers + 1, self.files + len(opened)
        if self.layers > MOST_LAYERS or self.files > MOST_FILES:
            raise TooMuch("there are archives in archives, more than anybody makes.")
        found, trouble = [], None
        for inside, unpacked in opened:
            try:
                found += self.of(inside, unpacked)
            except TooMuch:
                raise
            except (Unreadable, Refused) as why:
                trouble = trouble or why
        self.layers -= 1
        if trouble and not found:
            raise trouble
        return found

    def _opened(self, name: str, raw: bytes) -> list[tuple[str, bytes]] | None:
        """The files in a file that wraps others; None for one that does not."""
        if raw[:4] == b"PK\x03\x04" or (
            name.lower().endswith(".zip") and zipfile.is_zipfile(io.BytesIO(raw))
        ):
            return self._of_zip(raw)
        if raw[257:262] == b"ustar":
            return self._of_tar(raw)
        for start, kind, opener in SMALLER:
            if raw.startswith(start):
                return [
                    (
                        re.sub(rf"(?i)\.{kind}$", "", name),
                        self._bytes(
                            kind, lambda most, opener=opener: opener(io.BytesIO(raw)).read(most)
                        ),
                    )
                ]
        return None

    def _bytes(self, kind: str, read: Callable[[int], bytes]) -> bytes:
        """What `read(most)` gives, taken off what may still come.
        A header's size is the sender's word, so it is never asked."""
        try:
            unpacked = read(self.left + 1)
        except (RuntimeError, NotImplementedError):
            raise Unreadable(f"the {kind} file wants a password or an unusual method.") from None
        except (
            zipfile.BadZipFile,
            tarfile.TarError,
            lzma.LZMAError,
            zlib.error,
            OSError,
            EOFError,
            ValueError,
        ):
            raise Unreadable(f"the {kind} file is damaged; {HAND_IN}") from None
        self._spend(len(unpacked))
        return unpacked

    def _spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise TooMuch(f"unpacked it would be larger than {MOST_BYTES >> 20} MB.")

    def _of_zip(self, raw: bytes) -> list[tuple[str, bytes]]:
        """A member that would land elsewhere shows what the zip was made for."""
        try:
            archive = zipfile.ZipFile(io.BytesIO(raw))
        except (zipfile.BadZipFile, OSError, ValueError):
            raise Unreadable(f"the zip file is damaged; {HAND_IN}") from None
        members = archive.infolist()
        if len(members) > MOST_FILES:
            raise Refused(f"there are more than {MOST_FILES:,} files in it.")
        for member in members:
            if (
                ".." in re.split(r"[/\\]", member.filename)
                or member.filename.startswith(("/", "\\"))
                or re.match(r"[A-Za-z]:", member.filename)
            ):
                raise Refused("it has a file that would be unpacked outside its folder.")
            if stat.S_ISLNK(member.external_attr >> 16):
                raise Refused("it has a link in it.")
        wanted = _best([(member.filename, member) for member in members if not member.is_dir()])
        if sum(member.file_size for _, member in wanted) > self.left:
            self._spend(self.left + 1)
        if not wanted:
            office = any(member.filename.startswith(("word/", "xl/", "ppt/")) for member in members)
            raise Unreadable(
                f"it is an Office document, not the notebook; {HAND_IN}"
                if office
                else "there is no notebook in the zip file."
            )
        return [
            (name, self._bytes("zip", lambda most, member=member: archive.open(member).read(most)))
            for name, member in wanted
        ]

    def _of_tar(self, raw: bytes) -> list[tuple[str, bytes]]:
        members = []
        try:
            archive = tarfile.open(fileobj=io.BytesIO(raw), mode="r:")
            for member in itertools.islice(archive, MOST_FILES):
                if (
                    ".." in member.name.split("/")
                    or member.name.startswith("/")
                    or member.issym()
                    or member.islnk()
                ):
                    raise Refused(
                        "it has a link in it, or a file that would be unpacked outside its folder."
                    )
                # holes that ten bytes can name, and gigabytes fill
                if member.issparse() or member.size > self.left:
                    self._spend(self.left + 1)
                if member.isfile():
                    members.append((member.name, member))
        except (tarfile.TarError, OSError, EOFError, ValueError) as damaged:
            if isinstance(damaged, (Unreadable, Refused)):
                raise
            raise Unreadable(f"the tar file is damaged; {HAND_IN}") from None
        wanted = _best(members)
        if not wanted:
            raise Unreadable("there is no notebook in the tar file.")
        return [
            (
                name,
                self._bytes(
                    "tar", lambda most, member=member: archive.extractfile(member).read(most)
                ),
            )
            for name, member in wanted
        ]


def _best(members: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """Those of an archive's files that are most likely the notebook."""
    seen = [
        (rank(name), name, member)
        for name, member in members
        if not is_hidden(name) and rank(name) is not None
    ]
    best = min((place for place, *_ in seen), default=0)
    return [(name, member) for place, name, member in seen if place == best]
