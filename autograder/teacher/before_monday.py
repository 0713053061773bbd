"""Looks at what a week of a class rests on: the secret, OUT, the class list, the dates, the homes.

`python -m autograder doctor OUT` tells it after the sandbox. Each fault comes with the command that
mends it. docs/before_monday.md has the same list, with what no command can look at.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.cell.course_at_hand import KEY_FILE
from autograder.cell.course_folder import HOME
from autograder.cell.numbers import course_key
from autograder.cell.terminal import said_by_sqlite, sentence_of
from autograder.course.release import leaks
from autograder.course.secret import held_to, is_demo
from autograder.gradebook.database import NAME, damage
from autograder.gradebook.late import due_dates, moment_text, policy
from autograder.gradebook.students import class_of
from autograder.grading.out_folder import UNFINISHED
from autograder.handed_in.classlist import read_roster
from autograder.written.answers import read_results

FREE_SHARE, FREE_BYTES = 2, 1_000_000_000
CLOCKS_APART_S = 2
"""Some disks keep the time of a file in steps of two seconds."""
FOR_LEARNERS = "the package for learners"
"""What the command of a package for students says to a teacher's command."""
MOST_TOLD = 3
NO_PEOPLE = ("nologin", "false")
"""The shells of accounts in which nobody logs in."""
PEOPLE_FROM, PEOPLE_TO = 1_000, 60_000
"""The numbers that Linux gives to accounts of people."""
DOCTOR = "python -m autograder doctor"
Fault = tuple[str, str]
"""A sentence on what is wrong, and the command that mends it."""


@dataclass(frozen=True)
class Named:
    """Holds what else a week needs, where the teacher names it.

    That is a class list that is not taken in yet, the copy of OUT, the new package, and the folder
    of nbgrader's exchange.
    """

    roster: Path | None = None
    copy: Path | None = None
    package: Path | None = None
    exchange: Path | None = None


