"""What people do to cells: the answers are where they put them,
and whose they are stands where they wrote it."""

import json

import pytest

from autograder.course.masters import master
from autograder.handed_in.assignment import steps
from autograder.handed_in.submission import read
from autograder.tests.agreement import notebook_with
from autograder.tests.honest.styles import Written


@pytest.fixture
def changed(hand_in):
    """changed(change) -> (the submission of ada's right notebook after
    change(notebook), its answers before)."""

    def change_it(change):
        path = hand_in("whole", student="ada")
        answers = read(path)[0].answers
        notebook = json.loads(path.read_text())
        change(notebook)
        path.write_text(json.dumps(notebook))
        (submission,) = read(path)
        return submission, answers

    return change_it


def cell_of(notebook: dict, grade_id: str) -> dict:
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def code(source: str) -> dict:
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": 1,
    }


@pytest.mark.parametrize(
    "call",
    [
        "who = me('ada')",
        'me ("ada")',
        "me(student = 'ada')",
        "import math; me(' ada ')",
        'me("")   # me("s123")\nme("ada")',
        'me("")\rme("ada")',
        'me("Ada Abel")\nme("ada")',
    ],
)
def test_whose_it_is_stands_in_any_call_of_me(changed, call):
    def change(notebook):
        next(cell for cell in notebook["cells"] if cell["source"] == 'me("ada")')["source"] = call

    assert changed(change)[0].student == "ada"


def test_a_call_of_something_else_names_nobody(changed):
    def change(notebook):
        next(cell for cell in notebook["cells"] if cell["source"] == 'me("ada")')["source"] = (
            'print("me(\'eve\')")\nname("eve")\n# me("eve")'
        )

    assert changed(change)[0].student == "whole"


def test_a_blank_cell_without_its_mark_is_not_gone(changed):
    def change(notebook):
        cell_of(notebook, "q-90-2")["source"] = "def node_id(broker):\n    ..."
        for cell in notebook["cells"]:
            cell["metadata"] = {}

    submission, answers = changed(change)
    assert (
        submission.status == "repaired"
        and not submission.missing
        and submission.answers["90.1"] == answers["90.1"]
    )


@pytest.mark.parametrize(
    "fence", ["```python\n{}\n```", "~~~\n{}\n~~~", "My answer:\n\n````py\n{}\n````\n\nDone."]
)
def test_code_in_a_fence_is_an_answer(changed, fence):
    def change(notebook):
        cell = cell_of(notebook, "q-90-2")
        cell.update(cell_type="markdown", source=fence.format(cell["source"]))

    submission, answers = changed(change)
    assert submission.answers == answers and submission.status == "repaired"


@pytest.mark.parametrize(
    "below",
    [
        ["kept = 0", "kept += opened - 1"],
        ["```python\nkept = opened - 1\n```"],
        ["kept = {}", "kept['A'] = 1", "kept.update(B=2)"],
        [
            "kept = {}",
            "def put(to, name):\n    to[name] = 1",
            "put(kept, 'A')",
            "put(to=kept, name=2)",
        ],
        ["kept = []", "def put(what):\n    kept.append(what)", "put('A')"],
        ["def solve():\n    global kept\n    kept = opened - 1", "solve()"],
    ],
)
def test_what_is_added_below_an_answer_and_fills_it_belongs_to_it(changed, below):
    def change(notebook):
        cell = cell_of(notebook, "q-90-1")
        cell["source"] = "opened = 3"
        place = notebook["cells"].index(cell) + 1
        notebook["cells"][place:place] = [code("print(opened)")] + [
            {"cell_type": "markdown", "metadata": {}, "source": each}
            if "```" in each
            else code(each)
            for each in below
        ]

    submission, _ = changed(change)
    assert submission.answers["90.1"].splitlines() == [
        "opened = 3",
        *(line for each in below for line in each.splitlines() if "```" not in line),
    ]


def test_a_trial_of_a_function_with_a_name_of_its_own_is_none_of_the_answer(changed):
    """The function fills a list that only has the name of the answer."""
    own = "def found():\n    kept = []\n    kept.append(9)\n    return kept\n"
    own += "kept = found()\nopened = 3"

    def change(notebook):
        cell = cell_of(notebook, "q-90-1")
        cell["source"] = own
        place = notebook["cells"].index(cell) + 1
        notebook["cells"].insert(place, code("print(found())"))

    submission, _ = changed(change)
    assert submission.answers["90.1"] == own


@pytest.mark.parametrize(
    "own, below",
    [
        ("def f():\n    return less(9)\nkept = f\nopened = 9", ["def less(n):\n    return n - 1"]),
        (
            "opened = 3",
            [
                "kept = {}",
                "def less(n):\n    return n - 1",
                "seen = {}",
                "kept['A'] = less(opened)",
            ],
        ),
        (
            "opened = 3\nkept = {}",
            ["def put(to, name):\n    to[name] = 1", "seen = {}", "put(seen, 2)", "put(kept, 'A')"],
        ),
    ],
)
def test_a_helper_below_an_answer_belongs_to_what_calls_it(changed, own, below):
    """A cell that only tries the answer does not."""

    def change(notebook):
        cell = cell_of(notebook, "q-90-1")
        cell["source"] = own
        place = notebook["cells"].index(cell) + 1
        notebook["cells"][place:place] = [code(each) for each in [*below, "tried = kept"]]

    submission, _ = changed(change)
    assert submission.answers["90.1"] == "\n".join([own, *(x for x in below if "seen" not in x)])


