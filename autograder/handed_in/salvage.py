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
MOST_PARTS = 2_000_000             # lists, dicts and what is in them; a chapter's notebook has two thousand, one with interactive charts some hundred thousand
DEEPEST = 50                       # lists inside lists in a cell that was cut off
MOST_TRIED = 5                     # how often in all a damaged text may be read over
CONFLICT_MARK = re.compile(r"(?m)^(?:<{7}|\|{7}|={7}|>{7})[^\n]*\n?")
OUTSIDE = re.compile(r'(?s)"(?:[^"\\]|\\.)*"|"')
TRAILING_COMMA = re.compile(r",(\s*[\]}])(?=\s*[,\]}\n]|\s*\Z)")
NEXT_CELL = re.compile(r"\{\s*\"(?:cell_type|attachments|id|execution_count)\"")
OTHER_FILES = ((b"%PDF", "a PDF"), (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"), (b"GIF8", "a picture"), (b"Rar!", "a RAR archive"),
               (b"7z\xbc\xaf", "a 7z archive"), (b"\xd0\xcf\x11\xe0", "an Office document"), (b"{\\rtf", "a text document"),
               (b"version https://git-lfs", "a pointer of Git LFS"), (b"SQLite format 3", "a database"), (b"\x7fELF", "a program"), (b"MZ", "a program"))


class Unreadable(ValueError):
    """No notebook can be made of this; the message says why."""


class Refused(ValueError):
    """This is not opened at all: too large, or made to reach outside its folder; the message says which."""


class TooMuch(Refused):
    """Reading it would cost more than a submission may, and so nothing more of it is read."""


@dataclass(frozen=True)
class Salvaged:
    """A notebook as a dict, and the repairs it took, one phrase each."""

    notebook: dict
    repairs: tuple[str, ...] = ()
    parts: int = 0                         # how many lists, dicts and things in them its file has: so much of MOST_PARTS


def notebooks_in(name: str, raw: bytes, before: int = 0) -> list[tuple[str, bytes]]:
    """The notebooks in a file, (name inside, bytes): the file itself, or the members of an archive. `before`: how many bytes were unpacked
    of the same submission already; together they may be MOST_BYTES."""
    if raw[:4] == b"PK\x03\x04" or name.lower().endswith(".zip"):
        return _of_zip(raw, MOST_BYTES - before)
    if raw[:2] == b"\x1f\x8b" or raw[257:262] == b"ustar":
        return _of_tar(name, raw, MOST_BYTES - before)
    return [(name, raw)]


def salvage(raw: bytes, name: str = "", before: int = 0) -> Salvaged:
    """The notebook in these bytes, repaired where that is possible. `name` is the file's: its ending says what it may be besides. `before`:
    how many parts the submission's other notebooks have; a hundred kilobytes of gzip can unpack to more of them than the memory holds."""
    if not raw.strip(b" \t\r\n\0"):
        raise Unreadable("the file is empty." if not raw else "there is nothing but blanks in the file.")
    known = next((what for start, what in OTHER_FILES if raw.startswith(start)), None)
    if known:
        raise Unreadable(f"it is {known}, not the notebook; hand in the .ipynb file itself.")
    text, repairs = decoded(raw)
    parts = _parts_of(text)
    if before + parts > MOST_PARTS:
        raise TooMuch(f"it has more than {MOST_PARTS:,} lists, dicts and things in them, more than any notebook.")
    other = foreign.notebook(text, name)
    if other is not None:
        return Salvaged(other.notebook, repairs + (other.how,), parts)
    data, mended = _parsed(text)
    return _framed(data, repairs + mended, parts)


def without_conflicts(text: str, side: int = 0) -> str:
    """The text with one side (0 or 1) of each of git's conflicts and without the marks. A conflict that has no end stays as it is."""
    kept, done, opened = [], 0, None
    for mark in CONFLICT_MARK.finditer(text):
        kind = mark[0][0]
        if opened is None:
            if kind == "<":
                opened, first_ends, second_starts = mark, None, None
        elif second_starts is None and kind in "|=":
            first_ends = mark.start() if first_ends is None else first_ends
            second_starts = mark.end() if kind == "=" else None
        elif second_starts is not None and kind == ">":
            kept += [text[done:opened.start()], text[second_starts:mark.start()] if side else text[opened.end():first_ends]]
            done, opened = mark.end(), None
    return "".join(kept) + text[done:]


def _parts_of(text: str) -> int:
    """About how many lists, dicts and things in them a JSON text has; what stands in its texts is only left out where it would be too many."""
    count = _signs_in(text)
    if count <= MOST_PARTS:
        return count
    count = last = 0
    for found in OUTSIDE.finditer(text):
        count += _signs_in(text[last:found.start()])
        last = found.end() if len(found[0]) > 1 else len(text)         # one that has no end: all the rest is text
        if count > MOST_PARTS or last == len(text):
            break
    return count + _signs_in(text[last:])


def _signs_in(text: str) -> int:
    return text.count("{") + text.count("[") + text.count(",")


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
    return _as_far_as_it_goes(without_conflicts(text), broken)


def _candidates(text: str):
    """The text, and the text mended in ways that leave a whole file alone."""
    yield text, ()
    repairs = ()
    if "\0" in text:
        text, repairs = text.replace("\0", ""), ("there were NUL bytes in it",)
        yield text, repairs
    for side, named in enumerate(("first", "second")):
        merged = without_conflicts(text, side)
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


def _framed(notebook, repairs: tuple[str, ...], parts: int = 0) -> Salvaged:
    """A notebook out of whatever the JSON says."""
    if isinstance(notebook, str) and notebook.lstrip().startswith("{"):            # JSON that was written as JSON once more
        parts += _parts_of(notebook)
        if parts > MOST_PARTS:
            raise TooMuch("packed into a text it has more parts than any notebook.")
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
    return Salvaged({**notebook, "cells": cells}, repairs, parts)


def _as_far_as_it_goes(text: str, broken: ValueError) -> tuple[dict, tuple[str, ...]]:
    """The cells that can still be read one by one from a file that is cut off or damaged somewhere."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    if not start:
        raise Unreadable(f"it is not a notebook: its JSON breaks at line {getattr(broken, 'lineno', 1)}.")
    decoder, position, cells, skipped, tried = json.JSONDecoder(strict=False), start.end(), [], 0, 0
    while True:
        opening = text.find("{", position)
        if opening < 0:
            break
        try:
            cell, position = decoder.raw_decode(text, opening)
        except (ValueError, RecursionError) as damaged:
            tried += getattr(damaged, "pos", len(text)) - opening
            following = NEXT_CELL.search(text, opening + 1)         # this one is damaged
            if tried > MOST_TRIED * len(text):                      # one in the other, all without an end: each is read up to the break
                break
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
        elif len(opened) > DEEPEST:                      # nothing that is a cell
            return None
        elif mark == ",":
            whole = (found.start(), "".join(reversed(opened)))
        elif mark in "}]" and opened:
            opened.pop()
            whole = (found.end(), "".join(reversed(opened)))
    try:
        return json.loads(text[:whole[0]] + whole[1], strict=False) if whole else None
    except (ValueError, RecursionError):
        return None


def _of_zip(raw: bytes, most_bytes: int) -> list[tuple[str, bytes]]:
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
    if sum(member.file_size for member in wanted) > most_bytes:
        raise _too_large()
    found = []
    for member in wanted:
        try:
            with archive.open(member) as file:
                found.append((member.filename, file.read(most_bytes + 1)))     # the header's size is the sender's word
        except (RuntimeError, NotImplementedError):
            raise Unreadable("the zip file wants a password or an unusual method.") from None
        except (zipfile.BadZipFile, OSError, EOFError, ValueError):
            raise Unreadable("the zip file is damaged.") from None
        if sum(len(inside) for _, inside in found) > most_bytes:
            raise _too_large()
    if not found:
        office = any(member.filename.startswith(("word/", "xl/", "ppt/")) for member in members)
        raise Unreadable("it is an Office document, not the notebook; hand in the .ipynb file itself." if office else
                         "there is no notebook in the zip file.")
    return found


def _of_tar(name: str, raw: bytes, most_bytes: int) -> list[tuple[str, bytes]]:
    """A tar archive's notebooks, or the one file in a .gz, read in memory."""
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
                raw = file.read(most_bytes + 1)
        except (OSError, EOFError, ValueError):
            raise Unreadable("the gz file is damaged.") from None
        if len(raw) > most_bytes:
            raise _too_large()
        if raw[257:262] != b"ustar":
            return [(name.removesuffix(".gz"), raw)]
    found = []
    try:
        with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
            for member in itertools.islice(archive, MOST_FILES):
                if ".." in member.name.split("/") or member.name.startswith("/") or member.issym() or member.islnk():
                    raise Refused("it has a link in it, or a file that would be unpacked outside its folder.")
                if member.issparse() or member.size > most_bytes:                  # holes that ten bytes can name, and gigabytes fill
                    raise _too_large()
                if member.isfile() and member.name.lower().endswith(".ipynb") and not member.name.rsplit("/", 1)[-1].startswith("."):
                    found.append((member.name, archive.extractfile(member).read()))
    except (tarfile.TarError, OSError, EOFError, ValueError):
        raise Unreadable("the tar file is damaged.") from None
    if not found:
        raise Unreadable("there is no notebook in the tar file.")
    return found


def _too_large() -> TooMuch:
    return TooMuch(f"unpacked it would be larger than {MOST_BYTES >> 20} MB.")
