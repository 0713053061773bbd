"""Turns a file that was handed in into a submission that can be run.

It finds the chapter, the student, the answers, and says what was mended.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.cell.course_folder import NoMaster, released, text_of
from autograder.cell.data import one_line
from autograder.cell.numbers import course_key_id, key_with_id
from autograder.course.masters import Master, master
from autograder.handed_in.archives import notebooks_in
from autograder.handed_in.arrivals import Arrival, arrive
from autograder.handed_in.assignment import (
    Extra,
    Taken,
    chapter_of,
    course_key_of,
    grade_id_of,
    is_student,
    student_of,
    take_answers,
)
from autograder.handed_in.classlist import Roster, participant_of
from autograder.handed_in.concerns import Concern
from autograder.handed_in.needs import LONGEST_CELL, work_of_magic
from autograder.handed_in.repair import Refused, Salvaged, Spent, TooMuch, Unreadable, salvage
from autograder.handed_in.tampering import tampered

GRADED = "graded"
REPAIRED = "repaired"
PARTIAL = "partial"
UNREADABLE = "unreadable"
REFUSED = "refused"
MOST_CELLS, MOST_CODE = 2_000, 2_000_000
# characters of cells that are not too long to be read, in all notebooks together; a chapter has
# twenty thousand
MOST_COMPILED = 1_000_000
# characters that IPython reads to translate magic, ten microseconds each: every such line makes it
# read its whole cell again
MOST_MAGIC = 300_000
# the class's own, unless they are named after a student
TYPED = re.compile(r"_\d+_assignsubmission_onlinetext")  # Moodle: an answer in its own editor
PAPERS = (".csv", ".json", ".jsonl", ".md", ".log", ".ini", ".db")


@dataclass(frozen=True)
class Submission:
    """One submission of one chapter, ready to run, or with the reason why it cannot be.

    `extras` are cells the learner added; an answer may need one. `flags` say what had been done to
    the notebook that nobody does who only answers: a locked cell or its points edited, somebody
    else's name.
    """

    # the file's or folder's name; with the chapter behind it where one file holds several
    name: str
    path: Path
    sha256: str
    student: str  # whose it is, for the gradebook
    # whose numbers the notebook showed; "" is nobody, number 0
    variant: str = ""
    chapter: str | None = None
    answers: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    status: str = GRADED
    reason: str = ""
    # the reason without what names somebody else, where that is another text
    for_student: str | None = None
    extras: tuple[Extra, ...] = ()
    flags: tuple[str, ...] = ()
    # the same as codes, for programs
    concerns: tuple[Concern, ...] = ()
    key: str = (
        ""  # the id of the course key of its numbers, where that is not the class's and is known
    )
    # the SHA-256 of the one notebook that is graded; `sha256` is that of all that came with it
    notebook: str = ""
    taken: str = ""  # where that notebook lies in what was handed in

    @property
    def own_sha256(self) -> str:
        """The SHA-256 of the chapter's own notebook, or of the whole where none could be read."""
        return self.notebook or self.sha256

    @property
    def can_run(self) -> bool:
        return self.status not in (UNREADABLE, REFUSED)

    def without_answers(self) -> Submission:
        """What is needed to find it again and to talk about it: ten thousand of these are small."""
        return dataclasses.replace(self, answers={}, extras=())

    def as_plain(self) -> dict:
        """Plain data, for another process."""
        return {**dataclasses.asdict(self), "path": str(self.path)}

    @classmethod
    def from_plain(cls, data: dict) -> Submission:
        """The submission that `as_plain` made this of."""
        return cls(
            **{
                **data,
                "path": Path(data["path"]),
                "missing": tuple(data["missing"]),
                "flags": tuple(data["flags"]),
                "concerns": tuple(map(Concern, data["concerns"])),
                "extras": tuple(Extra(**extra) for extra in data["extras"]),
            }
        )


def entries(folder: Path, ignore: tuple[Path, ...] = (), roster: Roster = Roster()) -> list[Path]:
    """What was handed in: the folder's entries, apart from hidden ones, the class's own papers, and
    what somebody typed into Moodle beside the file they handed in."""
    # realpath, for it does not mind a link that points at itself
    ignored = {os.path.realpath(path) for path in ignore}
    inside = sorted(folder.iterdir())
    in_files = {participant_of(path.name) for path in inside if not TYPED.search(path.name)}
    return [
        path
        for path in inside
        if not path.name.startswith((".", "__"))
        and not (TYPED.search(path.name) and participant_of(path.name) in in_files)
        and path.name != "Thumbs.db"
        and os.path.realpath(path) not in ignored
        and not (path.suffix.lower() in PAPERS and not _handed_in(path, roster))
    ]


