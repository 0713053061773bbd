"""Opens a class's submissions as a platform gives them: a folder, or the zip file of one.

Moodle's "Download all submissions" makes such a zip file.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.handed_in.archives import is_hidden
from autograder.handed_in.classlist import PLATFORMS, Roster
from autograder.handed_in.repair import MOST_BYTES

MOST_FILES = 100_000
MOST_TOGETHER = 20 << 30


class NotAClass(ValueError):
    """The submissions cannot be taken out of this; the message is the sentence that says why and
    what to do."""


@contextlib.contextmanager
def folder_of(source: Path, roster: Roster = Roster()) -> Iterator[Path]:
    """The folder with what was handed in: the source itself, or a folder that a zip file is
    unpacked into as long as the block lasts. NotAClass, with a sentence, for any other file and for
    a zip file that cannot be unpacked."""
    if source.is_dir():
        yield source
        return
    if not source.exists():
        raise NotAClass(f"There is no {source}.")
    if not zipfile.is_zipfile(source):
        raise NotAClass(
            f"{source} is neither a folder nor a zip file. Name the folder with the submissions, or"
            " the zip file that your platform made of it."
        )
    with tempfile.TemporaryDirectory(prefix="submissions") as home:
        try:
            _unpack(source, Path(home))
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as broken:
            raise NotAClass(
                f"{source} cannot be unpacked ({broken}); download it once more."
            ) from None
        yield _inmost(Path(home), roster)


def _unpack(source: Path, home: Path) -> None:
    with zipfile.ZipFile(source) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) > MOST_FILES or sum(member.file_size for member in members) > MOST_TOGETHER:
            raise NotAClass(
                f"{source} holds more than {MOST_FILES:,} files or {MOST_TOGETHER >> 30} GB; unpack"
                " it yourself and name the folder."
            )
        for member in members:
            parts = re.split(r"[/\\]", member.filename)
            if (
                ".." in parts
                or "" in parts
                or ":" in parts[0]
                or stat.S_ISLNK(member.external_attr >> 16)
            ):
                raise NotAClass(
                    f"{source} holds {member.filename!r}, which would be unpacked outside of its"
                    " folder or is a link; nothing was taken in."
                )
            if is_hidden(member.filename):
                continue
            place = home.joinpath(*parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as packed, open(place, "wb") as file:
                # One byte more than anybody's file may have: it is refused later, with a sentence.
                left = MOST_BYTES + 1
                while left > 0 and (piece := packed.read(min(left, 1 << 20))):
                    left -= file.write(piece)
            changed = time.mktime((*member.date_time, 0, 0, -1))
            os.utime(place, (changed, changed))


def _inmost(home: Path, roster: Roster) -> Path:
    """The folder itself where the zip file holds nothing but one that is a class's, and no
    student's."""
    inside = list(home.iterdir())
    if len(inside) != 1 or not inside[0].is_dir() or len(list(inside[0].iterdir())) < 2:
        return home
    name = inside[0].name
    ones = roster.student_behind(name) or any(pattern.fullmatch(name) for pattern in PLATFORMS)
    return home if ones else inside[0]
