"""Tests of the import of line numbers: the tables say what the recordings show."""

import shutil
from pathlib import Path

import pytest

from kafkalab.lines import recorded_numbers
from kafkalab.releases import source_lines
from kafkalab.releases.lineage import CLIENT_NAMES

RECORDINGS = Path(__file__).resolve().parents[3] / "data" / "recordings"


@pytest.mark.corpus
def test_the_tables_say_what_the_recordings_show():
    found = recorded_numbers.recorded_numbers(RECORDINGS)
    assert list(found) == list(CLIENT_NAMES)
    for release, rows in found.items():
        assert len(rows) > 80
        for name, row in rows.items():
            assert source_lines.line_table(release).get(name) == row, (
                f"{release}: import {name} with `python -m kafkalab source-lines`"
            )


def test_the_command_writes_a_new_number_and_keeps_the_others(tmp_path, monkeypatch, capsys):
    recording = tmp_path / "recording"
    shutil.copytree(next(RECORDINGS.glob("2.3.1/2.3.0/*")), recording)
    for log in recording.glob("*.log.gz"):
        log.unlink()
    (recording / "shop.log").write_text(
        "[2026-11-21 01:58:27,954] INFO Kafka version: 2.3.0 "
        "(org.apache.kafka.common.utils.AppInfoParser:999)\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(recorded_numbers, "FOLDER", tmp_path)
    assert recorded_numbers.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2.3: 1 numbers recorded, 1 new or changed\n"
    before = {row.name: row for row in source_lines.line_table("2.3").values()}
    written = [
        line.split("\t")
        for line in (tmp_path / "2.3.tsv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert {name: int(line) for name, _, _, line in written} == {
        name: row.line for name, row in before.items()
    } | {"KAFKA_VERSION": 999}


def test_a_folder_without_recordings_is_named(tmp_path, capsys):
    assert recorded_numbers.main([str(tmp_path)]) == 2
    assert "no scenario.json with a log" in capsys.readouterr().err


@pytest.mark.parametrize("release", CLIENT_NAMES)
def test_a_table_is_sorted_by_name(release):
    assert list(source_lines.line_table(release)) == sorted(source_lines.line_table(release))
