"""Photographs the two-minute tour: a chapter in JupyterLab from a guess to its grade.

`autograder browser --tour` makes the pictures of notebooks/TOUR.md again. A
learner guesses wrongly, runs, gets an answer wrong, is told why, mends it and hands in. All of it
happens: the cells run in JupyterLab, and the last page is what `grade` and `feedback` write.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

from autograder.course.masters import master
from autograder.course.references import references
from autograder.grade import grade_class
from autograder.handed_in.assignment import rebuild
from autograder.learner.lab import ROOT
from autograder.teacher.feedback import write_feedback

PICTURES = ROOT / "notebooks" / "pictures"
CHAPTER, ASKED, STUDENT = "03", "03.2", "ada"
GUESS = {"before_poll=None": "before_poll=1", "opened=None": "opened=3", "kept=None": "kept=3"}
RIGHT, WRONG = "2147483647 - number", "2147483648 - number"
"""What a learner writes in exercise 03.2 in the end, and what at first."""
WIDTH_PX, HEIGHT_PX, COLOURS = 1280, 800, 64
STOPS = {
    "tour-1-guess": "## 1. Guess, run, look",
    "tour-2-run": "poll_for(consumer, lab, ms=10 * 60_000)",
    "tour-3-move": "This picture moves.",
    "tour-4-told": "def broker_of(node_id)",
    "tour-5-right": "def broker_of(node_id)",
}
"""Picture -> how the cell begins that is at its upper edge."""
LOW_PX = 420
LOW = ("tour-4-told", "tour-5-right")
"""Pictures of the notebook's end, with nothing below."""
GRADED = "tour-6-graded"
SCROLL = """([beginning, margin]) => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets;
    const found = cells.find(cell => cell.model.sharedModel.source.startsWith(beginning));
    found.node.scrollIntoView({block: 'start'});
    const notebook = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer');
    notebook.scrollTop -= margin;
}"""  # noqa: E501
MEND = """async ([beginning, source]) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const at = notebook.widgets.findIndex(cell => cell.model.sharedModel.source.startsWith(beginning));
    notebook.widgets[at].model.sharedModel.setSource(source);
    for (const index of [at, at + 1]) {
        notebook.activeCellIndex = index;
        notebook.deselectAll();
        await window.jupyterapp.commands.execute('notebook:run-cell');
    }
}"""  # noqa: E501


def tour_notebook() -> dict[str, Any]:
    """Chapter 03 up to its second exercise, with a guess and a wrong answer in it."""
    # as nbformat reads it, for a file may have a cell's lines as a list
    notebook = nbformat.from_dict(rebuild(master(CHAPTER), handed_in(WRONG)))
    cells = nbformat.reads(nbformat.writes(notebook), as_version=4).cells
    for cell in cells:
        for blank, guess in GUESS.items():
            cell["source"] = cell["source"].replace(blank, guess)
    asked = next(at for at, cell in enumerate(cells) if cell["source"] == f'check("{ASKED}")')
    return {**notebook, "cells": cells[: asked + 1]}


def handed_in(line: str) -> dict[str, str]:
    """The answers of the learner: all right, but for this line of exercise 03.2."""
    answers = references(CHAPTER)
    assert RIGHT in answers[ASKED], f"exercise {ASKED} is another now: choose another wrong answer"
    return {**answers, ASKED: answers[ASKED].replace(RIGHT, line)}


def take_tour(page: Any, address: str, folder: Path, run: Sequence[str]) -> list[Path]:
    """Take the pictures of the tour and return their paths.

    page, address: of a JupyterLab over `folder`; run: the scripts that open a notebook and run it.
    """
    name = master(CHAPTER).name
    path = folder / "notebooks" / "mine" / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(tour_notebook()), encoding="utf-8")
    page.set_viewport_size({"width": WIDTH_PX, "height": HEIGHT_PX})
    inside = path.relative_to(folder).as_posix()
    is_open, wait, run_all = run
    page.goto(address.replace("/lab?", f"/lab/tree/{inside}?"))
    page.wait_for_function(is_open, arg=inside)
    page.evaluate(wait)
    page.evaluate(run_all)
    taken = []
    for picture, beginning in STOPS.items():
        if picture == "tour-5-right":
            page.evaluate(MEND, [beginning, handed_in(RIGHT)[ASKED]])
        page.evaluate(SCROLL, [beginning, 8])
        page.wait_for_timeout(700)  # what scrolls into sight is drawn after it
        taken.append(_keep(page.screenshot(), picture))
    page.goto(_graded_page(folder / "class").as_uri())
    taken.append(_keep(page.screenshot(), GRADED))
    return taken


def _graded_page(folder: Path) -> Path:
    """Grade what the learner hands in, the wrong answer still in it; the feedback's page."""
    shutil.rmtree(folder, ignore_errors=True)
    submitted, out = folder / "submitted", folder / "graded"
    submitted.mkdir(parents=True)
    notebook = rebuild(master(CHAPTER), handed_in(WRONG))
    (submitted / f"{STUDENT}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    grade_class(submitted, out, CHAPTER, allow_unsafe=True)
    write_feedback(out)
    [page] = (out / "feedback" / STUDENT).glob("**/*.html")
    return page


def _keep(screenshot: bytes, name: str) -> Path:
    """Write a picture with few colours, which is a third of its size."""
    from PIL import Image

    image = Image.open(io.BytesIO(screenshot)).convert("RGB")
    if name in LOW:
        image = image.crop((0, 0, image.width, LOW_PX))
    path = PICTURES / f"{name}.png"
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path
