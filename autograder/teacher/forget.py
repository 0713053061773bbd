"""Lists what is kept of one student, and deletes it.

A student who leaves the course may ask for that, and so may somebody who was never in it.

    python -m autograder forget OUT s123             # what there is; nothing is deleted
    python -m autograder forget OUT s123 --apply     # the same, deleted

Taken away are rows and files of OUT: marks, comments, notebooks, pages, copies of what was handed
in, receipts, what the answers said, the student's line of the class list and every line of a log
that names them. The report has names in it, so it is deleted whole and written again by `report`.
What lies outside OUT (the folder of submissions, a table that was exported, a copy for safety) is
not ours to know.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from autograder.gradebook import students
from autograder.gradebook.erase import erase, rows_of_student
from autograder.gradebook.files import while_nobody_grades, write_atomically
from autograder.gradebook.late import EXTENSIONS
from autograder.grading import out_folder
from autograder.grading.results import as_json
from autograder.written.answers import token_of


@dataclass(frozen=True)
class Kept:
    """One kind of thing kept of a student: how many, their name, and what deletes them."""

    count: int
    what: str
    delete: Callable[[], None]


def forget(out: Path, student: str, apply: bool = False) -> str:
    """Say what OUT keeps of a student, or with `apply` delete it.
    LookupError, with a sentence, where it keeps nothing."""
    if not out.is_dir():
        raise LookupError(f"There is no folder {out}.")
    with while_nobody_grades(out) if apply else contextlib.nullcontext():
        found = [kept for kept in _everything(out, student) if kept.count]
        if not found:
            raise LookupError(
                f"{out} keeps nothing of {student}; `python -m autograder report "
                f"{quote(str(out))}` lists whom it knows."
            )
        for kept in found if apply else ():
            kept.delete()
    lines = [
        f"{'Deleted' if apply else 'Kept'} of {student} in {out}:",
        *(f"  {kept.count} {kept.what}" for kept in found),
    ]
    if apply:
        lines.append(
            "Delete what they handed in from the folder of submissions too, or the next `grade` "
            "takes it in again. Tables that were exported, the mail and your copies of this folder "
            "are yours to clear."
        )
    else:
        lines.append(
            f"Nothing was deleted: `python -m autograder forget {quote(str(out))} {quote(student)} "
            "--apply` does it, and there is no way back."
        )
    return "\n".join(lines)


def _everything(out: Path, student: str) -> list[Kept]:
    """In the order in which it is deleted: last what the others are found by,
    so that a run cut off is done again whole."""
    mine = [path for path in (out / "results").glob("*.json") if _whose(path) == student]
    now = {
        (entry.submission.name, entry.submission.sha256): entry.submission.student
        for entry in out_folder.read(out).values()
    }

    # a class list named later may have found somebody else behind a file
    def whose(line: dict) -> str:
        return now.get((line["submission"], line["sha256"]), line["student"])

    lines = _lines(out / "receipts.jsonl")
    copies = (
        {line["sha256"] for line in lines if whose(line) == student}
        - {line["sha256"] for line in lines if whose(line) != student}
        - {""}
    )
    folders = [out / "received" / sha256[:2] / sha256 for sha256 in copies]
    return [
        _files("notebooks for formgrader", _named(out, ("autograded", "submitted"), student)),
        _files("folders of feedback", _named(out, ("feedback", "feedback_generated"), student)),
        _files("copies of what was handed in", [path for path in folders if path.exists()]),
        _files(
            "records of what the answers said",
            [path for each in mine if (path := out / "heard" / f"{each.stem}.json.gz").exists()],
        ),
        _in_json(out / "results.json", "results shown", lambda _, row: row["student"] == student),
        _in_json(
            out / out_folder.FILE,
            "entries in the list of what was graded",
            lambda _, row: row["submission"]["student"] == student,
        ),
        _in_json(out / students.FILE, "lines of the class list", lambda name, _: name == student),
        _before_a_run(out / out_folder.UNFINISHED, student),
        _extensions(out / EXTENSIONS, student),
        _reviews(out / "review.jsonl", student),
        _regrades(out / "regrades.jsonl", student),
        Kept(
            rows_of_student(out, student),
            "rows of the gradebook",
            lambda: erase(out, student),
        ),
        _files("results", mine),
        _lines_away(out / "receipts.jsonl", "receipts", lambda line: whose(line) == student),
        _files(
            "report, with everybody's names (`report --page` writes it again)",
            [path for path in (out / "report",) if path.is_dir() and mine],
        ),
    ]


def _named(out: Path, folders: tuple[str, ...], student: str) -> list[Path]:
    """What bears the student's name in these folders. It is looked for among what is there: a
    name put behind a path may be "", ".." or another path."""
    return [
        path
        for folder in folders
        if (out / folder).is_dir()
        for path in (out / folder).iterdir()
        if path.name == student
    ]


def _files(what: str, paths: list[Path]) -> Kept:
    def delete():
        for path in paths:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    return Kept(len(paths), what, delete)


def _in_json(path: Path, what: str, theirs: Callable[[str, dict], bool]) -> Kept:
    rows = _read(path)
    rest = {name: row for name, row in rows.items() if not theirs(name, row)}
    return Kept(len(rows) - len(rest), what, lambda: write_atomically(path, as_json(rest.items())))


def _read(path: Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError:
        raise ValueError(
            f"{path} cannot be read, so nothing was deleted; put a copy of it back, or take it "
            "away and grade the class again."
        ) from None


def _before_a_run(path: Path, student: str) -> Kept:
    """The student's marks before a run that has not come to its end."""
    rows = json.loads(path.read_text(encoding="utf-8") or "[]") if path.is_file() else []
    rest = [row for row in rows if row[0] != student]
    return Kept(
        len(rows) - len(rest),
        "marks from before a run that did not end",
        lambda: write_atomically(path, json.dumps(rest)),
    )


