"""A course of one tiny chapter, 90, about nothing but counting: what the engine is tried on, apart
from Kafka.

`build(folder)` writes a whole course folder (questions/, judges/, notebooks/) such as
AUTOGRADER_COURSE may name.
"""

import json
from pathlib import Path

QUESTIONS = """
from autograder.cell.question import Question

def call_node_id(names, case):
    return names["node_id"](case["broker"])

QUESTIONS = (
    Question("90.1", "count the sockets", 2, "value", answers=("opened", "kept"),
             space={"brokers": (2, 3, 4, 5, 6), "partitions": (5, 7, 9)}, where=lambda n: n["partitions"] > n["brokers"],
             hints=("One leader may lead many partitions.", "Who asks, who leads, who coordinates?")),
    Question("90.2", "the coordinator's node id", 3, "function", answers=("node_id",), probe=call_node_id,
             public_cases=({"case": "broker 2", "broker": 2}, {"case": "broker 0", "broker": 0}),
             hints=("Java's largest int.", "2147483647 minus something.")),
    Question("90.3", "the sum you kept", 1, "value", answers=("total",)),
    Question("90.open", "Why?", 4, "open"),
)
"""  # noqa: E501
JUDGES = """
from autograder.course.judge import Judge, WrongAnswer

JUDGES = (
    Judge("90.1", truth=lambda n: {"opened": n["brokers"] + 2, "kept": n["brokers"] + 1},
          reference="opened = 1 + n.brokers + 1\\nkept = opened - 1",
          right="one to ask, {brokers} leaders, one coordinator.",
          otherwise="not {brokers} brokers' worth of sockets.",
          wrong_answers=(
              WrongAnswer("one per partition", "opened = n.partitions\\nkept = n.partitions", "You counted one for each of the {partitions} partitions."),
              WrongAnswer("coordinator shares", "opened = n.brokers + 1\\nkept = n.brokers", "The coordinator has a socket of its own."),
              WrongAnswer("bootstrap stays", "opened = n.brokers + 2\\nkept = n.brokers + 2", "The first socket goes idle and is closed."))),
    Judge("90.2", truth=lambda case: 2147483647 - case["broker"],
          hidden_cases=lambda rng: [{"broker": rng.randrange(3, 1000)} for _ in range(4)],
          reference="def node_id(broker):\\n    return 2**31 - 1 - broker",
          wrong_answers=(
              WrongAnswer("off by one", "def node_id(broker):\\n    return 2**31 - broker", "2**31 is one more than Java's largest int."),
              WrongAnswer("copied the public cases", "def node_id(broker):\\n    return {2: 2147483645, 0: 2147483647}[broker] if broker < 3 else 2147483645",
                          "You return what the examples show; find the rule."),
              WrongAnswer("minus sign", "def node_id(broker):\\n    return -broker", "Negative ids are the bootstrap servers'."))),
    Judge("90.3", truth=lambda case: {"total": 6}, reference="total = sum(seen)",
          wrong_answers=(WrongAnswer("counted", "total = len(seen)", "That is how many there are."),)),
    Judge("90.open", reference="Because the coordinator must not wait behind a long fetch."),
)
"""  # noqa: E501
ANSWER = {"grade": False, "locked": False, "solution": True, "task": False, "schema_version": 3}
TEST = {"grade": True, "locked": True, "solution": False, "task": False, "schema_version": 3}
OPEN = {"grade": True, "locked": False, "solution": True, "task": False, "schema_version": 3}


def notebook() -> dict:
    """The release notebook of chapter 90."""
    cells = [
        _cell("markdown", "# 90 A demo"),
        _cell("code", "from autograder import check, me, numbers, require"),
        _cell("code", 'me("")'),
        _cell("code", 'n = numbers("90.1")\nn'),
        _cell("code", "opened = ...\nkept = ...", {**ANSWER, "grade_id": "q-90-1"}),
        _cell("code", 'check("90.1")'),
        _cell("code", 'require("90.1")', {**TEST, "grade_id": "q-90-1-test", "points": 2}),
        _cell("code", "raise RuntimeError('a picture nobody needs for grading')"),
        _cell("code", "def node_id(broker):\n    ...", {**ANSWER, "grade_id": "q-90-2"}),
        _cell("code", 'require("90.2")', {**TEST, "grade_id": "q-90-2-test", "points": 3}),
        _cell("code", "seen = []"),
        _cell("code", "for x in (1, 2, 3):\n    seen.append(x)"),
        _cell("code", "total = ...", {**ANSWER, "grade_id": "q-90-3"}),
        _cell("code", 'require("90.3")', {**TEST, "grade_id": "q-90-3-test", "points": 1}),
        _cell("markdown", "*Your answer here.*", {**OPEN, "grade_id": "q-90-open", "points": 4}),
    ]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "autograder": {"chapter": "90"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def build(folder: Path) -> Path:
    """Write the course and return its folder."""
    for part, text in (("questions", QUESTIONS), ("judges", JUDGES)):
        (folder / part).mkdir(parents=True)
        (folder / part / "ch90.py").write_text(text)
    release = folder / "notebooks" / "release" / "90_demo"
    release.mkdir(parents=True)
    (release / "90_demo.ipynb").write_text(json.dumps(notebook(), indent=1))
    return folder


def _cell(kind: str, source: str, marks: dict | None = None) -> dict:
    cell = {
        "cell_type": kind,
        "id": f"c{abs(hash(source)) % 10**8}",
        "metadata": {"nbgrader": marks} if marks else {},
        "source": source,
    }
    if marks is not None and marks["locked"]:
        cell["metadata"]["tags"] = ["raises-exception"]
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}
