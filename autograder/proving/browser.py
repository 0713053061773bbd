"""Runs every chapter where a learner opens it: in JupyterLab, in a real browser.

`make browser` opens the solved notebook of each chapter in JupyterLab in a headless Chromium, runs
all its cells as the menu would, tells how long that took and which cell failed, and takes
screenshots at two widths, in the light and in the dark theme, into `screenshots/` (outside git).
What the page itself can tell is measured at both widths: what scrolls sideways, an image without an
alternative text, a warning left in an output, an output longer than two screens, a table that says
NaN. Someone still has to look at the pictures. The notebooks are copies in a folder that is thrown
away, and so are the settings: what a learner has in `notebooks/mine/` stays as it is.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.cell.question import asked_chapters
from autograder.course.references import write_solution
from autograder.learner.lab import ENVIRONMENT, ROOT, jupyter_options
from kafkalab.extras import need_extras

EXTRAS = ("learn", "spark", "teach", "dev")
SCREENSHOTS = ROOT / "screenshots"
WIDTHS_PX = (1280, 1920)
HEIGHT_PX = 1400
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
CHROMIUM_FLAGS = (
    # Chromium's own sandbox refuses to start as root, as in most containers.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    # It talks to this server only.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Every cell is drawn, not only those in sight, so that a screenshot may scroll to any of them.
DRAW_ALL_CELLS = '{"windowingMode": "none"}'

IS_OPEN = "path => window.jupyterapp?.shell.currentWidget?.context?.path === path"
WAIT_FOR_KERNEL = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
}"""
RUN_ALL_CELLS = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
FAILED_CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === 'code')
    .flatMap(cell => cell.model.outputs.toJSON()
        .filter(output => output.output_type === 'error')
        .map(output => `${output.ename}: ${output.evalue} (cell starts: ${cell.model.sharedModel.source.slice(0, 60)})`))"""  # noqa: E501
BLEMISHES = """(most_px) => window.jupyterapp.shell.currentWidget.content.widgets.flatMap(cell => {
    const found = new Set();
    const wide = node => node.scrollWidth > node.clientWidth + 2;
    const code = cell.node.querySelector('.jp-InputArea .cm-scroller');
    if (cell.model.type === 'code' && code && wide(code)) found.add('code scrolls sideways');
    for (const shown of cell.node.querySelectorAll('.jp-OutputArea-output, .jp-MarkdownOutput')) {
        const boxes = [shown, ...shown.querySelectorAll('pre, table, div')].filter(node => !node.closest('.widget-slider'));
        if (boxes.some(wide)) found.add('scrolls sideways');
        if (shown.clientHeight > most_px) found.add(`an output ${shown.clientHeight} pixels high`);
        if ([...shown.querySelectorAll('td')].some(entry => entry.innerText.trim() === 'NaN')) found.add('NaN in a table');
        if (shown.dataset.mimeType === 'application/vnd.jupyter.stderr') found.add('stderr: ' + shown.innerText.trim().slice(0, 60));
    }
    if ([...cell.node.querySelectorAll('.jp-OutputArea-output img')].some(image => !image.alt)) found.add('image without alternative text');
    return [...found].map(what => `${what} (cell starts: ${cell.model.sharedModel.source.slice(0, 60)})`);
})"""  # noqa: E501
STOP_KERNEL = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"
# Of the notebook in front: the one before it may still be in the page, without a size.
SCROLL_TO = """(top) => {
    const notebook = window.jupyterapp.shell.currentWidget.node.querySelector('.jp-WindowedPanel-outer');
    notebook.scrollTop = top;
    const last = [...notebook.querySelectorAll('.jp-Cell')].at(-1).getBoundingClientRect();
    const below = last.bottom - notebook.getBoundingClientRect().bottom;     // How far the last cell reaches out of sight.
    return {height: notebook.clientHeight, more: below > 0};
}"""  # noqa: E501


@dataclass(frozen=True)
class Visit:
    """Holds what one run of one notebook in the browser showed.

    That is the seconds for all cells, the cells that failed, the pictures taken, and what is wrong
    with the page (its width in pixels, then the fault and the cell).
    """

    notebook: str
    seconds: float
    failures: tuple[str, ...]
    pictures: int
    blemishes: tuple[str, ...] = ()

    def __str__(self) -> str:
        verdict = "every cell ran" if not self.failures else "failed: " + "; ".join(self.failures)
        line = (
            f"{Path(self.notebook).stem:26} {self.seconds:5.1f} s  {self.pictures:3} pictures  "
            f"{verdict}"
        )
        return "\n".join([line, *(f"    {blemish}" for blemish in self.blemishes)])


def find_chromium() -> str | None:
    """The path of a Chromium or Chrome on this machine, None where there is none."""
    return next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


def solved_notebooks(folder: Path, chapters: Sequence[str]) -> list[Path]:
    """Write the solved notebook of each chapter (all released ones when `chapters` is empty) under
    `folder`; return their paths.

    A chapter that asks nothing is its own solution.
    """
    written = []
    for release in sorted((ROOT / "notebooks" / "release").glob("*/*.ipynb")):
        number = release.stem[:2]
        if not chapters or number in chapters:
            out = folder / release.parent.name / release.name
            out.parent.mkdir(parents=True)
            if number in asked_chapters():
                write_solution(number, out)
            else:
                shutil.copy(release, out)
            written.append(out)
    return written


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """A JupyterLab of its own over `folder`, with default settings; yields its address, which
    ends in `/lab`, and stops it after."""
    settings = folder / ".settings"
    tracker = settings / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    tracker.parent.mkdir(parents=True)
    tracker.write_text(DRAW_ALL_CELLS, encoding="utf-8")
    token = secrets.token_hex(16)
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    options = [
        *jupyter_options(folder, root_user=True, screen=False, container=False),
        f"--port={port}",
        "--LabApp.expose_app_in_browser=True",
    ]
    environ = {
        **os.environ,
        **ENVIRONMENT,
        "JUPYTER_TOKEN": token,
        # The kernels run the code of this checkout, whichever one the environment was installed
        # from.
        "PYTHONPATH": str(ROOT),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / ".workspaces"),
    }
    said = folder / "jupyterlab.txt"
    with said.open("w", encoding="utf-8") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=environ,
            cwd=ROOT / "notebooks",
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        if not answers(f"http://localhost:{port}/api?token={token}", server):
            raise RuntimeError(
                "JupyterLab did not come up. It said:\n" + said.read_text(encoding="utf-8")
            )
        yield f"http://localhost:{port}/lab?token={token}"
    finally:
        server.terminate()
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:  # a busy machine
            server.kill()


def answers(address: str, server: subprocess.Popen, deadline_s: float = 60) -> bool:
    """Whether `address` answers before `server` ends or `deadline_s` seconds have passed;
    returns as soon as that is known."""
    until = time.monotonic() + deadline_s
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5)
            return True
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    return False


def visit(page, address: str, notebook: str) -> Visit:
    """Open `notebook` (a path below the server's root), run all of it and take its pictures."""
    page.goto(address.replace("/lab?", f"/lab/tree/{notebook}?"))
    page.wait_for_function(IS_OPEN, arg=notebook)
    page.evaluate(WAIT_FOR_KERNEL)
    started = time.monotonic()
    page.evaluate(RUN_ALL_CELLS)
    seconds = time.monotonic() - started
    failures = tuple(page.evaluate(FAILED_CELLS))
    for old in SCREENSHOTS.glob(f"{Path(notebook).stem}-*.png"):
        old.unlink()
    pictures, blemishes = 0, []
    for width in WIDTHS_PX:
        pictures += sum(photograph(page, Path(notebook).stem, width, theme) for theme in THEMES)
        blemishes += [
            f"{width}: {' '.join(each.split())}" for each in page.evaluate(BLEMISHES, 2 * HEIGHT_PX)
        ]
    # A kernel that used Spark holds a Java; the next chapter wants the memory.
    page.evaluate(STOP_KERNEL)
    return Visit(notebook, seconds, failures, pictures, tuple(blemishes))


def photograph(page, name: str, width_px: int, theme: str) -> int:
    """Screenshots of the whole open notebook from top to bottom, one a screenful;
    returns how many."""
    page.set_viewport_size({"width": width_px, "height": HEIGHT_PX})
    page.evaluate(
        "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
        THEMES[theme],
    )
    # The theme's style sheet replaces the old one after the command has returned.
    page.wait_for_timeout(500)
    top, count = 0, 0
    while True:
        seen = page.evaluate(SCROLL_TO, top)
        page.wait_for_timeout(150)
        count += 1
        page.screenshot(path=SCREENSHOTS / f"{name}-{width_px}-{theme}-{count:02}.png")
        if not seen["more"]:
            return count
        top += seen["height"]


def visit_chapters(chapters: Sequence[str]) -> int:
    """Visit these chapters (two digits each), or all; 0 when every cell ran and no page has a
    fault, else 1. Raises ValueError for a chapter that was not released."""
    there = {path.stem[:2] for path in (ROOT / "notebooks" / "release").glob("*/*.ipynb")}
    if unknown := sorted(set(chapters) - there):
        raise ValueError(f"There is no chapter {', '.join(unknown)} in notebooks/release.")
    SCREENSHOTS.mkdir(exist_ok=True)
    visits = []

    def visit_all(page: Any, address: str, folder: Path) -> None:
        for notebook in solved_notebooks(folder / "notebooks" / "mine", chapters):
            visits.append(visit(page, address, notebook.relative_to(folder).as_posix()))
            print(visits[-1], flush=True)

    in_browser(visit_all)
    print(f"Pictures are in {SCREENSHOTS.relative_to(ROOT)}/: look at them.")
    return 1 if any(one.failures or one.blemishes for one in visits) or not visits else 0


def photograph_tour() -> int:
    """Make the pictures of the tour again; 0 when they are there."""
    from autograder.proving.tour import PICTURES, take_tour

    taken: list[Path] = []
    steps = (IS_OPEN, WAIT_FOR_KERNEL, RUN_ALL_CELLS)
    in_browser(lambda page, address, folder: taken.extend(take_tour(page, address, folder, steps)))
    size_kb = sum(path.stat().st_size for path in taken) // 1000
    where = PICTURES.relative_to(ROOT)
    print(f"{len(taken)} pictures of the tour are in {where}/, {size_kb} kB: look at them.")
    return 0


def in_browser(use: Callable[[Any, str, Path], None]) -> None:
    """Call `use` with a page of a headless Chromium, the address of a JupyterLab, and the folder
    over which it runs. Raises MissingExtra without what a solved notebook and Playwright need,
    ValueError without Chromium."""
    need_extras(*EXTRAS)
    chromium = find_chromium()
    if chromium is None:
        raise ValueError(
            "make browser needs Chromium: install it (Debian, Ubuntu: apt install chromium) and "
            "try again."
        )
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        # Chapters look upward for the recordings, as they would in a checkout.
        (folder / "data").symlink_to(ROOT / "data")
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        with jupyterlab(folder) as address:
            page = browser.new_page()
            page.set_default_timeout(60_000)
            use(page, address, folder)
        browser.close()
