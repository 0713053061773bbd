"""Tries a stream for as long as one likes: logs grow and rotate, and the query is killed.

    python -m kafkalab.tests.logsets.stream_trial --minutes 30 --kills 40

Three logs grow in one folder, each rotated in its own way. The query runs in a process of its own
and writes Parquet. It is killed with its JVM at moments that the seed names, also while it starts.
At the end each line has to be there once. No time decides about that: the last query ends by
itself, when it has read what there is.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pyarrow.dataset as pads

NAME, HALF = "client.log", 20
KEPT = 4  # The files of a log that are never removed, beside the one that grows.
PAUSE_S = 0.05
COLUMNS = ("file", "file_offset", "message")

QUERY = """
import sys
from kafkalab import logsets
folder, out, once = sys.argv[1:]
spark = logsets.session("local[1]")
lines = logsets.stream(spark, folder, ("file", "file_offset", "message"), settle_s=1)
writer = lines.writeStream.format("parquet").option("checkpointLocation", out + "/checkpoint")
writer = writer.trigger(availableNow=True) if once == "once" else writer
writer.start(out + "/rows").awaitTermination()
"""


def by_name(log: GrowingLog, number: int) -> None:
    """Rename all: client.log.1 is the newest, and from client.log.2 on they are packed."""
    for age in range(number, 0, -1):
        for end in ("", ".gz"):
            old = log.folder / f"{NAME}.{age}{end}"
            if old.exists():
                log.move(old, log.folder / f"{NAME}.{age + 1}{end}")
    log.move(log.path, log.folder / f"{NAME}.1")
    second = log.folder / f"{NAME}.2"
    if second.exists():
        packed = log.folder / f"{NAME}.2.gz"
        packed.write_bytes(gzip.compress(second.read_bytes()))
        log.files[packed] = log.files.pop(second)
        second.unlink()


def by_copy(log: GrowingLog, number: int) -> None:
    """Copy the log, and cut it."""
    for age in range(number, 0, -1):
        old = log.folder / f"{NAME}.{age}"
        if old.exists():
            log.move(old, log.folder / f"{NAME}.{age + 1}")
    shutil.copy(log.path, log.folder / f"{NAME}.1")
    log.files[log.folder / f"{NAME}.1"] = log.files[log.path]
    log.path.open("w").close()


def by_date(log: GrowingLog, number: int) -> None:
    """Give the log a day in its name."""
    log.move(log.path, log.folder / f"{NAME}.{date(2026, 1, 1) + timedelta(days=number)}")


@dataclass
class GrowingLog:
    """A log that one writer appends to. files: the lines before and in each file, by its name."""

    folder: Path
    rotate: object
    written: int = 0
    bytes_before: int = 0
    held: str = ""
    rotations: int = 0
    files: dict[Path, int] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.folder / NAME

    def line(self) -> str:
        self.written += 1
        second = self.written // 50
        clock = f"{9 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        return (
            f"[2026-01-05 {clock},{self.written % 50:03d}] INFO [Consumer clientId=c, "
            f"groupId=g] Node {self.written} disconnected. "
            "(org.apache.kafka.clients.NetworkClient:1)\n"
        )

    def append(self, count: int, cut: int) -> None:
        """Write so many lines; of the last one `cut` bytes stay for the next time."""
        text = self.held + "".join(self.line() for _ in range(count))
        now, self.held = text[: len(text) - cut], text[len(text) - cut :]
        with open(self.path, "a") as file:
            file.write(now)
        self.bytes_before += len(now)
        self.files[self.path] = self.bytes_before

    def move(self, old: Path, new: Path) -> None:
        old.rename(new)
        self.files[new] = self.files.pop(old)

    def turn(self) -> None:
        """Rotate, where the last line is whole."""
        if not self.held and self.path.exists() and self.path.stat().st_size:
            self.rotations += 1
            self.rotate(self, self.rotations)

    def remove_read(self, read: int) -> int:
        """Remove old files whose last byte has been read, as a rotation does; how many."""
        old = sorted((end, path) for path, end in self.files.items() if path != self.path)
        gone = [path for end, path in old[: max(0, len(old) - KEPT)] if end <= read]
        for path in gone:
            path.unlink()
            del self.files[path]
        return len(gone)


def read_so_far(checkpoint: Path) -> dict[str, int]:
    """How many bytes of each log a query has read for good, by its last committed batch."""
    done = [int(path.name) for path in (checkpoint / "commits").glob("[0-9]*")]
    if not done:
        return {}
    offset = (checkpoint / "offsets" / str(max(done))).read_text().splitlines()[-1]
    texts = json.loads(offset).values()
    logs: dict[str, int] = {}
    for log in {text["log"] for text in texts}:
        of_log = [text for text in texts if text["log"] == log]
        open_ones = [
            text["before"] + text["read"] for text in of_log if text["read"] < text["size"]
        ]
        logs[log] = min(open_ones, default=max(text["before"] + text["read"] for text in of_log))
    return logs


def started(folder: Path, out: Path, how: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", QUERY, str(folder), str(out), how],
        stdout=subprocess.DEVNULL,
        stderr=open(out / f"{how}.txt", "ab"),
        start_new_session=True,
    )


def kill(query: subprocess.Popen) -> None:
    """End the query and its JVM, with nothing put in order."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(query.pid, signal.SIGKILL)
    query.wait()


