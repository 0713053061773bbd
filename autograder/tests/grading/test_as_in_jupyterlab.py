"""A cell does in the sandbox what it does in JupyterLab, or a person is called."""

import pytest

from autograder.course.masters import master
from autograder.grade import needs_attention
from autograder.grading.lanes.submission_run import run
from autograder.handed_in.assignment import Extra
from autograder.handed_in.needs import needed
from autograder.handed_in.submission import Submission
from autograder.sandbox.outside.parent import Limits, Sandbox

ABOVE_THE_SUM = 11  # the given cell above the answer of 90.3
SLEEPS = "import asyncio\nasync def add(x):\n    await asyncio.sleep(0)\n    return sum(x)\n"


def judged(sandbox, answers: dict[str, str], *above: str) -> dict:
    """The result of these answers, with cells of the learner's own above that of 90.3."""
    extras = tuple(Extra(ABOVE_THE_SUM, source) for source in above)
    path = master("90").path
    return run(Submission("tried", path, "", "s017", "s017", "90", answers, extras=extras), sandbox)


def outcomes(result: dict) -> dict[str, str]:
    return {question: cell["outcome"] for question, cell in result["cells"].items()}


@pytest.mark.parametrize(
    "above, answer",
    [
        ((), SLEEPS + "total = await add(seen)"),
        ((), SLEEPS + "(total,) = [x async for x in (await add(y) for y in [seen])]"),
        (
            (),
            "async def each():\n    for x in seen:\n        yield x\ntotal = 0\n"
            "async for x in each():\n    total += x",
        ),
        ((), "import asyncio\nasync with asyncio.Lock():\n    total = sum(seen)"),
        ((SLEEPS + "begun = asyncio.create_task(add(seen))",), "total = await begun"),
        ((), "total = sum(seen)\nreturn total"),
        ((SLEEPS + "found = await add(seen)",), "total = found"),
        (
            ("from __future__ import annotations",),
            "def add(x: Nobody) -> Imported:\n    return sum(x)\ntotal = add(seen)",
        ),
    ],
)
def test_what_jupyterlab_runs_the_sandbox_runs(demo, sandbox, above, answer):
    result = judged(sandbox, {"90.3": answer}, *above)
    assert outcomes(result)["90.3"] == "right", result["cells"]["90.3"]
    assert result["flags"] == [] and result["status"] == "graded", result


@pytest.mark.corpus
def test_an_answer_that_awaits_is_wrong_where_it_is_wrong_and_may_not_wait_for_ever(demo):
    answers = {
        "90.2": "import asyncio\nwhile True:\n    await asyncio.sleep(0)",
        "90.3": SLEEPS + "total = await add([len(seen)])",
    }
    with Sandbox(limits=Limits(cell_seconds=1)) as sandbox:
        cells = judged(sandbox, answers)["cells"]
    assert cells["90.3"]["misconception"] == "counted", cells["90.3"]
    assert "there was no answer after" in cells["90.2"]["sentence"], cells["90.2"]


@pytest.mark.parametrize(
    "above, answer, missing",
    [
        ((), "total = int(input('how many? '))", "what was typed into `input()`"),
        ((), "from my_rules import total", "the module 'my_rules'"),
        (("import my_rules as my",), "total = my.total(seen)", "the module 'my_rules'"),
        ((), "total = int(open('mine.txt').read())", "the file 'mine.txt'"),
        ((), "lines = !ls\ntotal = len(lines)", "what the command `ls` prints"),
        ((), "%run mine.py", "what `%run mine.py` brings"),
        ((), "%%writefile mine.py\ntotal = 6", "the file that `%%writefile mine.py` writes"),
        ((), "total = Out[7]", "`Out`, what a cell has shown"),
    ],
)
def test_what_only_the_learners_machine_has_calls_a_person(demo, sandbox, above, answer, missing):
    result = judged(sandbox, {"90.3": answer}, *above)
    cell = result["cells"]["90.3"]
    assert (cell["outcome"], cell["score"]) == ("waiting", 0), cell
    assert f"needs {missing}, which is not where answers are graded." in cell["sentence"], cell
    assert needs_attention({"tried": result}) == ["tried"] and missing in result["reason"]


def test_an_answer_that_only_names_what_is_missing_is_judged(demo, sandbox):
    """A try that fails is caught, a magic only shows something, and a function is not called."""
    tried = "try:\n    import my_rules\nexcept ImportError:\n    pass\n"
    read = "def read():\n    return input()\n"
    answers = {
        "90.2": f"%matplotlib inline\n!ls\n{read}def node_id(broker):\n    return -broker",
        "90.3": f"{tried}total = sum(seen)",
    }
    result = judged(sandbox, answers)
    assert (outcomes(result)["90.2"], outcomes(result)["90.3"]) == ("wrong", "right"), result


def test_our_own_modules_are_never_missing_on_one_machine_only(demo, sandbox):
    result = judged(sandbox, {"90.3": "import autograder.course.judge\ntotal = 6"})
    assert outcomes(result)["90.3"] == "wrong", result["cells"]["90.3"]


def test_a_future_above_and_an_annotation_are_needed():
    cells = ["from __future__ import annotations", "from typing import Any", "x = 1"]
    assert needed([*cells, "def f(x: Any): ..."], 3) == {0, 1}
    assert needed(["limit = await asked()", "y = limit"], 1) == {0}