def read(path: Path, roster: Roster = Roster(), asked: str | None = None) -> list[Submission]:
    """The submissions in one file or folder: one for each chapter found in it, or one that says why
    there is none.

    `asked` is the only chapter wanted, if one was named.
    """
    return of(arrive(path), roster, asked)


def of(arrival: Arrival, roster: Roster = Roster(), asked: str | None = None) -> list[Submission]:
    """The submissions in what arrived, as `read` returns them."""
    nobody = Submission(
        arrival.name,
        arrival.path,
        arrival.sha256,
        _student(arrival.stem, "", "", arrival.sha256, roster),
    )
    if arrival.trouble is not None:
        return [_stopped(nobody, arrival.trouble)]
    try:
        candidates, refusals = _by_chapter(arrival, asked)
        # the same name, whichever chapter was asked for
        alone = len(candidates) == 1
        if asked and candidates.keys() - {asked}:
            refusals = [
                Refused(f"it answers chapter {chapter}; chapter {asked} was asked for.")
                for chapter in sorted(candidates.keys() - {asked})
            ]
            candidates = {asked: candidates[asked]} if asked in candidates else {}
        if not candidates:
            return [
                _stopped(
                    nobody,
                    refusals[0]
                    if refusals
                    else Unreadable("there are no answer cells of any chapter in it."),
                )
            ]
        return [
            _submission(nobody, arrival.stem, chapter, notebooks, roster, alone)
            for chapter, notebooks in sorted(candidates.items())
        ]
    except Exception as failed:
        # a notebook we have not thought of must not stop a class
        return [
            _stopped(
                nobody,
                Unreadable(
                    f"reading it failed with {type(failed).__name__}; this is the autograder's "
                    "fault, not the student's."
                ),
            )
        ]


def _handed_in(path: Path, roster: Roster) -> bool:
    """Whether a paper is a submission after all: a notebook by another name,
    or a file that is named after a student."""
    if path.is_dir() or roster.student_behind(path.stem):
        return True
    signs = {".json": (b'"cells"', b'"nbformat'), ".md": (b"from autograder import",)}.get(
        path.suffix.lower()
    )
    if not signs or path.is_symlink():
        return False
    try:
        with open(path, "rb") as file:
            start = file.read(1 << 16)
    except OSError:
        return False
    return any(sign in start for sign in signs)


class _Notebook(NamedTuple):
    """A notebook that was found in what was handed in, or one side of it."""

    name: str
    salvaged: Salvaged
    sha256: str
    file: str  # the file or archive that holds it

    @property
    def place(self) -> tuple[str, str, str]:
        """What tells it from the others; its two sides have one place."""
        return self.file, self.name, self.sha256


def _by_chapter(
    arrival: Arrival, asked
) -> tuple[dict[str, list[_Notebook]], list[Unreadable | Refused]]:
    known = released()
    candidates: dict[str, list[_Notebook]] = {}
    refusals: list[Unreadable | Refused] = []
    # what this submission has cost so far
    spent, unpacked, code, magic = Spent(), 0, 0, 0
    for file, raw in arrival.files:
        try:
            inside = notebooks_in(file, raw, unpacked)
            unpacked += sum(len(each) for _, each in inside)
        except TooMuch as why:
            return {}, [why]
        except (Unreadable, Refused) as why:
            refusals.append(why)
            continue
        for name, raw in inside:
            try:
                salvaged = salvage(raw, name, spent)
                for side in filter(None, (salvaged, salvaged.other)):
                    code, magic = _with_code_of(side.notebook["cells"], code, magic)
            except TooMuch as why:
                return {}, [why]
            except (Unreadable, Refused) as why:
                refusals.append(why)
                continue
            chapter = chapter_of(salvaged.notebook) or _by_its_looks(
                salvaged.notebook, asked, known
            )
            if chapter is None and _is_the_myth_court(salvaged.notebook):
                refusals.append(
                    Refused("it is the notebook of the myth court, which has no marks.")
                )
            elif chapter is None:
                refusals.append(Unreadable("there are no answer cells of any chapter in it."))
            elif chapter not in known:
                refusals.append(
                    Unreadable(
                        f"it answers chapter {chapter}, which this course has no notebook of."
                    )
                )
            else:
                own = hashlib.sha256(raw).hexdigest()
                for side in filter(None, (salvaged, salvaged.other)):
                    candidates.setdefault(chapter, []).append(_Notebook(name, side, own, file))
    return candidates, refusals


