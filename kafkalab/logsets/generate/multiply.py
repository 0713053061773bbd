"""A few stories -> the lines of many clients, in the order of time: Spark's half of the generator.

A client is a copy of a story under its own name, begun at its own time. What is drawn for a client depends on the seed and its number,
what is drawn for a line on xxhash64(seed, client, line): how Spark cuts the work into partitions changes nothing.
"""
import hashlib
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkalab.logsets.generate.manifest import Manifest
from kafkalab.logsets.generate.stories import CLIENT, GROUP, IDENTITIES, Story, StorySocket

PART_LINES = 1_000_000  # A part ends with the second in which it gets that long.
IDENTITY_NAMES = tuple(f"identity{number}" for number in range(len(IDENTITIES)))
MOMENTS = 4  # So many times in epoch milliseconds can stand in one line (receivedTimeMs=1767603600004).


@dataclass(frozen=True)
class Client:
    """One client of the set: a copy of `story`, begun `starts_ms` after the set."""

    number: int
    client_id: str
    group_id: str
    story: Story
    story_number: int
    starts_ms: int

    def sockets(self, manifest: Manifest) -> list[StorySocket]:
        """Its sockets in the set's time, as far as the set goes."""
        found = []
        for socket in self.story.sockets:
            opened, closed = self.starts_ms + socket.opened_at_ms, socket.closed_at_ms and self.starts_ms + socket.closed_at_ms
            if opened > manifest.duration_ms:
                continue
            ended = closed is not None and closed <= manifest.duration_ms
            found.append(
                StorySocket(socket.node_id, socket.broker, socket.role, opened, closed if ended else None, socket.how if ended else None)
            )
        return found


def cast(manifest: Manifest, stories: Sequence[Sequence[Story]]) -> list[Client]:
    """The clients of the set. `stories` has, for each story and version of the manifest in its order, the variants."""
    roles = [
        (variants, place)
        for (wanted, variants) in zip(
            [count for versions in manifest.clients.values() for count in versions.values()], _numbered(stories)
        )
        for place in range(wanted)
    ]
    # Shuffled, so that a client's number does not tell its story.
    roles = [roles[place] for place in sorted(range(len(roles)), key=lambda place: draw(manifest.seed, place, "order"))]
    clients = []
    for number, (variants, place) in enumerate(roles):
        story_number, story = variants[place % len(variants)]
        clients.append(
            Client(
                number, f"{story.kind}-{number:04d}", f"group-{number:04d}", story, story_number,
                draw(manifest.seed, number, "start") % (manifest.spread_ms + 1),
            )  # fmt: skip
        )
    return clients


def draw(seed: int, number: int, what: str) -> int:
    """A large number that depends on nothing else."""
    return int.from_bytes(hashlib.blake2b(f"{seed}/{number}/{what}".encode(), digest_size=8).digest(), "big")


def _numbered(stories: Sequence[Sequence[Story]]) -> Iterable[list[tuple[int, Story]]]:
    number = 0
    for variants in stories:
        yield [(number + place, story) for place, story in enumerate(variants)]
        number += len(variants)


def write_stories(manifest: Manifest, stories: Iterable[Story], folder: Path) -> None:
    """The stories as Parquet, a file each, their texts cut where a time in epoch milliseconds stands."""
    folder.mkdir(parents=True)
    epoch_ms = epoch_of(manifest)
    moment = re.compile(r"\b\d{13}\b")
    for number, story in enumerate(stories):
        columns = {name: [] for name in ("story", "place", "at_ms", "room_ms", *_piece_names())}
        for place, spot in enumerate(story.lines):
            pieces, begin = [], 0
            for found in moment.finditer(spot.text):
                since_ms = int(found[0]) - epoch_ms
                if 0 <= since_ms <= manifest.duration_ms + 60_000 and len(pieces) < 2 * MOMENTS:
                    pieces += [spot.text[begin : found.start()], since_ms]
                    begin = found.end()
            pieces += [spot.text[begin:]]
            pieces += [None] * (2 * MOMENTS + 1 - len(pieces))
            for name, value in zip(columns, (number, place, spot.at_ms, spot.room_ms, *pieces)):
                columns[name].append(value)
        kinds = {name: pa.string() if name.startswith("text") else pa.int64() for name in columns}
        table = pa.table({name: pa.array(values, kinds[name]) for name, values in columns.items()})
        pq.write_table(table, folder / f"story-{number:05d}.parquet", row_group_size=20_000)


