"""Find the answers in a notebook that was handed in, whatever has happened to it since it was given
out.

An answer cell carries a grade_id; the cell that has it is the answer. But editors split cells and
copy them, tools drop what they do not know, and people write into the cell below. So an answer is
what the notebook itself would give to the locked cell under it: all pieces with its mark, and cells
added between the two that bind its names; without a mark, the cells that bind its names; an open
answer without a mark, the text between the cells that were around it.

Every repair is named. What only somebody does who wants points for nothing, such as editing a
locked cell, is flagged too; it changes nothing, for locked cells and points are the master's.
"""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass

from autograder.cell.course_folder import question_of, text_of
from autograder.cell.question import find
from autograder.course.masters import Master, MasterCell
from autograder.handed_in.needs import (
    LONGEST_CELL,
    fills,
    is_python,
    looked_up_later,
    names_of,
)
from autograder.handed_in.scripts import without_conflicts

QUESTION = re.compile(r"\b\d\d\.[A-Za-z0-9]+")
FENCE = re.compile(r"(?ms)^(`{3,}|~{3,})[^`\n]*\n(.*?)\n?^\1")
SAYS_KEY = re.compile(r"^Hello, [^\n]{1,80} Course key: ([0-9a-f]{8})\.")
ME = re.compile(
    r"""(?m)^[^#"'\n]*?(?<![\w.])me[ \t]*\(\s*(?:student\s*=\s*)?(["'])([^"'\n]{0,200})\1\s*\)"""
)


@dataclass(frozen=True)
class Extra:
    """A code cell that the learner added, or a given one that the learner changed.

    It comes after the master's cell `after` (-1: at the top).
    """

    after: int
    source: str


@dataclass(frozen=True)
class Taken:
    """Holds what was found in a submitted notebook.

    That is the answers, the repairs they needed, the questions whose cell is gone, the cells the
    learner added, and what was done that should not have been.
    """

    answers: dict[str, str]
    repairs: tuple[str, ...]
    missing: tuple[str, ...]
    extras: tuple[Extra, ...] = ()
    flags: tuple[str, ...] = ()


def take_answers(master: Master, notebook: dict) -> Taken:
    """Find each question's answer; see above for how."""
    found = _Found(master, notebook)
    answers, repairs, missing = {}, [], []
    for own in (cell for cell in master.cells if cell.question):
        text, told = found.open_answer(own) if own.kind == "open" else found.answer(own)
        repairs += told
        if text is None:
            missing.append(own.question)
        else:
            answers[own.question] = text
    again, flags = _locked(master, found)
    return Taken(answers, _folded(repairs) + again, tuple(missing), found.extras(), flags)


def _folded(repairs: list[str]) -> tuple[str, ...]:
    """What was done to several questions, in one phrase:
    "the cell of 03.1 and 03.2 had lost its mark"."""
    found: dict[str, list[str]] = {}
    for repair in repairs:
        question = QUESTION.search(repair)
        found.setdefault(QUESTION.sub("{}", repair, count=1), []).append(
            question[0] if question else ""
        )
    return tuple(
        phrase.format(" and ".join(dict.fromkeys(questions))) for phrase, questions in found.items()
    )


def chapter_of(notebook: dict) -> str | None:
    """The chapter a submitted notebook answers: the one most of its grade_ids speak of,
    whatever the file is called."""
    votes = [
        question[:2] for cell in notebook["cells"] if (question := question_of(grade_id_of(cell)))
    ]
    return max(sorted(set(votes)), key=votes.count) if votes else None


def student_of(notebook: dict) -> str:
    """Who says they wrote it: metadata.autograder.student, else the literal in the first
    me("...") call that has an id; "" for nobody."""
    metadata = notebook.get("metadata")
    packed = metadata.get("autograder") if isinstance(metadata, dict) else None
    named = packed.get("student") if isinstance(packed, dict) else None
    return named if is_student(named) else student_called(notebook)


