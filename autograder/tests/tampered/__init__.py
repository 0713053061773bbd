"""Tampered notebooks: what somebody does to a notebook who wants points, or another's work, for
their own. Each is made from an honest notebook of chapter 03 that was run from top to bottom.

`told` says whether a flag must name it. What may be an accident, or changes nothing that grading
reads, is no flag; such a notebook gets the points of its answers, as all of them do.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass

from autograder.cell.course_folder import text_of
from autograder.cell.numbers import course_key_id, numbers_for
from autograder.cell.question import find
from autograder.course.masters import master
from autograder.course.references import references
from autograder.handed_in.assignment import rebuild
from autograder.tests.broken.corpus import cell_of, code, place_of

CHAPTER = "03"
OWN, OTHER = "s101", "s107"


@dataclass(frozen=True)
class Tampered:
    """`change` spoils an honest notebook in place; it may return another one."""

    name: str
    change: Callable[[dict], dict | None]
    told: bool = True

    def notebook(self) -> dict:
        """The notebook after the change."""
        notebook = honest()
        return self.change(notebook) or notebook


def honest(student: str = OWN) -> dict:
    """Chapter 03 with right answers and with the outputs that a run leaves."""
    notebook = copy.deepcopy(rebuild(master(CHAPTER), references(CHAPTER)))
    for number, cell in enumerate(notebook["cells"]):
        source = text_of(cell)
        if source.startswith("from autograder import"):
            cell["source"] = source = source.replace('me("")', f'me("{student}")')
            said = f"Hello, {student}. The numbers in the exercises are yours."
            cell["outputs"] = [stream(f"{said} Course key: {course_key_id()}.\n")]
        elif " = numbers(" in source:
            question = find(source.split('"')[1])
            shown = question.shown(numbers_for(question, student))
            cell["outputs"] = [result(repr(shown))]
        elif source.startswith("check("):
            cell["outputs"] = [stream(f"{source.split(chr(34))[1]} ✓ right.\n")]
        if cell["cell_type"] == "code":
            cell["execution_count"] = number
    return notebook


def stream(text: str) -> dict:
    """What a cell printed."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def result(text: str) -> dict:
    """The value of a cell's last line."""
    return {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {"text/plain": text},
    }


def marks(notebook: dict, grade_id: str) -> dict:
    """nbgrader's marks of a cell."""
    return cell_of(notebook, grade_id)["metadata"]["nbgrader"]


def source(grade_id: str, text: str):
    """Another text in a cell."""
    return lambda notebook: cell_of(notebook, grade_id).update(source=text)


def marked(cell: str, /, **said):
    """Other marks on a cell."""
    return lambda notebook: marks(notebook, cell).update(said)


def drop(*grade_ids: str):
    """Cells deleted."""

    def change(notebook):
        gone = [cell_of(notebook, each) for each in grade_ids]
        notebook["cells"] = [cell for cell in notebook["cells"] if cell not in gone]

    return change


def blank(*question_ids: str):
    """Answers that nobody has written."""

    def change(notebook):
        for each in question_ids:
            own = master(CHAPTER).answer_cell(each)
            cell_of(notebook, own.grade_id).update(source=own.source)

    return change


def given(start: str, text: str):
    """A given cell replaced, its output kept."""

    def change(notebook):
        cell = next(cell for cell in notebook["cells"] if text_of(cell).startswith(start))
        cell["source"] = text

    return change


def outputs(start: str, *shown: dict):
    """Other outputs under the cells that begin so."""

    def change(notebook):
        for cell in notebook["cells"]:
            if text_of(cell).startswith(start):
                cell["outputs"] = list(shown)

    return change


def pasted(*starts: str):
    """Outputs of another student's notebook under one's own cells."""

    def change(notebook):
        for cell, theirs in zip(notebook["cells"], honest(OTHER)["cells"]):
            if cell["cell_type"] == "code" and text_of(theirs).startswith(starts):
                cell["outputs"] = theirs["outputs"]

    return change


def metadata(**said):
    """The course's metadata of the notebook."""
    return lambda notebook: notebook["metadata"]["autograder"].update(said)


