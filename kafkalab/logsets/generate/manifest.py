"""What is in a log set? A manifest says it, in YAML or JSON,
and with the seed it says every byte."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from kafkalab.releases.lineage import DEFAULT_CLIENT

MANIFESTS = Path(__file__).resolve().parents[3] / "data" / "manifests"
ENDINGS = (".json", ".yaml", ".yml")
USUAL = {"consumer": 0.6, "producer": 0.3, "closed_consumer": 0.05, "closed_producer": 0.05}
HOUR_MS = 3_600_000
MOST_MEMBERS = 5  # of an incident


class ManifestError(ValueError):
    """A manifest that cannot be used; the message names the entry."""


@dataclass(frozen=True)
class Wanted:
    """A story of the set, and how many copies of it.

    at_ms: when each begins, None: drawn. shares_id: whether all its copies have the first one's
    client id. variants: how often it is told by the simulator at most; more copies than that share
    the variants. first: how many copies of other incidents stand before these in the manifest.
    """

    story: str
    version: str
    copies: int
    variants: int = 1
    at_ms: int | None = None
    is_incident: bool = False
    shares_id: bool = False
    first: int = 0


@dataclass(frozen=True)
class Manifest:
    """A log set before it is made.

    start        what the clock shows at its first millisecond (UTC)
    duration_ms  how long it lasts (or `hours`); whatever a client does later is cut off
    spread_ms    clients start at a random millisecond of the first so many
    brokers      how many; ids from 0, ports from 9092
    topics       name -> partitions; a client works on the one that its story's variant draws. None:
                 `orders`, a partition on each broker
    levels       the log4j levels by logger, the longest matching name wins, "" is the root
    config       client settings that differ from the defaults, by kind of client ("consumer",
                 "producer")
    variants     how often each story is simulated for each version; more clients than that are
                 copies with other names and times
    clients      story -> version -> how many; or only how many, which are then of the `versions`
                 and lead usual lives
    versions     version -> its share (adds up to anything), where `clients` is a number
    incidents    what goes wrong, or looks so: {"kind": one of generate/scenes.py or lookalikes.py,
                 "version": "3.9" or several, "copies": 1 of each, "at_s": seconds after the start
                 (else drawn)}
    skew         what makes a set hard to read: {"one_id": {story: version}: copies share one client
                 id}, {"clock_step_ms": -3000, "every": 7, "at_s": 300}: the clock of every seventh
                 client is set back then, {"flush_ms": 4000, "every": 5}: every fifth writes its
                 lines that late at most
    parquet      whether the rows are written as Parquet too
    packed       whether the parts are gzipped (a packed part cannot be split among workers)
    lines        how many lines came out; checksum: the SHA-256 of the parts' SHA-256. Null until
                 the set was made once
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
    incidents: tuple[Mapping[str, object], ...] = ()
    skew: tuple[Mapping[str, object], ...] = ()
    parquet: bool = True
    packed: bool = False
    lines: int | None = None
    checksum: str | None = None

    def __post_init__(self):
        if self.hours is not None:
            object.__setattr__(self, "duration_ms", round(self.hours * HOUR_MS))
        for name in ("incidents", "skew"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

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
            )
            for number, (what, version) in enumerate(each)
        ]  # fmt: skip

    @property
    def client_room(self) -> int:
        """At least as many as the set has clients: how long their numbers are depends on it."""
        return sum(want.copies * (MOST_MEMBERS if want.is_incident else 1) for want in self.wanted)

    @property
    def by_story(self) -> dict[str, dict[str, int]]:
        """story -> version -> how many; worked out where the manifest
        only says how many clients there are."""
        if not isinstance(self.clients, int):
            return {story: dict(versions) for story, versions in self.clients.items()}
        shares = {
            (s, v): part * share for s, part in USUAL.items() for v, share in self.versions.items()
        }
        whole = sum(shares.values())
        counts = {key: int(self.clients * share / whole) for key, share in shares.items()}
        # What rounding left over goes to those that lost most by it.
        short = sorted(
            shares, key=lambda key: (counts[key] - self.clients * shares[key] / whole, key)
        )
        for key in short[: self.clients - sum(counts.values())]:
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
            sorted(file.stem for file in MANIFESTS.iterdir() if file.suffix in ENDINGS)
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
    """Which client versions an incident happens to; each has its copies of it."""
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
        if unknown := set(what) - {"kind", "version", "copies", "at_s"}:
            raise ValueError(
                f"an incident has kind, version, copies and at_s, not {', '.join(sorted(unknown))}."
            )
    if sum(want.copies for want in made.wanted) < 1:
        raise ValueError("a set needs a client.")