def student_called(notebook: dict) -> str:
    """The literal in the first me("...") call that has an id; "" for nobody."""
    for cell in [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"] or notebook[
        "cells"
    ]:
        for called in ME.finditer(without_odd_letters(text_of(cell))):
            if is_student(called[2].strip()):
                return called[2].strip()
    return ""


def course_key_of(notebook: dict) -> str:
    """The id of the course key that the notebook's numbers were drawn with: what me("...") printed
    last, else what `release` or `pack` wrote into its metadata; "" where nothing says it."""
    for cell in reversed(notebook["cells"]):
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, dict) and (found := SAYS_KEY.search(as_shown(output))):
                return found[1]
    metadata = notebook.get("metadata")
    packed = metadata.get("autograder") if isinstance(metadata, dict) else None
    named = packed.get("course_key") if isinstance(packed, dict) else None
    return named if isinstance(named, str) and re.fullmatch(r"[0-9a-f]{8}", named) else ""


def as_shown(output: dict) -> str:
    """The text of an output, as a reader sees it."""
    data = output.get("data")
    text = output.get("text", data.get("text/plain", "") if isinstance(data, dict) else "")
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def is_student(name) -> bool:
    """Whether a text can be a student's id, and safely a folder's name."""
    return isinstance(name, str) and re.fullmatch(r"[^\W_][\w.@-]{0,63}", name) is not None


def grade_id_of(cell: dict) -> str:
    """A cell's grade_id, "" where it has none."""
    grade_id = nbgrader_marks(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) else ""


