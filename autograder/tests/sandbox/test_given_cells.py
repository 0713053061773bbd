"""Runs the given cells of the chapters behind the walls: each does there what it does at home."""

import json
from dataclasses import replace

import pytest

from autograder.cell.course_folder import released, text_of
from autograder.cell.numbers import numbers_for
from autograder.cell.question import asked_chapters
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grade import needs_attention
from autograder.grading import verdict
from autograder.grading.lanes import submission_run
from autograder.grading.lanes.submission_run import hear, jobs_of, run
from autograder.grading.open_marks import marks_of
from autograder.handed_in.assignment import Step, rebuild
from autograder.handed_in.needs import needed, starts_spark
from autograder.handed_in.submission import Submission, read
from autograder.sandbox.outside.parent import Limits, Sandbox

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]
# a run of a whole chapter is longer than any submission's
PATIENT = Limits(
    cpu_seconds=600,
    seconds=1_200,
    spark_cpu_seconds=900,
    spark_seconds=2_400,
    spark_cell_seconds=120,
)
TAUGHT = {
    "07.6": """from pyspark.sql import functions as F, Window
window = Window.partitionBy("group", "partition").orderBy("at_ms", F.desc("what"))
gaps = (
    changes.withColumn("next_ms", F.lead("at_ms").over(window))
    .withColumn("next_what", F.lead("what").over(window))
    .where("what != 'Adding newly' and next_what = 'Adding newly'")
)
totals = gaps.groupBy("group").agg(F.sum(F.col("next_ms") - F.col("at_ms")))
of_m4 = changes.where("client_id = 'm4' and what = 'Adding newly'")
firsts = dict(map(tuple, of_m4.groupBy("group").agg(F.min("at_ms")).collect()))
totals = dict(map(tuple, totals.collect()))
ms_without_owner = {g: totals.get(g, 0) for g in "ABCD"}
newcomer_waits_ms = {g: firsts[g] - started_ms for g in "ABCD"}
""",
    "10.6": """counted = late.where("level = 'WARN'").groupBy("client_id").count().collect()
times_left = {name: 0 for name in n} | {row["client_id"][-1]: row["count"] for row in counted}
""",
}


def broken_in(chapter: str, limits: Limits, spark: bool) -> dict[str, dict]:
    """What each cell that fails is heard to say; the answers are the reference's."""
    own, right = master(chapter), references(chapter)
    cells = [
        Step(right[cell.question] if cell.question else cell.source, None, cell.spark, cell.index)
        for cell in own.cells
        if cell.kind in ("code", "answer") and (spark or not cell.spark)
    ]
    numbers = {question.id: dict(numbers_for(question, "s017")) for question in own.questions}
    with Sandbox(limits=limits) as opened:
        heard = opened.run(jobs_of(cells, {}), numbers, spark=any(step.spark for step in cells))
    assert heard["ended"] == "", heard["ended"]
    return {own.cells[int(index)].source: reply for index, reply in heard["broken"].items()}


def marks(sandbox, chapter: str, answers: dict[str, str], tmp_path) -> dict:
    path = tmp_path / "s017.ipynb"
    notebook = rebuild(master(chapter), answers)
    for cell in notebook["cells"]:
        cell["source"] = text_of(cell).replace('me("")', 'me("s017")')
    path.write_text(json.dumps(notebook), encoding="utf-8")
    (submission,) = read(path)
    return run(submission, sandbox)


@pytest.mark.corpus
def test_the_given_cells_of_a_plain_chapter_run_behind_the_walls():
    assert broken_in("13", Limits(), spark=False) == {}


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_all_given_cells_run_behind_the_walls(chapter):
    assert broken_in(chapter, PATIENT, spark=True) == {}


@pytest.mark.slow
@pytest.mark.parametrize("question", ["07.6", pytest.param("10.6", marks=pytest.mark.slow)])
def test_the_taught_answer_of_a_spark_lab_has_its_points(question, sandbox, tmp_path):
    """It reads the frames that the given cells make, from files that they write."""
    result = marks(sandbox, question[:2], {question: TAUGHT[question]}, tmp_path)
    cell = result["cells"][question]
    assert (cell["score"], result["status"]) == (cell["max"], "graded"), (cell, result["reason"])


@pytest.mark.slow
def test_an_answer_with_a_session_of_its_own_has_its_points(sandbox, tmp_path):
    own = (
        "from kafkalab.logsets import read, session\n"
        'lines = read(session(), str(folder / "services"))\n'
        "late = lines.where(\"message like '%poll timeout%'\")\n" + TAUGHT["10.6"]
    )
    cell = marks(sandbox, "10", {"10.6": own}, tmp_path)["cells"]["10.6"]
    assert cell["score"] == cell["max"], cell