def before_monday(out: Path, named: Named = Named()) -> tuple[list[Fault], list[str]]:
    """(what is wrong, what is well) before a week begins. ValueError, with a sentence, where OUT is
    a file."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out} is no folder; name the OUT of a class.")
    checks: list[Callable[[Path], Iterator[Fault | str]]] = [
        _secret,
        *([_gradebook, _class, _room, _dates] if out.is_dir() else [_missing, _dates]),
    ]
    if out.is_dir() and not os.access(out, os.R_OK | os.W_OK | os.X_OK):
        checks = [_closed_to_me]
    for look, path in (
        (_list, named.roster),
        (_copy, named.copy if out.is_dir() else None),
        (_package, named.package),
        (_exchange, named.exchange),
    ):
        checks += [partial(look, path)] if path is not None else []
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


def _closed_to_me(out: Path) -> Iterator[Fault | str]:
    mend = f"sudo chown -R $USER {shlex.quote(str(out))}"
    yield f"This account cannot read and write in {out}; nothing in it was looked at.", mend


def _gradebook(out: Path) -> Iterator[Fault | str]:
    named = shlex.quote(str(out))
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
    backup = f"mkdir -p -m 0700 COPY && cp -af {named}/. COPY/ && {DOCTOR} {named} --copy COPY"
    yield f"The gradebook is whole. A backup: {backup}"


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
    yield from _one_person_twice(rows, f"python -m autograder receive DIR --out {out} --roster ...")


def _one_person_twice(rows: Mapping[str, Mapping[str, str]], mend: str) -> Iterator[Fault]:
    """Two ids of a class list that have one address."""
    known: dict[str, str] = {}
    for student, row in rows.items():
        address = row.get("email", "").casefold()
        if address and known.setdefault(address, student) != student:
            yield f"{known[address]} and {student} have one address, {address}: is it one?", mend


def _list(path: Path, out: Path) -> Iterator[Fault | str]:
    found, edit = read_roster(path), f"${{EDITOR:-nano}} {shlex.quote(str(path))}"
    for dropped in found.dropped:
        yield f"{path.name}: {dropped}, and is left out.", edit
    yield from _one_person_twice(found.rows, edit)
    yield f"{path.name} has {len(found.all_rows)} students."


def _copy(copy: Path, out: Path) -> Iterator[Fault | str]:
    """Faults of the backup: what it lacks, what is newer in OUT, whether it is on another disk."""
    again = f"cp -af {shlex.quote(str(out))}/. {shlex.quote(str(copy))}/"
    if not copy.is_dir():
        yield f"There is no copy {copy}.", f"mkdir -m 0700 {shlex.quote(str(copy))} && {again}"
        return
    old = [path for path in _files(out) if _is_newer(path, copy / path.relative_to(out))]
    if old:
        lacks = f"{len(old)} files, {old[0].relative_to(out)} among them"
        yield f"The copy {copy} does not have OUT as it is now: {lacks}.", again
    elif broken := (copy / NAME).is_file() and damage(copy):
        yield f"The gradebook in {copy} is broken: {broken}.", again
    else:
        yield f"The copy {copy} is whole, and as new as OUT."
    if copy.stat().st_mode & 0o077:
        yield f"Other accounts can read {copy}.", f"chmod -R go-rwx {shlex.quote(str(copy))}"
    if _disk(copy) == _disk(out):
        yield (
            f"{copy} lies on the disk of OUT, and is lost with it.",
            f"{again}   # on another disk",
        )


def _files(out: Path) -> Iterator[Path]:
    """The files of OUT that a backup has to have: no locks and no drafts."""
    return (
        path
        for path in sorted(out.rglob("*"))
        if path.is_file() and (not path.name.startswith(".") or path.name == ".secret")
    )


def _is_newer(path: Path, other: Path) -> bool:
    """Whether `other` is not there, or is no copy of `path` as it is now."""
    if not other.is_file():
        return True
    mine, theirs = path.stat(), other.stat()
    return mine.st_size != theirs.st_size or mine.st_mtime > theirs.st_mtime + CLOCKS_APART_S


def _disk(path: Path) -> int:
    return path.stat().st_dev


def _package(package: Path, out: Path) -> Iterator[Fault | str]:
    """Faults of a package for students: its course key, and what it gives away."""
    key = package / "autograder" / "cell" / KEY_FILE.name
    chapters = sorted(path.name[:2] for path in package.glob("notebooks/release/[0-9][0-9]_*"))
    again = "python -m autograder release"
    again = f"{again} {' '.join(chapters) or 'NN'} --out {shlex.quote(f'{package}-new')}"
    if not key.is_file() or not chapters:
        yield f"{package} is no package that `release` or `github` has made.", again
        return
    if key.read_text(encoding="utf-8").strip() != course_key():
        yield f"The package {package} has another course key than this class.", again
    given_away = leaks(package, chapters)
    for told in given_away[:MOST_TOLD]:
        yield f"The package {package} gives something away: {told}.", again
    if not given_away:
        yield f"The package {package} has chapters {', '.join(chapters)} and no judges."


def _exchange(root: Path, out: Path) -> Iterator[Fault | str]:
    """Faults of the folder through which nbgrader hands out and collects."""
    named = shlex.quote(str(root))
    if not root.is_dir():
        yield f"There is no exchange {root}.", f"sudo install -d -m 0777 {named}"
        return
    closed = next((each for each in root.parents if not each.stat().st_mode & 0o001), None)
    if closed is not None:
        yield f"Students cannot enter {closed}, in which the exchange lies.", f"chmod o+x {closed}"
    if root.stat().st_mode & 0o007 != 0o007:
        yield f"Students cannot write into the exchange {root}.", f"sudo chmod 0777 {named}"
    courses = [course for course in sorted(root.iterdir()) if course.is_dir()]
    others = [course for course in courses if os.geteuid() not in (0, course.stat().st_uid)]
    if others:
        own = shlex.quote(str(others[0]))
        yield (
            f"{others[0]} belongs to another account, so nbgrader releases nothing into it.",
            f"sudo chown $USER {own} {own}/*",
        )
    boxes = [box for course in courses if (box := course / "inbound").is_dir()]
    shut = [box for box in boxes if box.stat().st_mode & 0o003 != 0o003]
    if shut:
        yield (
            f"Students cannot hand in to {shut[0]}.",
            f"sudo chmod 0733 {shlex.quote(str(shut[0]))}",
        )
    if closed is None and root.stat().st_mode & 0o007 == 0o007 and not others and not shut:
        yield f"The exchange {root} is open to all accounts."


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
    """The accounts in which people log in on this machine, and their homes."""
    import pwd  # not everywhere

    return {
        user.pw_name: Path(user.pw_dir)
        for user in pwd.getpwall()
        if PEOPLE_FROM <= user.pw_uid < PEOPLE_TO and Path(user.pw_shell).name not in NO_PEOPLE
    }


def _people(accounts: dict[str, Path]) -> Iterator[Fault | str]:
    """What matters where students work on the same machine, a hub: nothing on a machine of one's
    own."""
    if len(accounts) < 2:
        return
    homes = [home for home in accounts.values() if os.path.isdir(home)]
    if homeless := sorted(name for name, home in accounts.items() if home not in homes):
        yield (
            f"The hub starts nothing for an account without a home: {', '.join(homeless)}.",
            f"sudo mkhomedir_helper {homeless[0]}   # and so on",
        )
    open_homes = [home for home in homes if os.stat(home).st_mode & 0o005]
    if open_homes:
        yield (
            f"Every account can read {len(open_homes)} of the {len(homes)} homes.",
            f"sudo chmod o-rwx {shlex.join(sorted(map(str, open_homes)))}",
        )
    else:
        yield f"The homes of {len(homes)} accounts are closed to the others."
    reached = all(folder.stat().st_mode & 0o001 for folder in (HOME, *HOME.parents))
    if reached and HOME.stat().st_mode & 0o004:
        yield (
            f"Every account of this machine can read the judges in {HOME}.",
            f"chmod o-rwx {shlex.quote(str(HOME))}",
        )
    yield from _terminal()


def _terminal() -> Iterator[Fault | str]:
    """Faults of the command autograder in a login shell, which a hub's terminal is."""
    shell = shutil.which("bash")
    if shell is None:
        return
    asked = "command -v autograder && autograder grade x"
    told = subprocess.run(
        [shell, "-lc", asked], env={"HOME": "/", "TERM": "dumb"}, capture_output=True, text=True
    )
    put = (
        "echo 'PATH=ENVIRONMENT/bin:$PATH' | sudo tee /etc/profile.d/course.sh   # the"
        " students' environment, never the teacher's"
    )
    found = told.stdout.strip()
    if not found:
        yield "A login shell, as in a hub's terminal, does not find the command autograder.", put
    elif FOR_LEARNERS not in told.stderr:
        yield f"The command of a login shell, {found}, is not that of a package for students.", put
    else:
        yield f"A login shell finds {found}, which has no judges."
