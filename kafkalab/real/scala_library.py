"""Fetches the library of the language Scala for an older broker; SparkSubmit runs it as a program.

    SparkSubmit ... scala_library.py 2.12.8 FOLDER

Spark's resolver always leaves this library out, because Spark brings its own. So this asks the
resolver's parts for this one jar, with the settings that SparkSubmit has given to Java.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

LIBRARY = ("org.scala-lang", "scala-library")


def fetch_library(version: str, folder: Path) -> Path:
    """Bring the jar of that version into a folder. Raises SystemExit where it cannot be had."""
    from pyspark.java_gateway import launch_gateway

    gateway: Any = launch_gateway()  # type: ignore[no-untyped-call]
    jvm = gateway.jvm
    core = jvm.org.apache.ivy.core
    wanted = core.module.id.ModuleRevisionId.newInstance(*LIBRARY, version)
    options = core.resolve.ResolveOptions()
    options.setTransitive(False)
    names = gateway.new_array(jvm.java.lang.String, 1)
    names[0] = "default"
    options.setConfs(names)
    ivy = jvm.org.apache.ivy.Ivy.newInstance(_settings(jvm))
    reports = ivy.resolve(wanted, options, False).getAllArtifactsReports()
    found = [Path(str(each.getLocalFile().getPath())) for each in reports if each.getLocalFile()]
    if not found:
        raise SystemExit(f"RuntimeException: scala-library {version} was not found")
    target = folder / f"{'_'.join(LIBRARY)}-{version}.jar"
    shutil.copyfile(found[0], target)
    return target


def _settings(jvm: Any) -> Any:
    """The resolver's settings, as SparkSubmit makes them from those of the machine."""
    asked = jvm.java.lang.System.getProperty
    file, repositories, cache = (
        asked(f"spark.jars.{name}") for name in ("ivySettings", "repositories", "ivy")
    )
    maven, option, out = jvm.org.apache.spark.util.MavenUtils, jvm.scala.Option, jvm.System.err
    if file is None:
        return maven.buildIvySettings(option.apply(repositories), option.apply(cache), False, out)
    return maven.loadIvySettings(file, option.apply(repositories), option.apply(cache), out)


if __name__ == "__main__":
    fetch_library(sys.argv[1], Path(sys.argv[2]))
