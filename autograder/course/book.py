"""Builds the course as a static site that any web server can hold; `make book` runs it.

Every chapter is run first, with the model answers, its Spark cells too. Then Sphinx makes the
pages, with myst-nb and sphinx-book-theme. These are the parts that Jupyter Book 1 is made of. Book
1 itself asks for older parsers than JupyterLab's, and Book 2 needs Node and a template from the
network. A page shows what a learner opens: the exercises are blank and the locked cells are left
out. With `answers` each exercise has its model answer, folded. The whole book has a table of what
real Kafka says to the course. Where npm can bring Pyodide, the site has the page that plays.
The chapters link to their stories there.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.cell.course_folder import notebooks
from autograder.course.sources import Unbuildable, name_of
from kafkalab.extras import need_extras
from kafkalab.play.ready import READY
from kafkalab.play.site import Unplayable, pyodide
from kafkalab.play.site import build as build_play
from kafkalab.real.proof.prove import book_page

EXTRAS = ("learn", "spark", "logs", "teach", "book", "clients")
WORKERS = 2
"""Chapters run at the same time. More would need more than two cores."""
LONGEST_CELL_S = 600
FENCED = re.compile(r"(```.*?```)", re.DOTALL)
HEADING = re.compile(r"^(#+ )", re.MULTILINE)
PART = re.compile(r"^# ", re.MULTILINE)
PROOF = "proof"
"""The page with the claims that ran on the simulator and on real Kafka."""
PLAY = "play"
"""The folder of the page that plays."""
SEARCH = "searchindex.js"
"""The file by which a folder is known as a book that was built before."""
FOLDED = "hide-cell"
"""myst-nb's tag for a cell that a reader unfolds with a click."""


def build(
    out: Path,
    chapters: Sequence[str] = (),
    *,
    answers: bool = False,
    say: Callable[[str], None] = print,
) -> Path:
    """Run the named chapters, or all, and write the site into `out`; returns its first page.

    Raises Unbuildable with one sentence where a chapter is unknown or a cell of it fails, where a
    part of the book tool is not installed, or where `out` holds something else than a book.
    """
    need_extras(*EXTRAS)
    names = [name_of(chapter) for chapter in chapters] or list(_built())
    first = out / "index.html"
    if out.exists() and any(out.iterdir()) and not (first.exists() and (out / SEARCH).exists()):
        raise Unbuildable(f"{out} holds something else than a book: name a folder that is empty")
    plays = _can_play(say)
    with tempfile.TemporaryDirectory() as folder:
        pages, site = Path(folder, "pages"), Path(folder, "site")
        shutil.copytree(notebooks() / "book", pages, dirs_exist_ok=True)
        beside = () if chapters else (PROOF,)
        _add_contents(pages / "index.md", (*names, *beside), plays)
        with ThreadPoolExecutor(WORKERS) as pool:
            runs = {pool.submit(_write_page, name, pages, answers, plays): name for name in names}
            for done, run in enumerate(as_completed(runs), start=1):
                say(f"{done} of {len(runs)}: {runs[run]} ran in {run.result():.0f} s")
        if beside:
            say("the simulator plays the claims of the chapters")
            (pages / f"{PROOF}.md").write_text(book_page(lambda line: None), encoding="utf-8")
        say("making the pages")
        # myst-nb lays a folder of its own beside the site
        _sphinx(pages, site)
        if plays:
            build_play(site / PLAY)
        shutil.rmtree(out, ignore_errors=True)  # a chapter that is gone leaves no page
        shutil.move(site, out)
    return first


def page(executed: NotebookNode, blank: NotebookNode, *, answers: bool) -> NotebookNode:
    """The notebook of a page: `executed`, a chapter that ran with its model answers, with the
    exercises as in `blank`, the chapter that learners open. The model answers follow, folded, when
    `answers` is true; otherwise they and what checks said of them are left out."""
    shown = copy.deepcopy(executed)
    sources = {_grade_id(cell): cell.source for cell in blank.cells if _grade_id(cell)}
    shown.cells = []
    for cell in copy.deepcopy(executed.cells):
        marks = cell.metadata.get("nbgrader", {})
        cell.metadata.pop("nbgrader", None)
        if marks.get("locked"):
            continue
        if not marks.get("solution"):
            if not answers and cell.source.startswith("check("):
                cell.outputs = []
            shown.cells.append(cell)
            continue
        asked = copy.deepcopy(cell)
        asked.source, asked["id"] = sources[marks["grade_id"]], f"{cell['id']}-blank"
        if cell.cell_type == "code":
            asked.outputs = []
        shown.cells.append(asked)
        if answers:
            shown.cells.append(_folded(cell))
    _put_below_the_title(shown.cells)
    return shown


