"""Asks check and grade for the verdict on the same answers of a notebook, to compare them.

`at_home` runs all cells of a chapter in one process, in the notebook's order. At each answer cell
it forks for each way to write the answer, and the fork asks check. `when_graded` writes a notebook
for each way and grades it in the sandbox.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from multiprocessing import get_context
from zlib import crc32

import pytest

from autograder.cell import check as _  # noqa: F401 - the module behind the function of that name
from autograder.cell import course_at_hand
from autograder.cell.numbers import numbers_for, pretending
from autograder.cell.reply import quiet
from autograder.course.masters import Master, master
from autograder.course.references import references
from autograder.course.rehearsal import Nowhere
from autograder.grading.lanes.submission_run import hear, python_of
from autograder.grading.verdict import Mark, mark
from autograder.handed_in.assignment import needed_given, rebuild
from autograder.handed_in.submission import read
from autograder.tests.honest.styles import Written
from autograder.tests.learners_machine import LearnersMachine

words = sys.modules["autograder.cell.check"]
FORK = get_context("fork")
STUDENT = "s017"


def at_home(
    chapter: str, tried: Mapping[str, list[Written]], student: str = STUDENT
) -> dict[str, list]:
    """For each question and way to write it (is it right, what is said), as check says it. Cells
    that use Spark do not run: None stands for an answer that needs one."""
    own, right, found = master(chapter), references(chapter), {}
    module = type(sys)("__main__")
    module.__dict__.update(get_ipython=Nowhere, display=lambda *things, **options: None)
    numbers = {each.id: dict(numbers_for(each, student)) for each in own.questions}
    last = max(own.answer_cell(question).index for question in tried)
    with (
        pretending(numbers),
        pytest.MonkeyPatch.context() as patched,
        quiet(),
    ):
        patched.setattr(course_at_hand, "_course", LearnersMachine(student))
        patched.setattr(words, "_student", student)
        patched.setitem(sys.modules, "__main__", module)
        for cell in own.cells[: last + 1]:
            if cell.kind not in ("code", "answer") or (cell.spark and not cell.question):
                continue
            if cell.question in tried:
                question = next(each for each in own.questions if each.id == cell.question)
                # seals the verdicts once; in each fork it would be done again
                course_at_hand.course().has_hidden_cases(question)
                found[question.id] = [
                    None
                    if _needs_spark(own, {**right, question.id: written.whole}, question.id)
                    else _in_a_fork(question, module.__dict__, written)
                    for written in tried[question.id]
                ]
            _run(right[cell.question] if cell.question else cell.source, module.__dict__)
    return found


def _needs_spark(own: Master, answers: Mapping[str, str], question: str) -> bool:
    needed = *needed_given(own, answers, question), own.answer_cell(question).index
    return any(own.cells[index].spark for index in needed)


def when_graded(
    chapter: str, tried: Mapping[str, list[Written]], sandbox, folder, student: str = STUDENT
) -> dict[str, list[Mark]]:
    """For each question and way to write it the mark that grading gives, of one point."""
    own, found = master(chapter), {}
    for question in (each for each in own.questions if each.id in tried):
        found[question.id] = []
        for number, written in enumerate(tried[question.id]):
            path = folder / f"{question.grade_id}-{number}.ipynb"
            notebook = notebook_with(chapter, question.id, written, student)
            path.write_text(json.dumps(notebook), encoding="utf-8")
            (submission,) = read(path)
            assert submission.can_run, (question.id, written, submission.reason)
            asked, heard = hear(submission, sandbox, {question.id})
            found[question.id].append(mark(question, 1.0, asked[question.id], heard))
    return found


def _run(source: str, namespace: dict) -> None:
    try:
        exec(compile(python_of(source), "<answer>", "exec"), namespace)
    except BaseException:
        # a notebook goes on with the next cell
        return


def _in_a_fork(question, namespace: dict, written: Written) -> tuple[bool, str]:
    # unlike a bare fork, a process of this module removes its temporary folders
    hearing, telling = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_tell, args=(telling, question, namespace, written))
    child.start()
    telling.close()
    try:
        return hearing.recv()
    except EOFError:
        return False, "check ended without a word"
    finally:
        child.join()


def _tell(telling, question, namespace: dict, written: Written) -> None:
    for source in (*written.imports, *written.above, written.source, *written.below):
        _run(source, namespace)
    said = words.judge_openly(question, namespace)
    telling.send((all(each.ok for each in said), " | ".join(each.sentence for each in said)))


def notebook_with(chapter: str, question: str, written: Written, student: str) -> dict:
    """The notebook of a student with right answers, and this one to the question."""
    own = master(chapter)
    notebook = rebuild(own, {**references(chapter), question: written.source})
    place = own.answer_cell(question).index
    for source in reversed(written.below):
        notebook["cells"].insert(place + 1, _cell(source))
    for source in reversed((*written.imports, *written.above)):
        notebook["cells"].insert(place, _cell(source))
    for cell in notebook["cells"]:
        # a released notebook keeps a source as a list of lines
        cell["source"] = "".join(cell["source"]).replace('me("")', f'me("{student}")')
    return notebook


def _cell(source: str) -> dict:
    cell = {"id": f"own{crc32(source.encode()):08x}", "metadata": {}, "source": source}
    if source.startswith("# "):
        return {"cell_type": "markdown", **cell}
    return {"cell_type": "code", **cell, "execution_count": None, "outputs": []}
