"""Finds texts that give away a solution, a sealed sentence, or the input of a hidden case.

A leak is FRAGMENT characters in a row of a solution or of a hidden case, or PHRASE of a sentence
that is sealed, which the course does not itself show openly. Run over every package (release.py),
over what `python -m autograder course` builds, and over every feedback page; where something is
found, nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from autograder.cell import questions
from autograder.cell.course_folder import HOME, text_of
from autograder.cell.numbers import numbers_for
from autograder.cell.question import of_chapter
from autograder.course.exercises import SOLUTION
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.course.secret import hidden_rng, secret
from autograder.course.sources import chapters as chapters_with_sources
from autograder.course.sources import text_of_chapter

# characters in a row of a solution or a hidden case that count as a leak
FRAGMENT = 20
# and of a sealed sentence: shorter ones are plain English, which a chapter speaks too
PHRASE = 40


class Leak(ValueError):
    """Something gives a solution or a hidden case away;
    the message names the file and the words."""


class Secrets:
    """What chapters keep to themselves, ready to be looked for.
    `given` is the text everybody may see."""

    def __init__(self, chapters: Iterable[str], given: str):
        # by size: words, and in which chapter they are whose
        self._windows: dict[int, dict[str, dict[str, str]]] = {}
        chapters = list(chapters)
        for size in (FRAGMENT, PHRASE):
            known: dict[str, dict[str, str]] = {}
            for chapter in chapters:
                for text, whose in _kept(chapter, size):
                    for window in windows(text, size):
                        known.setdefault(window, {})[chapter] = whose
            for window in windows(given, size):
                known.pop(window, None)
            self._windows[size] = known

    def found_in(self, text: str, chapter: str | None = None) -> str | None:
        """The first leak in a text, as `"the words" of 03.2`; None, as one hopes. In a text of one
        `chapter` only what that one keeps is a leak: learners have it weeks before they have the
        others, and idioms of Python are alike everywhere."""
        if secret() in text:
            return "the course secret"
        for size, known in self._windows.items():
            for window in windows(text, size):
                owners = known.get(window, {})
                if owners and (chapter is None or chapter in owners):
                    return (
                        f'"{window}" of '
                        f"{owners[chapter] if chapter else next(iter(owners.values()))}"
                    )
        return None


def given(chapters: Iterable[str], code: Iterable[Path] = ()) -> str:
    """What is shown on purpose: the source notebooks outside their solutions, the learner's half of
    the questions with their hints, the simulator, and `code`, what the package brings besides."""
    shown = []
    for chapter in chapters:
        if any(name[:2] == chapter for name in chapters_with_sources()):
            shown.append(SOLUTION.sub("\n", text_of_chapter(chapter)))
        else:
            shown += [cell.source for cell in master(chapter).cells]
        for question in of_chapter(chapter):
            shown += [form for case in question.public_cases for form in _forms(case)]
            shown += question.hints  # they nearly tell the answer, to every learner who asks
    shown += [
        path.read_text(encoding="utf-8")
        for path in (
            *sorted((HOME / "kafkalab").rglob("*.py")),
            *sorted((HOME / "kafkalab").glob("*/*/*.txt")),
            *code,
        )
    ]
    return "\n".join(shown)


def learners_half(chapters: Iterable[str]) -> list[Path]:
    """The files of these chapters' questions, which every learner has."""
    return [
        path
        for chapter in chapters
        for place in questions.__path__
        if (path := Path(place) / f"ch{chapter}.py").exists()
    ]


@lru_cache(maxsize=32)
def of_feedback(chapter: str) -> Secrets:
    """What a feedback page of a chapter must not hold. The sentences are for the learner there,
    so they are no secret."""
    code = learners_half([chapter])
    sentences = [
        text
        for question in of_chapter(chapter)
        for text in _sentences(question, judge_of(question.id))
    ]
    return Secrets([chapter], given([chapter], code) + "\n" + "\n".join(sentences))


def windows(text: str, size: int) -> Iterator[str]:
    """Every `size` characters in a row, line by line, blanks taken together, without the comma that
    a formatter puts at the end of an argument's line: a solution is not another one for its
    layout."""
    for line in text.splitlines():
        line = " ".join(line.split()).removeprefix("# ").removesuffix(",")
        for start in range(len(line) - size + 1):
            yield line[start : start + size]


def readable(path: Path) -> str:
    """A file's text; of a notebook the text of its cells and of their outputs,
    as a reader sees it."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".ipynb":
        return text
    return "\n".join(
        text_of(cell) + "\n" + _strings(cell.get("outputs", []))
        for cell in json.loads(text)["cells"]
    )


def _kept(chapter: str, size: int) -> Iterator[tuple[str, str]]:
    """(text, whose) of everything that a chapter keeps back:
    solutions and hidden cases (FRAGMENT), sentences (PHRASE)."""
    solved = references(chapter)
    for question in of_chapter(chapter):
        judge = judge_of(question.id)
        if size == FRAGMENT:
            yield solved.get(question.id, ""), question.id
            for case in judge.hidden_cases(hidden_rng(question.id)) if judge.hidden_cases else []:
                for form in _forms(case):
                    yield form, f"a hidden case of {question.id}"
        else:
            shown = _of_a_kept_promise(question)
            for text in _sentences(question, judge):
                if text not in shown:
                    yield text, question.id


def _of_a_kept_promise(question) -> set[str]:
    """What is said of a play in which the promise was kept: the learner's half makes these
    sentences itself."""
    kept = getattr(question, "kept", "")
    if not callable(kept):
        return {kept}
    return {kept(case) for case in question.cases(numbers_for(question, "")) if "seed" in case}


def _sentences(question, judge) -> list[str]:
    right = (
        [judge.right(case) for case in question.cases(numbers_for(question, ""))]
        if callable(judge.right)
        else [judge.right]
    )
    return [*right, *(wrong.sentence for wrong in judge.wrong_answers)]


def _forms(case: Mapping) -> list[str]:
    """A case as Python and as JSON would print it."""
    # its title may be told
    case = {name: value for name, value in case.items() if name != "case"}
    plain = [
        repr(case),
        *map(repr, case.values()),
        *(value for value in case.values() if isinstance(value, str)),
    ]
    return list(
        dict.fromkeys(
            [
                *plain,
                json.dumps(case, default=repr),
                json.dumps(case, ensure_ascii=False, default=repr),
            ]
        )
    )


def _strings(value) -> str:
    if isinstance(value, str):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(filter(None, map(_strings, parts)))
