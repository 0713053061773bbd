"""The examples in docs/ are run as they stand."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.cell.course_folder import HOME

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def gradescope(hand_in, tmp_path):
    """gradescope(users) runs the script of the page on what lies in submission/ as Gradescope
    would; returns results.json."""
    script = re.search(r"```python\n(.*?)```", (DOCS / "gradescope.md").read_text(), re.S)[1]
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "secret.txt").write_text("a demo secret, known to everybody\n")
    for part in ("autograder", "kafkalab"):
        (tmp_path / "source" / part).symlink_to(HOME / part)
    (tmp_path / "source" / "chapter.txt").write_text("90\n")

    def run(*users):
        told = {
            "users": [{"email": email, "id": 7, "name": "A Name"} for email in users],
            "assignment": {"title": "Week 1"},
        }
        (tmp_path / "submission_metadata.json").write_text(json.dumps(told))
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "AUTOGRADER_HOME": str(tmp_path)},
            check=True,
        )
        return json.loads((tmp_path / "results" / "results.json").read_text())

    return run


def test_gradescopes_script_writes_what_gradescope_reads(gradescope, hand_in, tmp_path):
    hand_in("90_demo", {"90.3": "total = len(seen)"}, student="ada", folder=tmp_path / "submission")
    tests = gradescope("Ada@school.org")["tests"]
    assert [(test["name"], test["score"], test["max_score"]) for test in tests] == [
        ("90.1", 2, 2),
        ("90.2", 3, 3),
        ("90.3", 0, 1),
    ]
    assert tests[2]["output"] == "That is how many there are."


def test_gradescope_shows_a_hint_where_a_hidden_case_failed(gradescope, hand_in, tmp_path):
    """The output is for the student: neither the hidden case nor what the code said to it."""
    spy = (
        "def node_id(broker):\n    if broker > 2:\n"
        "        raise ValueError(f'saw {broker}')\n"
        "    return 2147483647 - broker"
    )
    hand_in("90_demo", {"90.2": spy}, student="ada", folder=tmp_path / "submission")
    test = gradescope("ada@school.org")["tests"][1]
    assert test["status"] == "failed" and test["output"].startswith("It fails on a hidden case.")


def test_gradescopes_script_takes_nobodys_work_but_the_uploaders(gradescope, hand_in, tmp_path):
    """A friend's notebook, one that names nobody, and one of another chapter have no points and a
    sentence."""
    hand_in("90_demo", student="s101", folder=tmp_path / "submission")
    refused = gradescope("bo@school.org")
    assert (refused["score"], refused["tests"]) == (0, [])
    assert refused["output"].startswith(
        'its first cell names s101, and bo handed it in. Write your own id there, me("bo")'
    )
    (tmp_path / "source" / "roster.csv").write_text(
        "First Name,Last Name,SID,Email\nAda,Abel,s101,ada@school.org\n"
    )
    assert len(gradescope("bo@school.org", "ada@school.org")["tests"]) == 3, (
        "a group of two, and one of them is named by SID"
    )
    hand_in("90_demo", folder=tmp_path / "submission")
    assert gradescope("ada@school.org")["output"].startswith("its first cell names nobody.")
    (tmp_path / "source" / "chapter.txt").write_text("89")
    assert (
        gradescope("ada@school.org")["output"] == "it answers chapter 90; chapter 89 was asked for."
    )


def test_every_command_the_docs_name_exists():
    from autograder.__main__ import _parser

    known = _parser().format_help()
    named = set(
        re.findall(
            r"python -m autograder (\w+)", "".join(path.read_text() for path in DOCS.glob("*.md"))
        )
    )
    assert named and all(re.search(rf"^    {name} ", known, re.M) for name in named)
