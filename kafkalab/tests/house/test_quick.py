"""`make quick` finds the tests that are nearest to a change."""

from __future__ import annotations

import subprocess

import pytest

from kafkalab.tests import quick

TESTS = {
    "kafkalab/tests/broker/test_log.py": {"kafkalab", "kafkalab.broker.log"},
    "kafkalab/tests/lines/test_words.py": {"kafkalab.lines.catalogue"},
    "kafkalab/tests/test_lab.py": {"kafkalab.lab", "kafkalab.broker.shell.broker"},
    "autograder/tests/cell/test_check.py": {"autograder.cell.check"},
}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("README.md", []),
        ("kafkalab/tests/lines/test_words.py", ["kafkalab/tests/lines/test_words.py"]),
        ("kafkalab/lab.py", ["kafkalab/tests/test_lab.py"]),
        ("kafkalab/lines/brokers/logs.txt", ["kafkalab/tests/lines/test_words.py"]),
        ("autograder/cell/questions/ch03.toml", ["autograder/tests/cell/test_check.py"]),
        (
            "kafkalab/broker/shell/broker.py",
            ["kafkalab/tests/broker/test_log.py", "kafkalab/tests/test_lab.py"],
        ),
        ("kafkalab/tests/conftest.py", []),
    ],
)
def test_a_change_is_near_to_its_rooms_tests_and_to_who_imports_it(changed, found):
    assert quick.tests_of([changed], TESTS) == found


def test_what_changed_is_what_differs_from_main_and_what_git_does_not_know(tmp_path, monkeypatch):
    def git(*words: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@x.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(quick, "ROOT", tmp_path)
    git("init", "--initial-branch=main")
    for name in ("kept.py", "edited.py", "gone.py", "committed.py"):
        (tmp_path / name).write_text("1\n")
    git("add", ".")
    git("commit", "--message", "first")
    git("switch", "--create", "change")
    (tmp_path / "committed.py").write_text("2\n")
    git("commit", "--all", "--message", "second")
    (tmp_path / "edited.py").write_text("2\n")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "new.py").write_text("1\n")
    assert quick.changed_files() == ["committed.py", "edited.py", "new.py"]


def test_every_room_with_tests_is_found_by_its_name():
    tests = quick.imports_of_tests()
    assert quick.tests_of(["autograder/teacher/report.py"], tests)
    near = quick.tests_of(["kafkalab/lines/clients/consumer.txt"], tests)
    assert near and all(name.startswith("kafkalab/tests/lines/") for name in near)
