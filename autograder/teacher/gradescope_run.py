#!/autograder/venv/bin/python
"""Grades one submission inside Gradescope's container: `run_autograder` of the zip file that
`python -m autograder gradescope` writes. It uses the standard library and the command line only.
"""

import json
import os
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


def uploaders():
    """The ids by which the student may be named in me("..."): the address, the part before
    the @, the SID."""
    with open(os.path.join(HOME, "submission_metadata.json"), encoding="utf-8") as file:
        users = json.load(file)["users"]
    emails = {user["email"].lower() for user in users}
    ids = [str(user["sid"]) for user in users if user.get("sid")]
    if os.path.exists(os.path.join(SOURCE, "roster.csv")):
        from pathlib import Path

        from autograder.handed_in.classlist import read_roster

        rows = read_roster(Path(SOURCE, "roster.csv")).rows
        ids += [student for student, row in rows.items() if row.get("email", "").lower() in emails]
    return ids + [email.partition("@")[0] for email in emails] + sorted(emails)


os.chdir(SOURCE)
sys.path.insert(0, SOURCE)
os.environ["AUTOGRADER_SECRET"] = small_file("secret.txt")
who = [word for each in uploaders() for word in ("--student", each)]
asked = ["--assignment", small_file("chapter.txt"), *who, "--json", "-"]
ran = subprocess.run(
    [sys.executable, "-m", "autograder", "grade", SUBMISSION, *asked],
    capture_output=True,
    text=True,
)
if ran.returncode not in (0, 3):
    raise SystemExit(ran.stderr)
result = next(iter(json.loads(ran.stdout).values()))

from autograder.teacher.feedback import sentences  # noqa: E402

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
report = {"tests": tests} if tests else {"score": 0, "tests": []}
report["output"] = result["reason_for_student"] or "Written answers are read by a person."
os.makedirs(RESULTS, exist_ok=True)
with open(os.path.join(RESULTS, "results.json"), "w", encoding="utf-8") as file:
    json.dump(report, file)
