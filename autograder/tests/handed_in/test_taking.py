"""What people do to cells: the answers are where they put them, and whose they are stands where they wrote it."""
import json

import pytest

from autograder.handed_in.submission import read


@pytest.fixture
def changed(hand_in):
    """changed(change) -> (the submission of ada's right notebook after change(notebook), its answers before)."""
    def change_it(change):
        path = hand_in("whole", student="ada")
        answers = read(path)[0].answers
        notebook = json.loads(path.read_text())
        change(notebook)
        path.write_text(json.dumps(notebook))
        submission, = read(path)
        return submission, answers
    return change_it


def cell_of(notebook: dict, grade_id: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def code(source: str) -> dict:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": 1}


@pytest.mark.parametrize("call", ["who = me('ada')", "me (\"ada\")", "me(student = 'ada')", "import math; me(' ada ')", 'me("")   # me("s123")\nme("ada")',
                                  'me("")\rme("ada")', 'me("Ada Abel")\nme("ada")'])
def test_whose_it_is_stands_in_any_call_of_me(changed, call):
    def change(notebook):
        next(cell for cell in notebook["cells"] if cell["source"] == 'me("ada")')["source"] = call
    assert changed(change)[0].student == "ada"


def test_a_call_of_something_else_names_nobody(changed):
    def change(notebook):
        next(cell for cell in notebook["cells"] if cell["source"] == 'me("ada")')["source"] = 'print("me(\'eve\')")\nname("eve")\n# me("eve")'
    assert changed(change)[0].student == "whole"


def test_a_blank_cell_without_its_mark_is_not_gone(changed):
    def change(notebook):
        cell_of(notebook, "q-90-2")["source"] = "def node_id(broker):\n    ..."
        for cell in notebook["cells"]:
            cell["metadata"] = {}
    submission, answers = changed(change)
    assert submission.status == "repaired" and not submission.missing and submission.answers["90.1"] == answers["90.1"]


@pytest.mark.parametrize("fence", ["```python\n{}\n```", "~~~\n{}\n~~~", "My answer:\n\n````py\n{}\n````\n\nDone."])
def test_code_in_a_fence_is_an_answer(changed, fence):
    def change(notebook):
        cell = cell_of(notebook, "q-90-2")
        cell.update(cell_type="markdown", source=fence.format(cell["source"]))
    submission, answers = changed(change)
    assert submission.answers == answers and submission.status == "repaired"
