"""Notebooks that were handed in as something else: as a Python script, a web page or a text with fenced code.

Their cells come back without marks, so the answers have to be told by the names they bind (taking.py); a script written by
jupytext even keeps the marks. The learner's text is in a script's comments; a web page has it only as it was shown.
"""
from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser

CELL = re.compile(r"(?m)^# (?:%%(?P<header>.*)|In\[[ \d]*\]:.*|<codecell>|(?P<text><markdowncell>))\s*$")
MARKS = re.compile(r"nbgrader=(\{.*\})")
MOST_PARTS = 200_000               # in Python's text of a notebook; each costs ten times what it costs in JSON
FENCED = re.compile(r"(?ms)^```\s*\{?(?:python|py|ipython3?)\b[^\n]*\n(.*?)^```")


@dataclass(frozen=True)
class Foreign:
    """The notebook in it, and a phrase that says what it was."""

    notebook: dict
    how: str


def notebook(text: str, name: str = "") -> Foreign | None:
    """The notebook in a text that is not JSON; None where none is to be found."""
    start, name = text.lstrip()[:400].lower(), name.lower()
    if start.startswith(("{'", "{\"cells\": [{'")):
        return _of_repr(text)
    if start.startswith(("{", "[", "\"", "<<<<<<<")):
        return None
    if start.startswith(("<!doctype html", "<html")) or name.endswith((".html", ".htm")):
        cells = _of_page(text)
        return Foreign(_as_notebook(cells), "it was a web page made of the notebook, and the answers were read from that") if cells else None
    fenced = FENCED.findall(text)
    if fenced and not name.endswith(".py"):
        return Foreign(_as_notebook([("code", source, {}) for source in fenced]), "it was a text with the code in it, and the answers were read from that")
    if CELL.search(text) or name.endswith(".py"):
        return Foreign(_as_notebook(_of_script(text)), "it was a Python script made of the notebook, and the answers were read from that")
    return None


def _of_repr(text: str) -> Foreign | None:
    """str(notebook) instead of json.dumps(notebook)."""
    if text.count("{") + text.count("[") + text.count(",") > MOST_PARTS:
        return None
    try:
        data = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return Foreign(data, "it was Python's text of a notebook, not JSON") if isinstance(data, dict) else None


def _of_script(text: str) -> list[tuple[str, str, dict]]:
    cells, start, kind, marks = [], 0, "code", {}
    for found in (*CELL.finditer(text), None):
        source = text[start:found.start() if found else len(text)].strip("\n")
        if kind == "markdown":
            source = "\n".join(line.removeprefix("#").removeprefix(" ") for line in source.splitlines()).strip().strip('"').strip()
        if source.strip():
            cells.append((kind, source, marks))
        if found:
            header = found["header"] or ""
            kind, start = "markdown" if "[markdown]" in header or found["text"] else "code", found.end()
            marks = _marks_in(header)
    return cells


def _marks_in(header: str) -> dict:
    found = MARKS.search(header)
    try:
        marks = json.JSONDecoder().raw_decode(found[1])[0] if found else {}
    except ValueError:
        marks = {}
    return {"nbgrader": marks} if isinstance(marks, dict) and marks else {}


def _of_page(text: str) -> list[tuple[str, str, dict]]:
    page = _Page()
    page.feed(text)
    return [("code", source.strip("\n"), {}) for source in page.sources if source.strip()]


class _Page(HTMLParser):
    """Collects what stands in <pre> inside an element of class highlight: nbconvert's way to show a cell's source."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.sources: list[str] = []
        self._divs: list[bool] = []                      # those that are open, and whether they show code
        self._shown = 0                                  # how many of them do
        self._inside = False

    def handle_starttag(self, tag, attributes):
        if tag == "div":
            self._divs.append("highlight" in (dict(attributes).get("class") or "").split())
            self._shown += self._divs[-1]
        elif tag == "pre" and self._shown:
            self._inside = True
            self.sources.append("")

    def handle_endtag(self, tag):
        if tag == "div" and self._divs:
            self._shown -= self._divs.pop()
        elif tag == "pre":
            self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.sources[-1] += data


def _as_notebook(cells: list[tuple[str, str, dict]]) -> dict:
    return {"cells": [{"cell_type": kind, "metadata": marks, "source": source} for kind, source, marks in cells], "metadata": {}}
