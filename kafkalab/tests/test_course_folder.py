"""A notebook finds the course's recordings from wherever it was opened."""

from __future__ import annotations

import pytest

from kafkalab import course_folder


def test_a_notebook_far_from_the_repository_finds_the_recordings_of_the_installed_package(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert (course_folder.course_folder() / "data" / "recordings").is_dir()


def test_a_copy_of_the_course_above_the_notebook_comes_first(tmp_path, monkeypatch):
    (tmp_path / "data" / "recordings").mkdir(parents=True)
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert course_folder.course_folder() == tmp_path


def test_a_package_without_its_data_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        course_folder, "__file__", str(tmp_path / "site" / "kafkalab" / "course_folder.py")
    )
    with pytest.raises(FileNotFoundError, match="pip install -e"):
        course_folder.course_folder()
