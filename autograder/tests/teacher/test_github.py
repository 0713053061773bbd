"""A template for GitHub Classroom: the package, the learner's copies, and a workflow that runs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from autograder.__main__ import _parser, main
from autograder.course.references import references
from autograder.course.release import leaks
from autograder.grade import grade_class


@pytest.fixture
def template(demo, tmp_path, capsys):
    folder = tmp_path / "template"
    assert main(["github", "90", "--out", str(folder)]) == 2, "a class has a secret of its own"
    assert not folder.exists() and "AUTOGRADER_SECRET is not set" in capsys.readouterr().err
    assert main(["github", "90", "--out", str(folder), "--demo"]) == 0
    return folder


def test_the_template_is_a_package_with_a_workflow_and_no_secret(template):
    assert leaks(template, ["90"]) == []
    text = (template / ".github" / "workflows" / "feedback.yml").read_text(encoding="utf-8")
    assert "secrets." not in text, "students can read and change the workflow"
    workflow = yaml.safe_load(text)
    (job,) = workflow["jobs"].values()
    assert workflow["permissions"] == {"contents": "read"} and job["timeout-minutes"] == 30
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands[0].endswith('--editable ".[learn,spark]"')
    assert [_parser().parse_args(shlex.split(each)[3:]).command for each in commands[1:]] == [
        "check"
    ]
    assert (template / "notebooks/mine/90_demo/90_demo.ipynb").read_bytes() == (
        template / "notebooks/release/90_demo/90_demo.ipynb"
    ).read_bytes()
    assert "mine/\n" not in (template / ".gitignore").read_text()
    readme = (template / "README.md").read_text(encoding="utf-8")
    assert "git push" in readme and "`notebooks/mine/90_demo/90_demo.ipynb`" in readme
    links = re.findall(r"\]\((?!https?:)([^)#]+)", readme)
    assert links and all((template / link).exists() for link in links)


def test_chapters_that_ask_nothing_are_no_assignment(demo, tmp_path, capsys):
    assert main(["github", "myths", "--out", str(tmp_path / "template")]) == 2
    assert "nothing to hand in" in capsys.readouterr().err
    assert not (tmp_path / "template").exists()


@pytest.mark.slow
def test_the_workflows_command_says_what_the_tests_say(template, tmp_path):
    """`check` runs a copy of the learner's notebook in a kernel of its own: two right, one not. A
    clone of the repository is graded as one submission."""
    path = template / "notebooks" / "mine" / "90_demo" / "90_demo.ipynb"
    right = {**references("90"), "90.3": "total = len(seen)"}
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            cell["source"] = right["90." + marks["grade_id"].split("-")[2]]
        elif cell["source"] == 'me("")':
            cell["source"] = 'me("ada")'
    path.write_text(json.dumps(notebook))
    before = path.read_bytes()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("AUTOGRADER")
    }
    ran = subprocess.run(
        [sys.executable, "-m", "autograder", "check", "90"],
        cwd=template,
        env={**environment, "PYTHONPATH": str(template)},
        capture_output=True,
        text=True,
    )
    assert ran.stdout.splitlines() == [
        "90.1 ✓ right",
        "90.2 ✓ right",
        "90.3 ✗ That is how many there are.",
        "2 of 3 are right on the cases that you can see.",
    ], ran.stderr
    assert ran.returncode == 3 and path.read_bytes() == before
    assert [each.name for each in path.parent.parent.iterdir() if each.is_file()] == []
    shutil.copytree(template, tmp_path / "clones" / "chapter90-ada")
    (result,) = grade_class(tmp_path / "clones", tmp_path / "out", say=lambda text: None).values()
    assert (result["student"], result["score"], result["status"]) == ("ada", 5, "repaired")
    assert "notebooks/mine/90_demo/90_demo.ipynb counts" in result["reason"]
