"""The report as one page with its pictures: OUT/report/index.html, which needs nothing from
anywhere and runs nothing.

Pictures and figures come first and name nobody: they are for the class. What names somebody stands
at the end, after a line that says so. The tables are the pictures' text twins.
"""

from __future__ import annotations

import html
from pathlib import Path

from autograder.gradebook import late as late_rules
from autograder.gradebook.late import told as told_late
from autograder.grading.results import write_atomically
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

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
    "'none'"
)
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 1.5rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #d5d5d5 } h3 { font-size: 1rem }
table { border-collapse: collapse; font-size: 14px } th { text-align: left; background: #f5f5f5; position: sticky; top: 0 }
td, th { padding: .18rem .55rem; border-bottom: 1px solid #eee; vertical-align: top } td.n { text-align: right; font-variant-numeric: tabular-nums }
.alert { color: #b00020 } .quiet { color: #666 } img { max-width: 100%; display: block; margin: .6rem 0 } .scroll { overflow: auto; max-height: 34rem }
"""  # noqa: E501
NAMES_FROM_HERE = "<h2>From here on names stand: for the teacher only</h2>"


def write_page(found: Class) -> Path:
    """Write the page, and its pictures beside it as files; returns the page's path."""
    folder = found.out / "report"
    folder.mkdir(exist_ok=True)
    parts = [
        f"<h1>The class in {_text(found.out.name)}</h1><p>{_text(status_line(found))}</p>",
        "<ul>"
        + "".join(
            f"<br>{_text(line.strip())}" if line.startswith(" ") else f"<li>{_text(line)}"
            for line in advice(found, has_pictures=True)
        )
        + "</ul>",
    ]
    for chapter in found.chapters:
        parts.append(_chapter(chapter, folder))
    parts.append(NAMES_FROM_HERE)
    for chapter in found.chapters:
        parts.append(f"<h3>{_text(chapter.name)}</h3>{_absent(chapter)}{_students(chapter)}")
    if found.troubled:
        rows = "".join(
            f"<tr><td>{_text(name)}</td><td>{_text(status)}</td><td>{_text(reason)}</td></tr>"
            for name, status, reason in found.troubled
        )
        parts.append(
            "<h3>Not simply graded</h3>" + _table("<th>submission<th>status<th>reason", rows)
        )
    if found.strangers:
        parts.append(f"<p>{_text(strangers_line(found))}</p>")
    page = (
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta '
            f'http-equiv="Content-Security-Policy" content="{POLICY}"><meta name="viewport" '
            'content="width=device-width">'
            f"<title>Report on {_text(found.out.name)}</title><style>{STYLE}</style></head><body>\n"
        )
        + "\n".join(parts)
        + "\n</body></html>\n"
    )
    write_atomically(folder / "index.html", page)
    return folder / "index.html"


def _chapter(chapter: Chapter, folder: Path) -> str:
    pictures = {
        "scores": scores_picture(chapter) if chapter.sheets else None,
        "questions": questions_picture(chapter) if chapter.items else None,
        "misconceptions": misconceptions_picture(chapter),
    }
    for name, png in pictures.items():
        if png:
            (folder / f"{chapter.name}-{name}.png").write_bytes(png)
    shown = {
        name: (
            f'<img alt="{name} of {_text(chapter.name)}; the same is in the table below" '
            f'src="{as_data_address(png)}">'
        )
        if png
        else ""
        for name, png in pictures.items()
    }
    return (
        f"<h2>{_text(chapter.name)}</h2>{shown['scores']}{shown['questions']}{_items(chapter)}"
        f"<h3>What people took for true</h3>{shown['misconceptions']}{_map(chapter)}"
    )


def _items(chapter: Chapter) -> str:
    rows = "".join(
        (
            f"<tr><td>{_text(item.question)}</td><td>{_text(item.title)}</td><td "
            f"class=n>{_share(item.full)}</td><td class=n>{_share(item.mean)}</td>"
            f"<td class=n>{'' if item.tells_apart is None else f'{item.tells_apart:.2f}'}</td><td "
            f"class=n>{item.waiting or ''}</td><td class=alert>{_text(item.advice)}</td></tr>"
        )
        for item in chapter.items
    )
    return _table(
        "<th>question<th>what is asked<th>full marks<th>mean<th>discrimination<th>wait for you<th>",
        rows,
    )


def _map(chapter: Chapter) -> str:
    rows = "".join(
        (
            f"<tr><td>{_text(wrong.question)}</td><td>{_text(wrong.name)}</td><td "
            f"class=n>{wrong.students}</td><td class=n>{_share(wrong.share)}</td>"
            f"<td>{_text(wrong.sentence)}<div class=quiet>{_text(wrong.example)}</div></td></tr>"
        )
        for wrong in chapter.misconceptions
    )
    rest = ", ".join(f"{count} x {question}" for question, count in chapter.unnamed.items())
    table = _table(
        "<th>question<th>wrong answer<th>students<th>of those who missed it<th>what it means", rows
    )
    return (table if rows else "<p>Nobody gave a wrong answer that has a name.</p>") + (
        f"<p class=quiet>Wrong in a way that has no name yet: {_text(rest)}.</p>" if rest else ""
    )


def _students(chapter: Chapter) -> str:
    questions = [item.question for item in chapter.items]
    late = any(sheet.seconds_late or sheet.late_penalty for sheet in chapter.sheets)
    rows = []
    for sheet in chapter.sheets:
        cells = {cell.question: cell for cell in sheet.cells}
        name = f"{sheet.first_name} {sheet.last_name}".strip()
        lateness = (
            f"<td>{_text(told_late(sheet.seconds_late) + f', -{sheet.late_penalty:g}' if sheet.seconds_late else '')}</td>"  # noqa: E501
            if late
            else ""
        )
        rows.append(
            (
                f"<tr><td>{_text(sheet.student)}</td><td>{_text(name)}</td><td "
                f"class=n>{sheet.score:g} of {sheet.max:g}</td>{lateness}"
            )
            + "".join(f"<td class=n>{mark_of(cells.get(question))}</td>" for question in questions)
            + "</tr>"
        )
    head = (
        "<th>student<th>name<th>points"
        + ("<th>late" if late else "")
        + "".join(f"<th>{_text(question[3:])}" for question in questions)
    )
    costs = f"<p class=quiet>Late: {_text(str(late_rules.policy()))}.</p>" if late else ""
    return costs + _table(head, "".join(rows))


def _absent(chapter: Chapter) -> str:
    told = " ".join(absent_line(chapter).split())
    return f"<p>{_text(told)}</p>" if told else ""


def _table(head: str, rows: str) -> str:
    """A table that is moved about inside the page where it is
    too wide or too long for the screen."""
    return f"<div class=scroll><table><tr>{head}</tr>{rows}</table></div>"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _text(text: str) -> str:
    return html.escape(text)
