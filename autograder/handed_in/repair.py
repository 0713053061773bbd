"""Reads the bytes of a notebook that was handed in; mends what is not JSON.

Libraries do that in a child process with limits.

The libraries (scripts.py calls them) mend damaged JSON and read scripts and web pages. Some half
megabyte that was made for it costs each of them minutes or gigabytes, so this process never calls
them. What cannot be read raises Unreadable with one sentence; what should not be read (a bomb, an
escape) raises Refused. Either way the bytes are kept (arrivals.py).
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.handed_in import scripts
from autograder.handed_in.encodings import decoded

MOST_BYTES = 100 << 20  # nbgrader's own limit for one file
MOST_FILES = 2_000
# lists, dicts and what is in them; a chapter's notebook has two thousand, one with interactive
# charts some hundred thousand
MOST_PARTS = 2_000_000
# characters that a library is given; a notebook with twenty large pictures has five million
LONGEST_MENDED = 20 << 20
# of the processor, for all that the libraries read of one submission; that notebook takes three
MOST_SECONDS = 30
MOST_MEMORY = 1 << 30  # bytes of such a child
PATIENCE = 10  # how much longer a child may take on a machine that is busy
OUTSIDE = re.compile(r'(?s)"(?:[^"\\]|\\.)*"|"')
HAND_IN = "hand in the .ipynb file itself."
OTHER_FILES = (
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"{\\rtf", "a text document"),
    (b"version https://git-lfs", "a pointer of Git LFS"),
    (b"bplist00", "a saved page"),
    (b"\0\x05\x16", "what a Mac notes about a file"),
)


class Unreadable(ValueError):
    """No notebook can be made of this; the message says why."""


class Refused(ValueError):
    """This is not opened at all: too large, or made to reach outside its folder;
    the message says which."""


class TooMuch(Refused):
    """Reading it would cost more than a submission may, and so nothing more of it is read."""


@dataclass
class Spent:
    """What reading one submission has cost so far: parts of JSON, and seconds of the libraries."""

    parts: int = 0
    seconds: float = 0.0

    def count(self, text: str) -> None:
        """Add the parts of a JSON text; TooMuch where a submission may not have so many."""
        self.parts += _parts_of(text)
        if self.parts > MOST_PARTS:
            raise TooMuch(
                f"it has more than {MOST_PARTS:,} lists, dicts and things in them, more than any "
                "notebook."
            )


@dataclass(frozen=True)
class Salvaged:
    """A notebook as a dict, and the repairs it took, one phrase each."""

    notebook: dict
    repairs: tuple[str, ...] = ()
    # its JSON was mended by guesses, so what was saved is to be said
    damaged: bool = False
    # the other side of git's conflicts, which may hold more of the answers
    other: Salvaged | None = None


def salvage(raw: bytes, name: str = "", spent: Spent | None = None) -> Salvaged:
    """The notebook in these bytes, repaired where that is possible. `name` is the file's: its
    ending says what it may be besides. `spent` counts what the submission's notebooks cost
    together; a hundred kilobytes of gzip can unpack to more than the memory holds."""
    spent = spent or Spent()
    if not raw.strip(b" \t\r\n\0"):
        raise Unreadable(
            "the file is empty." if not raw else "there is nothing but blanks in the file."
        )
    known = next((what for start, what in OTHER_FILES if raw.startswith(start)), None)
    if known:
        raise Unreadable(f"it is {known}, not the notebook; {HAND_IN}")
    text, repairs = decoded(raw)
    if "\0" in text:
        text, repairs = text.replace("\0", ""), (*repairs, "there were NUL bytes in it")
    spent.count(text)
    try:
        data = json.loads(text, strict=False)
    except RecursionError:
        raise Refused("its JSON is nested too deep.") from None
    except ValueError:
        data = None
    if isinstance(data, dict) and isinstance(data.get("cells"), list):
        return _with_cells_only(data, repairs)
    kind = scripts.kind_of(text, name)
    if kind is None:
        raise Unreadable(_instead(text, data is not None))
    first, *others = [
        _with_cells_only(found["notebook"], (*repairs, *found["repairs"]), found["damaged"])
        for found in _by_library(kind, text, spent)
    ]
    return dataclasses.replace(first, other=others[0]) if others else first


def _with_cells_only(
    notebook: dict, repairs: tuple[str, ...] = (), damaged: bool = False
) -> Salvaged:
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    if len(cells) < len(notebook["cells"]):
        strangers = len(notebook["cells"]) - len(cells)
        repairs = (*repairs, f"{strangers} things between the cells were no cells")
    return Salvaged({**notebook, "cells": cells}, repairs, damaged)


def _instead(text: str, is_json: bool) -> str:
    """What somebody handed in instead of a notebook, and what to do."""
    if is_json:
        return "the file is JSON, but has no cells of a notebook."
    if len(text) < 4096 and re.search(r"https?://", text):
        return f"it is a link, not the notebook; download what it leads to and {HAND_IN}"
    return f"it is not a notebook; {HAND_IN}"


def _by_library(kind: str, text: str, spent: Spent) -> list[dict]:
    """The notebooks that a library finds in the text, asked in a child process: it ends when the
    submission's seconds are over, and has MOST_MEMORY."""
    if len(text) > LONGEST_MENDED:
        raise TooMuch(
            f"it is damaged or no .ipynb file, and larger than {LONGEST_MENDED >> 20} MB; {HAND_IN}"
        )
    left = math.ceil(MOST_SECONDS - spent.seconds)
    # this very package, wherever the caller stands
    home = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    try:
        if left <= 0:
            raise TimeoutError
        done = subprocess.run(
            [
                sys.executable,
                "-P",
                "-W",
                "ignore",
                "-m",
                scripts.__name__,
                kind,
                str(left),
                str(MOST_MEMORY),
            ],
            input=text.encode("utf-8", "surrogatepass"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            timeout=PATIENCE * MOST_SECONDS,
        )
        ended = done.returncode
    except (TimeoutError, subprocess.TimeoutExpired):
        ended = scripts.OVER
    if ended < 0 or ended == scripts.OVER:
        raise TooMuch(
            "to read it takes more time or memory than a submission may: it is damaged or no .ipynb"
            f" file; {HAND_IN}"
        )
    if ended:
        raise RuntimeError(f"{scripts.__name__} ended with code {ended}")
    answer = done.stdout.decode("utf-8")
    spent.count(answer)
    said = json.loads(answer)
    spent.seconds += said["seconds"]
    if not said["found"]:
        raise Unreadable(said["why"])
    return said["found"]


def _parts_of(text: str) -> int:
    """About how many lists, dicts and things in them a JSON text has; signs inside its texts
    are left out only where the number would be too large."""
    count = _signs_in(text)
    if count <= MOST_PARTS:
        return count
    count = last = 0
    for found in OUTSIDE.finditer(text):
        count += _signs_in(text[last : found.start()])
        # one that has no end: all that follows is text
        last = found.end() if len(found[0]) > 1 else len(text)
        if count > MOST_PARTS or last == len(text):
            break
    return count + _signs_in(text[last:])


def _signs_in(text: str) -> int:
    return text.count("{") + text.count("[") + text.count(",")