def moments(draw: random.Random, seconds: float, kills: int) -> Iterator[float]:
    yield from sorted(draw.uniform(0, seconds) for _ in range(kills))
    yield float("inf")


def tried(place: Path, seconds: float, kills: int, seed: int) -> dict[str, object]:
    """What became of the lines. Each count of a line that is not one is a fault."""
    draw = random.Random(seed)
    folder, out = place / "logs", place / "out"
    logs = [
        GrowingLog(folder / name, rotate)
        for name, rotate in (("renamed", by_name), ("copied", by_copy), ("dated", by_date))
    ]
    for log in logs:
        log.folder.mkdir(parents=True)
        log.append(300, 0)
        log.turn()  # before the first look
    out.mkdir()
    query, removed, killed = started(folder, out, "on"), 0, 0
    begin = time.monotonic()
    when = moments(draw, seconds, kills)
    next_kill = next(when)
    try:
        while (now := time.monotonic() - begin) < seconds:
            log = draw.choice(logs)
            log.append(draw.choice([1, 5, 40]), draw.choice([0, 0, HALF]))
            if draw.random() < 0.02:
                log.turn()
            if draw.random() < 0.01:
                read = read_so_far(out / "checkpoint")
                removed += sum(each.remove_read(read.get(str(each.path), 0)) for each in logs)
            if now >= next_kill:
                kill(query)
                killed += 1
                next_kill = next(when)
                for each in logs:
                    each.append(50, 0)
                    each.turn()  # while the query is down
                query = started(folder, out, "on")
            elif query.poll() is not None:
                raise RuntimeError(
                    f"the query ended by itself: {(out / 'on.txt').read_text()[-3000:]}"
                )
            time.sleep(PAUSE_S)
    finally:
        kill(query)
    for log in logs:
        log.append(1, 0)
    if started(folder, out, "once").wait():
        raise RuntimeError(f"the last query failed: {(out / 'once.txt').read_text()[-3000:]}")
    rows = committed_rows(out / "rows")
    return {
        "written": sum(log.written for log in logs), "rows": len(rows), "kills": killed,
        "rotations": sum(log.rotations for log in logs), "removed": removed,
        **faults(logs, rows),
    }  # fmt: skip


def committed_rows(rows: Path) -> list[dict]:
    """The rows of the batches that are committed: a killed batch leaves files of no batch."""
    files = {}
    for batch in sorted((rows / "_spark_metadata").glob("[0-9]*")):
        for text in batch.read_text().splitlines()[1:]:
            name = json.loads(text)["path"]
            files[name] = name.removeprefix("file://")
    return pads.dataset(list(files.values())).to_table(list(COLUMNS)).to_pylist()


def faults(logs: list[GrowingLog], rows: list[dict]) -> dict[str, object]:
    """Lines that are missing or that came twice, places that two lines have, lines out of order."""
    wanted = {
        (str(log.path), f"Node {n} disconnected.")
        for log in logs
        for n in range(1, log.written + 1)
    }
    found = Counter((row["file"], row["message"]) for row in rows)
    places = Counter((row["file"], row["file_offset"]) for row in rows)
    in_turn = sorted(
        (row["file"], row["file_offset"], int(row["message"].split()[1])) for row in rows
    )
    return {
        "missing": sorted(wanted - set(found))[:5],
        "strange": sorted(set(found) - wanted)[:5],
        "twice": sorted(key for key, count in found.items() if count > 1)[:5],
        "one place": sorted(key for key, count in places.items() if count > 1)[:5],
        "out of order": [
            later for one, later in pairwise(in_turn)
            if one[0] == later[0] and one[2] >= later[2]
        ][:5],
    }  # fmt: skip


def is_right(found: dict[str, object]) -> bool:
    return found["written"] == found["rows"] and not any(
        found[fault] for fault in ("missing", "strange", "twice", "one place", "out of order")
    )


def main() -> int:
    asked = argparse.ArgumentParser(description="Try a stream of rotating logs.")
    asked.add_argument("--minutes", type=float, default=30)
    asked.add_argument("--kills", type=int, default=40)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="kafkalab-trial-") as place:
        found = tried(Path(place), given.minutes * 60, given.kills, given.seed)
    print(json.dumps(found, indent=1))
    return 0 if is_right(found) else 1


if __name__ == "__main__":
    sys.exit(main())
