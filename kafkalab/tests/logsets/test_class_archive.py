"""Checks where the archive of Spark's classes is kept, and that a session starts from it."""

import pytest

from kafkalab.logsets import class_archive


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("here is no folder")
    assert class_archive.make_archive(tmp_path / "file" / "spark.jsa") is False


def test_its_name_follows_from_java_and_spark(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = class_archive.archive_file()
    if first is None:
        pytest.skip("no Java or no Spark here")
    assert first == class_archive.archive_file() and first.parent == tmp_path / "kafkalab"
    monkeypatch.setattr(class_archive, "JAVA_OPTIONS", ("-XX:+UseSerialGC",))
    assert class_archive.archive_file() != first


def test_a_jvm_starts_from_one_that_was_made(tmp_path):
    assert class_archive.options_from(None) == class_archive.JAVA_OPTIONS
    assert class_archive.options_from(tmp_path / "none.jsa") == class_archive.JAVA_OPTIONS
    (tmp_path / "of mine.jsa").touch()
    *_, option = class_archive.options_from(tmp_path / "of mine.jsa")
    assert option == f'"-XX:SharedArchiveFile={tmp_path}/of mine.jsa"'