class _Found:
    """A submitted notebook's cells, laid against the master's."""

    def __init__(self, master: Master, notebook: dict):
        self.master, self.cells = master, notebook["cells"]
        self.texts = [without_odd_letters(text_of(cell)) for cell in self.cells]
        # the master's cell each of theirs is, None for one they added
        self.of_master = self._laid_against()
        self.by_index: dict[int, list[int]] = {}
        for place, index in enumerate(self.of_master):
            if index is not None:
                self.by_index.setdefault(index, []).append(place)

    def _laid_against(self) -> list[int | None]:
        """By its mark, else by its text; of the master's cells with one
        text the next in the notebook's order."""
        own = {cell.grade_id: cell.index for cell in self.master.cells if cell.grade_id}
        given: dict[str, list[int]] = {}
        for cell in self.master.cells:
            if cell.source.strip():
                given.setdefault(_plain(cell.source), []).append(cell.index)
        found, last = [], -1
        for cell, text in zip(self.cells, self.texts):
            marked = grade_id_of(cell)
            alike = [] if marked else given.get(_plain(text), [])
            index = (
                own.get(marked)
                if marked
                else next((index for index in alike if index > last), alike[-1] if alike else None)
            )
            last = last if index is None else max(last, index)
            found.append(index)
        return found

    def answer(self, own: MasterCell) -> tuple[str | None, list[str]]:
        """The source of a question's answer cell, and the repairs."""
        names = set(find(own.question).answers)
        marked, written, told = self._marked(own, "code")
        source = [self._code(place, own, told) for place in written]
        if len(marked) > 1:
            text, how = (
                _one_of(source, names)
                if source
                else (self._code(marked[-1], own, told), "the last one written in counts")
            )
            told.append(f"there were {len(marked)} cells for {own.question}; {how}")
        else:
            text = source[0] if source else None
        if marked:
            text = self._with_neighbours(own, names, text, marked[-1], told)
        if text is not None and (not names or names_of(text).binds & names or not is_python(text)):
            return text, told
        elsewhere = self._elsewhere(own, names)
        if elsewhere is not None and marked:
            return elsewhere, [*told, f"the answer to {own.question} was in another cell"]
        if elsewhere is not None:
            return elsewhere, [
                f"the cell of {own.question} had lost its mark and was known by its names"
            ]
        if text is None and (left := marked or self.by_index.get(own.index)):
            text = self.texts[left[-1]]
        return text, told

    def _marked(self, own: MasterCell, kind: str) -> tuple[list[int], list[int], list[str]]:
        """The places of the cells with a question's mark, those of them that somebody wrote in, and
        the repairs."""
        marked = [
            place
            for place in self.by_index.get(own.index, ())
            if grade_id_of(self.cells[place]) == own.grade_id
        ]
        written = [place for place in marked if self._is_written(place, own)]
        is_changed = any(self._kind(place) != kind for place in marked)
        return marked, written, [f"the cell of {own.question} had changed its type"] * is_changed

    def open_answer(self, own: MasterCell) -> tuple[str | None, list[str]]:
        """The text of an open question's cell, and the repairs."""
        marked, written, told = self._marked(own, "markdown")
        if len(marked) > 1:
            told.append(
                f"there were {len(marked)} cells for {own.question}; the last one written in counts"
            )
        if written:
            return self.texts[written[-1]], told
        beside = self._texts_around(own, marked)
        if beside:
            where = (
                "was in the cell below"
                if marked
                else "had lost its mark and was known by its place"
            )
            return "\n\n".join(beside), [*told, f"the text of {own.question} {where}"]
        above = self._texts_above(marked[0]) if marked else []
        if above:
            return "\n\n".join(above), [
                *told,
                f"the text of {own.question} was in the cell above",
            ]
        return (self.texts[marked[-1]] if marked else None), told

    def extras(self) -> tuple[Extra, ...]:
        """Code cells that are not the master's, each with the master's cell before it."""
        found, after = [], -1
        for place, index in enumerate(self.of_master):
            if index is not None:
                after = max(after, index)
            elif (
                self._kind(place) == "code"
                and self.texts[place].strip()
                and is_python(self.texts[place])
            ):
                found.append(Extra(after, self.texts[place]))
        return tuple(found)

    def _kind(self, place: int):
        return self.cells[place].get("cell_type")

    def _is_written(self, place: int, own: MasterCell) -> bool:
        return bool(self.texts[place].strip()) and _plain(self.texts[place]) != _plain(own.source)

    def _fenced(self, place: int) -> list[str]:
        """The code in a text cell's fences."""
        text = self.texts[place]
        return (
            [found[2] for found in FENCE.finditer(text)]
            if self._kind(place) != "code" and len(text) <= LONGEST_CELL
            else []
        )

    def _code(self, place: int, own: MasterCell, told: list[str]) -> str:
        """A cell's text as code: without git's marks,
        and of a text cell with fences only what is in them."""
        text = self.texts[place]
        if fenced := self._fenced(place):
            text = "\n".join(fenced)
        sides = [without_conflicts(text, side) for side in (0, 1)]
        if sides[0] == text:
            return text
        names = set(find(own.question).answers)
        answered = [
            names <= names_of(side).binds and _plain(side) != _plain(own.source) for side in sides
        ]
        kept = 1 if answered == [False, True] else 0
        told.append(
            f"git's conflict marks were in the cell of {own.question}; the "
            f"{('first', 'second')[kept]} side was kept"
        )
        return sides[kept]

    def _with_neighbours(
        self, own: MasterCell, names: set[str], text: str | None, last: int, told: list[str]
    ) -> str | None:
        """The answer with the cells added between it and the next cell
        of the master's that belong to it."""

        def unmarked(places):
            for place in places:
                if self.of_master[place] is not None:
                    return
                if self.texts[place].strip() and (
                    self._kind(place) == "code" or self._fenced(place)
                ):
                    yield place

        pieces = [text] if text is not None else []
        # helpers of a cell that comes later, or that a function of the answer calls
        helpers: list[str] = []
        for place in unmarked(range(last + 1, len(self.cells))):
            below = self._code(place, own, told)
            torn = (
                pieces
                and not (is_python(pieces[-1]) and is_python(below))
                and is_python("\n".join([*pieces, below]))
            )
            above = "\n".join([*pieces, *helpers])
            if torn or (is_python(below) and (names_of(below).binds | fills(below, above)) & names):
                helping = _helping(helpers, names_of(below).reads)
                pieces += [*helping, below]
                helpers = [each for each in helpers if each not in helping]
            elif is_python(below):
                helpers.append(below)
        pieces += _helping(helpers, looked_up_later("\n".join(pieces)))
        if text is None and names_of("\n".join(pieces)).reads & names:
            # the cell as it was handed out binds what a cell below fills
            pieces.insert(0, own.source)
        if len(pieces) > 1 or (pieces and text is None):
            told.append(f"what was added below the cell of {own.question} was read with it")
        whole = "\n".join(pieces) if pieces else None
        if whole is not None and is_python(whole):
            places = unmarked(range(self._first(own) - 1, -1, -1))
            bound = frozenset().union(*(names_of(self.texts[place]).binds for place in places))
            above = sorted(bound & names - names_of(whole).binds)
            if above:
                told.append(f"what was added above the cell of {own.question} was read with it")
                # the cell above runs once and in its own place, for the answer reads the name
                whole = "\n".join([whole, *(f"{name} = {name}" for name in above)])
        return whole

    def _first(self, own: MasterCell) -> int:
        return self.by_index[own.index][0]

    def _elsewhere(self, own: MasterCell, names: set[str]) -> str | None:
        """The last cell, or cells in a row, without a mark or with another answer's,
        that bind all the names of this answer."""
        if not names:
            return None
        others = {
            cell.index
            for cell in self.master.cells
            if cell.kind == "answer"
            and cell.index != own.index
            and not names <= set(find(cell.question).answers)
        }
        fixed = {_plain(cell.source) for cell in self.master.cells}
        pieces, torn = [], ""
        for place, text in enumerate(self.texts):
            free = self.of_master[place] is None or self.of_master[place] in others
            if not free or self._kind(place) == "markdown" or _plain(text) in fixed:
                torn = ""
                continue
            if torn and is_python(f"{torn}\n{text}"):
                text = f"{torn}\n{text}"
            torn = "" if is_python(text) else text
            if (names_of(text).binds | (fills(text) if pieces else frozenset())) & names:
                pieces.append(text)
        whole = [text for text in pieces if names <= names_of(text).binds]
        if whole:
            return whole[-1]
        joined = "\n".join(pieces)
        return joined if pieces and names <= names_of(joined).binds else None

    def _texts_around(self, own: MasterCell, marked: list[int]) -> list[str]:
        """The learner's markdown from this cell's place to the next cell that is the master's."""
        if marked:
            start = marked[-1] + 1
        else:
            before = [
                self.by_index[index][-1]
                for index in range(own.index - 1, -1, -1)
                if index in self.by_index
            ]
            if not before:
                return []
            start = before[0] + 1
        return self._said_in(range(start, len(self.cells)))

    def _texts_above(self, first: int) -> list[str]:
        return self._said_in(range(first - 1, -1, -1))[::-1]

    def _said_in(self, places: range) -> list[str]:
        """What the learner says in words in the cells they added there,
        up to the next cell that is the master's."""
        added = itertools.takewhile(lambda place: self.of_master[place] is None, places)
        return [
            said
            for place in added
            if (
                said := _words(self.texts[place])
                if self._kind(place) == "code"
                else self._below_the_given(self.texts[place])
            )
        ]

    def _below_the_given(self, text: str) -> str:
        """What somebody wrote into a text cell of the master's, without the master's words."""
        given = (_plain(cell.source) for cell in self.master.cells if cell.kind == "text")
        above = max((each for each in given if text.startswith(each)), key=len, default="")
        return text[len(above) :].strip()


