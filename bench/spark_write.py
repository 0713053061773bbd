"""Measures the writing of a log set: our parts, against dbldatagen.

dbldatagen makes as many lines of as many bytes from the same columns, and writes them as text.

Both write four million lines of a few hundred clients, a line of each being time, level, prefix,
message and place. Ours are the stories' lines in the order of time; dbldatagen draws each column by
itself, its messages from a sample of ours, so that the bytes come out alike. The stories are told
before the clock starts, and what that takes is a row of its own. Neither sorts, packs or writes
Parquet.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path

from bench import Row

LINES = 4_000_000
CLIENTS = 240
MESSAGES = 500  # So many of ours dbldatagen draws from.
SORTED = 80  # Each of them stands for so many lines of about its length.
TRIES = 3
ALIKE = 0.05  # So much may the bytes differ.


def run() -> list[Row]:
    from kafkalab import logsets

    spark = logsets.session(large=True)
    with tempfile.TemporaryDirectory() as folder:
        told, write_parts, sample = _ours(spark, Path(folder, "ours"))
        ours = [write_parts() for _ in range(TRIES)]
        peer = [
            _theirs(spark, sample, Path(folder, "theirs"), partitions) for partitions in (2, 4, 8)
        ]
        peer += [
            _theirs(spark, sample, Path(folder, "theirs"), (2, 4, 8)[peer.index(min(peer))])
            for _ in range(TRIES - 1)
        ]
        size = sum(file.stat().st_size for file in Path(folder, "ours/lines").iterdir())
        their_size = sum(file.stat().st_size for file in Path(folder, "theirs").glob("part-*"))
        if abs(their_size / size - 1) > ALIKE:
            raise AssertionError(
                f"{size} bytes of ours and {their_size} of theirs: the comparison would say nothing"
            )
    best, theirs = statistics.median(ours), statistics.median(sorted(peer)[:TRIES])
    title = (
        f"write {LINES / 1e6:.0f} M lines, {size / 1e6:.0f} MB: Spark's half / dbldatagen (less is "
        "better)"
    )
    return [
        Row(name=title, ours=best, peer=theirs, ratio=best / theirs, unit="s"),
        Row(
            name="the same, with the simulator telling the stories anew",
            ours=best + told,
            peer=theirs,
            ratio=(best + told) / theirs,
            unit="s",
        ),
    ]


def _ours(spark, folder: Path):
    """Seconds to tell the stories, what writes the set again and returns its seconds,
    and a sample of its lines."""
    from kafkalab.logsets import generate as made
    from kafkalab.logsets.generate.part_writer import RECEIPTS, keep, write_parts
    from kafkalab.logsets.generate.stories import play_story

    plan = made.manifest_of(
        {
            "name": "bench", "seed": 1, "brokers": 5,
            "levels": {"": "DEBUG", "org.apache.kafka.clients": "TRACE"}, "parquet": False,
            "config": {"consumer": {"fetch.max.wait.ms": 2800}},
            "clients": {"consumer": {"2.3": CLIENTS // 2, "3.9": CLIENTS // 2}},
        }
    )  # fmt: skip
    begin = time.perf_counter()
    stories, copies, clients = made.cast(
        plan, [[play_story(plan, want, 0)] for want in plan.wanted]
    )
    told = time.perf_counter() - begin
    lines, gaps, begins = made.tables(
        [member.script for story in stories for member in story.members]
    )
    roles = made.roles_of(
        clients, [copy.starts_ms for copy in copies], [copy.numbers for copy in copies],
        [made.identities(plan, copy, stories[copy.story].identities) for copy in copies], {},
    )  # fmt: skip
    library = made.Library.of(lines, gaps, begins, roles, 0, plan.duration_ms)
    sheets = library.sheets()
    sheets = [sheet for sheet in sheets if sheet.number < LINES // sheets[0].rows]
    if sum(sheet.rows for sheet in sheets) != LINES:
        raise AssertionError("too few lines for the comparison: raise CLIENTS")
    sample = _sample(library, sheets)
    place = made.Place.of(folder)
    checksum = keep(place, lines, gaps, begins, {"lines": roles}, 0, plan.duration_ms)

    def again() -> float:
        for name in ("lines", RECEIPTS):
            (place / name).remove()
            (place / name).make()
        start = time.perf_counter()
        write_parts(
            spark, place, checksum, sheets, packed=False, parquet=False, say=lambda text: None
        )
        return time.perf_counter() - start

    # Workers start and map the stories into memory, as the peer's session has done its first job
    # too.
    again()
    return told, again, sample


def _sample(library, sheets) -> list[str]:
    """Lines that stand for the whole set: of every so many-th line, sorted by length, every so
    many-th again, so that the mean length is theirs."""
    step, found, passed = LINES // MESSAGES // SORTED, [], 0
    for sheet in sheets:
        for text, begins in library.blocks_of(sheet):
            rows = len(begins) - 1
            found += [
                bytes(text[begins[row] : begins[row + 1]]).decode()
                for row in range(-passed % step, rows, step)
            ]
            passed += rows
    return sorted(found, key=lambda line: (len(line), line))[SORTED // 2 :: SORTED]


def _theirs(spark, sample: list[str], folder: Path, partitions: int) -> float:
    import dbldatagen as dg
    from pyspark.sql import functions as F

    shutil.rmtree(folder, ignore_errors=True)
    rest = [line[26:].rstrip("\n") for line in sample]
    levels = sorted({text.partition(" ")[0] for text in rest})
    # What our lines say after the prefix, and where; level and names are columns of their own.
    said = [text.partition("] ")[2].rpartition(" (") for text in rest]
    start = time.perf_counter()
    lines = (
        dg.DataGenerator(
            spark,
            name="lines",
            rows=LINES,
            partitions=partitions,
            randomSeedMethod="hash_fieldname",
        )
        .withColumn("at_ms", "long", expr=f"1767603600000 + id * 595000 div {LINES}")
        .withColumn("level", "string", values=levels, random=True)
        .withColumn("client", "integer", minValue=0, maxValue=CLIENTS - 1, random=True)
        .withColumn("client_id", "string", baseColumn="client", format="consumer-%04d")
        .withColumn("group_id", "string", baseColumn="client", format="group-%04d")
        .withColumn("message", "string", values=[message for message, _, _ in said], random=True)
        .withColumn(
            "place", "string", values=[place.rstrip(")") for _, _, place in said], random=True
        )
        .build()
    )
    time_text = F.date_format(F.timestamp_millis("at_ms"), "yyyy-MM-dd HH:mm:ss,SSS")
    line = F.concat(F.lit("["), time_text, F.lit("] "), "level", F.lit(" [Consumer clientId="),
                    "client_id", F.lit(", groupId="), "group_id", F.lit("] "),
                    "message", F.lit(" ("), "place", F.lit(")"))  # fmt: skip
    lines.select(line.alias("value")).write.text(str(folder))
    return time.perf_counter() - start
