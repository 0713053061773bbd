"""A course on another topic than Kafka is built and graded by the same commands."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.cell.course_folder import HOME

pytestmark = pytest.mark.slow
SOURCES = Path(__file__).with_name("http_caching")
GRADE = (
    "import json, sys; from autograder.course.references import solved; "
    "from autograder.grade import grade; from pathlib import Path\n"
    "notebook = json.dumps(solved('01'))\n"
    "found = []\n"
    "for name, old, new in (('right', '', ''), ('wrong', 'age < max_age', 'age <= max_age')):\n"
    "    Path(f'{name}.ipynb').write_text(notebook.replace(old, new))\n"
    "    found.append(grade('01', f'{name}.ipynb')['cells'])\n"
    "print(json.dumps(found), 'kafkalab.lab' in sys.modules)"
)


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    """(run, folder) of a copy of the course on HTTP caching, built."""
    home = tmp_path_factory.mktemp("http")
    shutil.copytree(SOURCES / "notebooks", home / "notebooks")
    shutil.copy(HOME / "notebooks" / "nbgrader_config.py", home / "notebooks")

    def run(*words):
        done = subprocess.run(
            [sys.executable, *words],
            env={**os.environ, "AUTOGRADER_COURSE": str(home), "PYTHONPATH": str(HOME)},
            cwd=home,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "autograder", "course")
    return run, home


def test_no_file_of_it_imports_the_simulator(http):
    _, home = http
    written = "".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    built = "".join(path.read_text("utf-8") for path in home.glob("*/ch01.py"))
    assert not re.search(r"^\s*(?:from|import) kafkalab", written + built, re.MULTILINE)


def test_its_rules_are_kept(http):
    run, _ = http
    assert "All is well" in run("-m", "autograder", "exercise", "01.2")


def test_it_is_graded(http):
    run, _ = http
    cells, simulator = json.loads((out := run("-c", GRADE)).rpartition(" ")[0]), out.split()[-1]
    right, wrong = cells
    assert [cell["score"] for cell in right.values()] == [1, 2]
    assert wrong["01.2"]["score"] == 0 and "stale" in wrong["01.2"]["sentence"]
    assert simulator == "False", "grading started the simulator"
