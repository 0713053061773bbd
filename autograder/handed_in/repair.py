"""Read a notebook that somebody's editor, mail program or disk has been unkind to.

Every repair is named, for the learner and the teacher should know what was done to a submission.
What cannot be read at all raises Unreadable with one sentence; what should not be read (a bomb, an
escape) raises Refused.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from dataclasses import dataclass

from autograder.handed_in import scripts
from autograder.handed_in.encodings import decoded

MOST_BYTES = 100 << 20  # nbgrader's own limit for one file
MOST_FILES = 2_000
# lists, dicts and what is in them; a chapter's notebook has two thousand, one with interactive
# charts some hundred thousand
MOST_PARTS = 2_000_000
DEEPEST = 50  # lists inside lists in a cell that was cut off
DEEPEST_FRAME = 6  # frames round a notebook
# characters; a longer text is read cell by cell, for each further copy of it costs memory
LONGEST_TIDIED = 20 << 20
MOST_TRIED = 5  # how often in all a damaged text may be read over
# cells; for each the parser counts the lines above it, to say where it stopped
MOST_DAMAGED = 200
CONFLICT_MARK = re.compile(r"(?m)^(?:<{7}|\|{7}|={7}|>{7})[^\n]*\n?")
OUTSIDE = re.compile(r'(?s)"(?:[^"\\]|\\.)*"|"')
NOT_JSON = re.compile(
    r'(?s)"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|,(?=\s*[,\]}])|\b(?:True|False|None|undefined|nan|inf)\b'
)
WORDS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "nan": "NaN",
    "inf": "Infinity",
}
NEXT_CELL = re.compile(
    r'\{\s*"(?:cell_type|attachments|id|execution_count|metadata|source|input|outputs)"\s*:'
)
LONGEST_NUMBER = 1_000  # digits
FIRST, SECOND = (
    f"git's conflict marks were in it; the {side} side was kept" for side in ("first", "second")
)
OTHER_FILES = (
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"{\\rtf", "a text document"),
    (b"version https://git-lfs", "a pointer of Git LFS"),
    (b"SQLite format 3", "a database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"RIFF", "a picture or a sound"),
    (b"bplist00", "a saved page"),
    (b"\0\x05\x16", "what a Mac notes about a file"),
)
HAND_IN = "hand in the .ipynb file itself."
UNPRINTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")
MOST_UNPRINTED = 0.05  # share of such characters in a text


class Unreadable(ValueError):
    """No notebook can be made of this; the message says why."""


class Refused(ValueError):
    """This is not opened at all: too large, or made to reach outside its folder;
    the message says which."""


class TooMuch(Refused):
    """Reading it would cost more than a submission may, and so nothing more of it is read."""


@dataclass(frozen=True)
class Salvaged:
    """A notebook as a dict, and the repairs it took, one phrase each."""

    notebook: dict
    repairs: tuple[str, ...] = ()
    # how many lists, dicts and things in them its file has: so much of MOST_PARTS
    parts: int = 0
    # the other side of git's conflicts, which may hold more of the answers
    other: Salvaged | None = None


def salvage(raw: bytes, name: str = "", before: int = 0) -> Salvaged:
    """The notebook in these bytes, repaired where that is possible. `name` is the file's: its
    ending says what it may be besides. `before`: how many parts the submission's other notebooks
    have; a hundred kilobytes of gzip can unpack to more of them than the memory holds."""
    if not raw.strip(b" \t\r\n\0"):
        raise Unreadable(
            "the file is empty." if not raw else "there is nothing but blanks in the file."
        )
    known = next((what for start, what in OTHER_FILES if raw.startswith(start)), None)
    if known:
        raise Unreadable(f"it is {known}, not the notebook; {HAND_IN}")
    text, repairs = decoded(raw)
    parts = _parts_of(text)
    if before + parts > MOST_PARTS:
        raise TooMuch(
            f"it has more than {MOST_PARTS:,} lists, dicts and things in them, more than any "
            "notebook."
        )
    other = scripts.notebook(text, name)
    if other is not None:
        return _framed(other.notebook, (*repairs, other.how), parts)
    data, mended = _parsed(text)
    found = _framed(data, repairs + mended, parts)
    return (
        dataclasses.replace(found, other=_second_side(text, repairs)) if FIRST in mended else found
    )


def _second_side(text: str, repairs: tuple[str, ...]) -> Salvaged | None:
    try:
        data, mended = _parsed(without_conflicts(text, 1))
        return _framed(data, (*repairs, SECOND, *mended))
    except (Unreadable, Refused):
        return None


def without_conflicts(text: str, side: int = 0) -> str:
    """The text with one side (0 or 1) of each of git's conflicts and without the marks. A
    conflict that has no end stays as it is."""
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
            kept += [
                text[done : opened.start()],
                text[second_starts : mark.start()] if side else text[opened.end() : first_ends],
            ]
            done, opened = mark.end(), None
    return "".join(kept) + text[done:]


def _parts_of(text: str) -> int:
    """About how many lists, dicts and things in them a JSON text has; what stands in its texts
    is only left out where it would be too many."""
    count = _signs_in(text)
    if count <= MOST_PARTS:
        return count
    count = last = 0
    for found in OUTSIDE.finditer(text):
        count += _signs_in(text[last : found.start()])
        # one that has no end: all the rest is text
        last = found.end() if len(found[0]) > 1 else len(text)
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
            return DECODER.decode(candidate), repairs
        except RecursionError:
            raise Refused("its JSON is nested too deep.") from None
        except ValueError as error:
            broken = broken or error
    for candidate, repairs in _candidates(text):
        if (first := _first_of_several(candidate)) is not None:
            return first, (*repairs, "there was more around the notebook")
    return _as_far_as_it_goes(without_conflicts(text), broken)


def _candidates(text: str):
    """The text, and the text mended in ways that leave a whole file alone."""
    yield text, ()
    repairs = ()
    if "\0" in text:
        text, repairs = text.replace("\0", ""), ("there were NUL bytes in it",)
        yield text, repairs
    sides = [
        (without_conflicts(text, side), (*repairs, kept))
        for side, kept in enumerate((FIRST, SECOND))
    ]
    sides = [(text, repairs)] if sides[0][0] == text else sides
    yield from sides
    for side, repairs in sides if len(text) <= LONGEST_TIDIED else ():
        tidy = NOT_JSON.sub(
            lambda found: found[0] if found[0][0] == '"' else WORDS.get(found[0], ""), side
        )
        if tidy != side:
            yield tidy, (*repairs, "commas too many or words of Python were taken out of its JSON")


def _number(digits: str) -> int | float:
    """A whole number; one longer than any is only about as large."""
    return int(digits) if len(digits) < LONGEST_NUMBER else float(digits)


def _said(pairs: list[tuple[str, object]]) -> dict:
    """A dict in which of a key that stands twice the last one counts that says anything."""
    found = dict(pairs)
    if len(found) < len(pairs):
        found.update((key, value) for key, value in pairs if value not in (None, "", [], {}))
    return found


DECODER = json.JSONDecoder(strict=False, parse_int=_number, object_pairs_hook=_said)


def _first_of_several(text: str) -> dict | None:
    """The first notebook of several JSON texts in a row,
    or of one with something else around it."""
    position = 0
    while (opening := text.find("{", position)) >= 0:
        try:
            data, position = DECODER.raw_decode(text, opening)
        except (ValueError, RecursionError):
            return None
        if isinstance(data, dict) and isinstance(data.get("cells"), list):
            return data
    return None


def _framed(data, repairs: tuple[str, ...], parts: int = 0) -> Salvaged:
    """A notebook out of whatever the JSON says."""
    framing = _Framing(parts)
    notebook = framing.notebook_in(data)
    if notebook is None:
        raise Unreadable(
            "the file is JSON, but has no cells."
            if isinstance(data, dict)
            else "the file is JSON, but not a notebook."
        )
    cells = [_as_cell(cell) for cell in notebook["cells"] if isinstance(cell, dict)]
    if len(cells) < len(notebook["cells"]):
        framing.repairs.append(
            f"{len(notebook['cells']) - len(cells)} things between the cells were no cells"
        )
    return Salvaged(
        {**notebook, "cells": cells}, (*repairs, *dict.fromkeys(framing.repairs)), framing.parts
    )


class _Framing:
    """Looks for the cells in whatever they were put into:
    another file's frame, a text, a list or a dict of cells."""

    def __init__(self, parts: int):
        self.parts, self.repairs = parts, []

    def notebook_in(self, thing, depth: int = 0) -> dict | None:
        """The dict with a list of cells in it, made where only the list is there;
        None where there are no cells."""
        if depth > DEEPEST_FRAME:
            return None
        if isinstance(thing, dict):
            return self._in_dict(thing, depth)
        if isinstance(thing, list):
            return self._in_list(thing, depth)
        # JSON that was written as JSON once more
        if isinstance(thing, str) and "cell_type" in thing:
            self.parts += _parts_of(thing)
            if self.parts > MOST_PARTS:
                raise TooMuch("packed into a text it has more parts than any notebook.")
            try:
                data, mended = _parsed(thing)
            except Unreadable:
                return None
            self.repairs += ["it had been packed into a text", *mended]
            return self.notebook_in(data, depth + 1)
        return None

    def _in_dict(self, thing: dict, depth: int) -> dict | None:
        cells = thing.get("cells")
        if isinstance(cells, dict) and cells and all(_is_cell(cell) for cell in cells.values()):
            self.repairs.append("its list of cells had become a dict")
            return {**thing, "cells": list(cells.values())}
        if isinstance(cells, list) and any(isinstance(cell, dict) for cell in cells):
            return thing
        if isinstance(cells, (dict, list, str)) and cells:
            inner = self.notebook_in(cells, depth + 1)
            return inner and {**thing, "cells": inner["cells"]}
        if isinstance(thing.get("worksheets"), list):  # nbformat 2 and 3
            sheets = [
                sheet.get("cells") for sheet in thing["worksheets"] if isinstance(sheet, dict)
            ]
            self.repairs.append("it was in the notebook format of 2013")
            return {
                **thing,
                "cells": [cell for cells in sheets if isinstance(cells, list) for cell in cells],
            }
        inner = next(
            (found for value in thing.values() if (found := self.notebook_in(value, depth + 1))),
            None,
        )
        # as Jupyter's own server sends it, and some archives keep it
        if inner is not None:
            self.repairs.append("it was wrapped in another file's frame")
        return inner or (thing if isinstance(cells, list) else None)

    def _in_list(self, thing: list, depth: int) -> dict | None:
        cells = [cell for each in thing for cell in (each if isinstance(each, list) else [each])]
        if any(_is_cell(cell) for cell in cells) or (not cells and not depth):
            self.repairs.append("the list of cells had lost its frame")
            return {"cells": cells}
        return next((found for each in thing if (found := self.notebook_in(each, depth + 1))), None)


