"""Fetches the released jars once, through the resolver that Spark has for `spark.jars.packages`.

The resolver takes the package repository from the machine's own settings: Spark's
spark-defaults.conf (spark.jars.ivySettings, spark.jars.repositories), the variable
DEFAULT_ARTIFACT_REPOSITORY, or else Maven Central. It checks each download with the repository's
checksum. After it, each jar is held to the SHA-256 in jars.tsv.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kafkalab.logsets.java import JavaMissing, find_java
from kafkalab.real import scala_library
from kafkalab.real.home import jar_folder, private_folder, real_home
from kafkalab.real.jar_sets import (
    EXCLUDED,
    JarSet,
    NotSetUp,
    jars_of_pyspark,
    table_rows,
    wrong_jars,
)

TELL_EVERY_S = 0.5
UNREACHED = re.compile(
    r"UnknownHost|Host .* not found|Connection refused|Connection timed out|No route|"
    r"Network is unreachable|Server access [Ee]rror"
)


def fetch_jars(wanted: JarSet, tell: Callable[[str], None]) -> None:
    """Bring the jars of a set into its folder; nothing is done where they are there.

    tell: takes a short text of progress, again and again. Raises NotSetUp, with one sentence, where
    they cannot be had or are not the ones that were tried.
    """
    folder = jar_folder(wanted.name)
    if wanted.is_here and not wrong_jars(wanted, folder):
        return
    with _resolved(wanted, tell) as found:
        wrong = wrong_jars(wanted, found)
        if wrong:
            raise NotSetUp(
                f"The package repository delivered other jars for {wanted.name} than the ones that "
                f"were tried: {'; '.join(wrong[:3])}. Nothing was kept."
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        found.rename(folder)


def digest_rows(wanted: JarSet, tell: Callable[[str], None]) -> list[str]:
    """The rows of jars.tsv for a set as the package repository delivers it now. Who adds a release
    looks at them before they are committed."""
    with _resolved(wanted, tell) as found:
        return table_rows(wanted.name, found.glob("*.jar"))


@contextlib.contextmanager
def _resolved(wanted: JarSet, tell: Callable[[str], None]) -> Iterator[Path]:
    """A folder with the jars of a set, inside a `with` block."""
    home = private_folder(real_home())
    draft = Path(tempfile.mkdtemp(prefix=".fetch-", dir=home))
    try:
        _resolve(wanted, draft, tell)
        yield draft / "jars"
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def java_command() -> str:
    """The `java` of this machine, as logsets.find_java chooses it. Raises NotSetUp."""
    try:
        return str(find_java().home / "bin" / "java")
    except JavaMissing as error:
        raise NotSetUp(str(error).replace("Spark needs", "Real Kafka needs")) from None


def _resolve(wanted: JarSet, draft: Path, tell: Callable[[str], None]) -> None:
    nothing = draft / "nothing.py"
    nothing.write_text("", encoding="utf-8")
    program = [str(nothing)]
    if wanted.scala:
        program = [scala_library.__file__, wanted.scala, str(draft / "jars")]
    log = draft / "resolver.log"
    command = [
        java_command(),
        "-Xmx512m",
        "-cp",
        str(jars_of_pyspark() / "*"),
        "org.apache.spark.deploy.SparkSubmit",
        "--master",
        "local",
        "--conf",
        f"spark.jars.ivy={draft}",
        "--exclude-packages",
        ",".join(EXCLUDED),
        "--packages",
        ",".join(wanted.coordinates),
        *program,
    ]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    with open(log, "wb") as out:
        resolver = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment
        )
        try:
            while resolver.poll() is None:
                tell(_progress(wanted, draft))
                time.sleep(TELL_EVERY_S)
        finally:
            resolver.kill()
            resolver.wait()
    if resolver.returncode != 0:
        raise NotSetUp(_why_not(wanted, log.read_text(encoding="utf-8", errors="replace")))


def _progress(wanted: JarSet, draft: Path) -> str:
    here = 0
    for path in (draft / "cache").rglob("*.jar*"):
        with contextlib.suppress(OSError):
            here += path.stat().st_size
    return f"{wanted.name}: {megabytes(here)} of {megabytes(wanted.bytes)}"


def _why_not(wanted: JarSet, log: str) -> str:
    if UNREACHED.search(log):
        return (
            "The package repository cannot be reached. On a machine with internet run this "
            f"command, then carry its folder jars into {real_home()}; {wanted.name} alone has "
            f"{megabytes(wanted.bytes)}."
        )
    said = re.findall(r"^.*(?:unresolved dependency|RuntimeException|Error).*$", log, re.MULTILINE)
    last = said[-1].strip(" :\t") if said else (log.strip().splitlines() or ["nothing"])[-1]
    return f"The jars of {wanted.name} could not be fetched. The resolver said: {last}"


def megabytes(count: int) -> str:
    """A number of bytes for a person: `12 MB`."""
    return f"{count / 1e6:.0f} MB"
