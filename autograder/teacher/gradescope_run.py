#!/autograder/venv/bin/python
"""Grades one submission inside Gradescope's container: `run_autograder` of the zip file that
`python -m autograder gradescope` writes. It uses the standard library and the command line only.
"""

import json
import os
import re
import subprocess
import sys

HOME = os.environ.get("AUTOGRADER_HOME", "/autograder")
SOURCE, SUBMISSION, RESULTS = (
    os.path.join(HOME, part) for part in ("source", "submission", "results")
)


def small_file(name):
    """A small file beside this one."""
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read().strip()


def metadata():
    """What Gradescope says of the submission."""
    with open(os.path.join(HOME, "submission_metadata.json"), encoding="utf-8") as file:
        return json.load(file)


def uploaders():
    """The ids by which the student may be named in me("..."): the address, the part before
    the @, the SID."""
    users = metadata()["users"]
    emails = {user["email"].lower() for user in users}
    ids = [str(user["sid"]) for user in users if user.get("sid")]
    if os.path.exists(os.path.join(SOURCE, "roster.csv")):
        from pathlib import Path

        from autograder.handed_in.classlist import read_roster

        rows = read_roster(Path(SOURCE, "roster.csv")).rows
        ids += [student for student, row in rows.items() if row.get("email", "").lower() in emails]
    return ids + [email.partition("@")[0] for email in emails] + sorted(emails)


def chapter_asked():
    """The one chapter that is taken: the only one in the zip file, or the one that the
    assignment's title names. None where any chapter of the zip file is."""
    chapters = small_file("chapters.txt").split()
    title = metadata().get("assignment", {}).get("title", "")
    named = {number.zfill(2) for number in re.findall(r"(?i)\bchapter\s+(\d{1,2})\b", title)}
    wanted = [chapter for chapter in chapters if chapter in named] or chapters
    return wanted[0] if len(wanted) == 1 else None


def report_on(results):
    """results.json as Gradescope reads it, from our results by file."""
    graded = [result for result in results if result["cells"]]
    if len(graded) > 1:
        return nothing("It holds notebooks of several chapters. Hand in one, and each in its turn.")
    result = (graded or results)[0]
    from autograder.teacher.feedback import sentences

    said = sentences(result)  # of a hidden case a hint only
    tests = [
        {
            "name": question,
            "score": cell["score"],
            "max_score": cell["max"],
            "output": said[question],
            "status": "passed" if cell["outcome"] == "right" else "failed",
        }
        for question, cell in result["cells"].items()
        if cell["kind"] != "open"
    ]
    told = result["reason_for_student"] or "Written answers are read by a person."
    return {"tests": tests, "output": told} if tests else nothing(told)


def nothing(why):
    """The report on what cannot be graded."""
    return {"score": 0, "tests": [], "output": why}


os.chdir(SOURCE)
sys.path.insert(0, SOURCE)
os.environ["AUTOGRADER_SECRET"] = small_file("secret.txt")
words = ["--assignment", chapter_asked()] if chapter_asked() else []
words += [word for each in uploaders() for word in ("--student", each)]
ran = subprocess.run(
    [sys.executable, "-m", "autograder", "grade", SUBMISSION, *words, "--json", "-"],
    capture_output=True,
    text=True,
)
if ran.returncode not in (0, 3):
    raise SystemExit(ran.stderr)
report = report_on(list(json.loads(ran.stdout).values()))
os.makedirs(RESULTS, exist_ok=True)
with open(os.path.join(RESULTS, "results.json"), "w", encoding="utf-8") as file:
    json.dump(report, file)
