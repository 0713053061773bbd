"""A small class with open answers and a rubric for the demo chapter: what calibrating and reviewing are tried on."""
import shutil
import sqlite3
from pathlib import Path

from autograder import grade
from autograder.grade import grade_class
from autograder.judging import Here
from autograder.rubric import score
from autograder.rubric.concepts import Concept
from autograder.rubric.patterns import Lexicon
from autograder.rubric.score import Rubric

LEXICON = Lexicon({"wait": "wait*, queue*, stuck", "fetch": "fetch*", "beat": "heartbeat*", "own": "own, separate", "socket": "socket*, connection*"})
RUBRIC = Rubric(
    "90.open", "Why?", LEXICON, topic=("{fetch}", "{beat}", "{socket}"), concepts=(
        Concept("a socket of its own", "the coordinator has a socket of its own", "单独的连接", ("{own} .. {socket}", "{socket} .. {own}")),
        Concept("heartbeats wait", "heartbeats would wait", "心跳等待", ("~{beat} .. {wait}",)),
        Concept("behind a fetch", "what they wait for is a fetch", "在拉取之后", ("~{wait} .. {fetch}", "~{fetch} .. {wait}")),
        Concept("the socket", "it is about sockets", "连接", ("{socket}",))))
GOOD = ("The coordinator gets its own socket, because heartbeats would wait behind a long fetch.",
        "It has a separate connection: otherwise heartbeats are stuck behind a fetch on the same socket.",
        "A heartbeat on the socket of the leader would wait until the fetch before it is answered, so it has its own connection.")
_MADE: dict[tuple, Path] = {}
POOR = ("Because Kafka likes to have one socket more for the records.", "The fetch is faster that way, and the socket is used less often.",
        "Sockets are cheap and connections to the broker are opened for everything.")


def use_rubric(monkeypatch, rubric=RUBRIC) -> None:
    """Let 90.open be suggested by this rubric, here and when a class is graded."""
    monkeypatch.setattr(grade, "new_judge", Here)
    monkeypatch.setitem(score.__globals__, "_rubrics", lambda: {"90.open": rubric})
    monkeypatch.setitem(score.__globals__, "_HASHES", {})


def teach(hand_in, tmp_path, answers, name="class"):
    """Grade a class with these open answers, s01 the first; returns OUT. The same class is graded once and copied then."""
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
    """{student: (auto_score, manual_score, needs_manual_grade, manual_comment)} of the open question, as it stands in the gradebook."""
    with sqlite3.connect(out / "gradebook.db") as database:
        rows = database.execute("""
            select a.student_id, g.auto_score, g.manual_score, g.needs_manual_grade, c.manual_comment from grade g
            join base_cell b on b.id = g.cell_id join submitted_notebook n on n.id = g.notebook_id
            join submitted_assignment a on a.id = n.assignment_id
            left join comment c on c.notebook_id = n.id and c.cell_id = (select id from base_cell s where s.name = b.name and s.type = 'SolutionCell')
            where b.name = 'q-90-open' order by a.student_id""").fetchall()
    return {row[0]: row[1:] for row in rows}