def add_play_link(shown: NotebookNode, chapter: str) -> None:
    """Put a link to the chapter's ready story below its title, where there is one."""
    if chapter in READY:
        ready = READY[chapter]
        link = nbformat.v4.new_markdown_cell(
            f'<p class="play"><a href="{PLAY}/index.html#story={chapter}">Play it in your browser'
            f"</a>: {ready.title}. {ready.look}</p>",
            id=f"play-{chapter}",
        )
        shown.cells.insert(1, link)


def _can_play(say: Callable[[str], None]) -> bool:
    """Whether the site gets the page that plays; says why not."""
    try:
        pyodide()
    except Unplayable as missing:
        say(f"the book is without the page that plays: {missing}")
        return False
    return True


def _put_below_the_title(cells: Sequence[NotebookNode]) -> None:
    """Lower the headings of a chapter that has parts. Each heading of the first level would be an
    entry of the list of chapters."""
    later = [cell for cell in cells[1:] if cell.cell_type == "markdown"]
    if any(PART.search(FENCED.sub("", cell.source)) for cell in later):
        for cell in later:
            pieces = FENCED.split(cell.source)
            cell.source = "".join(
                piece if FENCED.fullmatch(piece) else HEADING.sub(r"#\1", piece) for piece in pieces
            )


def _built() -> tuple[str, ...]:
    """Every notebook of the release, chapters first."""
    folder = notebooks() / "release"
    return tuple(sorted(path.parent.name for path in folder.glob("*/*.ipynb")))


def _add_contents(index: Path, names: Sequence[str], plays: bool) -> None:
    """Add the list of pages to the first page: the chapters, then what goes with them."""
    groups = {
        "Chapters": [name for name in names if name[:2].isdigit()],
        "Beside them": [name for name in names if not name[:2].isdigit()],
    }
    lists = [
        "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {caption}", "", *listed, "```"])
        for caption, listed in groups.items()
        if listed
    ]
    text = index.read_text(encoding="utf-8")
    play = [
        f'<p class="play"><a href="{PLAY}/index.html">Play Kafka in your browser</a>: choose '
        "releases, members and faults, press Run, and ask each line for its cause.</p>"
    ]
    parts = [text, *(play if plays else []), *lists]
    index.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _blank(name: str) -> NotebookNode:
    """The chapter that learners open."""
    return nbformat.read(notebooks() / "release" / name / f"{name}.ipynb", as_version=4)


def _write_page(name: str, pages: Path, answers: bool, plays: bool) -> float:
    """Run one chapter and write its page; returns the seconds that took."""
    started = time.monotonic()
    blank = _blank(name)
    notebook = page(_executed(name, blank), blank, answers=answers)
    if plays:
        add_play_link(notebook, name[:2])
    nbformat.write(notebook, pages / f"{name}.ipynb")
    return time.monotonic() - started


def _executed(name: str, blank: NotebookNode) -> NotebookNode:
    """A chapter after a run from top to bottom, with its model answers where it asks something."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    from autograder.cell.question import asked_chapters
    from autograder.course.references import solved

    if name[:2] in asked_chapters():
        notebook = nbformat.reads(json.dumps(solved(name[:2])), as_version=4)
    else:
        notebook = copy.deepcopy(blank)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=LONGEST_CELL_S,
            startup_timeout=LONGEST_CELL_S,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            # A kernel warns that other users of the machine could listen to it.
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
        )
        try:
            client.execute()
        except CellExecutionError as failed:
            raise Unbuildable(f"{name}: a cell fails, {failed.ename}: {failed.evalue}") from None
    return notebook


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _folded(cell: NotebookNode) -> NotebookNode:
    """A model answer that a reader unfolds."""
    if cell.cell_type == "markdown":
        cell.source = f"<details><summary>Model answer</summary>\n\n{cell.source}\n\n</details>"
    else:
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), FOLDED]
    return cell


def _sphinx(pages: Path, out: Path) -> None:
    """Make the site of the pages; Unbuildable with Sphinx's first error where it does not."""
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(pages), str(out)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
        raise Unbuildable(f"Sphinx could not make the pages: {said[-1]}")
    for left in (out / ".doctrees", out / ".buildinfo", out / "objects.inv"):
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
