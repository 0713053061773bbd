"""Checks when the archive of Spark's classes is made: once it is worth it, once, and never at the
price of an answer."""

import pytest

from autograder.sandbox.outside.parent import Sandbox
from autograder.sandbox.outside.spark_archive import ARCHIVE, WORTH_IT_AFTER
from kafkalab.logsets import class_archive


@pytest.fixture
def place(monkeypatch, tmp_path):
    """Where the archive is kept; nobody needs a Java for it."""
    kept = tmp_path / "cache" / "spark.jsa"
    monkeypatch.setattr(class_archive, "archive_file", lambda: kept)
    return kept


def made_by(monkeypatch, place, works=True) -> list:
    made = []

    def make(path):
        made.append(path)
        if works:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"classes")
        return works

    monkeypatch.setattr(class_archive, "make_archive", make)
    return made


@pytest.fixture
def sandbox(demo):
    with Sandbox() as opened:
        yield opened


def test_it_is_made_once_as_many_jvms_started_as_it_costs(sandbox, place, monkeypatch):
    made = made_by(monkeypatch, place)
    for number in range(1, WORTH_IT_AFTER + 3):
        sandbox._expect_jvm()
        assert len(made) == (number >= WORTH_IT_AFTER)
        assert (sandbox.view / ARCHIVE).exists() == (number >= WORTH_IT_AFTER)
    assert (sandbox.view / ARCHIVE).read_bytes() == b"classes"


def test_one_that_was_kept_is_there_for_the_first_jvm(sandbox, place, monkeypatch):
    made = made_by(monkeypatch, place)
    place.parent.mkdir()
    place.write_bytes(b"classes")
    sandbox._expect_jvm()
    assert (sandbox.view / ARCHIVE).stat().st_mode & 0o777 == 0o644 and made == []


def test_where_it_cannot_be_made_all_goes_on_without_it(sandbox, place, monkeypatch):
    made = made_by(monkeypatch, place, works=False)
    for _ in range(WORTH_IT_AFTER + 3):
        sandbox._expect_jvm()
    assert len(made) == 1 and not (sandbox.view / ARCHIVE).exists()
