"""A class to look at: `python -m autograder classroom` makes its submissions, grades them and shows
what a teacher sees.

Who sits in it says pupils.py. The class hands in twice: first everybody who is in time; then, after
the chapter was due, those who are late or hand in again. Every submission must get what it was made
for; what does not is named, and the command ends with 1.
"""

from __future__ import annotations

import csv
import shutil
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from autograder.course.masters import Master, master
from autograder.grade import grade_class
from autograder.gradebook.late import set_due
from autograder.gradebook.read import sheets
from autograder.handed_in.classlist import read_roster
from autograder.proving.pupils import Pupil, pupil, roles, surprises
from autograder.teacher.report import report

FIRST = (
    "Ada Bela Chen Dina Emre Fatou Goran Hana Ines Jonas Kemal Lucia Mehdi Nora Omar Petra "
    "Qi Rosa Sven Tala Umar Vera Wen Xenia Yara Zoran"
).split()
LAST = (
    "Abel Brandt Costa Dumas Eriksen Fischer Garcia Horvat Ito Jansen Kaya Lindqvist Moreau "
    "Novak Okafor Pereira Rossi Silva Tanaka Vidal Weber Zhang"
).split()


def classroom(students: int, chapters: list[str], out: Path, seed: int = 7) -> int:
    """Make the class in OUT/submitted, grade it into OUT/graded, print the report. Returns the exit
    code: 0, or 1 when a submission did not get what it was made to get."""
    if out.exists():
        there = {path.name for path in out.iterdir()} if out.is_dir() else set()
        # a real course has a submitted/, too
        if not {"submitted", "roster.csv"} <= there <= {"submitted", "roster.csv", "graded"}:
            raise ValueError(
                f"{out} is not a classroom of ours, and one is made anew; name another folder with "
                "--out."
            )
        shutil.rmtree(out)
    masters = [master(chapter) for chapter in chapters]
    pupils = hand_in_all(out / "submitted", students, masters, seed)
    hand_in(out / "submitted", pupils, late=False)
    print(f"{students} students hand in. Grading.", file=sys.stderr)
    started = time.monotonic()
    results = _graded(out)
    if any(each.second for each in pupils):
        for own in masters:
            print(set_due(out / "graded", own.name, datetime.now(UTC)), file=sys.stderr)
        time.sleep(1)  # a second is the least that is late
        hand_in(out / "submitted", pupils, late=True)
        print(
            "The chapters were due; the late ones and the second versions come in. Grading.",
            file=sys.stderr,
        )
        results = _graded(out)
    seconds = time.monotonic() - started
    print(report(out / "graded"))
    unexpected = [
        sentence for each in pupils for sentence in surprises(each, results)
    ] + _late_surprises(out / "graded", pupils)
    kinds = Counter(
        "ordinary" if each.role == "ordinary" else "made for something" for each in pupils
    )
    print(
        f"\n{len(results)} submissions in {seconds:.0f} s, {60 * len(results) / seconds:.0f} a "
        f"minute; {kinds['ordinary']} of ordinary students, the others of "
        f"{len({each.role for each in pupils}) - 1} kinds."
    )
    print(
        (
            "Everything is as it was made: the references have full marks, the blank and the "
            "hostile ones none, every named wrong answer was told by name, and what could be "
            "repaired was."
        )
        if not unexpected
        else "Not as made:\n  " + "\n  ".join(unexpected)
    )
    return 1 if unexpected else 0


def hand_in_all(folder: Path, students: int, masters: list[Master], seed: int = 7) -> list[Pupil]:
    """The class, and its list beside the folder of submissions."""
    folder.mkdir(parents=True)
    luck = Random(seed)
    names = [f"s{number:03}" for number in range(1, students + 1)]
    with open(folder.parent / "roster.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "first_name", "last_name"])
        rows.writerows([name, luck.choice(FIRST), luck.choice(LAST)] for name in names)
    return [
        pupil(own, name, role, luck)
        for own in masters
        for name, role in zip(names, roles(own, students))
    ]


def hand_in(folder: Path, pupils: list[Pupil], late: bool) -> None:
    """Write the files of the first wave, or of the second."""
    for each in pupils:
        for name, write in (each.second if late else each.first).items():
            write(folder / name)


def make_class(
    folder: Path, students: int, masters: list[Master], seed: int = 7
) -> dict[str, tuple[str, str]]:
    """Write a class that hands in once. Returns {file's name: (chapter, role)}."""
    pupils = hand_in_all(folder, students, masters, seed)
    hand_in(folder, pupils, late=False)
    return {name: (each.chapter, each.role) for each in pupils for name in each.first}


def _graded(out: Path):
    # we wrote the answers
    return grade_class(
        out / "submitted", out / "graded", roster=read_roster(out / "roster.csv"), allow_unsafe=True
    )


def _late_surprises(out: Path, pupils: list[Pupil]) -> list[str]:
    """Late are those who handed in after the date, and nobody else."""
    late = {
        (sheet.student, sheet.assignment[:2]) for sheet in sheets(out) if sheet.seconds_late > 0
    }
    made = {(each.student, each.chapter) for each in pupils if each.second}
    return [
        f"{student} is {'not ' if (student, chapter) in made else ''}late in chapter {chapter}."
        for student, chapter in sorted(late ^ made)
    ]
