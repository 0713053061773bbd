"""Builds what learners open from what authors write.

Authors edit chapters, `notebooks/source_py/NN_noun.py`, and exercises, `notebooks/exercises/NN`.
`python -m autograder course` builds from them

    notebooks/source/NN_noun/NN_noun.ipynb      what nbgrader reads, with solutions; not in git
    notebooks/release/NN_noun/NN_noun.ipynb     what learners open: no solutions, no outputs; in git
    autograder/cell/questions/chNN.py           the learner's half of the exercises; not in git
    autograder/course/judges/chNN.py            the judge's half of the exercises; not in git
    autograder/written/rubrics/chNN.py          the rubrics of open questions; not in git
    autograder/cell/questions/sealed/chNN.json  the verdicts of the public cases; not in git
    autograder/course/SEALS                     a digest of each chapter's sealed verdicts; in git
    notebooks/MAP.md                            which cell teaches which topic; in git
    notebooks/README.md, TEACHING.md            the minutes and exercises in their tables; in git

and builds the same bytes each time. The release is made by nbgrader itself, so a teacher who runs
`nbgrader generate_assignment` in notebooks/ gets the same. The two folders live apart because
nbgrader copies a .py that lies beside its notebook into the release. sources.py tells what an
author can say of a cell.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.cell.course_folder import notebooks
from autograder.cell.question import asked_chapters
from autograder.cell.sealed import folder as sealed_folder
from autograder.course import halves
from autograder.course.leaks import Leak, Secrets, given, learners_half, readable
from autograder.course.sources import (
    Unbuildable,
    author_notebook,
    chapters,
    exercises_of,
    name_of,
)


def build(chapter: str) -> Path:
    """Build one chapter's halves, source and release notebooks; returns the release's path."""
    import nbformat

    name = name_of(chapter)
    if exercises_of(name):
        halves.write(name[:2], exercises_of(name))
    book = author_notebook(chapter)
    source = notebooks() / "source" / name / f"{name}.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, source)
    release = notebooks() / "release" / name / f"{name}.ipynb"
    release.parent.mkdir(parents=True, exist_ok=True)
    release.write_text(_released(name, source), encoding="utf-8", newline="\n")
    return release


def main(argv: list[str]) -> int:
    """Build the named chapters, or all; then seal their public cases, which takes a while. 2 and
    one sentence where a source cannot be built.

    --prose leaves the sealed verdicts as they are: right after a change of text, wrong after one of
    a question, a judge or a solution.
    """
    from autograder.course import seals
    from autograder.course.reading_time import write_minutes
    from autograder.course.sealing import Unsealable
    from autograder.course.topics import write_map

    prose, named = "--prose" in argv, [each for each in argv if each != "--prose"]
    try:
        for name in [name_of(chapter) for chapter in named] or chapters():
            print(f"building {name}", file=sys.stderr)
            with _as_before_if_refused(name):
                build(name)
                if name[:2] in asked_chapters():
                    if not prose:
                        seals.seal(name[:2], lambda told: print(told, file=sys.stderr))
                    look_for_leaks(name)
                    if not prose:
                        seals.note(name[:2])
        write_map()
        write_minutes()
    except (Unbuildable, Unsealable, Leak) as problem:
        print(f"course: {problem}", file=sys.stderr)
        return 2
    return 0


@contextlib.contextmanager
def _as_before_if_refused(name: str) -> Iterator[None]:
    """Puts a chapter's halves, boxes and notebook back, with their times, where the block does not
    come to its end: what is tried there grades nobody before it is found right. A notebook or a box
    that leaks is taken away and stays away."""
    chapter = name[:2]
    own = [halves.path_of(chapter, half) for half in halves.PACKAGES]
    handed_out = [
        sealed_folder() / f"ch{chapter}.json",
        notebooks() / "release" / name / f"{name}.ipynb",
    ]
    before = {
        path: (path.read_bytes(), path.stat()) if path.is_file() else None
        for path in (*own, *handed_out)
    }
    try:
        yield
    except BaseException as refused:
        for path in own if isinstance(refused, Leak) else before:
            kept = before[path]
            if kept is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(kept[0])
                os.utime(path, ns=(kept[1].st_atime_ns, kept[1].st_mtime_ns))
        for half in halves.PACKAGES:
            halves.read_again(chapter, half)
        raise


def look_for_leaks(name: str) -> None:
    """Raise Leak, and take the release away, where what learners will
    open holds a solution or a hidden case."""
    kept = Secrets([name[:2]], given([name[:2]], learners_half([name[:2]])))
    folder = notebooks() / "release" / name
    # the person who tried the chapter here wrote that one
    built = [path for path in sorted(folder.rglob("*")) if path.name != "progress.json"]
    for path in [*built, sealed_folder() / f"ch{name[:2]}.json"]:
        seen = kept.found_in(readable(path)) if path.is_file() else None
        if seen:
            path.unlink()
            raise Leak(
                f"{path.name} was taken away again, for it holds {seen}; mend {name}.py and build "
                "it again"
            )


def _released(name: str, source: Path) -> str:
    """What nbgrader makes of the source notebook, as text;
    in a folder of its own and without a gradebook."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config, PyFileConfigLoader

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(source.parent, root / "source" / name)
        config = Config(
            PyFileConfigLoader("nbgrader_config.py", path=str(notebooks())).load_config()
        )
        config.CourseDirectory.root = str(root)
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        with contextlib.redirect_stderr(io.StringIO()):
            done = NbGraderAPI(config=config).generate_assignment(name, force=True, create=True)
        if not done["success"]:
            raise Unbuildable(
                f"nbgrader cannot make the release of {name}: "
                f"{(done['error'] or done['log']).strip().splitlines()[-1]}"
            )
        book = json.loads((root / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8"))
    return json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
