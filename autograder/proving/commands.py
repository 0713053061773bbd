"""The commands of authors and developers: an exercise is begun, tried, sealed and built."""

from __future__ import annotations

from pathlib import Path

from autograder.cell.commands import ATTENTION, OK, Unusable, argument, as_command
from autograder.cell.terminal import say


@as_command(
    "seal",
    "seal the public cases of chapters, or of one question, for check()",
    "03 04.2",
    argument("chapters", nargs="*", metavar="NN|NN.k", help="default: what is not sealed yet"),
)
def _seal(wanted) -> None:
    from autograder.cell import sealed
    from autograder.cell.course_folder import chapter_number
    from autograder.cell.question import asked_chapters, find
    from autograder.course import seals

    for chapter in () if wanted.chapters else asked_chapters():
        seals.renew(chapter, say)
    for text in wanted.chapters:
        question = find(text) if "." in text else None
        chapter = question.chapter if question else chapter_number(text)
        seals.seal(chapter, say, [question.id] if question else ())
        seals.note(chapter)
        print(f"sealed {sealed.folder() / f'ch{chapter}.json'}")


@as_command(
    "course",
    "build chapters and their exercises",
    "03 --prose",
    argument("chapters", nargs="*", metavar="NN", help="which chapters (default: all)"),
    argument(
        "--prose",
        action="store_true",
        help="only text changed: leave the sealed verdicts as they are",
    ),
)
def _course(wanted) -> int:
    from autograder.course import build

    return build.main(wanted.chapters + ["--prose"] * wanted.prose)


@as_command(
    "minutes",
    "show how long the sittings of chapters take a learner",
    "03",
    argument("chapters", nargs="*", metavar="NN", help="which chapters (default: all)"),
    argument(
        "--write",
        action="store_true",
        help="write the minutes, exercises and points into notebooks/README.md and TEACHING.md",
    ),
)
def _minutes(wanted) -> None:
    from autograder.course.reading_time import table, write_minutes
    from autograder.course.sources import chapters

    if wanted.write:
        write_minutes()
    print(table(wanted.chapters or [name for name in chapters() if name[:2].isdigit()]))


@as_command(
    "book",
    "run the chapters and make a static site of them",
    "--out book",
    argument("chapters", nargs="*", metavar="NN|myths", help="which chapters (default: all)"),
    argument("--out", default="book", metavar="DIR", help="default: book"),
    argument("--answers", action="store_true", help="with the model answers, each one folded"),
)
def _book(wanted) -> None:
    from autograder.course.book import build

    first = build(Path(wanted.out), wanted.chapters, answers=wanted.answers, say=say)
    print(f"{first} is the first page. The folder can be copied to any web server.")


@as_command(
    "new",
    "begin an exercise: its file, with blanks to fill in",
    '03.9 "Count the replicas"',
    argument("id", metavar="NN.k", help="03.9, or 03.open2 for an open question"),
    argument("title", metavar="TITLE", help="a few words: its heading and its file's name"),
)
def _new(wanted) -> None:
    from autograder.course.skeleton import begin
    from autograder.course.sources import name_of

    path, line = begin(wanted.id, wanted.title)
    print(
        f"{path} is begun: fill in its blanks, ___, and add the line\n\n    {line}\n\nto "
        f"notebooks/source_py/{name_of(wanted.id[:2])}.py, where the exercise belongs. "
        f"`python -m autograder exercise {wanted.id}` says how far it is."
    )


@as_command(
    "exercise",
    "check one exercise against all rules; each line says what to do",
    "03.9 --watch",
    argument("id", metavar="NN.k", help="03.9, or 03.open2 for an open question"),
    argument("--watch", action="store_true", help="check again each time the file is saved"),
)
def _exercise(wanted) -> int:
    from autograder.proving.exercise_screen import print_rules

    return print_rules(wanted.id, wanted.watch)


def _questions(chapters: list[str]) -> list:
    """The questions of these chapters, "03", or these, "03.4"; of all chapters where none is
    named."""
    from autograder.cell.course_folder import chapter_number, released
    from autograder.cell.question import asked_chapters, find, of_chapter

    return [
        question
        for text in chapters or [each for each in asked_chapters() if each in released()]
        for question in ([find(text)] if "." in text else of_chapter(chapter_number(text)))
    ]


