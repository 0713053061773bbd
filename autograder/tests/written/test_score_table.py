"""The scorer's table: what a teacher reads before believing a suggestion,
counted as the words above its columns say."""

import json

import pytest

from autograder.__main__ import main
from autograder.written import score_table

GOOD = (
    "A late retry of an older commit overwrites the newer one, out of order. So records are read "
    "again after a restart. Use commitSync before closing."
)


def folder(tmp_path, **files):
    for name, rows in files.items():
        (tmp_path / (name.replace("_", ".", 1).replace("__", "-") + ".tsv")).write_text(
            "# told\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8"
        )
    return tmp_path


def test_odd_lines_of_the_first_file_and_held_files_are_held(tmp_path):
    rows = [("0", "-", "no idea"), ("4", "OVDF", GOOD)]
    parts = score_table.parts(
        folder(tmp_path, **{"09_open": rows, "09_open__held": rows, "09_open__second": rows})
    )
    assert {part: len(answers) for (_, part), answers in parts.items()} == {"seen": 3, "held": 3}


def test_a_wrong_accept_a_gaming_accept_and_a_lost_answer_are_counted_apart():
    asked = [
        score_table.MarkedAnswer("09.open", 0, 1, "!", GOOD),
        score_table.MarkedAnswer("09.open", 1, 0, "g", GOOD),
        score_table.MarkedAnswer("09.open", 2, 4, "OVDF", "no idea"),
        score_table.MarkedAnswer("09.open", 3, 4, "OVDF", GOOD),
    ]
    row = score_table.row("09.open", "seen", asked)
    assert (row.wrong, row.gaming, row.lost) == ((1, 1), (1, 1), (1, 2))
    assert row.sure == ((1, 4), (0, 4), (4, 0), (4, 4)) and row.review == 0


@pytest.mark.corpus
def test_the_command_prints_a_line_for_each_part_and_one_for_all(capsys):
    assert main(["score", "--table", "09.open"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["question", "part", "answers"] and [
        line.split()[:2] for line in lines[1:5]
    ] == [["09.open", "held"], ["09.open", "seen"], ["all", "seen"], ["all", "held"]]
    assert main(["score", "--table", "09.open", "--json"]) == 0
    assert {"qwk", "wrong_accepted", "gaming_accepted", "review", "ms"} <= set(
        json.loads(capsys.readouterr().out)[0]
    )


def test_without_marked_answers_or_a_file_there_is_a_sentence(capsys):
    for words in (["score", "--table", "77.open"], ["score"], ["score", "09.open"]):
        assert main(words) == 2
        told = capsys.readouterr().err
        assert len(told.splitlines()) == 1 and (
            "no marked answers" in told or "score --table" in told
        )
