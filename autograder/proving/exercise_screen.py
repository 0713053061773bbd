"""Shows an author all rules for one exercise on one screen, each with `ok` or with what to do.

The chapter is copied into a folder of its own and looked at there. Nothing of the course is
changed, so it may be half written.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.cell.course_folder import notebooks
from autograder.course.exercises import LINE, NOT_NAMED, find, place

ALL_WELL, TO_DO = 0, 3
SECONDS_BETWEEN_LOOKS = 0.3
SLOW_TO_IMPORT = ("jupytext", "nbgrader.apps", "autograder.proving.exercise_rules")


def print_rules(id: str, watch: bool = False) -> int:
    """Print the rules for an exercise; 0 where all are kept, 3 where something is to be done.
    watch: print them again each time the exercise or its chapter is saved, until Ctrl-C."""
    find(id)
    words = [sys.executable, "-m", "autograder.proving.exercise_screen", id, str(notebooks())]
    with tempfile.TemporaryDirectory(prefix="exercise") as home:
        # what its processes leave behind lies there, too
        there = {"AUTOGRADER_COURSE": f"{home}/course", "TMPDIR": f"{home}/temp"}
        for folder in there.values():
            os.mkdir(folder)
        done = subprocess.run(
            [*words, *["watch"] * watch], env={**os.environ, **there}, check=False
        )
    return done.returncode


def main(words: list[str]) -> int:
    """Look at an exercise of the notebooks that are named, in the course of AUTOGRADER_COURSE."""
    id, source, *watch = words
    # jsonschema would compile grammars of web addresses for a second, and notebooks have none
    sys.modules.setdefault("rfc3987_syntax", None)
    home = Path(os.environ["AUTOGRADER_COURSE"])
    if not watch:
        copy_sources(id, home, Path(source))
        return _look(id)
    for name in SLOW_TO_IMPORT:
        importlib.import_module(name)
    try:
        while True:
            seen = _saved(id, Path(source))
            for path in home.iterdir():
                shutil.rmtree(path)
            copy_sources(id, home, Path(source))
            _look_apart(id)
            print("Waiting for the file to be saved; Ctrl-C ends this.", flush=True)
            while _saved(id, Path(source)) == seen:
                time.sleep(SECONDS_BETWEEN_LOOKS)
    except KeyboardInterrupt:
        return ALL_WELL


def copy_sources(id: str, home: Path, source: Path) -> None:
    """Copy a chapter's sources from the folder of notebooks `source` into a course of their own; a
    chapter that does not name the exercise yet names it there."""
    page, exercises = _sources(id, source)
    there = home / "notebooks"
    (there / "source_py").mkdir(parents=True)
    text = page.read_text(encoding="utf-8")
    if LINE.format(id) not in text.splitlines():
        text += f"\n{NOT_NAMED}\n\n{LINE.format(id)}\n"
    (there / "source_py" / page.name).write_text(text, encoding="utf-8")
    shutil.copytree(exercises, there / "exercises" / id[:2])
    shutil.copyfile(source / "nbgrader_config.py", there / "nbgrader_config.py")


def _sources(id: str, source: Path) -> tuple[Path, Path]:
    """The chapter's page, and the folder of its exercises."""
    (page,) = (source / "source_py").glob(f"{id[:2]}_*.py")
    return page, source / "exercises" / id[:2]


def _saved(id: str, source: Path) -> list[tuple[str, int]]:
    """When each source of a chapter was saved."""
    page, exercises = _sources(id, source)
    return [
        (str(path), path.stat().st_mtime_ns) for path in (page, *sorted(exercises.glob("*.py")))
    ]


def _look_apart(id: str) -> None:
    """Look in a copy of this process: a process imports the halves of a chapter once."""
    copy = os.fork()
    if not copy:
        code = TO_DO
        try:
            code = _look(id)
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.waitpid(copy, 0)


def _look(id: str) -> int:
    from autograder.proving.exercise_rules import looked_at

    began, broken = time.monotonic(), 0
    print(f"exercise {id} · {place(find(id).path, 1)}", flush=True)
    for name, well, said in looked_at(id):
        broken += not well
        print(f"  {'ok' if well else 'TO DO':6} {name:14} {said}", flush=True)
    took = f"{time.monotonic() - began:.0f} s"
    if broken:
        print(f"{broken} to do, {took}.", flush=True)
        return TO_DO
    print(f"All is well, {took}. `python -m autograder course {id[:2]}` builds it.", flush=True)
    return ALL_WELL


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
