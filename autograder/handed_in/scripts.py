"""Reads what was handed in instead of a whole notebook, with a library for each kind.

The kinds: damaged JSON, an old notebook format, a script, a text with fenced code, a web page.

This is the program of a child process (repair.py starts it): `KIND SECONDS BYTES` are its words,
the text is its stdin, and its stdout is one JSON object. It limits its own time and memory first.
A script that jupytext wrote keeps nbgrader's marks; from anything else the answers have to be told
by the names they bind (answers.py).
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import NoReturn

OVER = 3  # the code it ends with where the memory did not suffice
LONGEST_ANSWER = 100 << 20
OURS = re.compile(r"(?m)^(?:from autograder import|import autograder)\b")
FENCE = re.compile(r"(?m)^`{3,}[ \t]*\{?(?:python|py|ipython3?|code-cell)\b")
# what nbconvert makes of text: paragraphs of comments behind the code, before the next cell
EXPORTED = re.compile(r"(?m)(?<=\n\n)((?:^#(?! In\[[ \d]*\]:).*\n+)+)(?=# In\[[ \d]*\]:$|\Z)")
CELL = re.compile(
    r'\{\s*"(?:cell_type|attachments|id|execution_count|metadata|source|outputs)"\s*:'
)
CONFLICT_MARK = re.compile(r"(?m)^(?:<{7}|\|{7}|={7}|>{7})[^\n]*\n?")
FIRST, SECOND = (
    f"git's conflict marks were in it; the {side} side was kept" for side in ("first", "second")
)


def kind_of(text: str, name: str) -> str | None:
    """What a text that is no whole notebook may be: "page", "json", "md" or "py"; None where
    no library could find an answer in it."""
    start, name = text.lstrip()[:400].lower(), name.lower()
    if start.startswith(("<!doctype html", "<html")) or name.endswith((".html", ".htm")):
        return "page" if "highlight" in text or "cell_type" in text else None
    if start.startswith(("{", "[", '"', "<<<<<<<")):
        return "json" if "cell_type" in text else None
    if OURS.search(text):
        fence = None if name.endswith(".py") else FENCE.search(text)
        return "py" if fence is None else "Rmd" if fence[0].endswith("{python") else "md"
    return "json" if '"cell_type"' in text else None


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


def found_in(kind: str, text: str) -> list[dict]:
    """The notebooks in the text: {"notebook": a dict with a list of cells, "repairs": phrases,
    "damaged": whether its JSON was mended}. Two where git's conflicts have two sides."""
    if kind == "page":
        return _of_page(text)
    if kind == "json":
        sides = [without_conflicts(text, side) for side in (0, 1)]
        if sides[0] == text:
            return _of_json(text)
        return [
            {**found, "repairs": [phrase, *found["repairs"]]}
            for side, phrase in zip(sides, (FIRST, SECOND))
            for found in _of_json(side)
        ]
    return _of_script(kind, text)


def _of_json(text: str) -> list[dict]:
    damaged = False
    try:
        data = json.loads(text, strict=False)
    except ValueError:
        data, damaged = _mended(text), True
    repairs = ["its JSON was damaged"] if damaged else []
    if isinstance(data, list):
        cells = [each for each in data if isinstance(each, dict)]
        # several notebooks in a row, or the cells themselves
        whole = next((each for each in cells if isinstance(each.get("cells"), list)), None)
        data = whole or {"cells": [each for each in cells if "cell_type" in each]}
        repairs += [] if whole else ["the list of cells had lost its frame"]
    if isinstance(data, dict) and isinstance(data.get("content"), dict):
        data = data["content"]
        repairs.append("it was wrapped in another file's frame")
    if isinstance(data, dict) and "worksheets" in data:
        import nbformat

        data = nbformat.convert(nbformat.from_dict(data), 4)
        repairs.append("it was in the notebook format of 2013")
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list) or not data["cells"]:
        return []
    return [{"notebook": data, "repairs": repairs, "damaged": damaged}]


def _mended(text: str) -> object:
    """What json-repair makes of a damaged text. It is asked for each damaged cell alone where
    cells are known by their heads: one bracket that is gone would cost it all cells behind."""
    import json_repair

    # stream_stable keeps the line ends of a cell's lines, which are stripped without it
    data = json_repair.loads(text, skip_json_loads=True, stream_stable=True)
    cells, start = [], CELL.search(text)
    while start:
        following = CELL.search(text, start.end())
        end = following.start() if following else len(text)
        try:
            cell, end = json.JSONDecoder(strict=False).raw_decode(text, start.start())
        except (ValueError, RecursionError):
            piece = text[start.start() : end]
            cell = json_repair.loads(piece, skip_json_loads=True, stream_stable=True)
            cell = cell[0] if isinstance(cell, list) and cell else cell
            # half a source at the end of the text is no answer; a whole one is followed by a key
            cut_off = end == len(text) and not text.rstrip().endswith(("}", "]"))
            if cut_off and isinstance(cell, dict) and [*cell][-1:] == ["source"]:
                break
        # without its source a damaged cell would pass for a blank one
        cells += [cell] if isinstance(cell, dict) and {"cell_type", "source"} <= {*cell} else []
        start = CELL.search(text, end)
    frame = data if isinstance(data, dict) else {}
    return {**frame, "cells": cells} if cells else data


def _of_script(kind: str, text: str) -> list[dict]:
    import jupytext

    if kind == "py" and "\n# In[" in text:
        text = EXPORTED.sub(r"# %% [markdown]\n\1", text.rstrip("\n") + "\n")
    notebook = jupytext.reads(text, kind)
    for cell in notebook.cells:
        cell.source = cell.source.strip("\n")
    what = "a Python script made of the notebook" if kind == "py" else "a text with the code in it"
    return [
        {
            "notebook": notebook,
            "repairs": [f"it was {what}, and the answers were read from that"],
            "damaged": False,
        }
    ]


def _of_page(text: str) -> list[dict]:
    """The cells of code that a page shows, as nbconvert makes it; else the notebook's JSON that
    was pasted into a platform's box."""
    from bs4 import BeautifulSoup

    # Python's own parser: bytes of strangers meet no library that is written in C
    page = BeautifulSoup(text, "html.parser")
    sources = [shown.get_text().strip("\n") for shown in page.select("div.highlight pre")]
    if not sources:
        return [
            {**found, "repairs": ["it was a web page with the notebook's text in it"]}
            for found in _of_json(page.get_text())
        ]
    how = "it was a web page made of the notebook, and the answers were read from that"
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in sources]
    return [{"notebook": {"cells": cells, "metadata": {}}, "repairs": [how], "damaged": False}]


def main(kind: str, seconds: str, most_bytes: str) -> None:
    """Answer on stdout. A signal ends it where the seconds do not suffice."""
    import resource  # not on Windows, where a class is read and not graded

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (int(most_bytes), int(most_bytes)))
    why, found = "no cells of a notebook could be read in it; hand in the .ipynb file itself.", []
    try:
        found = found_in(kind, sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
    except MemoryError:
        _over()
    except ImportError:
        # the installation's fault, not the student's
        raise
    except Exception:
        # whatever a library stumbles over
        pass
    try:
        answer = json.dumps({"found": found, "why": why, "seconds": time.process_time()})
        if len(answer) > LONGEST_ANSWER:
            _over()
        sys.stdout.write(answer)
        sys.stdout.flush()
    except MemoryError:
        _over()


def _over() -> NoReturn:
    """End at once: without memory Python's own way out fails, and its code would be another."""
    os._exit(OVER)


if __name__ == "__main__":
    main(*sys.argv[1:])
