"""Writes the zip file that Gradescope's autograder is made of, for one chapter or several.

    python -m autograder gradescope 03 --out chapter03.zip --roster class.csv
    python -m autograder gradescope 02 03 04 --out term.zip --roster class.csv

In it are the course with its judges and the secret, so it is the teacher's alone.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.cell.course_folder import HOME
from autograder.course.masters import master
from autograder.course.secret import secret

SETUP = """#!/usr/bin/env bash
set -e
apt-get update && apt-get install -y python3 python3-venv
python3 -m venv /autograder/venv
cd /autograder/source && /autograder/venv/bin/pip install -c constraints.txt ".[spark,teach]"
chmod 600 /autograder/source/secret.txt
"""
FILES = ("pyproject.toml", "setup.py", "constraints.txt", "README.md", "LICENSE")
FOLDERS = ("autograder", "kafkalab", "data/samples", "data/recordings")
LEFT_OUT = {"tests", "__pycache__", "docs"}
MIDNIGHT = (2000, 1, 1, 0, 0, 0)  # the same course makes the same bytes
PROGRAM, PLAIN = 0o755 << 16, 0o644 << 16


def write_gradescope(chapters: Sequence[str], path: Path, roster: Path | None = None) -> int:
    """Write the zip file of these chapters; how many files are in it. NoMaster for a chapter that
    was not built."""
    names = [master(chapter).name for chapter in chapters]
    small = {
        "secret.txt": secret() + "\n",
        "chapters.txt": " ".join(chapters) + "\n",
        **({"roster.csv": roster.read_text(encoding="utf-8-sig")} if roster else {}),
    }
    runs = (Path(__file__).with_name("gradescope_run.py")).read_text(encoding="utf-8")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", SETUP.encode(), PROGRAM)
        _add(archive, "run_autograder", runs.encode(), PROGRAM)
        for name, text in small.items():
            _add(archive, name, text.encode())
        for file in _course(names):
            _add(archive, file.relative_to(HOME).as_posix(), file.read_bytes())
        return len(archive.namelist())


def _course(chapters: Sequence[str]) -> Iterator[Path]:
    """The files that grading these chapters needs."""
    for name in FILES:
        if (HOME / name).is_file():
            yield HOME / name
    for folder in FOLDERS:
        for file in sorted((HOME / folder).rglob("*")):
            if file.is_file() and not LEFT_OUT & set(file.relative_to(HOME).parts):
                yield file
    notebooks = HOME / "notebooks"
    for chapter in chapters:
        yield notebooks / "source_py" / f"{chapter}.py"
        yield notebooks / "release" / chapter / f"{chapter}.ipynb"
    yield notebooks / "nbgrader_config.py"


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int = PLAIN) -> None:
    told = zipfile.ZipInfo(name, MIDNIGHT)
    told.external_attr, told.compress_type = mode, zipfile.ZIP_DEFLATED
    archive.writestr(told, content)
