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
BROKER_LOG = ("org.apache.logging.log4j:log4j-slf4j-impl:2.25.5",)
USUAL_CLIENTS = (lineage.DEFAULT_CLIENT, lineage.CLIENT_NAMES[-1])
"""The client releases that `real setup` fetches when it is given none."""
SCALA = "scala-library-2.13.*.jar"
"""Spark's resolver leaves out the library of the language Scala, because Spark has it. Brokers need
it as well."""


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
    """

    name: str
    coordinates: tuple[str, ...]

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
            version = self.name.partition("-")[2]
            usual = {broker_set(lineage.NEWEST_BROKER), *map(client_set, USUAL_CLIENTS)}
            option = "" if self in usual else f" --version {version}"
            raise NotSetUp(
                f"The jars of {self.name} are not on this machine: run "
                f"`python -m kafkalab real setup{option}` once."
            )
        folder = jar_folder(self.name)
        own = [folder / jar.file for jar in self.jars]
        return os.pathsep.join(map(str, own + list(jars_of_pyspark().glob(SCALA))))


def client_set(version: str) -> JarSet:
    """The jars of a client release, named as in Lab(version=...): "3.9" or "3.9.2". Raises
    UnknownRelease."""
    release = _recorded(lineage.CLIENTS, version, "client")
    return JarSet(f"client-{release}", (f"org.apache.kafka:kafka-clients:{release}", *CLIENT_LOG))


def broker_set(version: str) -> JarSet:
    """The jars of a broker release. Raises UnknownRelease, and NotSetUp for a release that runs on
    the simulator only."""
    release = _recorded(lineage.BROKERS, version, "broker")
    if release != lineage.BROKERS[-1].recorded:
        raise NotSetUp(
            f"A real broker {release} needs ZooKeeper, which this lab does not start: take "
            f'broker_version="{lineage.NEWEST_BROKER}", or the simulator.'
        )
    return JarSet(f"broker-{release}", (f"org.apache.kafka:kafka_2.13:{release}", *BROKER_LOG))


def known_sets() -> list[JarSet]:
    """Every set: the broker, then the clients, oldest first."""
    clients = [client_set(client.name) for client in lineage.CLIENTS]
    return [broker_set(lineage.NEWEST_BROKER), *clients]


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
