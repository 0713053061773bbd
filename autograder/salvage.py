"""Read a notebook that somebody's editor, mail program or disk has been unkind to.

Every repair is named, for the learner and the teacher should know what was done to a submission. What cannot be read at all
raises Unreadable with one sentence; what should not be read (a bomb, an escape) raises Refused.
"""
from __future__ import annotations

import io
import json
import re
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 100 << 20             # nbgrader's own limit for one file
MOST_FILES = 2_000
ENCODINGS = ("utf-8", "cp1251", "latin-1")


class Unreadable(ValueError):
    """No notebook can be made of this; the message says why."""


class Refused(ValueError):
    """This is not opened at all: too large, or made to reach outside its folder; the message says which."""


@dataclass(frozen=True)
class Salvaged:
    """A notebook as a dict, and the repairs it took, one phrase each."""

    notebook: dict
    repairs: tuple[str, ...] = ()


def notebooks_of(path: Path) -> list[tuple[str, bytes]]:
    """The notebooks of a submission, (name inside, bytes): of an .ipynb itself, of a folder's files, of a zip's members."""
    if path.is_symlink():
        raise Refused("it is a link to somewhere else.")
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise Refused("it is neither a file nor a folder.")
    if path.stat().st_size > MOST_BYTES:
        raise Refused(f"it is larger than {MOST_BYTES >> 20} MB.")
    raw = path.read_bytes()
    if path.suffix.lower() == ".zip" or raw[:4] == b"PK\x03\x04":
        return _of_zip(raw)
    return [(path.name, raw)]


def salvage(raw: bytes) -> Salvaged:
    """The notebook in these bytes, repaired where that is possible."""
    if not raw.strip():
        raise Unreadable("the file is empty.")
    text, repairs = _decode(raw)
    text, merged = _without_conflict_marks(text)
    repairs += merged
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise Refused("its JSON is nested too deep.") from None
    except ValueError as broken:
        notebook, cut = _as_far_as_it_goes(text, broken)
        repairs += cut
    if isinstance(notebook, list):
        notebook, repairs = {"cells": notebook}, repairs + ("the list of cells had lost its frame",)
    if not isinstance(notebook, dict):
        raise Unreadable("the file is JSON, but not a notebook.")
    if "cells" not in notebook and isinstance(notebook.get("worksheets"), list):       # nbformat 3
        notebook["cells"] = [cell for sheet in notebook["worksheets"] if isinstance(sheet, dict) for cell in sheet.get("cells", [])]
        repairs += ("it was in the notebook format of 2013",)
    if not isinstance(notebook.get("cells"), list):
        raise Unreadable("the file is JSON, but has no cells.")
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    if len(cells) < len(notebook["cells"]):
        repairs += (f"{len(notebook['cells']) - len(cells)} things between the cells were no cells",)
    return Salvaged({**notebook, "cells": cells}, repairs)


def _decode(raw: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if raw.startswith(mark):
            return raw.decode(encoding, errors="replace"), () if encoding == "utf-8-sig" else (f"it was written in {encoding}",)
    for encoding in ENCODINGS:
        try:
            return raw.decode(encoding), () if encoding == "utf-8" else ("it was not written in UTF-8",)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 reads every byte")


def _without_conflict_marks(text: str) -> tuple[str, tuple[str, ...]]:
    """Git's conflict marks: keep the learner's own side, the first."""
    if not re.search(r"(?m)^<{7} ", text):
        return text, ()
    mended = re.sub(r"(?ms)^<{7} [^\n]*\n(.*?)^={7}\r?\n.*?^>{7} [^\n]*\n?", r"\1", text)
    return mended, ("git's conflict marks were in it; the first side was kept",)


def _as_far_as_it_goes(text: str, broken: ValueError) -> tuple[dict, tuple[str, ...]]:
    """The cells that can still be read one by one from a file that is cut off or damaged somewhere."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    if not start:
        raise Unreadable(f"it is not a notebook: its JSON breaks at line {getattr(broken, 'lineno', 1)}.")
    decoder, position, cells, skipped = json.JSONDecoder(), start.end(), [], 0
    while True:
        opening = text.find("{", position)
        if opening < 0:
            break
        try:
            cell, position = decoder.raw_decode(text, opening)
        except (ValueError, RecursionError):
            # This cell is damaged; the next one begins where a line holds nothing but an opening brace.
            following = re.compile(r"\n\s*\{\s*\n\s*\"(?:cell_type|attachments|id|execution_count)\"").search(text, opening + 1)
            if not following:
                break
            position, skipped = following.start(), skipped + 1
            continue
        if isinstance(cell, dict) and "cell_type" in cell:
            cells.append(cell)
        elif cells:                                      # the metadata after the last cell
            break
    if not cells:
        raise Unreadable(f"its JSON breaks at line {getattr(broken, 'lineno', 1)}, before the first whole cell.")
    return {"cells": cells}, (f"its JSON was broken; {len(cells)} cells could be read",)


def _of_folder(folder: Path) -> list[tuple[str, bytes]]:
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix.lower() != ".ipynb" or any(part.startswith((".", "__")) for part in inside.parts):
            continue
        if path.is_symlink() or any(parent.is_symlink() for parent in path.parents if folder in parent.parents):
            raise Refused(f"{inside} is a link to somewhere else.")
        if path.is_file():
            if path.stat().st_size > MOST_BYTES:
                raise Refused(f"{inside} is larger than {MOST_BYTES >> 20} MB.")
            found.append((str(inside), path.read_bytes()))
        if len(found) > MOST_FILES:
            raise Refused(f"there are more than {MOST_FILES:,} notebooks in it.")
    if not found:
        raise Unreadable("there is no notebook in the folder.")
    return found


def _of_zip(raw: bytes) -> list[tuple[str, bytes]]:
    """Members are read in memory and never unpacked; one that would land elsewhere shows what the zip was made for."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, OSError, ValueError):
        raise Unreadable("the zip file is damaged.") from None
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise Refused(f"there are more than {MOST_FILES:,} files in it.")
    for member in members:
        parts = re.split(r"[/\\]", member.filename)
        if ".." in parts or member.filename.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", member.filename):
            raise Refused("it has a file that would be unpacked outside its folder.")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Refused("it has a link in it.")
    wanted = [member for member in members if member.filename.lower().endswith(".ipynb")
              and not any(part.startswith((".", "__")) for part in member.filename.split("/"))]
    if sum(member.file_size for member in wanted) > MOST_BYTES:
        raise Refused(f"unpacked it would be larger than {MOST_BYTES >> 20} MB.")
    found = []
    for member in wanted:
        try:
            with archive.open(member) as file:
                found.append((member.filename, file.read(MOST_BYTES + 1)))     # the header's size is the sender's word
        except (RuntimeError, NotImplementedError):
            raise Unreadable("the zip file wants a password or an unusual method.") from None
        except (zipfile.BadZipFile, OSError, EOFError, ValueError):
            raise Unreadable("the zip file is damaged.") from None
        if len(found[-1][1]) > MOST_BYTES:
            raise Refused(f"unpacked it would be larger than {MOST_BYTES >> 20} MB.")
    if not found:
        raise Unreadable("there is no notebook in the zip file.")
    return found