def exchange(*grade_ids: str):
    """Marks handed round among cells; the cells and their texts stay."""

    def change(notebook):
        cells = [cell_of(notebook, each) for each in grade_ids]
        ring = [cell["metadata"] for cell in cells]
        for cell, theirs in zip(cells, [*ring[1:], ring[0]]):
            cell["metadata"] = theirs

    return change


def insert(text: str, above: str):
    """A cell of one's own above another."""
    return lambda notebook: notebook["cells"].insert(place_of(notebook, above), code(text))


def all_of(*changes):
    """Several changes to one notebook."""

    def change(notebook):
        for each in changes:
            each(notebook)

    return change


def own_test(**said):
    """A cell of one's own with nbgrader's marks."""

    def change(notebook):
        new = {**marks(notebook, "q-03-1-test"), **said}
        notebook["cells"].append(code("2", nbgrader=new))

    return change


TEST = "q-03-2-test"
CORPUS = (
    # locked cells
    Tampered("a locked cell asks for nothing", source(TEST, "pass")),
    Tampered("a locked cell gives 2", source(TEST, "2")),
    Tampered("a locked cell as a comment", source(TEST, '# require("03.2")')),
    Tampered("a locked cell asks for another answer", source(TEST, 'require("03.1")')),
    Tampered(
        "a locked cell swallows its error",
        source(TEST, 'try:\n    require("03.2")\nexcept Exception:\n    pass'),
    ),
    Tampered("a locked cell with a letter that nobody sees", source(TEST, 'requi\u200bre("03.2")')),
    Tampered("a locked cell with a magic above", source(TEST, '%%capture\nrequire("03.2")')),
    Tampered("a locked cell emptied", source(TEST, ""), told=False),
    Tampered("a locked cell of blanks", source(TEST, "  \n\n"), told=False),
    Tampered(
        "all locked cells edited",
        all_of(*(source(f"q-03-{number}-test", "pass") for number in range(1, 8))),
    ),
    Tampered(
        "a locked cell twice, one of them empty of sense",
        lambda notebook: notebook["cells"].append({**cell_of(notebook, TEST), "source": "2"}),
    ),
    Tampered("a locked cell deleted", drop(TEST), told=False),
    Tampered(
        "all locked cells deleted",
        drop(*(f"q-03-{number}-test" for number in range(1, 8))),
        told=False,
    ),
    Tampered(
        "a locked cell as text",
        lambda notebook: cell_of(notebook, TEST).update(cell_type="markdown"),
        told=False,
    ),
    Tampered(
        "the lock of a locked cell taken off",
        lambda notebook: cell_of(notebook, TEST)["metadata"].update(editable=True, deletable=True),
    ),
    # nbgrader's marks
    Tampered("more points", marked(TEST, points=500)),
    Tampered("points as a text", marked(TEST, points="500")),
    Tampered("points below nothing", marked("q-03-1-test", points=-3)),
    Tampered("points of an open answer", marked("q-03-open", points=40)),
    Tampered("points for an answer cell", marked("q-03-1", grade=True, points=2)),
    Tampered("a test that is a solution", marked(TEST, solution=True, locked=False)),
    Tampered("a test that is no test", marked(TEST, grade=False)),
    Tampered("an answer that is locked", marked("q-03-1", locked=True)),
    Tampered("a test that is a task", marked(TEST, task=True)),
    Tampered("another age", marked(TEST, schema_version=99)),
    Tampered("another checksum", marked(TEST, checksum="0" * 32)),
    Tampered("a test of one's own", own_test(grade_id="q-03-9-test", points=50)),
    Tampered("a test of one's own by a name of one's own", own_test(grade_id="bonus", points=50)),
    Tampered(
        "an answer cell of one's own",
        own_test(grade_id="q-03-9", grade=False, solution=True, locked=False),
    ),
    Tampered("a second cell for a test, worth more", own_test(grade_id=TEST, points=50)),
    Tampered("a test under another test's id", marked(TEST, grade_id="q-03-1-test")),
    # metadata exchanged
    Tampered("the marks of two answers exchanged", exchange("q-03-1", "q-03-5")),
    Tampered("the marks of two tests exchanged", exchange("q-03-1-test", TEST)),
    Tampered("the marks of three answers handed round", exchange("q-03-1", "q-03-5", "q-03-6")),
    Tampered("the marks of answer and test exchanged", exchange("q-03-1", "q-03-1-test")),
    Tampered("another chapter in the metadata", metadata(chapter="02")),
    Tampered("another student in the metadata", metadata(student=OTHER)),
    Tampered(
        "an answer that says it starts Spark",
        lambda notebook: cell_of(notebook, "q-03-1")["metadata"].update(autograder={"spark": True}),
    ),
    Tampered(
        "another course key in the metadata",
        all_of(metadata(course_key="00000000"), outputs("from autograder import")),
    ),
    Tampered(
        "another kernel",
        lambda notebook: notebook["metadata"].update(kernelspec={"name": "../../evil"}),
        told=False,
    ),
    Tampered(
        "tags on every cell",
        lambda notebook: (
            [cell["metadata"].update(tags=["raises-exception"]) for cell in notebook["cells"]]
            and None
        ),
        told=False,
    ),
    # outputs
    Tampered("a result under a locked cell", outputs('require("03.2")', result("2"))),
    Tampered("results under all locked cells", outputs("require(", result("2"))),
    Tampered("a result under check", outputs('check("03.1")', result("'03.1 ✓ right.'"))),
    Tampered("another's outputs everywhere", pasted("")),
    Tampered("another's output under me()", pasted("from autograder import")),
    Tampered("another's output under numbers()", pasted("n = numbers(")),
    Tampered("another's output under every numbers()", pasted("n = numbers(", "m = numbers(")),
    Tampered("right said of an answer that is not there", blank("03.1")),
    Tampered(
        "right said of all answers, and none is there",
        blank(*(f"03.{number}" for number in range(1, 8))),
    ),
    Tampered(
        "right said of an answer that is wrong",
        source("q-03-1", "opened = 1\nkept = 1"),
        told=False,
    ),
    Tampered("no outputs at all", outputs(""), told=False),
    # another's numbers
    Tampered("me() a second time, for another", insert(f'me("{OTHER}")', "q-03-1")),
    Tampered(
        "me() for another round one question",
        all_of(insert(f'me("{OTHER}")', "q-03-1"), insert(f'me("{OWN}")', "q-03-1-test")),
    ),
    Tampered(
        "a neighbour's notebook with one's own name",
        lambda notebook: (
            all_of(given("from autograder", text_of(first(notebook)).replace(OTHER, OWN)))(
                found := honest(OTHER)
            )
            or found
        ),
    ),
    Tampered("the numbers written out", given("n = numbers(", "n = {'brokers': 1}\nn")),
    Tampered("the numbers through dict", given("m = numbers(", "m = dict(members=1)\nm")),
    Tampered(
        "a neighbour's answer, numbers and all",
        source("q-03-1", "opened = {'A': 9, 'B': 9, 'C': 9}\nkept = opened"),
        told=False,
    ),
    # code that answers for the grader
    Tampered(
        "require is a function of one's own", insert("def require(question):\n    pass", "q-03-1")
    ),
    Tampered("require is print", insert("require = print", "q-03-1")),
    Tampered(
        "require in an answer",
        lambda notebook: cell_of(notebook, "q-03-1").update(
            source="require = lambda question: None\n" + text_of(cell_of(notebook, "q-03-1"))
        ),
    ),
    Tampered(
        "check is imported as require", insert("from autograder import check as require", "q-03-1")
    ),
    Tampered(
        "the grader's module changed",
        insert(
            "import autograder.check\nautograder.check.judge_openly = lambda *words: []", "q-03-1"
        ),
    ),
    Tampered(
        "the judge imported", insert("import autograder.course.judges.ch03 as told", "q-03-1")
    ),
)


def first(notebook: dict) -> dict:
    """The cell that says who somebody is."""
    return next(
        cell for cell in notebook["cells"] if text_of(cell).startswith("from autograder import")
    )


def written(each: Tampered, folder) -> object:
    """The notebook as a file in `folder`."""
    path = folder / f"{OWN}.ipynb"
    path.write_text(json.dumps(each.notebook()), encoding="utf-8")
    return path
