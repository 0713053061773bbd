"""Read a notebook that somebody's editor, mail program or disk has been unkind to.

Every repair is named, for the learner and the teacher should know what was done to a submission. What cannot be read at all
raises Unreadable with one sentence; what should not be read (a bomb, an escape) raises Refused.
"""
from __future__ import annotations

import gzip
import io
import itertools
import json
import re
import stat
import tarfile
import zipfile
from dataclasses import dataclass

from autograder.handed_in import foreign
from autograder.handed_in.encodings import decoded

MOST_BYTES = 100 << 20             # nbgrader's own limit for one file
MOST_FILES = 2_000
CONFLICT = re.compile(r"(?ms)^<{7}[^\n]*\n(.*?)^(?:\|{7}[^\n]*\n.*?^)?={7}[^\n]*\n(.*?)^>{7}[^\n]*(?:\n|\Z)")
TRAILING_COMMA = re.compile(r",(\s*[\]}])(?=\s*[,\]}\n]|\s*\Z)")
NEXT_CELL = re.compile(r"\{\s*\"(?:cell_type|attachments|id|execution_count)\"")
OTHER_FILES = ((b"%PDF", "a PDF"), (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"), (b"GIF8", "a picture"), (b"Rar!", "a RAR archive"),
               (b"7z\xbc\xaf", "a 7z archive"), (b"\xd0\xcf\x11\xe0", "an Office document"), (b"{\\rtf", "a text document"),
               (b"version https://git-lfs", "a pointer of Git LFS"), (b"SQLite format 3", "a database"), (b"\x7fELF", "a program"), (b"MZ", "a program"))


class Unreadable(ValueError):
    """No notebook can be made of this; the message says why."""


class Refused(ValueError):
    """This is not opened at all: too large, or made to reach outside its folder; the message says which."""


@dataclass(frozen=True)
class Salvaged:
    """A notebook as a dict, and the repairs it took, one phrase each."""

    notebook: dict
    repairs: tuple[str, ...] = ()


def notebooks_in(name: str, raw: bytes) -> list[tuple[str, bytes]]:
    """The notebooks in a file, (name inside, bytes): the file itself, or the members of an archive."""
    if raw[:4] == b"PK\x03\x04" or name.lower().endswith(".zip"):
        return _of_zip(raw)
    if raw[:2] == b"\x1f\x8b" or raw[257:262] == b"ustar":
        return _of_tar(name, raw)
    return [(name, raw)]


def salvage(raw: bytes, name: str = "") -> Salvaged:
    """The notebook in these bytes, repaired where that is possible. `name` is the file's: its ending says what it may be besides."""
    if not raw.strip(b" \t\r\n\0"):
        raise Unreadable("the file is empty." if not raw else "there is nothing but blanks in the file.")
    known = next((what for start, what in OTHER_FILES if raw.startswith(start)), None)
    if known:
        raise Unreadable(f"it is {known}, not the notebook; hand in the .ipynb file itself.")
    text, repairs = decoded(raw)
    other = foreign.notebook(text, name)
    if other is not None:
        return Salvaged(other.notebook, repairs + (other.how,))
    data, mended = _parsed(text)
    return _framed(data, repairs + mended)


def _parsed(text: str) -> tuple[object, tuple[str, ...]]:
    """The JSON in a text, as it stands, else with ever more mending."""
    broken = None
    for candidate, repairs in _candidates(text):
        try:
            return json.loads(candidate, strict=False), repairs
        except RecursionError:
            raise Refused("its JSON is nested too deep.") from None
        except ValueError as error:
            broken = broken or error
            if "Extra data" in str(error) and (first := _first_of_several(candidate)) is not None:
                return first, repairs + ("there was more behind the notebook",)
    return _as_far_as_it_goes(CONFLICT.sub(r"\1", text), broken)


def _candidates(text: str):
    """The text, and the text mended in ways that leave a whole file alone."""
    yield text, ()
    repairs = ()
    if "\0" in text:
        text, repairs = text.replace("\0", ""), ("there were NUL bytes in it",)
        yield text, repairs
    for side, named in ((r"\1", "first"), (r"\2", "second")):
        merged = CONFLICT.sub(side, text)
        if merged != text:
            yield merged, (*repairs, f"git's conflict marks were in it; the {named} side was kept")
    yield TRAILING_COMMA.sub(r"\1", text), (*repairs, "commas too many were taken out of its JSON")


def _first_of_several(text: str) -> dict | None:
    """The first notebook of several JSON texts in a row."""
    decoder, position = json.JSONDecoder(strict=False), 0
    while (opening := text.find("{", position)) >= 0:
        try:
            data, position = decoder.raw_decode(text, opening)
        except (ValueError, RecursionError):
            return None
        if isinstance(data, dict) and isinstance(data.get("cells"), list):
            return data
    return None


def _framed(notebook, repairs: tuple[str, ...]) -> Salvaged:
    """A notebook out of whatever the JSON says."""
    if isinstance(notebook, str) and notebook.lstrip().startswith("{"):            # JSON that was written as JSON once more
        notebook, again = _parsed(notebook)
        repairs += ("it had been packed into a text", *again)
    if isinstance(notebook, list):
        notebook, repairs = {"cells": notebook}, repairs + ("the list of cells had lost its frame",)
    if not isinstance(notebook, dict):
        raise Unreadable("the file is JSON, but not a notebook.")
    inner = next((value for key, value in notebook.items() if "cells" not in notebook and "worksheets" not in notebook
                  and isinstance(value, dict) and isinstance(value.get("cells"), list)), None)
    if inner is not None:                                # as Jupyter's own server sends it, and some archives keep it
        notebook, repairs = inner, repairs + ("it was wrapped in another file's frame",)
    if "cells" not in notebook and isinstance(notebook.get("worksheets"), list):       # nbformat 3
        sheets = [sheet.get("cells") for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        notebook = {**notebook, "cells": [cell for cells in sheets if isinstance(cells, list) for cell in cells]}
        repairs += ("it was in the notebook format of 2013",)
    if not isinstance(notebook.get("cells"), list):
        raise Unreadable("the file is JSON, but has no cells.")
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    if len(cells) < len(notebook["cells"]):
        repairs += (f"{len(notebook['cells']) - len(cells)} things between the cells were no cells",)
    return Salvaged({**notebook, "cells": cells}, repairs)


def _as_far_as_it_goes(text: str, broken: ValueError) -> tuple[dict, tuple[str, ...]]:
    """The cells that can still be read one by one from a file that is cut off or damaged somewhere."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    if not start:
        raise Unreadable(f"it is not a notebook: its JSON breaks at line {getattr(broken, 'lineno', 1)}.")
    decoder, position, cells, skipped = json.JSONDecoder(strict=False), start.end(), [], 0
    while True:
        opening = text.find("{", position)
        if opening < 0:
            break
        try:
            cell, position = decoder.raw_decode(text, opening)
        except (ValueError, RecursionError):
            following = NEXT_CELL.search(text, opening + 1)         # this one is damaged
            if not following:
                cell = _closed(text[opening:])
                cells += [cell] if isinstance(cell, dict) and "cell_type" in cell and "source" in cell else []
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


def _closed(text: str):
    """The value that a cut-off JSON text began, as far as it is whole; None where nothing is."""
    opened, whole = [], None
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|"', text):
        mark = found[0]
        if mark in "{[":
            opened.append("}" if mark == "{" else "]")
        elif mark == '"':                                # a text that has no end: nothing behind it is whole
            break
        elif mark == ",":
            whole = (found.start(), "".join(reversed(opened)))
        elif mark in "}]" and opened:
            opened.pop()
            whole = (found.end(), "".join(reversed(opened)))
    try:
        return json.loads(text[:whole[0]] + whole[1], strict=False) if whole else None
    except (ValueError, RecursionError):
        return None


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
        office = any(member.filename.startswith(("word/", "xl/", "ppt/")) for member in members)
        raise Unreadable("it is an Office document, not the notebook; hand in the .ipynb file itself." if office else
                         "there is no notebook in the zip file.")
    return found


def _of_tar(name: str, raw: bytes) -> list[tuple[str, bytes]]:
    """A tar archive's notebooks, or the one file in a .gz, read in memory."""
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
                raw = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, ValueError):
            raise Unreadable("the gz file is damaged.") from None
        if len(raw) > MOST_BYTES:
            raise Refused(f"unpacked it would be larger than {MOST_BYTES >> 20} MB.")
        if raw[257:262] != b"ustar":
            return [(name.removesuffix(".gz"), raw)]
    found = []
    try:
        with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
            for member in itertools.islice(archive, MOST_FILES):
                if ".." in member.name.split("/") or member.name.startswith("/") or member.issym() or member.islnk():
                    raise Refused("it has a link in it, or a file that would be unpacked outside its folder.")
                if member.isfile() and member.name.lower().endswith(".ipynb") and not member.name.rsplit("/", 1)[-1].startswith("."):
                    found.append((member.name, archive.extractfile(member).read()))
    except (tarfile.TarError, OSError, EOFError, ValueError):
        raise Unreadable("the tar file is damaged.") from None
    if not found:
        raise Unreadable("there is no notebook in the tar file.")
    return found
