"""The papers of the repository: workflows, forms and settings name what is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from kafkalab.tests.house.test_tree import targets

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))


def loaded(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(path: Path) -> list[dict]:
    return [step for job in loaded(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_its_limits_and_runs_what_is_there(path):
    workflow = loaded(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert 0 < job["timeout-minutes"] < 360
    ran = "\n".join(step.get("run", "") for step in steps(path))
    assert set(re.findall(r"\bmake ([a-z-]+)", ran)) <= targets()
    for extras in re.findall(r"\.\[([\w,]+)\]", ran):
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    for named in re.findall(r"(?:kafkalab|autograder)/tests[\w/]*", ran):
        assert (ROOT / named).is_dir(), named


def test_the_tests_run_on_every_python_and_system_that_is_promised():
    promised = [
        each.rpartition(" ")[2]
        for each in PROJECT["classifiers"]
        if re.search(r"Python :: 3\.\d+$", each)
    ]
    jobs = loaded(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    assert jobs["all"]["strategy"]["matrix"]["python"] == promised
    assert jobs["windows"]["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    systems = {*jobs["all"]["strategy"]["matrix"]["os"], jobs["windows"]["runs-on"]}
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="no actionlint on this machine")
def test_actionlint_finds_nothing():
    done = subprocess.run(["actionlint"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_and_says_what_it_is_for(path):
    form = loaded(path)
    assert form["name"] and form["description"].endswith(".")
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked) >= 3
    assert all(part["attributes"]["label"] for part in asked)


def test_the_hooks_run_the_ruff_that_was_tried():
    [ruff] = [
        repo
        for repo in loaded(ROOT / ".pre-commit-config.yaml")["repos"]
        if repo["repo"].endswith("/ruff-pre-commit")
    ]
    tried = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert f"\nruff=={ruff['rev'].removeprefix('v')}\n" in tried


def test_the_citation_can_be_read():
    """The schema wants these; cffconvert --validate was run by hand."""
    cited = loaded(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert all(author["name"] for author in cited["authors"])


def test_the_container_and_binder_make_what_a_learner_needs():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert "make .venv/ready " in container["postCreateCommand"]
    opened = container["customizations"]["codespaces"]["openFiles"]
    chapters = [path.replace("notebooks/mine", "notebooks/release") for path in opened]
    assert all((ROOT / chapter).is_file() for chapter in chapters)
    wanted = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8")
    assert "--constraint ../constraints.txt\n--editable .[learn,spark]\n" in wanted
    assert (ROOT / ".binder" / "postBuild").stat().st_mode & 0o100
