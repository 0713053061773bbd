"""Measures how many minutes a chapter takes a learner who works alone, sitting by sitting.

    python -m autograder minutes 05

A sitting ends at the line "stop for today". Its minutes come from what is on the page:

| part | minutes |
|---|---|
| text, with that of the exercises | 1 for 120 words: English is the reader's second language |
| code that is shown | 1 for 18 lines that are not blank |
| a picture, or two logs side by side | 1 |
| an exercise | 1.25 for a point, and 0.7 for a line of its solution |
| an open question | 7 |
| the start of Spark | 2, once a sitting |

Folded cells, model answers and the cells with `check` and `require` cost nothing. The numbers were
fitted to eleven chapters (01 to 11) that a person worked through in 65 to 135 minutes. Words a
minute, lines a minute and pictures are from that person's own parts, exercises by least squares
from what was left. The fit is 8 minutes a chapter off (root of the mean square), at most 15: too
long for 01, too short for 11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.cell.course_folder import notebooks
from autograder.cell.question import of_chapter
from autograder.course.sources import author_notebook, chapters, exercises_of, name_of

WORDS_A_MINUTE = 120
LINES_A_MINUTE = 18
MINUTES_A_PICTURE = 1.0
MINUTES_A_POINT = 1.25
MINUTES_A_SOLUTION_LINE = 0.7
MINUTES_AN_OPEN_QUESTION = 7.0
MINUTES_OF_SPARK = 2.0
LONGEST_SITTING = 50
"""No sitting of the course may take longer, in minutes."""
STEP = 5
"""What is announced is a multiple of this many minutes."""
NEAR_MIN = 4
"""The measure of a chapter may move so far after its minutes were written down."""

PAGES = ("README.md", "TEACHING.md")
"""The pages of `notebooks` that say in a table how long the chapters take."""
STOP = "stop for today"
ANNOUNCED = re.compile(r"\*\*Time\*\*(.*?)(?:\n\n|\Z)", re.DOTALL)
A_PLACE = re.compile(r"\b(?:sections?|chapters?|exercises?)\s+\d[\d.]*(?:\s*(?:to|and|,|–)\s*\d+)*")
WORD = re.compile(r"\w[\w.'’-]*")
NOT_READ = re.compile(r"https?://\S+|<[^>]*>|[|*_`#]+")
PICTURES = re.compile(
    r"^from kafkalab\.(?:views|logsets\.pictures)\S* import (\([^)]*\)|[^\n]*)", re.MULTILINE
)
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)


@dataclass(frozen=True)
class Sitting:
    """What is on the page from one stop to the next."""

    words: int = 0
    code_lines: int = 0
    pictures: int = 0
    exercises: int = 0
    points: float = 0.0
    solution_lines: int = 0
    open_questions: int = 0
    spark: bool = False

    @property
    def minutes(self) -> float:
        """How long it takes."""
        return (
            self.words / WORDS_A_MINUTE
            + self.code_lines / LINES_A_MINUTE
            + self.pictures * MINUTES_A_PICTURE
            + self.minutes_of_exercises
            + self.open_questions * MINUTES_AN_OPEN_QUESTION
            + self.spark * MINUTES_OF_SPARK
        )

    @property
    def minutes_of_exercises(self) -> float:
        """How long its exercises take, without their text."""
        return self.points * MINUTES_A_POINT + self.solution_lines * MINUTES_A_SOLUTION_LINE

    @property
    def announced(self) -> int:
        """The minutes to announce: the nearest multiple of STEP."""
        return max(STEP, STEP * round(self.minutes / STEP))


def sittings(chapter: str) -> tuple[Sitting, ...]:
    """The sittings of a chapter ("05"), from the top. Unbuildable names the chapters there are."""
    found: list[dict] = [{}]
    views: set[str] = set()
    for cell in author_notebook(chapter).cells:
        if cell.cell_type == "markdown" and STOP in cell.source:
            found.append({})
        code = cell.source if cell.cell_type == "code" else ""
        for names in PICTURES.findall(code):
            views |= {name for name in re.findall(r"\w+", names) if name[0].islower()}
        for part, count in _parts(cell, views).items():
            found[-1][part] = found[-1].get(part, 0) + count
    return tuple(Sitting(**{**parts, "spark": bool(parts.get("spark"))}) for parts in found)


def announced(chapter: str) -> tuple[int, ...]:
    """The minutes that the chapter's first cell announces after **Time**, a number a sitting."""
    first = author_notebook(chapter).cells[0].source
    said = ANNOUNCED.search(first)
    text = A_PLACE.sub("", said[1]) if said else ""
    return tuple(int(number) for number in re.findall(r"\b\d+\b", text))


def problem_of_sittings(chapter: str) -> str:
    """What to do about a chapter whose sittings are too long, or are not announced as they are; ""
    where they are well."""
    found, said = sittings(chapter), announced(chapter)
    minutes = [round(each.minutes) for each in found]
    takes = f"{name_of(chapter)}: its sittings take {' + '.join(map(str, minutes))} minutes"
    if max(minutes) > LONGEST_SITTING:
        return (
            f"{takes}, and the longest may take {LONGEST_SITTING}; shorten it, move an exercise to "
            f"another sitting, or divide it by the line «**A good place to {STOP}.**» as chapter "
            "05 does"
        )
    near = len(said) == len(found) and all(
        number % STEP == 0 and abs(number - each.minutes) <= NEAR_MIN
        for number, each in zip(said, found)
    )
    if near:
        return ""
    return (
        f"{takes}, and its first cell says {' + '.join(map(str, said)) or 'nothing'}; after "
        "**Time** write one number a sitting, such as "
        f"{' and '.join(str(each.announced) for each in found)}"
    )