def _is_the_myth_court(notebook: dict) -> bool:
    return any("autograder.learner.court" in text_of(cell) for cell in notebook["cells"])


def _with_code_of(cells: list[dict], code: int, magic: int) -> tuple[int, int]:
    """How much code a submission has with these cells, and work with magic in it. TooMuch where the
    teacher's machine would be busy for minutes, only to read it."""
    if len(cells) > MOST_CELLS:
        raise Refused(f"it has {len(cells):,} cells, more than anybody writes.")
    own = sum(len(text_of(cell)) for cell in cells if cell.get("cell_type") == "code")
    if own > MOST_CODE:
        raise Refused(f"it has {own:,} characters of code, more than anybody writes.")
    written = [
        text
        for cell in cells
        if cell.get("cell_type") != "markdown" or grade_id_of(cell)
        if len(text := text_of(cell)) <= LONGEST_CELL
    ]
    code += sum(map(len, written))
    magic += sum(map(work_of_magic, written))
    if code > MOST_COMPILED:
        raise TooMuch(f"it has {code:,} characters of code, more than anybody writes.")
    if magic > MOST_MAGIC:
        raise TooMuch("it has more lines of magic, with % or !, than anybody writes.")
    return code, magic


def _by_its_looks(notebook: dict, asked: str | None, known: tuple[str, ...]) -> str | None:
    """The chapter of a notebook that lost all its marks:
    the one whose answers can be told by the names they bind."""
    best, most = None, 0
    for chapter in (asked,) if asked in known else known:
        own = master(chapter)
        count = len(own.answer_cells) and len(take_answers(own, notebook).answers)
        if count > most:
            best, most = chapter, count
    return best


def _submission(
    nobody: Submission,
    stem: str,
    chapter: str,
    notebooks: list[_Notebook],
    roster: Roster,
    alone: bool,
) -> Submission:
    try:
        own = master(chapter)
    except NoMaster as missing:
        return _stopped(nobody, Unreadable(str(missing)))
    taken = [(each, take_answers(own, each.salvaged.notebook)) for each in notebooks]
    # of two sides the first
    found, best = max(taken, key=lambda each: (len(_answered(own, each[1])), _standing(each[0])))
    name, salvaged, sha256, file = found
    said = student_of(salvaged.notebook)
    student, variant, naming = _whose(stem, said, own.name, nobody.sha256, roster)
    naming += _of_several(notebooks, name, roster)
    named = course_key_of(salvaged.notebook) if variant and variant == said else ""
    foreign = _of_another_key(named)
    tampering = tampered(
        own,
        salvaged.notebook,
        best.answers,
        variant if variant == said else "",
        named,
        roster.spelled,
    )
    flags = foreign + tampering.flags
    naming += tampering.naming
    concerns = {
        Concern.NAMES_ANOTHER: naming,
        Concern.CHANGED: best.flags + tampering.flags,
        Concern.ANOTHER_KEY: foreign,
    }
    saved = _saved(own, salvaged, best) if salvaged.damaged else ()
    repairs = salvaged.repairs + saved + best.repairs
    repairs += _which_counts(own, taken, found)
    status = PARTIAL if best.missing else REPAIRED if repairs else GRADED
    plural = ("s", "are") if len(best.missing) > 1 else ("", "is")
    gone = (
        (f"the answer cell{plural[0]} of {' and '.join(best.missing)} {plural[1]} gone",)
        if best.missing
        else ()
    )
    told = gone + repairs + flags
    whole = gone + repairs + naming + flags
    return Submission(
        nobody.name if alone else f"{nobody.name}/{own.name}",
        nobody.path,
        nobody.sha256,
        student,
        variant,
        chapter,
        best.answers,
        best.missing,
        status,
        _in_a_line(whole),
        _in_a_line(told) if naming else None,
        best.extras,
        best.flags + naming + flags,
        tuple(concern for concern, found in concerns.items() if found),
        named if named and named != course_key_id() and key_with_id(named) else "",
        sha256,
        file,
    )


def _standing(found: _Notebook) -> tuple[int, str, str]:
    """Of notebooks with as many answers the one in the fewest folders counts, then the one whose
    name comes last."""
    return -found.name.count("/"), found.name, found.file


