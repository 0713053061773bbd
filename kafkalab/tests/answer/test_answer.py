"""Small cases of Kafka's behaviour, each put to the machine it is about: `cases.json` holds what
real clients, brokers and the tests in Kafka's source answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab.proof.cases.command import FAMILIES, answer_cases
from kafkalab.tests.shares import few, share

ROOT = Path(__file__).resolve().parents[3]
CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
BY_GROUP: dict[str, list[dict]] = {}
for case in CASES["vectors"]:
    BY_GROUP.setdefault(case["group"], []).append(case)


def as_sets(value):
    """Lists in an order of their own, whatever order they came in."""
    if isinstance(value, list):
        return sorted(map(as_sets, value), key=json.dumps)
    return {key: as_sets(one) for key, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("group", BY_GROUP)
def test_the_machines_answer_as_the_real_ones(group):
    questions = [
        {key: value for key, value in case.items() if key != "expected"} for case in BY_GROUP[group]
    ]
    found = answer_cases(CASES["meta"], questions)
    for case in BY_GROUP[group]:
        shape = as_sets if case["check"] == "set" else lambda value: value
        answer = found[case["id"]]
        assert "error" not in answer, f"{case['id']}: {answer['error']}"
        assert {key: shape(answer[key]) for key in case["ask"]} == shape(case["expected"]), case[
            "id"
        ]


def test_every_family_has_a_case():
    assert set(BY_GROUP) >= set(FAMILIES) - {"offset_commit", "join_group"}, (
        "give each family a case in cases.json; these two are answered in words"
    )


def ask(tmp_path, text):
    """The command's exit code, stdout and stderr for a file with that text."""
    file = tmp_path / "questions.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "kafkalab", "answer", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=600,
    )
    return done.returncode, done.stdout, done.stderr


def test_what_cannot_be_answered_says_so_and_stops_nobody(tmp_path):
    code, out, _ = ask(
        tmp_path,
        json.dumps(
            {
                "meta": {"profile_of": {"2.3.0": "2.3"}},
                "vectors": [
                    {
                        "id": "a",
                        "group": "murmur2",
                        "input": {"key_hex": "3231"},
                        "ask": ["murmur2"],
                        "versions": ["2.3.0"],
                    },
                    {"id": "b", "group": "astrology", "input": {}, "ask": []},
                    {"id": "c", "group": "murmur2", "input": {}, "ask": ["murmur2"]},
                    {
                        "id": "d",
                        "group": "murmur2",
                        "input": {"key_hex": "3231"},
                        "ask": ["murmur3"],
                    },
                    {
                        "id": "e",
                        "group": "coordinator_connection_id",
                        "input": {"broker_id": 1},
                        "ask": ["node_id"],
                        "versions": ["0.7"],
                    },
                    {"id": "f", "group": "murmur2", "check": "words", "input": {}},
                    "nonsense",
                ],
            }
        ),
    )
    found = json.loads(out)
    assert (code, found["a"]["murmur2"], set(found)) == (
        0,
        -973932308,
        {"a", "b", "c", "d", "e", "6"},
    )
    assert all(set(found[name]) == {"error"} for name in ("b", "c", "d", "e", "6"))


@pytest.mark.parametrize(
    "text", few(share([None, "{", "[]", '{"vectors": 3}', '{"vectors": [], "meta": 1}'], 3))
)
def test_a_file_that_cannot_be_read_is_told_in_one_sentence(tmp_path, text):
    code, out, err = ask(tmp_path, text)
    assert (code, out, len(err.strip().splitlines())) == (2, "", 1) and "Traceback" not in err