def test_what_starts_spark_is_seen_however_it_is_written():
    for source in (
        "from kafkalab import logsets\ns = logsets.session()",
        "from kafkalab.logsets import session\nsession()",
        "import pyspark.sql as ps\nps.SparkSession.builder.getOrCreate()",
        "from kafkalab import logsets\ndef lines():\n    return logsets.session()",
    ):
        assert starts_spark(source), source
    assert not starts_spark("from kafkalab import logsets\nsession_ms = 3")


def judged(sandbox, monkeypatch, failing: str, answers: dict[str, str]) -> dict:
    """The result of the demo chapter's answers where its given cell `seen = []` is another."""
    own = master("90")
    cells = tuple(
        replace(cell, source=failing) if cell.source == "seen = []" else cell for cell in own.cells
    )
    for module in (verdict, submission_run):
        monkeypatch.setattr(module, "master", lambda chapter: replace(own, cells=cells))
    submission = Submission("tried", own.path, "", "s017", "s017", "90", answers)
    return verdict.judge(submission, *hear(submission, sandbox))


@pytest.mark.parametrize(
    "failing, says",
    [
        ("seen = open('/course/seen', 'w')", "OSError: [Errno 30] Read-only file system"),
        ("seen = [].nowhere", "AttributeError: 'list' object has no attribute 'nowhere'"),
    ],
)
def test_where_a_given_cell_fails_no_answer_is_wrong(demo, sandbox, monkeypatch, failing, says):
    right = {"90.2": "def node_id(broker):\n    return 2**31 - 1 - broker"}
    result = judged(sandbox, monkeypatch, failing, {**right, "90.3": "total = sum(seen)"})
    cell = result["cells"]["90.3"]
    assert (cell["outcome"], cell["score"]) == ("waiting", 0), cell
    assert f"the given cell `{failing}` stopped with {says}" in cell["sentence"], cell
    assert needs_attention({"tried": result}) == ["tried"] and failing in result["reason"]
    assert marks_of(result)["90.3"].waits and result["cells"]["90.2"]["outcome"] == "right"


def test_a_given_cell_that_never_ends_is_named_too(demo, monkeypatch):
    with Sandbox(limits=Limits(cell_seconds=1)) as sandbox:
        result = judged(
            sandbox,
            monkeypatch,
            "seen = []\nwhile True:\n    seen = [1]",
            {"90.3": "total = sum(seen)"},
        )
    cell = result["cells"]["90.3"]
    assert cell["outcome"] == "waiting" and "gave no answer in its time" in cell["sentence"], cell


def test_a_given_cell_that_fails_takes_nothing_from_a_right_answer(demo, sandbox, monkeypatch):
    result = judged(
        sandbox,
        monkeypatch,
        "seen = [].nowhere",
        {"90.3": "def later():\n    return seen\ntotal = 6"},
    )
    assert result["cells"]["90.3"]["outcome"] == "right", result["cells"]["90.3"]


def test_what_a_learner_broke_is_no_fault_of_the_given_cell(demo, sandbox, monkeypatch):
    """The answer above hides `list`, and the given cell stumbles over it."""
    hides = {"90.1": "list = 4\nopened = 1\nkept = 2", "90.3": "total = sum(seen)"}
    result = judged(sandbox, monkeypatch, "seen = list(())", hides)
    assert result["cells"]["90.3"]["outcome"] == "wrong", result["cells"]["90.3"]


def test_a_cell_that_calls_a_function_changes_what_the_function_fills():
    """`add` fills `seen`, so the cell that only calls it is needed."""
    cells = [
        "seen = []\n\ndef add(x):\n    seen.append(x)",
        "def twice(x):\n    add(x)\n    add(x)",
    ]
    assert needed([*cells, "twice(1)", "other = 1", "total = len(seen)"], 4) == {0, 1, 2}
    assert needed(["low = 1\nclass Row:\n    first = low", "row = Row()"], 1) == {0}
    assert needed(["low = 1", "class Row:\n    first = low", "row = Row()"], 2) == {0, 1}


def test_an_error_in_a_function_of_a_cell_above_is_told_at_the_line_that_calls_it():
    above = "\n\n\n\ndef oldest(connections):\n    return connections[0]\n"
    answer = "def to_close(connections, now_ms, limit_ms):\n    return oldest(connections)\n"
    case = {"limit_ms": 5, "now_ms": 9, "connections": []}
    steps = [
        {"source": above, "question": None, "cases": []},
        {"source": answer, "question": "02.9", "cases": [case]},
    ]
    with Sandbox() as sandbox:
        [reply] = sandbox.run(steps, {})["replies"]["02.9"]
    assert (reply["raised"], reply["line"]) == ("IndexError", 2)
