"""The course's map: every topic it promises, the section that teaches it, and the exercise that
asks for it.

The topics stand in notebooks/topics.csv. They follow four texts many people learn Kafka from: P on
the producer's connections, C on the consumer's, G on the consumer's inside, N on all of it. A cell
of notebooks/source_py says on its `# %%` line which of them it is about: items="P5 N31". From both
`python -m autograder course` writes notebooks/MAP.md, and a test fails where a chapter leaves out a
topic that is its own.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache

from autograder.cell.course_folder import notebooks, question_of
from autograder.course.reading_time import in_short
from autograder.course.sources import author_notebook, chapters

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
EXERCISE = re.compile(r"^### Exercise (\S+)")


@dataclass(frozen=True)
class Topic:
    """One thing the course promises to teach: its name,
    the chapters that do ("02", ...) and what it is about."""

    item: str
    chapters: tuple[str, ...]
    about: str


@dataclass(frozen=True)
class Place:
    """A cell that is about some topics: its chapter, its section, its question (if any)."""

    chapter: str
    section: str
    question: str | None
    items: tuple[str, ...]


def topics() -> tuple[Topic, ...]:
    """Every topic, in the order of the texts."""
    with (notebooks() / "topics.csv").open(encoding="utf-8", newline="") as rows:
        return tuple(
            Topic(row["item"], tuple(row["chapters"].split()), row["topic"])
            for row in csv.DictReader(rows)
        )


@cache
def places(chapter: str) -> tuple[Place, ...]:
    """The cells of one chapter (its folder's name) that say which topics they are about,
    from the top."""
    found, section = [], "the beginning"
    cells = author_notebook(chapter).cells
    for index, cell in enumerate(cells):
        own = SECTION.findall(cell.source) if cell.cell_type == "markdown" else []
        section = own[0] if own else section
        items = cell.metadata.get("autograder", {}).get("items")
        if items:
            found.append(Place(chapter[:2], section, _question(cells, index), tuple(items)))
        section = own[-1] if own else section
    return tuple(found)


def map_text() -> str:
    """The page notebooks/MAP.md: for each chapter there is, its topics,
    where it teaches them and where it asks for them."""
    page = [
        "# The map of the course",
        "",
        (
            "Written by `make course` from `topics.csv` and the chapters. The letters name the "
            "text a topic comes from: P the producer's connections,"
        ),
        (
            "C the consumer's, G the consumer's inside, N all of Kafka. A topic may be taught in "
            "two chapters."
        ),
    ]
    for name in chapters():
        own = [topic for topic in topics() if name[:2] in topic.chapters]
        if not own:
            continue
        page += ["", f"## {name}", ""]
        if minutes := in_short(name):
            page += [f"Minutes: {minutes}.", ""]
        page += ["| topic | | taught in | asked in |", "|---|---|---|---|"]
        for topic in own:
            there = [place for place in places(name) if topic.item in place.items]
            taught = dict.fromkeys(
                place.section for place in there if not place.question
            ) or dict.fromkeys(place.section for place in there)
            asked = dict.fromkeys(place.question for place in there if place.question)
            page.append(
                f"| {topic.item} | {topic.about} | {'; '.join(taught)} | {', '.join(asked)} |"
            )
    return "\n".join(page) + "\n"


def write_map() -> None:
    """Write notebooks/MAP.md again, where the course has topics."""
    if (notebooks() / "topics.csv").is_file():
        places.cache_clear()
        (notebooks() / "MAP.md").write_text(map_text(), encoding="utf-8", newline="\n")


def _question(cells, index: int) -> str | None:
    """The id of the question this cell asks: an exercise's text,
    or the text above an open answer."""
    exercise = EXERCISE.match(cells[index].source)
    if exercise:
        return exercise[1]
    following = cells[index + 1].metadata.get("nbgrader", {}) if index + 1 < len(cells) else {}
    if (
        cells[index + 1 : index + 2]
        and cells[index + 1].cell_type == "markdown"
        and following.get("solution")
    ):
        return question_of(following["grade_id"])
    return None
