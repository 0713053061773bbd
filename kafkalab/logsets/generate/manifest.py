"""Reads the manifest of a log set, in YAML or JSON.

It and its seed determine every byte of the set.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from kafkalab.course_folder import package_data
from kafkalab.lines.recorded_gaps import RecordedGaps, recorded_gaps
from kafkalab.releases.lineage import DEFAULT_CLIENT

MANIFESTS = package_data() / "manifests"
ENDINGS = (".json", ".yaml", ".yml")
USUAL = {"consumer": 0.6, "producer": 0.3, "closed_consumer": 0.05, "closed_producer": 0.05}
HOUR_MS = 3_600_000
MOST_MEMBERS = 5  # of an incident


class ManifestError(ValueError):
    """A manifest that cannot be used; the message names the entry."""


@dataclass(frozen=True)
class Wanted:
    """A story of the set, and the number of its copies.

    at_ms      the start of each; None: drawn
    shares_id  whether all its copies have the first copy's client id
    variants   the most simulations of it; more copies share the variants
    first      the number of other incidents' copies before it in the manifest
    seed       of an incident's first copy; None: follows from the set's seed and `first`
    """

    story: str
    version: str
    copies: int
    variants: int = 1
    at_ms: int | None = None
    is_incident: bool = False
    shares_id: bool = False
    first: int = 0
    seed: int | None = None


@dataclass(frozen=True)
class Manifest:
    """The description of a log set, before it is generated.

    start        the clock at its first millisecond (UTC)
    duration_ms  its length (or `hours`); later lines of a client are cut off
    spread_ms    clients start at a random millisecond within this time
    brokers      their number; ids from 0, ports from 9092
    topics       name -> partitions; the variant of a client's story draws the topic. None:
                 `orders`, with one partition on each broker
    levels       the log4j levels by logger; the longest matching name wins, "" is the root
    config       client settings that differ from the defaults, by kind of client ("consumer",
                 "producer"). "incident" has such settings once more, by "consumer", "producer",
                 "topic" and "broker": incidents are played with them instead of their own
    variants     the number of simulations of each story and version; more clients are copies with
                 other names and times
    clients      story -> version -> number; or one number, for usual stories of all `versions`
    versions     version -> its share (of any total), where `clients` is a number
    incidents    incidents and lookalikes: {"kind": one of generate/scenes.py or lookalikes.py,
                 "version": "3.9" or several, "copies": 1 of each, "at_s": seconds after the start
                 (else drawn), "seed": of the incident itself (else the set's)}
    skew         faults that make a set hard to read. {"one_id": {story: version}}: copies share one
                 client id. {"clock_step_ms": -3000, "every": 7, "at_s": 300}: the clock of every
                 seventh client is set back then. {"flush_ms": 4000, "every": 5}: every fifth client
                 writes its lines up to that late
    parquet      whether the rows are also written as Parquet
    broker_logs  whether the brokers' logs are also written: DIR/broker-0, DIR/broker-1, …
    pace         whether the clients take the time for their work that recordings show, and write
                 their lines in the order that this gives; else a step takes no time
    packed       whether the parts are gzipped (workers cannot split a packed part)
    lines        the number of lines; null until the set was generated once
    checksum     the SHA-256 of the parts' SHA-256; null until the set was generated once
    """

    name: str
    seed: int
    clients: Mapping[str, Mapping[str, int]] | int
    start: str = "2026-01-05 09:00:00"
    duration_ms: int = 595_000
    hours: float | None = None
    spread_ms: int = 45_000
    brokers: int = 3
    topics: Mapping[str, int] | None = None
    levels: Mapping[str, str] = field(default_factory=lambda: {"": "TRACE"})
    config: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    variants: int = 1
    versions: Mapping[str, float] = field(default_factory=lambda: {DEFAULT_CLIENT: 1})
    incidents: tuple[Mapping[str, Any], ...] = ()
    skew: tuple[Mapping[str, Any], ...] = ()
    parquet: bool = True
    broker_logs: bool = False
    pace: bool = False
    packed: bool = False
    lines: int | None = None
    checksum: str | None = None

    def __post_init__(self) -> None:
        if self.hours is not None:
            object.__setattr__(self, "duration_ms", round(self.hours * HOUR_MS))
        for name in ("incidents", "skew"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def gaps(self) -> RecordedGaps | None:
        """How long the clients work between two lines; None where that takes no time."""
        return recorded_gaps() if self.pace else None

    @property
    def wanted(self) -> list[Wanted]:
        """All stories of the set in the manifest's order, its incidents last."""
        one_id = {
            (story, version)
            for skew in self.skew
            for story, version in dict(skew.get("one_id", {})).items()
        }
        lives = [
            Wanted(
                story,
                version,
                count,
                variants=min(self.variants, count),
                shares_id=(story, version) in one_id,
            )
            for story, versions in self.by_story.items()
            for version, count in versions.items()
            if count
        ]
        each = [(what, version) for what in self.incidents for version in _versions(what)]
        copies = [int(what.get("copies", 1)) for what, _ in each]
        return lives + [
            Wanted(
                str(what["kind"]), version, copies[number], variants=copies[number],
                at_ms=None if what.get("at_s") is None else round(float(what["at_s"]) * 1_000),
                is_incident=True, first=sum(copies[:number]),
                seed=None if what.get("seed") is None else int(what["seed"]),
            )
            for number, (what, version) in enumerate(each)
        ]  # fmt: skip

    @property
    def client_room(self) -> int:
        """An upper bound of the number of clients.

        The number of digits in their names depends on it.
        """
        return sum(want.copies * (MOST_MEMBERS if want.is_incident else 1) for want in self.wanted)

    @property
    def by_story(self) -> dict[str, dict[str, int]]:
        """story -> version -> number of clients; computed where the manifest gives only a total."""
        clients = self.clients
        if not isinstance(clients, int):
            return {story: dict(versions) for story, versions in clients.items()}
        shares = {
            (s, v): part * share for s, part in USUAL.items() for v, share in self.versions.items()
        }
        whole = sum(shares.values())
        counts = {key: int(clients * share / whole) for key, share in shares.items()}
        # The clients that rounding left over go to the shares that lost most.
        short = sorted(shares, key=lambda key: (counts[key] - clients * shares[key] / whole, key))
        for key in short[: clients - sum(counts.values())]:
            counts[key] += 1
        return {story: {v: counts[story, v] for v in self.versions} for story in USUAL}


def manifest(name_or_path: str | Path) -> Manifest:
    """The manifest of that name in data/manifests, or in that file. Raises ManifestError."""
    path = Path(name_or_path)
    if path.suffix not in ENDINGS:
        path = next(
            (file for end in ENDINGS if (file := MANIFESTS / f"{name_or_path}{end}").is_file()),
            path,
        )
    if not path.is_file():
        known = ", ".join(
            sorted(file.stem for file in MANIFESTS.glob("*") if file.suffix in ENDINGS)
        )
        raise ManifestError(
            f"There is no manifest {name_or_path}; there are {known}, or name a .json or .yaml "
            "file."
        )
    return manifest_of(_entries(path), str(path))


def manifest_of(entries: object, where: str = "the manifest") -> Manifest:
    """The Manifest with these entries. Raises ManifestError, with `where` in front."""
    if not isinstance(entries, dict):
        raise ManifestError(f"{where}: a manifest is a table of entries, name: value.")
    if unknown := set(entries) - {entry.name for entry in fields(Manifest)}:
        raise ManifestError(
            f"{where}: got an unexpected entry {', '.join(sorted(map(repr, unknown)))}."
        )
    try:
        made = Manifest(**entries)
        _check(made)
    except TypeError as error:
        raise ManifestError(
            f"{where}: {str(error).removeprefix('Manifest.__init__() ')}."
        ) from None
    except (ValueError, KeyError, AttributeError) as error:
        raise ManifestError(f"{where}: {error}") from None
    return made


def _entries(path: Path) -> object:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ManifestError(f"{path} is not JSON: {error}.") from None
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ManifestError(f"{path} is not YAML: {' '.join(str(error).split())}.") from None


def _versions(incident: Mapping[str, object]) -> list[str]:
    """The client versions of an incident. Each version has its copies."""
    version = incident.get("version", DEFAULT_CLIENT)
    return [str(one) for one in version] if isinstance(version, (list, tuple)) else [str(version)]


def _check(made: Manifest) -> None:
    if made.duration_ms <= 0:
        raise ValueError("a set lasts longer than 0 ms.")
    if made.brokers < 1:
        raise ValueError("a set needs a broker.")
    for what in made.incidents:
        if "kind" not in what:
            raise ValueError(f"an incident needs a kind: {dict(what)}.")
        if unknown := set(what) - {"kind", "version", "copies", "at_s", "seed"}:
            raise ValueError(
                f"an incident has kind, version, copies, at_s and seed, not "
                f"{', '.join(sorted(unknown))}."
            )
    if sum(want.copies for want in made.wanted) < 1:
        raise ValueError("a set needs a client.")
