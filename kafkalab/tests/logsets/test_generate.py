"""A log set and its truth: does what Spark wrote say what the simulator knew,
whoever wrote it in how many pieces?"""

import gzip
import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from kafkalab import logsets
from kafkalab.logsets import generate as made
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.generate import (
    Manifest,
    ManifestError,
    generate,
    manifest,
    manifest_of,
    sheets,
)
from kafkalab.logsets.generate.cast import draw
from kafkalab.logsets.generate.part_writer import write_parts
from kafkalab.logsets.generate.stories import play_story
from kafkalab.logsets.generate.story_processes import play_stories
from kafkalab.logsets.generate.truth import truth_of
from kafkalab.logsets.line_loader import load_lines
from kafkalab.proof.replay import replay

ROOT = Path(__file__).resolve().parents[3]
TINY = ROOT / "data" / "samples" / "tiny"

FEW = Manifest(
    name="few",
    seed=5,
    duration_ms=30_000,
    spread_ms=4_000,
    clients={"consumer": {"2.3": 3, "4.4": 2}, "closed_producer": {"2.2": 1, "3.9": 1}},
    levels={"": "DEBUG", "org.apache.kafka.clients.NetworkClient": "TRACE"},
    config={"consumer": {"fetch.max.wait.ms": 3_000}},
)


def sockets_of(spark, folder) -> dict[str, list[tuple]]:
    """client id -> its sockets as the truth writes them."""
    printed = "date_format({0}, 'yyyy-MM-dd HH:mm:ss,SSS') as {0}"
    rows = logsets.connections(load_lines(spark, folder)).selectExpr(
        "client_id",
        "node_id",
        "broker",
        "class",
        printed.format("opened_at"),
        printed.format("closed_at"),
        "how",
    )
    found = defaultdict(list)
    for client_id, *socket in rows.orderBy("opened_at", "node_id").collect():
        found[client_id].append(tuple(socket))
    return found


def told_by(truth: dict) -> dict[str, list[tuple]]:
    return {
        client_id: sorted(
            (tuple(socket.values()) for socket in client["sockets"]),
            key=lambda socket: (socket[3], socket[0]),
        )
        for client_id, client in truth["clients"].items()
    }


def silently(text: str) -> None:
    """Progress nobody asked for."""


def test_the_sample_says_what_its_truth_says(spark):
    truth = json.loads((TINY / "truth.json").read_text(encoding="utf-8"))
    assert sockets_of(spark, TINY) == told_by(truth)
    lines = load_lines(spark, TINY, ("event", "problem", "client_id", "time"))
    assert lines.count() == truth["lines"]
    assert lines.where("problem is not null or event is null").count() == 0


def test_the_sample_is_the_one_its_manifest_names():
    texts = [
        gzip.decompress(part.read_bytes())
        for part in sorted((TINY / "lines").glob("part-*.log.gz"))
    ]
    checksum = hashlib.sha256(
        "".join(hashlib.sha256(text).hexdigest() + "\n" for text in texts).encode()
    ).hexdigest()
    assert (
        checksum == manifest("tiny").checksum == (TINY / "DONE").read_text(encoding="utf-8").strip()
    )


@pytest.mark.corpus
def test_generating_the_sample_gives_the_sample_byte_for_byte():
    """What the simulator tells today is what is committed: who changes a client's lines makes
    the sample anew, and looks at what it is used for."""
    plan = manifest("tiny")
    epoch_ms = int(datetime.fromisoformat(plan.start).replace(tzinfo=UTC).timestamp() * 1_000)
    stories, copies, clients = made.cast(plan, play_stories(plan, silently))
    text = b"".join(text_of(library(plan, (stories, copies, clients), epoch_ms), sheets.PART_LINES))
    committed = [gzip.decompress(part.read_bytes()) for part in sorted((TINY / "lines").iterdir())]
    assert text == b"".join(committed), (
        "python -m kafkalab logsets generate tiny --out DIR, and its DONE and lines into "
        "data/manifests/tiny.json"
    )
    truth = json.loads((TINY / "truth.json").read_text(encoding="utf-8"))
    told = json.loads(json.dumps(truth_of(plan, stories, copies, clients, epoch_ms)))
    assert {name: truth[name] for name in told} == told
    assert (
        truth["manifest"] == made._inputs(plan)
        and truth["lines"] == plan.lines
        and truth["bytes"] == len(text)
    )


