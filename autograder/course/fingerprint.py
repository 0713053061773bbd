"""Digests the text that a question's sealed verdicts are made of.

That is its own section of the chapter's two halves and what the exercises share; in halves written
by hand, without sections, it is all but other questions' calls. Who corrects one exercise seals one
question: `python -m autograder seal 08.4`. Comments, docstrings and imports from autograder itself
belong to none: no verdict follows from them.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import tokenize
from functools import lru_cache
from pathlib import Path

from autograder.cell import sealed

SECTION = re.compile(r"^# %% (\S+)$", re.MULTILINE)


def origin(question_id: str) -> str:
    """A digest of that text; "" where questions or judges are not here,
    as on a learner's machine."""
    files = _files(question_id[:2])
    texts = [_without_others(path.read_text(encoding="utf-8"), question_id) for path in files]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16] if texts else ""


def fresh_boxes(question_id: str) -> dict | None:
    """What was sealed of a question; None where nothing was, or the question or its judge has
    changed since."""
    return _boxes_of(question_id, _stamp(question_id[:2]))


@lru_cache(maxsize=256)
def _boxes_of(question_id: str, stamp: tuple[int, ...]) -> dict | None:
    own = sealed.read(question_id[:2]).get(question_id) if stamp else None
    return own if own is not None and own.get("of") == origin(question_id) else None


def _stamp(chapter: str) -> tuple[int, ...]:
    """Another one when any file has changed that a chapter's verdicts are made of or lie in;
    () where one is missing."""
    try:
        return tuple(
            os.stat(path).st_mtime_ns
            for path in _paths(chapter, str(sealed.folder()), str(judges_folder()))
        )
    except OSError:
        return ()


def _files(chapter: str) -> list[Path]:
    *halves, _ = map(Path, _paths(chapter, str(sealed.folder()), str(judges_folder())))
    return halves if all(path.is_file() for path in halves) else []


@lru_cache(maxsize=64)
def _paths(chapter: str, boxes: str, judges: str) -> tuple[str, str, str]:
    """The questions, the judges and the sealed file of a chapter. A judge asks for their times at
    every case."""
    return (
        str(Path(boxes).parent / f"ch{chapter}.py"),
        str(Path(judges) / f"ch{chapter}.py"),
        str(Path(boxes) / f"ch{chapter}.json"),
    )


def judges_folder() -> Path:
    """Where the judges of this course lie."""
    return Path(os.environ.get("AUTOGRADER_COURSE") or Path(__file__).parent) / "judges"


@lru_cache(maxsize=512)
def _without_others(text: str, question_id: str) -> bytes:
    """The text without other questions, comments, docstrings and autograder's own imports, and
    without the blank lines that these leave."""
    text = _section(text, question_id)
    source = text.encode()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    others = [node for node in _questions_in(text) if _id_of(node) != question_id]
    spans = [
        (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )
        for node in (*others, *_no_code_in(text))
    ]
    spans += _comments_in(text)
    kept, end = [], 0
    for begin, until in sorted(spans):
        if begin >= end:
            kept.append(source[end:begin])
            end = until
    lines = b"".join([*kept, source[end:]]).splitlines()
    return b"\n".join(line.rstrip() for line in lines if line.strip())


def _section(text: str, question_id: str) -> str:
    """What a built half (halves.py) says of one question and of all; the whole text of another."""
    head, *sections = SECTION.split(text)
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    return named.get("shared", "") + named.get(question_id, "") if named else head


@lru_cache(maxsize=64)
def _no_code_in(text: str) -> tuple[ast.stmt, ...]:
    """Docstrings, and imports from autograder: a file of it may move."""
    tree = ast.parse(text)
    found: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "autograder":
            found.append(node)
        elif (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            found.append(node.body[0])
    return tuple(found)


@lru_cache(maxsize=64)
def _comments_in(text: str) -> tuple[tuple[int, int], ...]:
    """Where the comments stand, in bytes from the file's beginning."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            before = token.line[:column].encode()
            begin = starts[row - 1] + len(before)
            found.append((begin, begin + len(token.string.encode())))
    return tuple(found)


@lru_cache(maxsize=64)
def _questions_in(text: str) -> tuple[ast.Call, ...]:
    """The calls that make one question or one judge, Judge(id="08.4", ...)."""
    return tuple(
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and _id_of(node)
    )


def _id_of(call: ast.Call) -> str | None:
    """The question's id where a call makes a question or a judge; else None."""
    if not getattr(call.func, "id", "")[:1].isupper():
        return None
    named = next(
        (word.value for word in call.keywords if word.arg == "id"),
        call.args[0] if call.args else None,
    )
    value = getattr(named, "value", None)
    return value if isinstance(value, str) and re.fullmatch(r"\d\d\.\w+", value) else None
