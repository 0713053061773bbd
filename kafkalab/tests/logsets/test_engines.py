"""Spark and DuckDB run one code: every frame has equal rows on both, of all recordings."""

import numbers
import sys
from datetime import datetime, timedelta
from random import Random

import pandas as pd
import pyarrow as pa
import pytest

from kafkalab import logsets
from kafkalab.logsets import events
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.coordinators import coordinator_steps, fencing_signs
from kafkalab.logsets.duckdb_frames import duckdb_frame
from kafkalab.logsets.engine import DUCKDB, SPARK, F, Window, engine_for, in_use, running_on
from kafkalab.logsets.explain import json_report, report_of
from kafkalab.logsets.explain.oddities import silences
from kafkalab.logsets.kept_lines import kept_lines
from kafkalab.logsets.lag import lag
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.line_repairs import repeated
from kafkalab.logsets.membership import membership
from kafkalab.logsets.reader import read, with_the_files_client
from kafkalab.logsets.requests import broker_times, requests

FRAMES = {
    "batches": logsets.batches,
    "broker_times": broker_times,
    "commits": logsets.commits,
    "connections": logsets.connections,
    "coordinator_steps": coordinator_steps,
    "fencing_signs": fencing_signs,
    "fields": lambda lines: events.fields(lines, "FETCH_BUILT_INCREMENTAL"),
    "group_rebalances": logsets.group_rebalances,
    "incidents": logsets.incidents,
    "lag": lag,
    "lag_per_minute": logsets.lag_per_minute,
    "live_per_minute": logsets.live_per_minute,
    "malformed": logsets.malformed,
    "membership": membership,
    "producers": logsets.producers,
    "rebalances": logsets.rebalances,
    "repeated": repeated,
    "reprocessed": logsets.reprocessed,
    "requests": requests,
    "storms": logsets.storms,
    "summary": logsets.summary,
    "transactions": logsets.transactions,
    "with_the_files_client": lambda lines: with_the_files_client(lines, lines),
    "zombies": logsets.zombies,
}


def plain(value):
    """A value of either engine's rows, in a form that can be compared."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0):
        return tuple(map(plain, value))
    if value is None or value is pd.NaT or value != value:
        return None
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    if hasattr(value, "isoformat"):
        return pd.Timestamp(value).isoformat()
    if isinstance(value, numbers.Number) and not isinstance(value, bool):
        return round(float(value), 9)
    return value


def rows(frame) -> list[tuple]:
    found = frame.toPandas()
    names = sorted(found.columns)
    return sorted(
        (tuple(plain(value) for value in row) for row in found[names].itertuples(index=False)),
        key=repr,
    )


@pytest.fixture(scope="module")
def of_spark(spark, recordings):
    lines = load_lines(spark, recordings).cache()
    yield lines
    lines.unpersist()


@pytest.fixture(scope="module")
def of_duckdb(recordings):
    with running_on(DUCKDB):
        return load_lines(None, recordings)


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_has_equal_rows_on_both_engines(of_spark, of_duckdb, name):
    wanted = rows(FRAMES[name](of_spark))
    with running_on(DUCKDB):
        found = rows(FRAMES[name](of_duckdb))
    assert found == wanted
    assert wanted or name in ("malformed", "zombies")


@pytest.mark.corpus
def test_both_engines_tell_one_story_of_a_log(spark, recordings):
    path = recordings / "4.4.0/3.9.2/group_slow_poll"
    wanted = rows(logsets.connections(read(spark, path)))
    with running_on(DUCKDB):
        found = rows(logsets.connections(read(None, path)))
    assert found == wanted and len(found) == 5


@pytest.mark.slow
@pytest.mark.parametrize("run", ["2.3.1/2.1.1", "4.4.0/3.9.2/group_slow_poll", "4.4.0/4.4.0"])
def test_a_report_is_the_same_on_both_engines(spark, recordings, run):
    lines = load_lines(spark, recordings / run).cache()
    wanted = json_report(report_of(lines))
    lines.unpersist()
    with running_on(DUCKDB):
        assert json_report(report_of(load_lines(None, recordings / run))) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("path", ["recordings/4.4.0/3.9.2/group_slow_poll", "whole_logs/4.4.0"])
def test_duckdb_looks_at_what_sparks_workers_kept(spark, recordings, path):
    """The rows are Spark's, and so is the report."""
    path = recordings.parent / path
    with kept_lines(spark, path, by_spark=True) as (lines, _):
        assert in_use() == SPARK
        kept, wanted = rows(lines), json_report(report_of(lines))
    with kept_lines(spark, path) as (lines, _):
        assert in_use() == DUCKDB
        assert (
            rows(lines.persist())
            == rows(lines)
            == [
                tuple(
                    each.removesuffix("+00:00") if isinstance(each, str) else each for each in row
                )
                for row in kept
            ]
        )
        assert json_report(report_of(lines)) == wanted
    assert in_use() == SPARK


