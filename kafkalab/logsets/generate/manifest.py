"""What is in a log set? A manifest says it, and with the seed it says every byte."""
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MANIFESTS = Path(__file__).resolve().parents[3] / "data" / "manifests"


class ManifestError(ValueError):
    """A manifest that cannot be used; the message names the entry."""


@dataclass(frozen=True)
class Manifest:
    """A log set before it is made.

    start        what the clock shows at its first millisecond (UTC)
    duration_ms  how long it lasts; whatever a client does later is cut off
    spread_ms    clients start at a random millisecond of the first so many
    brokers      how many; ids from 0, ports from 9092
    levels       the log4j levels by logger, the longest matching name wins, "" is the root
    config       client settings that differ from the defaults, by kind of client ("consumer", "producer")
    variants     how often each story is simulated for each version; more clients than that are copies with other names and times
    clients      story -> version -> how many
    lines        how many lines came out; checksum: the SHA-256 of all of them. Null until the set was made once
    packed       whether the parts are gzipped (a packed part cannot be split among workers)
    """

    name: str
    seed: int
    clients: Mapping[str, Mapping[str, int]]
    start: str = "2026-01-05 09:00:00"
    duration_ms: int = 595_000
    spread_ms: int = 45_000
    brokers: int = 3
    levels: Mapping[str, str] = field(default_factory=lambda: {"": "TRACE"})
    config: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    variants: int = 1
    packed: bool = False
    lines: int | None = None
    checksum: str | None = None

    @property
    def client_count(self) -> int:
        return sum(sum(versions.values()) for versions in self.clients.values())


def manifest(name_or_path: str | Path) -> Manifest:
    """The manifest of that name in data/manifests, or in that file. Raises ManifestError."""
    path = Path(name_or_path)
    if path.suffix != ".json":
        path = MANIFESTS / f"{name_or_path}.json"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in MANIFESTS.glob("*.json")))
        raise ManifestError(f"There is no manifest {name_or_path}; there are {known}, or name a .json file.")
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(**entries)
    except json.JSONDecodeError as error:
        raise ManifestError(f"{path} is not JSON: {error}.") from None
    except TypeError as error:
        raise ManifestError(f"{path}: {str(error).removeprefix('Manifest.__init__() ')}.") from None
