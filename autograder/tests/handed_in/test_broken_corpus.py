"""The corpus of broken submissions among good ones:
everybody gets what is theirs, and nobody stops anybody."""

import json
from collections import Counter
from random import Random

import pytest

from autograder.course.masters import master
from autograder.course.references import references
from autograder.grade import grade_class, needs_attention
from autograder.handed_in.assignment import rebuild, steps
from autograder.handed_in.submission import read
from autograder.tests.broken import CORPUS
from autograder.tests.honest import notebooks

GOOD_FOR_EACH = 4


WEIRD = (
    None,
    True,
    -1,
    3.5,
    "",
    "x",
    "q-90-1",
    [],
    [None],
    ["a", 7],
    {},
    {"nbgrader": {"grade_id": "q-90-2"}},
    {"cells": 1},
    "\ud800",
    "\0",
    10**400,
)


def spoiled(thing, luck, chance):
    """A copy in which some values, at any depth, have become something else."""
    if luck.random() < chance:
        return luck.choice(WEIRD)
    if isinstance(thing, dict):
        return {
            key: spoiled(value, luck, chance)
            for key, value in thing.items()
            if luck.random() > chance / 2
        }
    if isinstance(thing, list):
        return [
            spoiled(value, luck, chance)
            for value in thing
            for _ in range(luck.choice((1, 1, 1, 1, 1, 2)))
        ]
    return thing


@pytest.mark.corpus
def test_no_notebook_is_too_odd_to_be_read(demo, tmp_path):
    """Many notebooks in which anything may have become anything: each has a status, and each that
    is read can be laid out."""
    whole, statuses = rebuild(master("90"), references("90")), Counter()
    for number in range(500):
        luck = Random(number)
        path = tmp_path / "odd.ipynb"
        path.write_text(
            json.dumps(spoiled(whole, luck, luck.choice((0.002, 0.01, 0.05)))), encoding="utf-8"
        )
        (submission,) = read(path)
        statuses[submission.status] += 1
        assert "autograder's fault" not in submission.reason, number
        if submission.can_run:
            assert steps(master("90"), submission.answers, extras=submission.extras)
            json.dumps(submission.as_plain(), ensure_ascii=False).encode()
    assert statuses["repaired"] > 50 and statuses["partial"] > 20 and statuses["unreadable"] > 5, (
        statuses
    )


def graded(box, corpus, out):
    """Write the corpus and four honest notebooks for each of it, and grade all:
    (results, {name: Broken}, {name: Honest})."""
    box.mkdir()
    broken, good = {}, {}
    for number, each in enumerate(corpus):
        path = each.make(box / f"b{number:02}", rebuild(master("90"), references("90")))
        broken[path.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")] = (
            each
        )
    for each in notebooks("90", GOOD_FOR_EACH * len(corpus)):
        (box / f"{each.student}.ipynb").write_text(json.dumps(each.notebook), encoding="utf-8")
        good[f"{each.student}.ipynb"] = each
    return grade_class(box, out, say=lambda text: None), broken, good


def judge_all(results, broken, good):
    wrong = [
        (
            f"{name} ({each.style}): {results[name]['score']} for {each.score}, "
            f"{results[name]['status']}: {results[name]['reason']}"
        )
        for name, each in good.items()
        if (results[name]["score"], results[name]["status"]) != (each.score, "graded")
    ]
    assert not wrong, "good ones:\n" + "\n".join(wrong)
    assert set(results) == {*broken, *good}, "everything that lies there has a status"
    silent = [
        each.name
        for name, each in broken.items()
        if results[name]["status"] == "partial" and not results[name]["reason"].endswith(".")
    ]
    odd = [
        (
            f"{each.name}: {results[name]['status']} ({results[name]['score']:g}): "
            f"{results[name]['reason']}"
        )
        for name, each in broken.items()
        if results[name]["status"] not in each.statuses
    ]
    unsaid = [
        each.name
        for name, each in broken.items()
        if results[name]["status"] != "graded"
        and (not results[name]["reason"].endswith(".") or "\n" in results[name]["reason"])
    ]
    short = [
        f"{each.name}: {results[name]['score']:g} for {each.score:g}: {results[name]['reason']}"
        for name, each in broken.items()
        if each.repairable and results[name]["score"] != each.score
    ]
    assert not silent + odd + unsaid + short, "\n".join(silent + odd + unsaid + short)
    assert set(needs_attention(results)) == {
        name
        for name in broken
        if results[name]["status"] in ("partial", "unreadable", "refused") or results[name]["flags"]
    }


@pytest.mark.parametrize(
    "one_in",
    [
        40,
        pytest.param(14, marks=pytest.mark.corpus),
        pytest.param(1, marks=pytest.mark.slow),
    ],
)
def test_the_broken_among_good_ones(demo, tmp_path, one_in):
    assert len(CORPUS) >= 75 and len({each.name for each in CORPUS}) == len(CORPUS)
    judge_all(*graded(tmp_path / "box", CORPUS[::one_in], tmp_path / "out"))
