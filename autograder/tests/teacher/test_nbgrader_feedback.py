"""Feedback goes back through nbgrader's own exchange, and each student gets their own page."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.tests.conftest import writer_of

pytestmark = pytest.mark.usefixtures("kept_staff")


@pytest.fixture
def course(demo, tmp_path, capsys):
    """Two submissions as `nbgrader collect` leaves them, graded into OUT; a third came by mail."""
    home = tmp_path / "course"
    for student in ("s1", "s2"):
        place = home / "submitted" / student / "90_demo"
        writer_of(place)("90_demo", student=student)
        (place / "timestamp.txt").write_text("2026-11-20 20:50:00.000000 UTC")
        (place / "submission_secret.txt").write_text(f"the secret of {student}")
    writer_of(tmp_path / "mail")("90_demo", student="s3", folder=tmp_path / "mail" / "s3")
    for folder in (home / "submitted", tmp_path / "mail"):
        assert main(["grade", str(folder), "--out", str(tmp_path / "out")]) in (0, 3)
    capsys.readouterr()
    return home


@pytest.mark.slow
def test_release_feedback_takes_the_pages(course, tmp_path, capsys):
    out = str(tmp_path / "out")
    assert main(["feedback", out, "--nbgrader", str(course)]) == 0
    said = capsys.readouterr()
    assert f"2 of them are in {course / 'feedback'}" in said.out and "s3, 90_demo" in said.err
    assert f"type in {course}: nbgrader release_feedback" in said.out
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    (course / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'k1'\n"
        f"c.CourseDirectory.root = {str(course)!r}\nc.Exchange.root = {str(exchange)!r}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "release_feedback", "90_demo"],
        cwd=course,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for student in ("s1", "s2"):
        name = hashlib.md5(f"the secret of {student}90_demo".encode()).hexdigest()
        released = exchange / "k1" / "feedback" / f"{name}.html"
        own = Path(out) / "feedback" / student / "90_demo.html"
        assert released.read_bytes() == own.read_bytes() and student in released.read_text()
        assert released.stat().st_mode & 0o004, "its student has another account"


def test_what_the_exchange_did_not_bring_is_named_and_nothing_else_is_read(
    course, tmp_path, capsys
):
    secret = course / "submitted" / "s1" / "90_demo" / "submission_secret.txt"
    secret.unlink()
    secret.symlink_to(tmp_path / "out" / "results.json")
    (course / "submitted" / "s2" / "90_demo" / "timestamp.txt").write_bytes(b"\xff")
    assert main(["feedback", str(tmp_path / "out"), "--nbgrader", str(course)]) == 0
    said = capsys.readouterr()
    assert "0 of them" in said.out and "s1, 90_demo; s2, 90_demo; s3, 90_demo" in said.err
    assert not (course / "feedback").exists()
    assert json.loads((tmp_path / "out" / "results.json").read_text())
    assert main(["feedback", str(tmp_path / "out"), "--nbgrader", str(tmp_path / "mail")]) == 2
    assert "nbgrader collect" in capsys.readouterr().err
