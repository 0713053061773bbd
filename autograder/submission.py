"""From a file somebody handed in to a submission that can be run: which chapter, whose, which answers, and what was mended."""
from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from autograder.assignment import Taken, chapter_of, is_student, student_of, take_answers
from autograder.masters import NoMaster, master, released
from autograder.salvage import Refused, Salvaged, Unreadable, notebooks_of, salvage

GRADED, REPAIRED, PARTIAL, UNREADABLE, REFUSED = "graded", "repaired", "partial", "unreadable", "refused"


@dataclass(frozen=True)
class Submission:
    """One submission of one chapter, ready to run, or with the reason why it cannot be."""

    name: str                              # the file's or folder's name; with the chapter behind it where one file holds several
    path: Path
    sha256: str
    student: str                           # whose it is, for the gradebook
    variant: str = ""                      # whose numbers the notebook showed; "" is nobody, number 0
    chapter: str | None = None
    answers: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    status: str = GRADED
    reason: str = ""

    @property
    def can_run(self) -> bool:
        return self.status not in (UNREADABLE, REFUSED)


@dataclass(frozen=True)
class Roster:
    """The class list: a CSV file with a column `student` (or `id`), and others such as name, first_name, last_name, email, file."""

    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def student_behind(self, stem: str) -> str | None:
        """The student whose name, e-mail or file a file is named after."""
        wanted = _plainly(stem)
        for student, row in self.rows.items():
            names = {row.get("name", ""), row.get("email", ""), row.get("file", "").removesuffix(".ipynb"),
                     f"{row.get('first_name', '')} {row.get('last_name', '')}", f"{row.get('last_name', '')} {row.get('first_name', '')}"}
            if wanted and wanted in {_plainly(name) for name in names}:
                return student
        return None