@pytest.mark.slow
def test_the_labs_questions_have_answers_in_the_sample(spark):
    """Zombies, deviating clients and live sockets by minute,
    found in the lines by the rules of chapters 02 and 03."""
    truth = json.loads((TINY / "truth.json").read_text(encoding="utf-8"))
    sockets = logsets.connections(load_lines(spark, TINY)).toPandas()
    stood = sockets[sockets["how"] != "failed"]
    end = load_lines(spark, TINY, ("time",)).agg({"time": "max"}).toPandas().iloc[0, 0]
    idle = stood[
        (stood["class"] == "bootstrap")
        & stood["closed_at"].isna()
        & (end - stood["opened_at"] > "9min")
    ]
    zombies = {name for name, client in truth["clients"].items() if client["zombie"]}
    assert set(idle["client_id"]) == zombies and len(zombies) == 5

    held = stood.groupby(["client_id", "class"]).size().unstack(fill_value=0)
    usual = (
        (held["bootstrap"] == 1)
        & (held["data"] == 3)
        & (held["coordinator"] == held.index.str.startswith("consumer"))
    )
    deviating = set(held.index[~usual]) | set(sockets["client_id"][sockets["how"] == "failed"])
    assert (
        deviating == {name for name, client in truth["clients"].items() if client["deviates"]}
        and len(deviating) >= 5
    )

    for row in truth["live_per_minute"]:
        live = stood[(stood["broker"] == row["broker"]) & (stood["opened_at"] <= row["minute"])]
        assert (live["closed_at"].isna() | (live["closed_at"] > row["minute"])).sum() == row["live"]


