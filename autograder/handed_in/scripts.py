"""Notebooks that were handed in as something else: as a Python script, a web page or a text with
fenced code.

Their cells come back without marks, so the answers have to be told by the names they bind
(answers.py); a script written by jupytext even keeps the marks. The learner's text is in a script's
comments; a web page has it only as it was shown.
"""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from dataclasses import dataclass
from html.parser import HTMLParser

CELL = re.compile(r"""(?mx)^(?:\#[ ]?%%(?P<header>.*) | \#[ ]In\[[ \d]*\]:.* | \#[ ]<codecell> | (?P<text>\#[ ]<markdowncell>)
    | \#[ ]\+(?P<light>[ ].*)? | (?P<end>\#[ ]-) | (?P<bricks>\#[ ]COMMAND[ ]-{10}) | @app\.(?:cell|function)\b.*)[ \t]*$""")  # noqa: E501
MARKS = re.compile(r"nbgrader=(\{[^{}]*\})")
# in Python's text of a notebook; each costs ten times what it costs in JSON
MOST_PARTS = 200_000
LONGEST_TEXT = 4 << 20  # characters of a script or a text; a chapter has fifty thousand
OURS = re.compile(r"(?m)^(?:from autograder import|import autograder)\b")
PROMPT = re.compile(r"(?m)^In ?\[[ \d]*\]: ?")
CONTINUED = re.compile(r"(?m)^[ \t]*\.\.\.:? ?")
ANSWERED = re.compile(r"(?ms)^Out ?\[[ \d]*\]:.*?(?=^In ?\[|\Z)")
STRING = re.compile(r'(?s)"""(.*?)"""|"(?:[^"\\\n]|\\.)*"?|#[^\n]*')
IS_TEXT = re.compile(r"\[(?:markdown|md)\]|^\s*(?:markdown|md)\s*$")
FENCED = re.compile(r"""(?msx)^`{3,}[ \t]*(?P<header>\{?(?:python|py|ipython3?|code-cell)\b[^\n]*)\n(?P<code>.*?)^`{3}[^\n]*
    | ^<!--[ ]\#region(?P<region>[^\n]*)-->[ \t]*$ | ^<!--[ ]\#endregion[ ]-->[ \t]*$ | ^\+\+\+[ \t]*(?P<next>\{[^\n]*\})?[ \t]*$""")  # noqa: E501
MYST_HEAD = re.compile(r"(?s)\A(?:---\n(.*?\n)---\n|((?::[\w-]+:[^\n]*\n)+))")


@dataclass(frozen=True)
class Foreign:
    """The notebook in it, or its JSON, and a phrase that says what it was."""

    notebook: dict | list | str
    how: str


def notebook(text: str, name: str = "") -> Foreign | None:
    """The notebook in a text that is not JSON; None where none is to be found."""
    start, name = text.lstrip()[:400].lower(), name.lower()
    if start.startswith(("{'", "[{'", '{"cells": [{\'')):
        return _of_repr(text)
    if start.startswith(("{", "[", '"', "<<<<<<<")):
        return None
    if start.startswith(("<!doctype html", "<html")) or name.endswith((".html", ".htm")):
        cells, written = _of_page(text)
        if cells:
            return Foreign(
                _as_notebook(cells),
                "it was a web page made of the notebook, and the answers were read from that",
            )
        return (
            Foreign(written, "it was a web page with the notebook's text in it")
            if "cell_type" in written
            else None
        )
    if len(text) > LONGEST_TEXT:
        return None
    if not name.endswith(".py") and FENCED.search(text):
        return Foreign(
            _as_notebook(_of_markdown(text)),
            "it was a text with the code in it, and the answers were read from that",
        )
    if len(PROMPT.findall(text)) > 1:
        text = PROMPT.sub("# %%\n", CONTINUED.sub("", ANSWERED.sub("", text)))
    if CELL.search(text) or OURS.search(text) or name.endswith(".py"):
        return Foreign(
            _as_notebook(_of_script(text)),
            "it was a Python script made of the notebook, and the answers were read from that",
        )
    return None


def _of_repr(text: str) -> Foreign | None:
    """str(notebook) instead of json.dumps(notebook)."""
    if text.count("{") + text.count("[") + text.count(",") > MOST_PARTS:
        return None
    try:
        data = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return (
        Foreign(data, "it was Python's text of a notebook, not JSON")
        if isinstance(data, (dict, list))
        else None
    )


def _of_script(text: str) -> list[tuple[str, str, dict]]:
    """The cells of a script: between the marks of the tool that wrote it, and of a script
    without marks its texts and what is between."""
    cells, start, kind, marks = [], 0, "code", {}
    for found in (*CELL.finditer(text), None):
        source = text[start : found.start() if found else len(text)].strip("\n")
        cells += [
            (each, written, marks if each == kind else {})
            for each, written in _parts(kind, source)
            if written.strip()
        ]
        if found:
            header = found["header"] or found["light"] or ""
            kind, start = (
                "markdown" if IS_TEXT.search(header) or found["text"] else "code",
                found.end(),
            )
            marks = _marks_in(header)
    return cells


