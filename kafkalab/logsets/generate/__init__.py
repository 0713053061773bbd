"""A manifest -> a log set with its truth: DIR/lines/part-*.log, DIR/truth.json and, last of all, DIR/DONE.

Stories come from the simulator (stories.py), volume from Spark (multiply.py). Without DONE a folder is no set; a run that finds one
half made starts over. The text is the same whatever machine and however many workers made it: its checksum is the manifest's.
"""
import gzip
import hashlib
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from kafkalab.logsets.generate.manifest import Manifest, ManifestError, manifest
from kafkalab.logsets.generate.multiply import (
    Client,
    cast,
    cuts,
    epoch_of,
    moments_of,
    printed,
    write_parts,
    write_stories,
)
from kafkalab.logsets.generate.stories import tell

__all__ = ["Manifest", "ManifestError", "generate", "manifest"]

MINUTE_MS = 60_000


def generate(spark, wanted: Manifest | str | Path, out: str | Path, say: Callable[[str], None] = lambda text: print(text, file=sys.stderr)) -> dict:
    """Make the log set of a manifest (or of its name or file) in the folder `out`, and return its truth.

    A set that is there already is left as it is. `say` hears how far it is. Raises ManifestError, and FileExistsError when `out`
    holds something that is no log set.
    """
    plan = wanted if isinstance(wanted, Manifest) else manifest(wanted)
    out = Path(out)
    if (out / "DONE").exists():
        truth = json.loads((out / "truth.json").read_text(encoding="utf-8"))
        if truth["manifest"] == _inputs(plan):
            say(f"{out} is there already: {truth['lines']:,} lines.")
            return truth
    elif out.exists() and {file.name for file in out.iterdir()} - {"lines", "truth.json", ".making"}:
        raise FileExistsError(f"{out} holds something else than a log set; name another folder.")
    making = out / ".making"
    for name in ("DONE", "truth.json"):
        (out / name).unlink(missing_ok=True)
    for folder in (making, out / "lines"):
        shutil.rmtree(folder, ignore_errors=True)
    making.mkdir(parents=True)

    stories = _told(plan, say)
    clients = cast(plan, stories)
    write_stories(plan, [story for variants in stories for story in variants], making / "stories")
    moments = moments_of(spark, plan, clients, making / "stories")
    say(f"{len(clients):,} clients: ordering their lines")
    begins = cuts(moments)
    say(f"writing {len(begins) + 1} parts")
    texts = write_parts(moments, plan, begins, making / "text")
    (out / "lines").mkdir()
    lines, size, checksum = _moved(texts, out / "lines", plan.packed)
    truth = _truth(plan, clients) | {"lines": lines, "bytes": size, "checksum": checksum}
    (out / "truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(making)
    (out / "DONE").write_text(checksum + "\n", encoding="utf-8")
    if plan.checksum not in (None, checksum):
        say(f"The checksum is not the manifest's: the simulator tells its stories in other words now. Make {plan.name} known as {checksum}.")
    say(f"{lines:,} lines of {len(clients):,} clients -> {out}")
    return truth


def _told(plan: Manifest, say) -> list[list]:
    """The stories' variants, for each story and version of the manifest in its order."""
    wanted = [(name, version, count) for name, versions in plan.clients.items() for version, count in versions.items()]
    told = []
    for number, (name, version, count) in enumerate(wanted, 1):
        say(f"story {number} of {len(wanted)}: {name.replace('_', ' ')}, {version}")
        told.append([tell(plan, name, version, variant) for variant in range(min(plan.variants, count))])
    return told


def _moved(texts: Iterable[Path], folder: Path, packed: bool) -> tuple[int, int, str]:
    """Spark's files under the set's own names; how many lines (of the layout, stack traces not counted) and bytes, and the checksum."""
    lines, size, checksum = 0, 0, hashlib.sha256()
    for number, text in enumerate(texts):
        name = f"part-{number:05d}.log"
        with open(text, "rb") as file:
            while block := file.read(1 << 22):
                checksum.update(block)
                size += len(block)
        lines += _records(text)
        if packed:
            with open(text, "rb") as source, open(folder / f"{name}.gz", "wb") as raw:
                with gzip.GzipFile("", "wb", 9, raw, mtime=0) as target:  # No name and no time: the same bytes every time.
                    shutil.copyfileobj(source, target)
        else:
            shutil.move(text, folder / name)
    return lines, size, checksum.hexdigest()


def _records(text: Path) -> int:
    from kafkalab.logsets.block import HEAD_PATTERN

    with open(text, "rb") as file:
        return sum(bool(HEAD_PATTERN.match(line)) for line in file)


def _inputs(plan: Manifest) -> dict:
    return json.loads(json.dumps(asdict(replace(plan, lines=None, checksum=None))))


def _truth(plan: Manifest, clients: Sequence[Client]) -> dict:
    """What the simulator knew: of every client its sockets, and for every broker how many were open as each minute began."""
    live: Counter[tuple[int, int]] = Counter()
    minutes = range(-epoch_of(plan) % MINUTE_MS, plan.duration_ms + 1, MINUTE_MS)
    people = {}
    for client in clients:
        sockets = client.sockets(plan)
        stood = [socket for socket in sockets if socket.how != "failed"]
        for socket in stood:
            end_ms = plan.duration_ms + 1 if socket.closed_at_ms is None else socket.closed_at_ms
            live.update((at_ms, socket.broker) for at_ms in minutes if socket.opened_at_ms <= at_ms < end_ms)
        opened = Counter(socket.role for socket in stood)
        # What a client of its kind holds that leads a quiet life: each leader, the coordinator, and one to ask the first question.
        usual = {"bootstrap": 1, "data": plan.brokers} | ({"coordinator": 1} if client.story.kind == "consumer" else {})
        people[client.client_id] = {
            "kind": client.story.kind,
            "version": client.story.version,
            "group_id": client.group_id if client.story.in_group else None,
            "story": client.story.name,
            "zombie": client.story.name.startswith("zombie"),
            "deviates": dict(opened) != usual or len(stood) < len(sockets),
            "opened": len(stood),
            "kept": sum(socket.closed_at_ms is None for socket in stood),
            "failed": len(sockets) - len(stood),
            "by_class": dict(sorted(opened.items())),
            "sockets": [
                {
                    "node_id": socket.node_id, "broker": socket.broker, "class": socket.role,
                    "opened_at": printed(plan, socket.opened_at_ms), "closed_at": printed(plan, socket.closed_at_ms), "how": socket.how,
                }
                for socket in sockets
            ],
        }  # fmt: skip
    return {
        "manifest": _inputs(plan),
        "clients": people,
        "live_per_minute": [
            {"minute": printed(plan, at_ms)[:16], "broker": broker, "live": count} for (at_ms, broker), count in sorted(live.items())
        ],
    }