@pytest.mark.parametrize(
    "below",
    [["opened['A'] = 3", "kept['A'] = 1"], ["opened.update(A=3)\nkept |= {'A': 1}"], ["kept = 1"]],
)
def test_an_untouched_cell_stays_above_the_cell_that_fills_its_names(changed, below):
    blank = []

    def change(notebook):
        cell = cell_of(notebook, "q-90-1")
        cell["source"] = master("90").answer_cell("90.1").source
        blank.append(cell["source"])
        place = notebook["cells"].index(cell) + 1
        notebook["cells"][place:place] = [code(each) for each in below]

    submission, _ = changed(change)
    needed = [] if below == ["kept = 1"] else blank
    assert submission.answers["90.1"] == "\n".join([*needed, *below])


WORDS = "Because the coordinator must not wait behind a long fetch."


@pytest.mark.parametrize(
    "written",
    [
        lambda cells, place: cells[place - 1].update(
            source="### Why does the coordinator have a socket of its own?\n\n" + WORDS
        ),
        lambda cells, place: cells.insert(
            place, {"cell_type": "markdown", "metadata": {}, "source": WORDS}
        ),
        lambda cells, place: cells.insert(place + 1, code("# " + WORDS)),
        lambda cells, place: cells.insert(place + 1, code(f'"""\n{WORDS}\n"""')),
        lambda cells, place: cells.insert(place + 1, code(WORDS)),
        lambda cells, place: cells[place].update(cell_type="code", source=WORDS),
    ],
    ids=["in the question", "above", "as a comment", "as a text", "as code", "in a cell of code"],
)
def test_an_open_answer_is_found_beside_its_cell(
    changed, demo_folder, monkeypatch, tmp_path, written
):
    release = demo_folder / "notebooks/release/90_demo/90_demo.ipynb"
    asked = json.loads(release.read_text())
    question = {
        "cell_type": "markdown",
        "metadata": {},
        "source": "### Why does the coordinator have a socket of its own?",
    }
    asked["cells"].insert(-1, question)
    course = tmp_path / "course"
    (course / "notebooks/release/90_demo").mkdir(parents=True)
    (course / "notebooks/release/90_demo/90_demo.ipynb").write_text(json.dumps(asked))
    monkeypatch.setenv("AUTOGRADER_COURSE", str(course))

    def change(notebook):
        place = notebook["cells"].index(cell_of(notebook, "q-90-open"))
        notebook["cells"][place]["source"] = "*Your answer here.*"
        written(notebook["cells"], place)

    assert changed(change)[0].answers["90.open"] == WORDS


def test_a_note_under_a_given_text_is_no_repair(changed):
    submission, answers = changed(
        lambda notebook: notebook["cells"][0].update(source="# 90 A demo\n\nMy note.")
    )
    assert (submission.status, submission.answers) == ("graded", answers)


@pytest.mark.parametrize("blank_first", [True, False])
def test_a_conflict_in_a_cell_keeps_the_side_that_answers(changed, blank_first):
    def change(notebook):
        cell = cell_of(notebook, "q-90-3")
        first, second = ("total = ...", cell["source"])[:: 1 if blank_first else -1]
        cell["source"] = f"<<<<<<< HEAD\n{first}\n=======\n{second}\n>>>>>>> theirs"

    submission, answers = changed(change)
    assert submission.answers["90.3"].strip() == answers["90.3"] and submission.status == "repaired"


def test_a_torn_answer_without_marks_is_put_together(changed):
    def change(notebook):
        cell = cell_of(notebook, "q-90-2")
        place = notebook["cells"].index(cell)
        notebook["cells"][place : place + 1] = [code(line) for line in cell["source"].splitlines()]
        for cell in notebook["cells"]:
            cell["metadata"] = {}

    submission, answers = changed(change)
    assert submission.answers["90.2"] == answers["90.2"]


def test_one_repair_of_several_cells_is_one_phrase(changed):
    def change(notebook):
        for each in ("q-90-1", "q-90-2", "q-90-3"):
            cell_of(notebook, each)["metadata"] = {}

    assert (
        changed(change)[0].reason
        == "the cell of 90.1 and 90.2 and 90.3 had lost its mark and was known by its names."
    )


def test_an_emptied_locked_cell_is_a_deleted_one_and_old_points_are_points(changed):
    def change(notebook):
        cell_of(notebook, "q-90-1-test")["source"] = ""
        for cell in notebook["cells"]:
            marks = cell["metadata"].get("nbgrader", {})
            marks.update(schema_version=1, points=str(marks.get("points", "")))

    submission, answers = changed(change)
    assert (submission.reason, submission.flags, submission.answers) == (
        "1 locked cell was deleted and put back.",
        (),
        answers,
    )


def test_a_cell_above_that_binds_half_of_an_answer_runs_once(tmp_path):
    """It may run a lab on; a second time the lab would be older."""
    above = "made = []", "made.append(1)\nafter_five = len(made)"
    path = tmp_path / "02.ipynb"
    written = Written("after_twenty = len(made)", above)
    path.write_text(json.dumps(notebook_with("02", "02.4", written, "s017")), encoding="utf-8")
    (submission,) = read(path)
    cells = steps(master("02"), submission.answers, {"02.4"}, submission.extras)
    assert sum("made.append(1)" in cell.source for cell in cells) == 1
    assert "after_five" in cells[-1].source