@pytest.fixture(scope="module")
def few(spark, tmp_path_factory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("few") / "set"
    return folder, generate(spark, FEW, folder, say=silently)


@pytest.mark.slow
def test_copies_of_a_story_are_clients_of_their_own(spark, few):
    folder, truth = few
    assert sockets_of(spark, folder) == told_by(truth)
    lines = load_lines(spark, folder, ("client_id", "group_id", "event", "message")).where(
        "event = 'JOINED_GROUP' or message like '%memberId=%'"
    )
    members = defaultdict(set)
    for row in lines.selectExpr(
        "client_id", r"regexp_extract(message, 'consumer-[0-9]{4}-[0-9a-f-]{36}', 0) as member"
    ).collect():
        if row.member:
            members[row.client_id].add(row.member)
            assert row.member.startswith(row.client_id)
    assert len(members) == 5 and all(len(names) == 1 for names in members.values())
    assert len(set.union(*members.values())) == 5


@pytest.mark.slow
def test_the_same_manifest_gives_the_same_bytes_however_spark_cuts_the_work(
    spark, few, tmp_path, monkeypatch
):
    before = spark.conf.get("spark.sql.shuffle.partitions")
    monkeypatch.setattr(sheets, "PART_LINES", 400)
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    try:
        again = generate(spark, FEW, tmp_path / "set", say=silently)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    parts = sorted((tmp_path / "set" / "lines").iterdir())
    assert len(parts) > 1
    assert (
        b"".join(part.read_bytes() for part in parts)
        == (few[0] / "lines" / "part-00000.log").read_bytes()
    )
    # The checksum is made of the parts' own.
    assert {**again, "checksum": None} == {**few[1], "checksum": None}
    assert sockets_of(spark, tmp_path / "set") == told_by(again)
    rows = [
        spark.read.parquet(str(folder / "parquet")).drop("file", "file_offset")
        for folder in (few[0], tmp_path / "set")
    ]
    assert rows[0].exceptAll(rows[1]).count() == rows[1].exceptAll(rows[0]).count() == 0
    assert rows[0].count() == again["lines"]


@pytest.mark.corpus
def test_a_set_made_without_spark_is_the_same_byte_for_byte(few, tmp_path):
    folder, truth = few
    assert generate(None, FEW, tmp_path / "set", say=silently) == truth
    files = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    assert len(files) == 4
    for file in files:
        assert (tmp_path / "set" / file).read_bytes() == (folder / file).read_bytes()


@pytest.mark.corpus
def test_the_parquet_is_what_reading_the_text_gives(spark, few):
    folder, truth = few
    rows, lines = spark.read.parquet(str(folder / "parquet")), load_lines(spark, folder)
    assert rows.columns == lines.columns and rows.count() == truth["lines"]
    assert rows.drop("file").exceptAll(lines.drop("file")).count() == 0
    assert [row.file for row in rows.select("file").distinct().collect()] == [
        "lines/part-00000.log"
    ]


@pytest.mark.slow
def test_brokers_logs_stand_beside_the_clients_and_change_nothing_else(spark, tmp_path, capsys):
    """The same clients' lines, brokers whose every line is known, and the same incidents."""
    plan = replace(
        FEW,
        duration_ms=180_000,
        incidents=({"kind": "slow_member", "version": ["2.8", "4.4"], "at_s": 5},),
    )
    alone, both = tmp_path / "alone", tmp_path / "both"
    generate(spark, plan, alone, silently)
    truth = generate(spark, replace(plan, broker_logs=True), both, silently)
    lines = Path("lines", "part-00000.log")
    assert (alone / lines).read_bytes() == (both / lines).read_bytes()
    assert sorted(truth["broker_lines"]) == ["broker-0", "broker-1", "broker-2"]
    for log, count in truth["broker_lines"].items():
        read = logsets.read(spark, both / log)
        assert read.count() == count == read.where("event is not null").count()
        assert {row.broker for row in read.select("broker").distinct().collect()} <= {
            None,
            int(log[-1]),
        }
    assert max(truth["broker_lines"].values()) > 10
    kept = spark.read.parquet(str(both / "parquet"))
    assert kept.count() == truth["lines"]
    order = ["first", "clients"]
    wanted = logsets.incidents(spark.read.parquet(str(alone / "parquet"))).drop("evidence")
    assert (
        logsets.incidents(kept).drop("evidence").orderBy(*order).collect()
        == wanted.orderBy(*order).collect()
        != []
    )
    assert main(["score", str(both)]) == 0
    told = capsys.readouterr().out
    row = next(line.split() for line in told.splitlines() if "slow member" in line)
    assert row[-2:] == ["1.00", "1.00"]
    assert main(["explain", str(both / "lines"), str(both / "broker-0"), str(both / "broker-1"),
                 str(both / "broker-2")]) == 0  # fmt: skip
    told = capsys.readouterr().out
    assert "Both sides" in told and "broker 0: Stabilized group group-" in told


@pytest.fixture(scope="module")
def paced(spark, tmp_path_factory) -> tuple[Path, dict]:
    """The same set with clients that take their time, and an incident."""
    plan = replace(
        FEW,
        pace=True,
        duration_ms=180_000,
        incidents=({"kind": "slow_member", "version": ["2.8", "4.4"], "at_s": 5},),
    )
    folder = tmp_path_factory.mktemp("paced") / "set"
    return folder, generate(spark, plan, folder, say=silently)


@pytest.mark.slow
def test_the_truth_of_a_paced_set_follows_its_lines(spark, paced, capsys):
    """To the millisecond for sockets; every incident is found, and nothing else."""
    folder, truth = paced
    assert truth["manifest"]["pace"] is True
    assert sockets_of(spark, folder) == told_by(truth)
    assert main(["score", str(folder)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "slow member" in line)
    assert row.split()[-2:] == ["1.00", "1.00"]


@pytest.mark.slow
def test_a_paced_set_has_the_same_bytes_however_spark_cuts_the_work(
    spark, paced, tmp_path, monkeypatch
):
    monkeypatch.setattr(sheets, "PART_LINES", 4_000)
    plan = manifest_of({**paced[1]["manifest"], "lines": None, "checksum": None})
    generate(spark, plan, tmp_path / "set", say=silently)
    parts = sorted((tmp_path / "set" / "lines").iterdir())
    assert len(parts) > 1
    whole = (paced[0] / "lines" / "part-00000.log").read_bytes()
    assert b"".join(part.read_bytes() for part in parts) == whole


def test_clients_of_a_paced_set_take_their_time():
    """A third of the gaps between two lines of one millisecond is longer there."""
    shares = {}
    for pace in (False, True):
        plan = replace(FEW, pace=pace, clients={"consumer": {"3.9": 1}})
        (story,) = (play_story(plan, want, 0) for want in plan.wanted)
        at_ms = story.members[0].script.at_ms
        assert (np.diff(at_ms) >= 0).all()
        shares[pace] = float((np.diff(at_ms) == 0).mean())
    assert shares[True] < 0.85 * shares[False]


def test_another_seed_gives_another_set(few):
    drawn = [draw(seed, 0, "start") for seed in (FEW.seed, FEW.seed + 1)]
    assert drawn[0] != drawn[1]


def library(plan: Manifest, players: tuple | None = None, epoch_ms: int = 0):
    """What workers write a manifest's set from, without Spark."""
    stories, copies, clients = players or made.cast(plan, play_stories(plan, silently))
    roles = made.roles_of(
        clients, [copy.starts_ms for copy in copies], [copy.numbers for copy in copies],
        [made.identities(plan, copy, stories[copy.story].identities) for copy in copies],
        made._skews(plan, len(clients)),
    )  # fmt: skip
    return made.Library.of(
        *made.tables([member.script for story in stories for member in story.members]),
        roles,
        epoch_ms,
        plan.duration_ms,
    )


def text_of(library, part_lines: int) -> list[bytes]:
    return [library.text_of(sheet) for sheet in library.sheets(part_lines)]


SKEWED = replace(
    FEW, skew=({"clock_step_ms": -5_000, "every": 2, "at_s": 10}, {"flush_ms": 3_000, "every": 3}),
    incidents=({"kind": "slow_member", "version": "2.8"},
               {"kind": "rebalance_storm", "version": "3.9", "at_s": 2}),
)  # fmt: skip


@pytest.mark.parametrize(
    "plan", [FEW, pytest.param(SKEWED, marks=pytest.mark.corpus)], ids=["few", "skewed"]
)
def test_parts_are_cut_by_row_and_joined_are_the_same(plan):
    book = library(plan)
    whole = text_of(book, 10_000_000)[0]
    rows = book.sheets(10_000_000)[0].rows
    for part_lines in (97, 1_000, rows - 1, rows):
        parts = book.sheets(part_lines)
        assert [part.rows for part in parts] == [part_lines] * (rows // part_lines) + (
            [rows % part_lines] if rows % part_lines else []
        )
        assert b"".join(text_of(book, part_lines)) == whole


@pytest.mark.corpus
def test_lines_come_in_time_but_for_clocks_and_appenders_told_to_be_wrong():
    def times(plan):
        text = text_of(library(plan), 10_000_000)[0]
        # Told as if the epoch were the start.
        return np.array([line[12:24].decode() for line in text.split(b"\n") if line[:3] == b"[19"])

    ordered, skewed = times(FEW), times(SKEWED)
    assert (ordered[1:] >= ordered[:-1]).all()
    assert (skewed[1:] < skewed[:-1]).sum() > 10


def test_a_number_of_clients_is_shared_out_by_version():
    plan = manifest_of({"name": "x", "seed": 1, "clients": 101, "versions": {"2.3": 1, "3.9": 3}})
    counts = plan.by_story
    assert sum(count for versions in counts.values() for count in versions.values()) == 101
    assert sum(versions["3.9"] for versions in counts.values()) == pytest.approx(76, abs=2)


def test_yaml_and_json_say_the_same(tmp_path):
    entries = {
        "name": "x",
        "seed": 1,
        "hours": 0.25,
        "clients": {"consumer": {"2.3": 1}},
        "incidents": [{"kind": "slow_member", "at_s": 4}],
    }
    (tmp_path / "x.json").write_text(json.dumps(entries), encoding="utf-8")
    (tmp_path / "x.yaml").write_text(
        'name: x\nseed: 1\nhours: 0.25\nclients: {consumer: {"2.3": 1}}\n'
        "incidents: [{kind: slow_member, at_s: 4}]\n",
        encoding="utf-8",
    )
    assert manifest(tmp_path / "x.json") == manifest(tmp_path / "x.yaml")
    assert manifest(tmp_path / "x.json").duration_ms == 900_000


@pytest.mark.parametrize("name", ["tiny", "class", "night", "fleet", "trouble"])
def test_the_manifests_can_be_used(name):
    assert manifest(name).name == name and manifest(name).wanted


@pytest.mark.corpus
def test_an_interrupted_run_goes_on_where_it_was(spark, few, tmp_path, monkeypatch):
    """Three parts are there and have receipts; the rest is made,
    and the set is that of a run nobody interrupted."""
    monkeypatch.setattr(sheets, "PART_LINES", 400)
    whole = generate(spark, FEW, tmp_path / "whole", say=silently)
    half, heard = tmp_path / "half", []
    with monkeypatch.context() as patch:
        patch.setattr(
            made,
            "write_parts",
            lambda spark, place, checksum, parts, *rest: write_parts(
                spark, place, checksum, parts[:3], *rest
            ),
        )
        with pytest.raises(OSError, match="goes on where it was"):
            generate(spark, FEW, half, say=silently)
    assert not (half / "DONE").exists() and not (half / "truth.json").exists()
    assert generate(spark, FEW, half, say=heard.append) == whole
    assert "going on: 3 parts are there" in heard
    assert [part.read_bytes() for part in sorted((half / "lines").iterdir())] == [
        part.read_bytes() for part in sorted((tmp_path / "whole" / "lines").iterdir())
    ]


def test_a_run_that_was_interrupted_starts_clean_and_a_finished_one_is_kept(spark, few, tmp_path):
    half = tmp_path / "half"
    (half / "lines").mkdir(parents=True)
    (half / "lines" / "part-00007.log").write_text("half a part", encoding="utf-8")
    (half / ".making").mkdir()
    truth = generate(spark, FEW, half, say=silently)
    assert [file.name for file in (half / "lines").iterdir()] == ["part-00000.log"]
    assert (half / "DONE").read_text(encoding="utf-8") == truth["checksum"] + "\n" and not (
        half / ".making"
    ).exists()
    heard = []
    assert generate(spark, FEW, half, say=heard.append) == truth
    assert heard == [f"{half} is there already: {truth['lines']:,} lines."]


def test_a_folder_with_something_else_is_left_alone(spark, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="something else"):
        generate(spark, FEW, tmp_path, say=silently)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is not JSON"),
        ('{"name": "x", "seed": 1, "clients": {}, "months": 3}', "unexpected entry 'months'"),
        (None, "There is no manifest"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_why(tmp_path, capsys, content, sentence):
    path = tmp_path / "set.json"
    if content:
        path.write_text(content, encoding="utf-8")
    assert main(["generate", str(path), "--out", str(tmp_path / "out")]) == 2
    assert sentence in capsys.readouterr().err


def test_a_story_nobody_knows(spark, tmp_path):
    with pytest.raises(
        ManifestError,
        match="There is no story heroic_consumer; there are consumer, zombie_consumer",
    ):
        generate(
            spark,
            replace(FEW, clients={"heroic_consumer": {"2.3": 1}}),
            tmp_path / "set",
            say=silently,
        )


@pytest.mark.corpus
@pytest.mark.parametrize("version", [pytest.param("3.9.2", marks=pytest.mark.slow), "4.4.0"])
def test_one_reader_for_the_real_client_and_the_simulated_one(spark, recordings, tmp_path, version):
    """The same scenario, recorded and replayed: one reader knows every line of both,
    and the sockets live the same lives."""
    recorded = recordings / "4.4.0" / version / "consumer_idle_close"
    scenario = json.loads((recorded / "scenario.json").read_text(encoding="utf-8"))
    for name, text in replay(scenario, seed=0).items():
        (tmp_path / f"{name}.log").write_text(text, encoding="utf-8")
    lives = []
    for folder in (recorded, tmp_path):
        lines = load_lines(spark, folder)
        assert lines.where("problem is not null or event is null").count() == 0
        assert (
            lines.where(
                "event = 'INITIATING_CONNECTION' and (host <> 'localhost' or port is null or "
                "node_id is null)"
            ).count()
            == 0
        )
        lives.append(
            Counter((row["class"], row.how) for row in logsets.connections(lines).collect())
        )
    assert (
        lives[0]
        == lives[1]
        == {("bootstrap", "idle"): 1, ("coordinator", "close"): 1, ("data", "close"): 3}
    )
