"""The schema of results in docs/ holds what grading writes, and names every outcome."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from autograder.__main__ import main
from autograder.cell.outcome import Outcome
from autograder.cell.question import KINDS
from autograder.handed_in import submission
from autograder.tests.grading.test_outcomes import one_of_each

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "results.schema.json").read_text(encoding="utf-8"))
VERDICT = SCHEMA["$defs"]["verdict"]["properties"]


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(one_of_each, tmp_path)
    return tmp_path / "out"


def wrong(results) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(results)]


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


def test_the_codes_of_the_schema_are_those_of_the_code():
    assert VERDICT["outcome"]["enum"] == list(Outcome)
    assert VERDICT["kind"]["enum"] == list(KINDS)
    assert SCHEMA["$defs"]["result"]["properties"]["status"]["enum"] == [
        submission.GRADED,
        submission.REPAIRED,
        submission.PARTIAL,
        submission.UNREADABLE,
        submission.REFUSED,
    ]
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == list(Outcome)


def test_everything_in_the_schema_that_a_person_may_wonder_about_is_described():
    for part in ("result", "verdict"):
        for name, about in SCHEMA["$defs"][part]["properties"].items():
            assert about["description"].endswith("."), name


@pytest.mark.corpus
def test_results_json_is_as_the_schema_says(out, tmp_path, hand_in):
    """Somebody hands in twice, one file is unreadable, one notebook is another's."""
    hand_in("named (1)", student="named", folder=tmp_path / "class")
    (tmp_path / "class" / "broken.ipynb").write_text("{")
    (tmp_path / "class.csv").write_text("student,name\nraises,R R\nblank,B B\n", encoding="utf-8")
    (tmp_path / "class" / "blank.ipynb").rename(tmp_path / "class" / "raises_too.ipynb")
    words = ["grade", str(tmp_path / "class"), "--out", str(out), "--json", str(tmp_path / "json")]
    assert main([*words, "--roster", str(tmp_path / "class.csv")]) == 3
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert wrong(results) == []
    assert any("replaced_by" in result for result in results.values())
    assert {"unreadable", "partial"} <= {result["status"] for result in results.values()}
    assert wrong(json.loads((tmp_path / "json").read_text(encoding="utf-8"))) == []


@pytest.mark.corpus
@pytest.mark.parametrize("kind", ["a notebook", pytest.param("none", marks=pytest.mark.slow)])
def test_grade_json_is_as_the_schema_says(hand_in, tmp_path, capsys, kind):
    path = hand_in("ada", {"90.1": "opened = kept = n.partitions"}, student="ada")
    if kind == "none":
        path.write_text("{")
    main(["grade", str(path), "--json", "-"])
    results = json.loads(capsys.readouterr().out)
    assert wrong(results) == [] and list(results) == ["ada.ipynb"]


def test_a_result_of_another_form_is_refused_by_the_schema(out):
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    del results["named.ipynb"]["cells"]["90.1"]["outcome"]
    results["hidden.ipynb"]["surprise"] = 1
    results["gone.ipynb"]["cells"]["90.2"]["outcome"] = "nearly"
    assert len(wrong(results)) == 3
