"""Is machine code only ever the same simulator, sooner? It is passed over where it does not fit, and tells the same stories where it does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab import machine_code
from kafkalab.machine_code import build
from kafkalab.machine_code.parts import PARTS

ROOT = Path(__file__).resolve().parents[2]
WORDS_OF_C = {"thread", "asm", "inline", "const", "volatile", "signed", "restrict", "complex", "real", "imag", "label"}
"""What C takes for its own with two underscores before it; mypyc writes one before an attribute's name."""


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """A package of one compiled module, as `make fast` leaves it behind; the compiler was not here."""
    source, folder = tmp_path / "clock.py", tmp_path / "__compiled__"
    source.write_text("now_ms = 0\n")
    folder.mkdir()
    monkeypatch.setattr(machine_code, "PACKAGE", tmp_path)
    monkeypatch.setattr(machine_code, "FOLDER", folder)
    monkeypatch.setattr(machine_code, "MANIFEST", folder / "manifest.json")
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delenv("KAFKALAB_PYTHON_ONLY")
    manifest = {"suffix": machine_code.SUFFIX, "modules": ["some.clock"], "sources": {"clock.py": machine_code.stamp(source)}}
    machine_code.MANIFEST.write_text(json.dumps(manifest))
    return source


def test_machine_code_that_fits_is_found_before_the_source(compiled, capsys):
    assert machine_code.use()
    spec = sys.meta_path[0].find_spec("some.clock")
    assert spec.origin == str(machine_code.FOLDER / f"some.clock{machine_code.SUFFIX}")
    assert sys.meta_path[0].find_spec("some.other") is None
    assert capsys.readouterr().err == ""


def test_an_edited_source_is_what_runs_and_a_sentence_says_so(compiled, capsys):
    compiled.write_text("now_ms = 1\n")
    assert not machine_code.use()
    assert "clock.py has changed" in capsys.readouterr().err


def test_a_source_that_is_gone_counts_as_edited(compiled, capsys):
    compiled.unlink()
    assert not machine_code.use()
    assert "clock.py has changed" in capsys.readouterr().err


def test_another_python_passes_it_over(compiled, capsys):
    manifest = json.loads(machine_code.MANIFEST.read_text())
    machine_code.MANIFEST.write_text(json.dumps(manifest | {"suffix": ".of-another-python.so"}))
    assert not machine_code.use() and capsys.readouterr().err == ""


def test_a_torn_manifest_passes_it_over(compiled):
    machine_code.MANIFEST.write_text("{")
    assert not machine_code.use()


def test_one_may_ask_for_python(compiled, monkeypatch, capsys):
    monkeypatch.setenv("KAFKALAB_PYTHON_ONLY", "1")
    assert not machine_code.use() and capsys.readouterr().err == ""


def test_without_mypyc_there_is_a_sentence_and_nothing_is_left_behind(compiled, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mypyc.build", None)
    before = machine_code.MANIFEST.read_text()
    assert build.main() == 1
    assert "make fast" in capsys.readouterr().err
    assert machine_code.MANIFEST.read_text() == before


def test_parts_are_modules_and_named_once():
    assert len(set(PARTS)) == len(PARTS)
    assert [part for part in PARTS if not (ROOT / "kafkalab" / f"{part}.py").is_file()] == []


def test_no_attribute_of_a_part_is_a_word_of_c():
    for part in PARTS:
        text = (ROOT / "kafkalab" / f"{part}.py").read_text(encoding="utf-8")
        found = [word for word in WORDS_OF_C if f"self._{word} " in text or f"self._{word}." in text or f"self._{word}," in text]
        assert not found, f"kafkalab/{part}.py: C has a word __{found[0]}, so mypyc cannot compile an attribute _{found[0]}"


@pytest.mark.slow
def test_machine_code_tells_the_same_stories():
    if not machine_code.MANIFEST.is_file():
        pytest.skip("`make fast` was not here")
    if machine_code.changed(json.loads(machine_code.MANIFEST.read_text())["sources"]):
        pytest.skip("the source has changed since `make fast` was here")
    assert build.difference() == ""


@pytest.mark.slow
def test_machine_code_replays_every_recording_as_python_does():
    """All scenarios under data/recordings, whole journals."""
    if not machine_code.MANIFEST.is_file():
        pytest.skip("`make fast` was not here")
    program = ("import json, pathlib\nfrom kafkalab.machine_code.story import digest\nfrom kafkalab.replay import Play\n"
               "for path in sorted(pathlib.Path('data/recordings').rglob('scenario.json')):\n"
               "    play = Play(json.loads(path.read_text()), 3, None)\n    play.run()\n    print(path, digest(play.lab))\n")
    told = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True,
                           env={**os.environ, "KAFKALAB_PYTHON_ONLY": python_only}).stdout for python_only in ("", "1")]
    assert told[0] == told[1] != ""