def _extensions(path: Path, student: str) -> Kept:
    rows = _read(path)
    rest = {
        assignment: {who: until for who, until in own.items() if who != student}
        for assignment, own in rows.items()
    }
    return Kept(
        sum(student in own for own in rows.values()),
        "extensions",
        lambda: write_atomically(path, json.dumps(rest, ensure_ascii=False, indent=1) + "\n"),
    )


def _reviews(path: Path, student: str) -> Kept:
    """Looks at the student's answers. A look that marked several answers of the same words stays,
    without this one."""

    def rest(line: dict) -> dict | None:
        token = token_of(student, line["question"])
        if line["token"] == token:
            return None
        return (
            {**line, "rows": [row for row in line["rows"] if row["token"] != token]}
            if "rows" in line
            else line
        )

    return _lines_changed(path, "lines of the log of review", rest)


def _regrades(path: Path, student: str) -> Kept:
    return _lines_changed(
        path,
        "lines of the log of regrading",
        lambda line: {
            **line,
            "changes": [change for change in line["changes"] if change["student"] != student],
        },
    )


def _lines_away(path: Path, what: str, theirs: Callable[[dict], bool]) -> Kept:
    return _lines_changed(path, what, lambda line: None if theirs(line) else line)


def _lines_changed(path: Path, what: str, changed: Callable[[dict], dict | None]) -> Kept:
    before = _lines(path)
    after = [(line, changed(line)) for line in before]
    text = "".join(
        json.dumps(line, ensure_ascii=False) + "\n" for _, line in after if line is not None
    )
    return Kept(sum(line != now for line, now in after), what, lambda: write_atomically(path, text))


def _lines(path: Path) -> list[dict]:
    found = []
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        # somebody's editor was here; the readers of these logs pass such lines by, too
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def _whose(path: Path) -> str | None:
    try:
        return json.loads(path.read_text(encoding="utf-8")).get("student")
    except (OSError, ValueError):
        return None