def _words(text: str) -> str:
    """The words in a cell of code that holds nothing else:
    comments, a text in quotes, or words that are no code."""
    lines = text.strip().splitlines()
    if all(line.startswith("#") for line in lines):
        return "\n".join(line.lstrip("#").removeprefix(" ") for line in lines).strip()
    try:
        said = ast.literal_eval(text.strip()) if len(text) <= LONGEST_CELL else ""
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return "" if is_python(text) else text.strip()
    return said.strip() if isinstance(said, str) else ""


def _one_of(sources: list[str], names: set[str]) -> tuple[str, str]:
    """Of several written copies the one that counts,
    or all of them where they are pieces of one answer."""
    joined = "\n".join(sources)
    complete = [text for text in sources if is_python(text) and names <= names_of(text).binds]
    earlier = frozenset().union(*(names_of(text).binds for text in sources[:-1]))
    if (
        complete
        and complete[-1] is sources[-1]
        and not names_of(sources[-1]).reads & earlier - names
    ):
        return sources[-1], "the last one written in counts"
    if is_python(joined) and names <= names_of(joined).binds:
        return joined, "its pieces were put together"
    return (complete or sources)[-1], "the last whole one counts"


def _locked(master: Master, found: _Found) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(repairs, flags) of the locked cells."""
    repairs, flags = [], []
    tests = [cell for cell in master.cells if cell.kind == "test"]
    places = {cell.index: found.by_index.get(cell.index, []) for cell in tests}
    lost = [
        cell
        for cell in tests
        if not any(found.texts[place].strip() for place in places[cell.index])
    ]
    if lost:
        repairs.append(
            f"{len(lost)} locked cell{'s were' if len(lost) > 1 else ' was'} deleted and put back"
        )
    if any(len(own) > 1 for own in places.values()):
        repairs.append("locked cells were doubled")
    edited = [
        cell
        for cell in tests
        if any(
            _plain(found.texts[place]) not in ("", _plain(cell.source))
            for place in places[cell.index]
        )
    ]
    if edited:
        flags.append(f"the locked cell of {_list(edited)} was edited and put back")
    marked = [
        cell
        for cell in master.cells
        if cell.grade_id
        and any(
            _marks_changed(nbgrader_marks(found.cells[place]), cell)
            for place in found.by_index.get(cell.index, ())
        )
    ]
    if marked:
        flags.append(f"nbgrader's marks on the cell of {_list(marked)} were edited and put back")
    known = {cell.grade_id for cell in master.cells if cell.grade_id}
    if any(
        nbgrader_marks(cell).get("grade") is True
        and grade_id_of(cell)
        and grade_id_of(cell) not in known
        for cell in found.cells
    ):
        flags.append("there was a graded cell that nobody handed out")
    return (*repairs, *flags), tuple(flags)


def _marks_changed(marks: dict, cell: MasterCell) -> bool:
    """Points, or what kind of cell it is, other than those handed out.
    A tool that drops keys changes nothing by that."""
    if not marks:
        return False
    said = {
        "points": cell.points,
        "locked": cell.kind == "test",
        "solution": cell.kind != "test",
        "grade": cell.kind != "answer",
    }
    said["task"] = False
    if cell.kind == "answer":
        del said["points"]
    marks = {**marks, "points": _number(marks["points"])} if "points" in marks else marks
    return any(key in marks and marks[key] != value for key, value in said.items()) or marks.get(
        "schema_version", 3
    ) not in (1, 2, 3)


def _number(points):
    """Points that nbgrader's first schema kept as a text."""
    try:
        return float(points) if isinstance(points, str) else points
    except ValueError:
        return points


def _list(cells: list[MasterCell]) -> str:
    return " and ".join(
        dict.fromkeys(question_of(cell.grade_id) or cell.grade_id for cell in cells)
    )


def nbgrader_marks(cell: dict) -> dict:
    """nbgrader's marks on a cell, {} where it has none."""
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return marks if isinstance(marks, dict) else {}


def without_odd_letters(text: str) -> str:
    """A cell's text as any editor would show it: one kind of line end, no NUL,
    no half of a surrogate pair."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _helping(cells: list[str], wanted: frozenset[str]) -> list[str]:
    """Those of the cells that bind one of the wanted names, or what such a cell reads."""
    found: list[str] = []
    for source in reversed(cells):
        names = names_of(source)
        if names.binds & wanted:
            found.insert(0, source)
            wanted |= names.reads
    return found


def _plain(text: str) -> str:
    """A text without what editors change by themselves:
    blanks at the ends of lines, empty lines around."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()
