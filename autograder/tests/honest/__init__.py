"""Honest notebooks, as people really write them, each with the score it must get.

`notebooks(chapter, count)` takes the right answers of a chapter and rewrites them in one of many
styles: through helpers in cells of their own, with prints everywhere, comments in Chinese, odd
names, imports added to a given cell, plots, magics. Some answers are wrong in one of the named
ways, some are not written yet. Nobody here has touched a locked cell: nothing may be flagged.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from random import Random

from autograder.cell.course_folder import text_of
from autograder.course.judge import judge_of
from autograder.course.masters import Master, master
from autograder.course.references import references
from autograder.handed_in.assignment import rebuild
from autograder.proving.pupils import write_id
from autograder.tests.honest.styles import STYLES, Written

OUTPUT = [
    {"output_type": "stream", "name": "stdout", "text": "I was here\n" * 50},
    {
        "output_type": "display_data",
        "data": {"text/html": "<b>table</b>", "text/plain": "table"},
        "metadata": {},
    },
]


@dataclass(frozen=True)
class Honest:
    """One notebook: who wrote it, how, and the points of each machine-checked question."""

    student: str
    style: str
    notebook: dict
    points: dict[str, float]

    @property
    def score(self) -> float:
        return sum(self.points.values())


def notebooks(chapter: str, count: int, seed: int = 1, spark: bool = True) -> list[Honest]:
    """`count` honest notebooks of a chapter. Without `spark`,
    answers that start Spark are left blank."""
    own = master(chapter)
    return [
        _one(own, number, Random(f"{seed} {chapter} {number}"), spark) for number in range(count)
    ]


def _one(own: Master, number: int, luck: Random, spark: bool) -> Honest:
    style = STYLES[number % len(STYLES)]
    student = f"h{own.chapter}{number:03}"
    right, points = references(own.chapter), {}
    answers, added = {}, []
    machine = [question for question in own.questions if question.kind != "open"]
    # every fifth is half finished
    done = len(machine) if number % 5 else luck.randrange(len(machine))
    for place, question in enumerate(machine):
        cell = own.answer_cell(question.id)
        needs_spark = question.kind == "spark" or any(
            each.spark for each in own.cells if each.question == question.id
        )
        if place >= done or (needs_spark and not spark):
            points[question.id] = 0.0
            continue
        wrong = judge_of(question.id).wrong_answers
        chosen = luck.choice(wrong) if wrong and number % 3 == 2 and luck.random() < 0.5 else None
        points[question.id] = 0.0 if chosen else own.points(question)
        written = style.write(chosen.source if chosen else right[question.id], question.answers)
        answers[question.id] = written.source
        added.append((cell.index, written))
    if number % 4:
        answers.update(
            {
                question.id: right[question.id]
                for question in own.questions
                if question.kind == "open" and question.id in right
            }
        )
    return Honest(student, style.name, _notebook(own, student, answers, added, number), points)


def _notebook(
    own: Master, student: str, answers: dict, added: list[tuple[int, Written]], number: int
) -> dict:
    notebook = copy.deepcopy(rebuild(own, answers))
    write_id(notebook, student)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and number % 2:
            cell.update(execution_count=number, outputs=copy.deepcopy(OUTPUT))
        if number % 7 == 3:
            cell["metadata"].update(
                {"tags": ["seen"], "scrolled": True, "vscode": {"languageId": "python"}}
            )
        if number % 7 == 5:
            cell["source"] = text_of(cell).splitlines(keepends=True)
    for index, written in sorted(added, key=lambda each: -each[0]):
        for source in written.below:
            notebook["cells"].insert(index + 1, _cell(source))
        for source in reversed(written.above):
            notebook["cells"].insert(index, _cell(source))
    imports = sorted({line for _, written in added for line in written.imports})
    # written into the notebook's own first cell of code
    if imports:
        first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        first["source"] = text_of(first) + "\n" + "\n".join(imports)
    if number % 3 == 1:
        notebook["cells"].insert(
            2,
            {
                "cell_type": "markdown",
                "metadata": {},
                "source": "My notes: 连接 = connection.",
                "id": "notes",
            },
        )
        notebook["cells"].append(
            _cell("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()")
        )
    return notebook


def _cell(source: str) -> dict:
    return {
        "cell_type": "code",
        "id": f"own{abs(hash(source)) % 10**8}",
        "metadata": {},
        "source": source,
        "execution_count": None,
        "outputs": [],
    }