def in_short(chapter: str) -> str:
    """The announced minutes as the lists of chapters write them: "35 + 15", or "" for none."""
    return " + ".join(map(str, announced(chapter)))


def what_is_due(chapter: str) -> str:
    """The exercises of a chapter as a plan of weeks names them: "02.1 to 02.9, open, open2"."""
    name = name_of(chapter)
    ids = [id.partition(".")[2] for id in exercises_of(name)]
    numbers = sorted(int(id) for id in ids if id.isdecimal())
    if not numbers:
        return ""
    if numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 1:
        listed = [f"{name[:2]}.{numbers[0]} to {name[:2]}.{numbers[-1]}"]
    else:
        listed = [f"{name[:2]}.{number}" for number in numbers]
    return ", ".join([*listed, *sorted(id for id in ids if not id.isdecimal())])


def points(chapter: str) -> str:
    """The points of a chapter's exercises together, or "" where it has none."""
    name = name_of(chapter)
    if not exercises_of(name):
        return ""
    return f"{sum(question.points for question in of_chapter(name[:2])):g}"


def with_minutes(page: str) -> str:
    """A page of `notebooks` (README.md, TEACHING.md) with what its tables tell of the chapters.

    The table's head names a column `minutes`, for the announced ones, and may name `due` and
    `points`. A row names its chapters by their numbers, as words or as a link, in the column
    `chapter` or else in the first one. A row whose chapters have nothing to tell stays as it is.
    """
    columns: dict[int, Callable[[str], str]] = {}
    named = 1
    tells = {"minutes": in_short, "due": what_is_due, "points": points}
    lines = []
    for line in page.splitlines():
        cells = line.split("|")
        heads = [cell.strip() for cell in cells]
        if "minutes" in heads:
            columns = {heads.index(head): tell for head, tell in tells.items() if head in heads}
            named = heads.index("chapter") if "chapter" in heads else 1
        elif not line.startswith("|"):
            columns = {}
        elif columns and "---" not in line:
            numbers = re.findall(r"\b\d\d\b", cells[named].split("](")[0])
            names = [name for name in chapters() if name[:2] in numbers]
            for column, tell in columns.items():
                told = ", ".join(filter(None, map(tell, names)))
                cells[column] = f" {told} " if told else cells[column]
        lines.append("|".join(cells))
    return "\n".join(lines) + "\n"


def write_minutes() -> None:
    """Write the minutes, and what is due, into notebooks/README.md and notebooks/TEACHING.md; a
    course of one's own may have neither."""
    for path in filter(Path.is_file, (notebooks() / name for name in PAGES)):
        text = with_minutes(path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8", newline="\n")


def table(names: Iterable[str]) -> str:
    """What `python -m autograder minutes` prints: a row for each sitting and a sum."""
    head = "chapter  sitting  minutes   words   code  pictures  exercises  open  Spark  it says"
    rows = [head]
    for chapter in names:
        name, parts = name_of(chapter), sittings(chapter)
        said = in_short(chapter) or "nothing"
        for number, each in enumerate(parts, 1):
            rows.append(
                f"{name[:5]:7}  {number:7}  {each.minutes:7.0f}  "
                f"{each.words / WORDS_A_MINUTE:6.0f}  {each.code_lines / LINES_A_MINUTE:5.0f}  "
                f"{each.pictures * MINUTES_A_PICTURE:8.0f}  {each.minutes_of_exercises:9.0f}  "
                f"{each.open_questions * MINUTES_AN_OPEN_QUESTION:4.0f}  "
                f"{each.spark * MINUTES_OF_SPARK:5.0f}  {said if number == 1 else ''}".rstrip()
            )
            if round(each.minutes) > LONGEST_SITTING:
                rows[-1] += f"   longer than {LONGEST_SITTING} minutes"
        wanted = " + ".join(str(each.announced) for each in parts)
        rows.append(f"{'':7}  say {wanted}: {sum(each.minutes for each in parts):.0f} in all")
    return "\n".join(rows)


def _parts(cell, views: set[str]) -> dict[str, float]:
    """What one cell adds to its sitting."""
    marks = cell.metadata.get("nbgrader", {})
    if cell.cell_type == "markdown":
        if marks.get("solution"):
            return {"open_questions": 1}
        return {"words": len(WORD.findall(NOT_READ.sub(" ", cell.source)))}
    if marks.get("solution"):
        solution = SOLUTION.search(cell.source)
        return {"exercises": 1, "solution_lines": _lines(solution[1] if solution else "")}
    if marks:
        return {"points": marks["points"]}
    spark = bool(cell.metadata.get("autograder", {}).get("spark"))
    if cell.source.startswith("check(") or cell.metadata.get("jupyter", {}).get("source_hidden"):
        return {"spark": spark}
    drawn = sum(len(re.findall(rf"\b{name}\(", cell.source)) for name in views)
    return {
        "code_lines": _lines(cell.source),
        "pictures": drawn + cell.source.count(".beside("),
        "spark": spark,
    }


def _lines(code: str) -> int:
    return sum(1 for line in code.splitlines() if line.strip())
