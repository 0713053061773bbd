"""Lays feedback pages as `nbgrader release_feedback` takes them: a folder a student and chapter.

    python -m autograder feedback OUT --nbgrader COURSE

COURSE is the folder in which `nbgrader collect` has made `submitted/`. A page goes there into
feedback/ID/ASSIGNMENT/, with the two files by which the exchange finds its student.
"""

from __future__ import annotations

from pathlib import Path

from autograder.gradebook.files import write_atomically

SUBMITTED, FEEDBACK = "submitted", "feedback"
OF_THE_EXCHANGE = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader's exchange wrote beside a submission, and asks for beside its feedback."""
READABLE = 0o644
"""`release_feedback` copies the mode of a page, and its student has another account."""


def write_nbgrader_feedback(out: Path, course: Path) -> tuple[int, list[str]]:
    """Lay the pages of OUT; (pages laid, "student, chapter" of those that the exchange has not
    brought). LookupError, with a sentence, for a folder without submissions of an exchange."""
    if not (course / SUBMITTED).is_dir():
        raise LookupError(
            f"There is no {course / SUBMITTED}; name the folder in which `nbgrader collect` works."
        )
    laid, unknown = 0, []
    for page in sorted((out / FEEDBACK).glob("*/[0-9]*.html")):
        student, chapter = page.parent.name, page.stem
        came = course / SUBMITTED / student / chapter
        told = {name: _told(came / name) for name in OF_THE_EXCHANGE}
        if not all(told.values()):
            unknown.append(f"{student}, {chapter}")
            continue
        place = course / FEEDBACK / student / chapter
        for name, text in told.items():
            write_atomically(place / name, text)
        write_atomically(place / page.name, page.read_text(encoding="utf-8"), mode=READABLE)
        laid += 1
    return laid, unknown


def _told(path: Path) -> str:
    """What the exchange wrote; "" for a file that is not there, or is none of its own."""
    try:
        return "" if path.is_symlink() else path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