def _is_cell(thing) -> bool:
    return isinstance(thing, dict) and "cell_type" in thing


def _as_cell(cell: dict) -> dict:
    """The cell with a type: the one it says, else the one that what it holds belongs to."""
    kind = cell.get("cell_type")
    if isinstance(kind, str) and kind == kind.lower():
        return cell
    runs = any(key in cell for key in ("outputs", "execution_count", "input"))
    return {
        **cell,
        "cell_type": kind.lower() if isinstance(kind, str) else "code" if runs else "markdown",
    }


def _as_far_as_it_goes(text: str, broken: ValueError) -> tuple[dict, tuple[str, ...]]:
    """The cells that can still be read one by one from a file
    that is cut off or damaged somewhere."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    first = NEXT_CELL.search(text)
    if not start and not first:
        raise Unreadable(
            _instead(text)
            or f"it is not a notebook: its JSON breaks at line {getattr(broken, 'lineno', 1)}."
        )
    position, cells, tried, skipped = start.end() if start else first.start(), [], 0, 0
    while (opening := text.find("{", position)) >= 0:
        try:
            cell, position = DECODER.raw_decode(text, opening)
        except (ValueError, RecursionError) as damaged:
            tried, skipped = tried + getattr(damaged, "pos", len(text)) - opening, skipped + 1
            following = NEXT_CELL.search(text, opening + 1)
            # one in the other, all without an end: each is read up to the break
            if tried > MOST_TRIED * len(text) or skipped > MOST_DAMAGED:
                break
            position = following.start() if following else len(text)
            cell = (
                _remains(text[opening:position])
                if following
                else _cut_off(text[opening:]) or _remains(text[opening:])
            )
        if _is_cell(cell):
            cells.append(cell)
    if not cells:
        raise Unreadable(
            f"its JSON breaks at line {getattr(broken, 'lineno', 1)}, before the first whole cell."
        )
    return {"cells": cells}, (f"its JSON was broken; {len(cells)} cells could be read",)


def _instead(text: str) -> str | None:
    """What somebody handed in instead of a notebook, and what to do;
    None where that cannot be told."""
    start = text[:4096]
    if len(UNPRINTED.findall(start)) > MOST_UNPRINTED * len(start):
        return f"it is a file of another kind, not the notebook; {HAND_IN}"
    if re.match(r"\s*(?:<!doctype html|<html|<\?xml)", start, re.IGNORECASE):
        return f"it is a web page without the notebook's cells; {HAND_IN}"
    if re.search(r"https?://", start) and text == start:
        return f"it is a link, not the notebook; download what it leads to and {HAND_IN}"
    return None


def _remains(text: str) -> dict | None:
    """What of a damaged cell is whole: its type, its marks and its text, wherever the damage is;
    None where one of them is hit."""
    found = {}
    for key, written, kinds in (
        ("cell_type", "cell_type", str),
        ("metadata", "metadata", dict),
        ("source", "source|input", (str, list)),
    ):
        for place in itertools.islice(re.finditer(rf'"(?:{written})"\s*:\s*', text), MOST_TRIED):
            try:
                value, _ = DECODER.raw_decode(text, place.end())
            except (ValueError, RecursionError):
                continue
            if isinstance(value, kinds):
                found[key] = value
                break
    return found if len(found) == 3 else None


def _cut_off(text: str) -> dict | None:
    """The cell that a cut-off JSON text began, where something of its source is whole."""
    cell = _closed(text)
    return cell if _is_cell(cell) and "source" in cell else None


def _closed(text: str):
    """The value that a cut-off JSON text began, as far as it is whole; None where nothing is."""
    opened, whole = [], None
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|"', text):
        mark = found[0]
        if mark in "{[":
            opened.append("}" if mark == "{" else "]")
        elif mark == '"':
            # a text that has no end: nothing behind it is whole
            break
        elif len(opened) > DEEPEST:  # nothing that is a cell
            return None
        elif mark == ",":
            whole = (found.start(), "".join(reversed(opened)))
        elif mark in "}]" and opened:
            opened.pop()
            whole = (found.end(), "".join(reversed(opened)))
    try:
        return DECODER.decode(text[: whole[0]] + whole[1]) if whole else None
    except (ValueError, RecursionError):
        return None
