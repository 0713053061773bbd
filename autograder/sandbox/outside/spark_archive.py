"""Makes the archive of loaded classes from which the JVMs of submissions start (AppCDS of the JDK).

Most of what a JVM of Spark costs is loading some fifteen thousand classes: 8.4 s of processor time
to the end of its first query, 4.7 s with the archive. It is made outside the walls, of nothing but
Spark's own classes, and shown behind them to be read; no JVM and nothing of a submission is kept.
Making it costs as much as seven JVMs save, so a sandbox makes it once that many have started, and
keeps it (160 MB) in the user's cache for the next run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from autograder.sandbox.inside.spark import ARCHIVE, JAVA_OPTIONS

WORTH_IT_AFTER = 7  # JVMs
MOST_SECONDS = 600  # on a machine with much else to do
MAKING = """
import sys
from autograder.sandbox.inside.spark import start
from kafkalab.logsets import session

start(["-XX:ArchiveClassesAtExit=" + sys.argv[1]])
context = session().sparkContext
jvm = context._gateway.proc
context.stop()
context._gateway.shutdown()
jvm.stdin.close()  # it ends when it hears nothing more, and writes the archive then
jvm.wait()
"""


def kept() -> Path | None:
    """Where the archive for this machine's Java and Spark is kept, made or not; None where there is
    no Java, no Spark or no place for it."""
    from kafkalab.logsets.java import JavaMissing, find_java  # a course without Spark needs none

    spark = importlib.util.find_spec("pyspark")
    try:
        java = find_java()
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kafkalab")
    except (JavaMissing, RuntimeError):
        return None
    if spark is None or spark.origin is None:
        return None
    jars = sorted(Path(spark.origin).parent.glob("jars/*.jar"))
    made_of = [str(java.home.resolve()), str(java.major), *JAVA_OPTIONS]
    for jar in jars:
        about = jar.stat()
        made_of.append(f"{jar} {about.st_size} {about.st_mtime_ns}")
    with suppress(OSError):
        made_of.append((java.home / "release").read_text(encoding="utf-8"))
    return home / f"spark-{hashlib.sha256(chr(0).join(made_of).encode()).hexdigest()[:16]}.jsa"


def make(path: Path) -> bool:
    """Make the archive, in one move; whether it is there now. What goes wrong costs time only."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            draft = Path(folder, path.name)
            subprocess.run(
                [sys.executable, "-c", MAKING, str(draft)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=MOST_SECONDS,
                check=True,
                start_new_session=True,
            )
            draft.chmod(0o644)
            draft.replace(path)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def show(path: Path, view: Path) -> None:
    """Put an archive that was made into the view that workers see."""
    draft = view / f"{ARCHIVE}.draft"
    with suppress(OSError):
        draft.unlink(missing_ok=True)
        try:
            os.link(path, draft)
        except OSError:  # the cache lies on another disk
            shutil.copyfile(path, draft)
        draft.chmod(0o644)
        draft.replace(view / ARCHIVE)