def test_the_engine_is_chosen_by_size_master_and_wish(monkeypatch):
    small, large = 1_000_000, 1_000_000_000
    assert engine_for(small)[0] == DUCKDB
    assert engine_for(large)[0] == SPARK
    assert engine_for(large, asked=DUCKDB)[0] == DUCKDB
    assert engine_for(small, asked=SPARK)[0] == SPARK
    assert engine_for(small, master="local[1]")[0] == SPARK
    monkeypatch.setenv("KAFKALAB_SPARK_MASTER", "spark://far:7077")
    assert engine_for(small)[0] == SPARK


def test_without_duckdb_spark_reads_and_says_what_would_be_faster(monkeypatch):
    monkeypatch.setattr("kafkalab.logsets.engine.find_spec", lambda name: None)
    engine, why = engine_for(1_000_000)
    assert engine == SPARK and "[logs]" in why and "pip install" in why
    with pytest.raises(ValueError, match="DuckDB is not installed"):
        engine_for(1_000_000, asked=DUCKDB)


@pytest.mark.corpus
def test_a_small_log_is_explained_without_spark(recordings, capsys, monkeypatch):
    starter = sys.modules["kafkalab.logsets.session"]
    monkeypatch.setattr(starter, "session", lambda *_: pytest.fail("Spark starts"))
    log = str(recordings / "4.4.0/3.9.2/group_slow_poll/inv-1.log.gz")
    assert main(["explain", log]) == 0
    told = capsys.readouterr()
    assert "!! A slow consumer was thrown out of its group: 1 (inv-1)" in told.out
    assert told.err.startswith("DuckDB reads 0.2 MB")
    assert "     2026-11-21 02:08:09,199\n" in told.out  # with its milliseconds


def test_equally_long_silences_are_told_in_one_order():
    """Fifty clients fall silent at one moment. Whichever comes first in a table, a report names the
    same ones."""
    start = datetime(2026, 1, 5, 9)
    lines = [
        {"file": f"{number}.log", "kind": "producer", "client_id": f"p-{number:02}",
         "file_offset": place, "time": start + timedelta(minutes=place),
         "level": "DEBUG"}
        for number in range(50)
        for place in range(2)
    ]  # fmt: skip
    told = set()
    with running_on(DUCKDB):
        for luck in range(4):
            Random(luck).shuffle(lines)
            told.add(silences(duckdb_frame(pa.Table.from_pylist(lines))).clients)
    assert told == {("p-00", "p-01", "p-10", "p-11", "p-12")}


def test_sums_of_null_are_as_in_spark():
    """DuckDB's own functions answer null, or keep it, where Spark's do not."""
    table = pa.table({"key": [1, 1, 2], "value": pa.array([None, 3, None], pa.int64())})
    with running_on(DUCKDB):
        frame = duckdb_frame(table)
        found = frame.groupBy("key").agg(
            F.collect_list("value").alias("all"),
            F.collect_set("value").alias("different"),
            F.count_if(F.col("value") > 0).alias("above"),
        )
        assert rows(found) == [(0.0, (), (), 2.0), (1.0, (3.0,), (3.0,), 1.0)]
        order = Window.partitionBy("key").orderBy("value")
        every = frame.select("key", F.collect_list("value").over(order).alias("all"))
        assert sorted(plain(row.all) for row in every.collect()) == [(), (), (3.0,)]


def test_steps_that_sqlframe_takes_begin_and_end_with_a_frame_of_ours():
    table = pa.table({"key": [2, 1, 1], "value": [None, 3, 4], "time": list("abc")})
    with running_on(DUCKDB):
        frame = duckdb_frame(table).where("key > 0")
        assert frame.na.fill(0, ["value"]).orderBy("key").collect()[-1].value == 0
        assert frame.orderBy("value", ascending=False).first().value == 4
        assert frame.dropDuplicates(["key"]).count() == 2
        assert frame.join(frame, on=["key"], how="leftanti").isEmpty()
        assert frame.withColumnRenamed("value", "of").columns == ["key", "of", "time"]
        assert frame.groupBy("key").max("value").where("key = 1").collect()[0][1] == 4
        assert frame.groupBy("key").count().orderBy("key").collect() == [(1, 2), (2, 1)]
        assert frame.select(F.upper("time")).distinct().count() == 3
        assert [row.time for row in frame.sort(frame.time.desc()).limit(2).collect()] == ["c", "b"]
        assert frame.schema.fields[0].dataType.typeName() == "long"
