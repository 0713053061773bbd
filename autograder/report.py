"""What a teacher reads first: the class in a table, which misconceptions were there, and where to look next."""
from __future__ import annotations

import json
import shlex
import statistics
import sys
from collections import Counter
from pathlib import Path

LEAST_FOR_STATISTICS = 10
"""Fewer students than this say nothing about a question."""

STATUSES = ("graded", "repaired", "partial", "unreadable", "refused")


def report(out: Path) -> str:
    """The report on an OUT folder, as text; LookupError, with a sentence, when nothing was graded into it."""
    try:
        results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise LookupError(f"There are no results in {out}; `python -m autograder grade DIR --out {out}` makes them.") from None
    parts = [_status_line(results)]
    for assignment in sorted({result["assignment"] for result in results.values() if result["assignment"]}):
        parts.append(_assignment(assignment, {name: result for name, result in results.items()
                                              if result["assignment"] == assignment and result["counted"]}))
    troubled = [f"  {name}: {result['status']}, {result['reason']}" for name, result in results.items() if result["status"] != "graded"]
    if troubled:
        parts.append("Not simply graded\n" + "\n".join(troubled))
    parts.append(_next(out, results))
    return "\n\n".join(parts)


def _status_line(results: dict) -> str:
    counted = Counter(result["status"] for result in results.values())
    return f"{len(results)} submissions: " + ", ".join(f"{counted[status]} {status}" for status in STATUSES if counted[status])


def _assignment(name: str, results: dict) -> str:
    questions = list(dict.fromkeys(question for result in results.values() for question in result["cells"]))
    width = max(len(result["student"]) for result in results.values())
    lines = [f"{name}", f"  {'student':{width}}  {'score':>7}  " + " ".join(f"{question[3:]:>5}" for question in questions)]
    for result in sorted(results.values(), key=lambda result: (result["student"], -result["score"])):
        marks = " ".join(f"{_mark(result['cells'].get(question)):>5}" for question in questions)
        lines.append(f"  {result['student']:{width}}  {result['score']:>3g}/{result['max']:<3g}  {marks}")
    passed = " ".join(f"{_passed(results, question):>5}" for question in questions)
    lines.append(f"  {'full marks':{width}}  {'':7}  {passed}")
    if len(results) >= LEAST_FOR_STATISTICS:
        told = " ".join(f"{_discrimination(results, question):>5}" for question in questions)
        lines.append(f"  {'tells apart':{width}}  {'':7}  {told}")
    mistaken = _misconceptions(results)
    if mistaken:
        lines.append("  What people took for true, most frequent first:")
        lines += [f"    {count:3} x {question} {wrong}: {sentence}" for (question, wrong, sentence), count in mistaken]
    return "\n".join(lines)


def _mark(cell: dict | None) -> str:
    if cell is None:
        return ""
    if cell["kind"] == "open":
        return "waits" if cell["sentence"].startswith("waits") else "-"
    return f"{cell['score']:g}"


def _passed(results: dict, question: str) -> str:
    cells = [result["cells"][question] for result in results.values() if question in result["cells"]]
    if cells[0]["kind"] == "open":
        return ""
    return f"{100 * sum(cell['score'] == cell['max'] for cell in cells) / len(cells):.0f}%"


def _discrimination(results: dict, question: str) -> str:
    """How well a question tells those who know from those who do not: the correlation of its marks with those of all other
    questions together (the corrected item-total correlation). Near 0 or below, the question itself should be looked at."""
    rows = [result["cells"] for result in results.values() if question in result["cells"] and result["cells"][question]["kind"] != "open"]
    own = [cells[question]["score"] for cells in rows]
    rest = [sum(cell["score"] for name, cell in cells.items() if name != question) for cells in rows]
    if len(set(own)) < 2 or len(set(rest)) < 2:
        return ""
    return f"{statistics.correlation(own, rest):.2f}"


def _misconceptions(results: dict) -> list:
    counted, told = Counter(), {}
    for result in results.values():
        for question, wrong in result["misconceptions"].items():
            counted[question, wrong] += 1
            told.setdefault((question, wrong), result["cells"][question]["sentence"])      # with that student's numbers
    return [((*each, told[each]), count) for each, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]


def _next(out: Path, results: dict) -> str:
    lines = ["Where to look next"]
    waiting = sum(result["open_pending"] > 0 for result in results.values())
    if waiting:
        lines.append(f"  {waiting} submissions have an open answer waiting for you. They are read in formgrader:")
        lines.append(f"    cd {out} && {shlex.quote(sys.executable)} -m jupyterlab, then Nbgrader > Formgrader in the menu.")
    mistaken = _misconceptions({name: result for name, result in results.items() if result["counted"]})
    if mistaken:
        (question, wrong, _), count = mistaken[0]
        lines.append(f"  Talk about \"{wrong}\" ({question}) in class: {count} gave that answer.")
    if any(result["status"] not in ("graded", "repaired") for result in results.values()):
        lines.append("  Write to those listed above as partial, unreadable or refused: their reason says what to send again.")
    lines.append(f"  Every result, with its sentence: {out / 'results.json'}")
    return "\n".join(lines)
