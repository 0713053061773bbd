"""A small class with open answers and a rubric for the demo chapter:
what calibrating and reviewing are tried on."""

import re
import shutil
import sqlite3
import threading
from pathlib import Path

from autograder.grade import grade_class
from autograder.grading import verdict
from autograder.grading.lanes import lane
from autograder.written import calibration
from autograder.written.scorer import ConceptFinding, Span, Suggestion

IDEAS = {
    "a socket of its own": ("own", "separate"),
    "heartbeats wait": ("wait", "stuck"),
    "behind a fetch": ("fetch",),
    "the socket": ("socket", "connection"),
}
GOOD = (
    "The coordinator gets its own socket, because heartbeats would wait behind a long fetch.",
    (
        "It has a separate connection: otherwise heartbeats are stuck behind a fetch on the same "
        "socket."
    ),
    (
        "A heartbeat on the socket of the leader would wait until the fetch before it is answered, "
        "so it has its own connection."
    ),
)
_MADE: dict[tuple, Path] = {}
POOR = (
    "Because Kafka likes to have one socket more for the records.",
    "The fetch is faster that way, and the socket is used less often.",
    "Sockets are cheap and connections to the broker are opened for everything.",
)


class Here:
    """A judge without a process of its own, asked like one (child_process.py):
    for tests that have taught this process something."""

    def __init__(self):
        self._lock = threading.Lock()

    def ask(self, question: dict) -> dict:
        with self._lock:
            return verdict._answer(question)

    def start(self) -> None:
        """Nothing to start."""

    def stop(self) -> None:
        """Nothing to end."""


def marked_by_words(
    question: str, answer: str, hash: str = "first", needed: str = ""
) -> Suggestion:
    """A scorer anybody can follow: a point for each idea one of whose words is there,
    and always sure of itself."""
    found = []
    for name, words in IDEAS.items():
        hits = [hit for word in words for hit in re.finditer(word, answer.lower())][:1]
        spans = tuple(Span(hit.start(), hit.end(), answer[hit.start() : hit.end()]) for hit in hits)
        found.append(
            ConceptFinding(
                name,
                "present" if hits else "missing",
                spans,
                f"{'Found' if hits else 'Not found'}: {name}.",
            )
        )
    mark = sum(idea.status == "present" for idea in found) if needed in answer else 0
    return Suggestion(
        question, mark, mark >= 3, 0.95, tuple(found), (), f"Suggested {mark} of 4.", hash
    )


def use_rubric(monkeypatch, **changed) -> None:
    """Let 90.open be suggested by this scorer; `changed` makes another rubric of it."""
    monkeypatch.setattr(lane, "new_judge", Here)
    for module in (verdict, calibration):
        monkeypatch.setattr(
            module, "suggest", lambda question, answer: marked_by_words(question, answer, **changed)
        )


def teach(hand_in, tmp_path, answers, name="class"):
    """Grade a class with these open answers, s01 the first; returns OUT.
    The same class is graded once and copied then."""
    made = _MADE.get(answers)
    if made is not None and made.exists():
        shutil.copytree(made / name, tmp_path / name)
        return Path(shutil.copytree(made / "out", tmp_path / "out"))
    for number, text in enumerate(answers, 1):
        hand_in(f"s{number:02}", {"90.open": text}, student=f"s{number:02}", folder=tmp_path / name)
    grade_class(tmp_path / name, tmp_path / "out", say=lambda text: None)
    _MADE[answers] = tmp_path.with_name(tmp_path.name + "-kept")
    shutil.copytree(tmp_path, _MADE[answers])
    return tmp_path / "out"


def book(out) -> dict[str, tuple]:
    """{student: (auto_score, manual_score, needs_manual_grade, manual_comment)} of the open
    question, as it stands in the gradebook."""
    with sqlite3.connect(out / "gradebook.db") as database:
        rows = database.execute("""
            select a.student_id, g.auto_score, g.manual_score, g.needs_manual_grade, c.manual_comment from grade g
            join base_cell b on b.id = g.cell_id join submitted_notebook n on n.id = g.notebook_id
            join submitted_assignment a on a.id = n.assignment_id
            left join comment c on c.notebook_id = n.id and c.cell_id = (select id from base_cell s where s.name = b.name and s.type = 'SolutionCell')
            where b.name = 'q-90-open' order by a.student_id""").fetchall()  # noqa: E501
    return {row[0]: row[1:] for row in rows}
