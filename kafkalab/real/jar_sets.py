"""JarSet: the released jars of one client or broker, by Maven coordinates, sizes and digests.

`jars.tsv` beside this file holds each jar of each set as it was when the lab was tried with it:
set, bytes, SHA-256, name of the file. A jar with other bytes is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from kafkalab.errors import ShownPlainly
from kafkalab.real.home import jar_folder
from kafkalab.releases import lineage

TABLE = Path(__file__).with_name("jars.tsv")
EXCLUDED = (
    "ch.qos.logback:logback-classic",
    "ch.qos.logback:logback-core",
    "org.slf4j:slf4j-log4j12",
    "log4j:log4j",
    "org.apache.kafka:kafka-tools-api",
)
"""A class path has one writer of log lines; kafka-tools-api holds command-line tools only."""
CLIENT_LOG = ("org.slf4j:slf4j-reload4j:1.7.36", "ch.qos.reload4j:reload4j:1.2.26")
USUAL_CLIENTS = (lineage.DEFAULT_CLIENT, lineage.CLIENT_NAMES[-1])
"""The client releases that `real setup` fetches when it is given none."""
SCALA = "scala-library-2.13.*.jar"
"""Spark's resolver leaves out the library of the language Scala, because Spark has it. Brokers need
it as well. A broker that needs another one gets it by `scala_library.py`."""


class NotSetUp(ShownPlainly, RuntimeError):
    """Something that real Kafka needs is not on this machine. The message says what to do."""


@dataclass(frozen=True)
class Jar:
    """One jar of a set as it must be."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class JarSet:
    """All jars that one client or broker needs.

    name         `client-3.9.2` or `broker-4.4.0`, also the name of its folder
    coordinates  what is asked of the package repository, `group:artifact:version`
    scala        the version of the Scala library that comes with it; "" where Spark's does
    """

    name: str
    coordinates: tuple[str, ...]
    scala: str = ""

    @property
    def jars(self) -> tuple[Jar, ...]:
        """The jars as they must be; empty for a set that nobody has tried."""
        return _table().get(self.name, ())

    @property
    def bytes(self) -> int:
        return sum(jar.bytes for jar in self.jars)

    @property
    def is_here(self) -> bool:
        """Whether every jar is in the set's folder, by name and size."""
        folder = jar_folder(self.name)
        return bool(self.jars) and all(
            (folder / jar.file).is_file() and (folder / jar.file).stat().st_size == jar.bytes
            for jar in self.jars
        )

    def class_path(self) -> str:
        """The class path of this set. Raises NotSetUp where a jar is missing."""
        if not self.is_here:
            what, _, version = self.name.partition("-")
            usual = {broker_set(lineage.NEWEST_BROKER), *map(client_set, USUAL_CLIENTS)}
            word = "--broker" if what == "broker" else "--version"
            # What else `real setup` fetches may be here: then it was asked for one version.
            plain = self in usual and not any(each.is_here for each in usual - {self})
            option = "" if plain else f" {word} {version}"
            raise NotSetUp(
                f"The jars of {self.name} are not on this machine: run "
                f"`python -m kafkalab real setup{option}` once."
            )
        folder = jar_folder(self.name)
        own = [folder / jar.file for jar in self.jars]
        sparks = [] if self.scala else list(jars_of_pyspark().glob(SCALA))
        return os.pathsep.join(map(str, own + sparks))


BROKER_SETS = (
    JarSet(
        "broker-2.3.1",
        (
            "org.apache.kafka:kafka_2.12:2.3.1",
            # of this ZooKeeper, because 3.4 finds no host names with Java 17
            "org.apache.zookeeper:zookeeper:3.5.10",
            *CLIENT_LOG,
        ),
        scala="2.12.8",
    ),
    JarSet(
        "broker-4.4.0",
        (
            "org.apache.kafka:kafka_2.13:4.4.0",
            "org.apache.logging.log4j:log4j-slf4j-impl:2.25.5",
        ),
    ),
)
"""Kafka, what keeps its cluster, and what writes its lines. A broker that was built with another
Scala than Spark's brings the library that it needs."""


def client_set(version: str) -> JarSet:
    """The jars of a client release, named as in Lab(version=...): "3.9" or "3.9.2". Raises
    UnknownRelease."""
    release = _recorded(lineage.CLIENTS, version, "client")
    return JarSet(f"client-{release}", (f"org.apache.kafka:kafka-clients:{release}", *CLIENT_LOG))


def broker_set(version: str) -> JarSet:
    """The jars of a broker release: "4.4" or "4.4.0". Raises UnknownRelease."""
    release = _recorded(lineage.BROKERS, version, "broker")
    return next(found for found in BROKER_SETS if found.name == f"broker-{release}")


def known_sets() -> list[JarSet]:
    """Every set: the brokers, then the clients, oldest first."""
    brokers = [broker_set(broker.name) for broker in lineage.BROKERS]
    return [*brokers, *(client_set(client.name) for client in lineage.CLIENTS)]


def wrong_jars(wanted: JarSet, folder: Path) -> list[str]:
    """What is wrong with the jars in a folder, a phrase for each; [] when all are as they must
    be."""
    wrong = []
    for jar in wanted.jars:
        path = folder / jar.file
        if not path.is_file():
            wrong.append(f"{jar.file} is missing")
        elif sha256_of(path) != jar.sha256:
            wrong.append(f"{jar.file} is another file than the one that was tried")
    return wrong


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def table_rows(name: str, paths: Iterable[Path]) -> list[str]:
    """The rows of jars.tsv for the jars of a set."""
    return [
        "\t".join((name, str(path.stat().st_size), sha256_of(path), path.name))
        for path in sorted(paths)
    ]


def jars_of_pyspark() -> Path:
    """The folder with the jars that PySpark brings. Raises NotSetUp."""
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise NotSetUp("PySpark is not installed: run `pip install pyspark`.")
    return Path(spec.submodule_search_locations[0], "jars")


@cache
def _table() -> dict[str, tuple[Jar, ...]]:
    found: dict[str, list[Jar]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, size, digest, file = line.split("\t")
        found.setdefault(name, []).append(Jar(file, int(size), digest))
    return {name: tuple(jars) for name, jars in found.items()}


def _recorded(releases: tuple[lineage.Release, ...], version: str, what: str) -> str:
    for release in releases:
        if version in (release.name, release.recorded):
            return release.recorded
    raise lineage.unknown(version, what)
