"""Makes the archive of loaded classes from which Spark's JVM starts sooner (AppCDS of the JDK).

Most of what a JVM of Spark costs is loading some fifteen thousand classes: 8.4 s of processor time
to the end of its first query, 4.7 s with the archive. Making it costs as much as seven JVMs save,
and it is kept (160 MB) in the user's cache. `make lab` makes it beside the first chapters, a
sandbox once it is worth it; a session starts from it where it is there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from kafkalab.logsets.java import JavaMissing, find_java

# An archive fits only JVMs of these options. Tables are tiny and queries are few: the JVM's second
# compiler takes longer than it saves.
JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
UNUSED_DAYS = 60
MOST_SECONDS = 600  # on a machine with much else to do


def archive_file() -> Path | None:
    """Where the archive for this machine's Java and Spark is kept, made or not; None where there is
    no Java, no Spark or no place for it."""
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


def make_archive(path: Path) -> bool:
    """Make the archive, in one move; whether it is there now. What goes wrong costs time only."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            draft = Path(folder, path.name)
            subprocess.run(
                [sys.executable, "-m", "kafkalab.logsets.archive_writer", str(draft)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=MOST_SECONDS,
                check=True,
                start_new_session=True,
            )
            draft.chmod(0o644)
            draft.replace(path)
        for other in path.parent.glob("spark-*.jsa"):
            if other.stat().st_mtime < path.stat().st_mtime - UNUSED_DAYS * 86_400:
                other.unlink()  # of a Java or Spark from before
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def options_from(archive: Path | None) -> tuple[str, ...]:
    """The options of a JVM that starts from the archive, if it was made. One that does not fit the
    JVM changes nothing."""
    made = archive is not None and archive.is_file()
    return (*JAVA_OPTIONS, f'"-XX:SharedArchiveFile={archive}"') if made else JAVA_OPTIONS


def prepare_archive() -> None:
    """Make the archive beside other work, unless it is there."""
    if hasattr(os, "nice"):
        os.nice(10)
    place = archive_file()
    if place is not None and not place.is_file():
        make_archive(place)
