"""Packs feedback pages as Moodle takes them back: a zip file with the folders of its own download.

    python -m autograder feedback OUT --moodle feedback.zip

In Moodle: the assignment, *Upload multiple feedback files in a zip*. A folder there is named
"Ada Abel_10423_assignsubmission_file"; OUT knows it from the names of the files that were graded.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.written.answers import read_results

FOLDER = re.compile(r"[^/]+?_(\d+)_assignsubmission_[a-z]+")
MIDNIGHT = (2000, 1, 1, 0, 0, 0)  # the same pages make the same bytes


def write_moodle_zip(out: Path, path: Path) -> tuple[int, list[str]]:
    """Write the zip file; (pages in it, students whose folder in Moodle is not known)."""
    pages, unknown = [], []
    for folder, student, page in _pages(out):
        if folder:
            pages.append((f"{folder}/{page.name}", page))
        else:
            unknown.append(student)
    if not pages:
        raise LookupError(
            f"No file in {out} came in a folder of Moodle's, such as"
            " Ada Abel_10423_assignsubmission_file; grade the zip file that Moodle makes of the"
            " submissions, or its unpacked folder."
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in sorted(pages):
            archive.writestr(zipfile.ZipInfo(name, MIDNIGHT), page.read_bytes())
    return len(pages), sorted(set(unknown))


def participants(results: Mapping[str, dict], assignment: str) -> dict[str, str]:
    """Moodle's number of each student whose file of this assignment came in a folder of Moodle's:
    the number in "Participant 10423" of its worksheet."""
    return {
        found[1]: result["student"]
        for name, result in results.items()
        if result["assignment"] == assignment and (found := FOLDER.match(name))
    }


def _pages(out: Path) -> Iterator[tuple[str, str, Path]]:
    """(Moodle's folder or "", student, page) of every result that has a page."""
    for name, result in read_results(out).items():
        found = FOLDER.match(name)
        graded = result["assignment"] if result.get("counted") else None
        page = out / "feedback" / result["student"] / f"{graded or 'not_graded'}.html"
        if page.is_file() and (graded or not result["assignment"]):
            yield (found[0] if found else "", result["student"], page)
