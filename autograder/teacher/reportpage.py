"""The report as one page with its pictures: OUT/report/index.html, which needs nothing from
anywhere and runs nothing.

Pictures and figures come first and name nobody: they are for the class. What names somebody comes
at the end, after a line that says so. The tables are the pictures' text twins.
"""

from __future__ import annotations

from pathlib import Path

from autograder.gradebook import late as late_rules
from autograder.gradebook.files import write_atomically
from autograder.gradebook.late import lateness_text
from autograder.gradebook.read import Sheet
from autograder.teacher.pictures import (
    as_data_address,
    misconceptions_picture,
    questions_picture,
    scores_picture,
)
from autograder.teacher.report import (
    Chapter,
    Class,
    absent_line,
    advice,
    mark_of,
    status_line,
    strangers_line,
)
from autograder.written.html_pages import pages_in

PAGES = pages_in(Path(__file__).parent / "pages")


def write_page(found: Class) -> Path:
    """Write the page, and its pictures beside it as files; returns the page's path."""
    folder = found.out / "report"
    folder.mkdir(exist_ok=True)
    page = PAGES.get_template("report.html").render(
        folder=found.out.name,
        status=status_line(found),
        advice=advice(found, has_pictures=True),
        chapters=[_chapter(chapter, folder) for chapter in found.chapters],
        troubled=found.troubled,
        strangers=strangers_line(found) if found.strangers else "",
    )
    write_atomically(folder / "index.html", page)
    return folder / "index.html"


def _chapter(chapter: Chapter, folder: Path) -> dict:
    """What the page shows of one chapter; its pictures are written beside the page, too."""
    pictures = {
        "scores": scores_picture(chapter) if chapter.sheets else None,
        "questions": questions_picture(chapter) if chapter.items else None,
        "misconceptions": misconceptions_picture(chapter),
    }
    for name, png in pictures.items():
        if png:
            (folder / f"{chapter.name}-{name}.png").write_bytes(png)
    questions = [item.question for item in chapter.items]
    late = any(sheet.seconds_late or sheet.late_penalty for sheet in chapter.sheets)
    return {
        "name": chapter.name,
        "pictures": {name: as_data_address(png) if png else "" for name, png in pictures.items()},
        # of a dictionary a template would take the method of this name
        "questions": chapter.items,
        "misconceptions": chapter.misconceptions,
        "unnamed": ", ".join(f"{count} x {name}" for name, count in chapter.unnamed.items()),
        "absent": " ".join(absent_line(chapter).split()),
        "late": str(late_rules.policy()) if late else "",
        "heads": [
            *("student", "name", "points"),
            *(("late",) if late else ()),
            *(question[3:] for question in questions),
        ],
        "students": [_student(sheet, questions) for sheet in chapter.sheets],
    }


def _student(sheet: Sheet, questions: list[str]) -> dict:
    """A row of the table with names."""
    cells = {cell.question: cell for cell in sheet.cells}
    return {
        "id": sheet.student,
        "name": sheet.name,
        "points": f"{sheet.score:g} of {sheet.max:g}",
        "late": f"{lateness_text(sheet.seconds_late)}, -{sheet.late_penalty:g}"
        if sheet.seconds_late
        else "",
        "marks": [mark_of(cells.get(question)) for question in questions],
    }