def _piece_names() -> list[str]:
    names = ["text0"]
    for place in range(MOMENTS):
        names += [f"moment{place}", f"text{place + 1}"]
    return names


def moments_of(spark: SparkSession, manifest: Manifest, clients: Sequence[Client], folder: Path) -> DataFrame:
    """When each line of each client is written, and what it says but for the client's own names: the set before it is text."""
    stories = spark.read.parquet(str(folder))
    rows = [(c.number, c.client_id, c.group_id, c.story_number, c.starts_ms, *_identities(manifest, c)) for c in clients]
    named = "client int, client_id string, group_id string, story long, starts_ms long"
    people = spark.createDataFrame(rows, ", ".join([named, *(f"{name} string" for name in IDENTITY_NAMES)]))
    chance = F.pmod(F.xxhash64(F.lit(manifest.seed), "client", "place"), F.col("room_ms") + 1)
    at_ms = F.col("starts_ms") + F.col("at_ms") + F.when(F.col("room_ms") > 0, chance).otherwise(0)
    return (
        stories.join(F.broadcast(people), on="story", how="inner")
        .withColumn("at_ms", at_ms)
        .where(F.col("at_ms") <= manifest.duration_ms)
    )


def _identities(manifest: Manifest, client: Client) -> list[str]:
    """The member ids that the broker gave this copy."""
    return [
        str(uuid.UUID(int=draw(manifest.seed, client.number, f"{name}/high") << 64 | draw(manifest.seed, client.number, name), version=4))
        for name in IDENTITY_NAMES
    ]


def cuts(moments: DataFrame) -> list[int]:
    """The milliseconds at which a new part begins, the first excepted."""
    seconds = moments.groupBy((F.col("at_ms") / 1000).cast("int").alias("second")).count().orderBy("second").collect()
    found, held = [], 0
    for row in seconds:
        if held >= PART_LINES:
            found.append(row.second * 1000)
            held = 0
        held += row["count"]
    return found


def write_parts(moments: DataFrame, manifest: Manifest, begins: Sequence[int], folder: Path) -> list[Path]:
    """The text of all lines in the order of time, in parts that end at `begins`; the files, in order."""
    part = sum((F.when(F.col("at_ms") >= begin, 1).otherwise(0) for begin in begins), F.lit(0))
    (
        moments.select("client", "client_id", "group_id", *IDENTITY_NAMES, "place", "at_ms", "starts_ms", *_piece_names(), part.alias("part"))
        .repartition(len(begins) + 1, "part")
        .sortWithinPartitions("part", "at_ms", "client", "place")
        .select(_text(manifest).alias("value"), "part")
        .write.partitionBy("part")
        .option("compression", "none")
        .text(str(folder))
    )
    return [next((folder / f"part={number}").glob("part-*.txt")) for number in range(len(begins) + 1)]


def _text(manifest: Manifest):
    """The whole line, as the client writes it."""
    now = F.timestamp_millis(F.lit(epoch_of(manifest)) + F.col("at_ms"))
    said = [F.col("text0")]
    for place in range(MOMENTS):
        moment = F.col(f"moment{place}") + F.col("starts_ms") + F.lit(epoch_of(manifest))
        said += [moment.cast("string"), F.col(f"text{place + 1}")]  # concat_ws leaves nulls out.
    message = F.concat_ws("", *said)
    for gap, name in ((CLIENT, "client_id"), (GROUP, "group_id"), *zip(IDENTITIES, IDENTITY_NAMES)):
        message = F.replace(message, F.lit(gap), F.col(name))
    return F.concat(F.lit("["), F.date_format(now, "yyyy-MM-dd HH:mm:ss,SSS"), F.lit("] "), message)


def epoch_of(manifest: Manifest) -> int:
    """The set's first millisecond since 1970."""
    return int(datetime.fromisoformat(manifest.start).replace(tzinfo=UTC).timestamp() * 1000)


def printed(manifest: Manifest, at_ms: int | None) -> str | None:
    """A moment of the set as lines print it."""
    if at_ms is None:
        return None
    time = datetime.fromisoformat(manifest.start) + timedelta(milliseconds=at_ms)
    return f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}"
