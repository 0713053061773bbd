"""The learner's desk: notebooks/mine/, with a working copy of each chapter that nothing ever
overwrites.

`lab` fills it, `reset` gives a fresh copy and saves the old one, `pack` makes the file to hand in.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shlex
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from autograder.cell import progress
from autograder.cell.course_folder import notebooks, question_of, release_notebook, text_of
from autograder.cell.numbers import course_key_id
from autograder.cell.question import by_number

SAVED = ".saved"
STUB = re.compile(r"(?:\.\.\.|your (?:answer|code))[^\n]*\Z", re.IGNORECASE)
"""How a cell ends that nobody has answered in."""


def mine() -> Path:
    """The learner's folder."""
    return notebooks() / "mine"


def prepare_mine() -> list[str]:
    """Put a working copy of every released chapter into mine/, leaving alone what is there.
    Returns a line for each."""
    lines = []
    mine().mkdir(parents=True, exist_ok=True)
    for folder in sorted(path for path in (notebooks() / "release").iterdir() if path.is_dir()):
        own = mine() / folder.name
        if own.exists():
            lines.append(f"{folder.name}: yours, as you left it")
        else:
            _copy_whole(folder, own)
            lines.append(f"{folder.name}: a fresh copy")
    return lines


def reset(chapter: str) -> str:
    """Give a chapter, or "myths", back as it was handed out; the learner's copy moves to
    mine/.saved/. Returns a sentence."""
    folder = release_notebook(chapter).parent
    own = mine() / folder.name
    saved = None
    if own.exists():
        saved = mine() / SAVED / f"{folder.name}-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
        saved.parent.mkdir(parents=True, exist_ok=True)
        os.rename(own, saved)
    _copy_whole(folder, own)
    return f"{own} is fresh." + (f" Your old copy is in {saved}." if saved else "")


def pack(chapter: str, out: Path | None = None) -> str:
    """Make the file to hand in: the learner's notebook without outputs, with their name in its
    metadata. Returns what to say; ValueError, with a sentence, for a chapter without questions.

    The receipt code is the beginning of the file's SHA-256: the teacher's receipts hold the whole
    of it.
    """
    release = release_notebook(chapter)
    name = release.stem
    path = mine() / name / f"{name}.ipynb"
    if not path.exists():
        raise FileNotFoundError(
            2, "There is no such notebook; `python -m autograder lab` makes your copy", str(path)
        )
    notebook = _whole(path)
    asked = {name: text for name, (text, answer) in _cells(_whole(release)).items() if answer}
    if not asked:
        raise ValueError(f"Chapter {chapter} asks nothing, so there is nothing to hand in.")
    left = _blank(notebook, asked)
    elsewhere = _answered_elsewhere(path, left, asked)
    if elsewhere and len(left) == len(asked):
        other, _ = elsewhere[0]
        raise ValueError(
            f"{path} has no answers, and {other} has some, so nothing was packed. Copy that file"
            f" over this one: cp {shlex.quote(str(other))} {shlex.quote(str(path))}"
        )
    student = _student_in(notebook)
    metadata = notebook["metadata"] = _dict_in(notebook, "metadata")
    metadata["autograder"] = {
        **_dict_in(metadata, "autograder"),
        "student": student,
        "course_key": _key_in(notebook),
        "tries": _tries_of(chapter),
    }
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "code":
            cell.update(outputs=[], execution_count=None)
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    # half a character, which no file can hold as it is
    if re.search("[\ud800-\udfff]", text):
        text = json.dumps(notebook, indent=1, sort_keys=True) + "\n"
    out = out or mine() / f"{name}-{student or 'nobody'}.ipynb"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    code = hashlib.sha256(text.encode()).hexdigest()[:12]
    unsaid = (
        ""
        if student
        else 'It has no name: write me("your id") in its first cell, run it, save, and pack'
        " again.\n"
    )
    told = f"\nNot answered yet: {', '.join(map(_named, left))}." if left else ""
    for other, answered in elsewhere:
        told += f"\n{other} has an answer to {', '.join(map(_named, answered))}; it was not packed."
    return (
        f"Hand in {out}\n{unsaid}Receipt code: "
        f"{'-'.join(code[index : index + 4] for index in (0, 4, 8))}{told}\n"
        "Your teacher can see in it how often you checked each answer."
    )


