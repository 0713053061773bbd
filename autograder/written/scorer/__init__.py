"""Suggested marks for open answers, explained concept by concept.

    from autograder.written.scorer import score
    score("03.open", "Four are opened, three are kept ...").sentence

Walk: `text` reads the answer into tokens, `spelling` mends slips, `patterns` is the language of the
rubrics, `concepts` looks for ideas and for what contradicts them, `counts` finds the numbers,
`gaming` turns away what is no answer, `score` puts it together. The rubrics themselves live in
`autograder/written/rubrics/` and never reach a learner.
"""

from autograder.written.scorer.score import (
    PASS_MARK,
    ConceptFinding,
    RubricMissing,
    Span,
    Suggestion,
    questions,
    score,
)

__all__ = [
    "PASS_MARK",
    "ConceptFinding",
    "RubricMissing",
    "Span",
    "Suggestion",
    "questions",
    "score",
]