@as_command(
    "mutations",
    "change each right answer in one place at a time, grade it, and list what gets all points",
    "03 05.3",
    argument(
        "chapters", nargs="*", metavar="NN|NN.k", help="which chapters or questions (default: all)"
    ),
)
def _mutations(wanted) -> int:
    from autograder.proving.survivors import HEAD, survivors

    print(HEAD)
    wrong = 0
    for question in _questions(wanted.chapters):
        if question.kind == "open":
            continue
        found = survivors(question.id)
        print(found, flush=True)
        for line in found.lines():
            print(f"  {line}")
        wrong += bool(found.survivors or found.stale)
    print(
        "Every change of a right answer fails, or its exercise says why it is right, too."
        if not wrong
        else f"To do: {wrong} exercises."
    )
    return ATTENTION if wrong else OK


@as_command(
    "variants",
    "test the students' own numbers: different for 10,000, solved for 1,000, of no use to a "
    "neighbour",
    "03 --students 100",
    argument(
        "chapters", nargs="*", metavar="NN|NN.k", help="which chapters or questions (default: all)"
    ),
    argument(
        "--students",
        type=int,
        default=1_000,
        help="how many of the 10,000 are solved and compared (default: 1000)",
    ),
)
def _variants(wanted) -> int:
    from autograder.proving.drawn import HEAD, drawn

    asked = _questions(wanted.chapters)
    if not 2 <= wanted.students <= 10_000:
        raise Unusable(f"--students is a number from 2 to 10000, not {wanted.students}.")
    print(HEAD)
    wrong = 0
    for question in asked:
        if not question.space:
            continue
        found = drawn(question, wanted.students, say=say)
        print(found, flush=True)
        wrong += bool(found.wrong)
    print(
        (
            "Every student has numbers of their own, everybody's can be solved, and a neighbour's "
            "are of little use."
        )
        if not wrong
        else f"{wrong} questions break one of these rules; the lines above say which."
    )
    return ATTENTION if wrong else OK


@as_command(
    "redteam",
    "run the hostile submissions in the sandbox and count what comes through",
    "secrets persist --level L2",
    argument("families", nargs="*", metavar="FAMILY", help="only these (default: all)"),
    argument(
        "--level",
        default="L3",
        choices=("L3", "L2", "L1", "all"),
        help="the best level to try, or all levels of this machine",
    ),
)
def _redteam(wanted) -> int:
    from autograder.proving.redteam import main as attack

    return attack(wanted.level, wanted.families)


@as_command(
    "browser",
    "run chapters in JupyterLab in a real Chromium and take pictures of every page",
    "02 03",
    argument("chapters", nargs="*", metavar="NN", help="which chapters (default: all)"),
    argument(
        "--tour", action="store_true", help="make the pictures of notebooks/TOUR.md, and no others"
    ),
)
def _browser(wanted) -> int:
    from autograder.proving.browser import photograph_tour, visit_chapters

    return photograph_tour() if wanted.tour else visit_chapters(wanted.chapters)


@as_command(
    "classroom",
    "make a class of submissions, grade it, and show what a teacher sees",
    "--students 30 --chapters 02,03",
    argument("--students", type=int, default=30, help="how many (default: 30)"),
    argument("--chapters", default="02,03", metavar="NN,NN", help="which chapters, or: all"),
    argument("--out", default="classroom", metavar="DIR", help="default: classroom"),
)
def _classroom(wanted) -> int:
    from autograder.cell.course_folder import chapter_number, released
    from autograder.cell.question import asked_chapters
    from autograder.proving.classroom import classroom

    if wanted.students < 1:
        raise Unusable(f"--students is a number from 1 on, not {wanted.students}.")
    chapters = (
        [each for each in asked_chapters() if each in released()]
        if wanted.chapters == "all"
        else [chapter_number(text) for text in wanted.chapters.split(",")]
    )
    return classroom(wanted.students, chapters, Path(wanted.out))