def _parts(kind: str, source: str) -> list[tuple[str, str]]:
    """What stands between two marks: a text; code; code with texts around and between,
    as comments or as strings of their own."""
    if kind == "markdown" or source.lstrip().startswith("# MAGIC %md"):
        return [("markdown", _uncommented(re.sub(r"(?m)^# MAGIC(?: %md)?[ ]?", "# ", source)))]
    source = re.sub(r"(?m)^# MAGIC(?: %python$)? ?", "", source)
    if source.lstrip().startswith("def _("):
        source = _body_of(source)
        shown = re.fullmatch(r'(?s)\s*mo\.md\([rf]*"""(.*)"""\)\s*', source)
        return [("markdown", shown[1].strip())] if shown else [("code", source)]
    return [
        part
        for between, text in _with_strings(source)
        for part in [*_with_comments(between), ("markdown", text)]
    ]


def _body_of(source: str) -> str:
    """A cell as marimo writes it: what stands in the function, without what it returns."""
    _head, _, body = source.partition(":\n")
    kept = list(
        itertools.takewhile(lambda line: not re.match(r"    return\b", line), body.splitlines())
    )
    return textwrap.dedent("\n".join(kept)).strip("\n")


def _with_strings(source: str) -> list[tuple[str, str]]:
    """(code, the text behind it) ...: strings that are statements of their own are texts,
    as Colab and Spyder write them."""
    found, done = [], 0
    for string in STRING.finditer(source):
        alone = source[string.start() - 1 : string.start()] in ("", "\n") and source[
            string.end() : string.end() + 1
        ] in ("", "\n")
        # jupytext's sphinx puts an empty one between two cells of code
        if alone and (string[1] is not None or string[0] == '""'):
            found.append((source[done : string.start()].strip("\n"), (string[1] or "").strip()))
            done = string.end()
    return [*found, (source[done:].strip("\n"), "")]


def _with_comments(source: str) -> list[tuple[str, str]]:
    """Paragraphs of comments before and behind the code are text:
    so nbconvert writes it, and jupytext."""
    paragraphs = re.split(r"\n[ \t]*\n+", source)
    said = [
        all(line.startswith("#") for line in paragraph.splitlines()) for paragraph in paragraphs
    ]
    if all(said):
        return [("markdown", _uncommented(source))]
    first, last = said.index(False), len(said) - said[::-1].index(False)
    return [
        ("markdown", _uncommented("\n\n".join(paragraphs[:first]))),
        ("code", "\n\n".join(paragraphs[first:last])),
        ("markdown", _uncommented("\n\n".join(paragraphs[last:]))),
    ]


def _uncommented(source: str) -> str:
    lines = (
        line.removeprefix("#").removeprefix(" ")
        for line in source.splitlines()
        if not re.fullmatch("#{20,}", line)
    )
    return "\n".join(lines).strip().strip('"').strip()


def _of_markdown(text: str) -> list[tuple[str, str, dict]]:
    """The cells of a text with code in fences: what stands between them is text,
    and jupytext's comments tell where one ends."""
    cells, done, marks = [], 0, {}
    for found in (*FENCED.finditer(text), None):
        between = text[done : found.start() if found else len(text)].strip()
        if between:
            cells.append(("markdown", between, marks))
        if found is None:
            break
        done, marks = found.end(), {}
        if found["code"] is not None:
            head = MYST_HEAD.match(found["code"])
            grade_id = re.search(r"grade_id[\"']?: *[\"']?([\w-]+)", head[0]) if head else None
            own = (
                {"nbgrader": {"grade_id": grade_id[1]}} if grade_id else _marks_in(found["header"])
            )
            cells.append(
                ("code", (found["code"][head.end() :] if head else found["code"]).rstrip("\n"), own)
            )
        else:
            marks = _marks_in(
                found["region"] or (found["next"] or "").replace('"nbgrader": ', "nbgrader=")
            )
    return cells


def _marks_in(header: str) -> dict:
    """nbgrader's marks as jupytext writes them: in JSON, or for R in Python's spelling."""
    found = MARKS.search(header)
    try:
        marks = (
            ast.literal_eval(
                re.sub(
                    r"\b(?:true|false|null)\b",
                    lambda word: {"true": "True", "false": "False"}.get(word[0], "None"),
                    found[1],
                )
            )
            if found
            else {}
        )
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        marks = {}
    return {"nbgrader": marks} if isinstance(marks, dict) and marks else {}


def _of_page(text: str) -> tuple[list[tuple[str, str, dict]], str]:
    """The cells of code that a page shows, and all that is written on it."""
    page = _Page()
    page.feed(text)
    return [("code", source.strip("\n"), {}) for source in page.sources if source.strip()], "".join(
        page.written
    )


class _Page(HTMLParser):
    """Collects what stands in <pre> inside an element of class highlight:
    nbconvert's way to show a cell's source."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.sources: list[str] = []
        self.written: list[str] = []
        # those that are open, and whether they show code
        self._divs: list[bool] = []
        self._shown = 0  # how many of them do
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
        self.written.append(data)
        if self._inside:
            self.sources[-1] += data


def _as_notebook(cells: list[tuple[str, str, dict]]) -> dict:
    return {
        "cells": [
            {"cell_type": kind, "metadata": marks, "source": source}
            for kind, source, marks in cells
        ],
        "metadata": {},
    }
