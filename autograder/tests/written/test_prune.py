"""A rubric loses what decides nothing, keeps what an answer needs, and stays the rubric it was."""

from __future__ import annotations

import pytest

from autograder.course import exercises
from autograder.tests.written.scorer import measure
from autograder.written import prune as pruning
from autograder.written.prune import MOST_LINES, Pruning, draft, prune
from autograder.written.rubrics import by_question, find
from autograder.written.score_table import MarkedAnswer
from autograder.written.scorer import score
from kafkalab.tests.shares import few

SOURCE = '''\
# %% [markdown]
# Who leads a partition, and who follows?

# %% [markdown] answer
# One broker leads it. The others follow.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: one broker leads.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
broker: broker, server,
    contraption, gizmo
rest: others, rest, remaining brokers
"""
    )
)

Rubric(
    lexicon=_WORDS,
    topic=("{broker}",),
    concepts=(
        Concept(
            "one leads",
            says="one broker leads",
            gloss="x",
            ways=(
                "one {broker} (leads|commands|steers)",
                "nobody shares {broker} with any other of them",
                "{broker} alone leads all of it, whatever happens to the rest",
                "{broker} is the only one that anybody follows here",
            ),
        ),
        Concept("the others follow", says="the others follow", gloss="y", ways=("{rest} follow",)),
    ),
    blunders=(Blunder("central_claim_wrong", "all lead", "z", ways=("all (lead|steer)",)),),
)
'''
SEEN = [
    MarkedAnswer("77.open", 0, 4, "LF", "One broker leads the partition, the others follow it."),
    MarkedAnswer("77.open", 1, 2, "L", "One server leads and nothing else is known to me."),
    MarkedAnswer("77.open", 2, 1, "!", "All lead, one broker leads as well, and others follow it."),
]


@pytest.fixture
def exercise(tmp_path):
    path = tmp_path / "77_open_leaders.py"
    path.write_text(SOURCE, encoding="utf-8")
    return exercises.read("77.open", path)


def test_what_no_answer_needs_goes_and_what_one_needs_stays(exercise):
    whole = draft(exercise)
    short = Pruning(whole, SEEN).run(most=1).text
    for gone in ("contraption", "gizmo", "remaining brokers", "nobody shares"):
        assert gone not in short, short
    for kept in (
        "broker: broker, server\n",
        "rest: others\n",
        "one {broker} (leads",
        "all (lead",
        "# Facts:",
    ):
        assert kept in short, short


def test_nothing_goes_from_a_rubric_that_is_short(exercise):
    whole = draft(exercise)
    assert Pruning(whole, SEEN).run(MOST_LINES) is whole


def test_the_exercise_is_written_and_the_table_told(exercise, monkeypatch):
    monkeypatch.setattr(pruning, "find", lambda question: exercise)
    parts = {("77.open", "seen"): SEEN, ("77.open", "held"): SEEN[:2]}
    monkeypatch.setattr(pruning.score_table, "parts", lambda: parts)
    told = prune("77.open", most=1)
    assert "read while pruning (3)" in told and "kept back (2)" in told
    assert "1.00 > 1.00" in told and "0 > 0" in told
    written = exercise.path.read_text(encoding="utf-8")
    assert "gizmo" not in written and written.startswith(SOURCE[:200])


@pytest.mark.parametrize("question", few(sorted(by_question()), 4))
def test_a_rubric_written_again_suggests_what_it_suggested(question):
    """The form in which a rubric is written is no part of what it means."""
    whole = draft(exercises.find(question))
    first = next(name for name in measure.names() if name.startswith(f"{question}-"))
    for one in measure.corpus(first)[:6]:
        again, known = (score(rubric, one.answer) for rubric in (whole.rubric, find(question)))
        assert (again.mark, again.confidence) == (known.mark, known.confidence)


@pytest.mark.parametrize("question", sorted(by_question()))
def test_a_rubric_is_claims_and_no_thesaurus(question):
    """Pruned further, the rubrics judge new answers worse; 02.open has most false claims."""
    assert draft(exercises.find(question)).lines <= {"02.open": 380}.get(question, 305)
