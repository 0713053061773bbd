"""Suggests a mark for each open answer of a file, and how urgently a person should read it.

The command is `score`.

    python -m autograder score 03.open ANSWERS.json        [{"id": "s1", "answer": "Four ..."}, ...]

The decision is the scorer's own word and no grade: accept, a clear pass; reject, a clear fail;
review, neither. Whether a teacher lets it count is settled elsewhere, on that teacher's own marks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from autograder.written.rubrics import by_lexicon, find
from autograder.written.scorer import Suggest, Suggestion

ACCEPT_FROM = 0.80
REJECT_FROM = 0.66
"""Least confidence of a clear pass and of a clear fail. Chosen on the development halves of the
marked sets: a wrong pass costs a learner's trust in the marks, a wrong fail a minute of the
teacher's."""

CLEAR_FAIL = 2


def decide(suggestion: Suggestion) -> str:
    """accept, reject or review. An empty answer is a clear fail;
    a doubtful one of any mark is for a person."""
    if "over_length" in suggestion.flags or "low_confidence" in suggestion.flags:
        return "review"
    if suggestion.passed:
        return "accept" if suggestion.confidence >= ACCEPT_FROM else "review"
    return (
        "reject"
        if suggestion.mark <= CLEAR_FAIL and suggestion.confidence >= REJECT_FROM
        else "review"
    )


def score_answer(question: str, id: object, answer: str, suggest: Suggest = by_lexicon) -> dict:
    """One answer's row of the output. Raises RubricMissing for a question without a rubric."""
    suggestion = suggest(find(question), answer)
    return {
        "id": id,
        "mark": suggestion.mark,
        "pass": suggestion.passed,
        "decision": decide(suggestion),
        "concepts": {
            idea.name: {
                "found": idea.status == "present",
                "evidence": " ... ".join(span.quote for span in idea.evidence),
                "sentence": idea.sentence,
            }
            for idea in suggestion.concepts
        },
        "confidence": round(suggestion.confidence, 2),
        "flags": list(suggestion.flags),
        "sentence": suggestion.sentence,
    }


def score_file(
    question: str, path: Path, suggest: Suggest = by_lexicon, ready: Callable = len
) -> list[dict]:
    """Every answer of a file, in its order. Raises ValueError with one
    sentence for a file that is not such a list. `ready` hears all rows before the first is read."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as broken:
        raise ValueError(
            f'{path} is not JSON ({broken}); wanted: [{{"id": ..., "answer": "..."}}, ...].'
        ) from None
    if not isinstance(rows, list):
        raise ValueError(f'{path} holds no list; wanted: [{{"id": ..., "answer": "..."}}, ...].')
    for number, row in enumerate(rows, 1):
        if (
            not isinstance(row, dict)
            or "id" not in row
            or not isinstance(row.get("answer"), (str, type(None)))
        ):
            raise ValueError(
                f'Entry {number} of {path} is not {{"id": ..., "answer": "..."}}; mend it and run '
                "the same command again."
            )
    ready(rows)
    return [score_answer(question, row["id"], row.get("answer") or "", suggest) for row in rows]


def _refuse(word: str):
    """Python writes these where JSON has no word; they would be in what we print,
    and no reader of JSON would accept it."""
    raise ValueError(f"{word} is no word of JSON: write null, or a text")