def _which_counts(
    own: Master, taken: list[tuple[_Notebook, Taken]], counts: _Notebook
) -> tuple[str, ...]:
    """Of several notebooks of one chapter: which one counts, and why."""
    places = {each.place for each, _ in taken}
    if len(places) < 2:
        return ()
    most = max(len(_answered(own, its)) for _, its in taken)
    rivals = [
        each
        for each, its in taken
        if each.place != counts.place and len(_answered(own, its)) == most
    ]
    if len({sha256 for *_, sha256 in places}) == 1:
        why = "they are all the same bytes"
    elif not rivals:
        why = "it has the most answers"
    elif all(_standing(each)[0] < _standing(counts)[0] for each in rivals):
        why = "no other has more answers, and those with as many lie deeper in folders"
    else:
        why = "the others have no more answers and their names come before it"
    where = f" in {counts.file}" if len({file for file, *_ in places}) > 1 else ""
    shown = counts.name + where * (counts.file != counts.name)
    return (f"there were {len(places)} notebooks of this chapter; {shown} counts, for {why}",)


def _in_a_line(notes: tuple[str, ...]) -> str:
    return one_line("; ".join(notes) + ".") if notes else ""


def _of_another_key(named: str) -> tuple[str, ...]:
    """The flag of a notebook whose numbers were drawn with another course key than the class's."""
    if not named or named == course_key_id():
        return ()
    if key_with_id(named):
        return (
            (
                f"its numbers are from the public demo key ({named}) and not from this course's key"
                f" ({course_key_id()}): it was judged by the numbers that it shows, and anybody can"
                " work those out, so give this student the package of your course"
            ),
        )
    return (
        (
            f"its numbers are from another course key ({named}) than this course's"
            f" ({course_key_id()}): it was judged by this course's numbers, so a right answer may"
            " have no points; give this student the package of your course, or grade with the"
            " secret that theirs was released with"
        ),
    )


def _of_several(notebooks: list[_Notebook], counts: str, roster: Roster) -> tuple[str, ...]:
    """The flag of a folder or an archive that is a whole class's: one of its notebooks counts,
    and nobody may be lost in silence."""
    said = {
        student_of(salvaged.notebook)
        or roster.student_behind(Path(name).parts[0].partition(".")[0])
        or ""
        for name, salvaged, *_ in notebooks
    }
    people = sorted({roster.spelled(each) or each for each in said} - {""})
    if len(people) < 2:
        return ()
    shown = ", ".join(people[:3]) + (f" and {len(people) - 3} more" if len(people) > 3 else "")
    return (
        (
            f"its notebooks name {shown}, and only {counts} was graded: a folder or archive is one "
            "student's, so give each of them one of their own"
        ),
    )


def _saved(own: Master, salvaged: Salvaged, taken: Taken) -> tuple[str, ...]:
    """What was read of a damaged notebook, for nobody can say what was lost."""
    answered = _answered(own, taken)
    return (
        f"{len(salvaged.notebook['cells'])} cells could be read, with "
        + (f"answers to {' and '.join(answered)}" if answered else "no answer in them"),
    )


def _answered(own: Master, taken: Taken) -> list[str]:
    return [
        cell.question
        for cell in own.cells
        if cell.question
        and taken.answers.get(cell.question, cell.source).strip() != cell.source.strip()
    ]


def _whose(
    stem: str, said: str, assignment: str, sha256: str, roster: Roster
) -> tuple[str, str, tuple[str, ...]]:
    """(student, whose numbers, flags). What the notebook says of itself is believed, unless the
    class list knows the file to be somebody else's: then it is theirs, and judged by their own
    numbers."""
    behind = roster.student_behind(stem)
    listed = roster.spelled(said) if said else None
    if behind and listed and behind != listed:
        return (
            behind,
            behind,
            (
                (
                    f"the notebook names {said}, but {behind} handed it in, and {behind}'s numbers "
                    "count"
                ),
            ),
        )
    if behind and said and not listed:
        return behind, said, ()
    return listed or _student(stem, said, assignment, sha256, roster), said, ()


def _student(stem: str, said: str, assignment: str, sha256: str, roster: Roster) -> str:
    """Who it is: the notebook's own word, else whom the roster names so, else the file's stem."""
    if said:
        return said
    behind = roster.student_behind(stem)
    if behind:
        return behind
    safe = "".join(
        letter if letter.isalnum() or letter in "_.@-" else "_" for letter in stem
    ).lstrip("._@-")[:64]
    return safe if is_student(safe) and safe != assignment else f"nobody-{sha256[:6] or 'at-all'}"


def _stopped(nobody: Submission, why: Unreadable | Refused) -> Submission:
    return dataclasses.replace(
        nobody,
        status=REFUSED if isinstance(why, Refused) else UNREADABLE,
        reason=one_line(str(why)),
    )
