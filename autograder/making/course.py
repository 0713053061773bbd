"""From what authors write to what learners open.

Authors edit `notebooks/source_py/NN_noun.py` (py:percent, with solutions). `python -m autograder course` builds from it

    notebooks/source/NN_noun/NN_noun.ipynb     what nbgrader reads, with solutions; not in git
    notebooks/release/NN_noun/NN_noun.ipynb    what learners open: no solutions, no outputs; in git
    autograder/questions/sealed/chNN.json      the verdicts of the public cases, sealed; in git
    notebooks/MAP.md                           which cell teaches which topic; in git

and builds the same bytes each time. The release is made by nbgrader itself, so a teacher who runs `nbgrader
generate_assignment` in notebooks/ gets the same. In source_py a cell says what it is with a short key on its `# %%` line:

    # %% answer="03.2"            the learner's code; the part between ### BEGIN SOLUTION and ### END SOLUTION is taken out
    # %% test="03.2"              the locked cell that asks for it; points come from the question
    # %% [markdown] open="03.open"  the learner's text; its source here is the model answer
    # %% spark=true               the cell starts Spark: graders leave it out
    # %% [markdown] items="P5 N12"  any cell, beside the other keys: which items of the course's map it teaches or asks

The two folders live apart because nbgrader copies a .py that lies beside its notebook into the release.
"""
from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from autograder.making.leaks import Leak, Secrets, given, learners_half, readable
from autograder.masters import notebooks
from autograder.questions import chapters as asked_chapters, find
from autograder.sealed import folder as sealed_folder

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SOLUTION_MARKS = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)


class Unbuildable(ValueError):
    """A chapter's source contradicts itself or its questions; the message says where and what to do."""


def chapters() -> tuple[str, ...]:
    """The chapters there are, by folder name: ("00_start_here", "02_producer_connections", ..., "myths")."""
    return tuple(sorted(path.stem for path in (notebooks() / "source_py").glob("*.py")))


def name_of(chapter: str) -> str:
    """"03" or "03_consumer_connections" -> "03_consumer_connections". Unbuildable names the chapters there are."""
    found = [name for name in chapters() if name == chapter or name.split("_")[0] == chapter]
    if len(found) != 1:
        raise Unbuildable(f"there is no chapter {chapter!r}; there are {', '.join(chapters()) or 'none'}")
    return found[0]


def author_notebook(chapter: str):
    """The chapter with its solutions and with nbgrader's marks on its cells, as a NotebookNode."""
    import jupytext

    name = name_of(chapter)
    book = jupytext.reads((notebooks() / "source_py" / f"{name}.py").read_text(encoding="utf-8"), fmt="py:percent")
    book.metadata.clear()
    book.metadata.update(kernelspec=dict(KERNEL), language_info={"name": "python"}, autograder={"chapter": name[:2]})
    book.nbformat, book.nbformat_minor = 4, 5
    for index, cell in enumerate(book.cells):
        keys = dict(cell.metadata)
        cell.metadata.clear()
        _mark(cell, keys, f"{name}, cell {index + 1}")
        cell["id"] = hashlib.sha256(f"{name}/{index}/{cell.cell_type}".encode()).hexdigest()[:12]
    return book


def solved_cells(chapter: str) -> dict[str, str]:
    """grade_id -> source of each answer and open cell as the author solved it, without the marks around the solution."""
    found = {}
    for cell in author_notebook(chapter).cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            found[marks["grade_id"]] = SOLUTION_MARKS.sub("", cell.source)
    return found


def build(chapter: str) -> Path:
    """Build one chapter's source and release notebooks; returns the release's path."""
    import nbformat

    name = name_of(chapter)
    book = author_notebook(chapter)
    source = notebooks() / "source" / name / f"{name}.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, source)
    release = notebooks() / "release" / name / f"{name}.ipynb"
    release.parent.mkdir(parents=True, exist_ok=True)
    release.write_text(_released(name, source), encoding="utf-8", newline="\n")
    return release


def main(argv: list[str]) -> int:
    """Build the named chapters, or all; then seal their public cases, which takes a while. 2 and one sentence where a source cannot be built.

    --prose leaves the sealed verdicts as they are: right after a change of text, wrong after one of a question, a judge or a solution.
    """
    from autograder.making.sealing import Unsealable, seal
    from autograder.making.topics import write_map

    prose, named = "--prose" in argv, [each for each in argv if each != "--prose"]
    try:
        for name in [name_of(chapter) for chapter in named] or chapters():
            print(f"building {name}", file=sys.stderr)
            build(name)
            if name[:2] in asked_chapters():
                if not prose:
                    seal(name[:2])
                _look_for_leaks(name)
        write_map()
    except (Unbuildable, Unsealable, Leak) as problem:
        print(f"course: {problem}", file=sys.stderr)
        return 2
    return 0


def _look_for_leaks(name: str) -> None:
    """Raise Leak, and take the release away, where what learners will open holds a solution or a hidden case."""
    kept = Secrets([name[:2]], given([name[:2]], learners_half([name[:2]])))
    folder = notebooks() / "release" / name
    built = [path for path in sorted(folder.rglob("*")) if path.name != "progress.json"]    # whoever tried the chapter here wrote that one
    for path in [*built, sealed_folder() / f"ch{name[:2]}.json"]:
        seen = kept.found_in(readable(path)) if path.is_file() else None
        if seen:
            path.unlink()
            raise Leak(f"{path.name} was taken away again, for it holds {seen}; mend {name}.py and build it again")


def _mark(cell, keys: dict, where: str) -> None:
    """Turn an author's short key into nbgrader's metadata (schema 3)."""
    kind = next((key for key in ("answer", "test", "open") if key in keys), None)
    said = {"spark": True} if keys.get("spark") else {}
    if keys.get("items"):
        said["items"] = keys["items"].split()
    if said:
        cell.metadata["autograder"] = said
    if kind is None:
        return
    try:
        question = find(keys[kind])
    except KeyError as missing:
        raise Unbuildable(f"{where}: {missing.args[0]}") from None
    if (kind == "open") != (cell.cell_type == "markdown"):
        raise Unbuildable(f"{where}: {kind}=\"{question.id}\" belongs on a {'markdown' if kind == 'open' else 'code'} cell")
    marks = {"schema_version": 3, "grade": kind != "answer", "solution": kind != "test", "locked": kind == "test", "task": False,
             "grade_id": question.grade_id + ("-test" if kind == "test" else "")}
    if kind != "answer":
        marks["points"] = float(question.points)
    cell.metadata["nbgrader"] = marks


def _released(name: str, source: Path) -> str:
    """What nbgrader makes of the source notebook, as text; in a folder of its own, so that no gradebook is touched."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config, PyFileConfigLoader

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(source.parent, root / "source" / name)
        config = Config(PyFileConfigLoader("nbgrader_config.py", path=str(notebooks())).load_config())
        config.CourseDirectory.root = str(root)
        config.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}"
        with contextlib.redirect_stderr(io.StringIO()), _programs_of_this_python():
            done = NbGraderAPI(config=config).generate_assignment(name, force=True, create=True)
        if not done["success"]:
            raise Unbuildable(f"nbgrader cannot make the release of {name}: {(done['error'] or done['log']).strip().splitlines()[-1]}")
        book = json.loads((root / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8"))
    return json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@contextlib.contextmanager
def _programs_of_this_python():
    """nbgrader starts `alembic` by name: put the programs installed beside this Python first on PATH meanwhile."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
