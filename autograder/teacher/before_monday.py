"""Looks at what a week of a class rests on: the secret, OUT, the class list, the dates, the homes.

`python -m autograder doctor OUT` tells it after the sandbox. Each fault comes with the command that
mends it. docs/before_monday.md has the same list, with what no command can look at.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from autograder.cell.course_folder import HOME
from autograder.cell.terminal import said_by_sqlite, sentence_of
from autograder.course.secret import held_to, is_demo
from autograder.gradebook.database import NAME, damage
from autograder.gradebook.late import due_dates, moment_text, policy
from autograder.gradebook.students import class_of
from autograder.grading.out_folder import UNFINISHED
from autograder.written.answers import read_results

FREE_SHARE, FREE_BYTES = 2, 1_000_000_000
PEOPLE_FROM, PEOPLE_TO = 1_000, 60_000
"""The numbers that Linux gives to accounts of people."""
DOCTOR = "python -m autograder doctor"
Fault = tuple[str, str]
"""A sentence on what is wrong, and the command that mends it."""


def before_monday(out: Path) -> tuple[list[Fault], list[str]]:
    """(what is wrong, what is well) before a week begins. ValueError, with a sentence, where OUT is
    a file."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out} is no folder; name the OUT of a class.")
    checks = [_secret, *([_gradebook, _class, _room] if out.is_dir() else [_missing]), _dates]
    faults: list[Fault] = []
    notes: list[str] = []
    for check in checks:
        try:
            for said in check(out):
                faults.append(said) if isinstance(said, tuple) else notes.append(said)
        except Exception as broken:
            if said_by_sqlite(broken) is not None:  # the gradebook, which has its own check
                continue
            if not isinstance(broken, (ValueError, LookupError, OSError)):
                raise
            faults.append((sentence_of(broken), f"{DOCTOR} {shlex.quote(str(out))}"))
    for said in _people(_accounts()):
        faults.append(said) if isinstance(said, tuple) else notes.append(said)
    return faults, notes


def _secret(out: Path) -> Iterator[Fault | str]:
    try:
        held_to(out)
    except ValueError as other:
        yield str(other), "export AUTOGRADER_SECRET=..."
        return
    if is_demo():
        yield (
            "The course uses the demo secret, which is public.",
            "export AUTOGRADER_SECRET=\"$(python -c 'import secrets; print(secrets.token_hex())')\""
            "   # once; keep it for the whole term",
        )
    else:
        known = (out / ".secret").is_file()
        yield f"The secret is set{', and the class was graded with it' if known else ''}."


def _missing(out: Path) -> Iterator[Fault | str]:
    named = shlex.quote(str(out))
    receive = f"python -m autograder receive DIR --out {named} --roster class.csv"
    yield f"{out} is not there yet.", receive


def _gradebook(out: Path) -> Iterator[Fault | str]:
    named = shlex.quote(str(out))
    if not os.access(out, os.R_OK | os.W_OK | os.X_OK):
        yield f"This account cannot write into {out}.", f"sudo chown -R $USER {named}"
        return
    if (out / UNFINISHED).exists():
        grade = f"python -m autograder grade DIR --out {named}"
        yield "The last run of `grade` has not come to its end. The same command goes on.", grade
    if not (out / NAME).is_file():
        yield "There is no gradebook yet; the first `grade` makes it."
        return
    broken = damage(out)
    if broken:
        yield f"The gradebook is broken: {broken}.", f"cp COPY/{NAME} {named}/   # of your backup"
        return
    read_results(out)
    copy = shlex.quote(f"{out}-copy")
    yield f"The gradebook is whole. A backup: cp -a {named} {copy} && {DOCTOR} {copy}"


def _class(out: Path) -> Iterator[Fault | str]:
    rows = class_of(out).rows
    if not rows:
        yield (
            "There is no class list: nobody is missed, and a wrong id is a new student.",
            f"python -m autograder receive DIR --out {shlex.quote(str(out))} --roster class.csv",
        )
        return
    nameless = sum(not row.get("name", "").strip() for row in rows.values())
    without = f", {nameless} of them without a name" if nameless else ""
    yield f"The class list has {len(rows)} students{without}."


def _room(out: Path) -> Iterator[Fault | str]:
    needed = sum(each.stat().st_size for each in out.rglob("*") if each.is_file())
    free = shutil.disk_usage(out).free
    if free < max(FREE_BYTES, FREE_SHARE * needed):
        gigabytes = f"{free / 1e9:.1f} GB free, and OUT has {needed / 1e9:.1f}"
        yield f"The disk of {out} has {gigabytes} GB.", f"df -h {shlex.quote(str(out))}"


def _dates(out: Path) -> Iterator[Fault | str]:
    costs, due = policy(), due_dates(out)
    dates = ", ".join(f"{name} {moment_text(when)}" for name, when in sorted(due.items()))
    yield f"Lateness: {costs}; times are in {costs.zone}. Due: {dates or 'nothing yet'}."


def _accounts() -> dict[str, Path]:
    """The accounts of people on this machine and their homes."""
    import pwd  # not everywhere

    return {
        user.pw_name: Path(user.pw_dir)
        for user in pwd.getpwall()
        if PEOPLE_FROM <= user.pw_uid < PEOPLE_TO and os.path.isdir(user.pw_dir)
    }


def _people(accounts: dict[str, Path]) -> Iterator[Fault | str]:
    """What matters where students work on the same machine, a hub: nothing on a machine of one's
    own."""
    if len(accounts) < 2:
        return
    open_homes = [home for home in accounts.values() if os.stat(home).st_mode & 0o005]
    if open_homes:
        yield (
            f"Every account can read {len(open_homes)} of the {len(accounts)} homes.",
            f"sudo chmod o-rwx {shlex.join(sorted(map(str, open_homes)))}",
        )
    else:
        yield f"The homes of {len(accounts)} accounts are closed to the others."
    reached = all(folder.stat().st_mode & 0o001 for folder in (HOME, *HOME.parents))
    if reached and HOME.stat().st_mode & 0o004:
        yield (
            f"Every account of this machine can read the judges in {HOME}.",
            f"chmod o-rwx {shlex.quote(str(HOME))}",
        )
    shell = shutil.which("bash")
    clean = {"HOME": "/", "TERM": "dumb"}
    if (
        shell
        and subprocess.run(
            [shell, "-lc", "command -v autograder"], env=clean, capture_output=True
        ).returncode
    ):
        yield (
            "A login shell, which a hub's terminal is, does not find the command autograder.",
            "echo 'PATH=ENVIRONMENT/bin:$PATH' | sudo tee /etc/profile.d/course.sh   # the"
            " students' environment, never the teacher's",
        )
