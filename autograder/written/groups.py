"""Groups open answers that are alike.

A person reads the answers of a group one after the other and marks them by one measure.

Words weigh by how rare they are in the class, and the ideas the rubric has found weigh more than
words. An answer joins the first group whose leader it resembles; texts that are equal always meet.
The order of the groups is drawn by a seed, so that nobody's answer is always read last.
Deterministic: the same answers and seed give the same order on any machine.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

from autograder.written.answers import OpenAnswer

ALIKE = 0.30  # cosine from which an answer joins a group
TELLING = 16  # of an answer, the words by which a group is looked for
WORDS = re.compile(r"[^\W_]+", re.UNICODE)
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def groups(answers: Sequence[OpenAnswer], seed: int = 0) -> list[list[OpenAnswer]]:
    """The answers of one question in groups of like ones,
    the groups in a random order of their own."""
    answers = sorted(answers, key=lambda answer: answer.token)
    counted = [_features(answer) for answer in answers]
    held_by = Counter(feature for features in counted for feature in features)
    made: list[list[OpenAnswer]] = []
    leaders: list[dict[str, float]] = []
    index: dict[str, list[int]] = defaultdict(list)
    for answer, features in zip(answers, counted):
        own = _weighed(features, held_by, len(answers))
        telling = sorted(own, key=lambda feature: (-own[feature], feature))[:TELLING]
        near = sorted({place for feature in telling for place in index[feature]})
        likeness, best = max(
            ((_cosine(own, leaders[place]), -place) for place in near), default=(0.0, 0)
        )
        if likeness >= ALIKE:
            made[-best].append(answer)
            continue
        for feature in telling:
            index[feature].append(len(made))
        made.append([answer])
        leaders.append(own)
    Random(f"groups {seed}").shuffle(made)
    return made


def _features(answer: OpenAnswer) -> Counter:
    """What an answer is made of: its words, pairs of Chinese characters,
    and the ideas found in it."""
    text = answer.text.lower()
    chinese = CHINESE.findall(text)
    words = list(WORDS.findall(CHINESE.sub(" ", text))) + [
        one + other for one, other in itertools.pairwise(chinese)
    ]
    ideas = {
        f"{idea['name']}: {idea['status']}": 8
        for idea in answer.suggestion.get("concepts", ())
        if idea["status"] not in ("missing", "unsought")
    }
    return Counter(words) + Counter(ideas)


def _weighed(features: Counter, held_by: Counter, answers: int) -> dict[str, float]:
    weights = {
        feature: (1 + math.log(count)) * math.log(1 + answers / held_by[feature])
        for feature, count in features.items()
    }
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {feature: weight / length for feature, weight in weights.items()}


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[feature] for feature, weight in one.items() if feature in other)
