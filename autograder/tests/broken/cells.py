"""Cells doubled, lost, split, moved, retyped; marks dropped and edited."""

from __future__ import annotations

import copy

from autograder.tests.broken.corpus import cell_of, code, edit, place_of, text

FUNCTION = "def node_id(broker):\n    largest = 2**31 - 1\n    return largest - broker"


def _insert(notebook, grade_id, cells, after=True):
    place = place_of(notebook, grade_id) + after
    notebook["cells"][place:place] = cells


def _copy(grade_id, source=None, at_end=False):
    def change(notebook):
        again = copy.deepcopy(cell_of(notebook, grade_id))
        if source is not None:
            again["source"] = source
        place = len(notebook["cells"]) if at_end else place_of(notebook, grade_id)
        notebook["cells"].insert(place, again)

    return change


def _drop(*grade_ids):
    return lambda notebook: [
        notebook["cells"].remove(cell_of(notebook, grade_id)) for grade_id in grade_ids
    ]


def _split(first, second, marked="both"):
    """The function's cell in two pieces; the mark stays on both, the first or the second."""

    def change(notebook):
        own = cell_of(notebook, "q-90-2")
        other = copy.deepcopy(own)
        own["source"], other["source"] = first, second
        if marked == "first":
            other["metadata"] = {}
        if marked == "second":
            own["metadata"] = {}
        _insert(notebook, "q-90-2" if marked != "second" else "q-90-1-test", [])
        place = notebook["cells"].index(own) + 1
        notebook["cells"].insert(place, other)

    return change


def _elsewhere(grade_id, blank, below):
    """The answer typed into a new cell, the answer cell left as it was handed out."""

    def change(notebook):
        own = cell_of(notebook, grade_id)
        source, own["source"] = own["source"], blank
        _insert(notebook, grade_id, [code(source)], after=below)

    return change


def _swap(notebook):
    one, two = cell_of(notebook, "q-90-1"), cell_of(notebook, "q-90-2")
    one["source"], two["source"] = two["source"], one["source"]


def _into_neighbour(notebook):
    one, two = cell_of(notebook, "q-90-1"), cell_of(notebook, "q-90-2")
    one["source"] += "\n\n" + two["source"]
    two["source"] = "def node_id(broker):\n    ..."


def _all(change):
    return lambda notebook: [change(cell) for cell in notebook["cells"]]


def _marks(where, **words):
    return lambda notebook: cell_of(notebook, where)["metadata"]["nbgrader"].update(words)


def _retype(grade_id, kind, fence=False):
    def change(notebook):
        own = cell_of(notebook, grade_id)
        own["cell_type"] = kind
        if fence:
            own["source"] = f"```python\n{own['source']}\n```"
        own.pop("outputs", None)

    return change


def _open_below(notebook):
    own = cell_of(notebook, "q-90-open")
    answer, own["source"] = own["source"], "*Your answer here.*"
    _insert(notebook, "q-90-open", [text(answer)])


def _conflict_inside(notebook):
    own = cell_of(notebook, "q-90-3")
    own["source"] = f"<<<<<<< HEAD\n{own['source']}\n=======\ntotal = 0\n>>>>>>> theirs"


def _magics(notebook):
    own = cell_of(notebook, "q-90-1")
    own["source"] = "%%time\n%config InlineBackend.figure_format = 'svg'\n!ls\n" + own["source"]
    cell_of(notebook, "q-90-3")["source"] = "%time total = sum(seen)\n%who\ntotal?"


def _reversed(notebook):
    notebook["cells"].reverse()