def _named(grade_id: str) -> str:
    return question_of(grade_id) or grade_id


def _blank(notebook: dict, asked: dict[str, str]) -> list[str]:
    """Which cells of a notebook nobody has answered in: they are as they were handed out. Where
    somebody has answered in the copy that was handed out, they end as such a cell does."""
    own = _cells(notebook)
    return [
        name
        for name, text in asked.items()
        if name in own
        and (STUB.search(own[name][0]) or not own[name][0])
        and (own[name][0] == text or not STUB.search(text))
    ]


def _answered_elsewhere(
    path: Path, left: list[str], asked: dict[str, str]
) -> list[tuple[Path, list[str]]]:
    """(another copy of the chapter, which of the cells that are blank here it has answered)."""
    found = []
    course = notebooks()
    copies = {*course.rglob(f"{path.stem}*.ipynb"), *course.parent.glob(f"{path.stem}*.ipynb")}
    for other in sorted(copies - {path}) if left else ():
        try:
            notebook = _whole(other)
        except (OSError, ValueError):
            continue  # no notebook any more; nobody has named it
        own = _cells(notebook)
        blank = _blank(notebook, asked)
        answered = [name for name in left if name in own and name not in blank and own[name][0]]
        if answered and ".ipynb_checkpoints" not in other.parts:
            found.append((other, answered))
    return found


def _tries_of(chapter: str) -> dict[str, int]:
    """How often each question of a chapter was checked, as the learner's progress has it."""
    kept = progress.read(mine() / "progress.json")["questions"]
    return {
        question: entry["tries"]
        for question, entry in sorted(kept.items(), key=lambda each: by_number(each[0]))
        if question[:2] == chapter and isinstance(entry, dict) and type(entry.get("tries")) is int
    }


def _whole(path: Path) -> dict:
    """The notebook in a file; ValueError, with a sentence, where it is none any more."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        notebook = None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise ValueError(
            f"{path} is not a whole notebook any more; open and save it in JupyterLab, then pack "
            "again."
        )
    return notebook


def _student_in(notebook: dict) -> str:
    """The literal of the first me("...") call that has one, as the learner has it now;
    "" for nobody."""
    for cell in notebook["cells"]:
        try:
            tree = (
                ast.parse(re.sub(r"(?m)^[ \t]*[%!].*$", "", text_of(cell)))
                if cell.get("cell_type") == "code"
                else ast.Module([], [])
            )
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        for call in ast.walk(tree):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id == "me"
            ):
                said = next(
                    (
                        each.value
                        for each in (*call.args, *(word.value for word in call.keywords))
                        if isinstance(each, ast.Constant)
                    ),
                    "",
                )
                if said and isinstance(said, str):
                    return said
    return ""


def _key_in(notebook: dict) -> str:
    """The id of the course key that me("...") printed when the learner ran it last, else of the one
    that is here."""
    for cell in reversed(notebook["cells"]):
        for output in cell["outputs"] if isinstance(cell.get("outputs"), list) else ():
            text = output.get("text") if isinstance(output, dict) else None
            text = "".join(map(str, text)) if isinstance(text, list) else str(text)
            if found := re.match(r"Hello, [^\n]{1,80} Course key: ([0-9a-f]{8})\.", text):
                return found[1]
    return course_key_id()


def _cells(notebook: dict) -> dict[str, tuple[str, bool]]:
    """Of each cell of an exercise, by grade_id, its text and whether a learner answers in it; of
    two with one grade_id the last."""
    marks = [_dict_in(_dict_in(cell, "metadata"), "nbgrader") for cell in notebook["cells"]]
    return {
        str(mark["grade_id"]): (text_of(cell).strip(), bool(mark.get("solution")))
        for mark, cell in zip(marks, notebook["cells"])
        if question_of(str(mark.get("grade_id")))
    }


def _dict_in(thing: dict, key: str) -> dict:
    return thing[key] if isinstance(thing.get(key), dict) else {}


def _copy_whole(source: Path, target: Path) -> None:
    """Copy a folder so that `target` is there whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".draft", dir=target.parent))
    shutil.copytree(source, draft / target.name)
    os.rename(draft / target.name, target)
    draft.rmdir()
