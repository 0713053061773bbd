"""formgrader opens what `grade` made, in a real browser; what a teacher enters there survives every
later run.

The pictures go to screenshots/ (outside git), for somebody to look at.
"""

import os
import secrets
import socket
import sqlite3
import subprocess
import sys
from contextlib import contextmanager

import pytest

from autograder.cell.course_folder import HOME
from autograder.grade import grade_class
from autograder.proving.browser import CHROMIUM_FLAGS, SCREENSHOTS, answers, find_chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="needs Chromium"),
]


@contextmanager
def server(out):
    """JupyterLab started in OUT, as the report tells a teacher to;
    yields (address up to /formgrader, token)."""
    token = secrets.token_hex(16)
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    words = (
        ["--no-browser", "--allow-root", f"--port={port}", "--ip=localhost"]
        if os.geteuid() == 0
        else ["--no-browser", f"--port={port}"]
    )
    environment = {
        **os.environ,
        "JUPYTER_TOKEN": token,
        "PYTHONPATH": str(HOME),
        "HOME": str(out / ".home"),
    }
    said = out / "jupyterlab.txt"
    with open(said, "w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *words],
            cwd=out,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        assert answers(f"http://localhost:{port}/api?token={token}", process), said.read_text()
        yield f"http://localhost:{port}/formgrader", token
    finally:
        process.terminate()
        process.wait(30)


def test_marks_entered_in_formgrader_survive_three_runs(hand_in, tmp_path):
    from playwright.sync_api import sync_playwright

    box, out = tmp_path / "box", tmp_path / "out"
    hand_in(
        "ada",
        {
            "90.open": (
                "Because heartbeats must not wait.\n\n**Indeed** <b onmouseover=alert(1)>so</b>."
            )
        },
        student="s1",
        folder=box,
    )
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="s2", folder=box)
    (box / "dee.ipynb").write_text("{")
    grade_class(box, out, say=lambda text: None)
    SCREENSHOTS.mkdir(exist_ok=True)
    with server(out) as (address, token), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.set_default_timeout(60_000)
        said = []
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.goto(f"{address}/manage_assignments?token={token}")
        page.wait_for_selector("text=90_demo")
        page.screenshot(path=SCREENSHOTS / "formgrader-assignments.png")
        page.goto(f"{address}/gradebook/90_demo")
        page.wait_for_selector("tbody td >> text=90_demo")
        page.goto(f"{address}/gradebook/90_demo/90_demo")
        page.wait_for_selector("text=Submission #1")
        page.screenshot(path=SCREENSHOTS / "formgrader-submissions.png")
        page.click("text=Submission #1")
        page.wait_for_selector("input.score")
        page.wait_for_timeout(1500)
        page.screenshot(path=SCREENSHOTS / "formgrader-one.png", full_page=True)
        page.locator("input.score").last.fill("3.5")
        page.locator("input.score").last.press("Tab")
        page.locator("textarea.comment").last.fill("Well said, s1.")
        page.locator("textarea.comment").last.press("Tab")
        page.wait_for_timeout(1500)
        page.screenshot(path=SCREENSHOTS / "formgrader-marked.png", full_page=True)
        browser.close()
    assert said == [], "nothing of the student's is active"
    entered = by_hand(out)
    assert [mark for mark in entered if mark[1] is not None] != [] and "Well said, s1." in str(
        entered
    )
    for _ in range(3):
        grade_class(box, out, force=True, say=lambda text: None)
    assert by_hand(out) == entered


def by_hand(out):
    """Every mark and comment a person entered."""
    with sqlite3.connect(out / "gradebook.db") as database:
        return (
            database.execute(
                "select id, manual_score, extra_credit, needs_manual_grade from grade where "
                "manual_score is not null order by 1"
            ).fetchall()
            + database.execute(
                "select id, manual_comment from comment where manual_comment is not null order by 1"
            ).fetchall()
        )