CORPUS = (
    edit(
        "the answer cell copied, the copy blank",
        _copy("q-90-1", "opened = ...\nkept = ...", at_end=True),
    ),
    edit("the answer cell copied, the copy written in", _copy("q-90-1", "opened = 0\nkept = 0")),
    edit("a locked cell doubled", _copy("q-90-2-test")),
    edit(
        "every cell doubled",
        lambda notebook: notebook.update(
            cells=[copy.deepcopy(cell) for cell in notebook["cells"] for _ in "ab"]
        ),
    ),
    edit(
        "the whole notebook pasted twice",
        lambda notebook: notebook["cells"].extend(copy.deepcopy(notebook["cells"])),
    ),
    edit("a locked cell deleted", _drop("q-90-2-test")),
    edit("all locked cells deleted", _drop("q-90-1-test", "q-90-2-test", "q-90-3-test")),
    edit(
        "an answer cell deleted", _drop("q-90-3"), repairable=False, score=5, statuses=("partial",)
    ),
    edit(
        "two answer cells deleted",
        _drop("q-90-1", "q-90-2"),
        repairable=False,
        score=1,
        statuses=("partial",),
    ),
    edit(
        "the open cell deleted",
        _drop("q-90-open"),
        repairable=False,
        score=6,
        statuses=("partial",),
    ),
    edit(
        "given cells deleted",
        lambda notebook: notebook["cells"].__delitem__(slice(1, 4)),
        statuses=("graded", "repaired"),
    ),
    edit(
        "a cell split inside the function, both marked",
        _split(FUNCTION[: FUNCTION.index("    return")], FUNCTION[FUNCTION.index("    return") :]),
    ),
    edit(
        "a cell split inside the function, the mark on the first half",
        _split(
            FUNCTION[: FUNCTION.index("    return")],
            FUNCTION[FUNCTION.index("    return") :],
            "first",
        ),
    ),
    edit(
        "a cell split, helper first, both marked",
        _split("largest = 2**31 - 1", "def node_id(broker):\n    return largest - broker"),
    ),
    edit(
        "a cell split, helper first, the mark on the second half",
        _split(
            "largest = 2**31 - 1", "def node_id(broker):\n    return largest - broker", "second"
        ),
        statuses=("graded", "repaired"),
    ),
    edit(
        "two values split, the mark on the first",
        lambda notebook: (
            cell_of(notebook, "q-90-1").update(source="opened = n.brokers + 2"),
            _insert(notebook, "q-90-1", [code("kept = n.brokers + 1")]),
        ),
    ),
    edit(
        "two values split, the mark on the second",
        lambda notebook: (
            cell_of(notebook, "q-90-1").update(source="kept = n.brokers + 1"),
            _insert(notebook, "q-90-1", [code("opened = n.brokers + 2")], after=False),
        ),
    ),
    edit(
        "an answer in a new cell below",
        _elsewhere("q-90-1", "opened = ...\nkept = ...", below=True),
    ),
    edit(
        "an answer in a new cell above",
        _elsewhere("q-90-2", "def node_id(broker):\n    ...", below=False),
    ),
    edit("an answer in a new cell, its own cell emptied", _elsewhere("q-90-3", "", below=True)),
    edit("two answers in each other's cells", _swap),
    edit("two answers in one cell", _into_neighbour),
    edit("the open answer in a cell below", _open_below),
    edit("an answer's mark lost", lambda notebook: cell_of(notebook, "q-90-2")["metadata"].clear()),
    edit(
        "the open answer's mark lost",
        lambda notebook: cell_of(notebook, "q-90-open")["metadata"].clear(),
    ),
    edit("all marks lost", _all(lambda cell: cell["metadata"].clear())),
    edit("all metadata gone", _all(lambda cell: cell.pop("metadata"))),
    edit(
        "metadata null",
        _all(lambda cell: None if "nbgrader" in cell["metadata"] else cell.update(metadata=None)),
        statuses=("graded", "repaired"),
    ),
    edit(
        "marks that are a list",
        lambda notebook: cell_of(notebook, "q-90-1")["metadata"].update(nbgrader=["q-90-1"]),
    ),
    edit("a grade_id with a blank behind it", _marks("q-90-3", grade_id="q-90-3 ")),
    edit("a grade_id renamed", _marks("q-90-1", grade_id="question one")),
    edit("a code answer turned into markdown", _retype("q-90-2", "markdown")),
    edit(
        "a code answer turned into markdown with a fence", _retype("q-90-2", "markdown", fence=True)
    ),
    edit("a code answer turned into raw text", _retype("q-90-3", "raw")),
    edit("the open answer turned into code", _retype("q-90-open", "code")),
    edit(
        "a locked cell turned into markdown",
        _retype("q-90-1-test", "markdown"),
        statuses=("graded", "repaired"),
    ),
    edit(
        "a locked cell edited",
        lambda notebook: cell_of(notebook, "q-90-1-test").update(source="pass"),
    ),
    edit("points edited", _marks("q-90-2-test", points=500)),
    edit(
        "schema_version of the future",
        lambda notebook: [
            cell["metadata"]["nbgrader"].update(schema_version=99)
            for cell in notebook["cells"]
            if "nbgrader" in cell["metadata"]
        ],
    ),
    edit(
        "schema_version of the past",
        _marks("q-90-2", schema_version=1),
        statuses=("graded", "repaired"),
    ),
    edit(
        "an extra key in the marks",
        _marks("q-90-1-test", extra="x"),
        statuses=("graded", "repaired"),
    ),
    edit("solution set on a locked cell", _marks("q-90-1-test", solution=True)),
    edit("git's conflict marks inside an answer", _conflict_inside),
    edit("magics round the answers", _magics, statuses=("graded", "repaired")),
    edit("all cells in reverse order", _reversed, statuses=("graded", "repaired")),
    edit(
        "half a character in an answer",
        lambda notebook: cell_of(notebook, "q-90-open").update(source="Because \ud83d heartbeats"),
        statuses=("graded", "repaired"),
    ),
    edit(
        "line ends of old Macs in an answer",
        lambda notebook: cell_of(notebook, "q-90-2").update(source=FUNCTION.replace("\n", "\r")),
        statuses=("graded", "repaired"),
    ),
)
