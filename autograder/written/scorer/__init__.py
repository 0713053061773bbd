"""Suggests a mark for one open answer from the Rubric that is handed in, and explains each idea.

    from autograder.written.scorer import score
    score(rubric, "Four are opened, three are kept ...").sentence

`score` is the only function for others; the classes are what a rubric is written with and what
`score` gives. Inside, `text` reads the answer into tokens, `spelling` mends slips, `patterns` is
the language of the rubrics, `concepts` looks for ideas and for what contradicts them, `denials`
finds answers that deny the ideas, `gaming` turns away what is none.
"""

from collections.abc import Callable

from autograder.written.scorer.concepts import Blunder, Concept
from autograder.written.scorer.patterns import Lexicon, lists
from autograder.written.scorer.score import (
    PASS_MARK,
    ConceptFinding,
    Rubric,
    Span,
    Suggestion,
    mark_for,
    phrase_places,
    rule_mark,
    score,
)
from autograder.written.scorer.text import read

Suggest = Callable[[Rubric, str | None], Suggestion]
"""What suggests a mark: from a rubric and an answer a Suggestion. A course's own is
`rubrics.by_lexicon`; a teacher's may be `model.Model`, or any function."""

__all__ = [
    "PASS_MARK",
    "Blunder",
    "Concept",
    "ConceptFinding",
    "Lexicon",
    "Rubric",
    "Span",
    "Suggest",
    "Suggestion",
    "lists",
    "mark_for",
    "phrase_places",
    "read",
    "rule_mark",
    "score",
]