def read_roster(path: Path) -> Roster:
    """Read a class list; ValueError, with a sentence, when it has no column of ids."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [{(key or "").strip().lower(): (value or "").strip() for key, value in row.items() if isinstance(value, str)}
                for row in csv.DictReader(file)]
    column = next((name for name in ("student", "id", "student_id", "username", "identifier") if rows and name in rows[0]), None)
    if column is None:
        raise ValueError(f"{path.name} has no column named student or id.")
    return Roster({row[column]: row for row in rows if is_student(row[column])})


def entries(folder: Path, ignore: tuple[Path, ...] = ()) -> list[Path]:
    """What was handed in: the folder's entries, apart from hidden ones and the class's own papers."""
    ignored = {path.resolve() for path in ignore}
    return [path for path in sorted(folder.iterdir())
            if not path.name.startswith((".", "__")) and path.suffix.lower() not in (".csv", ".json", ".jsonl", ".md", ".log")
            and path.resolve() not in ignored]


def read(path: Path, roster: Roster = Roster(), asked: str | None = None) -> list[Submission]:
    """The submissions in one file or folder: one for each chapter found in it, or one that says why there is none.

    `asked` is the only chapter wanted, if one was named.
    """
    path = path if path.name not in ("", "..") else path.resolve()        # "." has no name of its own
    stem = path.stem if path.is_file() else path.name
    nobody = Submission(path.name, path, "", _student(stem, "", "", "", roster))
    try:
        found = notebooks_of(path)
    except Refused as refused:
        return [_stopped(nobody, REFUSED, refused)]
    except Unreadable as unreadable:
        return [_stopped(nobody, UNREADABLE, unreadable)]
    except OSError as error:
        return [_stopped(nobody, UNREADABLE, f"the file could not be read: {error.strerror}.")]
    nobody = Submission(path.name, path, _sha256(found), nobody.student)
    candidates, refusals = _by_chapter(found, asked)
    if not candidates:
        status, why = refusals[0] if refusals else (UNREADABLE, "there are no answer cells of any chapter in it.")
        return [_stopped(nobody, status, why)]
    return [_submission(nobody, stem, chapter, notebooks, roster, alone=len(candidates) == 1)
            for chapter, notebooks in sorted(candidates.items())]


def _by_chapter(found, asked) -> tuple[dict[str, list[tuple[str, Salvaged]]], list[tuple[str, str]]]:
    known = released()
    candidates: dict[str, list[tuple[str, Salvaged]]] = {}
    refusals: list[tuple[str, str]] = []
    for name, raw in found:
        try:
            salvaged = salvage(raw)
        except (Unreadable, Refused) as why:
            refusals.append((REFUSED if isinstance(why, Refused) else UNREADABLE, str(why)))
            continue
        chapter = chapter_of(salvaged.notebook) or _by_its_looks(salvaged.notebook, asked, known)
        if chapter is None:
            refusals.append((UNREADABLE, "there are no answer cells of any chapter in it."))
        elif chapter not in known:
            refusals.append((UNREADABLE, f"it answers chapter {chapter}, which this course has no notebook of."))
        elif asked and chapter != asked:
            refusals.append((REFUSED, f"it answers chapter {chapter}; chapter {asked} was asked for."))
        else:
            candidates.setdefault(chapter, []).append((name, salvaged))
    return candidates, refusals


def _by_its_looks(notebook: dict, asked: str | None, known: tuple[str, ...]) -> str | None:
    """The chapter of a notebook that lost all its marks: the one whose answers can be told by the names they bind."""
    best, most = None, 0
    for chapter in (asked,) if asked in known else known:
        count = len(take_answers(master(chapter), notebook).answers)
        if count > most:
            best, most = chapter, count
    return best


def _submission(nobody: Submission, stem: str, chapter: str, notebooks, roster: Roster, alone: bool) -> Submission:
    try:
        own = master(chapter)
    except NoMaster as missing:
        return _stopped(nobody, UNREADABLE, missing)
    taken = [(name, salvaged, take_answers(own, salvaged.notebook)) for name, salvaged in notebooks]
    name, salvaged, best = max(taken, key=lambda each: (_written(own, each[2]), each[0]))
    variant = student_of(salvaged.notebook)
    repairs = salvaged.repairs + best.repairs
    if len(taken) > 1:
        repairs += (f"there were {len(taken)} notebooks of this chapter; {name} counts",)
    status = PARTIAL if best.missing else REPAIRED if repairs else GRADED
    plural = ("s", "are") if len(best.missing) > 1 else ("", "is")
    gone = (f"the answer cell{plural[0]} of {' and '.join(best.missing)} {plural[1]} gone",) if best.missing else ()
    return Submission(
        nobody.name if alone else f"{nobody.name}/{own.name}", nobody.path, nobody.sha256,
        _student(stem, variant, own.name, nobody.sha256, roster), variant, chapter, best.answers, best.missing, status,
        "; ".join(gone + repairs) + "." if gone or repairs else "")


def _written(own, taken: Taken) -> int:
    return sum(1 for cell in own.cells if cell.question and taken.answers.get(cell.question, cell.source).strip() != cell.source.strip())


def _student(stem: str, variant: str, assignment: str, sha256: str, roster: Roster) -> str:
    """Who it is: the notebook's own word, else the file's stem, else whom the roster names so."""
    if variant:
        return variant
    if stem in roster.rows:
        return stem
    behind = roster.student_behind(stem)
    if behind:
        return behind
    tokens = set(re.split(r"[_\s().-]+", stem)) & roster.rows.keys()     # "s012_90_demo (1)", as many platforms name files
    if len(tokens) == 1:
        return tokens.pop()
    safe = "".join(letter if letter.isalnum() or letter in "_.@-" else "_" for letter in stem).lstrip("._@-")[:64]
    return safe if is_student(safe) and safe != assignment else f"nobody-{sha256[:6] or 'at-all'}"


def _stopped(nobody: Submission, status: str, why) -> Submission:
    return Submission(nobody.name, nobody.path, nobody.sha256, nobody.student, status=status, reason=str(why))


def _sha256(found: list[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, raw in found:
        digest.update(f"{name}\0{len(raw)}\0".encode())
        digest.update(raw)
    return digest.hexdigest()


def _plainly(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
