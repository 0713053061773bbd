"""A class to look at: `python -m autograder classroom` makes its submissions, grades them and shows what a teacher sees.

Every chapter is handed in by a student who knows everything, one who knows nothing, one for each step of the ladder of named
wrong answers, one who stopped half way, six whose files are broken in six ways, and as many ordinary students as are wanted,
right and wrong by a seed. Each has numbers of their own.
"""
from __future__ import annotations

import csv
import json
import shutil
import sys
import time
import zipfile
from pathlib import Path
from random import Random

from autograder import judges
from autograder.assignment import rebuild
from autograder.masters import Master, master, text_of
from autograder.grade import grade_class
from autograder.references import references
from autograder.report import report
from autograder.submission import read_roster

FIRST = ("Ada", "Bela", "Chen", "Dina", "Emre", "Fatou", "Goran", "Hana", "Ines", "Jonas", "Kemal", "Lucia", "Mehdi", "Nora", "Omar",
         "Petra", "Qi", "Rosa", "Sven", "Tala", "Umar", "Vera", "Wen", "Xenia", "Yara", "Zoran")
LAST = ("Abel", "Brandt", "Costa", "Dumas", "Eriksen", "Fischer", "Garcia", "Horvat", "Ito", "Jansen", "Kaya", "Lindqvist", "Moreau",
        "Novak", "Okafor", "Pereira", "Rossi", "Silva", "Tanaka", "Vidal", "Weber", "Zhang")
OPEN_ANSWERS = ("model", "half", "off topic", "question", "none")


def classroom(students: int, chapters: list[str], out: Path, seed: int = 7) -> int:
    """Make the class in OUT/submitted, grade it into OUT/graded, print the report. Returns the exit code: 0, or 1 when a
    submission did not get what it was made to get."""
    if out.exists():
        if not (out / "submitted").is_dir():
            raise ValueError(f"{out} is not a classroom of ours; name another folder with --out.")
        shutil.rmtree(out)
    masters = [master(chapter) for chapter in chapters]
    made = make_class(out / "submitted", students, masters, seed)
    print(f"{len(made)} submissions of {students} students are in {out / 'submitted'}. Grading.", file=sys.stderr)
    started = time.monotonic()
    results = grade_class(out / "submitted", out / "graded", roster=read_roster(out / "roster.csv"), allow_unsafe=True)      # we wrote the answers
    print(f"Graded in {time.monotonic() - started:.1f} s.\n", file=sys.stderr)
    print(report(out / "graded"))
    unexpected = surprises(made, results)
    print("\nThe references have full marks, the blank ones none, and every named wrong answer was told by name."
          if not unexpected else "\nNot as made:\n  " + "\n  ".join(unexpected))
    return 1 if unexpected else 0


def make_class(folder: Path, students: int, masters: list[Master], seed: int = 7) -> dict[str, tuple[str, str]]:
    """Write the submissions, and the class list beside the folder. Returns {file's name: (chapter, role)}."""
    folder.mkdir(parents=True)
    luck = Random(seed)
    names = [f"s{number:03}" for number in range(1, students + 1)]
    with open(folder.parent / "roster.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "first_name", "last_name"])
        rows.writerows([name, luck.choice(FIRST), luck.choice(LAST)] for name in names)
    made = {}
    for own in masters:
        roles = _roles(own)
        roles += ["ordinary"] * (students - len(roles))
        for name, role in zip(names, roles):
            path = _hand_in(folder, own, name, role, luck)
            made[path.name] = (own.chapter, role)
    return made


def surprises(made: dict[str, tuple[str, str]], results: dict[str, dict]) -> list[str]:
    """Where a result is not what its submission was made for, one sentence each."""
    found = []
    for name, (chapter, role) in made.items():
        result = results[name]
        if role == "reference" and not (result["status"] == "graded" and result["score"] == result["max"] > 0):
            found.append(f"{name}: the reference of chapter {chapter} has {result['score']:g} of {result['max']:g}.")
        if role == "blank" and result["score"] != 0:
            found.append(f"{name}: a blank notebook of chapter {chapter} has {result['score']:g} points.")
        if role.startswith("wrong"):
            step = int(role.split()[1])
            for question in master(chapter).questions:
                wrong = judges.find(question.id).wrong_answers[step:step + 1]
                if wrong and result["misconceptions"].get(question.id) != wrong[0].name:
                    found.append(f"{name}: {question.id} gives the wrong answer \"{wrong[0].name}\" and was told: "
                                 f"{result['cells'][question.id]['sentence']}")
        if role in ("no notebook", "outside") and result["status"] not in ("unreadable", "refused"):
            found.append(f"{name}: it should not have been read, and was {result['status']}.")
    return found


def _roles(own: Master) -> list[str]:
    most = max(len(judges.find(question.id).wrong_answers) for question in own.questions)
    return ["reference", "blank", *(f"wrong {step}" for step in range(most)), "half way",
            "doubled", "locked cell gone", "cut off", "UTF-16", "no notebook", "outside"]


def _hand_in(folder: Path, own: Master, student: str, role: str, luck: Random) -> Path:
    answers = _answers(own, role, luck)
    notebook = rebuild(own, answers)
    for cell in notebook["cells"]:
        if text_of(cell).strip() in ('me("")', "me('')", "me()"):
            cell["source"] = f'me("{student}")'
    notebook["metadata"]["autograder"] = {**notebook["metadata"].get("autograder", {}), "student": student}
    path = folder / f"{student}_{own.name}.ipynb"
    text = json.dumps(notebook, ensure_ascii=False, indent=1)
    if role == "doubled":
        first = next(cell.index for cell in own.cells if cell.kind == "answer")
        notebook["cells"].insert(first, dict(notebook["cells"][first]))
        text = json.dumps(notebook, ensure_ascii=False, indent=1)
    elif role == "locked cell gone":
        del notebook["cells"][next(cell.index for cell in own.cells if cell.kind == "test")]
        text = json.dumps(notebook, ensure_ascii=False, indent=1)
    elif role == "cut off":
        text = text[:int(len(text) * 0.7)]
    elif role == "no notebook":
        text = "Sorry, my disk was full.\n"
    elif role == "outside":
        path = path.with_suffix(".zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"../../{own.name}.ipynb", text)
        return path
    path.write_text(text, encoding="utf-16" if role == "UTF-16" else "utf-8")
    return path


def _answers(own: Master, role: str, luck: Random) -> dict[str, str]:
    right = references(own.chapter)
    if role == "blank":
        return {}
    if role == "half way":
        return dict(list(right.items())[:len(right) // 2])
    answers = dict(right)
    for question in own.questions:
        wrong = judges.find(question.id).wrong_answers
        if role.startswith("wrong") and wrong[int(role.split()[1]):]:
            answers[question.id] = wrong[int(role.split()[1])].source
        elif role == "ordinary" and question.kind == "open":
            answers[question.id] = _open_answer(luck.choice(OPEN_ANSWERS), right.get(question.id, ""), question.title)
        elif role == "ordinary" and luck.random() < 0.35:
            answers[question.id] = luck.choice([each.source for each in wrong] or [""]) if luck.random() < 0.8 else ""
    return {question: source for question, source in answers.items() if source.strip()}


def _open_answer(kind: str, model: str, question: str) -> str:
    return {"model": model, "half": model[:len(model) // 2].rpartition(" ")[0], "off topic": "Kafka is fast because it is written in Java.",
            "question": question, "none": ""}[kind]
